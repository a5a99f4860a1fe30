"""How the labelled generations were drawn: 150 by kind of fault, and 50 that hold no answer; both by seed and rule.

Source: MathMist's recorded outputs (Apache-2.0); the label files hold ids and answers, no generation.

COVARY_DATA=… python -m tests.extraction.sample        lists them
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from covary.digest import Draw

SEED = 20
SETTINGS = ("zero-shot", "cot", "cross-lingual-150", "mcq")
KINDS = {
    "empty": 5,
    "U+FFFD": 8,
    "several finals": 15,
    "placeholder": 4,
    "multiple choice": 22,
    "other language": 17,
    "unbalanced braces": 15,
    "long extraction": 20,
    "no tag": 25,
    "tagged": 19,
}
"""Kind of generation → how many of it; a generation is of the first kind that fits."""
NO_ANSWER = 50


class Generation(NamedTuple):
    """One recorded generation: file below recorded/ without its ending, item id, text, and the row it came from."""

    file: str
    id: str
    text: str
    row: dict[str, Any]


def generations(data: Path) -> Iterator[Generation]:
    """Every recorded generation with a text, file by file."""
    root = data / "mathmist" / "recorded"
    for setting in SETTINGS:
        for path in sorted((root / setting).glob("*.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    yield Generation(f"{setting}/{path.name.split('.')[0]}", row["id"], row["generated"], row)


def kind_of(generation: Generation) -> str:
    """The first kind of KINDS that a generation is of."""
    text, row = generation.text, generation.row
    published = " ".join(row.get("extracted") or [])
    if not text.strip():
        return "empty"
    if "\ufffd" in text:
        return "U+FFFD"
    if text.count("<final>") > 1:
        return "several finals"
    if re.search(r"<final>\s*(?:\.\.\.|…|answer|your answer)?\s*</final>", text):
        return "placeholder"
    if row["setting"] == "mcq":
        return "multiple choice"
    if row["lang"] not in ("en", "bn"):
        return "other language"
    if published.count("{") != published.count("}"):
        return "unbalanced braces"
    if len(published) > 200:
        return "long extraction"
    return "tagged" if "<final>" in text else "no tag"


def labelled_sample(data: Path) -> list[Generation]:
    """150 generations, KINDS of them, in order of kind."""
    by_kind: dict[str, list[Generation]] = {kind: [] for kind in KINDS}
    for generation in generations(data):
        by_kind[kind_of(generation)].append(generation)
    return [
        generation
        for kind, count in KINDS.items()
        for generation in Draw(SEED, "extraction", kind).sample(by_kind[kind], count)
    ]


def is_broken(generation: Generation) -> bool:
    """Whether a generation is empty, loops or was cut off, by what its text shows and without an extractor.

    Loops: its last 60 characters stand there at least four times. Cut off: no mark of an answer, and at least 2,500
    characters that stop inside a word, formula or list.
    """
    text = generation.text.strip()
    if not text:
        return True
    if re.search(r"final|boxed|answer|উত্তর|réponse|vastaus|жауап", text, re.I):
        return False
    if len(text) > 400 and text.count(text[-60:]) >= 4:
        return True
    return len(text) > 2500 and not re.search(r"[.।!?)\]}$*0-9]\s*$", text)


def broken_sample(data: Path) -> list[Generation]:
    """50 generations that hold no answer."""
    return Draw(SEED, "broken").sample([g for g in generations(data) if is_broken(g)], NO_ANSWER)


if __name__ == "__main__":
    folder = Path(os.environ["COVARY_DATA"])
    for drawn in labelled_sample(folder):
        print(kind_of(drawn), drawn.file, drawn.id, len(drawn.text), sep="\t")
    for drawn in broken_sample(folder):
        print("no answer", drawn.file, drawn.id, len(drawn.text), sep="\t")
