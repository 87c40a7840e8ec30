"""What is covered in a clip is seen by no one any more, wherever clips go; and every decision is on record."""

from __future__ import annotations

import re
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from db.tables import EventRow
from domain.errors import InvalidInputError, NotAllowedError, TouchstoneError
from domain.project_parts import archive_in
from domain.roles import Role
from extensions.privacy import cascades, covering, decisions, detection
from extensions.privacy.boxes import Box, CoverChoice
from extensions.privacy.tests.boxes import BOX
from extensions.privacy.tests.test_covered_clip import FACE, decoded, spread
from extensions.privacy.tests.test_privacy import copies, decide, ids, shown
from media.model_input import Pictures
from media.store import MediaStore
from testkit import covered
from testkit.factories import make_people, make_person, make_project, vote
from testkit.project_archives import export_project, needs_archives
from tests.workflow.shortcut_world import SCHEMA
from tests.workflow.test_questions import bring
from workflow.annotate import image_pool
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]

VERIFIED = (
    "{verification: {raters: 2, criteria: [{name: choice, kind: option_of, field: options, prompt: Which?}],"
    " keep: {rule: unanimous_and_key, criterion: choice, key: answer}}, adjudication: none}"
)


def loaded(stages: str = "{authoring: {}}") -> LoadedSchema:
    text = SCHEMA.replace("kind: image}", "kind: image, min: 0}, {role: film, kind: clip, min: 0}")
    if "verification" in stages:
        text = text.replace("answer, kind: option_of, ", "answer, kind: option_of, secret_in: [verification], ")
    return load_text(text.replace("STAGES", stages).replace("EXPORT", ""), "", "rooms")


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def put(store: Store, media: MediaStore, folder: Path, project: str = "p") -> str:
    """Bring the clip into the pool; what it shows then."""
    path = covered.clip(folder / "film.webm")
    image_pool.add_to_pool(store, media, by=None, project=project, files=[("film.webm", path)])
    return shown(store, project)[-1]


def has_face(path: Path) -> bool:
    """Whether any frame of a clip shows something where the face was."""
    frames = decoded(path)
    assert len(frames) == covered.CLIP_FRAMES
    return any(spread(frames[at], covered.face_at(at)) > 4 for at in covered.FACE_FRAMES)


def test_the_pool_shows_the_covered_clip_under_another_id(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store, loaded=loaded())
    original = put(store, media, home)
    (before,) = ids(store)
    assert has_face(media.path(original))
    frames = Pictures(media, home / "prepared")
    (made,) = frames.frames(original, [3.0])
    done = decide(store, media, home, CoverChoice("film.webm", original, (FACE,)))
    assert (done.pictures, done.covered, done.boxes, done.beside) == (1, 1, 1, [])
    (after,) = shown(store)
    assert after != original
    assert ids(store) != [before]
    assert not has_face(media.bare(after)[0])
    assert not made.path.exists(), "what was made of it for models is gone"
    (now,) = frames.frames(after, [3.0])
    from PIL import Image

    with Image.open(now.path) as image:
        assert spread(image, covered.face_at(30)) < 4
    about, was = media.about(after), media.about(original)
    assert (about.duration, about.width, about.height) == (was.duration, was.width, was.height)
    assert has_face(media.path(original)), "kept back as it came"
    assert put(store, media, home) == after, "whoever brings it in again gets the covered one"
    assert len(shown(store)) == 1


@pytest.mark.one_database
def test_its_poster_is_of_the_covered_clip(store: Store, media: MediaStore, home: Path) -> None:
    """The picture that stands for a clip is its first frame, which here has something to be covered."""
    make_project(store, loaded=loaded())
    path = home / "film.webm"
    from media import clips

    clips.write([covered.picture()] * 5, out=path, frames_per_second=10)
    image_pool.add_to_pool(store, media, by=None, project="p", files=[("film.webm", path)])
    (original,) = shown(store)
    assert all(covered.shows(copy) for copy in copies(media, original)[:2])
    decide(store, media, home, CoverChoice("film.webm", original, (replace(BOX, begin=0.0, end=0.5),)))
    (after,) = shown(store)
    assert not any(covered.shows(copy) for copy in copies(media, after)[:2])


@pytest.mark.one_database
def test_a_look_proposes_it_until_someone_decides(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store, loaded=loaded())
    lea = make_person(store, "lea", role=Role.LEAD)
    original = put(store, media, home)
    finder = cascades.Finder(kinds=["face"])
    look: Any = {"by": lea, "project": "p", "finder": finder}
    (left,) = detection.detect(store, media, **look).clips
    assert left.boxes == (), "without a rate clips are listed alone"
    looked = detection.detect(store, media, **look, rate=2.0)
    (seen,) = looked.clips
    (box,) = seen.boxes
    assert (looked.n_tracks, looked.n_clips_with, looked.n_found, len(looked.pictures)) == (1, 1, 0, 0)
    assert (box.begin, box.end, box.cover) == (1.5, 4.0, None)
    no = replace(box, cover=False)
    told = [CoverChoice("film.webm", original, (no,))]
    covering.apply_decisions(
        store, media, home, by=lea, project="p", choices=told, looked=finder.settings | {"rate": 2.0}
    )
    again = detection.detect(store, media, **look, rate=4.0)
    assert (again.n_tracks, again.clips[0].boxes) == (0, (no,)), "what was left is not proposed once more"
    covering.apply_decisions(
        store,
        media,
        home,
        by=lea,
        project="p",
        choices=[CoverChoice("film.webm", original, (replace(box, cover=True),))],
    )
    assert not has_face(media.path(shown(store)[0]))
    with store.read() as session:
        first, second = decisions.load_decisions(session, project_id=1)
        events = [row.data for row in session.exec(select(EventRow)) if row.kind == "privacy.looked"]
    assert (first.by, first.boxes, first.looked["rate"]) == ("lea", (no,), 2.0)
    assert (second.boxes[0].path, second.original) == (box.path, original)
    assert [(each["looked"].get("rate"), each["clips"], each["tracks"]) for each in events] == [
        (None, 1, 0), (2.0, 1, 1), (4.0, 1, 0)
    ]  # fmt: skip
    n = detection.count_decisions(again)
    assert (n["clips"], n["clips_nothing"], n["clips_open"], n["pictures"]) == (1, 1, 0, 0)
    with pytest.raises(InvalidInputError, match=r"from 0\.2 to 10 samples per second"):
        detection.detect(store, media, **look, rate=30.0)


@needs_archives
def test_what_items_releases_and_archives_hold(store: Store, media: MediaStore, home: Path) -> None:
    """The item shows a clip and an image, which is a frame of it: the image is named, as it shows the same."""
    path, frame = covered.clip(home / "film.webm"), home / "frame.png"
    covered.clip_frame(30).save(frame)
    fields = {"question": "Who?", "options": ["a", "b", "c", "d"], "answer": "a"}
    bring(store, media, loaded(VERIFIED), [("colour", fields, [("image", frame), ("film", path)])])
    for person in make_people(store, "ann", "bob"):
        vote(store, person, "a")
    wanted = ReleaseOptions(media=True, despite=("said", "items"))
    create(store, media, home, by=None, project="p", asked=wanted)
    image, original = shown(store)
    archive_in(home, "p").parent.mkdir()
    export_project(store, media, out=archive_in(home, "p"))
    done = decide(store, media, home, CoverChoice(str(path), original, (FACE,)))
    assert (done.releases, done.archive, done.beside) == (["1"], True, [str(frame)])
    same, now = shown(store)
    assert (same == image, now == original) == (True, False)
    second = create(store, media, home, by=None, project="p", asked=wanted)
    (clip,) = second.place.rglob("public/media/*/*.webm")
    assert not has_face(clip)
    raw = b"".join(each.read_bytes() for each in second.place.rglob("*") if each.is_file())
    assert original.encode() not in raw, "not even by its hash"
    export_project(store, media, out=home / "p.zip")
    with zipfile.ZipFile(home / "p.zip") as archive:
        hashes = set(re.findall(r"[0-9a-f]{64}", " ".join(archive.namelist())))
    assert (now in hashes, original in hashes) == (True, False)
    seen = decide(store, media, home, CoverChoice(str(frame), image, (replace(BOX, h=0.3),)))
    assert seen.beside == [], "about the clip someone has decided"


@pytest.mark.one_database
def test_a_later_decision_starts_from_the_original(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store, loaded=loaded())
    original = put(store, media, home)
    short = replace(FACE, begin=2.0, end=3.9)
    decide(store, media, home, CoverChoice("film.webm", original, (short,)))
    (first,) = shown(store)
    for boxes in ((), (replace(short, cover=False),), (replace(short, end=3.95, begin=2.5, path=short.path[1:]),)):
        with pytest.raises(InvalidInputError, match=r"would uncover parts of these files: film\.webm"):
            decide(store, media, home, CoverChoice("film.webm", first, boxes))
    longer = replace(short, end=4.5)
    other = Box("other", 0.8, 0.8, 0.1, 0.1, "hand", True, begin=0.0, end=1.0)
    decide(store, media, home, CoverChoice("film.webm", first, (longer, other)))
    (second,) = shown(store)
    assert second not in (first, original)
    assert decide(store, media, home, CoverChoice("film.webm", second, (longer, other))).same == 1
    decide(store, media, home, CoverChoice("film.webm", second, ()), uncover=True)
    assert shown(store) == [original]


def test_two_who_cover_at_once_come_to_one_decision(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store, loaded=loaded())
    original = put(store, media, home)
    came: list[object] = []

    def one(end: float) -> None:
        try:
            came.append(decide(store, media, home, CoverChoice("film.webm", original, (replace(FACE, end=end),))))
        except TouchstoneError as error:
            came.append(str(error))

    both = [threading.Thread(target=one, args=(end,)) for end in (3.9, 4.5)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    (refused,) = [str(each) for each in came if "the decision about film.webm has changed" in str(each)]
    assert "must not have a begin" not in refused, "it is still a clip, under another file"
    with store.read() as session:
        (decision,) = decisions.load_decisions(session, project_id=1)
    assert shown(store) == [decision.file]
    assert not has_face(media.path(decision.file))


@pytest.mark.one_database
def test_what_does_not_fit_changes_nothing(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store, loaded=loaded())
    ann = make_person(store, "ann")
    clip = put(store, media, home)
    picture = home / "it.png"
    picture.write_bytes(covered.file())
    image_pool.add_to_pool(store, media, by=None, project="p", files=[("it.png", picture)])
    image = shown(store)[-1]
    outside = tuple((at, x + 0.5, y, w, h) for at, x, y, w, h in FACE.path)
    for box, said in (
        (BOX, "a box in a clip needs a begin time and an end time"),
        (replace(FACE, end=1.0), "the box ends at 1 s, before it begins at 2 s"),
        (replace(FACE, begin=-1.0), "begin and end must be seconds from the start of the clip, 0 or greater"),
        (replace(FACE, end=float("nan")), "begin and end must be seconds from the start of the clip"),
        (replace(FACE, end=99.0), r"film\.webm lasts 5\.933 s, but one of its boxes ends at 99 s"),
        (replace(FACE, path=outside), "must lie within the picture"),
        (replace(FACE, path=FACE.path[::-1]), "the times of the box must be in ascending order"),
        (replace(FACE, begin=2.2), "the times of the box must be in ascending order, from its begin"),
        (replace(FACE, cover=None), "has no decision. Decide whether to cover this box."),
    ):
        with pytest.raises(InvalidInputError, match=said):
            decide(store, media, home, CoverChoice("film.webm", clip, (box,)))
    with pytest.raises(InvalidInputError, match="a box in a picture must not have a begin time or an end time"):
        decide(store, media, home, CoverChoice("it.png", image, (FACE,)))
    with pytest.raises(NotAllowedError):
        covering.apply_decisions(
            store, media, home, by=ann, project="p", choices=[CoverChoice("film.webm", clip, (FACE,))]
        )
    assert shown(store) == [clip, image]
    broken = home / "broken.webm"
    data = media.path(clip).read_bytes()
    broken.write_bytes(data[: len(data) * 2 // 3])
    image_pool.add_to_pool(store, media, by=None, project="p", files=[("broken.webm", broken)])
    looked = detection.detect(store, media, by=None, project="p", finder=cascades.Finder(kinds=["face"]), rate=1.0)
    ((name, why),) = looked.unread
    assert (name, "breaks off" in why, len(looked.clips)) == ("broken.webm", True, 1)
    with pytest.raises(
        InvalidInputError, match=r"lasts 2\.933 s, but one of its boxes ends at 3\.9 s"
    ):  # its frames end there
        decide(store, media, home, CoverChoice("broken.webm", shown(store)[-1], (FACE,)))
    there = replace(FACE, end=2.5, path=tuple(at for at in FACE.path if at[0] <= 2.5))
    with pytest.raises(TouchstoneError, match="breaks off"):
        decide(store, media, home, CoverChoice("broken.webm", shown(store)[-1], (there,)))
