"""Slips inside the paper's printed values: numbers of one publication that contradict each other, whatever the data say.

Checked: sums of its tables; shares against the whole answers that they must be; one table against another; what the text says of
its tables, each sentence brought to a number, a least or most number, or a word. A statement that names a number which cannot be
worked out from other printed ones is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Literal, NamedTuple

import polars as pl

from covary.report.capri_frame import CULTURES, MEAN, OBJECTIVE, SUBJECTIVE, Shown, Study
from covary.report.capri_published import CELLS_OF_TABLE_2, HALF_A_DIGIT, SOURCE, Cell

SUMMED = ("qualified", "eval", "control")
FACTORS = ("concept", "culture")
LEFT_OUT = {("GB", "distance"), ("GB", "size")}
WELL, LOWER = ("CN", "KR", "JP"), ("BR", "GB", "IL")  # of people's accuracy, as the text has it
Relation = Literal["is", "is above", "is at most"]


class Check(NamedTuple):
    """A printed statement beside what other printed values make of it. `difference` is computed less stated."""

    place: str
    states: str
    stated: float | None
    relation: Relation
    computed: float | None
    of: str
    tolerance: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether the statement can be true, as far as its rounding goes."""
        if self.stated is None or self.computed is None:
            return self.stated == self.computed
        if self.relation == "is above":
            return self.computed > self.stated
        if self.relation == "is at most":
            return self.computed <= self.stated
        return abs(self.computed - self.stated) <= self.tolerance + 1e-9


class Book:
    """Printed values by place: `value("table-5", "control", concept="size")`."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self._values = {(c.table, c.metric, c.line, c.culture, c.concept, c.mode): c.value for c in cells}

    def value(
        self, table: str, metric: str, *, line: str = "", culture: str = "", concept: str = "", mode: str = ""
    ) -> float | None:
        """The one printed value of a place; None where nothing is printed."""
        return self._values.get((table, metric, line, culture, concept, mode))

    def of(self, table: str, metric: str) -> list[Cell]:
        """All cells of a table's metric, in printed order."""
        return [cell for cell in self.cells if (cell.table, cell.metric) == (table, metric)]


def slips(cells: Sequence[Cell], study: Study) -> Shown:
    """The statements that other printed values contradict: place, what it states, what follows instead, difference."""
    made = checks(cells, study)
    wrong = [check for check in made if not check.agrees]
    caption = (
        f"Slips inside {SOURCE}: {len(wrong)} of {len(made)} printed statements that can be checked against others of the "
        "same paper contradict them."
    )
    rows = [
        {
            "place": check.place,
            "states": check.states,
            "stated": check.stated,
            "computed": check.computed,
            "difference": None
            if check.stated is None or check.computed is None
            else round(check.computed - check.stated, 2),
            "from": check.of,
        }
        for check in wrong
    ]
    types = {"stated": pl.Float64(), "computed": pl.Float64(), "difference": pl.Float64()}
    return Shown("capri-slips", caption, pl.DataFrame(rows, schema=_SCHEMA | types))


def checks(cells: Sequence[Cell], study: Study) -> list[Check]:
    """Every statement that can be checked, in the order of the paper's tables, then of its text."""
    book = Book(cells)
    return [
        *_table_1(book),
        *_table_2(book),
        *_summed(book),
        *_whole_answers(book),
        *_depth(book),
        *_of_people(book),
        *_of_ranks(book),
        *_of_models(study),
        *_of_priors(book),
        *_of_corpora(book),
        *_of_concepts(),
        *_wordings(),
    ]


_SCHEMA = {
    "place": pl.String(), "states": pl.String(), "stated": pl.Float64(), "computed": pl.Float64(), "difference": pl.Float64(),
    "from": pl.String(),
}  # fmt: skip


def _table_1(book: Book) -> Iterator[Check]:
    """Columns add up; three scaffolds a picture; a conversation for each scaffold and culture."""
    for metric in ("pictures", "scaffolds", "conversations"):
        found = {cell.concept: cell.value for cell in book.of("table-1", metric)}
        parts = [value for concept, value in found.items() if concept != "total"]
        if "total" in found:
            yield Check("Table 1", f"{metric} in all", found["total"], "is", sum(parts), "the sum of its rows")
    for concept in (*OBJECTIVE, *SUBJECTIVE):
        pictures, scaffolds, talks = (
            book.value("table-1", metric, concept=concept) for metric in ("pictures", "scaffolds", "conversations")
        )
        if pictures is None or scaffolds is None or talks is None:
            continue
        cultures = sum((culture, concept) not in LEFT_OUT for culture in CULTURES)
        yield Check("Table 1", f"scaffolds of {concept}", scaffolds, "is", 3 * pictures, "three a picture")
        yield Check(
            "Table 1",
            f"conversations of {concept}",
            talks,
            "is",
            cultures * scaffolds,
            f"{cultures} cultures a scaffold",
        )


def _table_2(book: Book) -> Iterator[Check]:
    """Cells are whole numbers of 132 answers, and their mean follows from these."""
    for line, metric in dict.fromkeys((cell.line, cell.metric) for cell in book.cells if cell.table == "table-2"):
        moved = 0
        for cell in book.of("table-2", metric):
            if cell.line != line:
                continue
            if cell.culture != MEAN:
                count, implied = _whole(cell.value, CELLS_OF_TABLE_2)
                moved += count
                yield Check(
                    "Table 2", f"{metric} of {line}, {cell.culture}", cell.value, "is", implied,
                    f"{count} of {CELLS_OF_TABLE_2} answers", HALF_A_DIGIT,
                )  # fmt: skip
        mean = book.value("table-2", metric, line=line, culture=MEAN, mode="direct")
        if mean is not None:
            answers = len(CULTURES) * CELLS_OF_TABLE_2
            yield Check(
                "Table 2", f"mean {metric} of {line}", mean, "is", 100 * moved / answers, f"{moved} of {answers} answers",
                HALF_A_DIGIT,
            )  # fmt: skip


def _summed(book: Book) -> Iterator[Check]:
    """Table 6 adds up to Table 5, and Table 5's rows to its totals; instances are those of both groups."""
    for metric in SUMMED:
        rows = book.of("table-6", metric)
        for factor in FACTORS:
            whole = 0.0
            for cell in book.of("table-5", metric):
                level = getattr(cell, factor)
                if not level or level == MEAN:
                    continue
                whole += cell.value
                implied = sum(row.value for row in rows if getattr(row, factor) == level)
                yield Check("Table 5", f"{metric} of {level}", cell.value, "is", implied, "the rows of Table 6")
            total = _totals(book, metric)
            if total is not None:
                yield Check("Table 5", f"{metric} in all, by {factor}", total, "is", whole, "the sum of its rows")
    for cell in book.of("table-6", "qualified"):
        groups = [book.value("table-6", group, culture=cell.culture, concept=cell.concept) for group in SUMMED[1:]]
        yield Check(
            "Table 6", f"qualified of {cell.culture}, {cell.concept}", cell.value, "is",
            sum(value or 0.0 for value in groups), "evaluation and control group",
        )  # fmt: skip


def _whole_answers(book: Book) -> Iterator[Check]:
    """Shares of people's answers are whole numbers of them: each of Table 6, and each of Table 5 from those of Table 6."""
    right: dict[tuple[str, str, str], int] = {}
    for group in SUMMED[1:]:
        for cell in book.of("table-6", f"{group} %"):
            answers = book.value("table-6", group, culture=cell.culture, concept=cell.concept)
            if not answers:
                continue  # a share of nothing
            count, implied = _whole(cell.value, int(answers))
            right[(cell.culture, cell.concept, group)] = count
            yield Check(
                "Table 6", f"{group} % of {cell.culture}, {cell.concept}", cell.value, "is", implied,
                f"{count} of {answers:g} answers", HALF_A_DIGIT,
            )  # fmt: skip
        for cell in book.of("table-5", f"{group} %"):
            chosen = [
                key
                for key in right
                if key[2] == group and cell.culture in (key[0], "", MEAN) and cell.concept in (key[1], "", MEAN)
            ]
            answers = sum(book.value("table-6", group, culture=key[0], concept=key[1]) or 0 for key in chosen)
            if answers:
                count = sum(right[key] for key in chosen)
                yield Check(
                    "Table 5", f"{group} % of {_named(cell)}", cell.value, "is", 100 * count / answers,
                    f"{count} of {answers:g} answers of Table 6", HALF_A_DIGIT,
                )  # fmt: skip


def _depth(book: Book) -> Iterator[Check]:
    """Shares of one distribution don't exceed the whole."""
    shares: dict[tuple[str, str], float] = {}
    for cell in book.cells:
        if cell.table == "figure-11":
            shares[(cell.line, cell.mode)] = shares.get((cell.line, cell.mode), 0.0) + cell.value
    for (line, mode), total in shares.items():
        yield Check(
            "Appendix B.4", f"depth shares of {line}, {mode}, leave something or nothing", -0.5, "is above",
            100 - total, "100 less the printed shares",
        )  # fmt: skip


def _of_people(book: Book) -> Iterator[Check]:
    def least(metric: str) -> float:
        return min(cell.value for cell in book.of("table-5", metric) if cell.concept and cell.concept != MEAN)

    if not book.of("table-5", "eval %"):
        return
    yield Check(
        "Section 2.3",
        "evaluation group, each concept: over 85 %",
        85,
        "is above",
        least("eval %"),
        "the least of Table 5",
    )
    yield Check(
        "Appendix A.3",
        "control group, each concept: over 65 %",
        65,
        "is above",
        least("control %"),
        "the least of Table 5",
    )
    right = sum(
        _whole(c.value, int(_answers(book, c)))[0] for c in book.of("table-6", "control %") if _answers(book, c)
    )
    control = _totals(book, "control") or 0.0
    yield Check(
        "Section 2.3",
        "control group on average: over 75 %",
        75,
        "is above",
        100 * right / control,
        f"{right} of {control:g} answers",
    )
    others = sum(cell.value for cell in book.of("table-6", "qualified") if cell.culture != "US")
    yield Check(
        "Section 2.3", "control conversations among those of other cultures: 20 %", 20, "is", round(100 * control / others, 1),
        f"{control:g} of {others:g} qualified instances of Table 6 (released ones are not printed)", 1.0,
    )  # fmt: skip
    by_culture = {
        cell.culture: cell.value for cell in book.of("table-5", "eval %") if cell.culture and cell.culture != MEAN
    }
    inside = sum(80 <= value <= 90 for value in by_culture.values())
    yield Check(
        "Appendix A.3", "cultures whose accuracy is 80 to 90 %: most", len(by_culture) / 2, "is above", inside,
        f"of {len(by_culture)} cultures in Table 5",
    )  # fmt: skip
    order = sorted(by_culture, key=lambda culture: -by_culture[culture])
    half = len(order) // 2
    for culture in (*WELL, *LOWER):
        says = "among those that do particularly well" if culture in WELL else "among the few that score lower"
        relation: Relation = "is at most" if culture in WELL else "is above"
        yield Check(
            "Appendix A.3", f"{culture} is {says}: rank {'up to' if culture in WELL else 'below'} {half}", half, relation,
            order.index(culture) + 1, f"evaluation accuracy of {len(order)} cultures in Table 5",
        )  # fmt: skip
    groups = book.of("table-6", "items")
    odd = [cell for cell in groups if cell.value != 29]
    yield Check(
        "Appendix A.3", "groups of culture and concept with 29 samples: all", len(groups), "is", len(groups) - len(odd), "Table 6"
    )  # fmt: skip
    speed = [cell.value for cell in groups if cell.concept == "speed"]
    yield Check(
        "Appendix A.3",
        "cultures with 24 speed instances: all",
        len(speed),
        "is",
        sum(value == 24 for value in speed),
        "Table 6",
    )
    pictures = book.value("table-1", "pictures", concept="speed")
    if pictures is not None:
        yield Check(
            "Appendix A.3", "speed instances after a quarter was left out", 24, "is", round(29 * 0.75, 1), "29 samples a group", 0.5
        )  # fmt: skip


def _of_ranks(book: Book) -> Iterator[Check]:
    """Which culture the text calls closest or most alien: how many share that extreme in Table 2 (one, if it is unique)."""
    for line, metric, culture, end in (
        ("qwen3-vl-32b", "D_impl", "US", max),
        ("qwen3-vl-32b", "D_expl", "US", max),
        ("gemma-4-31b", "D_expl", "US", max),
        ("qwen3-vl-32b", "D_impl", "CN", min),
        ("qwen3-vl-32b", "D_expl", "CN", min),
        ("gemma-4-31b", "D_impl", "CN", min),
        ("gemini-3.1-flash-lite", "D_expl", "CN", max),
        ("gemini-3.1-flash-lite", "D_expl", "BR", min),
        ("gemini-3.1-flash-lite", "D_impl", "BR", max),
    ):
        values = {c.culture: c.value for c in book.of("table-2", metric) if c.line == line and c.culture != MEAN}
        if culture not in values:
            continue
        extreme = end(values.values())
        word = "most alien" if end is max else "closest"
        tied = [name for name, value in values.items() if value == extreme] if values[culture] == extreme else []
        yield Check(
            "Section 4.2", f"{culture} is the {word} culture of {line} by {metric}: cultures at that value", 1, "is", len(tied),
            f"Table 2: {', '.join(tied) or f'{values[culture]} is not {extreme}'}",
        )  # fmt: skip


def _of_models(study: Study) -> Iterator[Check]:
    subjects = [model for model in study.models if model.role == "subject"]
    if not subjects:
        return
    lines = {model.checkpoint_of or model.name for model in subjects}
    yield Check(
        "Appendix B.1", "models", 7, "is", len(lines), f"Table 7, siblings counted once ({len(subjects)} checkpoints)"
    )
    yield Check("Section 1", "families", 4, "is", len({model.family for model in subjects}), "Table 7")
    never = {m.checkpoint_of or m.name for m in subjects if m.thinks == "never"} - {
        m.checkpoint_of or m.name for m in subjects if m.thinks != "never"
    }
    yield Check(
        "Appendix B.1", "models without any thinking mode", 1, "is", len(never), "Table 7, siblings counted once"
    )


def _of_priors(book: Book) -> Iterator[Check]:
    """Shares at Null against the number of prompts: a greedy model answers equal prompts alike. The background prompt is the question
    of a concept, the reply's prompt that question and a picture."""
    pictures = {
        cell.concept: int(cell.value)
        for cell in book.of("table-1", "pictures")
        if cell.concept in (*OBJECTIVE, *SUBJECTIVE)
    }
    country = book.value("figure-6a", "US", line="qwen3-vl-32b", mode="direct")
    if country is not None and pictures:
        wholes = (tuple(pictures.values()), tuple(pictures[name] for name in OBJECTIVE if name in pictures))
        shares = {100 * part / sum(whole) for whole in wholes for part in _sums(whole)}
        yield Check(
            "Section 3.5", "qwen3-vl-32b names the US at Null", country, "is", round(min(shares, key=lambda s: abs(s - country)), 1),
            f"the nearest share that one answer to each of {len(pictures)} questions gives, weighted by pictures", 0.5,
        )  # fmt: skip
    dollar, of = (
        book.value("figure-6b", "USD", line="gemini-3.1-flash-lite", concept="price", mode="direct"),
        pictures.get("price"),
    )
    if dollar is not None and of:
        count, nearest = _whole(dollar, of)
        yield Check(
            "Section 3.5", "gemini-3.1-flash-lite answers prices in USD at Null", dollar, "is", round(nearest, 1),
            f"{count} of {of} pictures, one answer each", 0.5,
        )  # fmt: skip


def _sums(parts: Sequence[int]) -> set[int]:
    """The sums of all subsets."""
    found = {0}
    for part in parts:
        found |= {part + before for before in found}
    return found


def _of_corpora(book: Book) -> Iterator[Check]:
    dollars, others = (
        book.value("corpus", f"{name} millions", concept="price") for name in ("USD", "other currencies")
    )
    if dollars and others:
        yield Check(
            "Section 3.5", "hits for USD: double those of all others", 2, "is", round(dollars / others, 2),
            f"{dollars:g} and {others:g} million hits", 0.1,
        )  # fmt: skip


def _of_concepts() -> Iterator[Check]:
    yield Check("Section 4.1", "pairs of cultures", 45, "is", comb(len(CULTURES), 2), "two of ten cultures")
    yield Check("Appendix B.4", "objective concepts that Figure 11 is over", 6, "is", len(OBJECTIVE), "Table 1")


def _wordings() -> Iterator[Check]:
    """The statement of origin stands in three places of the text at three places of the conversation."""
    places = {
        "Section 2.2": "at the start of Neutral (first utterance)",
        "Section 4.2": "appended to Neutral",
        "Appendix B.6": "appended to the conversation with both cues",
    }
    yield Check(
        ", ".join(places), f"ways to make ExplicitFull: {'; '.join(places.values())}", 1, "is", len(set(places.values())),
        "the text",
    )  # fmt: skip


def _whole(share: float, answers: int) -> tuple[int, float]:
    """The whole number of answers nearest to a printed share (%), and the share that it gives."""
    count = round(share * answers / 100)
    return count, 100 * count / answers


def _answers(book: Book, cell: Cell) -> float:
    return book.value("table-6", cell.metric.removesuffix(" %"), culture=cell.culture, concept=cell.concept) or 0.0


def _totals(book: Book, metric: str) -> float | None:
    return next((c.value for c in book.of("table-5", metric) if MEAN in (c.concept, c.culture)), None)


def _named(cell: Cell) -> str:
    return (cell.concept or cell.culture or "all").replace(MEAN, "all")
