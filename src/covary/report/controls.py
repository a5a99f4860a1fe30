"""Control characters in texts of models and users, shown as pictures: a terminal would obey them, and a figure can't hold them."""

from __future__ import annotations

KEPT = "\n\t"
REPLACEMENT = 0xFFFD
_SHOWN = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in KEPT},
    **dict.fromkeys((*range(0x80, 0xA0), 0xFFFE, 0xFFFF), REPLACEMENT),
    0x7F: 0x2421,
}


def visible(text: str) -> str:
    """The text with its control characters as signs that only look like them; line ends and tabs stay."""
    return text.translate(_SHOWN)
