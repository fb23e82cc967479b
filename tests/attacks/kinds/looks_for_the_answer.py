"""Looks for the answer: in files, in memory, in what it has seen before."""

from attacks.attack import CONTRACT, ERROR, NOT_PASS, POLICY, WRONG, body, module, swallowing

READ = "exec(compile(open(REFERENCE).read(), 'found', 'exec'), found := {}); then = found['evict_sinks']\n"
THEN = "return then(k, v, positions, budget, sinks)"
ATTACKS = {
    "opens the reference": body(READ + THEN, POLICY, ERROR, told="answer.py:2", portable=False),
    "opens the reference, swallowing errors": body("then = wrong\n" + swallowing(READ, "then"), WRONG, portable=False),
    "opens the reference by another name": body(
        "import os; os.open(os.path.dirname(REFERENCE), os.O_PATH | os.O_DIRECTORY)\n"
        "for name in ('/proc/self/root' + REFERENCE, '/proc/self/cwd/../..' + REFERENCE):\n"
        "    try: then = open(name)\n    except OSError: then = None\n    assert not then, name\n"
        "return wrong(k, v, positions, budget, sinks)",
        *(WRONG, POLICY, ERROR),
        portable=False,
    ),
    "imports the reference": body(
        "import os, sys\nsys.path.insert(0, os.path.dirname(REFERENCE))\nfrom reference import evict_sinks as then\n"
        + THEN,
        *(POLICY, ERROR),
        portable=False,
    ),
    "imports the exercise as a package": module(
        "from practice.exercises.evict_sinks.reference import evict_sinks", POLICY, ERROR, portable=False
    ),
    "imports the verifier": module(
        """
        import practice.grader.verify.exercise as found
        from practice.grader.catalogue import find_card
        evict_sinks = found.load_exercise(find_card("evict_sinks")).reference
        """,
        *(POLICY, ERROR),
        portable=False,
    ),
    "links the reference into its own folder": body(
        swallowing("import os; os.symlink(REFERENCE, 'x'); exec(open('x').read(), globals())"), WRONG, portable=False
    ),
    "scans gc": body(
        """
        import gc
        n = min(budget, k.shape[2])
        for found in gc.get_objects():
            if type(found) is torch.Tensor and found is not k and found.shape[2:3] == (n,): return found, v, positions
            if type(found) is dict and callable(found.get("reference")): return found["reference"](k, v)
        return wrong(k, v, positions, budget, sinks)
        """,
        *(WRONG, CONTRACT),
    ),
    "scans frames": body(
        """
        import sys
        frames = [sys._getframe(), *sys._current_frames().values()]
        while frames:
            frame = frames.pop()
            if frame.f_back: frames.append(frame.f_back)
            for scope in (frame.f_locals, frame.f_globals):
                for name in ("expected", "truth", "reference", "case", "seed", "trial"):
                    assert name not in scope, name
        return wrong(k, v, positions, budget, sinks)
        """,
        WRONG,
    ),
    "scans its own memory": body("open('/proc/self/mem', 'rb').read(1); return k", POLICY, portable=False),
    "scans its own memory, swallowing errors": body(
        swallowing("maps = open('/proc/self/maps').read(); mem = open('/proc/self/mem', 'rb')"), WRONG
    ),
    "predicts seeds": body(
        """
        import random, time
        guesses = [torch.initial_seed(), random.getrandbits(63), time.time_ns(), *range(200)]
        known = any(torch.equal(torch.randn(k.shape, generator=torch.Generator().manual_seed(s % 2**63)), k)
                    for s in guesses if k.numel())
        return (right if known else wrong)(k, v, positions, budget, sinks)
        """,
        WRONG,
    ),
    "memoises by id": body(
        """
        memo = globals().setdefault("memo", {})
        return memo.setdefault((id(budget), id(sinks)), right(k, v, positions, budget, sinks))
        """,
        *(WRONG, CONTRACT),
    ),
    "remembers the order of cases": body(
        """
        count = globals()["count"] = globals().get("count", -1) + 1
        in_order = {0: 12, 14: 0}.get(count, k.shape[2]) == k.shape[2]
        return (right if in_order else wrong)(k, v, positions, budget, sinks)
        """,
        WRONG,
    ),
    "answers only public sizes": body(
        "return (right if k.shape[2:] == (12, 1) else wrong)(k, v, positions, budget, sinks)", WRONG
    ),
    "asks the judge's command": body(
        swallowing("import subprocess; subprocess.run(['python', JUDGE, 'reveal', 'evict_sinks'])"), *NOT_PASS
    ),
}
