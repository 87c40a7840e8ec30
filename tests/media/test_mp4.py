"""A clip as MP4 has the frames of the clip, at the same moments."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from domain.errors import NotFoundError
from media import mp4
from media.store import MediaStore
from testkit.pictures import encoded, frames, numbered, photo, video

UNEVEN = [0.0, 0.04, 0.08, 0.5, 0.54, 1.2, 3.0, 3.1, 7.25]


@pytest.mark.parametrize("codec", ["libvpx", "libvpx-vp9", "libsvtav1"])
def test_an_mp4_has_the_same_frames_at_the_same_moments(codec: str, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    stored = store.add(video(tmp_path / "clip.webm", UNEVEN, codec=codec))
    path = store.mp4(stored.sha256)
    with av.open(str(path)) as container:
        assert container.format.name.startswith("mov,mp4")
        assert container.streams.video[0].codec_context.codec.canonical_name in ("vp9", "av1")
        assert not {"title", "comment", "artist"} & {*container.metadata}
    found = list(frames(path))
    assert [number for _, number in found] == [*range(len(UNEVEN))]
    assert [at for at, _ in found] == pytest.approx(UNEVEN, abs=2e-3)
    before = path.read_bytes()
    assert store.mp4(stored.sha256) == path
    path.unlink()
    assert store.mp4(stored.sha256).read_bytes() == before


def test_it_tells_nothing_of_its_making_and_others_do(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    stored = store.add(video(tmp_path / "clip.webm", UNEVEN))
    assert mp4.metadata_names(store.mp4(stored.sha256)) == ""
    with av.open(str(tmp_path / "b.mp4"), "w") as container:
        container.metadata["title"] = "Ana's kitchen"
        stream: Any = container.add_stream("libvpx-vp9", rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        container.mux(stream.encode(av.VideoFrame.from_image(numbered(0))))
        container.mux(stream.encode())
    assert "title" in mp4.metadata_names(tmp_path / "b.mp4")


def with_sound(path: Path, pictures: str, sound: str) -> Path:
    """A second of frames, with half a second of silence and half a second of a tone."""
    with av.open(str(path), "w", format="webm") as container:
        stream: Any = container.add_stream(pictures, rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        heard: Any = container.add_stream(sound, rate=48000, layout="stereo", options={"strict": "experimental"})
        for number in range(25):
            frame = av.VideoFrame.from_image(numbered(number))
            frame.pts, frame.time_base = number * 40, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        for number in range(50):
            kind = "fltp" if sound == "vorbis" else "s16"
            wave = 0.5 * np.sin(np.arange(960) / 8) * (number >= 25)
            both = np.tile(wave, (2, 1)).astype(np.float32)
            shape = both if kind == "fltp" else (both.T.reshape(1, -1) * 32767).astype(np.int16)
            quiet = av.AudioFrame.from_ndarray(np.ascontiguousarray(shape), layout="stereo", format=kind)
            quiet.sample_rate, quiet.pts = 48000, number * 960
            container.mux(heard.encode(quiet))
        container.mux(stream.encode())
        container.mux(heard.encode())
    return path


@pytest.mark.parametrize("sound", ["libopus", "vorbis"])
@pytest.mark.parametrize("pictures", ["libvpx", "libvpx-vp9"])
def test_its_sound_goes_along(pictures: str, sound: str, tmp_path: Path) -> None:
    """Vorbis has no place in MP4 and is encoded again as Opus."""
    store = MediaStore(tmp_path / "media")
    path = store.mp4(store.add(with_sound(tmp_path / "a.webm", pictures, sound)).sha256)
    with av.open(str(path)) as container:
        assert container.streams.audio[0].codec_context.codec.canonical_name == "opus"
        heard = np.concatenate([frame.to_ndarray().reshape(2, -1) for frame in container.decode(audio=0)], axis=1)
    assert heard.shape[1] / 48000 == pytest.approx(1.0, abs=0.05)
    loud = np.abs(heard.astype(float)).max(axis=0)
    begins = int(np.argmax(loud > loud.max() / 4)) / 48000  # half a second of silence, then a tone
    assert begins == pytest.approx(0.5, abs=0.03)
    assert [number for _, number in frames(path)] == [*range(25)]
    before = path.read_bytes()
    path.unlink()
    assert store.mp4(next(store.root.glob("*/*/about.json")).parent.name).read_bytes() == before


def test_what_has_no_mp4_is_refused(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    with pytest.raises(NotFoundError, match="an image"):
        store.mp4(store.add(encoded(photo(40, 30))).sha256)
