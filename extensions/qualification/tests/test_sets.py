"""Sets of items: which ones can be in a set, and what an answer to them is compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import ConflictError, NotFoundError
from extensions.qualification import sets, tries
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import make_items, make_person
from tests.workflow import test_keep_parts as parts
from tests.workflow import test_without_media as media_waits
from workflow.annotate import project_progress

pytestmark = pytest.mark.thorough


def test_a_qualification_against_the_key_looks_at_the_part_with_the_key(store: Store) -> None:
    parts.made(store, 6, "    qualification: {items: 2, reviewers: 1, pass_mark: 0.5, against: key}")
    sets.make_set(store, by=None, project="p")
    ann = make_person(store, "ann")
    tries.begin(store, person=ann, project="p")
    parts.say(store, ann, fits="no", hard=5)
    parts.say(store, ann, choice="blue")
    (mine,) = tries.tries(store, person=None, project="p")
    assert mine.n_right == 1, "the red one, whatever else was said of it"


def test_a_set_to_qualify_on_has_its_images(store: Store, home: Path) -> None:
    media_waits.project(store, extra="\n    qualification: {items: 3, reviewers: 1, pass_mark: 0.5}")
    ids = make_items(store, 4)
    media_waits.link(store, ids[:2])
    names = [f"colour/{at}" for at in range(4)]
    board = project_progress.dashboard(store, person=None, project="p")
    assert any("2 items wait for missing media" in words for row in board.rows for words in row.blocked)
    assert board.without_set
    made = sets.make_set(store, by=None, project="p")
    assert set(made.items) == set(names[2:])
    with pytest.raises(NotFoundError, match="or its images or clips are missing"):
        sets.make_set(store, by=None, project="p", names=[names[0]])
    ann = make_person(store, "ann")
    media_waits.link(store, ids[2:3])  # a set of an earlier version
    with pytest.raises(
        ConflictError,
        match=r"1 item of this set has no images or clips yet. Come back after a lead has added the files\.",
    ):
        tries.begin(store, person=ann, project="p")
    missing_media.fill(store, MediaStore(home / "media"))
    tries.begin(store, person=ann, project="p")
