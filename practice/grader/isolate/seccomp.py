"""A seccomp filter for the process of an answer: what computing needs is allowed, everything else is refused.

No process can be started, no file opened for writing, no socket made, no memory shared, no other process signalled;
threads may be started.
The program is classic BPF over `struct seccomp_data` (Linux, seccomp(2)); it is built here and installed with ctypes.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence

KILL = 0x80000000
ALLOW = 0x7FFF0000
ERRNO = 0x00050000

PR_SET_NAME, PR_GET_NAME, PR_SET_VMA = 15, 16, 0x53564D41
PR_SET_NO_NEW_PRIVS = 38
CLONE_THREAD = 0x00010000
MAP_SHARED = 0x01  # such memory outlives its mapping, and nothing counts it then
MAP_GROWSDOWN = 0x100  # the limit on data takes such memory for a stack
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWTIME, NEWNS, NEWCGROUP ... NEWNET
TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # O_WRONLY RDWR CREAT TRUNC APPEND TMPFILE
PLAIN_FCNTL = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC
PLAIN_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX

Instruction = tuple[int, int, int, int]

# Numbers of the system calls: x86-64, then AArch64 (None where it has no such call).
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None),
    "alarm": (37, None),
    "arch_prctl": (158, None),
    "bpf": (321, 280),
    "brk": (12, 214),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fcntl": (72, 25),
    "fstat": (5, 80),
    "fstatfs": (138, 44),
    "futex": (202, 98),
    "get_mempolicy": (239, 236),
    "get_robust_list": (274, 100),
    "getcpu": (309, 168),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getgroups": (115, 158),
    "getitimer": (36, 102),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "getsid": (124, 156),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "lseek": (8, 62),
    "lstat": (6, None),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    "mincore": (27, 232),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "pidfd_getfd": (438, 438),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "prctl": (157, 167),
    "pread64": (17, 67),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pselect6": (270, 72),
    "ptrace": (101, 117),
    "read": (0, 63),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "restart_syscall": (219, 128),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigtimedwait": (128, 137),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_yield": (24, 124),
    "select": (23, None),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    "stat": (4, None),
    "statfs": (137, 43),
    "statx": (332, 291),
    "sysinfo": (99, 179),
    "tgkill": (234, 131),
    "time": (201, None),
    "times": (100, 153),
    "uname": (63, 160),
    "userfaultfd": (323, 282),
    "wait4": (61, 260),
    "write": (1, 64),
    "writev": (20, 66),
}
FATAL = ("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "bpf", "userfaultfd")
ARCHITECTURES = {"x86_64": (0xC000003E, 0, 317), "aarch64": (0xC00000B7, 1, 277)}  # audit number, column, seccomp(2)


def install() -> bool:
    """Filter this process from now on; False where this system has no such filter, or none is known for its CPU."""
    known = ARCHITECTURES.get(platform.machine())
    if platform.system() != "Linux" or known is None:
        return False
    instructions = program(os.getpid())
    packed = b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions)
    code = ctypes.create_string_buffer(packed, len(packed))
    filter_ = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    return bool(libc.syscall(ctypes.c_long(known[2]), ctypes.c_long(1), ctypes.c_long(0), filter_) == 0)


def program(pid: int) -> list[Instruction]:
    """The filter for the process `pid` on this machine's architecture."""
    audit, column, _ = ARCHITECTURES[platform.machine()]
    refused = _return(ERRNO | errno.EPERM)
    special = {
        "clone": [*_load(0), *_jump_if_bits(NEW_NAMESPACES, refused), *_only_with_bits(CLONE_THREAD, refused)],
        "clone3": [_return(ERRNO | errno.ENOSYS)],  # its flags lie in memory; the C library then takes clone
        "fcntl": _only_values(1, PLAIN_FCNTL, refused),
        "ioctl": _only_values(1, PLAIN_IOCTL, refused),
        "kill": _only_values(0, (pid,), refused),
        "mmap": [*_load(3), *_jump_if_bits(MAP_SHARED | MAP_GROWSDOWN, refused), _return(ALLOW)],
        "open": [*_load(1), *_jump_if_bits(TO_WRITE, _return(ERRNO | errno.EACCES)), _return(ALLOW)],
        "openat": [*_load(2), *_jump_if_bits(TO_WRITE, _return(ERRNO | errno.EACCES)), _return(ALLOW)],
        "prctl": _only_values(0, (PR_SET_NAME, PR_GET_NAME, PR_SET_VMA), refused),
        "prlimit64": _only_null(2, refused),
        "tgkill": _only_values(0, (pid,), refused),
        **{name: [_return(KILL)] for name in FATAL},
    }
    built: list[Instruction] = [(0x20, 0, 0, 4), (0x15, 1, 0, audit), _return(KILL), (0x20, 0, 0, 0)]
    if column == 0:
        built += [(0x35, 0, 1, 0x40000000), _return(KILL)]  # the x32 numbers
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        block = special.get(name, [_return(ALLOW)])
        if number is not None:
            built += [(0x15, 0, len(block), number), *block]
    return [*built, refused]


def _return(value: int) -> Instruction:
    return (0x06, 0, 0, value)


def _load(argument: int, half: int = 0) -> list[Instruction]:
    """Load the low (or high) 32 bits of an argument."""
    return [(0x20, 0, 0, 16 + 8 * argument + 4 * half)]


def _jump_if_bits(mask: int, otherwise: Instruction) -> list[Instruction]:
    """End with `otherwise` where any bit of the mask is set."""
    return [(0x45, 0, 1, mask), otherwise]


def _only_with_bits(mask: int, otherwise: Instruction) -> list[Instruction]:
    return [(0x45, 0, 1, mask), _return(ALLOW), otherwise]


def _only_values(argument: int, values: Sequence[int], otherwise: Instruction) -> list[Instruction]:
    checks = [instruction for value in values for instruction in ((0x15, 0, 1, value), _return(ALLOW))]
    return [*_load(argument), *checks, otherwise]


def _only_null(argument: int, otherwise: Instruction) -> list[Instruction]:
    """Allow where a pointer is null."""
    null = [*_load(argument), (0x15, 1, 0, 0), otherwise, *_load(argument, 1), (0x15, 1, 0, 0), otherwise]
    return [*null, _return(ALLOW)]
