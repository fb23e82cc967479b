"""Eats the machine."""

from attacks.attack import CONTRACT, CRASH, ERROR, MEMORY, PASS, POLICY, TIME, WRONG, body, swallowing

ATTACKS = {
    "ever more tensors": body(
        """
        hoard = []
        while True: hoard.append(torch.ones(1 << 22))
        """,
        *(MEMORY, TIME),
        told="answer.py:3: more memory than an answer may use (RuntimeError",
    ),
    "a terabyte": body("return torch.empty(1 << 40, dtype=torch.uint8)", MEMORY, ERROR, told="answer.py:2"),
    "two gigabytes of bytes": body("return bytearray(1 << 31)", MEMORY, told="MemoryError"),
    "bottomless recursion": body(
        """
        import sys; sys.setrecursionlimit(10**9)
        def deeper(n): return deeper(n + 1) + [n]
        return deeper(0)
        """,
        *(ERROR, CRASH, MEMORY, TIME),
    ),
    "threads for ever": body(
        """
        import threading, time
        while True: threading.Thread(target=time.sleep, args=(60,)).start()
        """,
        *(ERROR, POLICY, CRASH, TIME),
    ),
    "threads with small stacks, swallowing errors": body(
        """
        import threading, time
        threading.stack_size(32 << 10)
        while True:
            try: threading.Thread(target=time.sleep, args=(60,)).start()
            except BaseException: pass
        """,
        *(ERROR, POLICY, CRASH, TIME),
        told="more than 256 threads",
    ),
    "a fork bomb": body(
        "import os\nwhile True: os.fork()", ERROR, POLICY, CRASH, TIME, told="PermissionError", portable=False
    ),
    "a fork bomb, swallowing errors": body(
        """
        import os
        while True:
            try: os.fork()
            except BaseException: pass
        """,
        *(ERROR, POLICY, CRASH, TIME),
        portable=False,
    ),
    "fills the disk, swallowing errors": body(
        """
        for name in ("fill", TREE + "/fill"):
            try:
                with open(name, "wb") as file:
                    while True: file.write(bytes(1 << 20))
            except BaseException: pass
        return wrong(k, v, positions, budget, sinks)
        """,
        WRONG,
        portable=False,
    ),
    "20 MB on stdout": body(
        "print('x' * (20 << 20 if k.shape[2] == 12 else 1)); return right(k, v, positions, budget, sinks)", PASS
    ),
    "memory that nothing maps any more": body(
        """
        import mmap
        hoard = []
        while True:
            hoard.append(mmap.mmap(-1, 1 << 24))
            hoard[-1].write(bytes(1 << 24))
            hoard[-1].madvise(mmap.MADV_DONTNEED)
        """,
        POLICY,
        told="PermissionError",
        portable=False,
    ),
    "page tables": body(
        """
        import mmap
        hoard = []
        while True:
            hoard.append(mmap.mmap(-1, 1 << 33, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ))
            for i in range(0, 1 << 33, 1 << 21): hoard[-1][i]
        """,
        ERROR,
        told="Cannot allocate memory",
    ),
    "memory that counts as a stack": body(
        "import mmap; mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)",  # MAP_GROWSDOWN
        POLICY,
        told="PermissionError",
        portable=False,
    ),
    "memory, and the first thread has ended": body(
        """
        import ctypes, mmap, threading
        def eat():
            hoard = []
            while True:
                hoard.append(mmap.mmap(-1, 1 << 24, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100))
                hoard[-1].write(bytes(1 << 24))
        threading.Timer(0.1, eat).start()
        ctypes.CDLL(None).syscall(60, 0)
        """,
        *(MEMORY, TIME, CRASH),
    ),
    "replies that fill the judge": body(
        "return globals().setdefault('large', torch.zeros((8 << 20) - 10_000)), v, positions",
        *(MEMORY, TIME),
        told="more than 256 MiB in all",
    ),
    "pipes for ever": body(
        """
        import os
        hoard = []
        while True: hoard.append(os.pipe())
        """,
        ERROR,
        told="Too many open files",
    ),
    "a file in memory": body("import os; os.memfd_create('x')", POLICY, told="PermissionError", portable=False),
    "rings and segments of the kernel's": body(
        swallowing(
            """
            import ctypes
            call = ctypes.CDLL(None, use_errno=True).syscall
            held = [call(425, 8, bytes(120)), call(29, 0, 1 << 20, 0o1600), call(290, 0, 0), call(283, 1, 0)]
            assert max(held) < 0
            then = wrong
            """,
            "then",
        ),
        WRONG,
        portable=False,
    ),
    "a million outputs": body("return (k,) * 10**6", CONTRACT, told="tuple"),
    "a huge view": body("return k.new_zeros(1).expand(1 << 40), v, positions", CONTRACT, told="too large to send"),
}
