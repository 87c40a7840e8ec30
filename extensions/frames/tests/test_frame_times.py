"""Times of frames out of a table: sources by any name that is one video's, and rows that do not fit by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from extensions.frames.frame_times import read_times

VIDEOS = {name: Path(name) for name in ("P01/P01_11.MP4", "P02/P02_01.mp4", "P02/x.webm", "P03/x.webm")}


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "times.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_sources_are_found_by_name(tmp_path: Path) -> None:
    rows = [
        "Source,note,time",
        "P01_11,a,2.50",
        "",
        "P01/P01_11.MP4,b,1001/80",
        "P02_01.mp4,,0",
        "P03/x,,7",
        "P01_11,,2.50",
    ]
    text = "\r\n".join(rows)
    assert read_times(written(tmp_path, b"\xef\xbb\xbf" + text.encode()), VIDEOS) == {
        "P01/P01_11.MP4": ("2.50", "1001/80"),
        "P02/P02_01.mp4": ("0",),
        "P03/x.webm": ("7",),
    }
    assert read_times(written(tmp_path, "time\n3\n"), {"v.mp4": Path("v.mp4")}) == {"v.mp4": ("3",)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have the columns source and time"),
        ("source\nx\n", "must have the columns source and time"),
        ("source,time,time\nx,1,2\n", "each once"),
        ("source,time\n", "has no times"),
        ("source,time\nP09,1\n", "line 2: no video has the name 'P09'"),
        ("source,time\nx,1\n", "line 2: several videos have the name 'x'"),
        ("source,time\nP01_11,1,2\n", "line 2: this row has 3 cells, but the first row has 2. Correct the row."),
        ("source,time\nP01_11,1\nP01_11,-1\n", "line 3: '-1' is not a time"),
        ("source,time\nP01_11,nan\n", "'nan' is not a time"),
        ("source,time\nP01_11,1/0\n", "'1/0' is not a time"),
        ("source,time\nP01_11,1e9\n", "'1e9' is not a time"),
        ('source,time\n"P01_11,1\n', "is not a table"),
        (b"source,time\n\xff\xfe,1\n", "times.csv"),
    ],
)
def test_what_does_not_fit_is_named(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError) as refused:
        read_times(written(tmp_path, text), VIDEOS)
    assert words in str(refused.value)
