"""Dimensions get other names or become one, and images other roles, while people work; all of it can be taken back."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store, open_store
from db.tables import ItemAssetRow
from domain.errors import ConflictError, DatabaseUnavailableError, InvalidInputError
from domain.records import Person, TaskView
from domain.states import Cut, Stage
from extensions.schema_migration import in_force, migration
from extensions.schema_migration.changes import Decisions
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_person, make_pool, make_predictions, make_project, vote
from testkit.gold import make_gold
from testkit.missing_extensions import needs
from testkit.project_archives import export_project, import_project, needs_archives
from workflow.access import accounts, memberships, projects
from workflow.annotate import claims, drafts, image_pool, submissions
from workflow.annotate.authoring import edit_item
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of
from workflow.results.ratings_from_files import import_ratings

FIRST = """
name: places
version: 1
title: Places
dimensions:
  - {id: colour, title: Colour, wanted: 4}
  - {id: shade, title: Shade, wanted: 2}
  - {id: shape, title: Shape}
item:
  assets: [{role: image, kind: image, min: 0, max: 2}]
  fields: [{name: question, kind: text}]
stages:
  authoring: {people: 3}
  verification:
    raters: 2
    criteria:
      - {name: choice, kind: choice, prompt: Does it fit?, options: [red, blue]}
      - {name: light, kind: choice, prompt: Is it?, options: [yes_, no_], dimensions: [colour, shade], required: false}
    keep: {rule: unanimous, criterion: choice, value: red}
  adjudication: {reasons: [hard]}
  grading:
    raters: 1
    shows: [question]
    criteria: [{name: score, kind: scale, prompt: How good?, values: [0, 1]}]
"""
ITEMS = {"colour": 4, "shade": 3, "shape": 2}
STORED = (
    *("item", "task", "annotation", "asset", "member", "invitation", "item_asset"),
    *("gold", "imported_rating", "revision", "draft", "pick", "qualification_set"),
)
"""Tables that are to be as they were, to the last letter, once a change is taken back."""


def schema(version: int, edits: Mapping[str, str] | None = None) -> LoadedSchema:
    said = FIRST.replace("version: 1", f"version: {version}")
    for old, new in (edits or {}).items():
        assert old in said
        said = said.replace(old, new)
    return load_text(said, "Be exact.", "places")


def build(store: Store, folder: Path) -> None:
    """Each table that knows a dimension or a role has something of each dimension; two people have work in hand."""
    make_project(store, loaded=schema(1))
    ids = {name: make_items(store, n, dimension=name, fields={"question": "?"}) for name, n in ITEMS.items()}
    pool = {name: make_pool(store, 2, source=name, dimension=name) for name in ITEMS}
    make_pool(store, 1, source="any")
    make_pool(store, 1, source="group", group_name="g", role="image", place=0)
    with store.write() as session:
        for at, item_id in enumerate([*chain.from_iterable(ids.values())][::2], 1):
            session.add(ItemAssetRow(item_id=item_id, asset_id=at, role="image"))
    ann = make_person(store, "ann")
    bob = make_person(store, "bob", dimensions=["colour", "shade"])
    make_person(store, "cat", dimensions=["shade"])
    dan = make_person(store, "dan", dimensions=["shape", "shade"])
    accounts.invite(store, by=None, project="p", role=projects.Role.ANNOTATOR, dimensions=["shade", "shape"])
    for _ in range(sum(ITEMS.values())):
        vote(store, ann, "red")
    for where in ("shade", "shade", "shade", "colour", "colour"):
        vote(store, bob, "red" if where == "shade" else "blue", dimension=where)
    view = claimed(store, dan, dimension="shape")
    drafts.save_draft(store, person=dan, task=view.id, seq=1, values={"values": {"choice": "blue"}})
    writing = image_pool.pick(store, person=ann, project="p", dimension="shade", assets=pool["shade"][:1])
    drafts.save_draft(store, person=ann, task=writing.id, seq=1, values={"values": {"question": "Half"}})
    make_gold(store, "shade/4", {"choice": "red"})
    lines = [f"{name}/{at},machine,choice,red" for name, at in (("colour", 0), ("shade", 5), ("shape", 7))]
    (folder / "r.csv").write_text("\n".join(["unit,rater,criterion,value", *lines]) + "\n")
    import_ratings(store, by=None, project="p", path=folder / "r.csv", refuse=lambda bad: None)
    make_predictions(store, ids["shade"][:1], models=["m"], dimension="shade")


def stored(store: Store) -> dict[str, list[Any]]:
    with store.read() as session:
        return {
            table: [
                dict(row._mapping) for row in session.connection().execute(text(f"SELECT * FROM {table} ORDER BY 1"))
            ]
            for table in STORED
        }


def leaving(store: Store) -> list[Any]:
    return [dict(exported(store, by=None, project="p", format=name).files) for name in ("ratings", "jsonl")]


def who(store: Store, login: str) -> Person:
    return accounts.find_person(store, login=login)


@dataclass(frozen=True)
class Mind:
    """A change of mind, and where everything is after it; written out by hand."""

    name: str
    edits: Mapping[str, str]
    decided: Mapping[str, Sequence[str]]
    now: Mapping[str, str] = field(default_factory=dict)
    """What has become of dimensions."""
    role: str = "image"
    used: str = ""
    """How much hangs on what is gone: Ann has voted on every item, Bob on all of shade and on two of colour."""


COLOUR = "  - {id: colour, title: Colour, wanted: 4}\n"
SHADE = "  - {id: shade, title: Shade, wanted: 2}\n"
MINDS = [
    Mind("another name", {"id: shade": "id: tone", "[colour, shade]": "[colour, tone]"},
         {"rename_dimension": ["shade=tone"]}, {"shade": "tone"}, used="6 votes, 3 items, 1 draft"),
    Mind("one into another", {SHADE: "", "[colour, shade]": "[colour]"},
         {"move_items": ["shade=colour"]}, {"shade": "colour"}, used="6 votes, 3 items, 1 draft"),
    Mind("two into a new one", {SHADE: "", "id: colour": "id: hue", "[colour, shade]": "[hue]"},
         {"rename_dimension": ["colour=hue"], "move_items": ["shade=hue"]}, {"colour": "hue", "shade": "hue"},
         used="6 votes, 4 items"),
    Mind("into one that is asked less", {"  - {id: shape, title: Shape}\n": ""},
         {"move_items": ["shape=shade"], "new_votes_only": ["light"]}, {"shape": "shade"}, used="2 votes, 2 items"),
    Mind("another role", {"role: image": "role: picture"}, {"rename_asset": ["image=picture"]}, role="picture",
         used="6 items"),
]  # fmt: skip


def cast(store: Store) -> Counter[str]:
    """How many ratings each dimension has, out of what is stored: by the first names of items, which stay."""
    with store.read() as session:
        of_people = (
            "SELECT i.external_id FROM annotation a JOIN item i ON i.id = a.item_id WHERE a.stage = 'verification'"
        )
        units = [
            *session.connection().scalars(text(of_people)),
            *session.connection().scalars(text("SELECT unit FROM imported_rating")),
        ]
    return Counter(unit.partition("/")[0] for unit in units)


def looked_at(store: Store, mind: Mind) -> None:
    """What is seen everywhere once the change is in force."""
    here = [mind.now.get(name, name) for name in ITEMS]
    with store.read() as session:
        run = session.connection().execute
        items = {name: now for name, now in run(text("SELECT external_id, dimension FROM item"))}
        assert items == {name: mind.now.get(name.partition("/")[0], name.partition("/")[0]) for name in items}
        of_tasks = run(text("SELECT t.dimension, i.dimension FROM task t JOIN item i ON i.id = t.item_id")).all()
        assert of_tasks
        assert all(one == other for one, other in of_tasks)
        written = run(text("SELECT dimension FROM task WHERE item_id IS NULL")).scalars().all()
        assert written == [mind.now.get("shade", "shade")]
        assert set(run(text("SELECT role FROM item_asset")).scalars()) == {mind.role}
        assert run(text("SELECT role FROM asset WHERE role IS NOT NULL")).scalars().all() == [mind.role]
        assert {*run(text("SELECT DISTINCT dimension FROM gold")).scalars()} == {mind.now.get("shade", "shade")}
        assert {*run(text("SELECT DISTINCT dimension FROM asset")).scalars()} == {None, *here}
    rights = {each.person.login: each.dimensions for each in memberships.list_members(store, person=None, project="p")}
    assert rights["ann"] is None
    for login, given in {"bob": ["colour", "shade"], "cat": ["shade"], "dan": ["shape", "shade"]}.items():
        assert rights[login] == tuple(dict.fromkeys(mind.now.get(name, name) for name in given)), mind.name
    rows = [row for row in ratings_of(store, project="p", stage=Stage.VERIFICATION) if row.criterion == "choice"]
    expected: Counter[str] = Counter()
    for name, n in cast(store).items():
        expected[mind.now.get(name, name)] += n
    assert Counter(row.dimension for row in rows) == expected, mind.name
    parts = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, by=Cut.DIMENSION)
    assert {each.dimension for each in parts} <= set(here)
    for name in set(here):
        taken = name == mind.now.get("shade", "shade")
        found = image_pool.pool(store, person=who(store, "ann"), project="p", dimension=name)
        assert found.total == 2 * here.count(name) + 2 - taken, mind.name
    assert check(store) == [], mind.name


@needs("readers", "ratings")
@pytest.mark.thorough
@pytest.mark.both_databases
def test_minds_change_about_dimensions_and_roles_and_change_back(store: Store, tmp_path: Path) -> None:
    build(store, tmp_path)
    before, files = stored(store), leaving(store)
    for number, mind in enumerate(MINDS, start=2):
        new, decisions = schema(number, mind.edits), Decisions.parse(mind.decided)
        seen = migration.preview(store, by=None, project="p", loaded=new, decisions=decisions)
        assert seen.can_be_done, (mind.name, seen.refused, [str(each) for each in seen.comparison.missing])
        placed: Counter[str] = Counter()
        for name, n in ITEMS.items():
            placed[mind.now.get(name, name)] += n
        expected = {name: (ITEMS.get(name, 0), placed[name]) for name in {*ITEMS, *placed}} if mind.now else {}
        assert dict(seen.placed) == expected, mind.name
        assert seen.before == seen.after
        gone = next(each for each in seen.comparison.changes if each.row.name in ("renamed", "removed_dimension"))
        assert gone.used is not None
        assert gone.used.in_words == mind.used, mind.name
        assert stored(store) == before, f"a look has changed something: {mind.name}"
        done = migration.migrate(store, by=None, project="p", loaded=new, decisions=decisions)
        assert (done.before, done.tally.moved, done.tally.asked_again) == (done.after, [], 0)
        looked_at(store, mind)
        migration.undo(store, by=None, project="p")
        now = stored(store)
        for table in STORED:
            assert now[table] == before[table], (mind.name, table)
    assert leaving(store) == files
    assert check(store) == []


def test_a_dimension_that_holds_something_is_not_taken_back(sqlite_template: Path, tmp_path: Path) -> None:
    shutil.copy(sqlite_template, tmp_path / "touchstone.db")
    store = open_store(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path)
    make_project(store, loaded=schema(1))
    size = {SHADE: SHADE + "  - {id: size, title: Size}\n"}
    migration.migrate(store, by=None, project="p", loaded=schema(2, size))
    migration.undo(store, by=None, project="p")  # nothing is in it
    migration.migrate(store, by=None, project="p", loaded=schema(3, size))
    make_items(store, 2, dimension="size", fields={"question": "?"})
    make_pool(store, 1, source="size", dimension="size")
    for ask in (migration.to_undo, migration.undo):
        with pytest.raises(
            ConflictError,
            match=r"size is already in use \(items: 2, in the pool: 1\).*version 1 .* choose a dimension for "
            "these items",
        ):
            ask(store, by=None, project="p")
    assert Counter(dimensions(store).values()) == {"size": 2}
    decided = Decisions.parse({"move_items": ["size=shape"]})
    migration.migrate(store, by=None, project="p", loaded=schema(4), decisions=decided)
    assert Counter(dimensions(store).values()) == {"shape": 2}
    migration.undo(store, by=None, project="p")  # the dimension is there again, and holds them
    assert Counter(dimensions(store).values()) == {"size": 2}
    assert check(store) == []
    store.close()


CAME = {
    "a.csv": 'id,dimension,question,more\nc0,colour,What is it?,x\nc1,shade,"Which, then?",\nc2,Shade,Who?,y\n',
    "b.jsonl": '{"id": "c0", "dimension": "colour", "question": "What is it?", "more": 1.50}\n'
    '{"more": [2],   "dimension":"shade", "id": "c1", "question": "Which, then?"}\n'
    '{"id": "c2", "dimension": "Shade", "question": "Who?"}\n',
}
"""Files that say dimensions by their ids, and once by a title."""


def test_records_that_came_in_say_the_dimension_of_now(sqlite_template: Path, tmp_path: Path) -> None:
    """Nothing else in them changes; what leaves comes in again, and taken back, they leave as they came."""
    shutil.copy(sqlite_template, tmp_path / "touchstone.db")
    store = open_store(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path)
    media = MediaStore(tmp_path / "media")

    def leaves(project: str, kind: str) -> str:
        (said,) = exported(store, by=None, project=project, format=kind).files.values()
        return said.decode()

    for name, came in CAME.items():
        kind = name.partition(".")[2]
        (tmp_path / name).write_text(came, encoding="utf-8")
        for said, now, titled in (("another name", "tone", "Shade"), ("one into another", "colour", "colour")):
            gone = came.replace("shade", now).replace("Shade", titled)  # the new dimension has the title of before
            project, again = f"{kind}-{now}", f"{kind}-{now}-again"
            make_project(store, name=project, loaded=schema(1))
            import_files(store, media, by=None, project=project, format=kind, path=tmp_path / name)
            change = {**mind(said), "project": project}
            migration.migrate(store, by=None, **change)
            assert leaves(project, kind) == gone
            (tmp_path / f"{again}.{kind}").write_text(leaves(project, kind), encoding="utf-8")
            make_project(store, name=again, loaded=change["loaded"])
            import_files(store, media, by=None, project=again, format=kind, path=tmp_path / f"{again}.{kind}")
            with store.read() as session:
                rows = session.connection().execute(text("SELECT external_id, dimension FROM item ORDER BY id")).all()
            assert [tuple(row) for row in rows[-3:]] == [("c0", "colour"), ("c1", now), ("c2", now)]
            edit_item(store, person=None, project=project, item="c1", fields={"question": "So?"})
            assert leaves(project, kind) == gone.replace("Which, then?", "So?")
            migration.undo(store, by=None, project=project)
            assert leaves(project, kind) == came.replace("Which, then?", "So?")
    store.close()


WORDS = {
    "a.csv": "id,question,answer,level,image\na,Q1?,A1,esy,1.jpg\nb,Q2?,A2,hard,2.jpg\n",
    "b.jsonl": '{"id":"a","question":"Q1?","answer":"A1",  "level":"esy","image":"1.jpg"}\n'
    '{"id":"b","image":"2.jpg","question":"Q2?","answer":"A2","level":"hard"}\n',
}
FIELDS = """  fields:
    - {name: question, kind: text}
    - {name: answer, kind: text}
    - {name: level, kind: choice, options: [{value: esy, label: Easy}, {value: hard, label: Hard}]}
"""


def test_records_keep_their_columns_and_say_what_is_in_them_now(sqlite_template: Path, tmp_path: Path) -> None:
    """A field and a role have other names since, and an option was misspelled."""
    shutil.copy(sqlite_template, tmp_path / "touchstone.db")
    store = open_store(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path)
    fields = {"  fields: [{name: question, kind: text}]\n": FIELDS}
    anew = {"name: answer": "name: reply", "role: image": "role: picture", "value: esy": "value: easy"}
    decided = Decisions.parse(
        {"rename_field": ["answer=reply"], "rename_asset": ["image=picture"], "rename_option": ["level:esy=easy"]}
    )
    for name, came in WORDS.items():
        kind = name.partition(".")[2]
        (tmp_path / name).write_text(came, encoding="utf-8")
        make_project(store, name=kind, loaded=schema(1, fields))
        media = MediaStore(tmp_path / "media")
        given = {"format": kind, "path": tmp_path / name, "dimension": "shape"}
        import_files(store, media, by=None, project=kind, **given)
        migration.migrate(store, by=None, project=kind, loaded=schema(2, fields | anew), decisions=decided)

        def leaves(kind: str) -> str:
            (said,) = exported(store, by=None, project=kind, format=kind).files.values()
            return said.decode()

        assert leaves(kind) == came.replace("esy", "easy")
        edit_item(store, person=None, project=kind, item="a", fields={"reply": "New"})
        assert leaves(kind) == came.replace("esy", "easy").replace("A1", "New")
        migration.undo(store, by=None, project=kind)
        assert leaves(kind) == came.replace("A1", "New")
    store.close()


def mind(name: str) -> dict[str, Any]:
    """What it takes to change one's mind, as the first change."""
    found = next(each for each in MINDS if each.name == name)
    return {"project": "p", "loaded": schema(2, found.edits), "decisions": Decisions.parse(found.decided)}


def dimensions(store: Store) -> dict[str, str]:
    with store.read() as session:
        return {
            name: now for name, now in session.connection().execute(text("SELECT external_id, dimension FROM item"))
        }


@needs("readers", "ratings")
@needs_archives
@pytest.mark.thorough
def test_what_came_in_between_stays_where_its_item_is(sqlite_template: Path, tmp_path: Path) -> None:
    """Two dimensions are one for a while; the same goes on in a copy on another server."""
    shutil.copyfile(sqlite_template, tmp_path / "touchstone.db")
    shutil.copytree(tmp_path, tmp_path / "other")
    store, other = (open_store(None, folder) for folder in (tmp_path, tmp_path / "other"))
    build(store, tmp_path)
    first = dimensions(store)
    migration.migrate(store, by=None, **mind("one into another"))
    ann, dan = who(store, "ann"), who(store, "dan")
    voted = vote(store, dan, "red", dimension="colour")  # of his only shade has become colour
    (draft,) = [row for row in stored(store)["task"] if row["stage"] == "authoring"]
    key, values = "written", {"question": "Whole?"}
    submissions.submit(store, person=ann, task=draft["public_id"], key=key, values=values)
    (tmp_path / "more.csv").write_text("unit,rater,criterion,value\nshade/6,robot,choice,red\n")
    import_ratings(store, by=None, project="p", path=tmp_path / "more.csv", refuse=lambda bad: None)
    memberships.set_member(
        store, by=None, project="p", login="cat", role=projects.Role.ANNOTATOR, dimensions=["colour", "shape"]
    )
    assert set(dimensions(store).values()) == {"colour", "shape"}
    with store.write() as session:
        session.connection().execute(text("UPDATE asset SET sha256 = NULL"))  # there is no file behind it
    medias = [MediaStore(folder / "media") for folder in (tmp_path, tmp_path / "other")]
    export_project(store, medias[0], out=tmp_path / "p.zip", with_media=False)
    import_project(other, medias[1], path=tmp_path / "p.zip", people="match")
    for each in (store, other):
        migration.undo(each, by=None, project="p")
        (new,) = set(dimensions(each)) - set(first)
        assert dimensions(each) == {**first, new: "colour"}
        rights = {row.person.login: row.dimensions for row in memberships.list_members(each, person=None, project="p")}
        assert rights["bob"] == ("colour", "shade")
        assert rights["cat"] == ("colour", "shape")
        rows = ratings_of(each, project="p", stage=Stage.VERIFICATION)
        assert {row.dimension for row in rows if row.unit == "shade/6"} == {"shade"}
        assert {row.dimension for row in rows} == {*ITEMS}
        assert all(row.dimension == dimensions(each)[row.unit] for row in rows)
        assert any(row.rater == "robot" for row in rows)
        assert check(each) == []
    assert voted.dimension == "colour"
    before = stored(store)
    third = {"id: shade": "id: tone", "[colour, shade]": "[colour, tone]"}
    migration.migrate(store, by=None, **mind("one into another"))
    again = {"id: colour": "id: hue", SHADE: "", "[colour, shade]": "[hue]"}
    renamed = Decisions.parse({"rename_dimension": ["colour=hue"]})
    migration.migrate(store, by=None, project="p", loaded=schema(3, again), decisions=renamed)
    assert set(dimensions(store).values()) == {"hue", "shape"}
    both = {"rename_dimension": ["colour=hue", "shade=hue"]}
    with pytest.raises(InvalidInputError, match="--move-items shade=hue"):
        migration.preview(other, by=None, project="p", loaded=schema(4, again), decisions=Decisions.parse(both))
    lost = Decisions.parse({"move_items": ["shade=tune"]})
    with pytest.raises(InvalidInputError, match="`tune` does not exist; the choices are colour, tone, shape"):
        migration.preview(other, by=None, project="p", loaded=schema(4, third), decisions=lost)
    for _ in range(2):
        migration.undo(store, by=None, project="p")
    after = stored(store)
    assert after == before
    store.close()
    other.close()


@pytest.mark.both_databases
@pytest.mark.thorough
def test_people_vote_while_dimensions_become_one_and_part_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted change is gone on with; no vote is lost; everything is where it was."""
    make_project(store, loaded=schema(1))
    for name in ITEMS:
        make_items(store, 6, dimension=name, fields={"question": "?"})
    first, people = dimensions(store), [make_person(store, login) for login in ("ann", "bob")]

    def votes(person: Person) -> int:
        n = 0
        about: Any = {"project": "p", "stage": Stage.VERIFICATION}
        while isinstance(view := claims.next_task(store, person=person, **about), TaskView):
            shown = projects.project(store, person=person, project="p").schema.hash
            try:
                key = f"{person.login}/{n}"
                submissions.submit(store, person=person, task=view.id, key=key, values={"choice": "red"}, schema=shown)
            except DatabaseUnavailableError:  # what the page does, too: once more
                continue
            n += 1
        return n

    def stopped(*args: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as threads:
        voting = [threads.submit(votes, person) for person in people]
        with monkeypatch.context() as patched:
            patched.setattr(in_force, "bring_up", stopped)
            with pytest.raises(KeyboardInterrupt):
                migration.migrate(store, by=None, **mind("two into a new one"))
        assert set(dimensions(store).values()) == {"hue", "shape"}
        migration.finish(store, by=None, project="p")
        migration.undo(store, by=None, project="p")
        assert [each.result(120) for each in voting] == [18, 18]
    assert dimensions(store) == first
    assert check(store) == []
    rows = [row for row in ratings_of(store, project="p", stage=Stage.VERIFICATION) if row.criterion == "choice"]
    assert Counter(row.dimension for row in rows) == dict.fromkeys(ITEMS, 12)
