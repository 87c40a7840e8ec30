"""What stands before a release, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AssetRow, ItemAssetRow, ItemRow
from domain.errors import InvalidFileError, InvalidInputError, TouchstoneError
from media.store import MediaStore
from testkit.factories import BLIND, make_items, make_people, make_project, make_schema, vote
from testkit.missing_extensions import needs
from testkit.released import needs_replay, replay
from workflow.lead.first_release import first_release_steps
from workflow.releases import create as making
from workflow.releases.checklist import before
from workflow.releases.create import CreatedRelease, create
from workflow.releases.extension_checks import ReleaseCondition
from workflow.releases.settings import ReleaseOptions
from workflow.results import file_raters
from workflow.results.ratings_from_files import import_ratings

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]
EVE = "Eve Quux"


@pytest.fixture
def kept(store: Store) -> Store:
    """Two items that two people have kept."""
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 2)
    for person in make_people(store, "ann", "bob"):
        for _ in range(2):
            vote(store, person)
    return store


def line(store: Store, name: str) -> ReleaseCondition:
    return next(each for each in before(store, by=None, project="p") if each.name == name)


def release(store: Store, media: MediaStore, home: Path, *despite: str, **more: Any) -> CreatedRelease:
    return create(
        store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", "items", *despite), **more)
    )


def words_in(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


@needs_replay
@needs("readers", "ratings")
@pytest.mark.both_databases
def test_a_rater_out_of_a_file_of_whom_no_one_has_said_anything_is_named_beforehand(
    kept: Store, media: MediaStore, home: Path, tmp_path: Path
) -> None:
    assert line(kept, "raters").done
    file = tmp_path / "ratings.csv"
    file.write_text(f"unit,rater,criterion,value\ncolour/0,{EVE},choice,red\ncolour/1,{EVE},choice,blue\n")
    import_ratings(kept, by=None, project="p", path=file, refuse=lambda bad: None)
    assert not line(kept, "raters").done
    assert f"not marked as a person or a machine: {EVE} " in line(kept, "raters").said
    with pytest.raises(InvalidFileError, match=rf"machine: {EVE} .*\(raters\)"):
        release(kept, media, home)
    made = release(kept, media, home, "raters")
    words = words_in(made.place / "public")
    assert "r-file-1" in words, "she has a number"
    assert EVE not in words, "and may be a person"
    assert replay(made.place / "public").ok
    file_raters.mark(kept, by=None, project="p", machines=[EVE])
    assert line(kept, "raters").done
    assert EVE in words_in(release(kept, media, home).place / "public"), "machines are called by their names"


def test_a_clip_that_people_may_work_without_is_missed_before_a_release_is(
    store: Store, media: MediaStore, home: Path
) -> None:
    text = BLIND.replace("RATERS", "1").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace("[{role: image,", "[{role: walk, kind: clip, min: 0}, {role: image,")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    ids = make_items(store, 3)
    with store.write() as session:
        item = session.get(ItemRow, ids[0])
        assert item is not None
        clips = [
            AssetRow(project_id=item.project_id, name=f"{n}.mp4", kind="clip", created_at=store.now()) for n in ids
        ]
        session.add_all(clips)
        session.flush()
        session.add_all(
            ItemAssetRow(item_id=id, asset_id=clip.id, role="walk", position=0)
            for id, clip in zip(ids, clips, strict=True)
        )
    (ann,) = make_people(store, "ann")
    assert line(store, "media").said == "no item lacks images or clips", "until one of them is kept"
    steps = {step.title: step for step in first_release_steps(store, by=None, project="p") or ()}
    assert steps["Media"].done, "people can begin"
    assert steps["Media"].said.startswith("3 items lack an image or clip that people can work without.")
    vote(store, ann)
    vote(store, ann, "blue")
    assert (line(store, "media").done, line(store, "media").said) == (False, "1 item lacks images or clips")
    with pytest.raises(InvalidFileError, match=r"1 item lacks images or clips \(media\)"):
        release(store, media, home)


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        ({"despite": ("items",)}, InvalidFileError, "License: the license is missing"),
        ({"formats": ("parquet_of_none",)}, InvalidFileError, "parquet_of_none"),
        ({"despite": ("items", "said", "licence")}, InvalidFileError, "no check licence"),
        ({"splits": ("train=0.8", "test=0.3")}, InvalidInputError, "add up to 1.1"),
        ({"private": ("tset",)}, InvalidInputError, "no split tset to make private. Splits: test"),
        ({"splits": ("dev=1", "test=rest"), "private": ("test", "val")}, InvalidInputError, "no split val"),
    ],
)
def test_a_release_is_refused_before_any_work_for_what_a_few_queries_tell(
    kept: Store,
    media: MediaStore,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: dict[str, Any],
    kind: type[TouchstoneError],
    words: str,
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(making, "names_in", lambda *_, **__: begun.append("names"))
    asked = ReleaseOptions(**{"despite": ("said", "items"), **more})
    with pytest.raises(kind, match=words):
        create(kept, media, home, by=None, project="p", asked=asked, progress=lambda what, *_: begun.append(what))
    assert begun == []


def test_a_private_split_that_a_field_names_nowhere_is_refused(kept: Store, media: MediaStore, home: Path) -> None:
    asked = ReleaseOptions(despite=("said", "items"), splits=("field:answer",), private=("test",))
    with pytest.raises(InvalidInputError, match=r"no split test to make private\. Splits: red"):
        create(kept, media, home, by=None, project="p", asked=asked)
