"""Writing is all or nothing, stays where it was told, and leaves other people's files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from domain.manifests import NAME, is_manifest
from exporters.manifest import manifest
from exporters.writing import write_files, write_folder


def test_a_folder_is_written_and_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert write_folder(out, {"a/x.json": b"1", "y.json": b"2"}) == [out / "a/x.json", out / "y.json"]
    (out / "a/.x.json.touchstone-0123abcd.tmp").write_bytes(b"left by a kill")
    write_folder(out, {"a/x.json": b"3", "y.json": b"4", NAME: manifest({}, {})})
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == [
        "a/x.json",
        NAME,
        "y.json",
    ]
    assert (out / "a/x.json").read_bytes() == b"3"
    assert is_manifest((out / NAME).read_bytes())
    write_folder(out, {"a/x.json": b"5", "y.json": b"6"})  # the old manifest is ours, and true no longer
    assert not (out / NAME).exists()


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", ""])
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidFileError, match="outside"):
        write_folder(tmp_path / "out", {"ok.json": b"", name: b"1"})
    assert not (tmp_path / "out").exists()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidFileError, match=r"notes\.txt"):
        write_folder(tmp_path, {"x.json": b"1"})
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(InvalidFileError, match="is a folder"):
        write_files({tmp_path: b"1"})


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidFileError, match="Touchstone cannot write "):
        write_files({tmp_path / "file" / "x.json": b"1"})
