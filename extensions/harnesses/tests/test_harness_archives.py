"""Test logs of harnesses in archives: broken off, cut, damaged, and swelling."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from extensions.harnesses import inspect_archive
from extensions.harnesses.tests.known_logs import LOGS
from extensions.harnesses.tests.test_harness_logs import a_sample, read, refused, texts


def archive(path: Path, parts: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return path


HEAD = json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}})
ONE = json.dumps(a_sample())


def test_a_log_whose_run_goes_on_or_broke_off_has_a_start_and_no_head(tmp_path: Path) -> None:
    start = json.dumps({"version": 2, "eval": {"model": "m"}})
    path = archive(tmp_path / "l.eval", {"_journal/start.json": start, "samples/a_epoch_1.json": ONE})
    assert texts(read(path)) == {"a": "red"}
    empty = archive(tmp_path / "e.eval", {"_journal/start.json": start})
    assert [bad.reason for bad in read(empty).bad] == [
        "the log has no samples, because its run ended before the first sample (status: started)"
    ]


def test_large_samples_in_several_parts(tmp_path: Path) -> None:
    parts = {"header.json": HEAD, "samples/x/y_epoch_1/sample.json": ONE, "samples/x/y_epoch_1/events/0.json": "[]"}
    assert texts(read(archive(tmp_path / "l.eval", parts))) == {"a": "red"}


def test_a_part_that_is_no_json_is_one_bad_row(tmp_path: Path) -> None:
    parts = {"header.json": HEAD, "samples/a_epoch_1.json": ONE, "samples/b_epoch_1.json": ONE[:20]}
    found = read(archive(tmp_path / "l.eval", {**parts, "samples/c_epoch_1.json": b"\xff"}))
    assert len(found.rows) == 1
    assert [(bad.row, bad.reason) for bad in found.bad] == [
        (2, "Touchstone cannot read sample samples/b_epoch_1.json: the text ends too early"),
        (3, "Touchstone cannot read sample samples/c_epoch_1.json: the text is not UTF-8"),
    ]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    at = data.index(b"samples/") + 200
    return data[:at] + bytes(255 - byte for byte in data[at : at + 40]) + data[at + 40 :]


@pytest.mark.parametrize("log", ["inspect.eval", "inspect_counted.eval"])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (cut, "is incomplete: the table of contents at the end of an .eval log is missing"),
        (flipped, "is damaged at samples/"),
        (lambda data: b"", "is incomplete: the table of contents at the end of an .eval log"),
        (lambda data: b"PK\x03\x04" + b"\x00" * 100, "is incomplete: the table of contents at the end of an .eval log"),
    ],
)
def test_a_damaged_archive(tmp_path: Path, log: str, change: Callable[[bytes], bytes], told: str) -> None:
    path = tmp_path / log
    path.write_bytes(change((LOGS / log).read_bytes()))
    assert told in refused(path)
    assert told in refused(path, format="inspect_log")


def test_a_cut_json_log(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(cut((LOGS / "inspect.json").read_bytes()))
    words = refused(path)
    assert "Touchstone cannot read log.json: the text ends too early (line " in words


def test_an_archive_that_swells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_archive, "LARGEST_PART", 3_000_000)
    parts = {"header.json": HEAD, "samples/a_epoch_1.json": ONE, "samples/b_epoch_1.json": b" " * 4_000_000}
    path = archive(tmp_path / "l.eval", parts)
    assert path.stat().st_size < 10_000
    assert "is too large when unpacked (at samples/b_epoch_1.json)" in refused(path)
    monkeypatch.setattr(inspect_archive, "LARGEST_OF_ALL", 5_000_000)
    many = {f"samples/{n}_epoch_1.json": b" " * 2_000_000 + ONE.encode() for n in range(4)}
    assert "is too large when unpacked (at samples/2_epoch_1.json)" in refused(
        archive(tmp_path / "m.eval", {"header.json": HEAD, **many})
    )


def test_a_zip_in_a_zip_and_other_zips(tmp_path: Path) -> None:
    inner = io.BytesIO((LOGS / "inspect.eval").read_bytes())
    nested = archive(tmp_path / "l.eval", {"inspect.eval": inner.getvalue()})
    assert "is a ZIP file without header.json, so the file is not an Inspect log" in refused(nested)
    outside = archive(tmp_path / "o.eval", {"header.json": HEAD, "samples/../../x_epoch_1.json": ONE})
    assert "contains an unexpected file 'samples/../../x_epoch_1.json'" in refused(outside)
    damaged = archive(tmp_path / "h.eval", {"header.json": "{", "samples/a_epoch_1.json": ONE})
    assert "header.json is damaged" in refused(damaged)
