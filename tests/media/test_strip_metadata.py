"""Who took a picture, where and with what, leaves with no file; its pixels and frames do, as they were."""

from __future__ import annotations

import hashlib
import io
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from domain.errors import InvalidMediaError, NotAvailableError
from media import strip_metadata
from media.model_input import Pictures
from media.store import MediaStore
from testkit.pictures import encoded, frames, quarters, video

SECRET = b"Ana Author, 47.37N 8.54E"
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><dc:creator>' + SECRET + b"</dc:creator></x:xmpmeta>"


def _exif(orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    for tag in (0x010E, 0x013B, 0x8298, 0x0131):  # description, artist, copyright, software
        exif[tag] = SECRET.decode()
    exif.get_ifd(0x8825)[1] = SECRET.decode()
    return exif


def _profile() -> bytes:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    hidden = SECRET[:24].ljust(24).decode().encode("utf-16-be")
    at = profile.index("sRGB built-in".encode("utf-16-be"))
    return profile[:at] + hidden[: len("sRGB built-in") * 2] + profile[at + len("sRGB built-in") * 2 :]


def _jpeg(orientation: int, **options: Any) -> bytes:
    plain = encoded(
        quarters(), "JPEG", quality=90, exif=_exif(orientation), icc_profile=_profile(), comment=SECRET, **options
    )
    more = b"".join(
        strip_metadata._segment(marker, start + SECRET)
        for marker, start in ((0xE1, b"http://ns.adobe.com/xap/1.0/\0" + XMP), (0xED, b"Photoshop 3.0\0"), (0xE7, b"X"))
    )
    return plain[:2] + more + plain[2:] + b"trailing " + SECRET


def _png(orientation: int, **_: Any) -> bytes:
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", SECRET.decode())
    told.add_text("Description", SECRET.decode(), zip=True)
    told.add_itxt("XML:com.adobe.xmp", XMP.decode())
    told.add(b"prVt", SECRET)
    made = encoded(quarters(), "PNG", pnginfo=told, exif=_exif(orientation), icc_profile=_profile())
    return made + SECRET


def _webp(orientation: int, **options: Any) -> bytes:
    return encoded(quarters(), "WEBP", exif=_exif(orientation).tobytes(), xmp=XMP, icc_profile=_profile(), **options)


def _gif(_orientation: int, **options: Any) -> bytes:
    return encoded(quarters().convert("P"), "GIF", comment=SECRET, **options) + SECRET


def _bmp(_orientation: int, **_: Any) -> bytes:
    return encoded(quarters(), "BMP") + SECRET


def _avif(orientation: int, **_: Any) -> bytes:
    return encoded(quarters(), "AVIF", exif=_exif(orientation).tobytes(), xmp=XMP)


KINDS: dict[str, Callable[..., bytes]] = {
    "jpeg": _jpeg, "png": _png, "webp": _webp, "gif": _gif, "bmp": _bmp, "avif": _avif,
}  # fmt: skip
WAYS: list[tuple[str, int, dict[str, Any]]] = [
    *((kind, orientation, {}) for kind in KINDS for orientation in (1, 6)),
    ("jpeg", 8, {"progressive": True}),
    ("webp", 3, {"lossless": True}),
    ("webp", 1, {"save_all": True, "append_images": [quarters(60, 80).resize((80, 60))]}),
    ("gif", 1, {"save_all": True, "append_images": [quarters(60, 80).resize((80, 60)).convert("P")], "loop": 0}),
]


def _shown(content: bytes) -> list[np.ndarray[Any, Any]]:
    """Every picture of a file as a browser shows it: upright."""
    with Image.open(io.BytesIO(content)) as image:
        found = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            found.append(np.asarray(ImageOps.exif_transpose(image).convert("RGB")))
        return found


def _tells(content: bytes) -> bool:
    """Whether the secret is in there, as it is, in UTF-16, or packed as PNG packs texts."""
    hidden = SECRET[:13]
    packed = b"".join(
        zlib.decompressobj().decompress(content[at:])
        for at in range(len(content) - 1)
        if content[at : at + 2] in (b"\x78\x9c", b"\x78\xda") and _unpacks(content[at:])
    )
    return any(hidden in each or hidden.decode().encode("utf-16-be") in each for each in (content, packed))


def _unpacks(content: bytes) -> bool:
    try:
        zlib.decompressobj().decompress(content)
    except zlib.error:
        return False
    return True


@pytest.mark.parametrize(("kind", "orientation", "options"), WAYS)
def test_an_image_leaves_without_what_it_says_of_its_making(
    kind: str, orientation: int, options: dict[str, Any], tmp_path: Path
) -> None:
    store, content = MediaStore(tmp_path / "media"), KINDS[kind](orientation, **options)
    assert _tells(content)
    stored = store.add(content)
    path, mime = store.bare(stored.sha256)
    left = path.read_bytes()
    assert not _tells(left)
    with Image.open(path) as image:
        assert Image.MIME[image.format or ""] == mime == (stored.mime if kind not in ("bmp", "avif") else "image/png")
        assert set(image.getexif()) <= {0x0112}
    before, after = _shown(content), _shown(left)
    assert len(after) == len(before)
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
    # what came is kept as it came; what was made once is found again
    assert hashlib.sha256(store.path(stored.sha256).read_bytes()).hexdigest() == stored.sha256
    assert store.bare(stored.sha256) == (path, mime)
    for size in ("display", "thumb"):
        assert not _tells(store.path(stored.sha256, size).read_bytes())  # type: ignore[arg-type]
    prompt = Pictures(store, tmp_path / "prepared").image(stored.sha256)
    assert not _tells(prompt.path.read_bytes())
    assert hashlib.sha256(prompt.path.read_bytes()).hexdigest() == prompt.sha256


def test_a_file_that_says_nothing_takes_no_more_room(tmp_path: Path) -> None:
    store = MediaStore(tmp_path)
    for format in ("JPEG", "PNG", "WEBP"):
        stored = store.add(encoded(quarters(), format))
        assert store.bare(stored.sha256)[0].samefile(store.path(stored.sha256)), format


def test_colours_are_shown_as_the_profile_has_them() -> None:
    profile = _profile()
    left = strip_metadata.colours(profile)
    assert len(left) == len(profile)
    assert left != profile
    image = quarters()
    srgb = ImageCms.createProfile("sRGB")
    read = [ImageCms.ImageCmsProfile(io.BytesIO(each)) for each in (profile, left)]
    one, other = (ImageCms.profileToProfile(image, each, srgb) for each in read)
    assert one is not None
    assert other is not None
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("live", [False, True])
def test_a_clip_leaves_without_title_comment_and_programs(live: bool, tmp_path: Path) -> None:
    import av

    plain, told = video(tmp_path / "plain.webm", [n / 10 for n in range(12)]), tmp_path / "told.webm"
    options = {"live": "1"} if live else {}
    with av.open(str(plain)) as source, av.open(str(told), "w", options=options) as out:
        for name in ("title", "comment", "location", "artist", "creation_time", "encoder"):
            out.metadata[name] = "2026-01-01T00:00:00Z" if name == "creation_time" else SECRET.decode()
        stream = out.add_stream_from_template(source.streams.video[0])
        stream.metadata["title"] = SECRET.decode()
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                out.mux(packet)
    content = told.read_bytes()
    assert SECRET in content
    store = MediaStore(tmp_path / "media")
    stored = store.add(told)
    path, mime = store.bare(stored.sha256)
    left = path.read_bytes()
    assert mime == "video/webm"
    for word in (SECRET, b"Lav", b"ENCODER", b"2026-01-01"):
        assert word not in left, word
    assert list(frames(path)) == list(frames(told))
    with av.open(str(path)) as clip:
        assert not any(clip.metadata.values())
        assert {name.lower() for name in clip.streams.video[0].metadata} <= {"language"}
    assert hashlib.sha256(store.path(stored.sha256).read_bytes()).hexdigest() == stored.sha256


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "gif"])
def test_a_file_cut_short_anywhere_is_not_taken_apart_wrongly(kind: str) -> None:
    """Either it is not understood, or what comes out says nothing."""
    content = KINDS[kind](6)
    for end in range(0, len(content), max(1, len(content) // 60)):
        try:
            left = strip_metadata.image(content[:end], f"image/{kind}", 1)
        except strip_metadata.NotUnderstood:
            continue
        assert not _tells(left)


def unusual(path: Path) -> Path:
    """A clip with a title in it, whose segment has no length and ends with bytes that are no element of WebM: players
    pass them over."""
    import av

    plain = video(path.with_name("plain.webm"), [n / 10 for n in range(12)])
    with av.open(str(plain)) as source, av.open(str(path), "w", format="webm") as out:
        out.metadata["title"] = SECRET.decode()
        stream = out.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                out.mux(packet)
    content = path.read_bytes()
    at = content.index(b"\x18\x53\x80\x67") + 4
    assert content[at] == 1, "its length takes eight bytes"
    path.write_bytes(content[:at] + b"\x01" + b"\xff" * 7 + content[at + 8 :] + bytes(64))
    return path


def test_a_stored_clip_of_unusual_build_is_written_anew_with_the_same_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that came in before clips were looked through."""
    odd = unusual(tmp_path / "odd.webm")
    store = MediaStore(tmp_path / "media")
    with pytest.raises(InvalidMediaError, match="unusual structure"):
        store.add(odd)
    with monkeypatch.context() as earlier:
        earlier.setattr(strip_metadata, "looked_at", lambda path: None)
        stored = store.add(odd)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "av", None)
        with pytest.raises(NotAvailableError, match=r"must convert this clip.*pip install 'av>="):
            store.must_show(stored.sha256, content=False)
    store.must_show(stored.sha256, content=False)
    path, mime = store.bare(stored.sha256)
    assert mime == "video/webm"
    assert [each.name for each in path.parent.iterdir() if "whole" in each.name] == []
    assert list(frames(path)) == list(frames(odd))
    left = path.read_bytes()
    assert SECRET in odd.read_bytes()
    for word in (SECRET, b"Lav", b"ENCODER"):
        assert word not in left, word
