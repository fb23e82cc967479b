"""Strikes: the judge, other processes, the kernel's guards.  The judge lives, nothing is left."""

from attacks.attack import CRASH, NOT_PASS, POLICY, WRONG, body, swallowing

CALL = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"
ATTACKS = {
    "kills its parent": body("import os; os.kill(os.getppid(), 9)", POLICY, told="answer.py:2", portable=False),
    "kills its parent, swallowing errors": body(
        swallowing("import os, signal; os.kill(os.getppid(), 9)"), WRONG, portable=False
    ),
    "kills its group": body("import os; os.killpg(0, 9)", POLICY, portable=False),
    "kills another's thread": body(
        CALL + swallowing("libc.syscall(234, os.getppid(), os.getppid(), 9)"), WRONG, portable=False
    ),
    "kills by a process descriptor": body(
        swallowing("import os, signal; signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)"), WRONG, portable=False
    ),
    "traces its parent": body(CALL + "libc.ptrace(16, os.getppid(), 0, 0)", POLICY, told="SIGSYS", portable=False),
    "reads its parent's memory": body(
        CALL + "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)", POLICY, portable=False
    ),
    "a daemon": body(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: time.sleep(600)
            os._exit(0)
        return wrong(k, v, positions, budget, sinks)
        """,
        *NOT_PASS,
    ),
    "a program": body("import subprocess; subprocess.Popen(['sleep', '600'])", POLICY, portable=False),
    "a program, swallowing errors": body(swallowing("import subprocess; subprocess.Popen(['sleep', '600'])"), WRONG),
    "reads /proc of others": body(
        "import os; open(f'/proc/{os.getppid()}/environ', 'rb').read(); return k", *NOT_PASS, portable=False
    ),
    "has signals sent by a descriptor": body(
        CALL
        + swallowing(
            """
            import fcntl, signal
            end, other = os.pipe()
            fcntl.fcntl(end, fcntl.F_SETOWN, os.getppid())
            fcntl.fcntl(end, 10, signal.SIGKILL)  # F_SETSIG
            fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)
            os.write(other, b"x")
            """
        ),
        WRONG,
        portable=False,
    ),
    "changes what it is to others": body(
        CALL
        + """
assert libc.prctl(4, 1, 0, 0, 0) < 0  # PR_SET_DUMPABLE
assert libc.prctl(36, 1, 0, 0, 0) < 0  # PR_SET_CHILD_SUBREAPER
assert libc.prctl(1, 0, 0, 0, 0) < 0  # PR_SET_PDEATHSIG
assert libc.unshare(0x10000000) < 0
assert libc.setpriority(0, os.getppid(), 19) < 0
assert libc.prlimit(os.getppid(), 0, (ctypes.c_long * 2)(1, 1), None) < 0
return wrong(k, v, positions, budget, sinks)
""",
        WRONG,
        portable=False,
    ),
    "calls by the numbers of another architecture": body(
        CALL + "libc.syscall(0x40000000 + 62, os.getpid(), 0)", POLICY, CRASH, portable=False
    ),
    "calls by another architecture's door": body(
        """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
        page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, 20; int 0x80; ret
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
        """,
        *(POLICY, CRASH),
        portable=False,
    ),
}
