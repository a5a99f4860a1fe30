"""Pages that the tests print themselves: lines of text in the bundled fonts, clean or noisy."""

from __future__ import annotations

import textwrap
from html import escape
from importlib import resources
from pathlib import Path

import polars as pl
import resvg_py

from covary.digest import Draw
from covary.items.draw import draw

FONTS = Path(str(resources.files("covary.report") / "data/fonts"))
FAMILY = {"bn": "Noto Sans Bengali", "en": "Noto Sans"}
WIDTH, MARGIN, SIZE, STEP = 1654, 120, 32, 58


def texts(language: str, count: int, per_page: int = 5) -> list[str]:
    """Texts for pages: questions without formulas."""
    items = draw(1, 12, [language]).filter(~pl.col("question").str.contains(r"[$\\]"))
    questions = Draw(1, "pages", language).shuffled(items["question"].to_list())
    plain = [question.replace("\xa0", " ").replace("²", "").replace("³", "") for question in questions]
    return ["\n".join(plain[at * per_page : (at + 1) * per_page]) for at in range(count)]


def page(text: str, language: str, noise: int = 0, seed: int = 0) -> tuple[bytes, str]:
    """(PNG, the text as it was broken into lines). noise: number of specks."""
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, 68)]
    height = 2 * MARGIN + STEP * len(lines)
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + STEP * at}" font-family="{FAMILY[language]}" font-size="{SIZE}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    ]
    rng = Draw(seed, "noise")
    specks = [
        f'<circle cx="{rng.integer(0, WIDTH)}" cy="{rng.integer(0, height)}" r="{rng.integer(1, 3)}" fill="#555"/>'
        for _ in range(noise)
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join([*rows, *specks])
        + "</svg>"
    )
    data = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_dirs=[str(FONTS)])
    return bytes(data), "\n".join(lines)
