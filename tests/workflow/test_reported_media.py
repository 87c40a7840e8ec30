"""Pictures and videos of the kinds that users reported to other projects, from their import to a release.

Each row names the public thread with the situation. The files are made here, and the right value follows from how a
file is made: a picture is red in one corner of its stored pixels, and each frame of a video carries its number.
"""

from __future__ import annotations

import base64
import csv
import io
import struct
import unicodedata
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from db.engine import Store
from media import clips, frames
from media.model_input import Pictures
from media.store import MediaStore
from testkit.missing_extensions import needs
from testkit.pictures import number_of, numbered
from tests.workflow.test_media_cases import CASES, as_readers_see, imported, red, released

pytestmark = pytest.mark.thorough

WIDE, TALL = (160, 80), (80, 160)
Seen = tuple[tuple[int, int], str]
"""The size of a picture as it is shown, and its red corner."""


# ---- orientation of pictures ----------------------------------------------------------------------------------------


def scene(format: str, **notes: Any) -> bytes:
    """A picture of 160 x 80 pixels whose upper left corner is red as stored."""
    image = Image.new("RGB", WIDE, "white")
    image.paste("red", (0, 0, 40, 20))
    out = io.BytesIO()
    image.save(out, format, **({"quality": 95} if format == "JPEG" else {}), **notes)
    return out.getvalue()


def exif(orientation: int) -> bytes:
    found = Image.Exif()
    found[0x0112] = orientation
    return found.tobytes()


def xmp(orientation: int, *, element: bool = False, wrapped: bool = False) -> bytes:
    space = 'xmlns:tiff="http://ns.adobe.com/tiff/1.0/"'
    about = f'<rdf:Description {space} tiff:Orientation="{orientation}"/>'
    if element:
        about = f"<rdf:Description {space}><tiff:Orientation>{orientation}</tiff:Orientation></rdf:Description>"
    rdf = f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{about}</rdf:RDF>'
    text = f'<x:xmpmeta xmlns:x="adobe:ns:meta/">{rdf}</x:xmpmeta>'
    return (f'<?xpacket begin="\ufeff"?>{text}<?xpacket end="w"?>' if wrapped else text).encode()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*before: bytes, behind: bytes = b"") -> bytes:
    """The scene as PNG with these chunks before and behind its pixels."""
    plain = scene("PNG")
    header, pixels, end = plain[:33], plain[33:-12], plain[-12:]
    return header + b"".join(before) + pixels + behind + end


def in_png(note: bytes) -> bytes:
    return chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + note)


def exif_in_png(orientation: int) -> bytes:
    return chunk(b"eXIf", exif(orientation).removeprefix(b"Exif\0\0"))


def with_second_exif(orientation: int, second: int) -> bytes:
    """A JPEG with two Exif segments."""
    first, other = (scene("JPEG", exif=exif(each)) for each in (orientation, second))
    segments = []
    for data in (first, other):
        at = data.index(b"\xff\xe1")
        segments.append((at, at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")))
    (_, end), (begin, stop) = segments
    return first[:end] + other[begin:stop] + first[end:]


def ifd(*tags: tuple[int, int]) -> bytes:
    return struct.pack(">H", len(tags)) + b"".join(struct.pack(">HHIHH", tag, 3, 1, value, 0) for tag, value in tags)


def with_thumbnail(orientation: int, of_thumbnail: int) -> bytes:
    """A JPEG whose Exif has an orientation for the picture and one for its thumbnail."""
    first = ifd((0x0112, orientation))
    second = ifd((0x0112, of_thumbnail)) + bytes(4)
    tiff = b"MM\0*" + struct.pack(">I", 8) + first + struct.pack(">I", 8 + len(first) + 4) + second
    return scene("JPEG", exif=b"Exif\0\0" + tiff)


# A quarter turn clockwise (6) brings the red corner to the upper right, a quarter turn back (8) to the lower left.
ORIENTED: dict[str, tuple[str, bytes, Seen]] = {
    "Pillow 6462: XMP as an element": ("png", png(in_png(xmp(8, element=True))), (TALL, "ll")),
    "Pillow 8790: XMP within xpacket": ("jpg", scene("JPEG", xmp=xmp(6, wrapped=True)), (TALL, "ur")),
    "Pillow 4529: XMP alone, half a turn": ("png", png(in_png(xmp(3))), (WIDE, "lr")),
    "ExifReader 27: EXIF upright, XMP turned": ("jpg", scene("JPEG", exif=exif(1), xmp=xmp(6)), (WIDE, "ul")),
    "epeg 18: EXIF turned, XMP upright": ("jpg", scene("JPEG", exif=exif(6), xmp=xmp(1)), (TALL, "ur")),
    "sharp 4585: PNG with both": ("png", png(exif_in_png(6), in_png(xmp(6))), (TALL, "ur")),
    "imgproxy 1182: two Exif segments": ("jpg", with_second_exif(8, 1), (TALL, "ll")),
    "scrimage 93: another one for the thumbnail": ("jpg", with_thumbnail(6, 1), (TALL, "ur")),
    "csswg-drafts 4929: behind the pixels": ("png", png(behind=exif_in_png(6)), (TALL, "ur")),
    "exif-terminator 7: WebP with EXIF": ("webp", scene("WEBP", lossless=True, exif=exif(6)), (TALL, "ur")),
    "exif-terminator 7: WebP with XMP": ("webp", scene("WEBP", lossless=True, xmp=xmp(8)), (TALL, "ll")),
}


@needs("formats", "vlmevalkit")
@pytest.mark.parametrize(("ending", "data", "shown"), ORIENTED.values(), ids=ORIENTED)
def test_people_models_and_files_see_one_orientation(
    store: Store, home: Path, tmp_path: Path, ending: str, data: bytes, shown: Seen
) -> None:
    (tmp_path / f"f.{ending}").write_bytes(data)
    (tmp_path / "items.csv").write_text(f"id,question,option_1,option_2,answer,image\na,Which?,x,y,x,f.{ending}\n")
    imported(store, home, tmp_path / "items.csv")
    media = MediaStore(home / "media")
    (folder,) = (path.parent for path in (home / "media").glob("??/*/original"))
    about = media.about(folder.name)
    assert as_readers_see(media.path(about.sha256, "display").read_bytes()) == shown
    assert (about.width, about.height) == shown[0]
    assert as_readers_see(Pictures(media, home / "prepared").image(about.sha256).path.read_bytes()) == shown
    root = released(store, home, "jsonl", "vlmevalkit")
    (file,) = (root / "media").rglob(f"*.{ending}")
    assert as_readers_see(file.read_bytes()) == shown
    assert list(of_table(root).values()) == [shown]


def of_table(root: Path) -> dict[str, Seen]:
    """The picture of each item in the table of VLMEvalKit, whose programs read no note."""
    csv.field_size_limit(10**9)
    (table,) = (root / "vlmevalkit").glob("*.tsv")
    found = {}
    for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"), newline=""), delimiter="\t"):
        with Image.open(io.BytesIO(base64.b64decode(row["image"]))) as image:
            found[row["id"]] = (image.size, red(image))
    return found


def turned(data: bytes, by: Image.Transpose, orientation: int) -> bytes:
    """A PNG whose pixels are turned and whose EXIF turns them back."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.transpose(by).save(out, "PNG", exif=exif(orientation))
    return out.getvalue()


TWINS: dict[str, tuple[tuple[bytes, Seen], ...]] = {
    "findimagedupes 3: the same pixels, one turned by EXIF": (
        (scene("JPEG"), (WIDE, "ul")),
        (scene("JPEG", exif=exif(6)), (TALL, "ur")),
        (scene("JPEG", exif=exif(3)), (WIDE, "lr")),
    ),
    "photoprism 2598: turned without loss, and shown alike": (
        (png(), (WIDE, "ul")),
        (turned(png(), Image.Transpose.ROTATE_90, 6), (WIDE, "ul")),
        (png(exif_in_png(6)), (TALL, "ur")),
    ),
    "GooglePhotosTakeoutHelper 134: other notes, the same orientation": (
        (scene("JPEG", exif=exif(6)), (TALL, "ur")),
        (scene("JPEG", exif=exif(6), comment=b"downloaded"), (TALL, "ur")),
        (scene("JPEG", xmp=xmp(6)), (TALL, "ur")),
    ),
    "czkawka 1199: one note is in XMP": (
        (png(in_png(xmp(8))), (TALL, "ll")),
        (png(), (WIDE, "ul")),
        (png(exif_in_png(1), in_png(xmp(8))), (WIDE, "ul")),
    ),
}


@needs("formats", "vlmevalkit")
@pytest.mark.parametrize("copies", TWINS.values(), ids=TWINS)
def test_copies_of_one_photo_go_out_as_each_is_shown(
    store: Store, home: Path, tmp_path: Path, copies: Sequence[tuple[bytes, Seen]]
) -> None:
    rows = ["id,question,option_1,option_2,answer,image"]
    for name, (data, _) in zip("abc", copies, strict=True):
        ending = "png" if data.startswith(b"\x89PNG") else "jpg"
        (tmp_path / f"{name}.{ending}").write_bytes(data)
        rows.append(f"{name},Which of {name}?,x,y,x,{name}.{ending}")
    (tmp_path / "items.csv").write_text("\n".join(rows) + "\n")
    imported(store, home, tmp_path / "items.csv")
    root = released(store, home, "jsonl", "vlmevalkit")
    expected = {name: shown for name, (_, shown) in zip("abc", copies, strict=True)}
    assert of_table(root) == expected
    files = {as_readers_see(path.read_bytes()) for path in (root / "media").rglob("*.*")}
    assert files == set(expected.values())


# ---- orientation of videos ------------------------------------------------------------------------------------------

PLAIN = CASES / "video_mirrored" / "cfr.mp4"
"""160 x 96 pixels, red in the upper right corner."""


def with_matrix(path: Path, a: int, b: int, c: int, d: int) -> Path:
    """The plain video with a display matrix in its track header (version 0)."""
    data = PLAIN.read_bytes()
    at = data.index(b"tkhd") + 4 + 4 + 20 + 16
    one = 1 << 16
    path.write_bytes(
        data[:at] + struct.pack(">9i", a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30) + data[at + 36 :]
    )
    return path


def filtered(source: Path, path: Path, *, says: str = "") -> Path:
    """The packets of a video in another file; ``says`` is what its H.264 stream notes of its orientation."""
    with av.open(str(source)) as inside, av.open(str(path), "w") as out:
        stream = inside.streams.video[0]
        target = out.add_stream_from_template(stream)
        notes = f"h264_metadata=display_orientation=insert:{says}"
        through = av.bitstream.BitStreamFilterContext(notes if says else "null", stream)
        for packet in inside.demux(stream):
            for each in through.filter(packet if packet.size else None):
                each.stream = target
                out.mux(each)
    return path


# The matrix (a b c d) shows the stored pixel (x, y) at (a x + c y, b x + d y).
TURNED: dict[str, tuple[tuple[int, int, int, int] | None, str, str, Seen]] = {
    "ZoneMinder 4915: mirrored, told as half a turn": ((-1, 0, 0, 1), "mp4", "", ((160, 96), "ul")),
    "FFMS2 317: upside down by a mirror": ((1, 0, 0, -1), "mp4", "", ((160, 96), "lr")),
    "FFMS2 342: a quarter turn and a mirror": ((0, 1, 1, 0), "mp4", "", ((96, 160), "ll")),
    "mpv 16090: the other quarter turn and a mirror": ((0, -1, -1, 0), "mp4", "", ((96, 160), "ur")),
    "datachain 1825: a quarter turn changes the size": ((0, 1, -1, 0), "mp4", "", ((96, 160), "lr")),
    "mpv 9266: a turned Matroska file": ((0, 1, -1, 0), "mkv", "", ((96, 160), "lr")),
    "NextLevel 250: a mirrored Matroska file": ((-1, 0, 0, 1), "mkv", "", ((160, 96), "ul")),
    "mpv 9266: noted by the codec at its keyframes": (None, "mp4", "rotate=90", ((96, 160), "ul")),
    "mpv 9266: a mirror noted by the codec": (None, "mkv", "flip=horizontal", ((160, 96), "ul")),
    "mpv 9266: the container goes before the codec": ((0, 1, -1, 0), "mp4", "rotate=90", ((96, 160), "lr")),
}


@pytest.mark.parametrize(("matrix", "ending", "says", "shown"), TURNED.values(), ids=TURNED)
def test_every_frame_of_a_video_lies_as_the_video_says(
    tmp_path: Path, matrix: tuple[int, int, int, int] | None, ending: str, says: str, shown: Seen
) -> None:
    path = PLAIN if matrix is None else with_matrix(tmp_path / "matrix.mp4", *matrix)
    if ending != "mp4" or says:
        path = filtered(path, tmp_path / f"filtered.{ending}", says=says)
    clip = clips.as_stored(path, out=tmp_path / "clip.webm")
    for each in (path, clip):
        with frames.opened(each) as film:
            pictures = [found.picture for found in film.read(range(len(film)))]
        assert len(pictures) == 60
        assert {(picture.size, red(picture)) for picture in pictures if picture} == {shown}
        assert None not in pictures
        with Image.open(clips.frame(each, index=7, out=tmp_path / "frame.png").path) as image:
            assert (image.size, red(image)) == shown


# ---- the frames of a video ------------------------------------------------------------------------------------------

MS = Fraction(1, 1000)


def film(
    path: Path,
    at: Sequence[Fraction],
    *,
    codec: str = "libx264",
    base: Fraction = MS,
    lasts: Sequence[int] = (),
    sound: int = 0,
    keyframes: int = 50,
    **options: str,
) -> Path:
    """A video with a frame at each of these seconds, and with ``sound`` seconds of silence from its beginning."""
    with av.open(str(path), "w", container_options=options) as container:
        quick = {"deadline": "realtime", "cpu-used": "8"} if codec == "libvpx" else {"preset": "ultrafast", "bf": "2"}
        stream: Any = container.add_stream(codec, rate=25, options={"g": str(keyframes), **quick})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.time_base = stream.codec_context.time_base = base
        if lasts:
            stream.codec_context.flags |= av.codec.context.Flags.frame_duration
        heard: Any = container.add_stream("libopus", rate=48000, layout="stereo") if sound else None
        quiet = range(sound * 50)
        waiting = iter(quiet)
        for number, moment in enumerate(at):
            for n in waiting:
                container.mux(heard.encode(silence(n)))
                if n * Fraction(1, 50) >= moment:
                    break
            frame = av.VideoFrame.from_image(numbered(number))
            frame.pts, frame.time_base = round(moment / base), base
            if lasts:
                frame.duration = lasts[number]
            container.mux(stream.encode(frame))
        for n in waiting:
            container.mux(heard.encode(silence(n)))
        for each in (stream, heard):
            if each is not None:
                container.mux(each.encode())
    return path


def silence(number: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(np.zeros((1, 1920), np.int16), layout="stereo", format="s16")
    frame.sample_rate, frame.pts = 48000, number * 960
    return frame


def steady(n: int, start: int = 0) -> list[Fraction]:
    return [start + Fraction(k, 25) for k in range(n)]


def cut_by_edit_list(path: Path, *, hidden: int, n: int) -> Path:
    """An MP4 of 50 frames with a keyframe every 12, of which an edit list shows ``n`` after the first ``hidden``."""
    data = bytearray(film(path, steady(50), keyframes=12).read_bytes())
    scale = int.from_bytes(data[(at := data.index(b"mdhd") + 16) : at + 4], "big")
    at = data.index(b"elst") + 12
    _, begins = struct.unpack(">Ii", data[at : at + 8])
    data[at : at + 8] = struct.pack(">Ii", n * 40, begins + hidden * scale // 25)
    path.write_bytes(data)
    return path


def found(path: Path) -> tuple[list[int | None], list[float]]:
    """The number on each frame, in the order of the frames, and their times."""
    with frames.opened(path) as opened:
        assert opened.broken is None
        read = {each.index: each.picture for each in opened.read(range(len(opened)))}
        numbers = [None if (picture := read[n]) is None else number_of(picture) for n in range(len(opened))]
        return numbers, [round(float(opened.time(n)), 3) for n in range(len(opened))]


def seconds(moments: Sequence[Fraction]) -> list[float]:
    return [round(float(each), 3) for each in moments]


LATE = {
    "plotbitrate 21: 20 s in": ("a.mkv", {"at": steady(25, 20)}, 0),
    "torchcodec 1209: an MP4 3 s in": ("a.mp4", {"at": steady(25, 3)}, 0),
    "torchaudio 3824: the same without an edit list": ("a.mp4", {"at": steady(25, 3), "use_editlist": "0"}, 0),
    "tauri 14656: no duration in the header": ("a.webm", {"at": steady(25, 7), "codec": "libvpx", "live": "1"}, 0),
    "PyAV 801: a transport stream 200 s in": ("a.ts", {"at": steady(25, 200), "base": Fraction(1, 90_000)}, 0),
    "webm-muxer.js 13: sound begins first": ("a.webm", {"at": steady(25, 15), "codec": "libvpx", "sound": 16}, 15),
    "webm-muxer.js 13: the same in Matroska": ("a.mkv", {"at": steady(25, 15), "sound": 16}, 15),
    "webm-muxer.js 13: a little before": ("a.mkv", {"at": steady(25, 2), "sound": 3}, 2),
}


@pytest.mark.parametrize(("name", "made", "first"), LATE.values(), ids=LATE)
def test_a_video_that_begins_late_is_whole_and_its_clip_has_its_times(
    tmp_path: Path, name: str, made: Any, first: int
) -> None:
    """Times count from the first picture or sound. A clip without sound shows the first picture from its beginning."""
    path = film(tmp_path / name, **made)
    expected = seconds(steady(25, first))
    assert found(path) == (list(range(25)), expected)
    with Image.open(clips.frame(path, index=24, out=tmp_path / "f.png").path) as image:
        assert number_of(image) == 24
    clip = clips.convert(path, out=tmp_path / "clip.webm").path
    assert found(clip) == (list(range(25)), [0.0, *expected[1:]])


UNEVEN = [Fraction(k) for k in (0, 7, 19, 20, 41, 70)]
TAILS = {
    "PyAV 2241: each frame lasts as long as it says": (
        {"at": UNEVEN, "base": Fraction(1), "lasts": [7, 12, 1, 21, 29, 1]},
        seconds(UNEVEN),
    ),
    "PyAV 2335: nothing says how long the last frame lasts": (
        {"at": [each / 10 for each in UNEVEN], "base": Fraction(1, 10)},
        seconds([each / 10 for each in UNEVEN]),
    ),
    "mp4-muxer 44: ten frames in a second": (
        {"at": [Fraction(k, 10) for k in range(10)], "base": Fraction(1, 1_000_000)},
        [k / 10 for k in range(10)],
    ),
    "gdcl.co.uk-mpeg4 6: five frames in all": (
        {"at": [Fraction(k, 4) for k in range(5)], "base": Fraction(1, 4)},
        [0.0, 0.25, 0.5, 0.75, 1.0],
    ),
    "gpac 2085: fragments": ({"at": steady(50), "movflags": "frag_keyframe+empty_moov"}, seconds(steady(50))),
}


@pytest.mark.parametrize(("made", "expected"), TAILS.values(), ids=TAILS)
def test_a_clip_keeps_the_last_frames_of_its_video(tmp_path: Path, made: Any, expected: list[float]) -> None:
    path = film(tmp_path / "a.mp4", **made)
    numbers = list(range(len(expected)))
    assert found(path) == (numbers, expected)
    clip = clips.convert(path, out=tmp_path / "clip.webm").path
    assert found(clip) == (numbers, expected)


@pytest.mark.parametrize(
    ("hidden", "n"),
    [
        pytest.param(0, 48, id="gpac 2085: the end is cut off"),
        pytest.param(10, 40, id="opencv 16576: the beginning is cut off between two keyframes"),
        pytest.param(10, 30, id="opencv 11782: both ends are cut off"),
        pytest.param(12, 38, id="shotcut 308: cut off at a keyframe"),
    ],
)
def test_a_video_that_was_trimmed_without_encoding_has_the_frames_that_players_show(
    tmp_path: Path, hidden: int, n: int
) -> None:
    path = cut_by_edit_list(tmp_path / "a.mp4", hidden=hidden, n=n)
    numbers, expected = list(range(hidden, hidden + n)), seconds(steady(n))
    assert found(path) == (numbers, expected)
    assert found(clips.convert(path, out=tmp_path / "clip.webm").path) == (numbers, expected)
    with frames.opened(path) as opened:
        (first,) = opened.read([0])
    assert first.picture is not None
    assert number_of(first.picture) == hidden


# ---- names of files --------------------------------------------------------------------------------------------------

NAMES = {
    "PFERD 141: the folder has the umlaut": ("\u00dcbung/cup.png", "NFD", "NFC"),
    "renpy 2327: a file of a Mac": ("caf\u00e9.png", "NFD", "NFC"),
    "winfile 86: Japanese": ("\u30d1\u30d4.png", "NFD", "NFC"),
    "rnr 31: Korean": ("\uae40\uce58.png", "NFC", "NFD"),
    "shelf-back 50: Cyrillic": ("\u0439.png", "NFD", "NFC"),
    "gocryptfs 992: another order of marks": ("a\u0323\u0307.png", "NFC", "NFD"),
}


@pytest.mark.parametrize(("name", "on_disk", "in_table"), NAMES.values(), ids=NAMES)
def test_a_file_is_found_in_the_other_form_of_its_name(
    store: Store, home: Path, tmp_path: Path, name: str, on_disk: Any, in_table: Any
) -> None:
    path = tmp_path / "files" / unicodedata.normalize(on_disk, name)
    path.parent.mkdir(parents=True)
    path.write_bytes(png())
    row = f"a,Which?,x,y,x,{unicodedata.normalize(in_table, name)}\n"
    (tmp_path / "items.csv").write_text(f"id,question,option_1,option_2,answer,image\n{row}", encoding="utf-8")
    done = imported(store, home, tmp_path / "items.csv", media=tmp_path / "files")
    assert (done.assets_found, done.missing) == (1, ())
