"""Several images with roles come into the pool as a group, go through triage as one thing, and become one item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app import services
from app.cli import cli
from db.engine import Store, open_store
from domain.errors import AlreadyTakenError, InvalidFileError, InvalidInputError
from domain.records import Person
from extensions.image_pool import pool_groups, triage_decisions
from extensions.image_pool.candidate_form import picture
from extensions.image_pool.media_groups import groups_of_folders, groups_of_table
from extensions.image_pool.triage_records import TriageGroup
from media.store import MediaStore
from testkit.factories import make_person
from testkit.project_archives import clone_project, needs_archives
from tests.app.screens import drawn, rows, words
from workflow.access import accounts
from workflow.access.projects import create_project
from workflow.annotate import claims, image_pool, submissions
from workflow.files.project_check import check

CHANGES = """
name: changes
version: 1
title: Changes
source: {format: jsonl}
dimensions: [{id: added, title: Added, definition: "New."}, {id: moved, title: Moved, definition: "Moved."}]
item:
  assets:
    - {role: reference, kind: image, min: 0, max: 2}
    - {role: before, kind: image}
    - {role: after, kind: image}
  fields: [{name: question, kind: text}]
stages:
  authoring: {per_source: 2}
  TRIAGE
  verification:
    raters: 1
    criteria: [{name: right, kind: choice, prompt: "Right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: right, value: "yes"}
"""
ROLES = ["reference", "before", "after"]

GOOD = """Nr;role;file;source
g1;before;1.png;kitchen
g1;after;2.png;
g2;after;3.png;
g2;before;sub/4.png;
g2;reference;1.png;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pairs")
    (root / "sub").mkdir()
    for at, name in enumerate(["1", "2", "3", "sub/4", "5", "6", "7"]):
        Image.new("RGB", (64, 48), (30 * at, 9, 200 - 20 * at)).save(root / f"{name}.png")
    (root / "broken.png").write_bytes((root / "1.png").read_bytes()[:40])
    (root / "clip.webm").write_bytes(b"no clip")
    return root


@pytest.fixture
def command(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The home that commands in this process work on."""
    home.mkdir(exist_ok=True)
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    store = open_store(None, home)
    yield store
    store.close()
    services.resources().store.close()
    services.resources.cache_clear()


def made(store: Store, *, in_triage: bool = False) -> None:
    text = CHANGES.replace("TRIAGE", "triage: {reasons: [dark]}" if in_triage else "")
    create_project(store, name="p", loaded=load_text(text, "Be exact.", "changes"))


def add(store: Store, home: Path, table: Path, folder: Path) -> pool_groups.AddedGroups:
    def read(roles: object) -> object:
        return groups_of_table(table, folder, roles=ROLES, columns={"group": "Nr"})

    return pool_groups.add_groups(store, MediaStore(home / "media"), by=None, project="p", groups_of=read)  # type: ignore[arg-type]


def write_item(store: Store, person: Person, asset: str) -> str:
    task = image_pool.pick(store, person=person, project="p", dimension="added", assets=[asset])
    done = submissions.submit(store, person=person, task=task.id, key=task.id, values={"question": "What is new?"})
    return done.item


@needs_archives
def test_from_the_command_line_to_items_with_roles(command: Store, home: Path, folder: Path, tmp_path: Path) -> None:
    store = command
    made(store)
    table = tmp_path / "pairs.csv"
    bad = [
        ("g3;before;5.png;", None),  # its line is named, as what it lacks stands nowhere
        ("g4;befor;5.png;", "pairs.csv (line 8): items of this project have no role 'befor' (known roles: reference,"),
        ("g5;before;none.png;", "pairs.csv (line 9): there is no image or clip 'none.png' in the folder"),
        (
            "g6;before;5.png;\ng6;after;6.png;\ng6;after;7.png;",
            "(line 10): the group has 2 files for after, but an item can have at most 1",
        ),
        ("g7;before;5.png;\ng7;after;broken.png;", "pairs.csv (line 13): broken.png: "),
        ("g8;before;clip.webm;\ng8;after;5.png;", "(line 15): clip.webm is a clip, but before must be an image"),
        (";before;5.png;", "pairs.csv (line 17) has no group"),
        (
            "g9;before;5.png;kitchen\ng9;after;6.png;attic",
            "(line 19) has source 'attic', but an earlier row has 'kitchen'",
        ),
        ("g1;reference;;", None),
    ]
    table.write_text(GOOD + "\n".join(line for line, _ in bad[:-1]) + "\n")
    arguments = ["pool", "import", "p", str(folder), "--groups", str(table)]
    done = CliRunner().invoke(cli, [*arguments, "--column", "group=Nr"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "2 groups with 5 files added; 8 not taken."
    whys = [why or "pairs.csv (line 7): the group has nothing for after, which every item needs" for _, why in bad[:-1]]
    for why, line in zip(whys, lines[1:], strict=True):
        assert why in line
    again = CliRunner().invoke(cli, [*arguments, "--column", "group=Nr"])
    assert again.stdout.startswith("0 groups with 0 files added; 2 already in the project; 8 not taken.")
    table.write_text(GOOD + "g1;reference;3.png;\n")
    other = CliRunner().invoke(cli, [*arguments, "--column", "group=Nr"])
    assert "g1: pairs.csv (line 2): the project already has a group 'g1' with other files" in other.stdout
    for text, more, sentence in (
        (GOOD, [], "has no column 'group'. If the column has another name, use --column group=COLUMN."),
        ("group,befor,after\ng,1.png,2.png\n", [], "has a column 'befor': items of this project have no role 'befor'"),
        ("group,role\ng,before\n", [], "has no column 'file'"),
        ("group,before,after\ng,1.png\n", [], "pairs.csv (line 2): the row has 2 cells, but the header has 3"),
        ("group,before\n", [], "has no group"),
        (
            GOOD,
            ["--column", "group=Nr", "--column", "role=Platz"],
            "has no column 'Platz' for role. Correct the column mapping.",
        ),
    ):
        table.write_text(text)
        refused = CliRunner().invoke(cli, [*arguments, *more])
        assert refused.exit_code != 0
        assert sentence in f"{refused.output} {refused.exception}"

    ann, bob = make_person(store, "ann"), make_person(store, "bob")
    page = image_pool.pool(store, person=ann, project="p")
    assert page.total == 2
    assert [[each.role for each in asset.group] for asset in page.assets] == [
        ["before", "after"],
        ["reference", "before", "after"],
    ]
    first, second = (asset.id for asset in page.assets)
    with pytest.raises(InvalidInputError, match="forms one item"):
        image_pool.pick(store, person=ann, project="p", dimension="added", assets=[first, second])
    task = image_pool.pick(store, person=ann, project="p", dimension="added", assets=[second])
    assert [each.role for each in task.assets] == ["reference", "before", "after"]
    with pytest.raises(AlreadyTakenError):
        image_pool.pick(store, person=bob, project="p", dimension="added", assets=[second])
    with pytest.raises(AlreadyTakenError):  # what follows in a group goes with it
        image_pool.pick(store, person=bob, project="p", dimension="added", assets=[page.assets[1].group[1].id])
    claims.release(store, person=ann, task=task.id)
    assert [asset.id for asset in image_pool.pool(store, person=bob, project="p").assets] == [first, second]
    write_item(store, bob, second)
    clone_project(store, MediaStore(home / "media"), name="q")
    cleo = make_person(store, "cleo", project="q")
    (left,) = image_pool.pool(store, person=cleo, project="q").assets
    assert [each.role for each in left.group] == ["before", "after"]
    out = tmp_path / "items.jsonl"
    assert CliRunner().invoke(cli, ["item", "export", "q", "jsonl", "--out", str(out)]).exit_code == 0
    told = json.loads(out.read_text())
    assert {role: told[role] for role in ROLES} == {
        "before": "g2/4.png",
        "after": "g2/3.png",
        "reference": ["g2/1.png"],
    }
    assert [*check(store)] == []


def test_a_table_of_groups_comes_in_on_the_page(store: Store, home: Path, folder: Path, tmp_path: Path) -> None:
    made(store)
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    table = tmp_path / "pairs.csv"
    table.write_text(GOOD + "g3;befor;5.png;\n")
    page = drawn(store, home, "import_", "boss", project="p")
    page.segmented_control(key="import.what").set_value("Images for new items").run()
    page.segmented_control(key="import.pool.where").set_value("Path on the server").run()
    page.selectbox(key="import.pool.groups").set_value("Files in a table").run()
    page.text_input(key="import.pool.path").input(str(folder)).run()
    assert page.button(key="import.pool.go").disabled, "there is no table yet"
    page.text_input(key="import.pool.table_path").input(str(table)).run()
    page.button(key="import.pool.go").click().run()
    assert "If the column has another name, use “Column mapping” group=COLUMN." in words(page)
    page.text_area(key="import.pool.columns").input("group=Nr").run()
    page.button(key="import.pool.go").click().run()
    assert "2 groups with 5 files added; 1 not taken." in words(page)
    (bad,) = rows(page, "Reason for rejection")
    assert "no role 'befor'" in bad["Reason for rejection"]
    assert image_pool.pool(store, person=make_person(store, "ann"), project="p").total == 2


@pytest.mark.both_databases
def test_triage_keeps_or_drops_a_group_as_one_thing(store: Store, home: Path, folder: Path, tmp_path: Path) -> None:
    made(store, in_triage=True)
    table = tmp_path / "pairs.csv"
    table.write_text(GOOD)
    assert add(store, home, table, folder).added == 2
    ann = make_person(store, "ann")
    kept = []
    while isinstance(found := triage_decisions.next_group(store, person=ann, project="p"), TriageGroup):
        frame = found.frames[0]
        drawn = picture(frame, number=1, per_source=None, height="9vh")
        for each in frame.asset.group:
            assert f'src="/media/{each.id}/display" alt="Candidate 1: {each.role.capitalize()}"' in drawn
        if len(frame.asset.group) == 3:
            triage_decisions.decide(store, person=ann, project="p", keep=[frame.asset.id], drop={}, key=found.token)
            kept.append(frame.asset.id)
        else:
            triage_decisions.decide(
                store, person=ann, project="p", keep=[], drop={frame.asset.id: "dark"}, key=found.token
            )
    assert [asset.id for asset in image_pool.pool(store, person=ann, project="p").assets] == kept
    triage_decisions.undo(store, person=ann, project="p")
    assert image_pool.pool(store, person=ann, project="p").total == 0
    again = triage_decisions.next_group(store, person=ann, project="p")
    assert isinstance(again, TriageGroup)
    triage_decisions.decide(store, person=ann, project="p", keep=kept, drop={}, key=again.token)
    write_item(store, ann, kept[0])
    assert image_pool.pool(store, person=ann, project="p").total == 0
    assert [*check(store)] == []


def test_rows_with_a_column_for_each_role_json_lines_and_folders_say_the_same(folder: Path, tmp_path: Path) -> None:
    truth = [
        ("g1", [("before", "1.png"), ("after", "2.png")]),
        ("g2", [("reference", "5.png"), ("reference", "6.png"), ("before", "3.png"), ("after", "4.png")]),
    ]
    wide = "group,before,after,reference_1,reference_2\ng1,1.png,2.png,,\ng2,3.png,sub/4.png,5.png,6.png\n"
    rows = [
        {"group": "g1", "before": "1.png", "after": "2.png"},
        {"group": "g2", "before": "3.png", "after": "sub/4.png", "reference": ["5.png", "6.png"]},
    ]
    (tmp_path / "wide.csv").write_text(wide)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in ("wide.csv", "rows.jsonl"):
        read = groups_of_table(tmp_path / name, folder, roles=ROLES)
        assert [(each.name, [(role, path.name) for role, path in each.files]) for each in read] == truth
        assert not any(each.problem for each in read)
    named = {
        "1": "g1/before",
        "2": "g1/after",
        "3": "g2/before",
        "4": "g2/after",
        "5": "g2/reference_1",
        "6": "g2/reference_2",
    }
    for name, place in named.items():
        path = tmp_path / "folders" / f"{place}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((folder / f"{'sub/4' if name == '4' else name}.png").read_bytes())
    (tmp_path / "folders" / "loose.png").write_bytes(b"")
    (tmp_path / "folders" / "g1" / "notes.txt").write_text("x")
    found = groups_of_folders(tmp_path / "folders", roles=ROLES)
    assert [(each.name, [role for role, _ in each.files]) for each in found] == [
        *((name, [role for role, _ in files]) for name, files in truth),
        ("loose.png", []),
    ]
    assert [each.problem for each in found] == [
        "g1/notes.txt: items of this project have no role 'notes' (known roles: reference, before, after)",
        None,
        "loose.png is not in a group's folder; move the file into the folder of its group",
    ]
    (tmp_path / "rows.jsonl").write_text('{"group": "g1"\n')
    with pytest.raises(InvalidFileError, match=r"rows.jsonl \(line 1\) is not valid JSON"):
        groups_of_table(tmp_path / "rows.jsonl", folder, roles=ROLES)
