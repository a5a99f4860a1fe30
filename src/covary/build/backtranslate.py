"""Back-translation: accepted pieces into the language they came from, compared with the original by chrF and by numbers.

chrF (Popović 2015, sacrebleu) is in 0 to 100. A low one doesn't prove a fault: such a piece is told, and flagged where asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import polars as pl

from covary.build.replies import reply_of, text_of
from covary.build.translate import PIECES, SAMPLING, prompt
from covary.build.translate_checks import numbers_differ, wordless
from covary.prompts.requests import Call, Model, Plan, answered, plan_calls, text_message
from covary.prompts.templates import find

DOUBTFUL = 40.0


def plan_back(pieces: pl.DataFrame, model: Model, sampling: Mapping[str, Any] = SAMPLING) -> Plan:
    """Requests for every accepted piece with words; the model sees the translation alone."""
    return plan_calls(_calls(pieces, sampling), model)


def read_back(
    pieces: pl.DataFrame, links: pl.DataFrame, responses: pl.DataFrame, least: float = DOUBTFUL
) -> pl.DataFrame:
    """Pieces with chrF. Below `least`, or with other numbers than the original, a piece is flagged; a reply that can't be
    used leaves it accepted without a chrF, and says so in its log."""
    replies = {row["item_id"]: row for row in answered(links, responses).iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    for row in pieces.iter_rows(named=True):
        answer = replies.get(row["piece"])
        if answer is None or answer["status"] is None or row["state"] != "accepted":
            rows.append(row)
            continue
        reply = reply_of(answer["text"], answer["status"], answer["error"])
        text = text_of(reply, "translation")
        if text is None:
            said = f"back: {reply.reason or 'the reply holds no translation'}; not compared"
            rows.append({**row, "log": [*row["log"], said]})
            continue
        value = chrf(text, row["original"])
        wrong = "other numbers" if numbers_differ(row["original"], text) else ""
        wrong = wrong or (f"chrF below {least:g}" if value < least else "")
        said = f"back: chrF {value:.1f}" + (f"; {wrong}" if wrong else "")
        state = "flagged" if wrong else "accepted"
        rows.append({**row, "chrf": round(value, 2), "state": state, "log": [*row["log"], said]})
    return pl.DataFrame(rows, schema=PIECES)


def chrf(text: str, reference: str) -> float:
    """Character n-gram F-score (n to 6, beta 2) of a text against one reference."""
    return float(_metric().sentence_score(text, [reference]).score)


@cache
def _metric() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def _calls(pieces: pl.DataFrame, sampling: Mapping[str, Any]) -> Iterator[Call]:
    template = find("back-translate")
    for row in pieces.filter(pl.col("state") == "accepted").iter_rows(named=True):
        if wordless(row["original"]):
            continue
        turned = {**row, "original": row["text"], "source": row["language"], "language": row["source"]}
        yield Call(row["piece"], "back-translate", [text_message("user", prompt(turned, template))], sampling)
