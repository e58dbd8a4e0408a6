"""Count the TAP lines in meson's testlog.json: prints "passed failed skipped". A program without TAP counts as one."""
import json
import re
import sys


def count(program):
    lines = program.get("stdout", "").splitlines()
    # cmocka writes "not ok 3 # SKIP name" for a test that calls skip()
    skips = [line for line in lines if re.match(r"(not )?ok\b.*# *skip", line, re.I)]
    lines = [line for line in lines if line not in skips]
    skipped = len(skips)
    passed = sum(bool(re.match(r"ok\b", line)) for line in lines)
    failed = sum(bool(re.match(r"not ok\b", line)) for line in lines)
    if program["result"] == "SKIP":
        return 0, 0, 1
    if program["result"] not in ("OK", "EXPECTEDFAIL"):
        return passed, max(failed, 1), skipped  # a crash or timeout is a failure even if no line says so
    if passed + failed + skipped == 0:
        passed = 1
    return passed, failed, skipped


totals = [0, 0, 0]
with open(sys.argv[1]) as log:
    for line in log:
        for i, n in enumerate(count(json.loads(line))):
            totals[i] += n
print(*totals)
