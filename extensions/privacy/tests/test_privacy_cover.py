"""Frames that were taken out of a clip of the pool, once something in the clip is covered."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from app import frame_work, locks
from app.frame_work import About, Framing
from db.engine import Store
from domain.errors import Conflict
from domain.roles import Role
from extensions.privacy import covering
from extensions.privacy.boxes import CoverChoice
from extensions.privacy.tests.test_covered_clip import FACE, spread
from extensions.privacy.tests.test_privacy import shown
from extensions.privacy.tests.test_privacy_clips import loaded, put
from media.frame_screening import Keeping
from media.frame_set import Taking
from media.store import MediaStore
from testkit import covered
from testkit.factories import make_person, make_project
from workflow.annotate import frame_pool

pytestmark = pytest.mark.thorough


def test_frames_of_a_covered_clip_are_removed_and_taken_anew_without_the_face(store: Store, home: Path) -> None:
    make_project(store, loaded=loaded())
    lea = make_person(store, "lea", role=Role.LEAD)
    media = MediaStore(home / "media")
    original = put(store, media, home)
    folder = frame_pool.place(store, home, by=lea, project="p") / "abc"
    folder.mkdir(parents=True)
    paths = [(name, str(path)) for name, path in frame_pool.free_clips(store, media, by=lea, project="p")]
    About("film.webm", "lea", time.time(), Taking(seconds="1"), Keeping(), (), paths).write(folder)

    def taken() -> list[float]:
        Framing(folder, lea).run(store, home, lambda *_: None)
        found = frame_work.index(folder)
        assert found is not None
        there = {round(float(each.told["time"])): each for each in found.frames}
        spreads = []
        for at in (2, 3):
            with Image.open(folder / "out" / str(there[at].told["file"])) as image:
                spreads.append(spread(image.convert("RGB"), covered.face_at(10 * at)))
        return spreads

    assert min(taken()) > 30, "it shows the face"
    told = [CoverChoice("film.webm", original, (FACE,))]
    with locks.held(folder / frame_work.LOCK, ""), pytest.raises(Conflict, match=r"film\.webm: Frames of this set are"):
        covering.decide(store, media, home, by=lea, project="p", told=told)
    assert shown(store) == [original]
    done = covering.decide(store, media, home, by=lea, project="p", told=told)
    assert (done.covered, done.sets) == (1, ["film.webm"])
    assert not [path for path in folder.rglob("*") if path.suffix in (".png", ".jpg")]
    about = About.read(folder)
    assert (about.done, about.refused) == (0.0, frame_work.COVERED_SINCE)
    assert max(taken()) < 4
    done = covering.decide(store, media, home, by=lea, project="p", told=[replace(told[0], file=shown(store)[0])])
    assert (done.same, done.sets) == (1, [])
    assert frame_work.index(folder) is not None
