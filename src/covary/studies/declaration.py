"""A study as declared: items, models, conditions, scorers, contrasts, tables, published values; read from TOML.

A wrong key, type or value raises StudyError with file, line, what was expected and the nearest right word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import msgspec.inspect as shape

from covary.errors import StudyError, nearest
from covary.prompts.conditions import Condition
from covary.prompts.requests import Model
from covary.prompts.templates import bundled
from covary.report.declared import Published, Table

FORMAT = 1
"""Version of the study file. A file of another version is refused with what to do."""

Source = Literal["templates", "warm-up", "perturbed-templates", "culture-text", "capri", "mathmist", "file"]


@dataclass(frozen=True)
class Items:
    """Where items come from. `templates`: the bundled problems; `warm-up`: one-step problems; `file`: JSONL or Parquet with `columns` mapped
    (our name → theirs); `mathmist`: its files in the folder given as --data; `capri`: the built or a published set."""

    source: Source
    path: str | None = None
    part: str | None = None  # of a source with several: corpus, mcq, perturbed
    seed: int = 0
    per_template: int = 1
    templates: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    cultures: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    cue_levels: tuple[str, ...] = ()
    explicit: Literal["start-of-neutral", "end-of-neutral", "end-of-implicit"] = "start-of-neutral"  # of ExplicitFull
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    limit: int | None = None  # at most so many source items, in order


@dataclass(frozen=True)
class ScorerUse:
    """A scorer with its policy (numbers and words that its documentation names)."""

    name: str
    policy: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Across:
    """A second factor and two of its levels: an interaction asks how far a difference differs between them."""

    factor: str
    levels: tuple[str, str]


@dataclass(frozen=True)
class ContrastUse:
    """A declared paired comparison: two levels of one factor, everything in `fixed` held, estimated within each of `by`; with
    `across` the difference of two such differences."""

    name: str
    factor: str
    levels: tuple[str, str]
    scorer: str
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    by: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    across: Across | None = None
    denominator: Literal["all", "judged"] = "all"
    family: str = "study"


@dataclass(frozen=True)
class JudgeUse:
    """How models with role "judge" are asked about the answers of scorer `of`; see scoring.judge.Policy."""

    of: str = "mathematics"
    source: Literal["model", "recorded"] = (
        "model"  # "recorded": decisions that imported responses brought; nothing is sent
    )
    which: Literal["undecided", "all"] = "undecided"
    with_question: bool = False
    swapped: bool = False
    replicates: int = 1
    prompt: str = "judge-equivalence"
    proof_prompt: str = "judge-equivalence"
    sampling: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 512})


@dataclass(frozen=True)
class Budget:
    """Where a run stops: requests sent, tokens reported, money (in the currency of the models' prices)."""

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True)
class Attempts:
    """Whether a cell's replicates stop once one is right by `scorer` (empty: the first that the condition names)."""

    stop: Literal["never", "first success"] = "never"
    scorer: str = ""


@dataclass(frozen=True)
class Study:
    """All of a study's declarations."""

    name: str
    format: int = FORMAT
    title: str = ""
    description: str = ""
    notice: str = ""  # shown above every table: what these numbers are not
    seed: int = 0
    items: tuple[Items, ...] = ()
    models: tuple[Model, ...] = ()
    conditions: tuple[Condition, ...] = ()
    scorers: tuple[ScorerUse, ...] = ()
    contrasts: tuple[ContrastUse, ...] = ()
    tables: tuple[Table, ...] = ()
    published: tuple[Published, ...] = ()
    judges: tuple[JudgeUse, ...] = ()
    budget: Budget = Budget()
    attempts: Attempts = Attempts()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def parse(text: str, where: str, own_prompts: Iterable[str] = ()) -> Study:
    """A study from its TOML text; `where` is the file named in errors, `own_prompts` the study folder's templates."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{where}: not valid TOML: {error}") from None
    found = data.get("format", FORMAT)
    if found != FORMAT:
        raise StudyError(f"{where}: study format {found!r}; this version of covary reads format {FORMAT}")
    _refuse_unknown_words(data, shape.type_info(Study), (), text, where)
    try:
        study = msgspec.convert(data, Study)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        raise StudyError(
            f"{where}:{_line(text, _steps(path.rstrip('`')))}: {path.strip('.`') or 'study'}: {message}"
        ) from None
    _check_names(study, text, where, own_prompts)
    return study


def _refuse_unknown_words(value: Any, kind: shape.Type, path: tuple[str | int, ...], text: str, where: str) -> None:
    if isinstance(kind, shape.DataclassType) and isinstance(value, dict):
        fields = {entry.name: entry.type for entry in kind.fields}
        for key, inner in value.items():
            if key not in fields:
                place = ".".join(str(step) for step in path if isinstance(step, str)) or "the study"
                raise StudyError(
                    f"{where}:{_line(text, (*path, key))}: unknown key {key!r} in {place}{nearest(key, fields)}"
                )
            _refuse_unknown_words(inner, fields[key], (*path, key), text, where)
    elif isinstance(kind, shape.UnionType):
        for option in kind.types:
            if isinstance(option, shape.DataclassType):
                _refuse_unknown_words(value, option, path, text, where)
    elif isinstance(kind, shape.VarTupleType) and isinstance(value, list):
        for number, inner in enumerate(value):
            _refuse_unknown_words(inner, kind.item_type, (*path, number), text, where)
    elif isinstance(kind, shape.LiteralType) and isinstance(value, str) and value not in kind.values:
        raise StudyError(
            f"{where}:{_line(text, path)}: {path[-1]} can't be {value!r}{nearest(value, [str(known) for known in kind.values])}"
        )


def _check_names(study: Study, text: str, where: str, own_prompts: Iterable[str]) -> None:
    models = [model.name for model in study.models]
    conditions = [condition.name for condition in study.conditions]
    scorers = [scorer.name for scorer in study.scorers]
    prompts = {*bundled(), *own_prompts}
    for kind, names in (("models", models), ("conditions", conditions), ("scorers", scorers)):
        for number, name in enumerate(names):
            if name in names[:number]:
                raise StudyError(
                    f"{where}:{_line(text, (kind, number, 'name'))}: {kind}: the name {name!r} is used twice"
                )

    def need(name: str, known: Iterable[str], path: tuple[str | int, ...], kind: str) -> None:
        if name not in known:
            raise StudyError(f"{where}:{_line(text, path)}: unknown {kind} {name!r}{nearest(name, known)}")

    for number, condition in enumerate(study.conditions):
        need(condition.prompt, prompts, ("conditions", number, "prompt"), "prompt")
        for name in condition.models if models else ():
            need(name, models, ("conditions", number, "models"), "model")
        for name in condition.scorers:
            need(name, scorers, ("conditions", number, "scorers"), "scorer")
        if condition.replicates < 1:
            raise StudyError(
                f"{where}:{_line(text, ('conditions', number, 'replicates'))}: replicates must be 1 or more"
            )
    for number, contrast in enumerate(study.contrasts):
        need(contrast.scorer, scorers, ("contrasts", number, "scorer"), "scorer")
    if study.attempts.scorer:
        need(study.attempts.scorer, scorers, ("attempts", "scorer"), "scorer")
    judged = ["judge", *(f"{use.of}+judge" for use in study.judges)]
    for number, table in enumerate(study.tables):
        need(table.scorer, [*scorers, *judged], ("tables", number, "scorer"), "scorer")


def _steps(path: str) -> tuple[str | int, ...]:
    """`.models[0].name` as ("models", 0, "name")."""
    return tuple(
        int(number) if number else name
        for name, number in re.findall(r"\.?([^.\[\]]+)|\[(\d+)\]", path)
        if name or number
    )


def _line(text: str, path: tuple[str | int, ...]) -> int:
    """The 1-based line where a key stands in a TOML text; its table's header or line 1 when the key can't be found."""
    names = [step for step in path if isinstance(step, str)]
    wanted_number = next((step for step in path if isinstance(step, int)), 0)
    if not names:
        return 1
    counts: dict[str, int] = {}
    header: list[str] = []
    best = 1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if match := re.match(r"\[\[([\w.\-\"]+)\]\]", stripped):
            header = [part.strip('"') for part in match[1].split(".")]
            counts[match[1]] = counts.get(match[1], -1) + 1
        elif match := re.match(r"\[([\w.\-\"]+)\]", stripped):
            header = [part.strip('"') for part in match[1].split(".")]
        inside = not header or (
            header == names[: len(header)] and counts.get(header[0], wanted_number) == wanted_number
        )
        if not inside:
            continue
        if header == names:
            return number
        if header and stripped.startswith("[") and len(header) < len(names):
            best = number
        match = re.match(r'("?)([\w\-]+)\1\s*(\.[\w\-.]+)?\s*=', stripped)
        if match and [*header, match[2]] == names[: len(header) + 1]:
            return number
    return best
