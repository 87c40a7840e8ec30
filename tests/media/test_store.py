"""The store keeps a file once, makes its copies once, and refuses what is not what it claims to be."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from domain.errors import InvalidMediaError, NotFoundError
from media.limits import Limits
from media.store import MediaStore
from testkit.pictures import encoded, photo, png_that_claims, png_with_a_text_bomb, quarters
from tests.paths import ROOT


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


def files_below(store: MediaStore) -> list[str]:
    return sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*") if path.is_file())


def shown(store: MediaStore, sha256: str, size: str = "display") -> Image.Image:
    with Image.open(store.path(sha256, size)) as image:  # type: ignore[arg-type]
        assert image.format in ("JPEG", "WEBP")
        return image.convert("RGB")


def close(pixel: object, colour: tuple[int, int, int], by: int = 14) -> bool:
    return all(abs(a - b) <= by for a, b in zip(pixel, colour, strict=True))  # type: ignore[call-overload]


# ---- what is kept ---------------------------------------------------------------------------------------------------


def test_a_photo_is_kept_as_it_came_with_two_copies(store: MediaStore, tmp_path: Path) -> None:
    content = encoded(photo(2400, 1800), "JPEG", quality=90)
    path = tmp_path / "kitchen.jpg"
    path.write_bytes(content)
    stored = store.add(path, name="kitchen.jpg")
    assert stored.sha256 == hashlib.sha256(content).hexdigest()
    assert (stored.kind, stored.mime, stored.bytes) == ("image", "image/jpeg", len(content))
    assert (stored.width, stored.height, stored.duration) == (2400, 1800, None)
    assert store.path(stored.sha256, "original").read_bytes() == content
    assert shown(store, stored.sha256).size == (1600, 1200)
    assert shown(store, stored.sha256, "thumb").size == (320, 240)
    assert store.about(stored.sha256) == stored
    assert stored.sha256 in store


def test_the_same_content_lies_there_once_whatever_it_is_called(store: MediaStore, tmp_path: Path) -> None:
    content = encoded(photo())
    path = tmp_path / "other-name.png"
    path.write_bytes(content)
    first = store.add(content, name="a.png")
    before = {file: os.stat(store.root / file).st_mtime_ns for file in files_below(store)}
    assert store.add(path, name="b.png") == first
    assert {file: os.stat(store.root / file).st_mtime_ns for file in files_below(store)} == before
    assert len(before) == 5


def test_a_store_opened_again_knows_what_is_there(store: MediaStore) -> None:
    stored = store.add(encoded(photo()), name="a.png")
    assert MediaStore(store.root).about(stored.sha256) == stored


@pytest.mark.parametrize(
    ("format", "mime"),
    [
        *[("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp"), ("GIF", "image/gif")],
        *[("BMP", "image/bmp"), ("AVIF", "image/avif")],
    ],
)
def test_the_formats_that_browsers_show_are_taken(store: MediaStore, format: str, mime: str) -> None:
    stored = store.add(encoded(quarters(), format), name=f"x.{format.lower()}")
    assert (stored.mime, stored.width, stored.height) == (mime, 80, 60)
    assert close(shown(store, stored.sha256).getpixel((20, 15)), (220, 30, 30), by=40)


def test_a_photograph_stays_jpeg_and_what_was_made_of_one_before_is_shown(store: MediaStore) -> None:
    """Copies of both types lie in stores of today: JPEG was made into WebP until it turned out to be slow."""
    taken, drawn = (store.add(encoded(photo(), format), name="x").sha256 for format in ("JPEG", "PNG"))
    for size in ("display", "thumb"):
        path, mime = store.shown(taken, size)
        with Image.open(path) as copy:
            assert (path.name, mime, copy.format) == (f"{size}.jpg", "image/jpeg", "JPEG")
            assert not {"exif", "icc_profile", "comment"} & set(copy.info)
            assert close(copy.resize((1, 1)).getpixel((0, 0)), photo().resize((1, 1)).getpixel((0, 0)), by=4)
            copy.save(path.with_suffix(".webp"))
        assert store.shown(drawn, size)[1] == "image/webp"
        path.unlink()
        assert store.shown(taken, size) == (path.with_suffix(".webp"), "image/webp")
    store.must_show(taken, content=True)


def test_an_image_under_another_images_ending_is_taken_for_what_it_is(store: MediaStore) -> None:
    assert store.add(encoded(photo(), "JPEG"), name="scraped.png").mime == "image/jpeg"


def test_nothing_is_enlarged(store: MediaStore) -> None:
    stored = store.add(encoded(photo(200, 100)), name="small.png")
    assert shown(store, stored.sha256).size == shown(store, stored.sha256, "thumb").size == (200, 100)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 5000), (9000, 2)])
def test_tiny_and_thin_images_are_shown(store: MediaStore, size: tuple[int, int]) -> None:
    stored = store.add(encoded(Image.new("RGB", size, "red")), name="thin.png")
    assert (stored.width, stored.height) == size
    assert min(shown(store, stored.sha256, "thumb").size) >= 1
    assert max(shown(store, stored.sha256).size) <= 1600


@pytest.mark.thorough
def test_a_huge_image_is_reduced(store: MediaStore) -> None:
    stored = store.add(encoded(Image.new("RGB", (8000, 6000), "navy"), "JPEG"), name="huge.jpg")
    assert (stored.width, stored.height) == (8000, 6000)
    assert shown(store, stored.sha256).size == (1600, 1200)


# ---- what the copies look like --------------------------------------------------------------------------------------


def place_of_quarters(image: Image.Image) -> dict[str, str]:
    """Which colour is in which corner."""
    w, h = image.size
    corners = {
        "ul": (w // 4, h // 4),
        "ur": (3 * w // 4, h // 4),
        "ll": (w // 4, 3 * h // 4),
        "lr": (3 * w // 4, 3 * h // 4),
    }
    names = {"red": (220, 30, 30), "green": (30, 160, 30), "blue": (30, 30, 220), "white": (255, 255, 255)}
    return {
        corner: next(name for name, colour in names.items() if close(image.getpixel(at), colour, by=40))
        for corner, at in corners.items()
    }


@pytest.mark.parametrize(
    ("orientation", "corners"),
    [
        # By the EXIF standard: what comes to lie upper left, upper right, lower left, lower right.
        (1, ("red", "green", "blue", "white")),
        (2, ("green", "red", "white", "blue")),
        (3, ("white", "blue", "green", "red")),
        (4, ("blue", "white", "red", "green")),
        (5, ("red", "blue", "green", "white")),
        (6, ("blue", "red", "white", "green")),
        (7, ("white", "green", "blue", "red")),
        (8, ("green", "white", "red", "blue")),
    ],
)
def test_copies_stand_upright(store: MediaStore, orientation: int, corners: tuple[str, ...]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = store.add(encoded(quarters(), "JPEG", quality=95, exif=exif, subsampling=0), name="turned.jpg")
    picture = shown(store, stored.sha256)
    assert tuple(place_of_quarters(picture)[corner] for corner in ("ul", "ur", "ll", "lr")) == corners
    assert picture.size == (stored.width, stored.height) == ((60, 80) if orientation >= 5 else (80, 60))


def test_copies_do_not_say_where_the_camera_was(store: MediaStore) -> None:
    exif = Image.Exif()
    exif[0x010F] = "SecretCameraMaker"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (48.0, 8.0, 11.0)
    content = encoded(photo(), "JPEG", exif=exif, comment=b"shot at home")
    assert b"SecretCameraMaker" in content
    stored = store.add(content, name="gps.jpg")
    for size in ("display", "thumb"):
        copy = store.path(stored.sha256, size).read_bytes()  # type: ignore[arg-type]
        assert b"SecretCameraMaker" not in copy
        assert b"shot at home" not in copy
        with Image.open(store.path(stored.sha256, size)) as image:  # type: ignore[arg-type]
            assert not dict(image.getexif())
            assert not {"exif", "xmp", "icc_profile"} & set(image.info)


def test_transparency_becomes_white(store: MediaStore) -> None:
    glass = Image.new("RGBA", (60, 60), (0, 0, 0, 0))
    glass.paste((200, 20, 20, 255), (0, 0, 30, 60))
    palette = Image.new("P", (60, 60), 0)
    palette.putpalette([0, 0, 0, 200, 20, 20])
    palette.paste(1, (0, 0, 30, 60))
    grey = Image.new("LA", (60, 60), (0, 0))
    for image, options in ((glass, {}), (palette, {"transparency": 0}), (grey, {})):
        stored = store.add(encoded(image, "PNG", **options), name="glass.png")
        assert close(shown(store, stored.sha256).getpixel((45, 30)), (255, 255, 255))


def test_an_animation_is_shown_by_its_first_picture(store: MediaStore) -> None:
    first, second = Image.new("RGB", (40, 40), (200, 20, 20)), Image.new("RGB", (40, 40), (20, 20, 200))
    for format in ("GIF", "WEBP", "PNG"):
        content = encoded(first, format, save_all=True, append_images=[second], duration=100)
        stored = store.add(content, name="moving")
        with Image.open(store.path(stored.sha256, "display")) as image:
            assert getattr(image, "n_frames", 1) == 1
            assert close(image.convert("RGB").getpixel((20, 20)), (200, 20, 20), by=20)


def test_print_colours_become_screen_colours(store: MediaStore) -> None:
    stored = store.add(encoded(Image.new("CMYK", (40, 40), (0, 255, 255, 0)), "JPEG", quality=95), name="print.jpg")
    red, green, blue = shown(store, stored.sha256).getpixel((20, 20))  # type: ignore[misc]
    assert red > 180
    assert max(green, blue) < 80


def test_a_broken_colour_profile_is_ignored(store: MediaStore) -> None:
    grey = Image.new("RGB", (40, 40), (128, 128, 128))
    stored = store.add(encoded(grey, icc_profile=b"no profile"), name="broken.png")
    assert close(shown(store, stored.sha256).getpixel((20, 20)), (128, 128, 128), by=3)


def test_sixteen_bits_become_eight(store: MediaStore) -> None:
    ramp = np.tile(np.linspace(0, 65535, 256).astype(np.uint16), (64, 1))
    stored = store.add(encoded(Image.fromarray(ramp)), name="deep.png")
    picture = shown(store, stored.sha256).convert("L")
    got = [picture.getpixel((x, 32)) for x in (0, 64, 128, 192, 255)]
    assert got == pytest.approx([0, 64, 128, 192, 255], abs=4)


def test_sharpness_falls_with_blur(store: MediaStore) -> None:
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 256, (300, 300), dtype=np.uint8)).convert("RGB")
    crisp = store.add(encoded(noise), name="crisp.png").sharpness
    soft = store.add(encoded(noise.reduce(4).resize((300, 300), Image.Resampling.BICUBIC)), name="soft.png").sharpness
    even = store.add(encoded(Image.new("RGB", (300, 300), "grey")), name="even.png").sharpness
    assert crisp is not None
    assert soft is not None
    assert crisp > 10 * soft > 0
    assert even == 0


def test_sharpness_is_the_variance_of_the_laplacian(store: MediaStore) -> None:
    # One white pixel on black, 5 x 5: the nine inner values are 255 four times, -1020 once and 0 four times.
    image = Image.new("L", (5, 5), 0)
    image.putpixel((2, 2), 255)
    values = [255] * 4 + [-1020] + [0] * 4
    mean = sum(values) / 9
    by_hand = sum((value - mean) ** 2 for value in values) / 9
    assert store.add(encoded(image), name="dot.png").sharpness == pytest.approx(by_hand)


# ---- what is refused ------------------------------------------------------------------------------------------------

JPEG = encoded(photo(), "JPEG")
PNG = encoded(photo())

REFUSED: dict[str, tuple[str, Callable[[], bytes], list[str]]] = {
    "nothing in it": ("a.png", lambda: b"", ["a.png is empty"]),
    "a web page": (
        "b.png",
        lambda: b"<!DOCTYPE html><html><body>404</body></html>",
        ["b.png is a web page", "failed download"],
    ),
    "a page with a mark": ("b.jpg", lambda: b"\xef\xbb\xbf\n <HTML><script>1</script>", ["web page"]),
    "a drawing": ("c.png", lambda: b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', ["SVG", "PNG"]),
    "a text": ("d.png", lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:1", ["d.png is a text"]),
    "a zip": ("e.png", lambda: b"PK\x03\x04" + bytes(60), ["ZIP archive", "Unpack"]),
    "a document": ("f.png", lambda: b"%PDF-1.7 ...", ["PDF"]),
    "a TIFF": ("g.tif", lambda: encoded(photo(), "TIFF"), ["TIFF", "PNG"]),
    "an MP4": ("h.webm", lambda: b"\0\0\0\x20ftypisom" + bytes(60), ["MP4", "WebM"]),
    "random bytes": ("i.png", lambda: bytes(range(128, 256)) * 8, ["i.png is of an unknown type"]),
    "a cut JPEG": ("j.jpg", lambda: JPEG[: len(JPEG) // 2], ["cannot read all of j.jpg"]),
    "a JPEG's first bytes": ("j.jpg", lambda: JPEG[:20], ["cannot read all of j.jpg"]),
    "a cut PNG": ("k.png", lambda: PNG[: len(PNG) // 2], ["cannot read all of k.png"]),
    "a PNG's first bytes": ("k.png", lambda: PNG[:8], ["cannot read all of k.png"]),
    "a damaged PNG": ("l.png", lambda: PNG[:2000] + bytes(200) + PNG[2200:], ["cannot read all of l.png"]),
    "a bomb of pixels": (
        "m.png",
        lambda: png_that_claims(50_000, 50_000, rows=200),
        ["m.png", "170 million", "80,000,000"],
    ),
    "a smaller bomb": (
        "m.png",
        lambda: png_that_claims(9_500, 9_400, rows=20),
        ["89,300,000", "80,000,000", "Scale the image"],
    ),
    "a long bomb": ("m.png", lambda: png_that_claims(40_000, 10), ["40000 x 10", "30,000"]),
    "a bomb of text": ("n.png", png_with_a_text_bomb, ["n.png"]),
}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_told_in_a_sentence_and_leaves_nothing(what: str, store: MediaStore) -> None:
    name, content, words = REFUSED[what]
    with pytest.raises(InvalidMediaError) as refused:
        store.add(content(), name=name)
    sentence = str(refused.value)
    assert all(word in sentence for word in words), sentence
    assert name in sentence
    assert sentence.endswith(".")
    assert files_below(store) == []
    assert list((store.root / "incoming").iterdir()) == []


def test_a_file_over_the_limit_is_not_read_to_its_end(tmp_path: Path) -> None:
    """An endless source stops at the limit: nothing holds it whole."""
    fifo = tmp_path / "endless.png"
    os.mkfifo(fifo)
    written = 0

    def pour() -> None:
        nonlocal written
        with fifo.open("wb", buffering=0) as out:
            try:
                out.write(PNG[:4096])
                while True:
                    written += out.write(bytes(65536))
            except BrokenPipeError:
                pass

    thread = threading.Thread(target=pour)
    thread.start()
    with pytest.raises(InvalidMediaError, match=r"endless\.png is larger than 2 MiB"):
        MediaStore(tmp_path / "media", limits=Limits(image_bytes=2 * 1024 * 1024)).add(fifo, name="endless.png")
    thread.join()
    assert written < 4 * 1024 * 1024


def test_paths_that_lead_nowhere(store: MediaStore, tmp_path: Path) -> None:
    with pytest.raises(InvalidMediaError, match=r"gone\.png does not exist"):
        store.add(tmp_path / "gone.png", name="gone.png")
    with pytest.raises(InvalidMediaError, match="is a folder"):
        store.add(tmp_path, name="folder")


@pytest.mark.parametrize("sha256", ["0" * 64, "", "..", "../../../etc/passwd", "A" * 64, "0" * 63 + "\n"])
def test_only_stored_content_has_a_path(store: MediaStore, sha256: str) -> None:
    with pytest.raises(NotFoundError):
        store.path(sha256, "display")


def test_an_unknown_size_is_our_mistake(store: MediaStore) -> None:
    stored = store.add(PNG, name="a.png")
    with pytest.raises(ValueError, match="thumb, display, original"):
        store.path(stored.sha256, "../about")  # type: ignore[arg-type]


# ---- at the same time -----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_threads_that_add_the_same_file(store: MediaStore) -> None:
    content, results = encoded(photo(1200, 900)), []
    together = threading.Barrier(8)

    def add() -> None:
        together.wait()
        results.append(store.add(content, name="same.png"))

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert len(set(results)) == 1
    assert len(files_below(store)) == 5


@pytest.mark.slow
def test_processes_that_add_the_same_files(store: MediaStore, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.png").write_bytes(encoded(photo(800, 600, seed=number)))
    script = (
        "import sys; from pathlib import Path; from media.store import MediaStore\n"
        "store = MediaStore(Path(sys.argv[1]))\n"
        "print(*(store.add(Path(path), name=path).sha256 for path in sys.argv[2:]))"
    )
    paths = [str(tmp_path / f"{number}.png") for number in range(6)]
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(store.root), *paths], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    said = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(said) == 1
    assert len(files_below(store)) == 6 * 5
    assert list((store.root / "incoming").iterdir()) == []


def test_a_kill_in_the_middle_leaves_nothing_that_counts(store: MediaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "_settle", killed)
        with pytest.raises(KeyboardInterrupt):
            store.add(PNG, name="a.png")
    assert hashlib.sha256(PNG).hexdigest() not in store
    stored = store.add(PNG, name="a.png")
    assert store.path(stored.sha256, "thumb").is_file()
