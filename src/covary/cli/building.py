"""Bodies of `covary items` that make sets: translate, choices, perturb, read-pages, tag, review, publish.

A pass that asks a model keeps its answers in the study folder's journal: run again, it goes on where it stopped, and what was
answered is not sent again. A study declares the model; --model names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from covary.cli.builder_model import Asker, note
from covary.cli.linting import read_target
from covary.errors import CovaryError, DataError, UsageError, nearest
from covary.exchange.items_file import write_items_file
from covary.exchange.rows import read_rows

Route = Literal["tesseract", "model"]


def translate(
    items: str,
    to: list[str],
    model: str,
    study: str,
    out: Path,
    rounds: int = 3,
    back: bool = True,
    least: float = 40.0,
) -> None:
    """Translate items and write those whose every text was accepted.

    typer: items argument; --to CODES (comma-separated, or repeated); --model NAME; --study STUDY; --out FILE;
    --rounds N (min 1) = 3; --back/--no-back; --least CHRF = 40.
    """
    from covary.build import backtranslate
    from covary.build import translate as passes

    table = read_target(items, None, [])
    wanted = [code for word in to for code in word.replace(",", " ").split()]
    asker = Asker(study, model)
    for line in passes.notices(wanted):
        note(line)
    pieces = passes.start(table, wanted)
    sampling = asker.sampling(passes.SAMPLING)
    for _ in range(2 * rounds):
        before = pieces
        plan = passes.plan_translation(pieces, asker.model, sampling)
        pieces = passes.read_translation(pieces, plan.links, asker.ask(plan), asker.model, rounds)
        plan = passes.plan_verification(pieces, asker.model, sampling)
        pieces = passes.read_verification(pieces, plan.links, asker.ask(plan), asker.model, rounds)
        if pieces.equals(before):
            break
    if back:
        plan = backtranslate.plan_back(pieces, asker.model, sampling)
        pieces = backtranslate.read_back(pieces, plan.links, asker.ask(plan), least)
    done = passes.assemble(table, pieces, {"model": asker.model.identity, "rounds": rounds, "back": back})
    asker.finish(_written(done.items, done.flagged, out), passes.is_open(pieces))


def choices(
    items: str,
    out: Path,
    k: int = 3,
    weights: str = "0.4,0.3,0.3",
    tau: float = 0.01,
    seed: int = 0,
    model: str | None = None,
    study: str | None = None,
) -> None:
    """Make multiple-choice items, by rule or from a model's suggestions; the checker decides in both.

    typer: items argument; --out FILE; --k N = 3; --weights CALC,CONCEPT,PLAUSIBLE; --tau FLOAT = 0.01; --seed N = 0;
    --model NAME with --study STUDY: suggestions by a model.
    """
    from covary.build.choices import Weights, build_choices

    weighed = Weights.parse(weights)
    table = read_target(items, None, [])
    if model is None:
        built = build_choices(table, k=k, weights=weighed, tau=tau, seed=seed)
        _tell(_written(built.items, built.flagged, out))
        return
    if study is None:
        raise UsageError("--model needs --study STUDY, which declares the model")
    from covary.build.choices_model import SAMPLING, plan_choices, read_choices

    asker = Asker(study, model)
    plan = plan_choices(table, asker.model, k, asker.sampling(SAMPLING))
    given = read_choices(table, plan.links, asker.ask(plan))
    built = build_choices(table, k=k, weights=weighed, tau=tau, seed=seed, given=given)
    asker.finish(_written(built.items, built.flagged, out), asker.unanswered > 0)


def perturb(
    items: str, strategy: str, model: str | None, study: str | None, out: Path, rounds: int = 3, seed: int = 0
) -> None:
    """Plant errors, in all languages of a problem at once; write faulty solutions and their controls.

    With a model it writes and confirms them; without one they are made by rule, for problems drawn from templates. strategy: one
    of the three, or (by rule) all, or one kind such as rule:sign slip.
    """
    table = read_target(items, None, [])
    if model is None:
        from covary.build.perturb_rules import KINDS, perturb_by_rule

        made = perturb_by_rule(table, seed, tuple(KINDS) if strategy == "all" else (strategy,))
        if made.is_empty():
            raise DataError(f"{items}: no problem has room for {strategy!r}")
        write_items_file(made, out)
        _tell(f"{made.height} solutions of {made['source_id'].n_unique()} problems in {out}, a third of them faulty")
        return
    if study is None:
        raise UsageError("--model needs --study STUDY, which declares the model")
    from covary.build import perturb as passes

    faults = passes.start(table, strategy)
    asker = Asker(study, model)
    for _ in range(2 * rounds):
        before = faults
        plan = passes.plan_perturbation(table, faults, asker.model, asker.sampling(passes.SAMPLING))
        faults = passes.read_perturbation(table, faults, plan.links, asker.ask(plan), asker.model, rounds)
        plan = passes.plan_confirmation(table, faults, asker.model, asker.sampling(passes.CONFIRMING))
        faults = passes.read_confirmation(table, faults, plan.links, asker.ask(plan), asker.model, rounds)
        if faults.equals(before):
            break
    controls = _paraphrases(table, faults, asker, rounds)
    done = passes.assemble(table, faults, controls, {"model": asker.model.identity, "rounds": rounds})
    asker.finish(_written(done.items, done.flagged, out), passes.is_open(faults) or passes.is_open(controls))


def _paraphrases(table: pl.DataFrame, faults: pl.DataFrame, asker: Asker, rounds: int) -> pl.DataFrame:
    """The clean solutions in other words, written and confirmed."""
    from covary.build import paraphrase as passes
    from covary.build.perturb import CONFIRMING, SAMPLING

    controls = passes.start(faults)
    for _ in range(2 * rounds):
        before = controls
        plan = passes.plan_paraphrase(table, controls, asker.model, asker.sampling(SAMPLING))
        controls = passes.read_paraphrase(table, controls, plan.links, asker.ask(plan), asker.model, rounds)
        plan = passes.plan_comparison(table, controls, asker.model, asker.sampling(CONFIRMING))
        controls = passes.read_comparison(controls, plan.links, asker.ask(plan), asker.model, rounds)
        if controls.equals(before):
            break
    return controls


def read_pages(
    paths: Sequence[Path],
    out: Path,
    route: Route = "tesseract",
    language: str = "en",
    model: str | None = None,
    study: str | None = None,
) -> None:
    """Read pages (PNG, JPEG, PDF) into a review queue, a JSON object a line.

    typer: paths argument (one or more files); --out FILE.jsonl; --route tesseract|model; --language CODE = en;
    --model NAME and --study STUDY for the model route.
    """
    from covary.run.page_files import pages_of

    if route not in ("tesseract", "model"):
        raise UsageError(f"--route {route!r}{nearest(route, ('tesseract', 'model'))}")
    pictures: list[Any] = []
    left_out: dict[str, str] = {}
    for path in paths:
        try:
            pictures += list(pages_of(path))
        except DataError as error:
            left_out[str(path)] = str(error)
    if route == "tesseract":
        rows = _by_tesseract(pictures, language, left_out)
        _queue_written(rows, left_out, out)
        return
    if model is None or study is None:
        raise UsageError("--route model needs --model NAME and --study STUDY, which declares the model")
    from covary.build.pages import SAMPLING, Page, plan_pages
    from covary.build.pages import read_pages as read
    from covary.store.pictures import PictureFolder

    asker = Asker(study, model)
    store = PictureFolder(asker.folder.pictures)
    pages = [Page(one.name, store.add(one.data), one.mime) for one in pictures]
    plan = plan_pages(pages, asker.model, language, asker.sampling(SAMPLING))
    found = read(pages, plan.links, asker.ask(plan), language)
    _queue_written(found.rows, {**left_out, **found.left_out}, out)
    asker.finish("", asker.unanswered > 0)


def reviewed_pages(queue: Path, out: Path, source: str, licence: str) -> None:
    """Items from a corrected queue of pages, with corrections counted.

    typer: queue argument; --out FILE; --source TEXT; --licence TEXT.
    """
    from covary.build.pages import reviewed

    done = reviewed(_rows(queue), source, licence)
    write_items_file(done.items, out)
    _tell(
        f"{done.seen} problems reviewed, {done.corrected} corrected, {done.dropped} dropped; {done.items.height} items in {out}"
    )


def tag(items: str, out: Path, model: str | None = None, study: str | None = None) -> None:
    """Tag answer type, subdomain and missing figures, and check that the forms of a problem are the same; by rule, then by a model.

    typer: items argument; --out FILE; --model NAME with --study STUDY: what rules leave open is asked.
    """
    from covary.build import tag as passes

    table = read_target(items, None, [])
    tags = passes.by_rule(table)
    unanswered = False
    asker = None
    if model is not None:
        if study is None:
            raise UsageError("--model needs --study STUDY, which declares the model")
        asker = Asker(study, model)
        plan = passes.plan_tags(table, tags, asker.model, asker.sampling(passes.SAMPLING))
        tags = passes.read_tags(tags, plan.links, asker.ask(plan))
        plan = passes.plan_alignment(table, tags, asker.model, asker.sampling(passes.SAMPLING))
        tags = passes.read_alignment(tags, plan.links, asker.ask(plan))
        unanswered = asker.unanswered > 0
    tagged = passes.apply(table, tags)
    write_items_file(tagged, out)
    for line in passes.told(tagged, tags):
        print(line)
    if asker is not None:
        asker.finish("", unanswered)


def review(items: str, out: Path, share: float = 0.2, seed: int = 0) -> None:
    """Write a seeded sample for people to check, a JSON object a line.

    typer: items argument; --out FILE.jsonl; --share FLOAT = 0.2; --seed N = 0.
    """
    from covary.build.review import sample

    rows = sample(read_target(items, None, []), share, seed)
    _write_rows(rows, out)
    _tell(f'{len(rows)} items to check in {out}; set "verdict" to "ok" or "error", then read it with --read')


def read_review(
    items: str, checked: Path, most: float = 0.05, stage: str = "human check", out: Path | None = None
) -> None:
    """Print the error rate of a checked sample with its interval and the decision; exit status 1 unless it may be released.

    typer: items argument; --read FILE.jsonl; --most FLOAT = 0.05; --stage NAME; --out FILE: also write the items with corrections in.
    """
    from covary.build.review import corrected, read, stage_lines

    table = read_target(items, None, [])
    rows = list(_rows(checked))
    found = read(table, rows, most)
    for stratum in found.strata:
        print(f"{stratum.language} {stratum.answer_type}: {stratum.errors} of {stratum.checked}")
    print(found.line)
    if out is not None:
        done = corrected(table, rows, stage)
        write_items_file(done.items, out)
        print(
            f"stage {stage!r}: {done.seen} seen, {done.corrected} corrected in {done.fields} fields; written to {out}"
        )
        for line in stage_lines(done.items):
            print(line)
    if found.decision != "release":
        raise SystemExit(1)


def publish(items: str, out: Path, name: str | None = None) -> None:
    """Write a folder to publish: Parquet per language, card, Croissant, lint report, digests.

    typer: items argument; --out FOLDER; --name TEXT.
    """
    from covary.exchange.publish import write_release
    from covary.lint.runner import run

    table = read_target(items, None, [])
    if table.is_empty():
        raise DataError(f"{items}: expected at least one item, found none")
    done = write_release(table, run(table), out, name, datetime.now(UTC).date().isoformat())
    _tell(f"{table.height} items in {out}; lint: {done.errors} errors, {done.warnings} warnings (lint.json)")


def _by_tesseract(pictures: Sequence[Any], language: str, left_out: dict[str, str]) -> list[dict[str, Any]]:
    from covary.build.pages import text_row
    from covary.items.languages import language as language_of
    from covary.run.tesseract import pack_of, page_text

    code = language_of(language).code
    pack_of(code)
    rows: list[dict[str, Any]] = []
    for one in pictures:
        try:
            row = text_row(one.name, page_text(one.data, code), code)
        except DataError as error:
            left_out[one.name] = str(error)
            continue
        if row is None:
            left_out[one.name] = "nothing on the page"
        else:
            rows.append(row)
    return rows


def _queue_written(rows: list[dict[str, Any]], left_out: Mapping[str, str], out: Path) -> None:
    for name, why in left_out.items():
        note(f"{name}: {why}")
    if not rows:
        raise DataError(f"no page could be read; {len(left_out)} were left out")
    _write_rows(rows, out)
    _tell(f"{len(rows)} rows to review in {out}, {len(left_out)} pages left out")


def _written(items: pl.DataFrame, flagged: pl.DataFrame, out: Path) -> str:
    """Write items and, beside them, what was flagged; the line that says how many."""
    flags = out.with_name(out.stem + ".flagged.jsonl")
    write_items_file(items, out)
    if flagged.is_empty():
        flags.unlink(missing_ok=True)
        return f"{items.height} items of {items['source_id'].n_unique()} problems in {out}, none flagged"
    _write_rows(flagged.to_dicts(), flags)
    return f"{items.height} items of {items['source_id'].n_unique()} problems in {out}; {flagged.height} flagged in {flags}"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_rows(path)]


def _write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(encode(dict(row)) + b"\n" for row in rows))
    except OSError as error:
        raise CovaryError(f"{path}: can't be written: {error.strerror}") from None


def _tell(line: str) -> None:
    print(line)
