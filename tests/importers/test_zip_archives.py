from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from importers.zip_archives import Limits, safe_name, store, unpack


def _zip(*files: tuple[str, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files:
            packed.writestr(name, content)
    buffer.seek(0)
    return buffer


def test_a_log_of_inspect_is_a_zip_that_stays_one_file(tmp_path: Path) -> None:
    log = _zip(("header.json", b"{}"))
    assert store([("run.eval", log)], tmp_path / "in") == tmp_path / "in" / "run.eval"
    log.seek(0)
    assert (tmp_path / "in" / "run.eval").read_bytes() == log.read()


def test_a_zip_is_unpacked_and_its_only_folder_is_what_counts(tmp_path: Path) -> None:
    archive = _zip(("bench/a/x.json", b"[]"), ("bench/b/y.json", b"{}"), ("__MACOSX/bench/._x", b"junk"))
    folder = unpack(archive, tmp_path / "in", name="bench.zip")
    assert folder == tmp_path / "in" / "bench"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json")) == ["a/x.json", "b/y.json"]


@pytest.mark.parametrize(
    "name",
    [
        "../out.json",
        "a/../../out.json",
        "/etc/passwd",
        "C:/windows/x",
        "\\\\host\\share\\x",
        "a\\..\\..\\x",
        "con.json",
        "a/nul",
        "a\x01b",
        "trailing./x",
        "x" * 301,
        "",
    ],
)
def test_a_name_that_points_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InvalidFileError, match="is not allowed"):
        safe_name(name)


@pytest.mark.parametrize("name", ["../../evil.txt", "/tmp/evil.txt", "ok/../../evil.txt"])
def test_nothing_leaves_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidFileError):
        unpack(_zip(("good.txt", b"1"), (name, b"2")), tmp_path / "a" / "in", name="evil.zip")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_link_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, "/etc/passwd")
    buffer.seek(0)
    with pytest.raises(InvalidFileError, match="link"):
        unpack(buffer, tmp_path / "in", name="links.zip")


def test_a_bomb_is_stopped_while_it_swells(tmp_path: Path) -> None:
    bomb = _zip(("zeros.bin", bytes(30 * 1024 * 1024)))
    with pytest.raises(InvalidFileError, match="is too large when unpacked"):
        unpack(bomb, tmp_path / "in", name="bomb.zip")
    with pytest.raises(InvalidFileError, match="is too large when unpacked"):
        unpack(
            _zip(*((f"{n}.txt", bytes(1000)) for n in range(20))),
            tmp_path / "b",
            name="b.zip",
            limits=Limits(bytes=10_000),
        )
    with pytest.raises(InvalidFileError, match="20 files"):
        unpack(_zip(*((f"{n}.txt", b"") for n in range(20))), tmp_path / "c", name="c.zip", limits=Limits(files=10))


@pytest.mark.thorough
def test_many_small_files_that_swell_are_a_bomb_too(tmp_path: Path) -> None:
    """Each stays below the megabyte that a file has free; together they are 80 of them, out of 80 kilobytes."""
    with pytest.raises(InvalidFileError, match="is too large when unpacked"):
        unpack(_zip(*((f"{n}.txt", bytes(1024 * 1024)) for n in range(80))), tmp_path / "in", name="many.zip")


def test_text_that_packs_well_is_no_bomb(tmp_path: Path) -> None:
    text = b"".join(b'{"question": "What is number %d?", "answer": "It is %d."}\n' % (n, n * n) for n in range(40_000))
    folder = unpack(_zip(("items.jsonl", text)), tmp_path / "in", name="items.zip")
    assert (folder / "items.jsonl").read_bytes() == text


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 and then nothing"])
def test_what_is_no_zip_is_refused_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InvalidFileError, match=r"cannot read x\.zip as a zip"):
        unpack(io.BytesIO(content), tmp_path / "in", name="x.zip")


def test_the_same_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="twice"):
        unpack(_zip(("A.json", b"1"), ("a.json", b"2")), tmp_path / "in", name="x.zip")


def test_uploads_are_stored_as_one_file_or_one_folder(tmp_path: Path) -> None:
    assert store([("a.json", io.BytesIO(b"[]"))], tmp_path / "1") == tmp_path / "1" / "a.json"
    assert store([("a.json", io.BytesIO(b"1")), ("b.json", io.BytesIO(b"2"))], tmp_path / "2") == tmp_path / "2"
    assert store([("bench.zip", _zip(("d/x.json", b"[]")))], tmp_path / "3") == tmp_path / "3" / "bench" / "d"
    with pytest.raises(InvalidFileError, match="Two files have the name"):
        store([("a.json", io.BytesIO(b"1")), ("a.json", io.BytesIO(b"2"))], tmp_path / "4")
