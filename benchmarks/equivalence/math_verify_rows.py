"""Rows {id, gold, answer} on standard input → {id, verdict, s} by math-verify on standard output; the last line: its CPU seconds."""

import json
import logging
import sys
import time

from math_verify import parse, verify

logging.disable(logging.CRITICAL)


def decided(gold: str, answer: str) -> bool:
    """Its verdict, with dollar signs put around both sides, as its LaTeX extraction asks for."""
    return verify(parse(f"${gold.strip('$ ')}$"), parse(f"${answer.strip('$ ')}$")) or verify(
        parse(gold), parse(answer)
    )


start = time.process_time()
for line in sys.stdin:
    row = json.loads(line)
    begun = time.perf_counter()
    try:
        verdict = "equal" if decided(row["gold"], row["answer"]) else "not_equal"
    except Exception:  # whatever it raises on a hostile row is its verdict's absence
        verdict = "undecided"
    print(json.dumps({"id": row["id"], "verdict": verdict, "s": time.perf_counter() - begun}))
print(json.dumps({"seconds": time.process_time() - start}))
