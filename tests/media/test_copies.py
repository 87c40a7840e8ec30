"""What is made of an original is shown as it was made, or made again; a damaged original is refused."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from domain.errors import InvalidMediaError
from media import copies
from media.model_input import Pictures
from media.store import MediaStore, StoredMedia
from testkit.pictures import encoded, photo, video


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


def _with_notes() -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "Camera of Ann"
    return encoded(photo(160, 120), "JPEG", exif=exif)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "empty": lambda content: b"",
    "zeros at its end": lambda content: content[: len(content) // 2] + bytes(len(content) - len(content) // 2),
    "another byte": lambda content: content[:40] + bytes([content[40] ^ 255]) + content[41:],
}
PICTURES = {
    "a photo with notes": _with_notes,
    "a drawing": lambda: encoded(photo(160, 120)),
    "written as PNG": lambda: encoded(photo(160, 120), "BMP"),
}


def _served(store: MediaStore, sha256: str) -> dict[str, bytes]:
    """All that pages may ask for of an image."""
    return {size: store.shown(sha256, size)[0].read_bytes() for size in ("display", "thumb", "original")}  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("what", PICTURES)
def test_a_damaged_copy_is_made_again(what: str, damage: str, store: MediaStore) -> None:
    stored = store.add(PICTURES[what]())
    before = _served(store, stored.sha256)
    for size in before:
        path = store.shown(stored.sha256, size)[0]  # type: ignore[arg-type]
        if path.samefile(store.path(stored.sha256)):
            continue  # damaged with its original, which the next test does
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert _served(store, stored.sha256) == before
    assert _served(MediaStore(store.root), stored.sha256) == before


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("what", PICTURES)
def test_of_a_damaged_original_nothing_is_made_or_shown(
    what: str, opened: bool, damage: str, store: MediaStore
) -> None:
    stored = store.add(PICTURES[what]())
    before = _served(store, stored.sha256) if opened else {}
    linked = opened and store.bare(stored.sha256)[0].samefile(store.path(stored.sha256))
    store.path(stored.sha256).write_bytes(DAMAGE[damage](PICTURES[what]()))
    if opened and not linked:
        assert store.shown(stored.sha256, "original")[0].read_bytes() == before["original"], "the copy is whole"
    else:
        with pytest.raises(InvalidMediaError, match="Restore the file from a backup"):
            store.shown(stored.sha256, "original")
    display = store.shown(stored.sha256, "display")[0]
    display.write_bytes(b"")
    with pytest.raises(InvalidMediaError, match="Restore the file from a backup"):
        store.shown(stored.sha256, "display")


def _of_an_older_version(store: MediaStore, stored: StoredMedia) -> None:
    """Such a store has nothing written down of its copies."""
    (store.path(stored.sha256).parent / copies.RECORD).unlink()


@pytest.mark.parametrize("damage", ["cut in half", "empty", "without its last byte"])
def test_copies_of_an_older_version_are_read_once_and_made_again_if_need_be(damage: str, store: MediaStore) -> None:
    stored = store.add(_with_notes())
    before = _served(store, stored.sha256)
    _of_an_older_version(store, stored)
    assert _served(store, stored.sha256) == before
    assert (store.path(stored.sha256).parent / copies.RECORD).exists()
    for size in ("display", "thumb", "original"):
        _of_an_older_version(store, stored)
        path = store.shown(stored.sha256, size)[0]  # type: ignore[arg-type]
        _of_an_older_version(store, stored)
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
        assert _served(store, stored.sha256) == before


@pytest.mark.parametrize("recorded", [True, False])
def test_what_was_made_of_a_clip_is_made_again(recorded: bool, store: MediaStore, tmp_path: Path) -> None:
    stored = store.add(video(tmp_path / "clip.webm", [number / 10 for number in range(10)]))
    before = {**_served(store, stored.sha256), "frames": store.frames(stored.sha256).read_bytes()}
    linked = store.bare(stored.sha256)[0].samefile(store.path(stored.sha256))
    for name in ("display.webp", "thumb.webp", "frames.json", *([] if linked else ["bare"])):
        path = store.path(stored.sha256).parent / name
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    if not recorded:
        _of_an_older_version(store, stored)
    assert {**_served(store, stored.sha256), "frames": store.frames(stored.sha256).read_bytes()} == before


def test_a_picture_for_a_model_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    pictures = Pictures(MediaStore(tmp_path / "media"), tmp_path / "prepared")
    stored = pictures.media.add(encoded(photo()))
    made = pictures.image(stored.sha256, boxes=[{"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}])
    for damage in ("cut in half", "empty", "zeros at its end"):
        made.path.write_bytes(DAMAGE[damage](made.path.read_bytes()))
        assert pictures.image(stored.sha256, boxes=[{"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}]) == made


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    copies.write_whole(path, b"before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            copies.write_whole(path, bytes(20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"before")]


def test_a_record_that_cannot_be_read_counts_as_none(store: MediaStore) -> None:
    stored = store.add(_with_notes())
    before = _served(store, stored.sha256)
    for content in (b"", b"[1]", b'{"display'):
        (store.path(stored.sha256).parent / copies.RECORD).write_bytes(content)
        assert _served(store, stored.sha256) == before
