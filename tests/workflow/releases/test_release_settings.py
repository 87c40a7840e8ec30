"""What is asked of a release: each setting changes what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from db.engine import Store
from domain.errors import InvalidInputError, TouchstoneError
from media.perceptual_hash import difference_hash, distance
from media.store import MediaStore
from testkit.pictures import encoded
from tests.workflow.releases.pictured import One, add, keep, names, pictured
from workflow.access.projects import access_to
from workflow.releases.create import ITEMS, CreatedRelease, create
from workflow.releases.draft import drawn_up
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]


def blocks(flip: int = 0) -> Image.Image:
    """Nine by eight grey blocks, none as its neighbour; in so many rows the last step goes the other way."""
    steps = (30, 150, 90, 210)
    grey = np.array([[steps[(column + row) % 4] for column in range(9)] for row in range(8)], np.uint8)
    for at in range(flip):
        grey[at, 8] = 0 if grey[at, 8] > grey[at, 7] else 255
    return Image.fromarray(grey).resize((90, 80), Image.Resampling.NEAREST)


SAME = encoded(blocks())
ALIKE = encoded(blocks(flip=4))
ITEMS_OF_ALL = [
    *(One(f"video-{at}", source="v", picture=900 + at) for at in range(2)),
    *(One(f"file-{at}", picture=77) for at in range(2)),
    One("look-0", picture=SAME),
    One("look-1", picture=ALIKE),
    *(One(f"text-{at}", question="What is it?") for at in range(2)),
    *(One(f"lone-{at}") for at in range(4)),
    *(One(f"shape-{at}", dimension="shape", source="s", picture=800 + at) for at in range(2)),
]


def groups_of(store: Store, media: MediaStore, asked: ReleaseOptions) -> set[frozenset[str]]:
    """The items that stay together."""
    called, found = names(store), dict[str, set[str]]()
    with store.read() as session:
        draft = drawn_up(session, media, access_to(session, person=None, project="p"), asked)
    for id, group in draft.groups.items():
        found.setdefault(group, set()).add(called[id])
    return {frozenset(each) for each in found.values() if len(each) > 1}


def splits_of(store: Store, media: MediaStore, asked: ReleaseOptions) -> dict[str, str] | str:
    """The split of every item, or why there is none."""
    called = names(store)
    try:
        with store.read() as session:
            draft = drawn_up(session, media, access_to(session, person=None, project="p"), asked)
    except InvalidInputError as error:
        return str(error)
    return {called[each.item_id]: each.split for each in draft.placed}


HALVES = ("train=0.5", "test=0.5")
VIDEO, FILE, LOOK, TEXT, SHAPE = (
    frozenset({f"{name}-0", f"{name}-1"}) for name in ("video", "file", "look", "text", "shape")
)


def test_what_keeps_items_together_is_asked(store: Store, media: MediaStore) -> None:
    """Two items of a video, two with one file, two whose looks differ in 4 bits, two with one question, four alone."""
    assert distance(difference_hash(blocks()), difference_hash(blocks(flip=4))) == 4
    pictured(store, media, ITEMS_OF_ALL)
    usual = {"splits": HALVES, "lacking": True}
    assert groups_of(store, media, ReleaseOptions(**usual)) == {VIDEO, FILE, LOOK, SHAPE}
    assert groups_of(store, media, ReleaseOptions(**usual, together=("source",))) == {VIDEO, SHAPE}
    assert groups_of(store, media, ReleaseOptions(**usual, together=("media", "text"))) == {FILE, TEXT}
    assert groups_of(store, media, ReleaseOptions(**usual, alike=3)) == {VIDEO, FILE, SHAPE}
    told = splits_of(store, media, ReleaseOptions(splits=HALVES))
    assert told == (
        "The dimension shape has one group, so the dimension cannot be in train and test. Add items from other "
        "sources, choose other splits, or allow splits that lack a dimension (--lacking)."
    )
    one, same, other = (splits_of(store, media, ReleaseOptions(**usual, seed=seed)) for seed in (0, 0, 3))
    assert one == same != other
    assert "cannot keep items together by 'luck'" in splits_of(
        store, media, ReleaseOptions(**usual, together=("luck",))
    )
    for value, words in ({"alike": 17}, "must be from 0 to 16 of 64 bits"), ({"off": 1.5}, "must be from 0 to 1"):
        assert words in splits_of(store, media, ReleaseOptions(**usual, **value))


def test_how_far_a_split_may_be_off_is_asked(store: Store, media: MediaStore) -> None:
    """Three videos of four items: a test of six comes to four or eight."""
    pictured(store, media, [One(f"{at}", source=f"v{at % 3}", picture=at) for at in range(12)])
    asked = {"splits": ("test=6", "train=rest")}
    assert "test should have 6 items, but gets" in splits_of(store, media, ReleaseOptions(**asked))
    found = splits_of(store, media, ReleaseOptions(**asked, off=0.5))
    assert isinstance(found, dict)
    assert sorted(found.values()) in (["test"] * 4 + ["train"] * 8, ["test"] * 8 + ["train"] * 4)


# ---- what an earlier release has -------------------------------------------------------------------------------------


def released(made: CreatedRelease) -> dict[str, str]:
    lines = (made.place / "public" / ITEMS).read_text().splitlines()
    return {each["id"]: each["split"] for each in map(json.loads, lines)}


@pytest.mark.both_databases
def test_no_item_moves_to_another_split_in_a_later_release(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One(f"a{at}") for at in range(8)])

    def release(*splits: str, **more: Any) -> CreatedRelease:
        asked = ReleaseOptions(splits=splits, despite=("said", "items"), formats=("jsonl",), **more)
        return create(store, media, home, by=None, project="p", asked=asked)

    first = released(release("train=4", "test=4"))
    add(store, media, [One(f"b{at}") for at in range(8)])
    keep(store, "cat", "dan")
    for seed in range(1, 4):
        second = release("train=8", "test=8", seed=seed)
        assert {id: released(second)[id] for id in first} == first
        assert any(f"earlier release: {n}." in note for note in second.notes for n in (8, 16))
    moved = [release("train=8", "test=8", seed=seed, anew=True) for seed in range(4, 7)]
    assert any({id: released(each)[id] for id in first} != first for each in moved), "three draws are not all the same"
    last = released(moved[-1])
    assert released(release("train=8", "test=8", seed=11)) == last, "the newest release counts"
    with pytest.raises(InvalidInputError, match=r"which is missing now. Add that split, or draw all splits again"):
        release()
    assert set(released(release(anew=True)).values()) == {"test"}


# ---- every setting ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """What is asked first, what then, and where the difference is."""

    value: Any
    first: Mapping[str, Any]
    see: Callable[[CreatedRelease], Any]


def manifest(made: CreatedRelease) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made.place / "public/manifest.json").read_text())
    return found


CHANGES = {
    "formats": Change(("csv",), {"formats": ("jsonl",)}, lambda made: (made.place / "public/csv").is_dir()),
    "splits": Change(("train=2", "test=2"), {}, lambda made: manifest(made)["splits"]),
    "private": Change(("test",), {}, lambda made: (made.place / "private/keys/test.jsonl").is_file()),
    "media": Change(
        True, {}, lambda made: sorted(path.suffix for path in (made.place / "public/media").rglob("*.png"))
    ),
    "schema_version": Change(2, {}, lambda made: "has had no version 2"),
    "despite": Change((), {}, lambda made: "released"),
    "accepted": Change(("sizes: drawn by hand",), {}, lambda made: manifest(made)["asked"].get("accepted")),
}
"""Those of splits have tests of their own."""


def test_each_setting_changes_a_release(store: Store, media: MediaStore, home: Path) -> None:
    of_splits = {"seed", "anew", "together", "alike", "off", "lacking"}
    assert {each.name for each in fields(ReleaseOptions)} == of_splits | set(CHANGES)
    pictured(store, media, [One(f"a{at}", picture=at) for at in range(4)])

    def seen(change: Change, **asked: Any) -> Any:
        try:
            given: dict[str, Any] = {"despite": ("said", "items"), "anew": True, **change.first, **asked}
            return change.see(create(store, media, home, by=None, project="p", asked=ReleaseOptions(**given)))
        except TouchstoneError as error:
            return str(error)

    for name, change in CHANGES.items():
        assert seen(change) != seen(change, **{name: change.value}), name


def test_what_is_asked_is_kept_as_json() -> None:
    asked = ReleaseOptions(splits=HALVES, together=("text",), off=0.25, lacking=True, anew=True, alike=3, media=True)
    assert ReleaseOptions.load(json.loads(json.dumps(asked.dump()))) == asked
