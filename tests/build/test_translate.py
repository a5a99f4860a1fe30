"""Translation against models that behave like real ones: nothing bad gets through, everything good does, and it is counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import polars as pl
import pytest
from tests.build.scripted import MODEL, REFUSED, TRUNCATED, Says, ask, json_reply

from covary import schema
from covary.build import backtranslate, translate
from covary.build.glossary import bundled, conventions_text, terms_text
from covary.build.replies import reply_of, text_of
from covary.build.translate_checks import problems, with_marks, without_emphasis
from covary.errors import DataError, UsageError
from covary.items.draw import draw
from covary.items.loading import load_items
from covary.run.transport import Answer

QUESTION = "Find the sum of the numbers 12 and 3.5. Write the result as a decimal number."
GOOD = "Laske lukujen 12 ja 3,5 summa. Kirjoita tulos desimaalilukuna."
ROUNDS = 3


def one_item() -> pl.DataFrame:
    row = {"id": "q", "question": QUESTION, "target": "15.5", "answer_type": "Numerical"}
    return load_items([row], "rows", defaults={"language": "en"})


def translated(folder: Path, first: Says, verifier: Says, rounds: int = ROUNDS) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(items made, pieces) after all passes."""
    items = one_item()
    pieces = translate.start(items, ["fi"])
    for _ in range(2 * rounds + 1):
        if not translate.is_open(pieces):
            break
        plan = translate.plan_translation(pieces, MODEL)
        pieces = translate.read_translation(pieces, plan.links, ask(folder, plan, first), MODEL, rounds)
        plan = translate.plan_verification(pieces, MODEL)
        pieces = translate.read_verification(pieces, plan.links, ask(folder, plan, verifier), MODEL, rounds)
    assert not translate.is_open(pieces)
    return translate.assemble(items, pieces, {"model": "m", "rounds": rounds}).items, pieces


def approves(_: str) -> str:
    return json_reply(verdict="approved", text=None, reasons=[])


def good(_: str) -> str:
    return json_reply(translation=GOOD)


BAD: dict[str, str | Answer] = {
    "chatty inside": json_reply(translation=f"Tässä on suomennos:\n{GOOD}"),
    "chatty without an object": f"Here is the Finnish translation:\n\n{GOOD}",
    "cut off": TRUNCATED,
    "cut off, yet called whole": '{"translation": "Laske lukujen 12 ja',
    "cut text": json_reply(translation="Laske lukujen 12 ja 3,5 summa ja"),
    "damaged JSON": '{"translation": "Laske" lukujen 12 ja 3,5}',
    "wrong language": json_reply(
        translation="Calculez la somme des nombres 12 et 3,5. Écrivez le résultat sous forme décimale."
    ),
    "untranslated": json_reply(translation=QUESTION),
    "a number changed": json_reply(translation=GOOD.replace("12", "21")),
    "a number lost": json_reply(translation=GOOD.replace("12 ja ", "")),
    "refuses": REFUSED,
    "refuses in words": "I'm sorry, I can't help with that.",
    "loops": json_reply(translation=GOOD + " Kirjoita tulos uudelleen." * 12),
    "twice": json_reply(translation=f"{GOOD}\n{QUESTION}"),
    "empty": json_reply(translation="  "),
    "no text": json_reply(translation=["Laske"]),
    "two objects": json_reply(translation=GOOD) + json_reply(translation=GOOD),
    "damaged characters": json_reply(translation=GOOD + "\x0crac{1}{2}"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_translation_never_reaches_a_verifier_and_is_flagged_after_all_rounds(kind: str, tmp_path: Path) -> None:
    asked: list[str] = []

    def verifier(prompt: str) -> str:
        asked.append(prompt)
        return approves(prompt)

    items, pieces = translated(tmp_path, lambda _: BAD[kind], verifier)
    assert items.is_empty()
    assert asked == []
    row = pieces.filter(pl.col("field") == "question").row(0, named=True)
    assert (row["state"], row["round"]) == ("flagged", ROUNDS)
    assert len(row["log"]) == ROUNDS


def test_a_good_translation_becomes_an_item_with_the_languages_decimal_mark_in_its_target(tmp_path: Path) -> None:
    items, pieces = translated(tmp_path, good, approves)
    row = items.row(0, named=True)
    assert (row["language"], row["question"], row["target"]) == ("fi", GOOD, "15,5")
    made = msgspec.json.decode(row["provenance"])["translation"]
    assert (made["model"], made["rounds"]) == ("m", ROUNDS)
    assert made["checks"]["question"]["log"] == ["translate m #0: clean", "verify m #0: approved"]
    assert Counter(pieces["state"]) == {"accepted": 2}


def test_words_around_the_object_and_latex_with_single_backslashes_do_no_harm(tmp_path: Path) -> None:
    items, _ = translated(
        tmp_path, lambda _: f"Sure, here you go:\n```json\n{json_reply(translation=GOOD)}\n```", approves
    )
    assert items["question"].to_list() == [GOOD]
    reply = reply_of(r'{"translation": "Laske $\frac{1}{2} \times \sqrt{2}$.\nSiis \neq 0."}', "ok")
    assert text_of(reply, "translation") == "Laske $\\frac{1}{2} \\times \\sqrt{2}$.\nSiis \\neq 0."
    assert reply.mended


@pytest.mark.parametrize(
    "text", ["APPROVED", '"APPROVED"', "APPROVED.", json_reply(verdict="Approved", text="", reasons=[])]
)
def test_a_bare_approval_is_one(text: str, tmp_path: Path) -> None:
    items, _ = translated(tmp_path, good, lambda _: text)
    assert items.height == 1


NO_VERDICT: dict[str, str | Answer] = {
    "APPROVED with a text behind it": f"APPROVED\n\n{GOOD}",
    "approved with another text": json_reply(verdict="approved", text=GOOD.replace("Laske", "Etsi"), reasons=[]),
    "corrected without a text": json_reply(verdict="corrected", text=None, reasons=[]),
    "corrected into chatter": json_reply(verdict="corrected", text=f"Korjattu käännös: {GOOD}", reasons=[]),
    "corrected with other numbers": json_reply(verdict="corrected", text=GOOD.replace("12", "13"), reasons=[]),
    "corrected back into English": json_reply(verdict="corrected", text=QUESTION, reasons=[]),
    "another word": json_reply(verdict="fine", text=None, reasons=[]),
    "truncated": Answer("truncated", text='{"verdict": "approved"', finish_reason="length"),
    "refused": REFUSED,
    "damaged": '{"verdict": "approved", "text": nul}',
    "chatter": "The translation looks good to me, approved!",
}


@pytest.mark.parametrize("kind", NO_VERDICT)
def test_what_is_no_verdict_accepts_nothing(kind: str, tmp_path: Path) -> None:
    items, pieces = translated(tmp_path, good, lambda _: NO_VERDICT[kind])
    assert items.is_empty()
    row = pieces.filter(pl.col("field") == "question").row(0, named=True)
    assert (row["state"], row["text"]) == ("flagged", GOOD)


def test_a_correction_is_verified_again_before_it_is_accepted(tmp_path: Path) -> None:
    better = GOOD.replace("Laske", "Määritä")

    def verifier(prompt: str) -> str:
        if better in prompt:
            return approves(prompt)
        return json_reply(
            verdict="corrected",
            text=better,
            reasons=[{"criterion": "Terminology", "severity": "important", "what": "verb"}],
        )

    items, pieces = translated(tmp_path, good, verifier)
    assert items["question"].to_list() == [better]
    log = pieces.filter(pl.col("field") == "question")["log"][0].to_list()
    assert log == ["translate m #0: clean", "verify m #0: corrected (important: verb)", "verify m #1: approved"]


def test_a_verifier_in_circles_is_stopped(tmp_path: Path) -> None:
    other = GOOD.replace("Laske", "Määritä")

    def verifier(prompt: str) -> str:
        return json_reply(verdict="corrected", text=GOOD if other in prompt else other, reasons=[])

    items, pieces = translated(tmp_path, good, verifier, rounds=9)
    assert items.is_empty()
    assert pieces.filter(pl.col("state") == "flagged")["log"][0][-1].endswith("the verifier goes in circles")


def test_a_second_try_that_is_good_is_taken(tmp_path: Path) -> None:
    said: list[str] = []

    def first(prompt: str) -> str:
        said.append(prompt)
        return "no idea" if len(said) == 1 else good(prompt)

    items, pieces = translated(tmp_path, first, approves)
    assert items.height == 1
    assert (
        pieces.filter(pl.col("field") == "question")["round"][0] == 2
    )  # one lost to the first try, one for the verifier


def test_what_is_answered_is_never_asked_again(tmp_path: Path) -> None:
    sent: list[str] = []

    def counting(prompt: str) -> str:
        sent.append(prompt)
        return good(prompt)

    translated(tmp_path, counting, approves)
    translated(tmp_path, counting, approves)
    assert len(sent) == 1


def test_back_translation_measures_and_flags(tmp_path: Path) -> None:
    _items, pieces = translated(tmp_path, good, approves)
    plan = backtranslate.plan_back(pieces, MODEL)
    assert plan.requests.height == 1  # the target is mathematics alone
    same = backtranslate.read_back(
        pieces, plan.links, ask(tmp_path / "a", plan, lambda _: json_reply(translation=QUESTION))
    )
    assert same["chrf"].to_list()[0] == 100.0
    for name, text in {"other numbers": QUESTION.replace("12", "21"), "chrF below 40": "12 3.5 x"}.items():
        back = backtranslate.read_back(
            pieces, plan.links, ask(tmp_path / name, plan, lambda _, text=text: json_reply(translation=text))
        )
        assert back.filter(pl.col("state") == "flagged")["log"][0][-1].endswith(name)
    damaged = backtranslate.read_back(pieces, plan.links, ask(tmp_path / "d", plan, lambda _: "no"))
    assert damaged["state"].to_list() == ["accepted", "accepted"]
    assert damaged["log"][0][-1].endswith("not compared")


def test_options_and_solutions_are_pieces_too_and_mathematics_alone_asks_no_model() -> None:
    row = {
        "id": "q",
        "question": QUESTION,
        "solution": "Add them: $12 + 3.5 = 15.5$.\n15.5",
        "target": "B",
        "answer_type": "Numerical",
    }
    row |= {"format": "mcq", "options": ["1.5", "15.5", "no sum"]}
    pieces = translate.start(load_items([row], "rows"), ["fi", "kk"])
    states = {(one["language"], one["field"]): one["state"] for one in pieces.iter_rows(named=True)}
    assert states["fi", "option:0"] == "accepted"
    assert states["fi", "option:2"] == states["kk", "solution"] == "to translate"
    assert len(states) == 10
    assert pieces.filter((pl.col("language") == "kk") & (pl.col("field") == "option:1"))["text"].to_list() == ["15,5"]


def test_languages_that_are_there_are_not_made_again() -> None:
    assert translate.start(draw(0, 1, ["en", "fi"]), ["fi"]).is_empty()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3.5", "3,5"), ("3.5, 2", "3,5; 2"), ("x = 0.25", "x = 0,25"), ("1.2.3", "1.2.3"), ("12", "12"), ("১.৫", "১,৫")],
)
def test_decimal_marks_follow_the_language(text: str, expected: str) -> None:
    assert with_marks(text, "en", "fi") == expected
    assert with_marks(text, "en", "bn") == text


def test_the_bundled_templates_are_clean_translations_of_each_other() -> None:
    items = draw(0, 1, ["en", "bn", "fr", "fi", "tr", "lt", "kk"])
    english = {row["source_id"]: row for row in items.filter(pl.col("language") == "en").iter_rows(named=True)}
    bad = {
        (row["language"], row["question"]): found
        for row in items.filter(pl.col("language") != "en").iter_rows(named=True)
        if (found := problems(english[row["source_id"]]["question"], row["question"], "en", row["language"]))
    }
    assert bad == {}


def test_the_glossary_has_the_papers_eleven_terms_in_every_bundled_language() -> None:
    due = (
        "let",
        "such that",
        "set",
        "function",
        "equation",
        "solve",
        "calculate",
        "determine",
        "therefore",
        "show that",
        "prove",
    )
    for term in due:
        assert set(bundled().terms[term]) == {"bn", "en", "fr", "fi", "tr", "lt", "kk"}
    assert "3,14" in conventions_text("kk")
    assert "3,14" in conventions_text("lt")


def test_a_language_without_a_glossary_is_said_and_goes_on() -> None:
    assert translate.notices(["sv", "fi"]) == [
        "Swedish (sv) has no glossary: terms are left to the model and its verifier"
    ]
    assert "No glossary" in terms_text("sv")
    assert translate.start(one_item(), ["sv"]).height == 2


def test_an_empty_set_and_an_unknown_language_are_refused_in_one_line() -> None:
    with pytest.raises(DataError, match="at least one item"):
        translate.start(one_item().clear(), ["fi"])
    with pytest.raises(UsageError, match="ISO 639-1"):
        translate.start(one_item(), ["xx"])
    with pytest.raises(UsageError, match="at least one target language"):
        translate.start(one_item(), [])


KNOWN_CHATTER = {"fi": 91, "fr": 439, "kk": 225, "lt": 127, "tr": 296}  # questions, counted by the set's own note
KNOWN_IN_SOLUTIONS = {"fi": 206, "fr": 556, "kk": 128, "lt": 388, "tr": 275}
READ = 69  # published questions a language without a translator's words, read by hand
# of these, found faulty by hand: other numbers or formulas, a wrong term, English left, an answer in place of the question
FAULTY = {
    "fi": ("0221", "0469", "0672", "0769", "0921", "1347"),
    "fr": ("0613",),
    "kk": ("0599", "0894", "0972", "1005", "1166", "1240", "1342", "1431"),
    "lt": ("0201", "0218", "0244", "0252", "0271", "0359", "0536", "0644", "0764", "0887", "1094", "1097"),
    "tr": ("0082", "0486", "0578", "0992", "1220"),
}


@pytest.mark.data
def test_of_300_clean_questions_read_by_hand_at_most_one_in_a_hundred_is_refused(data: Path) -> None:
    from covary.digest import Draw
    from covary.exchange.mathmist import read_items
    from covary.lint.chatter import chatty

    corpus = read_items(data / "mathmist", "corpus", ["en", *FAULTY])
    texts: dict[str, dict[str, str]] = {}
    for language, source, question in corpus.select("language", "source_id", "question").iter_rows():
        texts.setdefault(language, {})[source] = question
    clean: list[tuple[str, str]] = []
    for code, faulty in FAULTY.items():
        quiet = sorted(source for source, text in texts[code].items() if not chatty(text))
        drawn = Draw(4077, "clean questions", code).sample(quiet, READ)
        clean += [(code, source) for source in drawn if source.removeprefix("mm-") not in faulty]
    refused = {
        (code, source): wrong
        for code, source in clean
        for english in [texts["en"][source]]
        if (wrong := problems(english, without_emphasis(texts[code][source], english), "en", code))
    }
    assert len(clean) >= 300
    assert len(refused) <= 0.01 * len(clean), refused


def test_bold_print_is_taken_off_and_not_refused() -> None:
    assert without_emphasis("**Sievennä:** $x + x$", "Simplify: $x + x$") == "Sievennä: $x + x$"
    assert without_emphasis("**Osa** $x$", "**Part** $x$") == "**Osa** $x$"
    assert problems("Simplify: $x + x$", "**Sievennä: $x + x$", "en", "fi")  # not in pairs: something was cut


def test_numbers_in_words_are_no_loss_and_joined_digits_are() -> None:
    assert not problems("the 5th and 6th terms are equal", "penktas ir šeštas nariai yra lygūs", "en", "lt")
    assert problems("a ball of radius $12$ cm", "шардың радиусы $1.2$ см болады", "en", "kk")


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("code", ["fi", "fr", "kk", "lt", "tr"])
def test_no_published_question_with_chatter_gets_through_a_replay(code: str, data: Path, tmp_path: Path) -> None:
    from covary.exchange.mathmist import read_items
    from covary.lint.chatter import chatty as talks

    corpus = read_items(data / "mathmist", "corpus", ["en", code])
    published = dict(corpus.filter(pl.col("language") == code).select("source_id", "question").iter_rows())
    chatty = {key for key, text in published.items() if talks(text)}
    assert len(chatty) >= 0.95 * KNOWN_CHATTER[code]
    english = corpus.filter(pl.col("language") == "en").with_columns(solution=pl.lit(None, dtype=pl.String))
    pieces = translate.start(english, [code]).filter(pl.col("field") == "question")
    plan = translate.plan_translation(pieces, MODEL)
    source_of = dict(pieces.select("piece", "source_id").iter_rows())
    texts = {
        request: published[source_of[piece]]
        for piece, request in plan.links.select("item_id", "request_id").iter_rows()
    }
    rows = [
        {
            "request_id": key,
            "status": "ok",
            "text": json_reply(translation=text),
            "attempts": 1,
            "detail": "{}",
            "origin": "imported",
        }
        for key, text in texts.items()
    ]
    read = translate.read_translation(pieces, plan.links, schema.RESPONSES.from_rows(rows), MODEL, 1)
    through = set(read.filter(pl.col("state") == "to verify")["source_id"])
    shared = plan.links.filter(pl.col("request_id").is_duplicated())["item_id"]  # equal questions: one answer for all
    told = chatty - {source_of[piece] for piece in shared}
    assert len(told) > 80
    assert through & told == set()
    assert len(through) > 0.6 * len(set(published) - chatty)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("code", ["fi", "fr", "kk", "lt", "tr"])
def test_published_solutions_with_chatter_are_refused(code: str, data: Path) -> None:
    from covary.exchange.mathmist import read_items
    from covary.lint.chatter import chatty

    corpus = read_items(data / "mathmist", "corpus", ["en", code])
    english, other = (
        dict(corpus.filter(pl.col("language") == language).select("source_id", "solution").iter_rows())
        for language in ("en", code)
    )
    told = [source for source, text in other.items() if chatty(text or "")]
    through = [source for source in told if not problems(english[source], other[source], "en", code)]
    assert len(told) >= 0.95 * KNOWN_IN_SOLUTIONS[code]
    assert len(through) <= 0.01 * len(told), through
