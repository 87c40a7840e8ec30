"""Small files that once came out wrong, from their import to a release: people, models and files see the same."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from PIL import Image, ImageOps

from annotation_schemas.loader import load_text
from app.importing.result_sentence import imported_sentence
from db.engine import Store
from domain.errors import InvalidFileError
from domain.roles import Role
from media import clips, frames
from media.model_input import Pictures
from media.store import MediaStore
from testkit import loaded
from testkit.factories import claimed, make_people, make_person, make_project
from testkit.missing_extensions import needs
from testkit.paths import ROOT
from workflow.annotate import submissions
from workflow.files.import_files import import_files, look_at_files
from workflow.files.one_import import ImportSummary
from workflow.releases import settings
from workflow.releases.create import CreatedRelease, create
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough

CASES = ROOT / "tests" / "cases"
MCQ = """
name: mcq
version: 1
title: MCQ
dimensions: [{id: kitchen, title: Kitchen, definition: "In the kitchen."}]
item:
  assets: [{role: SLOT, kind: SLOT}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
    - {name: where, kind: boxes, required: false}
stages:
  verification:
    raters: 2
    criteria: [{name: right, kind: choice, prompt: "Is the answer right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: right, value: "yes"}
"""
SAID = {"description": "Four colors.", "license": "CC-BY-4.0", "creators": "A", "synthetic": "yes"}


def imported(store: Store, home: Path, path: Path, *, slot: str = "image", media: Path | None = None) -> ImportSummary:
    schema = MCQ.replace("SLOT", slot)
    if slot == "clip":
        schema = schema.replace("    - {name: where, kind: boxes, required: false}\n", "")
    make_project(store, loaded=load_text(schema, "Look.", "mcq"))
    lea = make_person(store, "lea", role=Role.LEAD)
    about: dict[str, Any] = {"project": "p", "format": "csv", "path": path, "media_dir": media or path.parent}
    return import_files(store, MediaStore(home / "media"), by=lea, **about)


def released(store: Store, home: Path, *formats: str) -> Path:
    """The public folder of a release of everything, after two yes votes each."""
    for person in make_people(store, "ann", "bob"):
        while (view := _next(store, person)) is not None:
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"right": "yes"})
    settings.say(store, by=None, project="p", said=SAID)
    asked = ReleaseOptions(formats=formats, media=True, despite=("said", "items", "exposure"))
    made: CreatedRelease = create(store, MediaStore(home / "media"), home, by=None, project="p", asked=asked)
    return made.place / "public"


def _next(store: Store, person: Any) -> Any:
    try:
        return claimed(store, person)
    except AssertionError:
        return None


def red(image: Image.Image) -> str:
    """In which corner it is red."""
    image = image.convert("RGB")
    w, h = image.size
    at = {"ul": (8, 8), "ur": (w - 8, 8), "ll": (8, h - 8), "lr": (w - 8, h - 8)}
    pixels: dict[str, Any] = {name: image.getpixel(place) for name, place in at.items()}
    return next(name for name, (r, g, b) in pixels.items() if r > 150 > max(g, b) + 40)


def as_readers_see(data: bytes) -> tuple[tuple[int, int], str]:
    """Size and red corner of a file that a reader of EXIF opens."""
    with Image.open(io.BytesIO(data)) as image:
        shown = ImageOps.exif_transpose(image)
        return shown.size, red(shown)


@needs("formats", "vlmevalkit")
def test_an_orientation_in_xmp_alone_is_the_same_in_every_file_of_a_release(store: Store, home: Path) -> None:
    imported(store, home, CASES / "xmp_orientation" / "m2.csv")
    media = MediaStore(home / "media")
    (folder,) = (path.parent for path in (home / "media").glob("??/*/original"))
    stored = media.about(folder.name)
    seen = as_readers_see(media.path(stored.sha256, "display").read_bytes())
    assert seen == ((80, 160), "ur")  # the key of the item says so, and its box is there
    assert (stored.width, stored.height) == (80, 160)
    asked = Pictures(media, home / "prepared").image(stored.sha256)
    assert as_readers_see(asked.path.read_bytes()) == seen
    root = released(store, home, "jsonl", "hf_dataset", "vlmevalkit", "inspect")
    (file,) = (root / "media").rglob("*.png")
    assert as_readers_see(file.read_bytes()) == seen
    (table,) = (root / "data").glob("*.parquet")
    (row,) = pyarrow.parquet.read_table(table).to_pylist()
    assert as_readers_see(row["image"]["bytes"]) == seen
    (drawn,) = (root / "inspect" / "images").rglob("*.png")
    with Image.open(drawn) as image:
        assert image.size == (80, 160)


TURNED = "id,question,option_1,option_2,answer,image\nj,Which?,x,y,x,j.jpg\np,Which?,x,y,x,p.png\n"


@needs("formats", "vlmevalkit")
def test_programs_that_read_no_note_get_upright_pixels(store: Store, home: Path, tmp_path: Path) -> None:
    """A JPEG and a PNG that are stored 160 x 80 with a quarter turn in EXIF: red is upper right when they are shown."""
    shown = Image.new("RGB", (80, 160), "white")
    shown.paste("red", (60, 0, 80, 40))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera lay on its side: the stored picture is turned clockwise to be shown
    for name, format in (("j.jpg", "JPEG"), ("p.png", "PNG")):
        shown.transpose(Image.Transpose.ROTATE_90).save(tmp_path / name, format, exif=exif, quality=95)
    (tmp_path / "items.csv").write_text(TURNED)
    imported(store, home, tmp_path / "items.csv")
    root = released(store, home, "hf_dataset", "hub_eval", "inspect", "lmms_eval", "llava", "vlmevalkit")
    texts = [(root / "vlmevalkit" / "p_test.tsv").read_text(encoding="utf-8")]
    csv.field_size_limit(10**9)
    rows = list(csv.DictReader(io.StringIO(texts[0], newline=""), delimiter="\t"))
    files = [base64.b64decode(row["image"]) for row in rows]
    (table,) = (root / "data").glob("*.parquet")
    table_rows = pyarrow.parquet.read_table(table).to_pylist()
    files += [base64.b64decode(row["eval_image"].partition(",")[2]) for row in table_rows]
    for format in ("inspect", "lmms_eval", "llava"):
        there = sorted((root / format / "images").rglob("*.*"))
        assert [path.suffix for path in there] == [".jpg", ".png"], format
        files += [path.read_bytes() for path in there]
    assert len(files) == 10
    for data in files:
        with Image.open(io.BytesIO(data)) as image:
            assert not image.getexif()
            assert (image.size, red(image)) == ((80, 160), "ur")
    assert {as_readers_see(row["image"]["bytes"]) for row in table_rows} == {((80, 160), "ur")}


@needs("formats", "vlmevalkit")
def test_two_files_with_the_same_pixels_go_out_as_each_is_shown(store: Store, home: Path) -> None:
    imported(store, home, CASES / "twin_turned" / "items.csv")
    media = MediaStore(home / "media")
    shown = {
        path.parent.name: as_readers_see(media.path(path.parent.name, "display").read_bytes())[0]
        for path in (home / "media").glob("??/*/original")
    }
    assert sorted(shown.values()) == [(80, 160), (160, 80)]
    root = released(store, home, "jsonl", "vlmevalkit")
    (table,) = (root / "vlmevalkit").glob("*.tsv")
    csv.field_size_limit(10**9)
    text = table.read_text(encoding="utf-8")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")}
    sizes = {}
    for name, row in rows.items():
        with Image.open(io.BytesIO(base64.b64decode(row["image"]))) as image:
            sizes[name] = image.size
    assert sizes == {"a": (160, 80), "b": (80, 160)}  # exif1.jpg says upright, xmp6.jpg a quarter turn
    files = {as_readers_see(path.read_bytes())[0] for path in (root / "media").rglob("*.jpg")}
    assert files == {(80, 160), (160, 80)}


def test_a_clip_whose_header_is_short_keeps_its_last_frame(store: Store, home: Path) -> None:
    imported(store, home, CASES / "clip_loses_end" / "items.csv", slot="clip")
    (original,) = (home / "media").glob("??/*/original")
    about = json.loads((original.parent / "frames.json").read_text())
    assert about["times"] == [0, 2, 4, 6, 9]
    assert about["duration"] == pytest.approx(9.03, abs=0.01)  # its last packet lasts 533 of 16,000 ticks


@needs("formats", "vlmevalkit")
@pytest.mark.slow
def test_a_benchmark_of_clips_is_released_for_inspect(store: Store, home: Path, tmp_path: Path) -> None:
    imported(store, home, CASES / "clip_loses_end" / "items.csv", slot="clip")
    root = released(store, home, "jsonl", "inspect", "hf_dataset")
    (line,) = (root / "inspect" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    (part,) = [part for part in json.loads(line)["input"][0]["content"] if part["type"] == "video"]
    assert part["format"] == "mp4"
    with frames.opened(root / "inspect" / part["video"]) as film:
        assert [round(float(film.time(n)), 3) for n in range(len(film))] == [0, 2, 4, 6, 9]
    found = loaded.read(root, home=tmp_path / "loaders")["inspect"]["test"]
    data = (root / "inspect" / part["video"]).read_bytes()
    assert [each["shown"] for each in found] == [[hashlib.sha256(data).hexdigest()]]


def test_a_video_that_starts_late_is_not_broken() -> None:
    with frames.opened(CASES / "mkv_late_start" / "late.mkv") as film:
        assert (len(film), film.broken) == (60, None)
        assert all(each.picture is not None for each in film.read(range(60)))


def test_a_mirrored_video_is_mirrored(tmp_path: Path) -> None:
    """Red is top right in the plain one, so it is top left in the other."""
    for name, corner in (("cfr", "ur"), ("flip", "ul")):
        found = clips.frame(CASES / "video_mirrored" / f"{name}.mp4", index=0, out=tmp_path / f"{name}.png")
        with Image.open(found.path) as image:
            assert red(image) == corner


# ---- media that are not taken, and names in other forms -------------------------------------------------------------

ROWS = "id,question,option_1,option_2,answer,image\n"
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
MIF1_HEIC = b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf" + bytes(100)
UNSUPPORTED = {
    "a.heic": (HEIC, "HEIC"),
    "b.HEIF": (MIF1_HEIC, "HEIC"),
    "c.pdf": (b"%PDF-1.7\n%abc", "PDF"),
    "d.tiff": (b"II*\x00" + bytes(50), "TIFF"),
    "e.svg": (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
    "f.jxl": (b"\xff\x0a" + bytes(50), "JPEG XL"),
    "g.psd": (b"8BPS\0\1" + bytes(50), "PSD"),
    "h.jpg": (HEIC, "HEIC"),  # as phones name what they send
}


def table(folder: Path, names: list[str]) -> Path:
    path = folder / "items.csv"
    rows = [f"i{n},Which?,x,y,x,{name}\n" for n, name in enumerate(names)]
    path.write_text(ROWS + "".join(rows), encoding="utf-8")
    return path


def picture(format: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(out, format)
    return out.getvalue()


def test_media_that_are_there_and_unsupported_are_not_missing(store: Store, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, (data, _) in UNSUPPORTED.items():
        (folder / name).write_bytes(data)
    (folder / "z.avif").write_bytes(picture("AVIF"))
    path = table(folder, [*UNSUPPORTED, "z.avif", "gone.png"])
    with pytest.raises(InvalidFileError) as refused:
        imported(store, home, path)
    for row, (name, (_, format)) in enumerate(UNSUPPORTED.items(), 1):
        line = next(each for each in str(refused.value).splitlines() if f"row {row}:" in each)
        assert name in line
        assert f"{format} is not supported; convert the file to JPEG or PNG" in line
    media, about = MediaStore(home / "media"), {"project": "p", "format": "csv", "path": path, "media_dir": folder}
    seen = look_at_files(store, media, by=None, **about)
    assert (seen.found, list(seen.missing)) == (1, ["gone.png"])
    assert [(each.row, "is not supported" in each.reason) for each in seen.bad] == [(n, True) for n in range(1, 9)]
    done = import_files(store, media, by=None, skip_bad=True, **about)  # type: ignore[arg-type]
    assert (done.items, done.assets_found, done.assets_missing, done.assets_refused) == (10, 1, 9, 8)
    assert (list(done.missing), len(done.bad)) == (["gone.png"], 8)
    assert not [each.reason for each in done.bad if str(folder) in each.reason]
    assert [each.item for each in seen.bad] == [f"i{n}" for n in range(8)]
    sentence = imported_sentence(done)
    assert "8 files refused" in sentence
    assert "left out" not in sentence


def test_names_in_other_unicode_forms_and_cases_are_found(store: Store, home: Path, tmp_path: Path) -> None:
    (file,) = (CASES / "unicode_forms").glob("*.png")
    folder = tmp_path / "files"
    folder.mkdir()
    for name in (
        file.name,
        unicodedata.normalize("NFD", "überall.png"),
        "CUP.PNG",
        unicodedata.normalize("NFC", "é.jpg"),
    ):
        (folder / name).write_bytes(file.read_bytes())
    asked = [
        unicodedata.normalize("NFC", "café.png"),
        unicodedata.normalize("NFC", "überall.png"),
        "cup.png",
        unicodedata.normalize("NFD", "é.JPG"),
    ]
    done = imported(store, home, table(folder, asked))
    assert (done.items, done.assets_found, done.missing) == (4, 4, ())


def test_two_files_that_a_name_may_mean_are_named(store: Store, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("cup.png", "Cup.png"):
        (folder / name).write_bytes(picture())
    with pytest.raises(InvalidFileError, match=r"row 1: .*'CUP\.PNG' matches 2 files: Cup\.png, cup\.png"):
        imported(store, home, table(folder, ["CUP.PNG"]))


def test_what_is_no_video_is_refused_for_a_clip(store: Store, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(b"%PDF-1.7 abc")
    (folder / "b.png").write_bytes(picture())
    path = table(folder, ["a.pdf", "b.png"])
    path.write_text(path.read_text().replace(",image\n", ",clip\n"))
    with pytest.raises(InvalidFileError) as refused:
        imported(store, home, path, slot="clip")
    told = str(refused.value)
    assert "row 1: the clip of this item: a.pdf is a PDF document, but a clip is needed." in told
    assert "row 2: the clip of this item: b.png is a PNG image, but a clip is needed. Add a video." in told
