"""A file is found by its name, also where the table and the disk write the name in other forms."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from domain.errors import InvalidMediaError
from importers.media_files import MediaFolder

NFC, NFD = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))


def touch(folder: Path, *names: str) -> MediaFolder:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return MediaFolder(folder)


def found(media: MediaFolder, name: str, *folders: str) -> str | None:
    path = media.named(name, folders=folders or ("",))
    return path.read_bytes().decode() if path else None


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        (f"{NFD}.png", f"{NFC}.png"),
        (f"{NFC}.png", f"{NFD}.png"),
        ("a.PNG", "a.png"),
        ("a.png", "A.PNG"),
        (f"{NFD.upper()}.JPG", f"{NFC}.jpg"),
        ("Straße/IMG.jpeg", "STRASSE/img.JPEG"),
        (f"{NFD}/{NFD}.png", f"{NFC}/{NFC}.png"),
        ("sub/한글.png", unicodedata.normalize("NFD", "sub/한글.png")),
    ],
)
def test_another_form_of_a_name_finds_the_file(there: str, asked: str, tmp_path: Path) -> None:
    media = touch(tmp_path, there, "other.png")
    assert found(media, asked) == there
    assert [path.read_bytes().decode() for path in media.closest(asked)] == [there]
    stem = asked.rpartition(".")[0]
    by_id = media.of_id(stem, "image")
    assert by_id is not None
    assert by_id.read_bytes().decode() == there


def test_the_exact_name_comes_first(tmp_path: Path) -> None:
    media = touch(tmp_path, f"{NFC}.png", f"{NFD}.png", "a.png", "a.PNG", "b/x.PNG", "c/x.png")
    for name in (f"{NFC}.png", f"{NFD}.png", "a.png", "a.PNG"):
        assert found(media, name) == name
    assert found(media, "x.png", "b", "c") == "c/x.png"  # exact in a later folder before another form in an earlier
    assert found(media, "x.png", "b") == "b/x.PNG"


def test_names_that_differ_only_in_case_or_form_are_refused(tmp_path: Path) -> None:
    media = touch(tmp_path, "a.png", "A.png", f"{NFC}.PNG", f"{NFD}.PNG")
    with pytest.raises(
        InvalidMediaError, match=r"'a\.PNG' matches 2 files: A\.png, a\.png.*Keep only one of these files"
    ):
        found(media, "a.PNG")
    with pytest.raises(InvalidMediaError, match="matches 2 files"):
        found(media, f"{NFC}.png")
    with pytest.raises(InvalidMediaError, match="matches 2 files"):
        touch(tmp_path / "ids", "QA.png", "qa.png").of_id("Qa", "image")


def test_what_is_there_and_unsupported_is_found(tmp_path: Path) -> None:
    media = touch(tmp_path, "a.heic", "b.PDF", "notes.txt", "c.json", "d.tif", "d.png")
    assert found(media, "a.heic") == "a.heic"
    assert found(media, "b.pdf") == "b.PDF"
    assert found(media, "notes.txt") == "notes.txt"  # the store says what it is
    by_id = {name: media.of_id(name, "image") for name in ("a", "b", "notes", "c", "d")}
    assert {name: path and path.name for name, path in by_id.items()} == {
        "a": "a.heic", "b": "b.PDF", "notes": None, "c": None, "d": "d.png",
    }  # fmt: skip
    assert media.of_id("a", "clip") is None
