"""Attempts that an answer has no business making. `judge doctor` runs them as an answer, and shows what came of each.

Each returns True where it got through. This file is source for the child: it is never imported by the judge.
"""

import ctypes
import os
import resource
import socket
import subprocess
import sys
import threading


def reads_the_exercises(exercises, judge):
    os.listdir(exercises)
    return True


def reads_a_home(exercises, judge):
    os.listdir(os.path.dirname(os.path.dirname(exercises)))
    return True


def writes_a_file(exercises, judge):
    with open("written", "w") as file:
        file.write("x")
    return True


def makes_a_folder(exercises, judge):
    os.mkdir("made")
    return True


def removes_a_file(exercises, judge):
    os.unlink("nothing-of-this-name")
    return True


def opens_a_socket(exercises, judge):
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    return True


def opens_a_unix_socket(exercises, judge):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).close()
    return True


def starts_a_process(exercises, judge):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    return True


def runs_a_program(exercises, judge):
    subprocess.run([sys.executable, "-c", ""], check=True)
    return True


def signals_the_judge(exercises, judge):
    os.kill(judge, 0)
    return True


def signals_its_parent(exercises, judge):
    os.kill(os.getppid(), 0)
    return True


def reads_the_judges_memory(exercises, judge):
    with open(f"/proc/{judge}/environ", "rb") as file:
        file.read(1)
    return True


def raises_its_limits(exercises, judge):
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return True


def takes_more_memory(exercises, judge):
    return len(bytearray(2 << 30)) > 0


def changes_its_priority(exercises, judge):
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return True


def maps_new_namespaces(exercises, judge):
    return ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == 0


def starts_a_thread(exercises, judge):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return True


def attempt(names, exercises, judge):
    """For each name: "open", or the exception that stopped it."""
    found = []
    for name in names:
        try:
            found.append("open" if globals()[name](exercises, judge) else "refused")
        except BaseException as error:
            missing = isinstance(error, FileNotFoundError) and name == "removes_a_file"
            found.append("open" if missing else type(error).__name__)
    return tuple(found)
