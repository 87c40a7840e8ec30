"""A table of items through a project: in with its media, edited, verified, out, and in again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation_schemas.formats import ColumnMapping
from annotation_schemas.loader import load_text
from db import files
from db.engine import Store
from domain.errors import InvalidFileError
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import make_people
from testkit.kept_items import kept_ids
from workflow.access.projects import access_to, create_project
from workflow.annotate import claims, submissions
from workflow.annotate.authoring import edit_item
from workflow.files.export import exported
from workflow.files.import_files import import_files, look_at_files
from workflow.files.import_look import Look
from workflow.files.one_import import ImportSummary

PAIRS = """
name: pairs
version: 1
title: Pairs
source: {format: csv, id: Nr, fields: {question: Frage}}
dimensions: [{id: all, title: All, definition: "Everything."}]
item:
  assets: [{role: before, kind: image}, {role: after, kind: image}]
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: ok, kind: choice, prompt: "Right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: ok, value: "yes"}
export: {public_without: [answer]}
"""


def test_the_whole_way_of_a_table(store: Store, home: Path, tmp_path: Path) -> None:
    media = MediaStore(home / "media")
    create_project(store, name="p", loaded=load_text(PAIRS, "Be exact.", "pairs"))
    for at, name in enumerate(("a", "b", "c")):
        (tmp_path / "m").mkdir(exist_ok=True)
        Image.new("RGB", (16, 12), (at, 80, 9)).save(tmp_path / "m" / f"{name}.png")
    out = io.StringIO(newline="")
    rows = [["Nr", "Frage", "answer", "before", "after", "by"]]
    rows += [[f"i {n}", f"What is {n}?", "It", "a.png", f"{'bcd'[n]}.png", "x"] for n in range(3)]
    csv.writer(out, delimiter=";").writerows(rows)
    path = tmp_path / "pairs.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")

    def bring(**how: Any) -> ImportSummary:
        return import_files(
            store, media, by=None, project="p", format="csv", path=path, media_dir=tmp_path / "m", **how
        )

    done = bring()
    assert (done.items, done.assets_found, done.missing) == (3, 3, ("d.png",))
    with store.read() as session:
        project_id = access_to(session, person=None, project="p").project_id
        roles = [
            [(role, name) for role, name, _, _ in found]
            for found in files.asset_names(session, project_id=project_id).values()
        ]
    assert roles == [[("before", "a.png"), ("after", f"{name}.png")] for name in "bcd"]
    assert bring().repeated == 3
    assert exported(store, by=None, project="p", format="csv").files == {"pairs.csv": path.read_bytes()}

    for person in make_people(store, "ann", "bob"):
        for _ in range(2):
            task = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
            submissions.submit(store, person=person, task=task.id, key=task.id, values={"ok": "yes"})
    made = exported(store, by=None, project="p", format="csv", public=True, file_name="pairs.csv", only=kept_ids(store))
    told = json.loads(made.files["manifest.json"])
    found = list(csv.DictReader(io.StringIO(made.files["pairs.csv"].decode(), newline=""), delimiter=";"))
    assert [dict(row) for row in found] == [
        {"Nr": f"i {n}", "Frage": f"What is {n}?", "before": "a.png", "after": f"{'bc'[n]}.png", "by": "x"}
        for n in range(2)
    ]
    assert [(each["id"], each["file"], each["position"]) for each in told["items"]] == [
        ("i 0", "pairs.csv", 0),
        ("i 1", "pairs.csv", 1),
    ]
    assert hashlib.sha256(made.files["pairs.csv"]).hexdigest() in made.files["manifest.json"].decode()

    edit_item(store, person=None, project="p", item="i 2", fields={"answer": 'The "cup"; red'})
    after = out.getvalue().replace("What is 2?;It;", 'What is 2?;"The ""cup""; red";')
    assert exported(store, by=None, project="p", format="csv").files["pairs.csv"].decode() == after
    lines = exported(store, by=None, project="p", format="jsonl").files["items.jsonl"].decode().splitlines()
    assert json.loads(lines[2]) == {
        "Nr": "i 2",
        "before": "a.png",
        "after": "d.png",
        "Frage": "What is 2?",
        "answer": 'The "cup"; red',
    }

    with pytest.raises(InvalidFileError, match=r"was imported before with other columns \(the columns of the schema\)"):
        bring(said=ColumnMapping({"question": "by"}))
    path.write_text(
        out.getvalue().replace("is 1", "was 1") + "i 3;New?;It;a.png;b.png;\r\n", encoding="utf-8", newline=""
    )
    with pytest.raises(InvalidFileError, match=r"'i 1' exists with other content. Rows: 1 changed, 2 unchanged, 1 new"):
        bring()
    with pytest.raises(
        InvalidFileError,
        match=r"Columns, positions of options and encodings apply only to csv or jsonl. Import predictions",
    ):
        import_files(
            store, media, by=None, project="p", format="predictions", path=path, said=ColumnMapping(encoding="cp1252")
        )
    with pytest.raises(InvalidFileError, match="can import csv, but not pca_bench"):
        import_files(store, media, by=None, project="p", format="pca_bench", path=path)


def test_a_look_says_what_is_new_changed_equal_and_bad_and_stores_nothing(
    store: Store, home: Path, tmp_path: Path
) -> None:
    media = MediaStore(home / "media")
    create_project(store, name="p", loaded=load_text(PAIRS, "Be exact.", "pairs"))
    folder = tmp_path / "m"
    folder.mkdir()
    Image.new("RGB", (16, 12), (1, 80, 9)).save(folder / "a.png")
    path = tmp_path / "pairs.csv"
    head = "Nr,Frage,answer,before,after,note\n"
    rows = ["1,What?,It,a.png,b.png,x\n", "2,Who?,She,a.png,a.png,x\n", "3,Where?,There,a.png,a.png,x\n"]
    about: dict[str, Any] = {"by": None, "project": "p", "format": "csv", "path": path, "media_dir": folder}

    def looked(*lines: str) -> Look:
        path.write_text(head + "".join(lines), encoding="utf-8")
        return look_at_files(store, media, **about)

    def n_items() -> int:
        with store.read() as session:
            project_id = access_to(session, person=None, project="p").project_id
            return len(files.item_ids(session, project_id=project_id))

    def counts(found: Look) -> tuple[int, int, int, int]:
        return found.new, found.changed, found.equal, len(found.bad)

    found = looked(*rows, "4,,It,a.png,a.png,x\n")
    assert counts(found) == (3, 0, 0, 1)
    assert (found.bad[0].row, "line 5" in found.bad[0].reason) == (4, True)
    assert (found.found, found.missing) == (1, ["b.png"])
    assert found.first[0].item.fields == {"question": "What?", "answer": "It"}
    assert found.first[0].media == [("before", "a.png", True), ("after", "b.png", False)]
    assert (found.comes(skip_bad=False), found.comes(skip_bad=True), n_items()) == (False, True, 0)
    assert not list((home / "media").rglob("*.png"))

    path.write_text(head + "".join(rows), encoding="utf-8")
    assert import_files(store, media, **about).items == 3
    again = looked(*rows)
    assert (counts(again), again.refused, again.differences) == ((0, 0, 3, 0), None, [])
    changed = looked(rows[0], rows[1].replace("She", "He"), rows[2].replace("x", "y"), "4,New?,Yes,a.png,a.png,x\n")
    assert counts(changed) == (1, 2, 1, 0)
    assert [(each.row, each.item, each.part, each.before, each.after) for each in changed.differences] == [
        (2, "2", "answer", "She", "He"),
        (3, "3", "", None, None),
    ]
    assert changed.refused is not None
    assert changed.new_refused is None
    assert not changed.comes(skip_bad=False)
    assert changed.comes(skip_bad=False, new_only=True)
    with pytest.raises(InvalidFileError) as refused:
        import_files(store, media, **about)
    assert (str(refused.value), n_items()) == (changed.refused, 3)
    with pytest.raises(InvalidFileError, match=r"A dry run is only for items. Import ratings without"):
        look_at_files(store, media, by=None, project="p", format="ratings", path=path)


def test_new_rows_come_in_while_changed_ones_stay_and_both_files_go_out(
    store: Store, home: Path, tmp_path: Path
) -> None:
    media = MediaStore(home / "media")
    create_project(store, name="p", loaded=load_text(PAIRS, "Be exact.", "pairs"))
    path = tmp_path / "pairs.csv"
    head = "Nr,Frage,answer,before,after\n"
    rows = ["1,What?,It,a.png,b.png\n", "2,Who?,She,a.png,a.png\n"]
    about: dict[str, Any] = {"by": None, "project": "p", "format": "csv", "path": path}

    def bring(*lines: str, **more: Any) -> ImportSummary:
        path.write_text(head + "".join(lines), encoding="utf-8", newline="")
        return import_files(store, media, **about, **more)

    assert bring(*rows).items == 2
    newer = [rows[0], rows[1].replace("Who?", "Which?"), "3,New?,Yes,a.png,a.png\n", "4,,,,\n"]
    done = bring(*newer, new_only=True, skip_bad=True)
    assert (done.items, done.repeated, len(done.bad)) == (1, 1, 1)
    assert [(left.path, left.row, left.raw) for left in done.left] == [("pairs.csv", 2, newer[1].rstrip("\n"))]
    again = bring(*newer, new_only=True, skip_bad=True)
    assert (again.items, again.repeated, len(again.left)) == (0, 2, 1)
    out = exported(store, by=None, project="p", format="csv").files
    assert {name: content.decode() for name, content in out.items()} == {
        "pairs.csv": head + "".join(rows),
        "pairs-2.csv": head + newer[2],
    }
    assert bring(rows[0], rows[1], newer[2]).repeated == 3, "the project's own state as one file is nothing new"

    # without ids a row that was put in between moves all others: refused, and appending is not
    unnamed = tmp_path / "unnamed.csv"
    about["path"], head = unnamed, "Frage,answer,before,after\n"
    other = load_text(PAIRS.replace("id: Nr, ", "").replace("name: pairs", "name: q"), "Be exact.", "q")
    create_project(store, name="q", loaded=other)
    about["project"] = "q"

    def take(*lines: str) -> ImportSummary:
        unnamed.write_text(head + "".join(lines), encoding="utf-8", newline="")
        return import_files(store, media, **about, new_only=True)

    first, second, third = "What?,It,a,b\n", "Who?,She,a,b\n", "Where?,There,a,b\n"
    assert take(first, second).items == 2
    with pytest.raises(InvalidFileError, match="row 2 has changed, and the rows of this file have no ids"):
        take(first, third, second)
    assert take(first, second, third).items == 1
    with pytest.raises(
        InvalidFileError, match=r"Only imports of items can be limited to new items. Import ratings without"
    ):
        import_files(store, media, by=None, project="p", format="ratings", path=path, new_only=True)
