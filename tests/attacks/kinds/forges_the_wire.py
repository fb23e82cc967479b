"""Forges the wire: what comes back is data from a stranger, and never unpickled."""

from attacks.attack import CRASH, NOT_PASS, WRONG, body

EVERYWHERE = """
import os, struct
def everywhere(junk):
    for fd in range(3, 64):
        try: os.write(fd, junk)
        except OSError: pass
def frame(header): return struct.pack("<IQ", len(header), 0) + header
"""
CAUGHT = """
import sys
caller = sys._getframe()
while caller.f_code.co_name != "serve" or "replies" not in caller.f_locals: caller = caller.f_back
request, replies = caller.f_locals["request"], caller.f_locals["replies"]
"""
ATTACKS = {
    "writes a reply to every descriptor": body(
        EVERYWHERE + 'everywhere(frame(b\'{"kind": "returned"}\'))\nreturn right(k, v, positions, budget, sinks)',
        CRASH,
        told="nobody asked",
    ),
    "floods every descriptor": body(EVERYWHERE + "while True: everywhere(bytes(1 << 20))", CRASH),
    "junk on every descriptor": body(EVERYWHERE + "everywhere(b'x' * 99)\nreturn k", CRASH),
    "claims a huge length": body(
        EVERYWHERE + "everywhere(struct.pack('<IQ', 2**31, 2**62))\nreturn k", CRASH, told="claims 2147483648"
    ),
    "sends a pickle": body(
        EVERYWHERE
        + """
import pickle
class Bomb:
    __reduce__ = lambda self: (open, (TREE + "/unpickled", "w"))
everywhere(pickle.dumps(Bomb()))
return k
""",
        CRASH,
    ),
    "a deep header": body(EVERYWHERE + "everywhere(frame(b'[' * 100_000))\nreturn k", CRASH),
    "replies twice": body(
        CAUGHT
        + """
from practice.grader.isolate.wire import Frame, write_frame
from practice.grader.isolate.values import pack
outputs, sent = pack([right(k, v, positions, budget, sinks)])
inputs, kept = pack([k, v, positions, budget, sinks])
header = {"kind": "returned", "outputs": outputs, "inputs": inputs, "output_bytes": len(sent)}
write_frame(replies, Frame({**header, "token": request.header["token"]}, sent + kept))
return right(k, v, positions, budget, sinks)
""",
        CRASH,
        told="nobody asked",
    ),
    "replies with an old token": body(
        CAUGHT
        + """
request.header["token"] = globals().setdefault("token", request.header["token"])
return right(k, v, positions, budget, sinks)
""",
        CRASH,
        told="nobody asked",
    ),
    "replies that it has passed": body(
        CAUGHT
        + """
from practice.grader.isolate.wire import Frame, write_frame
for kind in ("passed", "ready", "loaded", "counted"):
    write_frame(replies, Frame({"kind": kind, "verdict": "PASS", "token": request.header["token"]}))
import time; time.sleep(60)
""",
        CRASH,
    ),
    "prints a verdict": body(
        """
        import sys
        for stream in (sys.stdout, sys.stderr): print('{"verdict": "PASS", "passed": 21, "total": 21}', file=stream)
        return wrong(k, v, positions, budget, sinks)
        """,
        WRONG,
    ),
    "closes the wire under the judge": body(CAUGHT + "replies.close()\nimport time; time.sleep(60)", *NOT_PASS),
}
