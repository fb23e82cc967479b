"""The process that runs an answer: takes inputs from the wire, gives outputs back, and knows nothing else.

Started as a script, `child.py <judge's process id> <cpu seconds> <memory bytes> <folder of the judge's torch>`, with
the wire on stdin and stdout.
"""

import importlib.util
import os
import sys
from pathlib import Path
from typing import IO


def main() -> None:
    """Take the wire, import torch, say "ready", then serve one request after another until the wire closes."""
    requests, replies = _take_wire()
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from practice.grader.isolate.limits import apply_limits, die_with_parent

    die_with_parent(int(sys.argv[1]))
    if sys.argv[4] and importlib.util.find_spec("torch") is None:  # -I hides PYTHONPATH and the user's packages
        sys.path.append(sys.argv[4])
    import torch

    from practice.grader.isolate.answer import Answer
    from practice.grader.isolate.wire import Frame, read_frame, write_frame

    torch.set_num_threads(1)
    del sys.path[0]
    layers = apply_limits(float(sys.argv[2]), int(sys.argv[3]))
    write_frame(replies, Frame({"kind": "ready", "layers": layers}))
    answer = Answer()
    while request := read_frame(requests):
        header, body = answer.serve(request)
        write_frame(replies, Frame({**header, "token": request.header["token"]}, body))


def _take_wire() -> tuple[IO[bytes], IO[bytes]]:
    """Move the wire to private descriptors: stdin becomes empty, and stdout goes where stderr goes."""
    requests, replies = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return requests, replies


if __name__ == "__main__":
    main()
