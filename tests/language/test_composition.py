"""Labels, obedience, switches and the tables of language composition."""

from __future__ import annotations

import polars as pl
import pytest

from covary import schema
from covary.errors import StudyError
from covary.scoring.case import Case
from covary.scoring.language import LanguageComposition, Presence, compose, composition, readable, try_rows
from covary.scoring.language_scripts import masked, prose_words, script_of
from covary.scoring.language_steps import steps_of, switches

BANGLA = "প্রথমে আমরা দুটি সংখ্যা যোগ করি। তারপর যোগফলকে তিন দিয়ে ভাগ করি। শেষে আমরা উত্তর যাচাই করি।"
ENGLISH = "First we add the two numbers. Then we divide the sum by three. At last we check the result."
FINNISH = "Lasketaan ensin molemmat luvut yhteen. Jaetaan sitten summa kolmella. Tarkistetaan lopuksi tulos."


def scored(text: str | None, **known: object):
    return LanguageComposition()(Case(text=text, **known))  # type: ignore[arg-type]


def test_mathematics_code_and_scaffold_words_say_nothing_of_a_language() -> None:
    text = "```python\nprint('hello world')\n```\n$x = \\text{some value}$\n\\[ a + b \\]\nFinal Answer: <final>x</final>\nsin x, AB, A'"
    assert list(prose_words(masked(text))) == []
    assert len(masked(text)) == len(text)
    assert compose(text).label is None
    assert scored(text).value is None


@pytest.mark.parametrize(
    ("letter", "script"),
    [("a", "Latn"), ("ক", "Beng"), ("қ", "Cyrl"), ("我", "Hani"), ("か", "Kana"), ("한", "Hang"), ("1", None)],
)
def test_every_letter_has_its_script(letter: str, script: str | None) -> None:
    assert script_of(letter) == script


def test_one_language_gives_its_code_and_several_give_mixed() -> None:
    assert compose(BANGLA).label == "bn"
    found = compose(f"{BANGLA}\n{ENGLISH}")
    assert (found.label, set(found.languages)) == ("mixed", {"bn", "en"})


def test_the_answer_of_a_score_is_its_combination() -> None:
    assert scored(f"{BANGLA}\n{ENGLISH}", language="bn").answer == "bn+en"
    assert scored(BANGLA, language="bn").answer == "bn"
    assert scored("$x$").answer is None


def test_switches_stand_where_the_main_language_changes() -> None:
    text = f"{ENGLISH}\n{FINNISH}\n{ENGLISH}"
    found = switches(steps_of(text))
    assert [(before, after) for _, before, after in found] == [("en", "fi"), ("fi", "en")]
    assert found[0][0] == len(ENGLISH) + 1


def test_presence_is_a_declared_policy() -> None:
    text = BANGLA * 3 + " domain"
    assert compose(text).languages == ("bn",)
    assert compose(text, presence=Presence(words=1, share=0.0)).languages == ("bn", "en")
    with pytest.raises(StudyError, match="presence"):
        LanguageComposition(presence={"wrods": 1})


def test_the_asked_language_is_obeyed_where_it_holds_most_of_the_prose() -> None:
    assert scored(BANGLA, language="en", reasoning_language="bn").value == 1.0
    assert scored(ENGLISH, language="bn", reasoning_language="bn").value == 0.0
    assert scored("", reasoning_language="bn").value is None
    assert scored(BANGLA, language="bn").detail["obeyed"] is True


def test_only_the_sections_asked_for_in_the_reasoning_language_count_where_the_form_was_kept() -> None:
    steps = "1. First we add both numbers.\n2. Then we divide the sum by three.\n3. At last we look at the result."
    text = (
        f"1. সমস্যা\n{BANGLA}\n2. বোঝা\n{BANGLA}\n3. Analysis\n{ENGLISH}\n4. Solution\n{steps}\n5. Verification\n{ENGLISH}"
    )
    found = scored(text, language="bn", reasoning_language="en")
    assert found.value == 1.0
    assert found.detail["asked_of"] == "sections from 3 on"
    assert found.detail["label"] == "mixed"


def test_counts_and_shares_are_of_one_named_denominator() -> None:
    details = [["bn"], ["bn"], ["bn", "en"], ["en", "bn"], ["bn", "en", "zh"], []]
    rows = [
        {
            "item_id": str(index),
            "condition": "code-switch-bn",
            "model": "m",
            "replicate": 0,
            "scorer": "language",
            "scorer_version": 1,
            "reason": "",
            "answer": "+".join(sorted(found)) or None,
            "detail": "{}",
        }
        for index, found in enumerate(details)
    ]
    table = composition(schema.SCORES.from_rows(rows), by=("model",))
    counted = {
        (part, name): (n, share) for part, name, n, share in table.select("part", "name", "n", "share").iter_rows()
    }
    # five traces with prose: two Bangla, three mixed, of which two bn+en and one bn+en+zh
    assert counted == {
        ("language", "bn"): (2, pytest.approx(0.4)),
        ("language", "mixed"): (3, pytest.approx(0.6)),
        ("combination", "bn+en"): (2, pytest.approx(0.4)),
        ("combination", "bn+en+zh"): (1, pytest.approx(0.2)),
    }
    assert set(table["denominator"]) == {"traces with prose"} and set(table["n_denominator"]) == {5}
    whole = composition(schema.SCORES.from_rows(rows), by=())
    assert whole.drop("share").equals(table.drop("model", "share"))
    assert composition(schema.SCORES.from_rows(rows).filter(pl.col("scorer") == "none")).is_empty()


def test_labels_are_readable() -> None:
    assert readable("bn+Cyrl+en") == "Bangla + Cyrillic + English"
    assert (readable("mixed"), readable("zh")) == ("Mixed", "Chinese")


def test_every_row_gets_one_result() -> None:
    rows = [{"id": 1, "text": ENGLISH}, {"id": 2, "text": "$x$"}, {"id": 3, "error": "bad"}]
    assert [(row["id"], row["label"]) for row in try_rows(rows)] == [(1, "en"), (2, None), (3, None)]


def test_an_unknown_language_is_a_reason_of_its_row() -> None:
    rows = [
        {"id": 1, "text": ENGLISH, "languages": ["German", "zz"]},
        {"id": 2, "text": ENGLISH, "languages": ["German"]},
    ]
    results = list(try_rows(rows))
    assert results[0]["label"] is None and "'zz'" in results[0]["reason"]
    assert results[1]["label"] == "en"


def test_a_further_language_is_told_when_declared_or_sure() -> None:
    german = "Wir rechnen zuerst die Summe der beiden Zahlen aus. Danach teilen wir die Summe durch drei."
    assert compose(german, ("en", "de")).label == "de"
    assert compose(german).label == "de"
    burmese = "ပထမဦးစွာ ကိန်းနှစ်ခုကို ပေါင်းပါ"
    assert compose(burmese, ("my", "en")).label == "my"
    assert compose(burmese).label == "Mymr"
