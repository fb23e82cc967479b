"""Leaves before it has answered."""

from attacks.attack import CRASH, ERROR, NOT_PASS, body

ATTACKS = {
    "sys.exit": body("import sys; sys.exit(0)", ERROR, told="SystemExit"),
    "os._exit": body("import os; os._exit(0)", CRASH, told="exit status 0"),
    "right on case 1, then os._exit": body(
        """
        import os
        if globals().get("seen"): os._exit(0)
        globals()["seen"] = 1
        return right(k, v, positions, budget, sinks)
        """,
        CRASH,
        told="exit status 0",
    ),
    "a segmentation fault": body("import ctypes; ctypes.string_at(0)", CRASH, told="SIGSEGV"),
    "a real-time signal": body("import os; os.kill(os.getpid(), 40)", CRASH, told="signal 40"),
    "a forged reply from atexit": body(
        """
        import atexit, os, struct
        reply = b'{"kind": "returned", "outputs": [], "inputs": [], "output_bytes": 0}'
        def forge():
            for fd in range(3, 64):
                try: os.write(fd, struct.pack("<IQ", len(reply), 0) + reply)
                except OSError: pass
        atexit.register(forge)
        raise SystemExit
        """,
        *NOT_PASS,
        told="SystemExit",
    ),
    "an exit from another thread": body(
        "import os, threading, time; threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(60)", CRASH
    ),
    "closes every descriptor": body("import os; os.closerange(0, 256); return k, v, positions", CRASH),
    "leaves at import": body("pass\nimport os; os._exit(3)", CRASH),
}
