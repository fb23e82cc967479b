"""Turn a GGUF file into a Hugging Face folder (config, safetensors, tokenizer) that transformers loads too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor
from tqdm import tqdm

from .config import CheckpointError

_TOP_LEVEL = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_PER_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_CONTROL = 3  # gguf.TokenType.CONTROL
_PRE_TOKENIZERS = {
    "smollm": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
}


def convert_gguf(path: Path, folder: Path) -> None:
    """Write ``config.json``, ``model.safetensors`` (fp32, exact) and the tokenizer of ``path`` into ``folder``.

    Raises CheckpointError for an architecture or tokenizer this code would get wrong.
    """
    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    config = _config(fields, tied="output.weight" not in {tensor.name for tensor in reader.tensors})
    tensors = {}
    for tensor in tqdm(reader.tensors, desc="dequantising", unit="tensor"):
        weight = torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32))
        name = _hf_name(tensor.name)
        if config["model_type"] == "llama" and name.endswith(("q_proj.weight", "k_proj.weight")):
            heads = config["num_attention_heads" if "q_proj" in name else "num_key_value_heads"]
            weight = unpermute(weight, heads)
        tensors[name] = weight
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # save_file leaves it to its owner alone
    _write_json(folder / "config.json", config)
    _write_tokenizer(fields, folder)


def unpermute(weight: Tensor, num_heads: int) -> Tensor:
    """Undo the row order GGUF gives q and k of Llama models, ``[num_heads * D, hidden]``.

    GGUF stores rows so that a pair (2i, 2i + 1) turns together; half-split RoPE turns (i, i + D/2).
    """
    rows, hidden = weight.shape
    return weight.view(num_heads, rows // num_heads // 2, 2, hidden).transpose(1, 2).reshape(rows, hidden)


def _config(fields: dict[str, Any], tied: bool) -> dict[str, Any]:
    arch = fields["general.architecture"]
    if arch not in ("llama", "qwen3"):
        raise CheckpointError(f"GGUF architecture {arch!r} is not one mini_llm converts (llama, qwen3)")
    if f"{arch}.rope.scaling.type" in fields:
        raise CheckpointError(f"GGUF has RoPE scaling {fields.get(f'{arch}.rope.scaling.type')!r}, not supported")
    heads, hidden = fields[f"{arch}.attention.head_count"], fields[f"{arch}.embedding_length"]
    return {
        "architectures": [{"llama": "LlamaForCausalLM", "qwen3": "Qwen3ForCausalLM"}[arch]],
        "model_type": arch,
        "vocab_size": len(fields["tokenizer.ggml.tokens"]),
        "hidden_size": hidden,
        "intermediate_size": fields[f"{arch}.feed_forward_length"],
        "num_hidden_layers": fields[f"{arch}.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": fields.get(f"{arch}.attention.head_count_kv", heads),
        "head_dim": fields.get(f"{arch}.attention.key_length", hidden // heads),
        "hidden_act": "silu",
        "max_position_embeddings": fields[f"{arch}.context_length"],
        # fp32 stores 1e-5 as 9.999999747378752e-06; seven digits give the number that was meant.
        "rms_norm_eps": float(f"{fields[f'{arch}.attention.layer_norm_rms_epsilon']:.7g}"),
        "rope_theta": fields[f"{arch}.rope.freq_base"],
        "tie_word_embeddings": tied,
        "bos_token_id": fields.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": fields.get("tokenizer.ggml.eos_token_id"),
        "torch_dtype": "float32",
    }


def _hf_name(name: str) -> str:
    if name in _TOP_LEVEL:
        return _TOP_LEVEL[name]
    prefix, layer, part, kind = [*name.split("."), "", "", ""][:4]
    if prefix != "blk" or part not in _PER_LAYER or kind != "weight":
        raise CheckpointError(f"GGUF tensor {name!r} has no place in the model")
    return f"model.layers.{layer}.{_PER_LAYER[part]}.{kind}"


def _write_tokenizer(fields: dict[str, Any], folder: Path) -> None:
    pre = fields.get("tokenizer.ggml.pre")
    if fields["tokenizer.ggml.model"] != "gpt2" or pre not in _PRE_TOKENIZERS:
        raise CheckpointError(f"GGUF tokenizer {fields['tokenizer.ggml.model']!r}/{pre!r} is not one mini_llm converts")
    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = _PRE_TOKENIZERS[pre]()
    tokenizer.decoder = decoders.ByteLevel()
    control = [t for t, kind in zip(tokens, fields["tokenizer.ggml.token_type"], strict=True) if kind == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}
    named = {
        f"{short}_token": tokens[fields[f"tokenizer.ggml.{long}_token_id"]]
        for short, long in special.items()
        if f"tokenizer.ggml.{long}_token_id" in fields
    }
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": fields[f"{fields['general.architecture']}.context_length"],
        "chat_template": fields.get("tokenizer.chat_template"),
    }
    _write_json(folder / "tokenizer_config.json", settings | named)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
