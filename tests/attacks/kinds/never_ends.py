"""Never ends."""

from attacks.attack import CRASH, POLICY, TIME, body, module

ATTACKS = {
    "an endless loop": body("while True: pass", TIME, told="s of CPU time"),
    "a loop that swallows every exception": body(
        """
        while True:
            try: 1 / 0
            except BaseException: pass
        """,
        TIME,
    ),
    "one that ignores signals": body(
        """
        import signal
        for number in set(signal.Signals) - {9, 19}: signal.signal(number, signal.SIG_IGN)
        while True: pass
        """,
        TIME,
    ),
    "sleeps an hour": body("import time; time.sleep(3600)", TIME, told="still running"),
    "waits for a lock": body("import threading; threading.Event().wait()", TIME),
    "an endless import": module("while True: pass", TIME, told="while importing"),
    "stops itself": body("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", TIME, CRASH, POLICY),
    "raises its limit of CPU time": body(
        """
        import resource
        try: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (ValueError, OSError): pass
        while True: pass
        """,
        TIME,
    ),
    "computes in four threads": body(
        """
        import threading
        def spin():
            while True: torch.ones(1 << 16).sum()
        threads = [threading.Thread(target=spin) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
        TIME,
    ),
}
