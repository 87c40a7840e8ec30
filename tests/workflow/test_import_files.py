"""Files come into a project whole or not at all, and a second time not twice."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import files, item_revisions, projects, task_slots
from db import items as item_queries
from db import missing_media as media_wanted
from db.engine import Store
from domain.errors import InvalidFileError, NotAllowedError, NotFoundError
from domain.records import NoTask
from domain.roles import Role
from domain.states import ItemState, Stage
from media import clips
from media.store import MediaStore, StoredMedia
from testkit import missing_media
from testkit.factories import claimed, make_person
from testkit.missing_extensions import needs
from testkit.samples import egoplan_record, egothink_record, pca_record, write
from tests.paths import ROOT
from workflow.access.projects import access_to, create_project
from workflow.annotate import claims, no_work, progress, project_progress, verification
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.files.project_check import check


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def project(store: Store, schema: str) -> str:
    return create_project(store, name="p", loaded=load_schema(shipped()[schema])).name


def bring(store: Store, media: MediaStore, format: str, path: Path, **options: Any) -> ImportSummary:
    options.setdefault("by", None)
    return import_files(store, media, project="p", format=format, path=path, **options)


def item_names(store: Store) -> list[str]:
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        return [item.external_id for item in item_queries.of_project(session, project_id=row.id)]


def assets_of(store: Store) -> dict[str, list[tuple[str, str, bool]]]:
    """Role, name and whether the file is there, of every item's assets."""
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        project_id = row.id
        names = {item.id: item.external_id for item in item_queries.of_project(session, project_id=project_id)}
        found = files.asset_names(session, project_id=project_id)
        return {
            names[id]: [(role, name, sha256 is not None) for role, name, _, sha256 in rows]
            for id, rows in found.items()
        }


def files_of(store: Store, format: str) -> dict[str, bytes]:
    return dict(exported(store, by=None, project="p", format=format).files)


# ---- items ----------------------------------------------------------------------------------------------------------


def test_an_import_that_is_stopped_while_it_opens_slots_has_all_items_and_the_next_goes_on(
    store: Store, media: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "_OFFERED_AT_ONCE", 2)
    project(store, "pca_bench")
    path = tmp_path / "items.json"
    write(path, [pca_record(n) for n in range(5)])
    between: list[int] = []

    def told(what: str, done: int, total: int) -> None:
        if what == "offering":
            with store.write() as session:  # the import has no transaction open in which anyone would wait for it
                task_slots.set_ranks(session, ranks={}, stage=Stage.VERIFICATION)
            between.append(done)
            if done == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring(store, media, "pca_bench", path, progress=told)
    assert between == [0, 2]
    assert len(item_names(store)) == 5
    assert sorted(sentence.partition(" lacks ")[2] for sentence in check(store)) == ["2 of its slots for votes."] * 3
    again = bring(store, media, "pca_bench", path)
    assert (again.items, again.repeated) == (0, 5)
    assert check(store) == []


@pytest.mark.both_databases
def test_items_come_in_and_wait_for_their_votes(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    records = [egothink_record(n) | {"question": f"Which of {n}?"} for n in range(3)]
    write(tmp_path / "in/Activity/annotations.json", records[:2])
    write(tmp_path / "in/Object/attribute/annotations.json", records)
    done = bring(store, media, "egothink", tmp_path / "in")
    assert done == ImportSummary(items=5, assets_missing=5, without_media=5)
    with store.read() as session:
        contents = item_revisions.contents(session, ids=range(1, 6))
    assert [contents[id, 1]["question"] for id in range(1, 6)] == [f"Which of {n}?" for n in (0, 1, 0, 1, 2)]
    ann = make_person(store, "ann")
    waiting = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert isinstance(waiting, NoTask), "no one gets an item without its image"
    assert waiting.sentence == no_work.WAITS_FOR_MEDIA
    assert waiting.code == "waiting_for_media"
    assert waiting.sentence == (
        "Your remaining items wait for missing images or clips. A lead can add the files. Come back later."
    )
    (row,) = [
        row
        for row in progress.my_work(store, person=ann)
        if row.dimension == "attribute" and row.stage is Stage.VERIFICATION
    ]
    assert (row.waiting, row.available, row.why) == (0, False, waiting.sentence)
    board = project_progress.dashboard(store, person=None, project="p")
    said = {each.dimension: each.blocked for each in board.rows}
    assert said["attribute"][1] == (
        "3 items wait for missing media: 3 images, such as Object/attribute/0.jpg. Import the same file again with "
        "its media, on the Add items page or with `touchstone item import p egothink FILE --media DIR`."
    )
    assert missing_media.fill(store, media) == 5
    view = claimed(store, ann, Stage.VERIFICATION, dimension="attribute")  # who has gone past them is offered them anew
    assert set(view.fields) == {"question", "answer"}
    assert [(asset.role, asset.missing) for asset in view.assets] == [("image", False)]
    assert check(store) == []


def test_an_import_needs_a_lead_and_the_schema_s_format(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    path = write(tmp_path / "Activity/annotations.json", [egothink_record(0)])
    ann, eve = make_person(store, "ann"), make_person(store, "eve", project=None)
    with pytest.raises(NotAllowedError):
        bring(store, media, "egothink", path, by=ann)
    with pytest.raises(NotFoundError):
        bring(store, media, "egothink", path, by=eve)
    (empty := tmp_path / "empty.csv").touch()
    with pytest.raises(InvalidFileError, match=r"^empty\.csv is empty\. Choose"):  # and not: make another project
        bring(store, media, "egothink", empty)
    with pytest.raises(InvalidFileError, match="can import egothink, but not egoplan"):
        bring(store, media, "egoplan", path)
    assert item_names(store) == []
    lead = make_person(store, "lea", role=Role.LEAD)
    assert bring(store, media, "egothink", path, by=lead).items == 1


@needs("formats", "prov")
def test_a_format_that_is_only_written_cannot_be_imported(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    path = write(tmp_path / "Activity/annotations.json", [egothink_record(0)])
    with pytest.raises(
        InvalidFileError,
        match=r"Touchstone can export prov, but cannot import this format. EgoThink can import egothink",
    ):
        bring(store, media, "prov", path)
    assert item_names(store) == []


def test_the_same_files_again_add_nothing(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    path = write(tmp_path / "val.json", [egoplan_record(n) for n in range(3)], indent=None)
    bring(store, media, "egoplan", path)
    before = files_of(store, "egoplan")
    assert bring(store, media, "egoplan", path) == ImportSummary(repeated=3, assets_missing=6, without_media=3)
    assert files_of(store, "egoplan") == before
    path.write_text(json.dumps([egoplan_record(n, task_goal="Other") for n in range(3)]))
    with pytest.raises(InvalidFileError, match="row 1: the item '0' exists with other content"):
        bring(store, media, "egoplan", path)
    path.write_text(json.dumps([egoplan_record(n) for n in range(4)]))
    with pytest.raises(InvalidFileError, match="already in this project: 3 of 4"):
        bring(store, media, "egoplan", path)
    assert files_of(store, "egoplan") == before


def test_single_files_that_share_ids_are_told_apart(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    one = write(tmp_path / "Activity/annotations.json", [egothink_record(0)])
    two = write(tmp_path / "Object/attribute/annotations.json", [egothink_record(1), egothink_record(2)])
    bring(store, media, "egothink", one)
    bring(store, media, "egothink", two)
    assert bring(store, media, "egothink", two).repeated == 2
    assert item_names(store) == ["0", "Object/attribute/0", "Object/attribute/1"]
    assert files_of(store, "egothink") == {
        "annotations.json": one.read_bytes(),
        "Object/attribute/annotations.json": two.read_bytes(),
    }


def test_domains_imported_one_by_one_are_told_apart(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "pca_bench")
    robot = write(tmp_path / "Robot.json", [pca_record(0)])
    driving = write(tmp_path / "Driving.json", [pca_record(0, domain="Autonomous Driving")])
    bring(store, media, "pca_bench", robot)
    bring(store, media, "pca_bench", driving)
    assert item_names(store) == ["0", "Driving/0"]
    assert files_of(store, "pca_bench") == {"Robot.json": robot.read_bytes(), "Driving.json": driving.read_bytes()}


def test_a_bad_row_refuses_the_whole_import(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    good = [egothink_record(n) for n in range(3)]
    write(tmp_path / "in/Activity/annotations.json", good)
    write(tmp_path / "in/Forecast/annotations.json", [good[0], {"question": "?"}, good[1], 7, good[2]])
    with pytest.raises(InvalidFileError, match=r"2 rows .*\nForecast/.*, row 2: .*\n.*row 4: .*\nNothing was imported"):
        bring(store, media, "egothink", tmp_path / "in")
    assert item_names(store) == []
    done = bring(store, media, "egothink", tmp_path / "in", skip_bad=True)
    assert done.items == 6
    assert [(bad.path, bad.row, json.loads(bad.raw)) for bad in done.bad] == [
        ("Forecast/annotations.json", 2, {"question": "?"}),
        ("Forecast/annotations.json", 4, 7),
    ]
    assert files_of(store, "egothink")["Forecast/annotations.json"] == json.dumps(good, indent=4).encode()


def test_a_failure_while_saving_leaves_nothing(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    for folder in ("Activity", "Forecast"):
        write(tmp_path / f"in/{folder}/annotations.json", [egothink_record(0)])

    def fail(what: str, done: int, total: int) -> None:
        if what == "saving":
            raise RuntimeError("the machine stops")

    with pytest.raises(RuntimeError):
        bring(store, media, "egothink", tmp_path / "in", progress=fail)
    assert item_names(store) == []
    assert files_of(store, "egothink") == {}
    assert bring(store, media, "egothink", tmp_path / "in").items == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from db.engine import open_store
from media.store import MediaStore, StoredMedia
from workflow.files.import_files import import_files

home, path = Path(sys.argv[1]), Path(sys.argv[2])

def kill(what, done, total):
    if what == "saving":
        os.kill(os.getpid(), signal.SIGKILL)

store = open_store(sys.argv[3], home)
import_files(store, MediaStore(home / "media"), by=None, project="p", format="egothink", path=path, progress=kill)
"""


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_kill_while_saving_leaves_nothing(
    store: Store, store_url: str, media: MediaStore, home: Path, tmp_path: Path
) -> None:
    project(store, "egothink")
    path = write(tmp_path / "Activity/annotations.json", [egothink_record(n) for n in range(50)])
    ended = subprocess.run([sys.executable, "-c", KILLED, str(home), str(path), store_url], cwd=ROOT, check=False)
    assert ended.returncode == -9
    assert item_names(store) == []
    assert bring(store, media, "egothink", path).items == 50


# ---- media ----------------------------------------------------------------------------------------------------------


def picture(path: Path, colour: str = "red") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (64, 48), colour).save(path)
    return path


def test_media_are_found_by_path_and_by_id_and_fill_what_was_missing(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    project(store, "egothink")
    write(tmp_path / "in/Activity/annotations.json", [egothink_record(n) for n in range(3)])
    write(tmp_path / "in/Forecast/annotations.json", [egothink_record(n) for n in range(2)])
    assert bring(store, media, "egothink", tmp_path / "in").assets_missing == 5
    picture(tmp_path / "media/Activity/0.jpg", "red")
    picture(tmp_path / "media/Activity/images/1.jpg", "green")
    picture(tmp_path / "media/Forecast/1.png", "blue")  # by external id; its image_path is 1.jpg
    picture(tmp_path / "media/2.jpg", "white")  # only Activity names it
    picture(tmp_path / "media/0.jpg", "black")  # Activity and Forecast both have a 0.jpg: whose it is cannot be told
    done = bring(store, media, "egothink", tmp_path / "in", media_dir=tmp_path / "media")
    assert (done.items, done.repeated, done.assets_found, done.assets_missing) == (0, 5, 4, 1)
    assert assets_of(store) == {
        "Activity/0": [("image", "Activity/0.jpg", True)],
        "Activity/1": [("image", "Activity/1.jpg", True)],
        "Activity/2": [("image", "Activity/2.jpg", True)],
        "Forecast/0": [("image", "Forecast/0.jpg", False)],
        "Forecast/1": [("image", "Forecast/1.jpg", True)],
    }


@pytest.mark.thorough
def test_filling_in_media_goes_on_where_it_was_stopped(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "pca_bench")
    path = write(tmp_path / "open.json", [pca_record(n) for n in range(50)])
    bring(store, media, "pca_bench", path)
    for n in range(50):
        picture(tmp_path / f"media/{n}.png", f"#0000{n:02x}")

    def stop(what: str, done: int, total: int) -> None:
        if (what, done) == ("media", 45):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring(store, media, "pca_bench", path, media_dir=tmp_path / "media", progress=stop)
    steps: list[int] = []

    def count(what: str, done: int, total: int) -> None:
        if what == "media":
            steps.append(total)

    done = bring(store, media, "pca_bench", path, media_dir=tmp_path / "media", progress=count)
    assert (done.assets_found, done.assets_missing) == (50, 0)
    assert steps == [10] * 10  # 40 of the 45 had been saved


class Met(MediaStore):
    """A store into which files are only taken two at a time."""

    two = threading.Barrier(2, timeout=30)

    def add(self, source: Path | str | bytes, *, name: str | None = None) -> StoredMedia:
        self.two.wait()
        return super().add(source, name=name)


def test_a_command_takes_in_several_images_at_once_and_each_goes_to_its_own_item(
    store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflow.files.one_import.os.cpu_count", lambda: 2)
    project(store, "pca_bench")
    path = write(tmp_path / "open.json", [pca_record(n) for n in range(4)])
    for n in range(4):
        picture(tmp_path / f"media/{n}.png", f"#0000{n:02x}")
    (tmp_path / "media/2.png").write_bytes(b"no image")
    met = Met(home / "media")
    with pytest.raises(InvalidFileError, match="row 3: the image of this item") as refused:
        bring(store, met, "pca_bench", path, media_dir=tmp_path / "media")
    assert str(refused.value).count(", row ") == 1, "the other three are images"
    picture(tmp_path / "media/2.png", "#000002")
    bring(store, met, "pca_bench", path, media_dir=tmp_path / "media")
    with store.read() as session:
        stored = files.asset_ids(session, project_id=1, names=[f"{n}/image" for n in range(4)])
    assert {name: sha256 for name, (_, sha256) in stored.items()} == {
        f"{n}/image": hashlib.sha256((tmp_path / f"media/{n}.png").read_bytes()).hexdigest() for n in range(4)
    }


def test_pca_bench_images_are_found_by_id(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "pca_bench")
    path = write(tmp_path / "open.json", [pca_record(0), pca_record(1), pca_record(2, index=17)])
    picture(tmp_path / "media/1.png")
    picture(tmp_path / "media/17.jpeg", "blue")
    done = bring(store, media, "pca_bench", path, media_dir=tmp_path / "media")
    assert (done.assets_found, done.assets_missing) == (2, 1)


def test_images_next_to_their_file_are_found(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "pca_bench")
    for folder, domain in (("Domestic Robot", "Domestic Robot"), ("Open-World Game", "Minecraft")):
        records = [pca_record(n, index=n, image="same.png", domain=domain) for n in range(2)]
        write(tmp_path / "in" / folder / "meta_data.json", records)
    picture(tmp_path / "in/Domestic Robot/imgs/same.png", "red")
    picture(tmp_path / "in/Open-World Game/imgs/same.png", "blue")
    done = bring(store, media, "pca_bench", tmp_path / "in", media_dir=tmp_path / "in")
    assert (done.items, done.assets_found, done.assets_missing) == (4, 2, 0)
    assert assets_of(store)["Domestic Robot/meta_data/1"] == [("image", "Domestic Robot/meta_data/same.png", True)]


def test_a_damaged_image_is_named(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "pca_bench")
    path = write(tmp_path / "open.json", [pca_record(0)])
    (tmp_path / "media").mkdir()
    (tmp_path / "media/0.png").write_text("<html>")
    with pytest.raises(InvalidFileError, match=r"open\.json, row 1: the image of this item: .*0\.png"):
        bring(store, media, "pca_bench", path, media_dir=tmp_path / "media")
    assert item_names(store) == []
    done = bring(store, media, "pca_bench", path, media_dir=tmp_path / "media", skip_bad=True)
    assert (done.items, done.assets_missing, len(done.bad)) == (1, 1, 1)
    with pytest.raises(InvalidFileError, match="The other media were imported"):
        bring(store, media, "pca_bench", path, media_dir=tmp_path / "media")


def frames(n: int) -> Sequence[Image.Image]:
    """A film whose picture number says itself in grey: frame i is grey 2 * i."""
    return [Image.new("RGB", (64, 48), (2 * i, 2 * i, 2 * i)) for i in range(n)]


def test_clips_are_cut_to_end_where_the_item_says(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    clips.write(frames(100), out=tmp_path / "media/kitchen/V00.webm", frames_per_second=10)
    records = [
        egoplan_record(0, current_observation_frame=60),
        egoplan_record(1),  # no video of it is there
        egoplan_record(2, video_id="V00", task_progress_metadata=[], current_observation_frame=50),
    ]
    path = write(tmp_path / "val.json", records)
    done = bring(store, media, "egoplan", path, media_dir=tmp_path / "media")
    # three of them have an observation, two a progress: the third says that nothing was done yet, and waits for no clip
    assert (done.items, done.assets_found, done.assets_missing) == (3, 3, 2)
    assert assets_of(store)["0"] == [("progress", "0/progress", True), ("observation", "0/observation", True)]
    assert assets_of(store)["2"] == [("observation", "2/observation", True)]
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        unsettled = [ItemState.IN_VERIFICATION]
        unseen = media_wanted.by_dimension(
            session, project_id=access.project_id, states=unsettled, needed=access.needed_roles
        )
    only = media_wanted.MissingFiles("observation", "image", files=1, example="1/observation", source="V01")
    assert unseen == {"next_action": media_wanted.MissingMedia(1, (only,))}, "only the one whose video is not there"
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        have = files.asset_ids(session, project_id=row.id, names=["0/progress", "0/observation"])
    clip, still = (media.path(str(have[name][1])) for name in ("0/progress", "0/observation"))
    # frames 10 to 60 at 10 a second: nothing after the observation is in the clip
    assert media.about(str(have["0/progress"][1])).duration == pytest.approx(5.0, abs=0.11)
    last = clips.frame(clip, out=tmp_path / "last.png", index=50)
    assert Image.open(last.path).convert("L").getpixel((32, 24)) == pytest.approx(120, abs=4)
    assert Image.open(still).convert("L").getpixel((32, 24)) == pytest.approx(120, abs=4)


@pytest.mark.thorough
def test_a_clip_ends_before_the_action_that_is_asked_for(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """EgoPlan's half second: the action begins with frame 65, so the last frame is 60 at 10 a second."""
    project(store, "egoplan")
    clips.write(frames(100), out=tmp_path / "media/V00.webm", frames_per_second=10)
    record = egoplan_record(0, action_start_frame=65)
    del record["current_observation_frame"]
    bring(store, media, "egoplan", write(tmp_path / "val.json", [record]), media_dir=tmp_path / "media")
    with store.read() as session:
        have = files.asset_ids(session, project_id=1, names=["0/progress", "0/observation"])
    still = media.path(str(have["0/observation"][1]))
    assert Image.open(still).convert("L").getpixel((32, 24)) == pytest.approx(120, abs=4)
    assert media.about(str(have["0/progress"][1])).duration == pytest.approx(5.0, abs=0.11)
    late = egoplan_record(1, video_id="V00", current_observation_frame=61, action_start_frame=65)
    early = egoplan_record(2, video_id="V00", current_observation_frame=60, action_start_frame=65)
    with pytest.raises(InvalidFileError, match=r"row 1: .*frame 61\) must be at least 0\.5 s before the action begins"):
        bring(store, media, "egoplan", write(tmp_path / "b.json", [late, early]), media_dir=tmp_path / "media")
    assert bring(store, media, "egoplan", write(tmp_path / "c.json", [early]), media_dir=tmp_path / "media").items == 1


def test_goals_have_as_many_actions_as_the_schema_says(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Of 4 to 20: 19 are done and the next is the 20th; of a goal with fewer the file need not show the rest."""
    project(store, "egoplan")
    done = [{"narration_text": "go", "start_frame": at, "stop_frame": at + 1} for at in range(20)]
    records = [
        egoplan_record(at, task_goal=goal, task_progress_metadata=done[:n])
        for at, (goal, n) in enumerate([("Cook", 19), ("Lay the table", 2), ("lay the table.", 3), ("Wash up", 2)])
    ]
    taken = bring(store, media, "egoplan", write(tmp_path / "a.json", records))
    assert taken.items == 4
    assert taken.note is not None
    assert taken.note.startswith("Goals with fewer than 4 actions in these records: 1 of 3.")
    long = egoplan_record(9, task_goal="Cook", task_progress_metadata=done)
    with pytest.raises(
        InvalidFileError, match="the goal has at least 21 actions, including the next action, but at most 20"
    ):
        bring(store, media, "egoplan", write(tmp_path / "b.json", [long]))


def test_a_segment_that_begins_after_its_clip_has_ended_is_refused(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    project(store, "egoplan")
    late = [{"narration_text": "go", "start": 1.0, "end": 1.5}, {"narration_text": "take", "start": 7.5, "end": 8}]
    records = [egoplan_record(0, task_progress_metadata=late), egoplan_record(1, task_progress_metadata=late[:1])]
    path = write(tmp_path / "val.json", records)
    for number in (0, 1):
        clips.write(frames(20), out=tmp_path / f"media/{number}.webm", frames_per_second=10)
    with pytest.raises(InvalidFileError, match=r"row 1: segment 2 begins at 7\.5 s, but the clip lasts only 1\.9"):
        bring(store, media, "egoplan", path, media_dir=tmp_path / "media")


def test_a_clip_that_is_ready_is_taken_whole(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    path = write(tmp_path / "val.json", [egoplan_record(0), egoplan_record(1)])
    film(tmp_path / "media/0.mp4", frames(30))
    clips.write(frames(20), out=tmp_path / "media/1.webm", frames_per_second=10)
    picture(tmp_path / "media/1.png")
    done = bring(store, media, "egoplan", path, media_dir=tmp_path / "media")
    assert (done.assets_found, done.assets_missing) == (3, 1)
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        have = files.asset_ids(session, project_id=row.id, names=["0/progress", "1/progress"])
    lengths = [media.about(str(have[name][1])).duration for name in ("0/progress", "1/progress")]
    assert lengths == pytest.approx([3.0, 2.0], abs=0.11)


def film(path: Path, pictures: Sequence[Image.Image]) -> None:
    """An MP4 of ten pictures a second, as cameras write it."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for each in pictures:
            container.mux(stream.encode(av.VideoFrame.from_image(each)))
        container.mux(stream.encode())


# ---- models' answers ------------------------------------------------------------------------------------------------


def lines(path: Path, records: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@needs("readers", "predictions")
def test_answers_come_in_once_and_wait_for_grading(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    write(tmp_path / "in/Object/attribute/annotations.json", [egothink_record(n) for n in range(3)])
    bring(store, media, "egothink", tmp_path / "in")
    turns = [{"question_id": n, "model_id": "fast", "choices": [{"turns": [f"fast {n}"]}]} for n in (0, 2)]
    lines(tmp_path / "fast/Object/attribute/model_answer/fast.jsonl", turns)
    own = lines(tmp_path / "own.jsonl", [{"item": "Object/attribute/1", "model": "own", "text": "It is é."}])
    assert bring(store, media, "predictions", tmp_path / "fast").predictions == 2
    assert bring(store, media, "predictions", own).predictions == 1
    assert bring(store, media, "predictions", own) == ImportSummary(repeated=1)
    assert files_of(store, "predictions")["predictions.jsonl"].decode() == (
        '{"item": "Object/attribute/0", "model": "fast", "text": "fast 0"}\n'
        '{"item": "Object/attribute/2", "model": "fast", "text": "fast 2"}\n'
        '{"item": "Object/attribute/1", "model": "own", "text": "It is é."}\n'
    )
    missing_media.fill(store, media)
    view = claimed(store, make_person(store, "gus"), Stage.GRADING)
    assert view.answer in {"fast 0", "fast 2", "It is é."}


@needs("readers", "predictions")
def test_answers_to_nothing_are_refused(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    write(tmp_path / "in/Activity/annotations.json", [egothink_record(n) for n in range(2)])
    bring(store, media, "egothink", tmp_path / "in")
    rows = [
        {"item": "Activity/0", "model": "m", "text": "a"},
        {"item": "Activity/9", "model": "m", "text": "a"},
        {"item": "Activity/0", "model": "m", "text": "b"},
    ]
    path = lines(tmp_path / "answers.jsonl", rows)
    with pytest.raises(InvalidFileError, match="row 2: there is no item 'Activity/9' in this project"):
        bring(store, media, "predictions", path)
    assert files_of(store, "predictions")["predictions.jsonl"] == b""
    done = bring(store, media, "predictions", path, skip_bad=True)
    assert done.predictions == 1
    assert [bad.row for bad in done.bad] == [2, 3]
    turn = {"question_id": 2, "model_id": "f", "choices": [{"turns": ["x"]}]}
    with pytest.raises(InvalidFileError, match="activity has 2 items, but none at position 2"):
        bring(store, media, "predictions", lines(tmp_path / "Activity/f.jsonl", [turn]))


def test_the_state_of_new_items_is_that_of_the_policy(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    bring(store, media, "egoplan", write(tmp_path / "val.json", [egoplan_record(0)]))
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        (item,) = item_queries.of_project(session, project_id=row.id)
        assert item.state is ItemState.IN_VERIFICATION


def test_texts_that_databases_dislike_come_out_as_they_went_in(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    path = tmp_path / "Activity/annotations.json"
    path.parent.mkdir()
    path.write_text(
        '[{"image_path":["1.jpg"],"question":"\\ud800 \\u0000 x","answer":"\U0001f600\\/","n":1e400,"m":[[[{}]]]}]\r\n',
        encoding="utf-8",
        newline="",
    )
    assert bring(store, media, "egothink", path).items == 1
    assert files_of(store, "egothink") == {"annotations.json": path.read_bytes()}
    missing_media.fill(store, media)
    view = claimed(store, make_person(store, "ann"))
    assert view.fields == {"question": "\ufffd \ufffd x", "answer": "\U0001f600/"}


def test_names_too_long_for_an_index_are_refused(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    path = write(tmp_path / "val.json", [egoplan_record(0, video_id="v" * 5000)])
    with pytest.raises(InvalidFileError, match="video_id is longer than 300 characters"):
        bring(store, media, "egoplan", path)


@needs("readers", "predictions")
def test_positions_count_records_that_were_left_out(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    path = write(tmp_path / "Activity/annotations.json", [egothink_record(0), {"bad": 1}, egothink_record(2)])
    bring(store, media, "egothink", path, skip_bad=True)
    assert item_names(store) == ["0", "2"]
    turns = [{"question_id": n, "model_id": "f", "choices": [{"turns": [f"to {n}"]}]} for n in (0, 2)]
    bring(store, media, "predictions", lines(tmp_path / "Activity/f.jsonl", turns))
    assert files_of(store, "predictions")["predictions.jsonl"].decode() == (
        '{"item": "0", "model": "f", "text": "to 0"}\n{"item": "2", "model": "f", "text": "to 2"}\n'
    )


def test_a_file_name_that_is_taken_is_said(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    bring(store, media, "egoplan", write(tmp_path / "one/val.json", [egoplan_record(0)]))
    with pytest.raises(InvalidFileError, match=r"This project already has a file val\.json with other items"):
        bring(store, media, "egoplan", write(tmp_path / "two/val.json", [egoplan_record(5)]))


def test_a_file_and_then_its_folder_are_not_imported_twice(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Alone, the file has the ids 0 and 1; next to a file with the same positions, they would be Robot/0, Robot/1."""
    project(store, "pca_bench")
    robot = write(tmp_path / "in/Robot.json", [pca_record(0), pca_record(1)])
    bring(store, media, "pca_bench", robot)
    write(tmp_path / "in/Driving.json", [pca_record(0, domain="Autonomous Driving")])
    done = bring(store, media, "pca_bench", tmp_path / "in")
    assert (done.items, done.repeated) == (1, 2)
    assert item_names(store) == ["0", "1", "Driving/0"]
    write(robot, [pca_record(0), pca_record(7)])
    with pytest.raises(InvalidFileError, match=r"Robot\.json, row 2: the item '1' exists with other content"):
        bring(store, media, "pca_bench", tmp_path / "in")
