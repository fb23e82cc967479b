"""The process that runs an answer: takes inputs from the wire, gives outputs back, and knows nothing else.

Forked by the zygote; or, where forking is not safe, started as a script, `child.py <judge's process id> <folder of the
judge's torch>`, with the wire on stdin and stdout, to wait for one answer.
"""

import importlib.util
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO


def main() -> None:
    """Import torch, then wait for the one answer."""
    requests, replies = take_wire(0, 1, 2)
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    find_torch(sys.argv[2])
    from practice.grader.isolate.limits import die_with_parent

    die_with_parent(int(sys.argv[1]))
    import torch

    import practice.grader.isolate.answer  # noqa: F401 - read before the answer's clock runs

    torch.set_num_threads(1)
    serve(requests, replies, list)


def serve(requests: IO[bytes], replies: IO[bytes], lock_down: Callable[[], list[str]]) -> None:
    """Set limits, lock down, say "ready", then serve one request after another until the wire closes."""
    import torch

    from practice.grader.isolate.answer import Answer
    from practice.grader.isolate.limits import apply_limits
    from practice.grader.isolate.wire import Frame, read_frame, write_frame

    begin = read_frame(requests)
    if begin is None:
        return
    random.seed()
    torch.default_generator.seed()
    del sys.path[0]
    layers = apply_limits(begin.header["cpu_seconds"], begin.header["memory_bytes"]) + lock_down()
    write_frame(replies, Frame({"kind": "ready", "layers": layers}))
    answer = Answer()
    while request := read_frame(requests):
        header, body = answer.serve(request)
        write_frame(replies, Frame({**header, "token": request.header["token"]}, body))
    os.closerange(0, 3)  # the judge waits for the end of what was printed


def take_wire(requests: int, replies: int, errors: int) -> tuple[IO[bytes], IO[bytes]]:
    """Move the wire to private descriptors: stdin becomes empty, and stdout and stderr go to `errors`."""
    wire = os.fdopen(os.dup(requests), "rb", buffering=0), os.fdopen(os.dup(replies), "wb", buffering=0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(errors, 2)
    os.dup2(2, 1)
    return wire


def find_torch(folder: str) -> None:
    """Look for torch in `folder` where -I has hidden it: in PYTHONPATH or among the user's packages."""
    if folder and importlib.util.find_spec("torch") is None:
        sys.path.append(folder)


if __name__ == "__main__":
    main()
