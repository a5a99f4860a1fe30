"""The compiler: levels differ exactly where they should."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stand_in import grammar_scaffolds

from covary.build.cues import LEVELS, Cue, Detail, Scaffold, Statement, Turn, conversation, statement_of
from covary.errors import UsageError

# Written out by hand: what each level must show.
SMALL = Scaffold(
    "small",
    "p",
    "price",
    "chit_chat",
    (
        Turn("user", (Statement("start"), "My ", Detail("cat", "dog"), " sleeps.", Statement("end"))),
        Turn("assistant", ("Good.",)),
        Turn("user", (Cue(1, "full_name", "the account holder"), " called.")),
        Turn("assistant", ("I see.",)),
        Turn("user", ("I ate ", Cue(2, "dish", "a meal"), ".")),
        Turn("assistant", ("Nice.",)),
    ),
    "What price does the picture show?",
)
FILLING = ("Kenji Tanaka", "oden")
OPEN = [("user", "My cat sleeps."), ("assistant", "Good.")]
IMPLICIT = [
    *OPEN,
    ("user", "Kenji Tanaka called."),
    ("assistant", "I see."),
    ("user", "I ate oden."),
    ("assistant", "Nice."),
]
NEUTRAL = [
    *OPEN,
    ("user", "The account holder called."),
    ("assistant", "I see."),
    ("user", "I ate a meal."),
    ("assistant", "Nice."),
]
EXPECTED = {
    "Null": [],
    "Neutral": NEUTRAL,
    "ImplicitCue1": IMPLICIT[:3],
    "ImplicitCue2": IMPLICIT[:5],
    "ImplicitFull": IMPLICIT,
    "ExplicitFull": [("user", "I am from Japan. My cat sleeps."), *NEUTRAL[1:]],
    "Placebo": [("user", "My dog sleeps."), *NEUTRAL[1:]],
    "NeutralCue1": NEUTRAL[:3],
    "NeutralCue2": NEUTRAL[:5],
    "ShuffledCues": IMPLICIT,
    "ExplicitConflict": [("user", "I am from Japan. My cat sleeps."), *IMPLICIT[1:]],
}


@pytest.mark.parametrize("level", EXPECTED)
def test_each_level_shows_what_it_should(level: str) -> None:
    assert [tuple(turn) for turn in conversation(SMALL, level, FILLING, "JP")] == EXPECTED[level]


@pytest.mark.parametrize(
    ("explicit", "first", "rest"),
    [
        ("start-of-neutral", "I am from Japan. My cat sleeps.", NEUTRAL),
        ("end-of-neutral", "My cat sleeps. I am from Japan.", NEUTRAL),
        ("end-of-implicit", "My cat sleeps. I am from Japan.", IMPLICIT),
    ],
)
def test_the_three_wordings_of_explicit_full(explicit: str, first: str, rest: list[tuple[str, str]]) -> None:
    shown = conversation(SMALL, "ExplicitFull", FILLING, "JP", explicit)  # type: ignore[arg-type]
    assert [tuple(turn) for turn in shown] == [("user", first), *rest[1:]]


@settings(deadline=None)
@given(st.sampled_from(range(516)))
def test_in_every_scaffold_levels_are_prefixes_and_differ_in_the_slots_only(index: int) -> None:
    scaffold = grammar_scaffolds()[index]
    shown = {level: conversation(scaffold, level, ("⟨1⟩", "⟨2⟩"), "US") for level in LEVELS}
    full, neutral, explicit = shown["ImplicitFull"], shown["Neutral"], shown["ExplicitFull"]
    assert shown["ImplicitCue1"] == full[: len(shown["ImplicitCue1"])]
    assert shown["ImplicitCue2"] == full[: len(shown["ImplicitCue2"])]
    assert len(shown["ImplicitCue1"]) < len(shown["ImplicitCue2"]) < len(full)
    assert "⟨1⟩" in shown["ImplicitCue1"][-1].text
    assert not any("⟨2⟩" in turn.text for turn in shown["ImplicitCue1"])
    assert "⟨2⟩" in shown["ImplicitCue2"][-1].text
    assert [at for at, pair in enumerate(zip(full, neutral, strict=True)) if pair[0] != pair[1]] == [
        scaffold.turn_of(1),
        scaffold.turn_of(2),
    ]
    assert explicit[1:] == neutral[1:]
    assert explicit[0].text.replace("I am from the United States. ", "") == neutral[0].text


def test_a_country_is_named_as_english_names_it() -> None:
    assert statement_of("GB") == "I am from the United Kingdom."
    assert statement_of("KR") == "I am from South Korea."


def test_an_unknown_level_or_culture_gets_the_nearest_right_word() -> None:
    with pytest.raises(UsageError, match="did you mean 'Neutral'"):
        conversation(SMALL, "Neutrall", FILLING, "JP")
    with pytest.raises(UsageError, match="unknown culture 'DE'"):
        statement_of("DE")


def test_a_scaffold_without_its_two_slots_is_refused() -> None:
    with pytest.raises(UsageError, match="expected cue slots 1 and 2"):
        conversation(Scaffold("x", "p", "price", "chit_chat", SMALL.turns[:3], "?"), "ImplicitCue1", FILLING, "JP")
