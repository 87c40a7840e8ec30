"""Frame sets out of a clip of the pool, once something in the clip is covered."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.errors import ConflictError
from domain.extensions import installed
from domain.roles import Role
from extensions.frames import covered_sets, frame_pool, frame_sets
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.frame_sets import SetDescription
from extensions.frames.screening import ScreeningSettings
from extensions.frames.set_jobs import ExtractionJob
from media import clips
from media.store import MediaStore
from testkit import covered
from testkit.factories import make_person, make_project
from tests.workflow.shortcut_world import SCHEMA
from workflow.annotate import image_pool
from workflow.jobs import folder_lock

pytestmark = pytest.mark.thorough

CLIPS = SCHEMA.replace("kind: image}", "kind: image, min: 0}, {role: film, kind: clip, min: 0}")


def test_frames_of_a_covered_clip_are_removed_and_taken_anew_without_the_face(store: Store, home: Path) -> None:
    schema = CLIPS.replace("STAGES", "{authoring: {}}").replace("EXPORT", "")
    make_project(store, loaded=load_text(schema, "", "rooms"))
    lea = make_person(store, "lea", role=Role.LEAD)
    media = MediaStore(home / "media")
    film = covered.clip(home / "film.webm")
    image_pool.add_to_pool(store, media, by=None, project="p", files=[("film.webm", film)])
    folder = frame_pool.place(store, home, by=lea, project="p") / "abc"
    folder.mkdir(parents=True)
    paths = [(name, str(path)) for name, path in frame_pool.free_clips(store, media, by=lea, project="p")]
    original = Path(paths[0][1]).parent.name
    settings = (ExtractionSettings(seconds="1"), ScreeningSettings())
    SetDescription("film.webm", "lea", time.time(), *settings, (), paths).write(folder)
    without = (covered.clip_frame(at, secret=False) for at in range(covered.CLIP_FRAMES))
    instead = clips.write(without, out=home / "without.webm", frames_per_second=covered.CLIP_RATE)

    def spreads_of_the_face() -> list[float]:
        ExtractionJob(folder, lea).run(store, media, home, lambda *_: None)
        found = frame_sets.index(folder)
        assert found is not None
        there = {round(float(each.row["time"])): each for each in found.frames}
        spreads = []
        for at in (2, 3):
            with Image.open(folder / "out" / str(there[at].row["file"])) as image:
                spreads.append(float(np.asarray(image.convert("L").crop(covered.face_at(10 * at))).std()))
        return spreads

    def delete() -> list[str]:
        return covered_sets.delete(store, by=lea, home=home, project="p", instead={original: instead})

    before = min(spreads_of_the_face())
    with (
        folder_lock.hold_folder(folder / frame_sets.LOCK, ""),
        pytest.raises(ConflictError, match=r"film\.webm: Touchstone is taking frames for this set"),
    ):
        covered_sets.require_idle(home, "p", [original])
    assert covered_sets.names_of(home, "p", ["another file"]) == []
    assert covered_sets.names_of(home, "p", [original]) == delete() == ["film.webm"]
    assert not [path for path in folder.rglob("*") if path.suffix in (".png", ".jpg")]
    about = SetDescription.read(folder)
    assert (about.done, about.refused) == (0.0, covered_sets.COVERED_SINCE)
    assert max(spreads_of_the_face()) < before / 2
    assert delete() == [], "its frames show the other file now"
    assert covered_sets in installed()["frames"].derived_media()
    assert frame_sets.index(folder) is not None
