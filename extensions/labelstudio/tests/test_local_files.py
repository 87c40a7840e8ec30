"""Test media as files for a Label Studio on this machine: only while a task is out, without changes to other files."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Store
from domain.bridge import BridgeState
from domain.errors import NotFoundError, SettingsError
from domain.records import AssetFile, AssetView, TaskView
from domain.states import Stage
from extensions.labelstudio.exchange.media import Outside
from extensions.labelstudio.serving.files import path_of
from extensions.labelstudio.serving.local_files import LocalFiles
from extensions.labelstudio.tests.test_media_link_route import sent, stands, who, written
from media.store import MediaStore
from tests.app.homes import Home, make_home
from tests.media.test_strip_metadata import SECRET, _jpeg
from workflow.annotate import claims


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Home:
    return make_home(tmp_path, sqlite_template, pictures=2)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    yield store
    store.close()


@pytest.fixture
def asset(store: Store) -> AssetView:
    """Return the picture of Bo's verification, which is out under the key `one`."""
    written(store)
    view = claims.next_task(store, person=who(store, "bo"), project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    sent(store, view.id, key="one")
    return view.assets[0]


@pytest.fixture
def files(home: Home, store: Store, tmp_path: Path) -> LocalFiles:
    (tmp_path / "root").mkdir()
    return LocalFiles.below(tmp_path / "root", store=store, media=home.media(), cache=tmp_path / "prepared")


def test_a_picture_lies_where_label_studio_reads_it_while_its_task_is_out(
    files: LocalFiles, store: Store, asset: AssetView
) -> None:
    address = files.link("one", asset)
    assert address == f"/data/local-files/?d=touchstone/one/{asset.id}.webp"
    path = files.root / "touchstone" / "one" / f"{asset.id}.webp"
    assert path.read_bytes()[8:12] == b"WEBP"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644  # Label Studio may run as someone else
    before = path.stat()
    assert files.link("one", asset) == address
    assert path.stat() == before
    path.write_bytes(path.read_bytes()[:9])  # as a copy that broke off
    assert files.link("one", asset) == address
    assert path.stat().st_size == before.st_size
    assert files.sweep() == 0
    stands(store, "one", BridgeState.REMOVING)
    assert files.sweep() == 1
    assert not path.parent.exists()
    with pytest.raises(NotFoundError):
        files.link("one", asset)


def test_what_others_keep_there_stays(files: LocalFiles, store: Store, asset: AssetView, tmp_path: Path) -> None:
    files.link("one", asset)
    theirs = files.folder / "two"
    theirs.mkdir()
    (theirs / "kept.txt").write_text("kept")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").write_text("kept")
    (files.folder / "three").symlink_to(elsewhere)
    (files.folder / "kept.txt").write_text("kept")
    stands(store, "one", BridgeState.OVER)
    assert files.sweep() == 1
    assert sorted(path.name for path in files.folder.iterdir()) == ["kept.txt", "three", "two"]
    assert (theirs / "kept.txt").read_text() == (elsewhere / "kept.txt").read_text() == "kept"


def test_another_item_s_picture_is_not_put_there(files: LocalFiles, asset: AssetView) -> None:
    with pytest.raises(NotFoundError):
        files.link("one", AssetView("another", "image", "image"))
    with pytest.raises(NotFoundError):
        files.link("nothing", asset)


def test_a_root_that_cannot_be_used_is_told(home: Home, store: Store, tmp_path: Path) -> None:
    told = {"store": store, "media": home.media(), "cache": tmp_path}
    with pytest.raises(SettingsError, match="LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT"):
        LocalFiles.below(tmp_path / "nothing", **told)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "touchstone").write_text("a file")
    with pytest.raises(SettingsError, match="Touchstone cannot write to the folder for local files"):
        LocalFiles.below(tmp_path / "full", **told)


@pytest.mark.parametrize("size", ["original", "display", "thumb"])
def test_no_size_of_a_picture_says_there_who_took_it(size: str, tmp_path: Path) -> None:
    media, source = MediaStore(tmp_path / "media"), tmp_path / "Ana Author.jpg"
    source.write_bytes(_jpeg(6))
    sha256 = media.add(source, name=source.name).sha256
    outside = Outside(AssetFile(sha256=sha256, kind="image", mime="image/jpeg"))  # type: ignore[arg-type]
    sent, _ = path_of(media, tmp_path / "made", outside, size)
    assert SECRET not in sent.read_bytes()
