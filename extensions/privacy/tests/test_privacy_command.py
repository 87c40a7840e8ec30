"""``touchstone privacy``: the table that people decide in, what its lines may say, and what is told afterwards."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from app.services import resources
from db.engine import open_store
from domain.errors import InvalidFileError, TouchstoneError
from extensions.privacy import decision_tables
from media.store import MediaStore
from testkit.covered import clip, file
from testkit.factories import make_project
from tests.workflow.shortcut_world import SCHEMA
from workflow.annotate import image_pool

NAME = 'a, "1".png'


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    make_project(store)
    files = []
    for name, shade in ((NAME, 120), ("b.png", 90)):
        path = tmp_path / name
        path.write_bytes(file(shade))
        files.append((name, path))
    image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project="p", files=files)
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["privacy", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


@pytest.mark.thorough
def test_a_lead_looks_by_hand_decides_and_reads_what_stands(home: Path) -> None:
    out, table = home / "look", home / "look" / "boxes.csv"
    told = said("look", "p", "--out", str(out), "--by-hand")
    assert "The search misses faces" in told
    assert "2 pictures. New boxes: 0, in 0 of the pictures." in told
    assert sorted(path.name for path in (out / "pictures").iterdir()) == ["00001.jpg", "00002.jpg"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "People must look at every picture" in page
    (first, second) = rows(table)
    assert (first["picture"], first["kind"], first["cover"]) == (NAME, "", "")
    begin = f"&quot;a, &quot;&quot;1&quot;&quot;.png&quot;,{first['file']}"
    assert f'data-begin="{begin}"' in page, "the line that is dragged names the picture as a table does"
    with pytest.raises(InvalidFileError, match="already exists"):
        said("look", "p", "--out", str(out), "--by-hand")
    line = f'"a, ""1"".png",{first["file"]},face,0.25,0.2,0.2,0.4,hand,yes\n'
    table.write_text(table.read_text(encoding="utf-8").splitlines()[0] + "\n" + line, encoding="utf-8")
    with table.open("a", encoding="utf-8") as more:
        more.write(f"b.png,{second['file']},,,,,,,\n")
    assert said("cover", "p", str(table)).splitlines() == [
        "Pictures decided: 1 (with covered boxes: 1; with nothing to cover: 0). Boxes covered: 1.",
        "Not covered, because the decision is missing: 1.",
    ]
    assert said("list", "p").splitlines()[0] == (
        "A blind test: 2 pictures. Covered: 1. Nothing to cover: 0. Undecided: 1."
    )
    found = json.loads(said("list", "p", "--json"))
    assert (found["covered"], found["decided"][0]["picture"]) == (1, NAME)
    assert found["decided"][0]["boxes"] == [
        {"kind": "face", "x": 0.25, "y": 0.2, "w": 0.2, "h": 0.4, "by": "hand", "cover": True}
    ]
    assert first["file"] not in json.dumps(found)
    again = home / "again"
    said("look", "p", "--out", str(again), "--by-hand")
    (standing, _) = rows(again / "boxes.csv")
    assert (standing["kind"], standing["found_by"], standing["cover"]) == ("face", "hand", "yes")
    assert "Decided so before: 1." in said("cover", "p", str(again / "boxes.csv"))


@pytest.mark.thorough
def test_a_clip_is_looked_through_decided_and_covered(home: Path) -> None:
    """By the cascade, and a line by hand of a box that stays and one that moves."""
    film = home / "film.webm"
    clip(film)
    store = open_store(None, home / "home")
    text = SCHEMA.replace("kind: image}", "kind: image, min: 0}, {role: film, kind: clip, min: 0}")
    make_project(
        store, name="q", loaded=load_text(text.replace("STAGES", "{authoring: {}}").replace("EXPORT", ""), "", "rooms")
    )
    image_pool.add_to_pool(store, MediaStore(home / "home" / "media"), by=None, project="q", files=[("a.webm", film)])
    store.close()
    out = home / "look"
    told = said("look", "q", "--out", str(out), "--kind", "face")
    assert "0 pictures. New boxes: 0, in 0 of the pictures.\n1 clip. New boxes: 1, in 1 of the clips." in told
    assert told.endswith(f"touchstone privacy import q {out / 'boxes.csv'} {out / 'clips.csv'}\n")
    (found,) = rows(out / "clips.csv")
    assert [found[name] for name in ("clip", "kind", "begin", "end", "found_by", "cover")] == [
        "a.webm", "face", "1.500", "4.000", "frontal", ""
    ]  # fmt: skip
    assert [place.split()[0] for place in found["boxes"].split(";")] == ["2.000", "2.500", "3.000", "3.500"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert f'data-begin="a.webm,{found["file"]}" data-end="5.933"' in page
    assert "1 face (frontal), 1.50 to 4.00 s" in page
    pictures = sorted(path.name for path in (out / "clips").glob("*.jpg"))
    # at 0, 5.933 / 12, ... twelve frames; at 2.0, 2.75 and 3.5 s three of the box: frames 20, 27 and 35, of which the
    # evenly spread ones at 1.98, 2.47, 2.97 and 3.46 s are none
    assert len(pictures) == 15
    assert (out / "clips" / "00001.webm").is_file()
    assert json.loads((out / "looked.json").read_text(encoding="utf-8"))["rate"] == 2.0
    with (out / "clips.csv").open("w", encoding="utf-8", newline="") as table:
        write = csv.DictWriter(table, found, lineterminator="\n")
        write.writeheader()
        write.writerow(found | {"cover": "no"})
        by_hand = {"kind": "other", "found_by": "hand", "cover": "yes"}
        write.writerow(found | by_hand | {"begin": "2", "end": "3.9", "boxes": "0.05 0.1 0.85 0.7"})
        write.writerow(found | by_hand | {"begin": "0", "end": "1", "boxes": "0 0 0 0.1 0.1; 1 0.5 0 0.1 0.1"})
    assert said("cover", "q", str(out / "boxes.csv"), str(out / "clips.csv")).splitlines() == [
        "Pictures and clips decided: 1 (with covered boxes: 1; with nothing to cover: 0). Boxes covered: 2."
    ]
    listed = said("list", "q").splitlines()
    assert listed[1] == "1 clip. Covered: 1. Nothing to cover: 0. Undecided: 0."
    assert listed[2].startswith(
        "a.webm: other (hand), 2 to 3.9 s, other (hand), 0 to 1 s covered; 1 left unchanged; the"
    )
    (decided,) = json.loads(said("list", "q", "--json"))["decided"]
    assert (decided["clip"], decided["looked"]["rate"]) == ("a.webm", 2.0)
    assert decided["boxes"][2]["path"] == [[0, 0, 0, 0.1, 0.1], [1, 0.5, 0, 0.1, 0.1]]
    again = home / "again"
    said("look", "q", "--out", str(again), "--by-hand")
    assert "Decided so before: 1." in said("cover", "q", str(again / "clips.csv"))
    (again / "clips.csv").write_text("clip,file\n", encoding="utf-8")
    with pytest.raises(InvalidFileError, match="no column kind, begin, end, boxes, cover"):
        said("cover", "q", str(again / "clips.csv"))


HEAD = "picture,file,kind,x,y,w,h,found_by,cover\n"
CLIPS = "clip,file,kind,begin,end,boxes,found_by,cover\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("picture,file\n", "no column kind, x, y, w, h, cover"),
        (HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,maybe\n", "line 2: `cover` is 'maybe'; write yes or no"),
        (HEAD + "a.png,f,face,0.1,,0.2,0.2,,yes\n", "line 2: `y` is ''; write a number instead"),
        (HEAD + "a.png,f,face,0.1,nan,0.2,0.2,,yes\n", "line 2: `y` is 'nan'; write a number instead"),
        (HEAD + "a.png,f,,0.1,0.1,0.2,0.2,,yes\n", "line 2: `kind` is empty"),
        (HEAD + "a.png,f,,,,,,,yes\n", "line 2: `cover` is yes, but the line has no box"),
        (HEAD + ",f,face,0.1,0.1,0.2,0.2,,yes\n", "line 2: `picture` or `file` is empty"),
        (
            HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,yes\nb.png,f,face,0.1,0.1,0.2,0.2,,yes\n",
            "line 3: an earlier line gives the file f... another name",
        ),
        (HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,yes\na.png,f,face,0.1,0.1,0.2,0.2,,\n", "some boxes of"),
        (HEAD + "a.png,f,face,0.1,0.1\n", "line 2"),
        (CLIPS + "a,f,face,3,2,0.1 0.1 0.2 0.2,,yes\n", "line 2: the box ends at 2 s, before it begins at 3 s"),
        (CLIPS + "a,f,face,x,2,0.1 0.1 0.2 0.2,,yes\n", "line 2: `begin` is 'x'; write a number instead"),
        (CLIPS + "a,f,face,1,2,0.1 0.1 0.2,,yes\n", "line 2: `boxes` must be `x y w h` for a fixed box"),
        (CLIPS + "a,f,face,1,2,,,yes\n", "line 2: `boxes` must be `x y w h` for a fixed box"),
        (CLIPS + "a,f,face,1,2,0 0 0 1 1; 0 0 1 1,,yes\n", "line 2: `boxes` must be `x y w h` for a fixed box"),
        (
            CLIPS + "a,f,face,1,2,1.5 0 0 1 1; 1 0 0 1 1,,yes\n",
            "line 2: the seconds in `boxes` must be in ascending order",
        ),
        (CLIPS + "a,f,face,1,2,1.5 0 0 inf 1,,yes\n", "line 2: `boxes` is 'inf'; write a number instead"),
        (CLIPS + "a,f,,1,2,,,\n", "line 2: `kind` is empty"),
        (CLIPS + "a,,face,1,2,0 0 1 1,,yes\n", "line 2: `clip` or `file` is empty"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TouchstoneError) as refused:
        decision_tables.read_decisions(path)
    assert why in str(refused.value)


def test_no_table_at_all(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="There is no file"):
        decision_tables.read_decisions(tmp_path / "gone.csv")
    (tmp_path / "latin.csv").write_bytes((HEAD + "é.png").encode("latin-1"))
    with pytest.raises(InvalidFileError, match="is not UTF-8"):
        decision_tables.read_decisions(tmp_path / "latin.csv")
