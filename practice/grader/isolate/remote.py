"""An answer in a process of its own, as the verifier sees it: values in, values or a failure out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from practice.grader.isolate.launch import Child, Stopped
from practice.grader.isolate.values import Value, pack, unpack
from practice.grader.isolate.wire import SOURCE_LIMIT, Frame

TEXT_LIMIT = 20_000
COUNT_LIMIT = 1 << 60

Kind = Literal["time", "crash", "memory", "policy", "exception", "missing", "signature", "source_size"]


@dataclass(frozen=True)
class Returned:
    """What a call gave back, and the inputs as they were after it."""

    outputs: Value
    inputs: list[Value]


@dataclass(frozen=True)
class Failure:
    """Why there is no output: for exceptions, type, message, line of the learner's file (0: none) and traceback."""

    kind: Kind
    type: str = ""
    message: str = ""
    line: int = 0
    traceback: str = ""


class RemoteAnswer:
    """The function in `child`.  Whatever comes back is checked: a malformed reply is a crash of the answer's."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def load(self, source: bytes, file: str, function: str, parameters: Sequence[str]) -> Failure | None:
        """Run the source and find the function; None when it is there and takes these positional parameters."""
        if len(source) > SOURCE_LIMIT:
            return Failure("source_size", message=f"{len(source):,}")
        header = {"kind": "load", "file": file, "function": function, "parameters": list(parameters)}
        reply = self._child.ask(header, source)
        if isinstance(reply, Frame) and reply.header.get("kind") == "loaded":
            return None
        return self._failure(reply)

    def call(self, arguments: Sequence[Value]) -> Returned | Failure:
        """Call the function with copies of `arguments`."""
        specs, body = pack(arguments)
        reply = self._child.ask({"kind": "call", "arguments": specs}, body)
        if not isinstance(reply, Frame) or reply.header.get("kind") != "returned":
            return self._failure(reply)
        split = reply.header.get("output_bytes")
        if type(split) is not int or not 0 <= split <= len(reply.body):
            return self._malformed("sizes that do not fit")
        try:
            (outputs,) = unpack(reply.header.get("outputs"), reply.body[:split])
            inputs = unpack(reply.header.get("inputs"), reply.body[split:])
        except (ValueError, RecursionError) as error:  # WireError is a ValueError; what is deep cannot even be shown
            return self._malformed(str(error))
        return Returned(outputs, inputs)

    def count(self, arguments: Sequence[Value]) -> tuple[int, int] | None:
        """Floating-point operations and bytes read by one call, as the child says; None where it does not."""
        specs, body = pack(arguments)
        reply = self._child.ask({"kind": "count", "arguments": specs}, body)
        told = [reply.header.get(name) for name in ("flops", "bytes_read")] if isinstance(reply, Frame) else []
        counts = [count for count in told if type(count) is int and 0 <= count < COUNT_LIMIT]
        return (counts[0], counts[1]) if len(counts) == 2 else None

    def _failure(self, reply: Frame | Stopped) -> Failure:
        if isinstance(reply, Stopped):
            return Failure(reply.reason, "stopped", reply.detail)
        match reply.header:
            case {
                "kind": "failed",
                "failure": "memory" | "policy" | "exception" | "missing" | "signature" as kind,
                "type": str(name),
                "message": str(message),
                "line": int(line),
                "traceback": str(trace),
            }:
                return Failure(kind, name[:200], message[:TEXT_LIMIT], line, trace[:TEXT_LIMIT])
        return self._malformed("a reply of no known kind")

    def _malformed(self, detail: str) -> Failure:
        return self._failure(self._child.stop(Stopped("crash", detail)))
