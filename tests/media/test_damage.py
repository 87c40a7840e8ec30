"""Whatever is damaged in a file, it is shown or refused with a sentence: nothing else comes out, and nothing stays."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from PIL import Image

from domain.errors import InvalidMediaError
from media.store import MediaStore
from testkit.pictures import encoded, photo, video


def turned_photo() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif.get_ifd(0x8825)[1] = "N"
    return encoded(photo(160, 120), "JPEG", exif=exif)


def animation(format: str) -> bytes:
    return encoded(photo(60, 50), format, save_all=True, append_images=[photo(60, 50, seed=2)])


WHOLE = {
    **{format: encoded(photo(160, 120), format) for format in ("PNG", "JPEG", "WEBP", "GIF", "AVIF", "BMP")},
    "turned JPEG": turned_photo(),
    "animated PNG": animation("PNG"),
    "animated WebP": animation("WEBP"),
}


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content with some bytes changed, its head spoiled, its end cut off, or a piece exchanged."""
    spoilt = bytearray(content)
    what = chance.randrange(4)
    if what == 0:
        for _ in range(chance.randint(1, 12)):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
    elif what == 1:
        for _ in range(chance.randint(1, 6)):
            spoilt[chance.randrange(min(len(spoilt), 200))] = chance.choice([0, 127, 128, 255])
    elif what == 2:
        del spoilt[chance.randrange(len(spoilt)) :]
    else:
        start = chance.randrange(len(spoilt))
        spoilt[start : start + chance.randrange(50)] = chance.randbytes(chance.randrange(50))
    return bytes(spoilt)


def shown_or_refused(store: MediaStore, content: bytes) -> bool:
    sentence = ""
    try:
        stored = store.add(content, name="damaged")
    except InvalidMediaError as refused:
        sentence = str(refused)
    if sentence:
        assert re.match(r"(?:Touchstone cannot (?:read all of|decode|decode any frame of) )?damaged\b", sentence), (
            sentence
        )
        assert sentence.endswith(".")
        return False
    assert store.path(stored.sha256, "display").stat().st_size > 0
    return True


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning", "ignore::UserWarning:PIL")
@pytest.mark.parametrize("kind", WHOLE)
def test_damaged_images(kind: str, tmp_path: Path) -> None:
    store, chance = MediaStore(tmp_path / "media"), random.Random(kind)
    assert shown_or_refused(store, WHOLE[kind])
    results = [shown_or_refused(store, damaged(WHOLE[kind], chance)) for _ in range(60)]
    assert not all(results)
    assert list((store.root / "incoming").iterdir()) == []


@pytest.mark.thorough
def test_damaged_clips(tmp_path: Path) -> None:
    whole = video(tmp_path / "whole.webm", [n / 10 for n in range(12)]).read_bytes()
    store, chance = MediaStore(tmp_path / "media"), random.Random("clip")
    results = [shown_or_refused(store, damaged(whole, chance)) for _ in range(120)]
    assert any(results)
    assert not all(results)
    assert list((store.root / "incoming").iterdir()) == []
