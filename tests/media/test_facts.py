"""Orientation, size and length are decided once: pages, models and what leaves the store show the same picture.

The truth is worked out apart from the code: a picture of four colours is laid into a file by the definition of each
orientation, and has to come out as it was.
"""

from __future__ import annotations

import io
import json
import struct
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image, ImageOps, PngImagePlugin

from domain.errors import InvalidMediaError
from media import clips, frames, orientation
from media.model_input import Pictures
from media.store import MediaStore
from testkit.pictures import encoded, number_of, numbered, quarters, video

SHOWN = quarters(80, 48)
CORNERS = ("red", "green", "blue", "white")
COLOURS = {"red": (220, 30, 30), "green": (30, 160, 30), "blue": (30, 30, 220), "white": (255, 255, 255)}
# By the EXIF standard: on which side of the shown picture the stored row 0 lies, and the stored column 0.
SIDES = {
    1: ("top", "left"),
    2: ("top", "right"),
    3: ("bottom", "right"),
    4: ("bottom", "left"),
    5: ("left", "top"),
    6: ("right", "top"),
    7: ("right", "bottom"),
    8: ("left", "bottom"),
}


def laid(shown: Image.Image, turned: int) -> Image.Image:
    """The pixels of a file that is shown like this if it has that orientation."""
    pixels = np.asarray(shown)
    row, column = SIDES[turned]
    if row in ("left", "right"):
        pixels = pixels.transpose(1, 0, 2)
    if row in ("bottom", "right"):
        pixels = pixels[::-1]
    if column in ("bottom", "right"):
        pixels = pixels[:, ::-1]
    return Image.fromarray(np.ascontiguousarray(pixels))


def corners(image: Image.Image) -> tuple[str, ...]:
    """The colours upper left, upper right, lower left, lower right."""
    w, h = image.size
    found = []
    for at in ((w // 4, h // 4), (3 * w // 4, h // 4), (w // 4, 3 * h // 4), (3 * w // 4, 3 * h // 4)):
        pixel: Any = image.convert("RGB").getpixel(at)
        found.append(min(COLOURS, key=lambda name: sum(abs(a - b) for a, b in zip(pixel, COLOURS[name], strict=True))))
    return tuple(found)


# ---- images ---------------------------------------------------------------------------------------------------------

NOTES = {
    "attribute": '<rdf:Description tiff:Orientation="{}"/>',
    "single quotes": "<rdf:Description tiff:Orientation='{}'/>",
    "element": "<rdf:Description><tiff:Orientation>{}</tiff:Orientation></rdf:Description>",
}


def noted(format: str, turned: int, note: str) -> bytes:
    """A file with an orientation in EXIF, or in XMP alone."""
    pixels, options = laid(SHOWN, turned), {}
    if note == "exif":
        exif = Image.Exif()
        exif[0x0112] = turned
        options["exif"] = exif.tobytes()
    return _with_xmp(pixels, format, NOTES[note].format(turned) if note in NOTES else "", options)


def _with_xmp(pixels: Image.Image, format: str, xmp: str, options: dict[str, Any]) -> bytes:
    if xmp and format == "PNG":
        told = PngImagePlugin.PngInfo()
        told.add_itxt("XML:com.adobe.xmp", xmp)
        options["pnginfo"] = told
    elif xmp:
        options["xmp"] = xmp.encode()
    quality = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}.get(format, {})
    return encoded(pixels, format, **quality, **options)


@pytest.mark.parametrize(("format", "note"), [*product(("JPEG", "PNG", "WEBP"), ("exif", *NOTES))])
def test_an_orientation_is_the_same_for_people_models_and_releases(format: str, note: str, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for turned in SIDES:
        stored = store.add(noted(format, turned, note))
        assert (stored.width, stored.height, stored.orientation) == (80, 48, turned)
        for size in ("display", "thumb"):
            with Image.open(store.path(stored.sha256, size)) as page:  # type: ignore[arg-type]
                assert (page.size, corners(page)) == ((80, 48), CORNERS)
        with Image.open(Pictures(store, tmp_path / "prepared").image(stored.sha256).path) as asked:
            assert (asked.size, corners(asked)) == ((80, 48), CORNERS)
            assert ImageOps.exif_transpose(asked).size == (80, 48)
        assert corners(store.upright(stored.sha256, name="it")) == CORNERS
        left = store.bare(stored.sha256)[0].read_bytes()
        assert b"tiff:" not in left
        with Image.open(io.BytesIO(left)) as released:  # what a reader of the release does: EXIF, and nothing else
            assert dict(released.getexif()) == ({} if turned == 1 else {0x0112: turned})
            assert corners(ImageOps.exif_transpose(released)) == CORNERS


@pytest.mark.parametrize(
    ("exif", "xmp", "right"),
    [(3, 6, 3), (1, 6, 1), (6, 1, 6), (None, 8, 8), (None, 9, 1), (None, 0, 1)],
)
def test_exif_decides_where_it_contradicts_xmp(exif: int | None, xmp: int, right: int, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for format in ("JPEG", "PNG", "WEBP"):
        options: dict[str, Any] = {}
        if exif is not None:
            given = Image.Exif()
            given[0x0112] = exif
            options["exif"] = given.tobytes()
        stored = store.add(_with_xmp(laid(SHOWN, right), format, NOTES["element"].format(xmp), options))
        with Image.open(store.path(stored.sha256, "display")) as page:
            assert corners(page) == CORNERS
        with Image.open(store.bare(stored.sha256)[0]) as released:
            assert corners(ImageOps.exif_transpose(released)) == CORNERS


def test_two_pictures_with_the_same_pixels_and_other_orientations_stay_two(tmp_path: Path) -> None:
    store, pixels = MediaStore(tmp_path / "media"), laid(SHOWN, 6)
    notes = [_with_xmp(pixels, "JPEG", NOTES["element"].format(n) if n else "", {}) for n in (0, 6, 8)]
    left = {store.bare(store.add(each).sha256)[0].read_bytes() for each in notes}
    assert len(left) == 3


def test_what_an_earlier_version_stored_opens_as_it_was_stored(tmp_path: Path) -> None:
    """It noted no orientation, and lost the one of XMP in the original without metadata."""
    store = MediaStore(tmp_path / "media")
    stored = store.add(noted("JPEG", 6, "element"))
    folder = store.path(stored.sha256).parent
    about = json.loads((folder / "about.json").read_text())
    del about["orientation"]
    (folder / "about.json").write_text(json.dumps(about))
    (folder / "bare").write_bytes(encoded(laid(SHOWN, 6), "JPEG", quality=95, subsampling=0))
    again = MediaStore(tmp_path / "media")
    assert again.add(noted("JPEG", 6, "element")).sha256 == stored.sha256
    assert (again.about(stored.sha256).width, again.about(stored.sha256).height) == (80, 48)
    with Image.open(again.bare(stored.sha256)[0]) as released:
        assert corners(ImageOps.exif_transpose(released)) == CORNERS
    assert again.about(stored.sha256).orientation == 6


def test_it_keeps_lying_as_its_copies_do(tmp_path: Path) -> None:
    """A note in single quotes was not read before: the copies that people saw lie as the pixels do, and so does all."""
    store = MediaStore(tmp_path / "media")
    stored = store.add(noted("PNG", 6, "single quotes"))
    folder = store.path(stored.sha256).parent
    about = json.loads((folder / "about.json").read_text())
    del about["orientation"]
    (folder / "about.json").write_text(json.dumps({**about, "width": 48, "height": 80}))
    assert store.upright(stored.sha256, name="it").size == (48, 80)
    with Image.open(store.bare(stored.sha256)[0]) as released:
        assert not released.getexif()


# ---- videos ---------------------------------------------------------------------------------------------------------

# By the standard of MP4 files, the pixel (x, y) is shown at (a x + c y, b x + d y): a, b, c, d of each orientation.
MATRICES = {
    1: (1, 0, 0, 1),
    2: (-1, 0, 0, 1),
    3: (-1, 0, 0, -1),
    4: (1, 0, 0, -1),
    5: (0, 1, 1, 0),
    6: (0, 1, -1, 0),
    7: (0, -1, -1, 0),
    8: (0, -1, 1, 0),
}


def turned_video(path: Path, turned: int, *, codec: str = "libx264") -> Path:
    """Five frames of four colours behind a display matrix, in the header of the track."""
    pixels = laid(quarters(160, 96), turned)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = pixels.width, pixels.height, "yuv420p"
        stream.options = {"preset": "ultrafast", "threads": "1"} if codec == "libx264" else {"cpu-used": "8"}
        for _ in range(5):
            container.mux(stream.encode(av.VideoFrame.from_image(pixels)))
        container.mux(stream.encode())
    content = bytearray(path.read_bytes())
    at = content.index(b"tkhd") + 4 + 40
    a, b, c, d = (each << 16 for each in MATRICES[turned])
    x = (160 if min(MATRICES[turned][0::2]) < 0 else 0) << 16
    y = (96 if min(MATRICES[turned][1::2]) < 0 else 0) << 16
    content[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, x, y, 1 << 30)
    path.write_bytes(bytes(content))
    return path


def rewrapped(path: Path, out: Path) -> Path:
    """The same packets and display matrix in another container, which notes the matrix in its own way."""
    with av.open(str(path)) as source, av.open(str(out), "w") as target:
        stream = source.streams.video[0]
        made = target.add_stream_from_template(stream, opaque=True)
        for packet in source.demux(stream):
            if packet.dts is not None:
                packet.stream = made
                target.mux(packet)
    return out


@pytest.mark.thorough
def test_a_turned_matroska_or_webm_is_converted(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for turned, ending in product((1, 2, 5, 6, 7), (".mkv", ".webm")):
        codec = "libvpx-vp9" if ending == ".webm" else "libx264"
        source = turned_video(tmp_path / f"{turned}.mp4", turned, codec=codec)
        path = rewrapped(source, tmp_path / f"{turned}{ending}")
        kept = clips.as_stored(path, out=tmp_path / "made.webm")
        assert (kept == path) == (turned == 1 and ending == ".webm")
        if ending == ".webm" and turned != 1:
            with pytest.raises(
                InvalidMediaError, match="rotated or mirrored, and not all browsers correct the orientation"
            ):
                store.add(path)
        stored = store.add(kept)
        with Image.open(store.path(stored.sha256, "display")) as page:
            assert (page.size, corners(page)) == ((160, 96), CORNERS), (turned, ending)


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [".mp4", ".mov"])
def test_all_eight_display_matrices_come_out_right(ending: str, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for turned in MATRICES:
        path = turned_video(tmp_path / f"{turned}{ending}", turned)
        with Image.open(clips.frame(path, index=2, out=tmp_path / "frame.png").path) as image:
            assert (image.size, corners(image)) == ((160, 96), CORNERS), turned
        with frames.opened(path) as film:
            taken = [each.picture for each in film.read(range(5))]
            assert {corners(each) for each in taken if each is not None} == {CORNERS}
            assert len(taken) == 5
        assert {corners(each) for each in clips.frames_at(path, [0.0, 0.31])} == {CORNERS}
        made = clips.as_stored(path, out=tmp_path / f"{turned}.webm")
        stored = store.add(made)
        assert (stored.width, stored.height, stored.orientation) == (160, 96, 1)
        for size in ("display", "thumb"):
            with Image.open(store.path(stored.sha256, size)) as page:  # type: ignore[arg-type]
                assert corners(page) == CORNERS, turned
        (asked,) = Pictures(store, tmp_path / "prepared").frames(stored.sha256, [0.2])
        with Image.open(asked.path) as picture:
            assert corners(picture) == CORNERS, turned


def test_a_matrix_that_is_nearly_a_quarter_turn_is_one_and_others_are_refused() -> None:
    near = (900, 65530, 0, -65530, 900, 0, 0, 0, 1 << 30)
    assert orientation.of_matrix(near, name="it") == 6
    assert orientation.of_matrix((0,) * 9, name="it") == 1
    assert orientation.of_matrix((-131072, 0, 0, 0, 65536, 0, 0, 0, 1 << 30), name="it") == 2
    with pytest.raises(InvalidMediaError, match="it is rotated by 45 degrees"):
        orientation.of_matrix((46341, 46341, 0, -46341, 46341, 0, 0, 0, 1 << 30), name="it")


# ---- how long a video is --------------------------------------------------------------------------------------------


def slides(
    path: Path, times: tuple[float, ...], *, begins: float = 0.0, codec: str = "libx264", **options: str
) -> Path:
    """Numbered frames at these times, stored in the order of an encoder with B-frames."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        stream.options = {"bf": "2", "threads": "1", "preset": "ultrafast", "b-adapt": "0", **options}
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_image(numbered(number))
            frame.pts, frame.time_base = round((begins + time) * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def with_header_of(path: Path, seconds: float) -> Path:
    """The same MP4 whose headers (of file, track, medium) say that it lasts so long; all of version 0."""
    content = bytearray(path.read_bytes())
    (scale,) = struct.unpack_from(">I", content, content.index(b"mvhd") + 16)
    struct.pack_into(">I", content, content.index(b"mvhd") + 20, round(seconds * scale))
    struct.pack_into(">I", content, content.index(b"tkhd") + 24, round(seconds * scale))
    path.write_bytes(bytes(content))
    return path


def stored_times(path: Path, folder: Path) -> tuple[list[float], list[int], float]:
    """When the frames of the clip that is stored come on screen, which these are, and when it ends."""
    store = MediaStore(folder / "media")
    stored = store.add(clips.as_stored(path, out=folder / f"{path.stem}-made.webm"))
    about = json.loads(store.frames(stored.sha256).read_text())
    pictures = clips.frames_at(store.path(stored.sha256), about["times"])
    assert stored.duration == about["duration"]
    return about["times"], [number_of(each) for each in pictures], about["duration"]


UNEVEN = (0.0, 2.0, 4.0, 6.0, 9.0)
SPREAD = (0.0, 0.5, 0.7, 3.0, 3.1, 5.0, 5.5, 9.0, 9.25)


@pytest.mark.parametrize(
    ("name", "times", "codec"),
    [
        ("a.mp4", UNEVEN, "libx264"),
        ("b.mp4", SPREAD, "libx264"),
        ("c.mov", UNEVEN, "libx264"),
        ("d.mkv", SPREAD, "libx264"),
        ("e.mp4", SPREAD, "libx265"),
    ],
)
def test_a_clip_has_all_frames_of_a_video_with_b_frames(
    name: str, times: tuple[float, ...], codec: str, tmp_path: Path
) -> None:
    options = {"x265-params": "log-level=none:bframes=2"} if codec == "libx265" else {}
    path = slides(tmp_path / name, times, codec=codec, **options)
    with av.open(str(path)) as container:  # what is decoded is the truth
        decoded = [number_of(frame.to_image()) for frame in container.decode(video=0)]
    assert decoded == [*range(len(times))]
    shown, numbers, end = stored_times(path, tmp_path)
    assert shown == pytest.approx(times, abs=2e-3)
    assert numbers == decoded
    assert times[-1] < end < times[-1] + 0.5


@pytest.mark.parametrize("seconds", [1.0, 4.5, 8.9])
def test_a_header_that_says_less_takes_no_frame_away(seconds: float, tmp_path: Path) -> None:
    path = with_header_of(slides(tmp_path / "a.mp4", UNEVEN), seconds)
    shown, numbers, _ = stored_times(path, tmp_path)
    assert (shown, numbers) == (pytest.approx(UNEVEN, abs=2e-3), [0, 1, 2, 3, 4])


EVEN = tuple(n / 25 for n in range(50))


def late(path: Path, begins: float, **options: str) -> Path:
    return slides(path, EVEN, begins=begins, **options)


@pytest.mark.parametrize(
    ("name", "begins"), [("a.mkv", 2.0), ("b.mkv", 61.5), ("c.ts", 2.0), ("d.mp4", 2.0), ("e.mov", 7.0)]
)
def test_a_video_that_begins_late_is_whole(name: str, begins: float, tmp_path: Path) -> None:
    path = late(tmp_path / name, begins)
    with frames.opened(path) as film:
        assert (film.broken, len(film)) == (None, 50)
        assert float(film.time(0)) == pytest.approx(0, abs=2e-3)
        assert EVEN[-1] - 1e-3 <= film.end <= 2  # the containers say of the last frame that it lasts 0 to 1/30 s
    shown, numbers, end = stored_times(path, tmp_path)
    assert shown == pytest.approx(EVEN, abs=2e-3)
    assert numbers == [*range(50)]
    assert EVEN[-1] <= end <= 2


def test_a_late_video_that_was_cut_short_still_breaks_off(tmp_path: Path) -> None:
    path = late(tmp_path / "a.mkv", 2.0)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with frames.opened(path) as film:
        assert film.broken
        assert 5 < len(film) < 45
    with pytest.raises(InvalidMediaError, match=r"a\.mkv ends early, at \d\.\d\d s: .*Copy or download the file again"):
        clips.convert(path, out=tmp_path / "made.webm")


def test_a_webm_that_begins_late_lasts_as_long_as_its_frames(tmp_path: Path) -> None:
    path = video(tmp_path / "late.webm", [3 + n / 25 for n in range(50)])
    shown, numbers, end = stored_times(path, tmp_path)
    assert shown == pytest.approx(EVEN, abs=2e-3)
    assert numbers == [*range(50)]
    assert end == pytest.approx(2.0, abs=0.02)


# ---- pixels that are not square -------------------------------------------------------------------------------------


def oblong(path: Path, width: int, height: int) -> Path:
    """A WebM of 80 x 48 stored pixels with another size for display (DisplayWidth and DisplayHeight of Matroska)."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libvpx", rate=25)
        stream.width, stream.height, stream.pix_fmt = 80, 48, "yuv420p"
        for number in range(5):
            frame = av.VideoFrame.from_image(SHOWN)
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    duration, stored = bytes.fromhex("23e3838402625a00"), bytes.fromhex("b08150ba8130")  # 8 bytes make room for 8
    displayed = b"\x54\xb0\x81" + bytes([width]) + b"\x54\xba\x81" + bytes([height])
    content = path.read_bytes()
    assert content.count(duration + b"\xe0\x86" + stored) == 1
    path.write_bytes(content.replace(duration + b"\xe0\x86" + stored, b"\xe0\x8e" + stored + displayed))
    return path


@pytest.mark.parametrize(("said", "size"), [((160, 48), (160, 48)), ((40, 48), (80, 96)), ((80, 48), (80, 48))])
def test_a_clip_has_the_size_at_which_it_is_displayed(
    said: tuple[int, int], size: tuple[int, int], tmp_path: Path
) -> None:
    """Twice as wide: 2 x 80. Half as wide is twice as high: 2 x 48, as in Chromium, which shrinks nothing."""
    store = MediaStore(tmp_path / "media")
    source = oblong(tmp_path / "a.webm", *said)
    stored = store.add(source)
    assert (stored.width, stored.height) == size
    with Image.open(store.path(stored.sha256, "display")) as poster:
        assert poster.size == size
    converted = clips.convert(source, out=tmp_path / "b.webm").path
    for path in (source, store.mp4(stored.sha256), store.bare(stored.sha256)[0], converted):
        (shown,) = clips.frames_at(path, [0.0])
        assert shown.size == size
        assert corners(shown) == CORNERS


def test_a_clip_whose_pixels_are_lines_is_refused(tmp_path: Path) -> None:
    """160 x 1 displayed for 80 x 48 stored: pixels of 2 x 1/48, so 96 times as wide as high."""
    with pytest.raises(InvalidMediaError, match=r"pixels of .* are not square \(96:1\)"):
        MediaStore(tmp_path / "media").add(oblong(tmp_path / "a.webm", 160, 1))
