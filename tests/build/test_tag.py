"""Tags by rule and by a model: type, subdomain, missing figures, the same problem in both languages."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.build.scripted import MODEL, REFUSED, ask, json_reply

from covary.build import tag
from covary.errors import DataError
from covary.items.draw import draw
from covary.items.loading import load_items
from covary.run.transport import Answer


def forms(english: str, bangla: str, target: str = "5", kind: str = "text") -> pl.DataFrame:
    rows = [
        {"id": "q", "language": "en", "question": english, "target": target, "answer_type": kind},
        {"id": "q", "language": "bn", "question": bangla, "target": target, "answer_type": kind},
    ]
    return load_items(rows, "rows")


@pytest.mark.parametrize(
    ("question", "target", "expected"),
    [
        ("Find the sum.", "5 cm", "Numerical"),
        ("Find x.", "x = 3", "Numerical"),
        ("Find the area.", r"\frac{1}{2} \text{ square metres}", "Numerical"),
        ("Factorise.", "(x+1)(x-2)", "Symbolic"),
        ("Find the sum in terms of n.", "n^2", "Symbolic"),
        ("Prove that 2 is even.", "2", "Proof"),
        ("Is it so?", "yes", None),
    ],
)
def test_the_type_follows_from_the_wording_and_the_shape_of_the_answer(
    question: str, target: str, expected: str | None
) -> None:
    assert tag.answer_type_of(question, target, "en") == expected


@pytest.mark.parametrize(
    ("question", "kind", "expected"),
    [
        ("What is the probability of a six on a fair die?", "Numerical", "Probability"),
        ("If $P(x) = x^2 - 5x$, find the value of $P(2)$.", "Numerical", "Algebra"),
        (r"If $\text{tan} A = 1$, find $A$.", "Numerical", "Trigonometry"),
        (r"What is $1 + 2 + 3 + \cdots + 99$?", "Numerical", "Series"),
        ("The sum of the digits of a number of two digits is 9. Find it.", "Numerical", "Word Problem"),
        ("Express in scientific form: $0.0002$", "Numerical", "Arithmetic"),
        (r"Simplify: $\frac{7^3}{3 \times 3^2}$", "Numerical", "Arithmetic"),
        ("How high is the conical tent?", "Numerical", "Measurements"),
        ("Which number is it?", "Numerical", None),
        ("Expand $(1+y)^5$ by Pascal's triangle.", "Symbolic", "Algebra"),
        ("Show that the remainder of $P(x)$ by $x-m$ is $P(m)$.", "Proof", "Algebra"),
        ("Prove that the product of two even numbers is divisible by 4.", "Proof", "Number Theory"),
        (r"Show that $A \setminus A = \emptyset$.", "Proof", "Combinatorics"),
    ],
)
def test_the_subdomain_follows_from_the_words_or_stays_open(question: str, kind: str, expected: str | None) -> None:
    assert tag.by_rule(forms(question, "একই", kind=kind))["domain"][0] == expected


def test_bundled_templates_keep_their_labels_and_are_aligned_in_every_language() -> None:
    items = draw(0, 1, ["en", "bn", "fi", "kk"])
    tags = tag.by_rule(items)
    proofs = tags.filter(pl.col("labelled") == "Proof")
    assert proofs["answer_type"].eq("Proof").all()
    assert tags.filter(pl.col("aligned").eq(False)).is_empty()
    assert tag.apply(items, tags)["answer_type"].to_list() == items["answer_type"].to_list()


def test_a_problem_whose_figure_is_missing_is_left_out_in_all_languages() -> None:
    items = forms("In the adjacent figure, find the angle 30.", "কোণ ৩০ নির্ণয় কর।")
    tags = tag.by_rule(items)
    assert tags["needs_figure"].to_list() == [True, True]
    assert tag.apply(items, tags).is_empty()


def test_other_numbers_in_question_and_answer_are_another_problem_and_few_leave_it_open() -> None:
    same = tag.by_rule(forms("Add 12 and 5.", "১২ ও ৫ যোগ কর।", "17"))
    assert same["aligned"].to_list() == [None, True]
    few = tag.by_rule(forms("Find the mean.", "গড় নির্ণয় কর।"))
    assert few["aligned"].to_list() == [None, None]
    one = tag.by_rule(forms("Add 12 and 5.", "১২ ও ৬ যোগ কর।", "17"))
    assert one["aligned"].to_list() == [None, None]


def test_a_model_is_asked_only_for_what_is_open_and_its_word_is_taken(tmp_path: Path) -> None:
    items = forms("Is it so?", "তাই কি?", "yes")
    tags = tag.by_rule(items)
    plan = tag.plan_tags(items, tags, MODEL)
    assert plan.requests.height == 2
    reply = json_reply(answer_type="Proof", domain="Algebra", needs_figure=False)
    done = tag.read_tags(tags, plan.links, ask(tmp_path, plan, lambda _: reply))
    assert done["answer_type"].to_list() == ["Proof", "Proof"]
    plan = tag.plan_alignment(items, done, MODEL)
    assert plan.requests.height == 1
    same = tag.read_alignment(done, plan.links, ask(tmp_path, plan, lambda _: json_reply(same=True, difference=None)))
    assert same["aligned"].to_list() == [None, True]
    assert tag.plan_tags(items, done, MODEL).requests.is_empty()


BAD: dict[str, str | Answer] = {
    "another type": json_reply(answer_type="Essay", domain="Algebra", needs_figure=False),
    "another domain": json_reply(answer_type="Proof", domain="Cooking", needs_figure=False),
    "in words": "It is a proof in algebra.",
    "truncated": Answer("truncated", text='{"answer_type": "Proof"', finish_reason="length"),
    "refused": REFUSED,
}


@pytest.mark.parametrize("kind", BAD)
def test_a_reply_that_cannot_be_used_leaves_the_tag_open(kind: str, tmp_path: Path) -> None:
    items = forms("Is it so?", "তাই কি?", "yes")
    tags = tag.by_rule(items)
    plan = tag.plan_tags(items, tags, MODEL)
    assert tag.read_tags(tags, plan.links, ask(tmp_path, plan, lambda _: BAD[kind])).equals(tags)


@pytest.mark.parametrize("reply", [json_reply(same="yes"), json_reply(same=True, difference="the numbers"), "the same"])
def test_a_contradictory_word_on_alignment_is_none(reply: str, tmp_path: Path) -> None:
    items = forms("Find the mean.", "গড় নির্ণয় কর।")
    tags = tag.by_rule(items)
    plan = tag.plan_alignment(items, tags, MODEL)
    assert tag.read_alignment(tags, plan.links, ask(tmp_path, plan, lambda _: reply)).equals(tags)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(DataError, match="at least one item"):
        tag.by_rule(forms("a", "b").clear())


@pytest.mark.data
def test_the_shared_corpus_gets_its_table(data: Path) -> None:
    from covary.exchange.mathmist import read_items

    items = read_items(data / "mathmist", "corpus", ["en", "bn"])
    tags = tag.by_rule(items)
    table = tag.apply(items, tags).unique("source_id")
    assert table["domain"].null_count() <= 0.03 * table.height  # numbers problems without a telling word
    assert tags.filter(pl.col("aligned").eq(True)).height > 1000
