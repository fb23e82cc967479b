"""The wire takes anything: arbitrary bytes and arbitrary replies give a frame, a failure or a `WireError`."""

import io
import json
import struct
import tracemalloc
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from practice.grader.isolate.launch import Stopped
from practice.grader.isolate.remote import Failure, RemoteAnswer, Returned
from practice.grader.isolate.values import DTYPES, pack, unpack
from practice.grader.isolate.wire import BODY_LIMIT, HEADER_LIMIT, PREFIX, Frame, WireError, read_frame, write_frame

unhurried = settings(deadline=None, max_examples=200)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def as_bytes(frame: Frame) -> bytes:
    stream = io.BytesIO()
    write_frame(stream, frame)
    return stream.getvalue()


@unhurried
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.binary(max_size=200))
def test_frames_come_back(header: dict[str, Any], body: bytes) -> None:
    stream = io.BytesIO(as_bytes(Frame(header, body)) * 2)
    first, second, end = read_frame(stream), read_frame(stream), read_frame(stream)
    assert first
    assert json.dumps(first.header) == json.dumps(header)  # as text: NaN is not equal to itself
    assert first.body == body
    assert as_bytes(first) == as_bytes(second)  # type: ignore[arg-type]
    assert end is None


@unhurried
@given(
    st.binary(max_size=64) | st.binary(max_size=64).map(lambda rest: PREFIX.pack(len(rest) // 2, len(rest) // 4) + rest)
)
def test_any_bytes_are_a_frame_or_an_error(raw: bytes) -> None:
    stream = io.BytesIO(raw)
    try:
        frame = read_frame(stream)
    except WireError:
        return
    assert frame is None or raw.startswith(PREFIX.pack(struct.unpack("<I", raw[:4])[0], len(frame.body)))
    assert (frame is None) == (raw == b"")


@unhurried
@given(st.data())
def test_a_frame_cut_short_is_an_error(data: st.DataObject) -> None:
    whole = as_bytes(Frame({"kind": "x"}, bytes(20)))
    end = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(WireError):
        read_frame(io.BytesIO(whole[:end]))


@pytest.mark.parametrize("lengths", [(HEADER_LIMIT + 1, 0), (2, BODY_LIMIT + 1), (2**32 - 1, 2**64 - 1)])
def test_a_claim_over_the_limit_is_refused_before_it_is_read(lengths: tuple[int, int]) -> None:
    stream = io.BytesIO(PREFIX.pack(*lengths) + b"{}" + bytes(100))
    with pytest.raises(WireError, match="claims"):
        read_frame(stream)
    assert stream.tell() == PREFIX.size


def test_a_claim_allocates_nothing_until_it_arrives() -> None:
    tracemalloc.start()
    with pytest.raises(WireError):
        read_frame(io.BytesIO(PREFIX.pack(2, BODY_LIMIT) + b"{}"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < BODY_LIMIT / 50


@pytest.mark.parametrize("header", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b"[]", b"\xff", b"{"])
def test_headers_that_are_no_object(header: bytes) -> None:
    with pytest.raises(WireError):
        read_frame(io.BytesIO(PREFIX.pack(len(header), 0) + header))


@unhurried
@given(st.sampled_from(sorted(DTYPES)), st.lists(st.integers(0, 3), max_size=4), st.integers(0, 99))
def test_tensors_come_back_bit_for_bit(name: str, shape: list[int], seed: int) -> None:
    raw = torch.randint(
        0,
        2 if name == "bool" else 256,
        (*shape, DTYPES[name].itemsize),
        dtype=torch.uint8,
        generator=torch.Generator().manual_seed(seed),
    )
    tensor = raw.flatten().view(DTYPES[name]).reshape(shape)
    specs, body = pack([tensor, (tensor, [1, 2.5, True, None, "x"])])
    back, (again, others) = unpack(json.loads(json.dumps(specs)), body)  # type: ignore[misc]
    assert back.dtype is again.dtype is tensor.dtype
    assert back.shape == again.shape == tensor.shape
    assert pack([back, (again, others)]) == (specs, body)
    assert others == [1, 2.5, True, None, "x"]


def test_what_is_too_large_for_a_header_is_only_named() -> None:
    specs, body = pack([["x" * 4000] * 64 for _ in range(3)])
    assert len(as_bytes(Frame({"outputs": specs}, body))) < HEADER_LIMIT
    assert [value.what for value in unpack(specs, body)] == ["list, too large to send"] * 3  # type: ignore[union-attr]


def test_views_of_any_stride_are_packed_by_value() -> None:
    tensor = torch.arange(24).reshape(2, 3, 4)
    for view in (
        tensor.mT,
        tensor[:, ::2],
        tensor[1:, :, -1],
        tensor.new_ones(1).expand(5),
        torch.tensor(7),
        tensor[1:, 1:2, ::4],
    ):
        (back,) = unpack(*pack([view]))
        assert torch.equal(back, view)  # type: ignore[arg-type]


FLOATS = {"kind": "tensor", "dtype": "float32", "shape": [2]}
DEEP: dict[str, Any] = {"kind": "plain", "value": 0}
for _ in range(10):
    DEEP = {"kind": "tuple", "items": [DEEP]}
MALFORMED = {
    "no list": ({}, b""),
    "too few bytes": ([FLOATS], bytes(7)),
    "bytes of nothing": ([FLOATS], bytes(9)),
    "an unknown dtype": ([{**FLOATS, "dtype": "load"}], bytes(8)),
    "a negative size": ([{**FLOATS, "shape": [-2, -1]}], bytes(8)),
    "a size that is no integer": ([{**FLOATS, "shape": [True, 2]}], bytes(8)),
    "sizes that overflow": ([{**FLOATS, "shape": [0, 1 << 40, 1 << 40]}], b""),
    "too many dimensions": ([{**FLOATS, "shape": [1] * 80}], bytes(4)),
    "no kind": ([{"value": 3}], b""),
    "an unknown kind": ([{"kind": "pickle", "value": "x"}], b""),
    "a dictionary": ([{"kind": "plain", "value": {}}], b""),
    "too deep": ([DEEP], b""),
    "too many": ([FLOATS] * 2000, bytes(16000)),
}


@pytest.mark.parametrize(("specs", "body"), MALFORMED.values(), ids=MALFORMED)
def test_specs_that_do_not_fit_are_an_error(specs: object, body: bytes) -> None:
    with pytest.raises(WireError):
        unpack(specs, body)


def test_booleans_are_made_of_any_byte() -> None:
    (mask,) = unpack([{"kind": "tensor", "dtype": "bool", "shape": [3]}], b"\x00\x02\xff")
    assert isinstance(mask, torch.Tensor)
    assert mask.view(torch.uint8).tolist() == [0, 1, 1]


class Says:
    """A child that replies whatever it is told to."""

    def __init__(self, reply: Frame) -> None:
        self.reply, self.stopped = reply, False

    def ask(self, header: object, body: bytes = b"") -> Frame:
        return self.reply

    def stop(self, why: Stopped) -> Stopped:
        self.stopped = True
        return why


RETURNED = {"kind": "returned", "outputs": [FLOATS], "inputs": [{**FLOATS, "dtype": "bool"}, DEEP], "output_bytes": 8}
FAILED = {"kind": "failed", "failure": "exception", "type": "E", "message": "m", "line": 1, "traceback": "t"}
PLACES = [
    *[("outputs",), ("outputs", 0), ("outputs", 0, "kind"), ("outputs", 0, "dtype"), ("outputs", 0, "shape")],
    *[("inputs",), ("inputs", 0), ("inputs", 0, "shape"), ("inputs", 1, "items"), ("output_bytes",), ("kind",)],
    *[("failure",), ("type",), ("message",), ("line",), ("traceback",)],
]
WORDS = st.sampled_from(["tensor", "tuple", "foreign", "float64", "bool", "memory", "time", "loaded", "returned"])
INSTEAD = WORDS | JSON | st.integers(-5, 20) | st.lists(st.integers(-1, 4), max_size=3)


def replace(header: Any, place: tuple[Any, ...], value: object) -> Any:
    """A copy of nested JSON with one place replaced, where it has that place."""
    if not place:
        return value
    first, *rest = place
    changed = header.copy()
    if isinstance(header, dict) or first < len(header):
        changed[first] = replace(
            changed.get(first, {}) if isinstance(header, dict) else changed[first], (*rest,), value
        )
    return changed


@unhurried
@given(
    st.sampled_from([RETURNED, FAILED]), st.sampled_from(PLACES), INSTEAD, st.binary(max_size=12) | st.just(bytes(10))
)
def test_any_reply_is_a_return_or_a_failure(header: dict[str, Any], place: Any, instead: object, body: bytes) -> None:
    if header is FAILED and place[0] not in FAILED:
        place = ("line",)
    child = Says(Frame(replace(header, place, instead), body))
    result = RemoteAnswer(child).call([torch.zeros(2), 3])  # type: ignore[arg-type]
    if isinstance(result, Returned):
        assert header is RETURNED
        assert not child.stopped
    else:
        assert isinstance(result, Failure)
        assert child.stopped == (result.kind == "crash")
        assert result.kind in ("crash", "exception", "memory", "missing", "signature")


@unhurried
@given(st.sampled_from(["flops", "bytes_read", "kind"]), INSTEAD | st.integers())
def test_any_count_is_two_numbers_or_nothing(place: str, instead: object) -> None:
    child = Says(Frame({"kind": "counted", "flops": 3, "bytes_read": 8, place: instead}))
    counts = RemoteAnswer(child).count([torch.zeros(2)])  # type: ignore[arg-type]
    assert counts is None or (len(counts) == 2 and all(type(count) is int and count >= 0 for count in counts))


@pytest.mark.parametrize("split", [-2, 11, None, "8", True])
def test_output_bytes_outside_the_body_are_a_crash(split: object) -> None:
    inputs = {"outputs": [FLOATS], "inputs": [{**FLOATS, "dtype": "bool"}]}
    child = Says(Frame({**RETURNED, **inputs, "output_bytes": split}, bytes(10)))
    result = RemoteAnswer(child).call([])  # type: ignore[arg-type]
    assert isinstance(result, Failure)
    assert (result.kind, child.stopped) == ("crash", True)


@pytest.mark.parametrize("place", [("outputs", 0), ("outputs", 0, "shape", 0), ("inputs", 1, "items", 0)])
def test_a_reply_too_deep_to_be_shown_is_a_crash(place: tuple[Any, ...]) -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    child = Says(Frame(replace(RETURNED, place, deep), bytes(10)))
    result = RemoteAnswer(child).call([])  # type: ignore[arg-type]
    assert isinstance(result, Failure)
    assert (result.kind, child.stopped) == ("crash", True)


def test_a_proper_reply_is_a_return() -> None:
    inputs = [{**FLOATS, "dtype": "bool"}]
    result = RemoteAnswer(Says(Frame({**RETURNED, "inputs": inputs}, bytes(10)))).call([])  # type: ignore[arg-type]
    assert isinstance(result, Returned)
    assert torch.equal(result.outputs, torch.zeros(2))  # type: ignore[arg-type]
