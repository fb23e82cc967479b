"""Attempts that an answer has no business making. `judge doctor` runs them as an answer, and shows what came of each.

Each raises where it is stopped. This file is source for the child: it is never imported by the judge.
"""

import ctypes
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence


def reads_the_exercises(exercises: str, judge: int) -> None:
    os.listdir(exercises)


def reads_a_home(exercises: str, judge: int) -> None:
    os.listdir(os.path.dirname(os.path.dirname(exercises)))


def writes_a_file(exercises: str, judge: int) -> None:
    with open("written", "w") as file:
        file.write("x")


def makes_a_folder(exercises: str, judge: int) -> None:
    os.mkdir("made")


def removes_a_file(exercises: str, judge: int) -> None:
    os.unlink("nothing-of-this-name")


def opens_a_socket(exercises: str, judge: int) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def opens_a_unix_socket(exercises: str, judge: int) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).close()


def starts_a_process(exercises: str, judge: int) -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def runs_a_program(exercises: str, judge: int) -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


def signals_the_judge(exercises: str, judge: int) -> None:
    os.kill(judge, 0)


def signals_its_parent(exercises: str, judge: int) -> None:
    os.kill(os.getppid(), 0)


def reads_the_judges_memory(exercises: str, judge: int) -> None:
    with open(f"/proc/{judge}/environ", "rb") as file:
        file.read(1)


def raises_its_limits(exercises: str, judge: int) -> None:
    import resource  # Windows has none

    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def takes_more_memory(exercises: str, judge: int) -> None:
    bytearray(2 << 30)


def changes_its_priority(exercises: str, judge: int) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, -5)


def maps_new_namespaces(exercises: str, judge: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000):
        raise PermissionError


def starts_a_thread(exercises: str, judge: int) -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def attempt(names: Sequence[str], exercises: str, judge: int) -> tuple[str, ...]:
    """For each name: "open", or the exception that stopped it."""
    found = []
    for name in names:
        try:
            globals()[name](exercises, judge)
            found.append("open")
        except BaseException as error:
            missing = isinstance(error, FileNotFoundError) and name == "removes_a_file"
            found.append("open" if missing else type(error).__name__)
    return tuple(found)
