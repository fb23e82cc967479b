"""A judge that stays: one command line a line of JSON on stdin, its exit status and output as JSON on stdout.

``driver.py <folder of the judge>``.  What each command does is what `judge.py` does; only starting is shared.
"""

import contextlib
import io
import json
import sys

sys.path.insert(0, sys.argv[1])
from practice.judge import main

for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main(json.loads(line))
    print(json.dumps([status, out.getvalue(), err.getvalue()]), flush=True)
