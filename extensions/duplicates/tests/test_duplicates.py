"""Items that are nearly the same: planted ones are found and clean ones are not, in a set and next to another."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.roles import Role
from extensions.duplicates import search
from extensions.duplicates.near_texts import alike, likeness, parts_of
from media.store import MediaStore
from testkit.factories import make_fields, make_items, make_person, make_project
from testkit.pictures import encoded, photo
from tests.workflow.releases.pictured import One, pictured
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions


def test_every_pair_is_found_that_a_look_at_all_pairs_finds() -> None:
    random_ = random.Random(3)
    words = ("open", "opens", "the", "tap", "taps", "cup", "now", "a", "red", "reds")
    texts = [" ".join(random_.choices(words, k=random_.randrange(1, 7))) for _ in range(150)]
    sets = [frozenset(parts_of(each)) for each in texts]
    for least in (0.3, 0.5, 0.8, 1.0):
        # by hand: |A and B| / |A or B| of every pair
        wanted = {
            (one, other)
            for (one, a), (other, b) in itertools.combinations(enumerate(sets), 2)
            if len(a & b) / len(a | b) >= least
        }
        assert {(one, other) for one, other, _ in alike(sets, least)} == wanted
        assert wanted, "some are that much alike"


def test_what_texts_have_in_common_by_hand() -> None:
    # " th", "the", "he ", "e t", " ta", "tap", "ap " next to the same without the last, with "aps" and "ps ": 6 of 9
    assert likeness(parts_of("the tap"), parts_of("The taps")) == pytest.approx(6 / 9)
    assert likeness(parts_of("The  tap."), parts_of("the tap")) == 1, "what makes no difference makes none"


@pytest.mark.thorough
def test_what_every_question_says_makes_none_alike(store: Store, media: MediaStore) -> None:
    """Goals in one sentence, as EgoPlan-Bench asks: only those that share their goal are alike."""
    goals = [
        "fry an egg",
        "put the big frying pan on the left shelf",
        "feed cats",
        "mow lawn",
        "iron my shirt",
        "dry hair",
        "bake bread",
        "cut wood",
    ]
    goals += ["pick berries", "tune guitar", "oil hinge", "wrap gift", "dig hole", "sew button", "grind coffee"]
    goals += ["light fire", "fold towels", "knead dough", "sharpen knife"]
    goals += ["put the big frying pans on the left shelf"]
    asked = "Given what was done so far and what I see now, which action should I take next in order to {}?"
    pictured(store, media, [One(str(n), question=asked.format(goal)) for n, goal in enumerate(goals)])
    found = search.find_duplicates(store, media, by=None, project="p")
    assert told(found, "question") == [("1", "19")]
    (pair,) = found.of("question")
    # "an ", "n o" in the one, "ans", "ns ", "s o" in the other, and all of the rest of some 35 in both
    assert 0.8 < pair.measure < 0.9
    assert pair.said != "the same"
    assert told(search.find_duplicates(store, media, by=None, project="p", text=0.95), "question") == []


QUESTION = "What colour is the kettle that stands on the stove next to the window?"


@pytest.fixture
def world(store: Store, media: MediaStore) -> Store:
    """Seven items: b asks what a asks, but for a word's end, d is c's photo, smaller and as JPEG, f has e's file; g is
    like none."""
    picture = photo(96, 72, seed=5)
    asked = [
        One("a", question=QUESTION),
        One("b", question=QUESTION.replace("stands", "stand")),
        One("c", question="Which of the two is nearer to me?", picture=encoded(picture)),
        One("d", question="How many cups are there?", picture=encoded(picture.resize((64, 48)), "JPEG")),
        One("e", question="Where did I put the lid of the pan?", picture=99),
        One("f", question="Who is at the door?", picture=99),
        One("g", question="Is it raining?"),
    ]
    return pictured(store, media, asked)


def told(found: search.Duplicates, kind: str) -> list[tuple[str, str]]:
    return [(each.one.id, each.other.id) for each in found.of(kind)]


@pytest.mark.thorough
@pytest.mark.both_databases
def test_planted_duplicates_are_found_and_clean_items_are_not(world: Store, media: MediaStore, home: Path) -> None:
    found = search.find_duplicates(world, media, by=None, project="p")
    assert (found.items, found.others) == (7, 7)
    assert told(found, "image") == [("e", "f"), ("c", "d")]
    first, second = found.of("image")
    assert first.said == "the same file"
    assert 0 <= second.measure <= 6
    assert told(found, "question") == [("a", "b")]
    # without "ds ", "s o" and "nds", with "nd " and "d o": 3 and 2 differ
    n = len(parts_of(QUESTION))
    assert found.of("question")[0].measure == pytest.approx((n - 3) / (n + 2))
    # all seven have the right answer red
    assert told(found, "answer") == [("a", "b")]
    assert told(search.find_duplicates(world, media, by=None, project="p", text=1.0), "question") == []
    # each in a split of a release, a pair is told as across splits
    asked = ReleaseOptions(despite=("said", "items"), splits=("one=0.5", "two=0.5"), together=("source",))
    create(world, media, home, by=None, project="p", asked=asked)
    split = search.find_duplicates(world, media, by=None, project="p")
    assert {each.one.where for each in split.pairs} | {each.other.where for each in split.pairs} <= {"one", "two"}


@pytest.mark.thorough
def test_next_to_another_project_and_a_file(world: Store, media: MediaStore, tmp_path: Path) -> None:
    make_project(world, name="q")
    make_items(world, 1, project="q", fields=make_fields(question="IS IT  RAINING?"))
    make_items(world, 1, project="q", fields=make_fields(question="Which boat is it?"))
    found = search.find_duplicates(world, media, by=None, project="p", against="q", text=0.95)
    assert [(each.kind, each.one.id, each.other.where, each.measure) for each in found.pairs] == [
        ("answer", "g", "q", 1.0),
        ("question", "g", "q", 1.0),
    ]
    file = tmp_path / "others.jsonl"
    rows = [
        {**make_fields(question=each), "dimension": "colour", "image": "x.png"}
        for each in ("IS IT RAINING?", "What else?")
    ]
    file.write_text("".join(json.dumps({"id": str(at), **row}) + "\n" for at, row in enumerate(rows)))
    of_file = search.find_duplicates(world, media, by=None, project="p", against=file, format="jsonl")
    assert told(of_file, "question") == [("g", "0")]
    assert told(of_file, "answer") == [("g", "0")]
    table = list(csv.DictReader(io.StringIO(search.as_csv(of_file))))
    assert [(row["alike"], row["item"], row["other_in"]) for row in table] == [
        ("answer", "g", "others.jsonl"),
        ("question", "g", "others.jsonl"),
    ]


def test_for_leads_and_with_measures_that_are_some(store: Store, media: MediaStore) -> None:
    make_project(store)
    with pytest.raises(NotAllowedError):
        search.find_duplicates(store, media, by=make_person(store, "sen", role=Role.SENIOR), project="p")
    for wrong in ({"text": 0.0}, {"text": 80}, {"bits": 40}):
        with pytest.raises(InvalidInputError):
            search.find_duplicates(store, media, by=None, project="p", **wrong)  # type: ignore[arg-type]
    assert not search.find_duplicates(store, media, by=None, project="p").pairs, "of nothing there are none"


@pytest.mark.thorough
def test_the_command_lists_pairs_and_writes_them(
    store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store)
    make_items(store, 2, fields=make_fields(question="Which?"))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    resources.cache_clear()
    done = CliRunner().invoke(
        cli, ["duplicate", "list", "p", "--out", str(tmp_path / "pairs.csv")], catch_exceptions=False
    )
    told_json = CliRunner().invoke(cli, ["duplicate", "list", "p", "--json"], catch_exceptions=False)
    refused = CliRunner().invoke(cli, ["duplicate", "list", "p", "--against", "nowhere"])
    resources.cache_clear()
    assert "Pairs with the question alike: 1" in done.stdout
    assert "colour/0 (p)  colour/1 (p)  the same" in done.stdout
    assert len((tmp_path / "pairs.csv").read_text().splitlines()) == 1 + 2
    assert {each["alike"] for each in json.loads(told_json.stdout)["pairs"]} == {"question", "answer"}
    assert refused.exit_code != 0
