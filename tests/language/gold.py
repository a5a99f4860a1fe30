"""Traces whose languages are known: solutions of the bundled templates, mixed by step, with phrases of other scripts planted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from covary.digest import Draw
from covary.items.draw import draw
from covary.items.languages import BUNDLED

SEED = 7
COUNT = 240
PLANTED: dict[str, tuple[str, str]] = {
    "Han": ("zh", "我们 需要 先 计算 这个 方程 的 结果 然后 检查 答案 是否 正确 因此 最后 得到 所求 的 数值 即可"),
    "kana": (
        "ja",
        "したがって これは ただしい こたえ です まず しきを たてて つぎに とき さいごに たしかめる ことに します ので よろしく おねがい いたします とても かんたん でした",
    ),
    "Hangul": (
        "ko",
        "따라서 이것은 올바른 답이다 먼저 방정식을 세우고 그다음 풀어서 마지막으로 확인한다 그러므로 구하는 값은 다음과 같다 문제를 다시 읽고 조건을 살펴보자 끝",
    ),
    "Thai": (
        "th",
        "ดังนั้น นี่คือ คำตอบ ที่ถูกต้อง ก่อนอื่น เราตั้ง สมการ แล้วจึง แก้หา ค่าของ ตัวแปร สุดท้าย ตรวจสอบ ผลลัพธ์ อีกครั้ง ให้แน่ใจ ว่าถูก จริง ๆ ครับ",
    ),
    "Arabic": (
        "ar",
        "إذن هذا هو الجواب الصحيح أولا نكتب المعادلة ثم نحلها وأخيرا نتحقق من النتيجة مرة أخرى لكي نتأكد من القيمة المطلوبة تماما",
    ),
    "Greek": (
        "el",
        "επομένως αυτή είναι σωστή απάντηση πρώτα γράφουμε την εξίσωση και μετά λύνουμε τέλος ελέγχουμε αποτέλεσμα ξανά για να βεβαιωθούμε όλοι μαζί τώρα",
    ),
    "Cyrillic": (
        "ru",
        "поэтому это правильный ответ сначала запишем уравнение затем решим его наконец проверим полученный результат ещё раз чтобы убедиться что всё верно сделано здесь",
    ),
}
"""Kind of planted prose → its language and twenty words or more."""
LENGTHS = (1, 2, 3, 5, 10, 20)


class Trace(NamedTuple):
    """A trace, the languages in it, and how it was made: "single", "two", "three", or a kind of PLANTED with its words."""

    text: str
    languages: frozenset[str]
    kind: str
    planted: int = 0


@cache
def solutions() -> dict[str, list[list[str]]]:
    """Language → solutions, each a list of steps; the same problems in the same order in every language."""
    items = draw(SEED, 2, BUNDLED)
    found: dict[str, list[list[str]]] = {language: [] for language in BUNDLED}
    for language, meta in items.select("language", "meta").iter_rows():
        found[language].append(msgspec.json.decode(meta)["steps"])
    return found


def traces() -> Iterator[Trace]:
    """The gold traces, in order: a fifth of one language, two fifths mixed by step, two fifths with planted prose."""
    for index in range(COUNT):
        rng = Draw(SEED, "trace", index)
        if index % 5 == 0:
            yield single(rng)
        elif index % 5 in (1, 2):
            yield mixed(rng, 3 if index % 10 == 1 else 2)
        else:
            yield planted(rng)


def single(rng: Draw) -> Trace:
    """Two solutions in one language."""
    language = rng.choice(BUNDLED)
    return Trace("\n".join(_steps(rng, language, 2)), frozenset({language}), "single")


def mixed(rng: Draw, count: int) -> Trace:
    """A solution in each of some languages, one after the other."""
    languages = rng.sample(BUNDLED, count)
    steps = [step for language in languages for step in _steps(rng, language, 1)]
    return Trace("\n".join(steps), frozenset(languages), "two" if count == 2 else "three")


def planted(rng: Draw) -> Trace:
    """Two solutions in one language, with 1 to 20 words of another script in the middle of one step."""
    kind = rng.choice(tuple(PLANTED))
    language, prose = PLANTED[kind]
    host = rng.choice([code for code in BUNDLED if not (kind == "Cyrillic" and code == "kk")])
    length = rng.choice(LENGTHS)
    steps = _steps(rng, host, 2)
    place = rng.integer(0, len(steps) - 1)
    steps[place] += " " + " ".join(prose.split()[:length])
    return Trace("\n".join(steps), frozenset({host, language}), kind, length)


def _steps(rng: Draw, language: str, solutions_wanted: int) -> list[str]:
    known = solutions()[language]
    return [step for _ in range(solutions_wanted) for step in rng.choice(known)]
