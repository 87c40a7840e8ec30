"""Test that the public board has exactly the chosen results, correct to the digit, and no secret."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.roles import Role
from extensions.leaderboard import entries
from extensions.leaderboard import public_board as public
from extensions.leaderboard.public_board import Cell, Choice
from extensions.leaderboard.tests.test_entries import KEYS, made, media, sent, take
from media.store import MediaStore
from testkit.factories import make_person
from testkit.missing_extensions import needs
from workflow.access.audit import entries as events
from workflow.files.import_files import import_files
from workflow.results import leaderboard_page
from workflow.results.score_choices import Scores
from workflow.runs import run_control

pytestmark = needs("readers", "predictions")

__all__ = ["media"]

CHOICE = Choice("Cups", scores=(Scores("key"),), models=("ours",), entries=True)


@pytest.fixture
def world(store: Store, media: MediaStore, tmp_path: Path) -> Store:
    """Return a store with ten items with keys, a model of ours with five right answers, and an entry with seven."""
    made(store, media, tmp_path, KEYS)
    ours = sent(tmp_path, KEYS[:5] + "".join("A" if key != "A" else "B" for key in KEYS[5:]), name="ours.json")
    import_files(store, media, by=None, project="p", format="egoplan_submission", path=ours, model="ours")
    take(store, media, sent(tmp_path, KEYS[:7] + "CDC"))
    return store


def shown(store: Store, choice: Choice = CHOICE, **other: Any) -> public.Board:
    return public.board(store, project="p", choice=json.loads(json.dumps(replace(choice, **other).dump())))


def test_numbers_are_those_of_results(world: Store) -> None:
    found = shown(world)
    assert [name for name, _ in found.rows] == ["Team A: Planner", "ours"]
    assert [cells[0].value for _, cells in found.rows if cells[0]] == [0.7, 0.5]
    ((_, (first, *_)), _) = found.rows
    z = 1.959964  # Wilson's limits of 7 in 10
    low, high = ((0.7 + z * z / 20 + sign * z * math.sqrt(0.021 + z * z / 400)) / (1 + z * z / 10) for sign in (-1, 1))
    assert first == Cell(0.7, pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6), 10)
    assert found.lacking == ()


def test_only_what_was_chosen_is_there(world: Store, media: MediaStore, tmp_path: Path) -> None:
    assert [name for name, _ in shown(world, entries=False).rows] == ["ours"]
    gone = shown(world, models=("no one",), scores=(Scores("key"), Scores("human", "beauty")))
    assert [name for name, _ in gone.rows] == ["Team A: Planner"]
    assert gone.lacking == (
        "People, beauty no longer exists. Choose another number.",
        "no one has no answers that count. Choose another model, or import answers of this model.",
    )
    take(world, media, sent(tmp_path, KEYS, name="b.json"), team="B")
    assert [name for name, _ in shown(world).rows] == ["B: Planner", "Team A: Planner", "ours"]
    (mistaken,) = (each.run for each in entries.entries(world, by=None, project="p") if each.team == "B")
    run_control.withdraw(world, by=None, run=mistaken, reason="sent by mistake")
    left = shown(world)
    assert ([name for name, _ in left.rows], left.lacking) == (["Team A: Planner", "ours"], ())


def test_slices_never_name_what_items_say(world: Store) -> None:
    source = shown(world, by="video_source")
    assert source.columns[1].endswith("; Video source: Ego4D")
    assert [cells[1].n for _, cells in source.rows if cells[1]] == [10, 10]
    counted = shown(world, by="task_goal.words", bins=(1, 4))
    assert [column.partition("; ")[2] for column in counted.columns[1:]] == ["Goal: number of words: 1 to 3"]
    for by, words in (
        ("task_goal", "Touchstone cannot show slices by Goal because the values could reveal item texts."),
        ("question", "could reveal item texts"),
        ("video_id", "could reveal item texts"),
        ("answer", "would reveal information about the key"),
        ("answer.words", "would reveal information about the key"),
        ("beauty", "Touchstone cannot slice items by 'beauty'"),
    ):
        found = shown(world, by=by)
        assert len(found.columns) == 1
        assert words in found.lacking[0]


def test_two_presses_are_one_event(world: Store) -> None:
    lead = make_person(world, "lead", role=Role.LEAD)
    about: dict[str, Any] = {"by": lead, "project": "p"}
    before = leaderboard_page.mark(world, person=lead, project="p")
    assert public.made_public(world, project="p") is None
    assert [public.publish(world, choice=CHOICE, **about) for _ in range(2)] == [True, False]
    standing = public.standing(world, **about)
    assert standing is not None
    assert standing == public.made_public(world, project="p")
    assert standing.choice == CHOICE
    assert public.publish(world, choice=replace(CHOICE, title="Mugs"), **about)
    assert [public.withdraw(world, **about) for _ in range(2)] == [True, False]
    assert public.made_public(world, project="p") is None
    assert public.last_choice(world, **about) == replace(CHOICE, title="Mugs")
    kinds = [each.kind for each in events(world, by=None, project="p", kinds=["leaderboard."])]
    assert kinds == ["leaderboard.withdrawn", "leaderboard.published", "leaderboard.published"]
    assert leaderboard_page.mark(world, person=lead, project="p") == before, "no number is made anew because of it"


def test_what_is_missing_is_told_and_no_one_below_a_lead_may(world: Store) -> None:
    for choice, words in (
        (replace(CHOICE, title=" "), "Give the public page a title of at most 120 characters."),
        (
            replace(CHOICE, text="x" * 4001),
            "The text has 4,001 characters. Shorten the text to at most 4,000 characters.",
        ),
        (replace(CHOICE, scores=()), "Choose at least one number to show."),
        (replace(CHOICE, models=(), entries=False), "Choose at least one model, or other teams' entries."),
    ):
        with pytest.raises(InvalidInputError, match=words):
            public.publish(world, by=None, project="p", choice=choice)
    senior = make_person(world, "senior", role=Role.SENIOR)
    for ask in (public.withdraw, public.standing, public.last_choice):
        with pytest.raises(NotAllowedError):
            ask(world, by=senior, project="p")
    with pytest.raises(NotAllowedError):
        public.publish(world, by=senior, project="p", choice=CHOICE)
    assert public.made_public(world, project="p") is None
