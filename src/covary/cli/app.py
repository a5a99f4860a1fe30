"""Commands of `covary`. Each body imports what it needs, so that help answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from covary.cli import batch, items, models

app = typer.Typer(
    name="covary",
    help="Evaluate language models on parallel variants: the same item with one thing changed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(items.app, name="items")
app.add_typer(models.app, name="models")
app.add_typer(batch.app, name="batch")

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A built-in study, a study folder, or a TOML file.")
]
DataOption = Annotated[
    Path | None, typer.Option("--data", metavar="PATH", help="Folder or file that the study reads its items from.")
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model", metavar="NAME", help="Only this model of the study (again for more); replay:PATH for recorded runs."
    ),
]
ConditionOption = Annotated[
    list[str] | None, typer.Option("--condition", metavar="NAME", help="Only this condition (again for more).")
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Only so many source items.")]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Study folder to work in.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what failed.")]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        from covary import __version__

        print(f"covary {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Built-in study to start from: quickstart, mathmist, capri.")],
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
) -> None:
    """Write a commented study file to start from.

    Example: covary init mathmist my-study
    """
    from covary.cli.folder import write_builtin

    print(f"wrote {write_builtin(name, folder)}; edit it, then: covary plan {folder}")


@app.command()
def plan(
    study: StudyArgument,
    data: DataOption = None,
    model: ModelOption = None,
    condition: ConditionOption = None,
    limit: LimitOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a run would send: requests, sharing, tokens, price, and what it could detect. Nothing is sent.

    Example: covary plan quickstart
    """
    from covary.cli import planning

    planning.plan(study, data, model or [], condition or [], limit, out, as_json)


@app.command()
def run(
    study: StudyArgument,
    data: DataOption = None,
    model: ModelOption = None,
    condition: ConditionOption = None,
    limit: LimitOption = None,
    out: OutOption = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="STAGE", help="One stage only: items, plan, run, score, report.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="STAGE", help="No stage after this one: score makes no report.")
    ] = None,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Send again what ended in an error.")] = False,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Most requests under way at once.")
    ] = None,
    requests: Annotated[int | None, typer.Option("--max-requests", min=1, help="Stop after so many requests.")] = None,
    tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop after so many reported tokens.")
    ] = None,
    money: Annotated[
        float | None, typer.Option("--max-money", min=0, help="Stop after so much money, by the study's prices.")
    ] = None,
    read: Annotated[
        list[Path] | None,
        typer.Option("--read", metavar="JOURNAL", help="Take answers from another study's journal too."),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="CLUSTER", help="Run on Ray: ray (local), ray://auto or ray://HOST:PORT."),
    ] = None,
    serve: Annotated[
        list[str] | None,
        typer.Option(
            "--serve",
            metavar="MODEL=COMMAND",
            help="With --on: the model server that each actor starts, {port} in its place.",
        ),
    ] = None,
    actors: Annotated[int | None, typer.Option("--actors", min=1, help="With --on: most actors at once.")] = None,
    cpus: Annotated[
        float | None, typer.Option("--cpus-per-actor", min=0, help="With --on: processors of each actor (1).")
    ] = None,
    gpus: Annotated[
        float | None, typer.Option("--gpus-per-actor", min=0, help="With --on: GPUs of each actor (0).")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="WHICH", help="Ask the study's judge about: undecided, all, or none."),
    ] = None,
    stop_at_success: Annotated[
        bool,
        typer.Option(
            "--stop-at-success", help="Ask no further replicate of a cell once one is right; Pass@k stays right."
        ),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Plan, run, score and report a study. What was answered before is not sent again.

    Example: covary run quickstart
    Example: covary run mathmist --data mathmist-data --model replay:mathmist-data
    """
    from covary.cli import running
    from covary.cli import sending as sends

    limits = sends.Limits(concurrency, requests, tokens, money)
    cluster = sends.cluster(on, actors, cpus, gpus, serve or ())
    sending = sends.Sending(limits, retry_errors, tuple(read or ()), cluster, quiet)
    chosen = running.Chosen(data, tuple(model or ()), tuple(condition or ()), limit, out)
    running.run(study, chosen, sending, only, until, judge, stop_at_success, as_json)


@app.command()
def score(
    study: StudyArgument,
    data: DataOption = None,
    model: ModelOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score a study's responses again, without sending anything.

    Example: covary score quickstart
    """
    from covary.cli import running

    running.score(study, running.Chosen(data, tuple(model or ()), (), None, out), as_json)


@app.command()
def report(
    study: StudyArgument,
    data: DataOption = None,
    model: ModelOption = None,
    out: OutOption = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="One table or figure.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, csv, latex, html, png, svg, pdf, parquet.")] = "text",
    as_json: JsonOption = False,
) -> None:
    """Print a study's tables and contrasts in words; write the HTML report, or one table in a format.

    Example: covary report quickstart --table accuracy-by-language --format latex
    """
    from covary.cli import reporting

    reporting.report(study, data, tuple(model or ()), out, table, form, as_json)


@app.command("try")
def try_scorer(
    scorer: Annotated[str, typer.Argument(help="mathematics, mcq, extract, capri-answer, depth, …")],
    source: Annotated[Path, typer.Option("--in", metavar="ROWS", help="JSON Lines, one row each.")],
    result: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Results; standard output if not given.")
    ] = None,
) -> None:
    """Run one scorer over rows, without a study. One result a row; a bad row gets its reason.

    Example: covary try mathematics --in rows.jsonl --out verdicts.jsonl
    (rows: id, gold, answer, and language or answer_type if known; results: id, verdict, reason, ms)
    """
    from covary.cli import trying

    trying.try_rows(scorer, source, result)


@app.command()
def explain(
    answer: Annotated[str, typer.Option("--answer", help="What the model answered.")],
    target: Annotated[str, typer.Option("--target", help="The reference answer.")],
    language: Annotated[str, typer.Option("--language", help="Language code or name.")] = "en",
    answer_type: Annotated[str, typer.Option("--type", help="Numerical, Symbolic or Proof.")] = "Numerical",
) -> None:
    """Print the steps by which two answers are found equal, not equal, or undecided.

    Example: covary explain --answer '0,5' --target '1/2' --language fi
    """
    from covary.cli import trying

    trying.explain(answer, target, language, answer_type)


@app.command()
def lint(
    target: Annotated[
        str, typer.Argument(metavar="SET", help="A study, an items file (.jsonl, .parquet), or a MathMist folder.")
    ],
    data: DataOption = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OURS=THEIRS", help="Map a column of the file (again for more)."),
    ] = None,
    fix_report: Annotated[
        Path | None, typer.Option("--fix-report", metavar="FILE", help="Write the findings with proposed repairs.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check an item set before a token is spent. Exit status 1 when there are errors.

    Example: covary lint my-items.jsonl --column question=problem
    """
    from covary.cli import linting

    linting.lint(target, data, column or [], as_json, fix_report)


@app.command()
def audit(
    study: StudyArgument,
    sample: Annotated[float, typer.Option("--sample", help="Share of each stratum to look at.")] = 0.2,
    review: Annotated[Path, typer.Option("--review", metavar="FILE", help="Review file to write.")] = Path(
        "review.jsonl"
    ),
    labels: Annotated[
        Path | None, typer.Option("--labels", metavar="FILE", help="Labelled review file to read back.")
    ] = None,
    scorer: Annotated[list[str] | None, typer.Option("--scorer", help="Only this scorer (again for more).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws another sample.")] = 0,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how wrong the scores are: write a stratified sample of verdicts, read the labels back.

    Example: covary audit mathmist --sample 0.2 --review review.jsonl
    Example: covary audit mathmist --labels review.jsonl
    """
    from covary.cli import auditing

    if labels is not None:
        auditing.read_labels(study, out, labels, as_json)
    else:
        auditing.write_sample(study, out, sample, review, scorer or [], seed)


@app.command()
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Journals to bring together.")],
    into: Annotated[Path, typer.Option("--into", help="Journal that receives them.")],
    as_json: JsonOption = False,
) -> None:
    """Bring the answers of several journals into one. Doing it twice changes nothing.

    Example: covary merge a/journal.sqlite b/journal.sqlite --into all.sqlite
    """
    from covary.cli import merging

    merging.merge(sources, into, as_json)
