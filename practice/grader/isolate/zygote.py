"""The zygote: a process that has imported torch and nothing of the learner's, and forks one child for each answer.

Started as a script, `zygote.py <control socket> <folder of the judge's torch>`. Each message on the control socket
brings four descriptors: requests, replies, errors, and a socket on which the zygote tells the child's process (as a
descriptor) and later how it ended. It holds no reference, no expected value and no seed. It ends, and its children
with it, when the judge's end of the control socket closes.
"""

import contextlib
import gc
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

DESCRIPTORS = 4


def main() -> None:
    """Import torch, then fork on request."""
    control = socket.socket(fileno=int(sys.argv[1]))
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from practice.grader.isolate.child import find_torch

    find_torch(sys.argv[2])
    from practice.grader.isolate.lockdown import python_files

    _warm_up()
    readable = list(python_files())
    gc.collect()
    gc.freeze()  # what is here stays here: collecting it in a child would copy its pages
    with contextlib.suppress(KeyboardInterrupt):
        Zygote(control, readable).run()
    with contextlib.suppress(OSError):  # nothing can have been written there
        os.rmdir(os.getcwd())
    os._exit(0)


class Zygote:
    """Waits for requests to fork, and for children to end."""

    def __init__(self, control: socket.socket, readable: Sequence[str]) -> None:
        self._control, self._readable = control, readable
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ, self._fork)
        self._open = True

    def run(self) -> None:
        """Serve until the judge has gone."""
        while self._open:
            for key, _ in self._selector.select():
                key.data()
        for key in list(self._selector.get_map().values()):
            if key.fileobj is not self._control:
                signal.pidfd_send_signal(key.fd, signal.SIGKILL)

    def _fork(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._control, 16, DESCRIPTORS)
        if not message:
            self._open = False
            return
        pid = os.fork()
        if pid == 0:
            _become_child(descriptors, self._readable)
        told = socket.socket(fileno=descriptors.pop())
        for descriptor in descriptors:
            os.close(descriptor)
        process = os.pidfd_open(pid)
        with contextlib.suppress(OSError):  # the judge has gone meanwhile
            socket.send_fds(told, [b"started"], [process])
        self._selector.register(process, selectors.EVENT_READ, self._when_ended(pid, process, told))

    def _when_ended(self, pid: int, process: int, told: socket.socket) -> Callable[[], None]:
        def tell() -> None:
            self._selector.unregister(process)
            _, status = os.waitpid(pid, 0)
            os.close(process)
            with contextlib.suppress(OSError), told:
                told.send(str(os.waitstatus_to_exitcode(status)).encode())

        return tell


def _become_child(descriptors: list[int], readable: Sequence[str]) -> NoReturn:
    """Everything of the zygote's is closed but the wire; what is left of this function never returns."""
    status = 1
    try:
        from practice.grader.isolate.child import serve, take_wire
        from practice.grader.isolate.limits import die_with_parent
        from practice.grader.isolate.lockdown import lock_down

        os.setsid()
        die_with_parent(os.getppid())
        requests, replies = take_wire(*descriptors[:3])
        keep = sorted((requests.fileno(), replies.fileno()))
        for low, high in ((2, keep[0]), (keep[0], keep[1]), (keep[1], 1 << 20)):
            os.closerange(low + 1, high)
        serve(requests, replies, lambda: lock_down(readable))
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def _warm_up() -> None:
    """Import what a child needs, and do once what is slow the first time. A second thread would make forking unsafe."""
    import torch

    import practice.grader.isolate.limits  # noqa: F401
    from practice.grader.isolate.answer import Answer
    from practice.grader.isolate.values import pack
    from practice.grader.isolate.wire import Frame

    torch.set_num_threads(1)
    arguments, body = pack([torch.ones(2, 2), torch.arange(2)])
    load = {"kind": "load", "file": "", "function": "warm_up", "parameters": ["x", "i"]}
    answer = Answer()
    answer.serve(Frame(load, b"import torch\ndef warm_up(x, i): return torch.cat([x[i] @ x, x[:, i].softmax(0)])"))
    answer.serve(Frame({"kind": "call", "arguments": arguments}, body))
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("importing torch has started a second thread here: a child could hang")


if __name__ == "__main__":
    main()
