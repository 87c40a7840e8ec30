"""Whole projects as archives: between databases and next to each other, the same to the byte, or refused.

The module is longer than others because all its tests share one project, which takes seconds to make.
"""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, func, select

from annotation_schemas.formats import Takes, writing
from db import events
from db.carried import CARRIED, LEFT
from db.engine import Store, open_store
from db.project_rows import columns
from db.tables import metadata
from domain.bridge import BridgeState
from domain.errors import (
    AlreadyTakenError,
    ConflictError,
    InvalidFileError,
    InvalidInputError,
    SettingsError,
    TouchstoneError,
)
from domain.project_parts import ProjectPart
from domain.runs import RunState
from domain.states import ItemState, Stage
from extensions.archives import storing, transit_cleanup
from extensions.archives.archive_writer import ArchiveWriter
from extensions.archives.copying import clone_project
from extensions.archives.deletion import delete_project
from extensions.archives.exporting import export_project
from extensions.archives.importing import import_project
from extensions.archives.parts import WhoIsWho
from extensions.archives.queries import landing, removal
from extensions.archives.storing import ArchiveOptions
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_person, make_project, make_schema, vote
from testkit.kept_items import kept_ids
from tests.workflow.whole_project import HIDDEN, bare, build
from workflow.access import accounts, audit, memberships, projects
from workflow.annotate import submissions
from workflow.files.export import exported
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of

MATCH = ArchiveOptions(people=WhoIsWho.MATCH)


@pytest.fixture(scope="module")
def made(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the whole project, closed; ``p.zip`` in it is its archive."""
    home = tmp_path_factory.mktemp("whole")
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    build(store, MediaStore(home / "media"), home)
    export_project(store, MediaStore(home / "media"), by=None, project="p", out=home / "p.zip")
    store.close()
    return home


@pytest.fixture
def media(home: Path) -> MediaStore:
    """An empty media store."""
    return MediaStore(home / "media")


@pytest.fixture
def source(made: Path, tmp_path: Path) -> Iterator[tuple[Store, MediaStore]]:
    """The home with the whole project, opened as a copy."""
    shutil.copytree(made, tmp_path / "source")
    store = open_store(None, tmp_path / "source")
    yield store, MediaStore(tmp_path / "source/media")
    store.close()


def released(store: Store, project: str = "p") -> list[Any]:
    """Every file that leaves a project in any format, whole and of the kept items; or why none does."""
    found: list[Any] = []
    for row in writing(*Takes):
        for only in (None, kept_ids(store, project)):
            try:
                done = exported(store, by=None, project=project, format=row.name, only=only)
                found.append((row.name, only, dict(done.files)))
            except TouchstoneError as error:
                found.append((row.name, only, str(error)))
    assert len([each for each in found if isinstance(each[2], dict)]) > 4
    return found


def agreement(store: Store, project: str = "p") -> Any:
    return agreement_of(store, person=None, project=project, stage=Stage.VERIFICATION)


def next_of(store: Store, login: str, project: str = "p") -> str:
    """The item that someone has in hand or gets now, by what it asks."""
    person = accounts.find_person(store, login=login)
    return str(claimed(store, person, project=project).fields["question"])


def elsewhere(path: Path) -> Any:
    """An archive without what is another one where people have other numbers: the order in which they walk."""
    return {table: rows for table, rows in bare(path).items() if table != "walk"}


# ---- the table of tables ---------------------------------------------------------------------------------------------


def test_every_table_is_carried_or_stays_behind_with_a_reason() -> None:
    assert set(CARRIED) | set(LEFT) == set(metadata.tables)
    assert not set(CARRIED) & set(LEFT)
    for name in LEFT:  # and nothing that goes points to what stays
        pointing = [
            table for table in CARRIED for key in metadata.tables[table].foreign_keys if key.column.table.name == name
        ]
        assert not pointing


def test_every_column_that_may_hold_ids_is_known() -> None:
    unknown, wrong = [], []
    for name, row in CARRIED.items():
        table = metadata.tables[name]
        known = {*row.ids, *row.plain, *row.without}
        wrong += [(name, column) for column in known if column not in table.c]
        for column in table.c:
            called = column.name.endswith(("_id", "_ids")) or column.name in ("unit", "key", "submit_key", "public_id")
            may = isinstance(column.type, JSON) or (called and not column.foreign_keys)
            alone = any(
                list(each.columns) == [column]
                for each in table.constraints
                if type(each).__name__ == "UniqueConstraint"
            )
            drawn = alone and not column.foreign_keys and column.name not in ("login", "hash", "name")
            if (may or drawn) and column.name not in known:
                unknown.append((name, column.name))
    outside = {("run_batch", "server_id"), ("attempt", "request_id")}  # ids of other servers, which are plain
    assert wrong == []
    assert set(unknown) - {("imported_rating", "unit"), ("run_batch_problem", "key")} == set()
    assert all(column in CARRIED[table].plain for table, column in outside)
    assert all(column in CARRIED[table].ids for table, column in HIDDEN)


def test_no_secret_goes() -> None:
    words = ("password", "token_hash", "csrf", "admin")
    assert not [name for table in CARRIED for name in columns(table) if any(word in name for word in words)]


# ---- there and back --------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.both_databases
def test_a_project_goes_to_another_database_and_back(
    made: Path, source: tuple[Store, MediaStore], store: Store, media: MediaStore, tmp_path: Path
) -> None:
    there, pictures = source
    with zipfile.ZipFile(made / "p.zip") as archive:
        counts = {each["path"][7:-6]: each["rows"] for each in json.loads(archive.read("manifest.json"))["tables"]}
    assert [table for table, n in counts.items() if not n] == []  # nothing is left untried
    come = import_project(store, media, path=made / "p.zip")
    assert sorted(come.new_accounts) == ["ann", "bob", "cat", "lea", "sen"]
    assert [account.is_admin for account in accounts.active_accounts(store)] == [False] * 5
    export_project(store, media, by=None, project="p", out=tmp_path / "second.zip")
    assert (tmp_path / "second.zip").read_bytes() == (made / "p.zip").read_bytes()
    with store.read() as session:  # nothing goes on by itself: no run that costs money, no work for another server
        of = metadata.tables
        assert session.connection().scalar(select(of["run"].c.state).where(of["run"].c.name == "j")) == RunState.PAUSED
        assert session.connection().scalar(select(of["bridge"].c.stages)) == []
        assert session.connection().scalar(select(of["bridge_task"].c.state)) == BridgeState.OVER
    assert check(store, project="p") == check(there, project="p")
    assert released(store) == released(there)
    assert agreement(store) == agreement(there)
    for who in ("ann", "bob", "cat", "sen"):  # the same person gets the same item, and goes on
        assert next_of(store, who) == next_of(there, who)
    bob = accounts.find_person(store, login="bob")
    task = claimed(store, bob)
    given = submissions.submit(store, person=bob, task=task.id, key="after", values={"choice": "red"})
    assert given.annotation
    assert submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION).id == task.id
    if not store.is_sqlite:
        back = open_store(None, tmp_path / "back")
        back.upgrade()
        import_project(back, MediaStore(tmp_path / "back/media"), path=tmp_path / "second.zip")
        export_project(back, pictures, by=None, project="p", out=tmp_path / "third.zip")
        assert (tmp_path / "third.zip").read_bytes() == (made / "p.zip").read_bytes()
        make_project(store, name="other")  # ids that were taken are drawn no more
        back.close()


@pytest.mark.thorough
def test_a_copy_next_to_the_first_is_the_same_but_for_its_ids(
    made: Path, store: Store, media: MediaStore, tmp_path: Path
) -> None:
    make_project(store, name="other", loaded=make_schema(raters=3))
    make_items(store, 3, project="other")
    import_project(store, media, path=made / "p.zip")
    objects = sorted(path.name for path in media.root.rglob("original"))
    clone_project(store, media, project="p", name="q")
    assert sorted(path.name for path in media.root.rglob("original")) == objects
    for name in ("p", "q"):
        export_project(store, media, by=None, project=name, out=tmp_path / f"{name}.zip")
        first, second = bare(made / "p.zip"), bare(tmp_path / f"{name}.zip")
        assert second.pop("project")[0] | {"name": "p"} == first.pop("project")[0]
        for table, rows in first.items():
            assert second[table] == rows, (name, table)
    if store.is_sqlite:  # both have shown the same on both databases
        assert agreement(store, "q") == agreement(store, "p") != []
        assert check(store, project="q") == [line.replace("p:", "q:", 1) for line in check(store, project="p")]
    ann = accounts.find_person(store, login="ann")
    task = claimed(store, ann, project="q")
    submissions.submit(store, person=ann, task=task.id, key=f"vote-{task.id}", values={"choice": "red"})
    import_project(store, media, path=made / "p.zip", name="r", how=MATCH)
    assert len(projects.all_projects(store)) == 4


@pytest.mark.slow
def test_a_copy_may_leave_parts_out(made: Path, store: Store, media: MediaStore) -> None:
    import_project(store, media, path=made / "p.zip")
    counts = {}
    for part in ("items", "votes", "runs", "people"):
        done = clone_project(store, media, project="p", name=part, without=frozenset({ProjectPart(part)}))
        counts[part] = [done.rows[each] for each in ("item", "member", "annotation", "run", "prediction", "event")]
    whole = [4, 5, 5, 2, 2]
    assert counts["items"] == [0, 5, 0, 0, 0, 0]
    assert counts["votes"] == [4, 5, 0, 2, 2, 1]  # what leads have said of items is no history
    assert counts["people"][:5] == [4, 0, *whole[2:]]
    assert counts["runs"][:5] == [4, 5, 5, 0, 0]
    fresh = memberships.list_members(store, person=None, project="votes")
    assert len(fresh) == 5
    with store.read() as session:
        of = metadata.tables
        id = session.connection().scalar(select(of["project"].c.id).where(of["project"].c.name == "votes"))
        states = set(session.connection().scalars(select(of["item"].c.state).where(of["item"].c.project_id == id)))
        open_ = session.connection().scalar(select(func.count()).where(of["task"].c.project_id == id))
    assert (states, open_) == ({ItemState.IN_VERIFICATION}, 8)  # four items, two votes each
    assert [line for line in check(store) if line.startswith(("votes:", "runs:", "items:"))] == []


def test_images_may_be_named_alone_and_a_public_page_stays_behind(
    source: tuple[Store, MediaStore], store: Store, media: MediaStore, tmp_path: Path
) -> None:
    there, pictures = source
    with there.write() as session:
        events.record(session, at=there.now(), kind=events.BOARD_PUBLISHED, project_id=1, data={"title": "All of it"})
    done = export_project(there, pictures, by=None, project="p", out=tmp_path / "bare.zip", with_media=False)
    assert done.left_out == 2
    with pytest.raises(
        InvalidFileError, match="images or clips that are missing from the archive and from this server: 2"
    ):
        import_project(store, media, path=tmp_path / "bare.zip")
    come = import_project(store, media, path=tmp_path / "bare.zip", how=ArchiveOptions(media=tmp_path / "source"))
    with store.read() as session:
        assert events.public_board(session, project="p") is None  # what was public there is not public here
    assert any("was public" in note for note in come.notes)
    with pytest.raises(ConflictError, match="already exists"):
        export_project(there, pictures, by=None, project="p", out=tmp_path / "bare.zip")


# ---- who is who ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_same_login_is_the_same_person_only_where_someone_says_so(
    made: Path, store: Store, media: MediaStore
) -> None:
    make_person(store, "zoe", project=None)
    ann = make_person(store, "ann", project=None)
    path = made / "p.zip"
    with pytest.raises(
        SettingsError,
        match=r"Logins in the archive that already exist on this server: ann \(Ann in "
        r"the archive, Ann on this server\)",
    ):
        import_project(store, media, path=path)
    for accounts_, why in (
        ({"who": None}, "the archive has no accounts with these logins: who"),
        ({"ann": "yan"}, "this server has no account with these logins: yan"),
        ({"bob": None}, "these logins already exist on this server, but have no row in the file: ann"),
    ):
        with pytest.raises(SettingsError, match=why):
            import_project(store, media, path=path, how=ArchiveOptions(people=WhoIsWho.MAP, accounts=accounts_))
    assert projects.all_projects(store) == []

    def of_project(name: str, how: ArchiveOptions) -> list[tuple[str, int]]:
        import_project(store, media, path=path, name=name, how=how)
        members = memberships.list_members(store, person=None, project=name)
        return [(member.person.login, member.person.id) for member in members]

    assert ("ann", ann.id) in of_project("a", MATCH)
    assert "ann-2" in {login for login, _ in of_project("b", ArchiveOptions(people=WhoIsWho.NEW))}
    mapped = of_project(
        "c",
        ArchiveOptions(
            people=WhoIsWho.MAP, accounts={"ann": "zoe", "bob": None, "cat": "cat", "lea": "lea", "sen": "sen"}
        ),
    )
    assert {login for login, _ in mapped} == {"zoe", "bob-3", "cat", "lea", "sen"}
    assert not [person for person in accounts.active_accounts(store) if person.is_admin]


# ---- what is refused -------------------------------------------------------------------------------------------------

Tables = dict[str, list[dict[str, Any]]]


def altered(path: Path, out: Path, change: Callable[[Tables], Any] = len, **manifest: Any) -> Path:
    """An archive that was written anew, with right hashes, after some of its rows were changed."""
    with zipfile.ZipFile(path) as old, out.open("wb") as file, ArchiveWriter(file) as new:
        told = json.loads(old.read("manifest.json"))
        names = [each["path"][7:-6] for each in told.pop("tables")]
        rows: Tables = {name: [json.loads(x) for x in old.read(f"tables/{name}.jsonl").splitlines()] for name in names}
        change(rows)
        for name in names:
            new.table(name, list(rows[name][0]) if rows[name] else [], rows[name])
        for entry in old.namelist():
            if entry.startswith("media/"):
                (out.parent / "medium").write_bytes(old.read(entry))
                new.media(entry[6:], out.parent / "medium")
        new.finish({**told, **manifest}, with_media=True)
    return out


def first(table: str, **values: Any) -> Callable[[Tables], Any]:
    """Changes the first row of a table."""
    return lambda rows: rows[table][0].update(values)


HOSTILE: list[tuple[Callable[[Tables], Any], str]] = [
    (first("annotation", item_id=999), "row 1 of annotation: item_id points to a missing item"),
    (first("task", unit="verification/item/999/1"), "row 1 of task: unit points to a missing item"),
    (first("task", unit="../../x"), "row 1 of task: unit is not a valid unit name"),
    (first("qualification_set", item_ids=[999]), "item_ids points to a missing item"),
    (first("qualification_set", item_ids=["1"]), "item_ids is not a list of whole numbers"),
    (first("run_chunk", unit_ids=[999]), "unit_ids points to a missing judge_unit|unit_ids points to a missing item"),
    (first("run", by_id=999), "by_id points to a missing person"),
    (first("item", state="great"), "state is not an allowed word"),
    (first("item", public_id="<script>"), "public_id is not a random ID"),
    (first("item", created_at="2026-01-01T00:00:00"), "created_at is not a time with a time zone"),
    (first("item", dimension=None), "dimension is missing"),
    (first("item", priority=2**31), "priority is not a whole number in the valid range"),
    (first("revision", id=-5), "id is not a whole number"),
    (first("member", person_id=True), "person_id is not a whole number"),
    (first("person", name="a\0b"), "name has a character that Touchstone cannot store"),
    (first("person", login="ADMIN"), "Enter a login"),
    (first("guideline_version", text="Vote red."), "the hash of guideline 1 does not match the text of the guideline"),
    (
        first("schema_version", guideline_text="Vote red."),
        "the hash of the schema .* does not match the text of the schema",
    ),
    (first("schema_version", text="name: ["), "Touchstone cannot read the schema 'blind'"),
    (
        lambda rows: rows["project"][0]["reading"]["numbers"].update({"9": 1}),
        "reading points to a missing schema_version",
    ),
    (first("project", reading={"steps": 1}), "reading is not a valid rule for reading answers to other schemas"),
    (lambda rows: rows["item"].reverse(), "the ID is not greater than the ID of the previous row"),
    (lambda rows: rows["item"][-1].update(id=2**31 - 1), "ids of item are too far apart|points to a missing item"),
    (lambda rows: rows["project"].append(rows["project"][0]), "the archive has two projects"),
    (lambda rows: rows["project"].clear(), "the column .* is missing|the archive has no project"),
    (
        lambda rows: [row.update(is_admin=True) for row in rows["person"]],
        "the table person has an unknown column 'is_admin'",
    ),
    (
        lambda rows: [row.pop("name") for row in rows["person"]],
        "the column 'name' of the table person is missing. An older",
    ),
]


@pytest.mark.thorough
def test_an_archive_that_does_not_fit_together_makes_nothing(
    made: Path, store: Store, media: MediaStore, tmp_path: Path
) -> None:
    for number, (change, told) in enumerate(HOSTILE):
        path = altered(made / "p.zip", tmp_path / f"{number}.zip", change)
        with pytest.raises(TouchstoneError, match=told):
            import_project(store, media, path=path)
    for about, told in (
        ({"version": 2}, "A newer version of Touchstone wrote"),
        ({"database": "9999"}, "newer tables .* than this version"),
        ({"format": "zip"}, "the manifest does not describe a project"),
    ):
        with pytest.raises(InvalidFileError, match=told):
            import_project(store, media, path=altered(made / "p.zip", tmp_path / "about.zip", **about))
    assert projects.all_projects(store) == []
    assert accounts.active_accounts(store) == []
    path = altered(
        made / "p.zip", tmp_path / "run.zip", lambda rows: [row.update(state="waiting") for row in rows["run"]]
    )
    import_project(store, media, path=path)  # and no worker here takes up what an archive wants to have run
    with store.read() as session:
        assert set(session.connection().scalars(select(metadata.tables["run"].c.state))) == {RunState.PAUSED}


@pytest.mark.thorough
def test_a_file_that_is_no_whole_archive_is_refused(
    made: Path, store: Store, media: MediaStore, tmp_path: Path
) -> None:
    whole = (made / "p.zip").read_bytes()
    path = tmp_path / "x.zip"

    def packed(*changes: tuple[str, bytes], drop: str = "") -> None:
        with zipfile.ZipFile(made / "p.zip") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.namelist():
                if entry != drop and entry not in dict(changes):
                    new.writestr(entry, old.read(entry))
            for name, data in changes:
                new.writestr(name, data)

    def refused(told: str) -> None:
        with pytest.raises((InvalidFileError, InvalidInputError), match=told):
            import_project(store, media, path=path)

    with zipfile.ZipFile(made / "p.zip") as old:
        image = next(name for name in old.namelist() if name.startswith("media/"))
        votes = old.read("tables/annotation.jsonl")
    path.write_bytes(whole[: len(whole) // 2])
    refused("x.zip is not a complete ZIP archive")
    packed(("../../etc/passwd", b"x"))
    refused("the archive contains an unexpected file '../../etc/passwd'")
    packed(("tables/annotation.jsonl", votes.replace(b'"red"', b'"blu"')))
    refused("tables/annotation.jsonl does not match the manifest")
    packed(("tables/annotation.jsonl", b" " * 30_000_000))
    refused(r"is too large after unpacking \(30,000,000 bytes from")
    packed(("tables/annotation.jsonl", votes + votes))
    refused("the ID is not greater than|does not match the manifest")
    packed(("tables/annotation.jsonl", b"[1]\n"))
    refused("row 1 of annotation does not have the columns")
    packed((image, b"GIF89a"))
    refused("does not match its name")
    packed(drop=image)
    refused("images or clips that are missing from the archive and from this server: 1")
    packed(drop="manifest.json")
    refused("the archive has no manifest.json")
    packed(drop="tables/item.jsonl")
    refused("the manifest names a missing table")
    assert projects.all_projects(store) == []


@pytest.mark.slow
@pytest.mark.both_databases
def test_an_import_that_breaks_off_leaves_nothing_and_goes_again(
    made: Path, store: Store, media: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = landing.Landing.put

    def broken(self: landing.Landing, session: Any, *, table: str, **more: Any) -> None:
        if table == "annotation":
            raise KeyboardInterrupt
        put(self, session, table=table, **more)

    def rows() -> dict[str, int]:
        with store.read() as session:
            counts = {name: select(func.count()).select_from(of) for name, of in metadata.tables.items()}
            found = {name: session.connection().scalar(each) or 0 for name, each in counts.items()}
        return {name: n for name, n in found.items() if n and name != "schema_version"}  # which is no project's

    root = accounts.create_person(store, login="root", name="Root", is_admin=True)
    before = rows()
    for killed in (False, True):  # what is killed has no time to clear anything
        with monkeypatch.context() as patch:
            patch.setattr(landing.Landing, "put", broken)
            if killed:
                patch.setattr(storing, "clear", lambda *_: None)
            with pytest.raises(KeyboardInterrupt):
                import_project(store, media, path=made / "p.zip")
        assert (rows() == before) is not killed
        assert projects.all_projects(store) == projects.projects_of(store, person=root) == []
        assert {each.project for each in audit.entries(store, by=root, project=None)} == {None}
    import_project(store, media, path=made / "p.zip")
    export_project(store, media, by=None, project="p", out=tmp_path / "again.zip")
    assert elsewhere(tmp_path / "again.zip") == elsewhere(made / "p.zip")
    with pytest.raises(AlreadyTakenError, match="Another project has the ID 'p'"):
        import_project(store, media, path=made / "p.zip")


@pytest.mark.slow
@pytest.mark.both_databases
def test_others_write_while_a_project_comes_and_goes(
    made: Path, store: Store, media: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every lot is followed by what others do, who get ids of every kind in between."""
    make_project(store, name="other", loaded=make_schema(raters=1))
    zoe = make_person(store, "zoe", project="other")
    lots, keys, n = landing.Landing.lots, removal.keys, 0

    def meanwhile() -> None:
        nonlocal n
        n += 1
        make_items(store, 1, project="other")
        vote(store, zoe, "red", project="other")

    def lots_(*given: Any, **more: Any) -> Iterator[Any]:
        for at, lot in enumerate(lots(*given, **more)):
            yield lot
            if at % 3 == 0:
                meanwhile()

    def keys_(session: Any, **more: Any) -> Any:
        found = keys(session, **more)
        if (
            more["table"] in ("annotation", "event", "asset") and not store.is_sqlite
        ):  # there whoever deletes has the only turn
            meanwhile()
        return found

    monkeypatch.setattr(landing.Landing, "lots", lots_)
    monkeypatch.setattr(landing, "AT_ONCE", 2)
    import_project(store, media, path=made / "p.zip", how=MATCH)
    assert n > 12
    export_project(store, media, by=None, project="p", out=tmp_path / "p.zip")
    assert elsewhere(tmp_path / "p.zip") == elsewhere(made / "p.zip")
    assert check(store, project="other") == []
    monkeypatch.setattr(removal, "keys", keys_)
    monkeypatch.setattr(transit_cleanup, "_AT_ONCE", 2)
    delete_project(store, media, by=None, project="p", typed="p")
    assert [view.name for view in projects.all_projects(store)] == ["other"]
    with store.read() as session:
        kept = session.connection().scalar(select(func.count()).select_from(metadata.tables["annotation"]))
    assert kept == n
    assert check(store, project="other") == []


@pytest.mark.both_databases
def test_of_two_imports_at_once_into_one_name_one_wins(made: Path, store: Store, media: MediaStore) -> None:
    both, came = threading.Barrier(2, timeout=60), []
    reserve = landing.some_are_here

    def together(*given: Any, **more: Any) -> bool:
        both.wait()  # both have looked, and found the name free
        return reserve(*given, **more)

    def run() -> None:
        try:
            import_project(store, media, path=made / "p.zip", how=MATCH)
            came.append("made")
        except AlreadyTakenError:
            came.append("taken")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landing, "some_are_here", together)
        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(came) == ["made", "taken"]
    assert [view.name for view in projects.all_projects(store)] == ["p"]
