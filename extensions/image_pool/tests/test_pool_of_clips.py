"""Images and clips come into the pool, also from the command line, and clips leave it as images do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app import services
from app.cli import cli
from db.engine import Store, open_store
from domain.errors import AlreadyTakenError, InvalidInputError
from domain.states import Stage
from extensions.image_pool import triage_decisions
from extensions.image_pool.candidate_form import picture
from extensions.image_pool.triage_records import TriageGroup
from media import clips
from media.store import MediaStore
from testkit.factories import make_person
from tests.paths import ROOT
from workflow.access.projects import create_project
from workflow.annotate import image_pool

WALKS = """
name: walks
version: 1
title: Walks
SOURCE
dimensions: [{id: all, title: All, definition: "Everything."}]
item:
  assets: [{role: still, kind: image, min: 0}, {role: walk, kind: clip}]
  fields: [{name: question, kind: text}]
stages:
  authoring: {per_source: 1}
  TRIAGE
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One image twice; a clip as WebM, the same under a name for MP4 in another place, a third; and what is none."""
    root = tmp_path_factory.mktemp("walks")
    for name in ("kitchen", "garden", ".hidden"):
        (root / name).mkdir()
    Image.new("RGB", (64, 48), "red").save(root / "kitchen/a.png")
    Image.new("RGB", (64, 48), "red").save(root / "garden/same.png")
    for name, shade in (("kitchen/one.webm", 20), ("garden/two.mp4", 120), ("garden/three.webm", 220)):
        made = (Image.new("RGB", (64, 48), (shade, 2 * at, 9)) for at in range(8))
        out = clips.write(made, out=root / "made.webm", frames_per_second=10)
        out.rename(root / name)
    (root / "garden/broken.mp4").write_bytes((root / "garden/two.mp4").read_bytes()[:300])
    (root / "garden/cut.png").write_bytes((root / "kitchen/a.png").read_bytes()[:50])
    (root / ".hidden/x.png").write_bytes(b"no one looks here")
    return root


def made(store: Store, *, source: str = "", in_triage: bool = False) -> None:
    text = WALKS.replace("SOURCE", source).replace("TRIAGE", "triage: {reasons: [dark]}" if in_triage else "")
    create_project(store, name="p", loaded=load_text(text, "Be exact.", "walks"))


@pytest.fixture
def command(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The home that commands in this process work on."""
    home.mkdir(exist_ok=True)
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    store = open_store(None, home)
    yield store
    store.close()
    services.resources().store.close()
    services.resources.cache_clear()


def test_a_folder_comes_in_from_the_command_line_and_its_clips_leave_one_by_one(command: Store, folder: Path) -> None:
    store = command
    made(store)
    done = CliRunner().invoke(cli, ["pool", "import", "p", str(folder)])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    # garden: cut.png and broken.mp4 are damaged, same.png comes first by name, so kitchen/a.png is the repeated one
    assert lines[:4] == [
        "1 image and 3 clips added; 1 already in the project (identical files).",
        "   garden: 3",
        "   kitchen: 1",
        "Not taken: 2.",
    ]
    assert [line.split(":")[0] for line in lines[4:]] == ["   garden/broken.mp4", "   garden/cut.png"]
    again = CliRunner().invoke(cli, ["pool", "import", "p", str(folder / "kitchen"), "--role", "walk"])
    assert again.stdout.splitlines() == [
        "Nothing added; 1 already in the project (identical files).",
        "Not taken: 1.",
        "   a.png: The file is an image, but walk accepts clips. Choose another file.",
    ]
    for arguments, sentence in (
        ([str(folder), "--role", "wolk"], "The schema has no asset 'wolk'. Its assets: still, walk."),
        ([str(folder / "none")], f"The file or folder {folder / 'none'} does not exist"),
        ([str(folder), "--dimension", "odd"], "The schema has no dimension 'odd'."),
    ):
        refused = CliRunner().invoke(cli, ["pool", "import", "p", *arguments])
        assert refused.exit_code != 0
        assert sentence in f"{refused.output} {refused.exception}"

    ann, bob = make_person(store, "ann"), make_person(store, "bob")
    free = image_pool.pool(store, person=ann, project="p")
    assert [(each.kind, each.role) for each in free.assets].count(("clip", "walk")) == 3
    assert free.total == 4
    by_kind = {kind: [each.id for each in free.assets if each.kind == kind] for kind in ("image", "clip")}
    with pytest.raises(InvalidInputError, match=r"An item needs 0 image \(still\), 1 clip \(walk\)"):
        image_pool.pick(store, person=ann, project="p", dimension="all", assets=by_kind["image"])
    in_garden = by_kind["clip"][:2]  # three.webm and two.mp4, in the order of their names
    task = image_pool.pick(store, person=ann, project="p", dimension="all", assets=in_garden[:1])
    assert [(each.role, each.kind) for each in task.assets] == [("walk", "clip")]
    left = [each.id for each in image_pool.pool(store, person=bob, project="p").assets]
    assert left == by_kind["clip"][2:], "one of each source is enough, so the garden's other files are not offered"
    with pytest.raises(AlreadyTakenError):
        image_pool.pick(store, person=bob, project="p", dimension="all", assets=in_garden[1:])


def test_clips_go_through_triage_and_are_played_there(store: Store, home: Path, folder: Path) -> None:
    made(store, in_triage=True)
    files = [("kitchen/one.webm", folder / "kitchen/one.webm")]
    image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project="p", files=files)
    ann = make_person(store, "ann", stages=[Stage.TRIAGE])
    found = triage_decisions.next_group(store, person=ann, project="p")
    assert isinstance(found, TriageGroup)
    (frame,) = found.frames
    drawn = picture(frame, number=1, per_source=None, height="9vh")
    assert f'<video src="/media/{frame.asset.id}/original" poster="/media/{frame.asset.id}/display"' in drawn
    triage_decisions.decide(store, person=ann, project="p", keep=[frame.asset.id], drop={}, key=found.token)
    assert image_pool.pool(store, person=ann, project="p").total == 1


def test_a_video_becomes_frames_where_the_schema_says_so_and_a_clip_for_a_clips_place(
    store: Store, home: Path, folder: Path
) -> None:
    made(store, source="source: {format: csv, media: {frame_every: 4}}")
    media, files = MediaStore(home / "media"), [("one.webm", folder / "kitchen/one.webm")]

    def add(role: str | None) -> tuple[int, int]:
        done = image_pool.add_to_pool(store, media, by=None, project="p", files=files, role=role)
        return done.added, done.clips

    assert (add(None), add("walk"), add("still")) == ((2, 0), (1, 1), (0, 0))  # frames 0 and 4 of 8; the video; again


def test_what_has_no_place_in_an_item_is_refused(store: Store, home: Path, folder: Path) -> None:
    text = (ROOT / "annotation_schemas" / "demo.yaml").read_text(encoding="utf-8")
    assert "kind: clip" not in text
    create_project(store, name="p", loaded=load_text(text, "Be exact.", "demo"))
    files = [(name, folder / name) for name in ("kitchen/one.webm", "garden/two.mp4", "kitchen/a.png")]
    done = image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project="p", files=files)
    assert (done.added, done.refused) == (
        1,
        (
            ("kitchen/one.webm", "The file is a clip, but items of this project need images. Choose another file."),
            ("garden/two.mp4", "The file is a video, but items of this project need images. Choose another file."),
        ),
    )
