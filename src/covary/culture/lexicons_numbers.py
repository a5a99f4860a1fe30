"""Numbers beside a unit, in digits or words of the ten cultures' languages: is there one, and what is it."""

from __future__ import annotations

import re

from covary.culture.lexicons import form_key, package_data, word_pattern

_DATA = package_data("lexicon_numbers")
VALUES: dict[str, float] = {
    form_key(word): float(value) for value, words in _DATA["values"].items() for word in words.split("|")
}
MULTIPLIERS: dict[str, float] = {
    form_key(word): float(value) for value, words in _DATA["multipliers"].items() for word in words.split("|")
}
VAGUE: list[str] = [word for words in _DATA["vague"].values() for word in words.split("|")]

_WORDS = word_pattern([*VALUES, *MULTIPLIERS, *VAGUE])
_DIGITS = r"\d[\d.,'’  ]*(?:\s?/\s?\d+)?"
_MULTIPLIER = word_pattern(MULTIPLIERS)
BESIDE = 28  # characters looked at on either side of a unit
BEFORE = re.compile(rf"(?:\d|[½¼¾]|{_WORDS}|[一二三四五六七八九十百千万億亿兆两半数几多]|[십백천만억])[\s.,+~%°-]*$")
AFTER = re.compile(
    r"\s*[:=(~-]?\s*(?:that's |that is |it's |it is |this is |would be |is )?(?:of |about |around |approximately |approx\.? |about |约|約|약 ?)?[-+]?\d"
)
READ_BEFORE = re.compile(
    rf"(?P<sign>(?<!\d)(?<!\d )(?<!°)-(?! )|minus |零下|영하 |منفی |מינוס |माइनस )?(?P<digits>{_DIGITS})\s*(?P<multiplier>(?:{_MULTIPLIER}\s*)*)[\s+~-]*$"
)
READ_AFTER = re.compile(
    rf"\s*[:=(~]?\s*(?P<sign>-|영하 |零下)?(?P<digits>{_DIGITS})\s*(?P<multiplier>(?:{_MULTIPLIER}\s*)*)"
)
READ_WORDS = re.compile(rf"((?:{_WORDS}[\s-]*)+)[\s~-]*$")


def follows_number(low: str, position: int) -> bool:
    """Whether a number in digits or words (also 'half a', 'several') ends right before the position."""
    before = low[max(0, position - BESIDE) : position].rstrip()
    return bool(before) and ("0" <= before[-1] <= "9" or BEFORE.search(before) is not None)


def precedes_number(low: str, position: int) -> bool:
    """Whether a number in digits begins right after the position, a colon, bracket or 'about' between them allowed."""
    return AFTER.match(low, position) is not None


def number_before(low: str, position: int) -> float | None:
    """The number that ends right before the position; None where there is none or it can't be read.

    >>> number_before("about 1,500 ", 12), number_before("twenty ", 7), number_before("2.5 million ", 12)
    (1500.0, 20.0, 2500000.0)
    """
    before = low[max(0, position - BESIDE) : position]
    if match := READ_BEFORE.search(before):
        return _value(match)
    if match := READ_WORDS.search(before):
        return _words(match[1])
    return None


def number_after(low: str, position: int) -> float | None:
    """The number in digits that begins right after the position; None where there is none."""
    match = READ_AFTER.match(low, position)
    return _value(match) if match else None


def decimal(digits: str) -> float | None:
    """A number written with digits under any of the cultures' conventions: 1,234.5  1.234,5  1,50,000  3/4.

    A single separator before exactly three digits groups thousands; else it is the decimal sign.

    >>> [decimal(text) for text in ("1,234.5", "1.234,5", "19,99", "300.000", "1,50,000", "1/2", "2.5")]
    [1234.5, 1234.5, 19.99, 300000.0, 150000.0, 0.5, 2.5]
    """
    text = re.sub(r"['’\s ]+", " ", digits).strip(" .,")
    if "/" in text:
        above, _, below = text.partition("/")
        numerator, denominator = decimal(above), decimal(below)
        return numerator / denominator if numerator is not None and denominator else None
    text = text.replace(" ", "") if re.fullmatch(r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?", text) else text.rpartition(" ")[2]
    last = max(text.rfind("."), text.rfind(","))
    if last >= 0:
        sign, tail = text[last], text[last + 1 :]
        other = "," if sign == "." else "."
        grouped = text.count(sign) > 1 or (other not in text and len(tail) == 3 and not text.startswith("0"))
        text = text.replace(".", "").replace(",", "") if grouped else text.replace(other, "").replace(sign, ".")
    try:
        return float(text)
    except ValueError:
        return None


def _value(match: re.Match[str]) -> float | None:
    number = decimal(match["digits"])
    if number is None:
        return None
    for word in re.findall(_MULTIPLIER, match["multiplier"] or ""):
        number *= MULTIPLIERS[word.replace("-", " ")]
    return -number if match["sign"] else number


def _words(text: str) -> float | None:
    """Additive reading of number words (twenty five, two hundred thousand); None for vague ones."""
    total, current, known = 0.0, 0.0, False
    for word in re.findall(_WORDS, text):
        key = word.replace("-", " ")
        if key in MULTIPLIERS:
            scale = MULTIPLIERS[key]
            if scale == 100:
                current = max(current, 1) * scale
            else:
                total, current = total + max(current, 1) * scale, 0.0
            known = True
        elif key in VALUES:
            current += VALUES[key]
            known = True
    return total + current if known else None
