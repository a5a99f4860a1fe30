"""A model whose habits are known: what it answers to a CAPRI item, by task, mode and cue level, with its expected rates.

Every picture has a temper of its own (the same for all conversations about it), so that answers about one picture hang
together, as real ones do. All draws come from a seed and the names of what is asked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

COUNTRY = {
    "BR": "Brazil", "CN": "China", "FR": "France", "GB": "United Kingdom", "IL": "Israel", "IN": "India", "IR": "Iran",
    "JP": "Japan", "KR": "South Korea", "US": "United States",
}  # fmt: skip
CURRENCY = {
    "BR": "BRL", "CN": "CNY", "FR": "EUR", "GB": "GBP", "IL": "ILS", "IN": "INR", "IR": "IRR", "JP": "JPY", "KR": "KRW",
    "US": "USD",
}  # fmt: skip
UNIT = {
    "temperature": ("°C", "°F"),
    "distance": ("m", "ft"),
    "speed": ("km/h", "mph"),
    "size": ("m²", "sq ft"),
}
OPTIONS = {
    "time_expression": ("morning", "noon", "afternoon", "evening", "night"),
    "quantifiers": ("few", "some", "half", "most", "almost all"),
}
LEVELS = ("Null", "Neutral", "ImplicitCue1", "ImplicitCue2", "ImplicitFull", "ExplicitFull")
CUED = LEVELS[2:]
KNOWS = {"ImplicitCue1": 0.70, "ImplicitCue2": 0.85, "ImplicitFull": 0.90, "ExplicitFull": 0.97}
ADAPTS = {
    "direct": {"ImplicitCue1": 0.20, "ImplicitCue2": 0.35, "ImplicitFull": 0.45, "ExplicitFull": 0.70},
    "cot": {"ImplicitCue1": 0.40, "ImplicitCue2": 0.55, "ImplicitFull": 0.65, "ExplicitFull": 0.85},
    "pragmatic": {"ImplicitCue1": 0.65, "ImplicitCue2": 0.80, "ImplicitFull": 0.85, "ExplicitFull": 0.95},
}
MOVES = {  # the chance that a time or quantity word is drawn anew, not kept as at Neutral
    "direct": {"ImplicitCue1": 0.05, "ImplicitCue2": 0.10, "ImplicitFull": 0.15, "ExplicitFull": 0.25},
    "cot": {"ImplicitCue1": 0.10, "ImplicitCue2": 0.15, "ImplicitFull": 0.20, "ExplicitFull": 0.30},
    "pragmatic": {"ImplicitCue1": 0.20, "ImplicitCue2": 0.25, "ImplicitFull": 0.30, "ExplicitFull": 0.40},
}
METRIC_PRIOR, DOLLAR_PRIOR = 0.90, 0.95
COUNTRY_PRIOR = {"unknown": 0.60, "US": 0.30, "JP": 0.10}
DEPTHS = {"cot": (0.20, 0.50, 0.20, 0.10), "pragmatic": (0.05, 0.15, 0.45, 0.35)}
TEMPER = 0.6  # how far a picture's own chance lies from the mean: p ± TEMPER · min(p, 1 − p)


@dataclass(frozen=True)
class Asked:
    """What an item asks, as far as the model's habits depend on it. `prompt` names the prompt that is shared."""

    task: str
    mode: str
    level: str
    culture: str
    concept: str
    picture: str
    source: str
    replicate: int = 0


@dataclass(frozen=True)
class Reply:
    """The answer, the reasoning (None when answering directly), and what they stand for."""

    text: str
    reasoning: str | None
    said: str
    depth: str | None = None


def share(*path: object) -> float:
    """A number in [0, 1) that depends on nothing but the path."""
    data = "/".join(map(str, path)).encode()
    return int.from_bytes(hashlib.blake2b(data, digest_size=7).digest(), "big") / 2**56


def tempered(p: float, seed: object, picture: str) -> float:
    """The picture's own chance: above or below p by the same amount, each with chance one half, so p is the mean."""
    swing = TEMPER * min(p, 1 - p)
    return p + swing if share(seed, "temper", picture) < 0.5 else p - swing


def reply(seed: object, asked: Asked) -> Reply:
    """The model's answer. The same prompt gets the same answer: Null and Neutral don't depend on the culture."""
    shared = asked.level in ("Null", "Neutral")
    # At Null a background prompt is the question alone, a reply the question and the picture.
    place = (
        (asked.concept if asked.task == "bg" else asked.picture)
        if asked.level == "Null"
        else (asked.source if shared else (asked.source, asked.culture))
    )
    path = (seed, asked.task, asked.mode, asked.level, place, asked.replicate)
    reasoning, depth = _reasoning(asked, path) if asked.mode != "direct" else (None, None)
    if asked.task == "bg":
        said = _country(seed, asked, path)
        return Reply(_closed(COUNTRY.get(said, "unknown"), asked.mode), reasoning, said, depth)
    if asked.concept in OPTIONS:
        said = _option(seed, asked, path)
        return Reply(_closed(said, asked.mode), reasoning, said, depth)
    said = _unit(seed, asked, path)
    unit = said if asked.concept == "price" else UNIT[asked.concept][("metric", "imperial").index(said)]
    return Reply(_closed(f"{1 + int(50 * share(*path, 'value'))} {unit}", asked.mode), reasoning, said, depth)


def gold(culture: str, concept: str) -> str:
    """The unit system or currency of a culture, by hand: the US is imperial, the UK in speed."""
    if concept == "price":
        return CURRENCY[culture]
    return "imperial" if culture == "US" or (culture == "GB" and concept == "speed") else "metric"


def expected_reply(mode: str, level: str, culture: str, concept: str) -> float:
    """The chance that a reply is right: adapted, or by habit in what happens to be the culture's unit."""
    adapts = 0.0 if level in ("Null", "Neutral") else ADAPTS[mode][level]
    return adapts + (1 - adapts) * _habit(gold(culture, concept), concept)


def expected_background(level: str, culture: str) -> float:
    """The chance that the country is named."""
    return COUNTRY_PRIOR.get(culture, 0.0) if level in ("Null", "Neutral") else KNOWS[level]


def expected_shift(mode: str, level: str) -> float:
    """D_impl, D_expl: drawn anew (uniform over five options), so four times in five another."""
    return MOVES[mode][level] * 4 / 5


def expected_inter(mode: str, level: str) -> float:
    """D_inter: two cultures differ unless both kept the answer, or a new one hits: 1 − (1 − m)² − (1 − (1 − m)²)/5, for a
    chance m that varies by picture between m ± swing."""
    mean = MOVES[mode][level]
    swing = TEMPER * min(mean, 1 - mean)
    kept = sum((1 - m) ** 2 for m in (mean - swing, mean + swing)) / 2
    return (1 - kept) * 4 / 5


def _habit(unit: str, concept: str) -> float:
    if concept == "price":
        return DOLLAR_PRIOR if unit == "USD" else (1 - DOLLAR_PRIOR if unit == "EUR" else 0.0)
    return METRIC_PRIOR if unit == "metric" else 1 - METRIC_PRIOR


def _country(seed: object, asked: Asked, path: tuple[object, ...]) -> str:
    if asked.level in CUED:
        knows = share(*path, "knows") < tempered(KNOWS[asked.level], (seed, "bg", asked.mode), asked.picture)
        return asked.culture if knows else "unknown"
    drawn, total = share(*path, "country"), 0.0
    for country, chance in COUNTRY_PRIOR.items():
        total += chance
        if drawn < total:
            return country
    return "unknown"


def _unit(seed: object, asked: Asked, path: tuple[object, ...]) -> str:
    if asked.level in CUED:
        chance = tempered(ADAPTS[asked.mode][asked.level], (seed, "vqa", asked.mode), asked.picture)
        if share(*path, "adapts") < chance:
            return gold(asked.culture, asked.concept)
    drawn = share(*path, "habit")
    if asked.concept == "price":
        return "USD" if drawn < DOLLAR_PRIOR else "EUR"
    return "metric" if drawn < METRIC_PRIOR else "imperial"


def _option(seed: object, asked: Asked, path: tuple[object, ...]) -> str:
    options = OPTIONS[asked.concept]
    usual = options[int(5 * share(seed, asked.mode, asked.source, "usual"))]
    if asked.level in CUED:
        chance = tempered(MOVES[asked.mode][asked.level], (seed, "option", asked.mode), asked.picture)
        if share(*path, "moves") < chance:
            return options[int(5 * share(*path, "new"))]
    return usual


TRACES = {
    "L0": "The picture shows a scale. The reading seems clear enough.",
    "L1": "The user mentioned “{cue}”. The picture shows a scale. The reading seems clear enough.",
    "L2": "The user seems to be from {country}. The picture shows a scale. The reading seems clear enough.",
    "L3": "The user is from {country}, so the answer should be in {unit}.",
}


def _reasoning(asked: Asked, path: tuple[object, ...]) -> tuple[str, str]:
    drawn, total = share(*path, "depth"), 0.0
    depth = "L3"
    for name, chance in zip(TRACES, DEPTHS[asked.mode], strict=True):
        total += chance
        if drawn < total:
            depth = name
            break
    unit = {"temperature": "Celsius", "distance": "meters", "speed": "km/h", "size": "square meters"}.get(
        asked.concept, "euros"
    )
    words = TRACES[depth].format(country=COUNTRY[asked.culture], unit=unit, cue="Felipe Neto")
    return words, depth


def _closed(answer: str, mode: str) -> str:
    return answer if mode == "direct" else f"Answer: {answer}"
