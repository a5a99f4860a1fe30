"""How the recorded traces that were labelled by eye were drawn."""

from __future__ import annotations

from pathlib import Path

from tests.extraction.sample import Generation, generations

from covary.digest import Draw

SEED = 20
SHARES = {"bn": 40, "en": 15, "fr": 12, "fi": 13, "kk": 20}
"""Language of the question → traces drawn: most where models mix most."""
LEAST_LENGTH = 250


def eye_sample(data: Path) -> list[Generation]:
    """100 recorded generations of more than 250 characters, in order of language."""
    long = [g for g in generations(data) if g.row["setting"] != "mcq" and len(g.text) > LEAST_LENGTH]
    return [
        generation
        for language, count in SHARES.items()
        for generation in Draw(SEED, "language", language).sample([g for g in long if g.row["lang"] == language], count)
    ]
