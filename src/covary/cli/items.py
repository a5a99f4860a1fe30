"""`covary items`: draw, build, look at, release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Items: draw from the bundled templates, build sets, show, export.")


@app.command()
def draw(
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other numbers.")] = 0,
    per_template: Annotated[int, typer.Option("--per-template", min=1, help="Draws of each template.")] = 1,
    languages: Annotated[
        str, typer.Option("--languages", help="Codes or names, separated by commas.")
    ] = "bn,en,fr,fi,tr,lt,kk",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write (.jsonl or .parquet); a preview is printed if not given."),
    ] = None,
) -> None:
    """Draw parallel mathematics items that no model has seen.

    Example: covary items draw --seed 1 --per-template 5 --languages en,bn --out items.jsonl
    """
    from covary.cli import itemising

    itemising.draw(seed, per_template, languages, out)


@app.command()
def show(
    study: Annotated[str, typer.Argument(help="A study, or an items file (.jsonl, .parquet).")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder or file that the study reads its items from.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source-id", help="One source item in all its variants.")] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="How many source items.")] = 3,
) -> None:
    """Show items, the variants of a source item side by side.

    Example: covary items show quickstart --count 2
    """
    from covary.cli import itemising

    itemising.show(study, data, source, count)


ConceptOption = Annotated[
    list[str] | None, typer.Option("--concept", help="One concept of the CAPRI set (again for more); all if not given.")
]


@app.command()
def build(
    name: Annotated[str, typer.Argument(help="Set to build: capri.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write.")],
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives another set.")] = 0,
    explicit: Annotated[
        str,
        typer.Option(
            "--explicit", help="Where the origin is said: start-of-neutral, end-of-neutral or end-of-implicit."
        ),
    ] = "start-of-neutral",
    control: Annotated[
        list[str] | None, typer.Option("--control", metavar="LEVEL", help="Add a control level (again for more).")
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", help="Records of pictures that replace drawn ones, their files beside it."),
    ] = None,
    scaffolds: Annotated[
        Path | None, typer.Option("--scaffolds", help="Reviewed scaffolds and fillings by a model.")
    ] = None,
    concept: ConceptOption = None,
    reviews: Annotated[
        Path | None, typer.Option("--reviews", help="People's verdicts on cue values; a wrong one is never used.")
    ] = None,
) -> None:
    """Build a whole item set offline, the same bytes on every run.

    Example: covary items build capri --out capri-set
    """
    from covary.cli import itemising

    itemising.build(name, out, seed, explicit, control or [], pictures, scaffolds, concept or [], reviews)


ItemsArgument = Annotated[str, typer.Argument(metavar="ITEMS", help="An items file (.jsonl, .parquet) or a study.")]
StudyOption = Annotated[
    str, typer.Option("--study", help="Study that declares the model, and whose folder keeps its answers.")
]


PicturesOption = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many pictures of each concept.")]


@app.command("draw-pictures")
def draw_pictures(
    model: Annotated[str, typer.Option("--model", help="Model that draws.")],
    study: StudyOption,
    out: Annotated[Path, typer.Option("--out", help="Folder for the pictures and their review queue, review.jsonl.")],
    concept: ConceptOption = None,
    limit: PicturesOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the set.")] = 0,
    replicates: Annotated[int, typer.Option("--replicates", min=1, help="Pictures asked for each specification.")] = 1,
) -> None:
    """Ask a model for the pictures of the CAPRI set; each waits in a review queue until a person has checked it.

    Example: covary items draw-pictures --model qwen3-32b --study my-study --out drawn --concept price
    """
    from covary.cli import capri_making

    capri_making.draw_pictures(study, model, out, concept or [], limit, seed, replicates)


@app.command("check-pictures")
def check_pictures(
    records: Annotated[
        Path, typer.Argument(help="Records of photographs (.jsonl), or a review queue with approved rows.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write the records that may be used.")] = None,
    licence: Annotated[str | None, typer.Option("--licence", help="Licence of a queue's pictures.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Who made a queue's pictures, and where.")] = None,
) -> None:
    """Check pictures that shall replace drawn ones: licence, true value, the check that a person made, the file.

    Example: covary items check-pictures photos/photos.jsonl --out photos/checked.jsonl
    """
    from covary.cli import capri_making

    capri_making.check_pictures(records, licence, source, out)


@app.command("review-cues")
def review_cues(
    country: Annotated[str | None, typer.Option("--country", help="Code of a country whose sheet is written.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Sheet to write (.csv).")] = None,
    read: Annotated[Path | None, typer.Option("--read", help="A filled sheet.")] = None,
    reviews: Annotated[
        Path | None, typer.Option("--reviews", help="File of verdicts: a filled sheet's are added to it.")
    ] = None,
) -> None:
    """Write a country's cue values for a person of it to judge, or read a filled sheet back.

    Example: covary items review-cues --country KR --out KR.csv
    Example: covary items review-cues --read KR.csv --reviews reviews.csv
    """
    from covary.cli import capri_cues
    from covary.errors import UsageError

    if read is not None and reviews is not None:
        capri_cues.read_sheet(read, reviews)
    elif country is not None and out is not None:
        capri_cues.write_sheet(country, out, reviews)
    else:
        raise UsageError("review-cues: give --country and --out to write a sheet, or --read and --reviews to read one")


@app.command("check-set")
def check_set(
    folder: Annotated[Path, typer.Argument(help="Folder with a CAPRI set, built or published.")],
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OURS=THEIRS", help="Map a column of a published set (again for more)."),
    ] = None,
    ocr: Annotated[bool, typer.Option("--ocr", help="Read each picture for letters with Tesseract (minutes).")] = False,
) -> None:
    """Lint a CAPRI set with its pictures: cues, levels, give-aways, pictures. Exit status 1 when there are errors.

    Example: covary items check-set capri-set --ocr
    """
    from covary.cli import capri_checking
    from covary.cli.linting import column_map

    capri_checking.check_folder(folder, column_map(column or []), ocr)


@app.command("write-scaffolds")
def write_scaffolds(
    model: Annotated[str, typer.Option("--model", help="Model that writes.")],
    study: StudyOption,
    out: Annotated[Path, typer.Option("--out", help="Review file to write (.jsonl).")],
    concept: ConceptOption = None,
    limit: PicturesOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the set.")] = 0,
) -> None:
    """Ask a model for scaffolds of the CAPRI set, then to fill them for each culture, both checked by rule.

    Example: covary items write-scaffolds --model qwen3-32b --study my-study --out scaffolds.jsonl --limit 2
    """
    from covary.cli import capri_making

    capri_making.write_scaffolds(study, model, out, concept or [], limit, seed)


@app.command()
def translate(
    items: ItemsArgument,
    to: Annotated[str, typer.Option("--to", help="Language codes, separated by commas.")],
    model: Annotated[str, typer.Option("--model", help="Model that translates and verifies.")],
    study: StudyOption,
    out: Annotated[Path, typer.Option("--out", help="File to write; what was flagged goes beside it.")],
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="Rounds of verification before an item is flagged.")
    ] = 3,
    back: Annotated[bool, typer.Option("--back/--no-back", help="Translate back and compare.")] = True,
) -> None:
    """Translate items: translator, verifier, checks by rule between them, back-translation.

    Example: covary items translate items.jsonl --to fi,kk --model qwen3-8b --study my-study --out translated.jsonl
    """
    from covary.cli import building

    building.translate(items, [code.strip() for code in to.split(",") if code.strip()], model, study, out, rounds, back)


@app.command()
def choices(
    items: ItemsArgument,
    out: Annotated[Path, typer.Option("--out", help="File to write; what was flagged goes beside it.")],
    k: Annotated[int, typer.Option("--k", min=1, help="Distractors of each item.")] = 3,
    weights: Annotated[
        str, typer.Option("--weights", help="Shares of calculation, concept and plausible distractors.")
    ] = "0.4,0.3,0.3",
    tau: Annotated[float, typer.Option("--tau", help="Least distance of a distractor from the answer.")] = 0.01,
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other distractors and orders.")] = 0,
    model: Annotated[str | None, typer.Option("--model", help="Model that suggests; by rule if not given.")] = None,
    study: Annotated[str | None, typer.Option("--study", help="Study that declares the model.")] = None,
) -> None:
    """Make multiple-choice items whose distractors are verified to be wrong.

    Example: covary items choices items.jsonl --out mcq.jsonl --seed 1
    """
    from covary.cli import building

    building.choices(items, out, k, weights, tau, seed, model, study)


@app.command()
def perturb(
    items: ItemsArgument,
    strategy: Annotated[
        str, typer.Option("--strategy", help="strategy-1, -2 or -3; by rule also all, or one kind (rule:sign slip).")
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write; what was flagged goes beside it.")],
    model: Annotated[
        str | None, typer.Option("--model", help="Model that plants and confirms the errors; none: by rule.")
    ] = None,
    study: Annotated[str | None, typer.Option("--study", help="Study that declares the model.")] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Tries before an item is flagged.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other places, by rule.")] = 0,
) -> None:
    """Plant errors in solutions, in all languages at once: by a model that confirms each, or by rule where errors are exact.

    Example: covary items perturb drawn.jsonl --strategy all --out faulty.jsonl
    """
    from covary.cli import building

    building.perturb(items, strategy, model, study, out, rounds, seed)


@app.command("read-pages")
def read_pages(
    paths: Annotated[list[Path], typer.Argument(help="Pages: PNG, JPEG or PDF.")],
    out: Annotated[Path, typer.Option("--out", help="Review queue to write (.jsonl).")],
    route: Annotated[str, typer.Option("--route", help="tesseract (offline, text only) or model.")] = "tesseract",
    language: Annotated[str, typer.Option("--language", help="Language of the pages.")] = "en",
    model: Annotated[str | None, typer.Option("--model", help="Vision model, for route model.")] = None,
    study: Annotated[str | None, typer.Option("--study", help="Study that declares the model.")] = None,
) -> None:
    """Read problems and solutions from page images or PDFs into a review queue.

    Example: covary items read-pages scan.pdf --out queue.jsonl --language bn
    """
    from covary.cli import building
    from covary.errors import UsageError

    if route not in ("tesseract", "model"):
        raise UsageError(f"--route {route!r}: expected tesseract or model")
    building.read_pages(paths, out, "tesseract" if route == "tesseract" else "model", language, model, study)


@app.command("reviewed-pages")
def reviewed_pages(
    queue: Annotated[Path, typer.Argument(help="Corrected review queue.")],
    out: Annotated[Path, typer.Option("--out", help="Items file to write.")],
    source: Annotated[str, typer.Option("--source", help="Where the pages are from.")],
    licence: Annotated[str, typer.Option("--licence", help="Under which licence.")],
) -> None:
    """Make items of a corrected queue of pages, with the corrections counted.

    Example: covary items reviewed-pages queue.jsonl --out items.jsonl --source 'our textbook' --licence CC-BY-4.0
    """
    from covary.cli import building

    building.reviewed_pages(queue, out, source, licence)


@app.command()
def tag(
    items: ItemsArgument,
    out: Annotated[Path, typer.Option("--out", help="File to write.")],
    model: Annotated[str | None, typer.Option("--model", help="Model that is asked what rules leave open.")] = None,
    study: Annotated[str | None, typer.Option("--study", help="Study that declares the model.")] = None,
) -> None:
    """Tag answer type, subdomain and missing figures, and check that the forms of a problem are the same.

    Example: covary items tag items.jsonl --out tagged.jsonl
    """
    from covary.cli import building

    building.tag(items, out, model, study)


@app.command()
def review(
    items: ItemsArgument,
    out: Annotated[
        Path | None, typer.Option("--out", help="Sample to write, or (with --read) corrected items.")
    ] = None,
    share: Annotated[float, typer.Option("--share", help="Share of each language and answer type.")] = 0.2,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws another sample.")] = 0,
    read: Annotated[Path | None, typer.Option("--read", metavar="FILE", help="Checked sample to read back.")] = None,
    most: Annotated[float, typer.Option("--most", help="Largest error rate that may be released.")] = 0.05,
    stage: Annotated[str, typer.Option("--stage", help="Name of the review's stage.")] = "human check",
) -> None:
    """Write a sample for people to check, or read a checked one back: error rate, interval, release decision.

    Example: covary items review items.jsonl --out sample.jsonl
    Example: covary items review items.jsonl --read sample.jsonl
    """
    from covary.cli import building
    from covary.errors import UsageError

    if read is not None:
        building.read_review(items, read, most, stage, out)
    elif out is not None:
        building.review(items, out, share, seed)
    else:
        raise UsageError("review: give --out FILE to write a sample, or --read FILE to read one back")


@app.command()
def publish(
    items: ItemsArgument,
    out: Annotated[Path, typer.Option("--out", help="Folder to write.")],
    name: Annotated[str | None, typer.Option("--name", help="Name of the set.")] = None,
) -> None:
    """Write a folder to publish: Parquet per language, data card, Croissant, lint report, digests.

    Example: covary items publish items.jsonl --out release --name my-set
    """
    from covary.cli import building

    building.publish(items, out, name)
