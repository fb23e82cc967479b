"""Frames between the judge and the process that runs an answer: a JSON header and raw bytes, both capped.

A frame is `<u32 header length><u64 body length><header><body>`, little-endian. Whatever arrives is treated as hostile:
nothing is allocated before it has arrived, and nothing is ever unpickled.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

HEADER_LIMIT = 1 << 20
BODY_LIMIT = 64 << 20
SOURCE_LIMIT = 1 << 20
"""Bytes of an answer's source, which is the body of one frame."""

CHUNK = 1 << 16
PREFIX = struct.Struct("<IQ")


class WireError(ValueError):
    """What arrived is not a frame, or a frame's content is not what it says it is."""


@dataclass(frozen=True)
class Frame:
    """One message: a JSON object and the raw bytes that it describes."""

    header: Mapping[str, Any]
    body: bytes = b""


def write_frame(stream: IO[bytes], frame: Frame) -> None:
    """Send one frame whole; WireError where it is over the caps, OSError where nobody reads."""
    header = json.dumps(frame.header).encode()
    if len(header) > HEADER_LIMIT or len(frame.body) > BODY_LIMIT:
        raise WireError(f"a frame of {len(header)} + {len(frame.body)} bytes is over the limit")
    rest = memoryview(PREFIX.pack(len(header), len(frame.body)) + header + frame.body)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame | None:
    """The next frame, or None where the stream ends between two frames; WireError for anything else."""
    first = stream.read(1)
    if not first:
        return None
    header_length, body_length = PREFIX.unpack(first + _read_exactly(stream, PREFIX.size - 1))
    if header_length > HEADER_LIMIT or body_length > BODY_LIMIT:
        raise WireError(f"a frame claims {header_length} + {body_length} bytes")
    try:
        header = json.loads(_read_exactly(stream, header_length))
    except (ValueError, RecursionError) as error:
        raise WireError("a frame's header is not JSON") from error
    if not isinstance(header, dict):
        raise WireError("a frame's header is not a JSON object")
    return Frame(header, _read_exactly(stream, body_length))


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        chunk = stream.read(min(CHUNK, length - len(received)))
        if not chunk:
            raise WireError(f"a frame ends after {len(received)} of {length} bytes")
        received += chunk
    return bytes(received)
