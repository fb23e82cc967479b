"""Values on the wire: tensors as dtype, shape and raw little-endian bytes; numbers, strings and tuples as JSON."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from practice.grader.isolate.wire import BODY_LIMIT, HEADER_LIMIT, WireError

DTYPES = {
    name: getattr(torch, name)
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
DEPTH_LIMIT = 2
ITEMS_LIMIT = 64
DIMENSIONS_LIMIT = 16
TEXT_LIMIT = 4096
SPECS_LIMIT = HEADER_LIMIT // 4

Spec = Mapping[str, Any]


@dataclass(frozen=True)
class Foreign:
    """Something that an answer returned and that no exercise wants: only its description crosses the wire."""

    what: str


Value = Tensor | bool | int | float | str | tuple[Any, ...] | list[Any] | Foreign | None


def pack(values: Sequence[object]) -> tuple[list[Spec], bytes]:
    """Specs and one body of bytes for `values`; what cannot cross becomes `Foreign`."""
    chunks: list[bytes] = []
    specs = [_pack(value, chunks, BODY_LIMIT // 2, depth=0) for value in values]
    if len(json.dumps(specs)) > SPECS_LIMIT:
        return [_foreign(f"{_type_name(value)}, too large to send") for value in values], b""
    return specs, b"".join(chunks)


def unpack(specs: object, body: bytes) -> list[Value]:
    """The values that `pack` was given; WireError where specs and bytes do not fit each other."""
    if not isinstance(specs, list) or len(specs) > ITEMS_LIMIT:
        raise WireError("values without specs")
    values, offset = _unpack_items(specs, body, 0, depth=0)
    if offset != len(body):
        raise WireError(f"{len(body) - offset} bytes belong to no value")
    return values


def _pack(value: object, chunks: list[bytes], room: int, depth: int) -> Spec:
    if type(value) is Tensor:
        return _pack_tensor(value, chunks, room)
    if value is None or type(value) in (bool, float):
        return {"kind": "plain", "value": value}
    if type(value) is int and value.bit_length() <= TEXT_LIMIT:
        return {"kind": "plain", "value": value}
    if type(value) is str and len(value) <= TEXT_LIMIT:
        return {"kind": "plain", "value": value}
    if isinstance(value, tuple | list) and len(value) <= ITEMS_LIMIT and depth < DEPTH_LIMIT:
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {"kind": kind, "items": [_pack(item, chunks, room, depth + 1) for item in value]}
    return _foreign(_type_name(value))


def _pack_tensor(tensor: Tensor, chunks: list[bytes], room: int) -> Spec:
    shape = "x".join(map(str, tensor.shape)) if not tensor.is_nested else "nested"
    if tensor.device.type != "cpu":
        return _foreign(f"Tensor[{shape}] on device {tensor.device}")
    if (
        tensor.layout != torch.strided
        or tensor.is_nested
        or tensor.dtype not in NAMES
        or tensor.dim() > DIMENSIONS_LIMIT
    ):
        return _foreign(f"Tensor[{shape}] of layout {tensor.layout}, dtype {tensor.dtype}")
    if math.prod(max(1, size) for size in tensor.shape) * tensor.element_size() > room - sum(map(len, chunks)):
        return _foreign(f"Tensor[{shape}], too large to send")
    if torch._is_functional_tensor(tensor):
        return _foreign(f"Tensor[{shape}] that is not computed yet")
    if tensor.numel():
        whole = tensor.detach().resolve_neg().contiguous()
        flat = whole.as_strided((whole.numel(),), (1,))  # a dimension of size 1 keeps any stride, even when contiguous
        chunks.append(flat.view(torch.uint8).numpy().tobytes())
    return {"kind": "tensor", "dtype": NAMES[tensor.dtype], "shape": list(tensor.shape)}


def _unpack_items(specs: Sequence[Any], body: bytes, offset: int, depth: int) -> tuple[list[Value], int]:
    values: list[Value] = []
    for spec in specs:
        value, offset = _unpack(spec, body, offset, depth)
        values.append(value)
    return values, offset


def _unpack(spec: Any, body: bytes, offset: int, depth: int) -> tuple[Value, int]:
    match spec:
        case {"kind": "tensor", "dtype": str(dtype), "shape": list(shape)}:
            return _unpack_tensor(dtype, shape, body, offset)
        case {"kind": "plain", "value": None | bool() | int() | float() | str() as value}:
            return value, offset
        case {"kind": "foreign", "what": str(what)}:
            return Foreign(what[:TEXT_LIMIT]), offset
        case {"kind": "tuple" | "list" as kind, "items": list(items)} if (
            depth < DEPTH_LIMIT and len(items) <= ITEMS_LIMIT
        ):
            values, offset = _unpack_items(items, body, offset, depth + 1)
            return (tuple(values) if kind == "tuple" else values), offset
    raise WireError(f"not a value: {str(spec)[:80]}")


def _unpack_tensor(name: str, shape: list[Any], body: bytes, offset: int) -> tuple[Tensor, int]:
    if (
        name not in DTYPES
        or len(shape) > DIMENSIONS_LIMIT
        or not all(type(size) is int and size >= 0 for size in shape)
    ):
        raise WireError(f"not a tensor: {name[:20]} {str(shape)[:80]}")
    if math.prod(max(1, size) for size in shape) > BODY_LIMIT:
        raise WireError(f"not a tensor's shape: {str(shape)[:80]}")
    dtype = DTYPES[name]
    end = offset + math.prod(shape) * dtype.itemsize
    if end > len(body):
        raise WireError(f"a tensor of {end - offset} bytes, and {len(body) - offset} are left")
    if end == offset:
        return torch.empty(shape, dtype=dtype), offset
    raw = torch.frombuffer(bytearray(body[offset:end]), dtype=torch.uint8)
    return (raw != 0 if dtype is torch.bool else raw.view(dtype)).reshape(shape), end


def _foreign(what: str) -> Spec:
    return {"kind": "foreign", "what": what[:TEXT_LIMIT]}


def _type_name(value: object) -> str:
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    base = " (a subclass of torch.Tensor)" if isinstance(value, Tensor) else ""
    return f"{module}{kind.__qualname__}{base}"
