"""What are the same actions in other words, and what are not."""

from __future__ import annotations

import pytest

from extensions.narrations.rules.ego4d_phrases import phrase_of
from extensions.narrations.rules.narration import Narration
from extensions.narrations.rules.phrases import Classes, Sameness, phrase_key
from extensions.narrations.tests.rows import narrations

SAME = [
    ("take plate", "Take the plate"),
    ("take plates", "take a plate"),
    ("wash knives", "wash knife"),
    ("put fork and knife in drawer", "put the knife and the fork into a drawer"),
    ("take fork, knife and spoon", "take spoon, fork, knife"),
    ("turn on tap", "turn tap on"),
    ("put down glass", "put glass down"),
    ("picks berries", "pick berry"),
    ("mix salt with flour in bowl", "mix salt in bowl with flour"),
]
DIFFERENT = [
    ("turn on tap", "turn off tap"),
    ("put lid on pan", "put pan on lid"),
    ("pour water into glass", "pour glass into water"),
    ("take plate", "take glass"),
    ("open fridge", "close fridge"),
    ("take fork", "take fork and knife"),
    ("wash pan", "rinse pan"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same(one: str, other: str) -> None:
    assert phrase_key(one) == phrase_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: str, other: str) -> None:
    assert phrase_key(one) != phrase_key(other)


def test_what_is_no_phrase_is_itself() -> None:
    assert phrase_key("!!") == phrase_key(" !! ") != phrase_key("??")
    assert phrase_key("") != phrase_key("the")


def test_groups_are_joined_by_words_and_by_classes() -> None:
    # the first two share their classes, the next two their words as well
    rows = narrations(
        ("1", "2", "grab mug"), ("3", "4", "take cup"), ("5", "6", "take the cups"), ("7", "8", "go home")
    )
    classes = Classes({"take": 0, "grab": 0}, {"cup": 13, "mug": 13})
    assert [[row.id for row in group] for group in Sameness(classes).groups(rows)] == [["V-1", "V-2", "V-3"], ["V-4"]]
    assert [[row.id for row in group] for group in Sameness(classes).groups([rows[2], rows[0], rows[1]])] == [
        ["V-3", "V-1", "V-2"]
    ]


def test_classes_of_a_row_go_before_its_words() -> None:
    classes = Classes({"take": 0}, {"bottle": 7, "bottle:water": 8})
    (row,) = narrations(("1", "2", "take water bottle"))
    assert classes.key(row) == (0, frozenset({8}))  # a water bottle is `bottle:water` there
    told = Narration("a", "V", row.start, row.stop, "take thing", verb_class=3, noun_classes=(7,))
    assert classes.key(told) == (3, frozenset({7}))
    assert classes.key(narrations(("1", "2", "take thing"))[0]) is None


@pytest.mark.parametrize(
    ("said", "actor", "phrase", "unsure"),
    [
        ("#C C picks a bag", "wearer", "pick bag", False),
        ("#C C  washes the plate. ", "wearer", "wash plate", False),
        ("#c c carries his phone", "wearer", "carry phone", False),
        ("# C C opens the tap", "wearer", "open tap", False),
        ("C puts the knife down", "wearer", "put knife down", False),
        ("#O a man X moves the chair", "other", "man X moves chair", False),
        ("#O A lady B talks", "other", "lady B talks", False),
        ("#C C drops the #unsure", "wearer", "drop #unsure", True),
        ("#unsure", "unmarked", "#unsure", True),
        ("takes a cup", "unmarked", "take cup", False),
        ("#C C", "wearer", "", False),
    ],
)
def test_ego4ds_sentences(said: str, actor: str, phrase: str, unsure: bool) -> None:
    assert phrase_of(said) == (actor, phrase, unsure)
