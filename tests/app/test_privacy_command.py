"""``touchstone privacy``: the table that people decide in, what its lines may say, and what is told afterwards."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import open_store
from domain.errors import FileRefused, TouchstoneError
from importers import privacy_boxes
from media.store import MediaStore
from testkit.covered import file
from testkit.factories import make_project
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
    assert "A cascade misses faces" in told
    assert "2 pictures; 0 new boxes" in told
    assert sorted(path.name for path in (out / "pictures").iterdir()) == ["00001.jpg", "00002.jpg"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "people have to look at every picture" in page
    (first, second) = rows(table)
    assert (first["picture"], first["kind"], first["cover"]) == (NAME, "", "")
    begin = f"&quot;a, &quot;&quot;1&quot;&quot;.png&quot;,{first['file']}"
    assert f'data-begin="{begin}"' in page, "the line that is dragged names the picture as a table does"
    with pytest.raises(FileRefused, match="is there already"):
        said("look", "p", "--out", str(out), "--by-hand")
    line = f'"a, ""1"".png",{first["file"]},face,0.25,0.2,0.2,0.4,hand,yes\n'
    table.write_text(table.read_text(encoding="utf-8").splitlines()[0] + "\n" + line, encoding="utf-8")
    with table.open("a", encoding="utf-8") as more:
        more.write(f"b.png,{second['file']},,,,,,,\n")
    assert said("cover", "p", str(table)).splitlines() == [
        "Pictures decided: 1. Boxes covered: 1, in 1 of them; nothing in 0.",
        "Not decided, and shown as they are: 1 of the table.",
    ]
    assert said("list", "p").splitlines()[0] == (
        "A blind test: 2 pictures; something covered in 1, nothing to cover in 0, not decided 1. 0 clips, in which "
        "nothing is covered."
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


HEAD = "picture,file,kind,x,y,w,h,found_by,cover\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("picture,file\n", "no column kind, x, y, w, h, cover"),
        (HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,maybe\n", "line 2: `cover` is 'maybe'; it is yes or no"),
        (HEAD + "a.png,f,face,0.1,,0.2,0.2,,yes\n", "line 2: `y` is '', which is no number"),
        (HEAD + "a.png,f,face,0.1,nan,0.2,0.2,,yes\n", "line 2: `y` is 'nan', which is no number"),
        (HEAD + "a.png,f,,0.1,0.1,0.2,0.2,,yes\n", "line 2: it has a box and no kind"),
        (HEAD + "a.png,f,,,,,,,yes\n", "line 2: there is no box to be covered"),
        (HEAD + ",f,face,0.1,0.1,0.2,0.2,,yes\n", "line 2: it names no picture and file"),
        (HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,yes\nb.png,f,face,0.1,0.1,0.2,0.2,,yes\n", "line 3: the file f... has"),
        (HEAD + "a.png,f,face,0.1,0.1,0.2,0.2,,yes\na.png,f,face,0.1,0.1,0.2,0.2,,\n", "some boxes are decided and"),
        (HEAD + "a.png,f,face,0.1,0.1\n", "line 2"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TouchstoneError) as refused:
        privacy_boxes.read(path)
    assert why in str(refused.value)


def test_no_table_at_all(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="There is no file"):
        privacy_boxes.read(tmp_path / "gone.csv")
    (tmp_path / "latin.csv").write_bytes((HEAD + "é.png").encode("latin-1"))
    with pytest.raises(FileRefused, match="is not UTF-8"):
        privacy_boxes.read(tmp_path / "latin.csv")
