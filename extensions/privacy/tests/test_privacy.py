"""What is covered in a picture is seen by no one any more, wherever pictures go; and every decision is on record."""

from __future__ import annotations

import base64
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image
from sqlmodel import select

from annotation_schemas.loader import load_text
from db import events
from db.engine import Store
from db.tables import AssetRow, EventRow, MediaObjectRow
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.project_parts import archive_in
from domain.roles import Role
from domain.settings import settings_from
from extensions.privacy import covering, decisions, detection
from extensions.privacy.boxes import Box, CoverChoice
from extensions.privacy.covering import CoverResult
from extensions.privacy.tests.boxes import BOX
from media.model_input import Pictures
from media.store import MediaStore
from testkit.covered import SIZE, file, picture, shows
from testkit.factories import make_person, make_project
from testkit.pictures import encoded
from testkit.project_archives import delete_project, export_project, import_project, needs_archives
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.releases.pictured import One, pictured
from tests.workflow.shortcut_world import SCHEMA, spec_of
from tests.workflow.test_questions import bring
from workflow.access import accounts, withheld_files
from workflow.access.projects import access_to
from workflow.annotate import image_pool
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions
from workflow.runs import run_start
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import means_of, work

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]

OTHER = Box("plate", 0.7, 0.7, 0.2, 0.2, "plate", cover=False)


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def put(store: Store, media: MediaStore, folder: Path, *data: bytes, project: str = "p") -> list[str]:
    """Bring files into the pool; the SHA-256 of each asset there is."""
    files = []
    for at, each in enumerate(data):
        path = folder / f"{at}.png"
        path.write_bytes(each)
        files.append((f"{at}.png", path))
    image_pool.add_to_pool(store, media, by=None, project=project, files=files)
    return shown(store, project)


def shown(store: Store, project: str = "p") -> list[str]:
    """The hashes of what the assets of a project show, in their order."""
    with store.read() as session:
        id = access_to(session, person=None, project=project).project_id
        return [row.sha256 or "" for row in session.exec(select(AssetRow).order_by("id")) if row.project_id == id]


def ids(store: Store) -> list[str]:
    with store.read() as session:
        return [row.public_id for row in session.exec(select(AssetRow).order_by("id"))]


def decide(
    store: Store, media: MediaStore, home: Path, *told: CoverChoice, project: str = "p", **how: Any
) -> CoverResult:
    return covering.apply_decisions(store, media, home, by=None, project=project, choices=told, **how)


def copies(media: MediaStore, sha256: str) -> list[Path]:
    return [media.shown(sha256, size)[0] for size in ("thumb", "display", "original")]


def test_the_pool_shows_the_covered_picture_under_another_id(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store)
    (original,) = put(store, media, home, file())
    assert all(shows(copy) for copy in copies(media, original))
    (before,) = ids(store)
    done = decide(store, media, home, CoverChoice("0.png", original, (BOX, OTHER)))
    assert (done.pictures, done.covered, done.boxes, done.same) == (1, 1, 1, 0)
    (after,) = shown(store)
    assert after != original
    assert not any(shows(copy) for copy in copies(media, after))
    about = media.about(after)
    assert (about.width, about.height) == SIZE
    (now,) = ids(store)
    assert now != before, "what a browser has kept under the old address is asked for no more"
    assert media.path(original).read_bytes() == file(), "kept back as it came"


def test_every_decision_is_on_record(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    files = put(store, media, home, file(), file(100))
    finder = SimpleNamespace(
        settings={"opencv": "4.x", "cascades": {"c.xml": "ab"}},
        find=lambda picture: [SimpleNamespace(kind="plate", x=0.7, y=0.7, w=0.2, h=0.2, by="plate")],
    )
    looked = detection.detect(store, media, by=lea, project="p", finder=finder)
    assert (looked.n_found, looked.n_with, len(looked.pictures)) == (2, 2, 2)
    told = [CoverChoice("0.png", files[0], (BOX, OTHER)), CoverChoice("1.png", files[1], ())]
    covering.apply_decisions(store, media, home, by=lea, project="p", choices=told, looked=finder.settings, margin=0.1)
    with store.read() as session:
        found = list(session.exec(select(EventRow).where(EventRow.kind.startswith("privacy.")).order_by("id")))  # type: ignore[attr-defined]
        first, second = decisions.load_decisions(session, project_id=found[0].project_id or 0)
    assert [each.kind for each in found] == [events.FACES_LOOKED, events.COVERED, events.COVERED]
    assert found[0].data["looked"] == finder.settings
    assert (found[0].data["pictures"], found[0].data["found"]) == (2, 2)
    assert (first.by, first.name, first.original, first.boxes) == ("lea", "0.png", files[0], (BOX, OTHER))
    assert (first.covers, first.margin, first.looked) == ((BOX,), 0.1, finder.settings)
    assert (second.boxes, second.file, second.looked) == ((), files[1], {})
    again = detection.detect(store, media, by=lea, project="p", finder=finder)
    assert again.n_found == 1, "the plate that was left is not proposed once more"
    assert detection.count_decisions(again) == {
        "pictures": 2, "covered": 1, "nothing": 1, "open": 0, "clips": 0, "clips_covered": 0, "clips_nothing": 0,
        "clips_open": 0, "unread": 0,
    }  # fmt: skip


def test_a_later_decision_starts_from_the_original_and_shows_nothing_again_by_itself(
    store: Store, media: MediaStore, home: Path
) -> None:
    make_project(store)
    (original,) = put(store, media, home, file())
    decide(store, media, home, CoverChoice("0.png", original, (BOX,)))
    (first,) = shown(store)
    more = replace(BOX, kind="other", x=0.6)
    for boxes in ((more,), (replace(BOX, cover=False), more), (replace(BOX, w=0.1), more), ()):
        with pytest.raises(InvalidInputError, match=r"would uncover parts of these files: 0\.png"):
            decide(store, media, home, CoverChoice("0.png", first, boxes))
    assert shown(store) == [first]
    decide(store, media, home, CoverChoice("0.png", first, (BOX, more)), margin=0.0)
    (second,) = shown(store)
    with store.read() as session:
        known = decisions.load_decisions(session, project_id=1)
        assert withheld_files.instead(session, project_id=1) == {original: second, first: second}
    assert [each.margin for each in known] == [0.15, 0.15], "a margin never becomes smaller by itself"
    at_once = media.add(file(), name="x")
    areas = [privacy_areas(box) for box in (BOX, more)]
    with Image.open(media.path(second)) as made, Image.open(media.path(at_once.sha256)) as plain:
        from extensions.privacy.covered_image import covered

        assert made.tobytes() == covered(plain.convert("RGB"), areas).tobytes()
    assert decide(store, media, home, CoverChoice("0.png", second, (BOX, more))).same == 1
    with pytest.raises(InvalidInputError, match=r"the decision about 0.png has changed"):
        decide(store, media, home, CoverChoice("0.png", first, (BOX,)))
    decide(store, media, home, CoverChoice("0.png", second, ()), uncover=True)
    assert shown(store) == [original]
    with store.read() as session:
        assert len(decisions.load_decisions(session, project_id=1)) == 3


def test_no_one_decides_over_what_someone_else_decided_meanwhile(store: Store, media: MediaStore, home: Path) -> None:
    """That there is nothing leaves the file as it is, so the file alone does not say that someone was faster."""
    make_project(store)
    (original,) = put(store, media, home, file())
    lea = make_person(store, "lea", role=Role.LEAD)
    nothing = [CoverChoice("0.png", original, (replace(BOX, cover=False),))]
    covering.apply_decisions(store, media, home, by=lea, project="p", choices=nothing, after={original: None})
    with pytest.raises(InvalidInputError, match=r"lea has already decided about 0\.png"):
        decide(store, media, home, CoverChoice("0.png", original, (BOX,)), after={original: None})
    seen = detection.find_media(store, by=lea, project="p", file=original)
    assert seen.decision is not None
    assert (
        decide(store, media, home, CoverChoice("0.png", original, (BOX,)), after={original: seen.decision.at}).boxes
        == 1
    )


def privacy_areas(box: Box) -> tuple[int, int, int, int]:
    """With a margin of 0.15 in a picture of 200 x 100, from whole pixels: 40 wide and 40 high give 6 on every side."""
    left, top = round(box.x * 200) - 6, round(box.y * 100) - 6
    return left, top, left + 52, top + 52


def test_whoever_brings_the_original_in_again_gets_the_covered_one(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store)
    (original,) = put(store, media, home, file())
    decide(store, media, home, CoverChoice("0.png", original, (BOX,)))
    covered = shown(store)
    assert put(store, media, home, file()) == covered
    loaded = load_text(SCHEMA.replace("STAGES", "{authoring: {}}").replace("EXPORT", ""), "", "rooms")
    path = home / "again.png"
    path.write_bytes(file())
    make_project(store, name="q", loaded=loaded)
    image_pool.add_to_pool(store, media, by=None, project="q", files=[("other.png", path)])
    assert shown(store, "q") == [original], "another project decides for itself"


def test_what_models_are_shown(store: Store, media: MediaStore, home: Path) -> None:
    loaded = load_text(SCHEMA.replace("STAGES", "{authoring: {}}").replace("EXPORT", ""), "", "rooms")
    path = home / "it.png"
    path.write_bytes(file())
    fields = {"question": "Number 1?", "options": ["a", "b", "c", "d"], "answer": "a"}
    bring(store, media, loaded, [("colour", fields, [("image", path)])])
    sent: list[bytes] = []

    def script(asked: Asked, number: int) -> Reply:
        sent.extend(base64.b64decode(each) for each in re.findall(r"base64,([A-Za-z0-9+/=]+)", str(asked.body)))
        return chat("A")

    means = means_of(store, media, settings_from({"TOUCHSTONE_HOME": str(home)}, home))
    drawn = {"boxes": [{"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}]}
    with ScriptedServer(script) as server:
        spec = spec_of(server)
        plan = plan_for(loaded.schema_, spec)
        work(store, run_start.start(store, by=None, project="p", spec=spec, plan=plan), means=means)
        assert [shows(each) for each in sent] == [True]
        (original,) = shown(store)
        made = Pictures(media, home / "prepared").image(original, **drawn)
        waiting = run_start.start(store, by=None, project="p", spec=spec, plan=plan)
        with pytest.raises(ConflictError, match="is in progress"):
            decide(store, media, home, CoverChoice("it.png", original, (BOX,)))
        work(store, waiting, means=means)
        decide(store, media, home, CoverChoice("it.png", original, (BOX,)))
        assert not made.path.exists(), "what was made of it before is gone"
        sent.clear()
        work(store, run_start.start(store, by=None, project="p", spec=spec, plan=plan), means=means)
    assert [shows(each) for each in sent] == [False]
    (covered,) = shown(store)
    assert not shows(Pictures(media, home / "prepared").image(covered, **drawn).path)


@needs_archives
def test_what_releases_and_archives_hold(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One("a", picture=file()), One("b", picture=file(90))])
    wanted = ReleaseOptions(media=True, despite=("said", "items"))
    first = create(store, media, home, by=None, project="p", asked=wanted)
    assert [shows(path) for path in first.place.rglob("public/media/*/*")] == [True, True]
    files = shown(store)
    archive_in(home, "p").parent.mkdir()
    export_project(store, media, out=archive_in(home, "p"))
    told = [CoverChoice("a.png", files[0], (BOX,)), CoverChoice("b.png", files[1], (BOX,))]
    before = covering.preview_decisions(store, home, by=None, project="p", choices=told, after={})
    assert (before.pictures, before.covered, before.boxes) == (2, 2, 2)
    assert (before.releases, before.archive, archive_in(home, "p").exists()) == (["1"], True, True)
    done = decide(store, media, home, *told)
    assert (done.releases, done.archive, archive_in(home, "p").exists()) == (["1"], True, False)
    second = create(store, media, home, by=None, project="p", asked=wanted)
    assert [shows(path) for path in second.place.rglob("public/media/*/*")] == [False, False]
    raw = b"".join(path.read_bytes() for path in second.place.rglob("*") if path.is_file())
    assert not any(original.encode() in raw for original in files), "not even by its hash"
    out = home / "p.zip"
    export_project(store, media, out=out)
    with zipfile.ZipFile(out) as archive:
        names = [name for name in archive.namelist() if re.search(r"[0-9a-f]{64}", name)]
        assert len(names) == 2
        assert not any(shows(archive.read(name)) for name in names)


@needs_archives
def test_a_project_that_came_from_elsewhere_has_no_original(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store)
    (original,) = put(store, media, home, file())
    decide(store, media, home, CoverChoice("0.png", original, (BOX,)))
    export_project(store, media, out=home / "p.zip")
    delete_project(store, media, home=home)
    assert original not in media, "an original that is kept back goes with its project"
    with store.read() as session:
        assert list(session.exec(select(MediaObjectRow))) == []
    accounts.create_person(store, login="adm", name="Adm", is_admin=True)
    import_project(store, media, path=home / "p.zip", name="q", people="match")
    (covered,) = shown(store, "q")
    assert put(store, media, home, file(), project="q") == [covered]
    media.remove(original)
    with pytest.raises(InvalidInputError, match="is not on this machine"):
        decide(store, media, home, CoverChoice("0.png", covered, ()), project="q", uncover=True)
    more = replace(BOX, x=0.55)  # it lies over the edge of two colours
    decide(store, media, home, CoverChoice("0.png", covered, (BOX, more)), project="q")
    (again,) = shown(store, "q")
    assert again != covered
    assert not shows(media.path(again))


@needs_archives
def test_a_file_that_another_project_shows_or_keeps_back_outlives_this_one(
    store: Store, media: MediaStore, home: Path
) -> None:
    for name in ("p", "q"):
        make_project(store, name=name)
        put(store, media, home, file(), project=name)
    (original,) = shown(store, "p")
    decide(store, media, home, CoverChoice("0.png", original, (BOX,)), project="q")
    delete_project(store, media, home=home)
    assert original in media
    (covered,) = shown(store, "q")
    delete_project(store, media, project="q", home=home)
    assert original not in media
    assert covered not in media


def test_pictures_that_look_alike_once_covered_are_not_mistaken_for_one_another(
    store: Store, media: MediaStore, home: Path
) -> None:
    """Two that differ within the box alone: the covered one stands for both, and cannot become either again."""
    make_project(store)
    other = picture()
    other.paste((0, 200, 0), (60, 30, 80, 50))
    one, two = put(store, media, home, file(), encoded(other))
    decide(store, media, home, CoverChoice("0.png", one, (BOX,)), CoverChoice("1.png", two, (BOX,)))
    first, second = shown(store)
    assert first == second not in (one, two)
    with pytest.raises(InvalidInputError, match="Several covered pictures now look identical"):
        decide(store, media, home, CoverChoice("0.png", first, ()), uncover=True)
    more = replace(BOX, x=0.55)
    decide(store, media, home, CoverChoice("0.png", first, (BOX, more)))
    last, same = shown(store)
    assert last == same != first
    with store.read() as session:
        assert withheld_files.instead(session, project_id=1) == {one: last, two: last, first: last}
    assert put(store, media, home, file(), encoded(other)) == [last, same]


@pytest.mark.one_database
def test_what_does_not_fit_changes_nothing(store: Store, media: MediaStore, home: Path) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    one, two = put(store, media, home, file(), file(90))
    for boxes, said in (
        ((replace(BOX, cover=None),), "has no decision. Decide whether to cover this box."),
        ((replace(BOX, x=0.9),), "must lie within the picture"),
        ((replace(BOX, w=0.0),), "must lie within the picture"),
        ((replace(BOX, h=float("nan")),), "must lie within the picture"),
        ((replace(BOX, kind="hand"),), "Choose one of face, plate, other"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            decide(store, media, home, CoverChoice("0.png", one, (BOX,)), CoverChoice("1.png", two, boxes))
    with pytest.raises(InvalidInputError, match=r"has no picture gone\.png"):
        decide(store, media, home, CoverChoice("gone.png", "0" * 64, (BOX,)))
    with pytest.raises(InvalidInputError, match="share from 0 to 1"):
        decide(store, media, home, CoverChoice("0.png", one, (BOX,)), margin=float("nan"))
    for use in (
        lambda: covering.apply_decisions(
            store, media, home, by=ann, project="p", choices=[CoverChoice("0.png", one, (BOX,))]
        ),
        lambda: detection.list_media(store, media, by=ann, project="p"),
    ):
        with pytest.raises(NotAllowedError):
            use()
    assert shown(store) == [one, two]
