"""How deep a trace goes from a cue to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covary.scoring.case import Case
from covary.scoring.depth import Depth, cue_lexicon, read_depth, try_rows

# what each language says for: the user is from COUNTRY / so I answer in UNIT / the scene alone
LANGUAGES = {
    "en": ("The user is from India. The tree is far.", "The user is Indian, so I answer in metres.", "The tree is 3 m tall, so 3 m."),
    "pt": ("O usuário é brasileiro. A árvore está longe.", "O usuário é brasileiro, portanto uso metros.", "A árvore tem 3 metros, portanto 3 metros."),
    "fr": ("L'utilisateur est français. L'arbre est loin.", "L'utilisateur est français, donc je réponds en mètres.", "L'arbre fait 3 mètres, donc 3 mètres."),
    "zh": ("用户来自中国。树很远。", "用户来自中国,所以应该用米,3米。", "树高3米,所以是3米。"),
    "ja": ("ユーザーは日本人です。木は遠いです。", "ユーザーは日本人なので、メートルで答えます。", "木は3メートルなので、3メートルです。"),
    "ko": ("사용자는 한국인입니다. 나무가 멀리 있습니다.", "사용자가 한국인이므로 미터로 답합니다.", "나무는 3미터이므로 3미터입니다."),
    "fa": ("کاربر اهل ایران است. درخت دور است.", "کاربر ایرانی است، بنابراین به متر پاسخ می‌دهم.", "درخت ۳ متر است، پس ۳ متر."),
    "he": ("המשתמש מישראל. העץ רחוק.", "המשתמש ישראלי ולכן אענה במטרים.", "העץ בגובה 3 מטרים ולכן 3 מטרים."),
    "hi": ("उपयोगकर्ता भारत से है। पेड़ दूर है।", "उपयोगकर्ता भारतीय है, इसलिए उत्तर मीटर में होगा।", "पेड़ 3 मीटर का है, इसलिए 3 मीटर।"),
}  # fmt: skip


def level(trace: str, concept: str = "distance") -> str:
    return read_depth(trace, concept).level


@pytest.mark.parametrize("language", LANGUAGES)
def test_levels_do_not_depend_on_the_language(language: str) -> None:
    identity, link, scene = LANGUAGES[language]
    assert (level(identity), level(link), level(scene)) == ("L2", "L3", "L0")


@pytest.mark.parametrize(
    "cue",
    ["The user bought it on Taobao.", "They mention Rav-Kav.", "The phone number is +91 98765 43210.", "The user's name is Antoine.",
     "The user wrote 15/09/1952.", "Postal code 75007 is in the chat.", "The user paid in rupees.", 'The user mentions "Bastille Day".',
     "用户提到了支付宝。", "사용자가 쿠팡을 언급했습니다."],
)  # fmt: skip
def test_a_cue_of_the_conversation_is_level_one(cue: str) -> None:
    assert level(f"{cue} The tree is 20 m off.") == "L1"


@pytest.mark.parametrize(
    "trace",
    ["The photo shows an Italian street. The car is 50 m away.", "A washitsu, typical of Japan, as seen in the image: 10 m².",
     "The china is on the table. 3 m.", "The task says to adapt to the user's culture. No hint. 3 m.",
     "The user asks how far the cat is. 3 m."],
)  # fmt: skip
def test_what_only_describes_the_picture_or_the_task_is_no_cue(trace: str) -> None:
    depth = read_depth(trace, "distance")
    assert (depth.level, depth.level_literal) == ("L0", "L1")  # the literal reading takes any unit or country word


@pytest.mark.parametrize(
    "trace",
    ["The user cites Le Monde, but I cannot tell where the user is from.", "They use WeChat. Is the user from China?",
     "Suica is a Japanese card; I will not assume that the user is Japanese.", "If the user were French (Fnac), metres would fit.",
     "Digikala is an Iranian shop."],
)  # fmt: skip
def test_an_identity_that_is_not_affirmed_stays_level_one(trace: str) -> None:
    assert level(trace) == "L1"


@pytest.mark.parametrize(
    "trace",
    ["The user is from Japan. The bed is 2 m long, so the gap is 3 m.", "Since the date is 08/15/1952, the user is American. 3 m.",
     "The user is not American but British. 3 m.", "The user is from Brazil. The road is empty; therefore I choose a high value."],
)  # fmt: skip
def test_a_causal_word_elsewhere_stays_level_two(trace: str) -> None:
    assert level(trace) == "L2"


@pytest.mark.parametrize(
    "trace",
    ["Because the user is Korean, metres are right.", "Metres, because the user is Korean.", "Given that the user is Korean, I use metres.",
     "The user is Korean. In Korea people use metres. Therefore 3 m.", "Korean user → metres", "KakaoTalk points to Korea, hence metres."],
)  # fmt: skip
def test_a_link_from_identity_to_answer_is_level_three(trace: str) -> None:
    depth = read_depth(trace, "distance")
    assert (depth.level, depth.level_literal, depth.identity) == ("L3", "L3", "KR")


def test_the_deepest_level_anywhere_counts() -> None:
    assert level("3 m. " + LANGUAGES["en"][1] + " " + LANGUAGES["en"][2]) == "L3"


def test_a_knowledge_base_can_be_plugged_in() -> None:
    trace = "Zorbex was on. 3 m."
    assert level(trace) == "L0"
    assert read_depth(trace, "distance", cue_lexicon(["Zorbex"])).level == "L1"
    assert Depth(cues=["Zorbex"])(Case(text="3 m", reasoning=trace, domain="distance")).answer == "L1"


def test_the_scorer_judges_the_reasoning_where_it_is_kept_apart() -> None:
    judged = Depth()(Case(text="3 m", reasoning=LANGUAGES["en"][1], domain="distance"))
    assert (judged.answer, judged.value, judged.detail["identity"]) == ("L3", 1.0, "IN")
    assert Depth()(Case(text=None, status="error")).value is None


def test_a_bad_row_has_no_level_but_a_reason() -> None:
    found = list(try_rows([{"id": 1, "trace": None}, 7]))
    assert all(row["level"] is None and row["reason"] for row in found)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["price", "size", "quantifiers", "time_expression", None, "mass"]))
def test_any_trace_has_a_level(trace: str, concept: str | None) -> None:
    depth = read_depth(trace, concept)
    assert depth.level <= depth.level_literal and depth.level in ("L0", "L1", "L2", "L3")


@pytest.mark.data
def test_at_least_95_percent_of_the_labelled_traces_are_right(data: Path) -> None:
    rows = [json.loads(line) for line in (data / "culture/depth_dev.jsonl").read_text("utf-8").splitlines()]
    right = sum(found["level"] == row["level"] for row, found in zip(rows, try_rows(rows), strict=True))
    assert right / len(rows) >= 0.95


def test_at_least_95_percent_of_150_traces_of_our_own_are_right() -> None:
    rows = [json.loads(line) for line in (Path(__file__).parent / "traces.jsonl").read_text("utf-8").splitlines()]
    right = sum(found["level"] == row["level"] for row, found in zip(rows, try_rows(rows), strict=True))
    assert right / len(rows) >= 0.95


def test_in_place_of_takes_back_its_own_word_alone() -> None:
    assert level("사용자는 한국인이므로 평 대신 제곱미터로 답한다: 12㎡.", "size") == "L3"
    assert level("ユーザーは日本人なのでフィートではなくメートルで答える。") == "L3"
