"""Sheets of small pictures: as many as it takes, the same bytes each time, of what stands in the manifest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from domain.errors import InvalidFileError
from extensions.frames import extraction, montage
from extensions.frames.extraction import ExtractionSettings, Source
from extensions.frames.screening import ScreeningSettings
from testkit.pictures import video

pytestmark = pytest.mark.thorough


def sheets(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / montage.FOLDER).iterdir()}


def test_every_taken_frame_is_on_a_sheet(tmp_path: Path) -> None:
    video(tmp_path / "a.mp4", [n / 25 for n in range(35)], codec="libx264")
    sources, out = [Source("kitchen/" * 9 + "a.mp4", tmp_path / "a.mp4")], tmp_path / "out"
    extraction.make(out, sources, taking=ExtractionSettings(every=1), keeping=ScreeningSettings(at_most=1))
    assert montage.make(out) == 2  # 35 frames, 30 on a sheet
    first = sheets(out)
    assert sorted(first) == ["0001.png", "0002.png"]
    # 6 x (256 + 8) + 8 wide; of each row 160 + 40 + 8 high, and 8 more; 35 frames fill five rows and one
    with Image.open(out / "montage/0001.png") as one, Image.open(out / "montage/0002.png") as two:
        assert (one.size, two.size) == ((1592, 1048), (1592, 216))
        pixels = np.asarray(one)
    red = np.array(montage.RED)
    # of the 35 frames the 18th is kept: in the third row the sixth; its frame is not red, that of its neighbour is
    assert (pixels[8 + 2 * 208 + 80, 8 + 4 * 264] == red).all()
    assert not (pixels[8 + 2 * 208 + 80, 8 + 5 * 264] == red).all()
    assert montage.make(out) == 2
    assert sheets(out) == first
    extraction.make(out, sources, taking=ExtractionSettings(every=1))
    montage.make(out)
    assert sheets(out) != first  # all are kept now
    assert not [path for path in out.iterdir() if path.name.startswith(".montage")]
    assert (out / "montage").stat().st_mode & 0o777 == (out / "images").stat().st_mode & 0o777


def test_without_frames_there_is_no_sheet(tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    extraction.make(tmp_path / "out", [Source("bad.mp4", tmp_path / "bad.mp4")], taking=ExtractionSettings(every=1))
    assert montage.make(tmp_path / "out") == 0
    assert not (tmp_path / "out/montage").exists()
    with pytest.raises(InvalidFileError, match=r"cannot read .*frames\.jsonl as a frames manifest"):
        montage.make(tmp_path)
