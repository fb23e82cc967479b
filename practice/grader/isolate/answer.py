"""The answer inside the child: loads the learner's source, calls the function, and tells failures as data."""

import contextlib
import errno
import inspect
import linecache
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from typing import Any

from practice.grader.isolate.values import pack, unpack
from practice.grader.isolate.wire import Frame
from practice.grader.isolate.work import count_work

MESSAGE_LIMIT = 2000
TRACEBACK_LIMIT = 20_000
MODULE = "answer"
REFUSED = (errno.EPERM, errno.EACCES, errno.EFBIG)

Reply = tuple[Mapping[str, Any], bytes]


class Unfit(Exception):
    """The source loads but does not hold the function that was asked for; `kind` is "missing" or "signature"."""

    def __init__(self, kind: str, message: str, line: int) -> None:
        super().__init__(message)
        self.kind, self.line = kind, line


class Answer:
    """One learner's function, from its source to its outputs."""

    def __init__(self) -> None:
        self._file = ""
        self._function: Callable[..., object] = lambda: None

    def serve(self, request: Frame) -> Reply:
        """The reply to a "load", a "call" or a "count"; whatever the learner's code raises becomes a "failed"."""
        try:
            reply = {"load": self._load, "call": self._call, "count": self._count}[request.header["kind"]](request)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: they are the answer's, not the child's
            reply = {"kind": "failed", **_tell(error, self._file)}, b""
        with contextlib.suppress(BaseException):  # the streams are the learner's to replace
            sys.stdout.flush()
            sys.stderr.flush()
        return reply

    def _load(self, request: Frame) -> Reply:
        self._file = request.header["file"]
        lines = request.body.decode(errors="replace").splitlines(keepends=True)
        linecache.cache[self._file] = (len(request.body), None, lines, self._file)
        module = types.ModuleType(MODULE)
        module.__file__ = self._file
        sys.modules[MODULE] = module
        exec(compile(request.body, self._file, "exec", dont_inherit=True), module.__dict__)
        self._function = _find(module, request.header["function"], request.header["parameters"])
        return {"kind": "loaded"}, b""

    def _call(self, request: Frame) -> Reply:
        arguments = unpack(request.header["arguments"], request.body)
        returned = self._function(*arguments)
        outputs, output_bytes = pack([returned])
        inputs, input_bytes = pack(arguments)
        header = {"kind": "returned", "outputs": outputs, "inputs": inputs, "output_bytes": len(output_bytes)}
        return header, output_bytes + input_bytes

    def _count(self, request: Frame) -> Reply:
        flops, bytes_read = count_work(self._function, unpack(request.header["arguments"], request.body))
        return {"kind": "counted", "flops": flops, "bytes_read": bytes_read}, b""


def _find(module: types.ModuleType, name: str, parameters: list[str]) -> Callable[..., object]:
    function: object = module.__dict__.get(name)
    if not callable(function):
        found = [
            f"{key} (line {value.__code__.co_firstlineno})"
            for key, value in module.__dict__.items()
            if isinstance(value, types.FunctionType) and value.__module__ == MODULE
        ]
        raise Unfit("missing", ", ".join(found), 1)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # something without a signature: the first call will tell
        return function
    try:
        signature.bind(*parameters)
    except TypeError as error:
        code = getattr(function, "__code__", None)
        raise Unfit("signature", f"{name}{signature}", code.co_firstlineno if code else 1) from error
    return function


def _tell(error: BaseException, file: str) -> dict[str, Any]:
    """An exception as data: what kind, its type and message, the last line of the learner's file that it passed."""
    return {
        "failure": _kind(error),
        "type": type(error).__name__,
        "message": _message(error)[:MESSAGE_LIMIT],
        "line": _line(error, file),
        "traceback": _traceback(error, file)[-TRACEBACK_LIMIT:],
    }


def _kind(error: BaseException) -> str:
    if isinstance(error, Unfit):
        return error.kind
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "DefaultCPUAllocator" in _message(error)):
        return "memory"
    if isinstance(error, OSError) and error.errno in REFUSED:
        return "policy"
    return "exception"


def _message(error: BaseException) -> str:
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:
        return ""


def _line(error: BaseException, file: str) -> int:
    if isinstance(error, Unfit):
        return error.line
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 1
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else 0


def _traceback(error: BaseException, file: str) -> str:
    """The traceback from the first line of the learner's file on."""
    inside = error.__traceback__
    while inside and inside.tb_frame.f_code.co_filename != file:
        inside = inside.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, inside))
    except Exception:
        return ""
