"""Lines of bench programs on stdin, a JSON list of {name, ours, peer, ratio, unit} on stdout."""
import json
import sys


def number(text):
    return None if text == "-" else float(text)


rows = [line.rstrip("\n").split("\t") for line in sys.stdin if line.count("\t") == 4]
json.dump(
    [dict(name=r[0], ours=number(r[1]), peer=number(r[2]), ratio=number(r[3]), unit=r[4]) for r in rows],
    sys.stdout,
    indent=1,
)
