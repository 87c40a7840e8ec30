"""A whole server into one file and back, on each database and from one to the other, while people vote."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sqlite3
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db.engine import Store, open_store
from domain.errors import ConflictError, InvalidFileError, SettingsError
from domain.records import Person
from domain.settings import Settings
from domain.states import Stage
from extensions.backup import backup_writer, queries
from extensions.backup.backup_reader import BackupFile
from extensions.backup.backup_writer import BackupWriter
from extensions.backup.creating import create_backup
from extensions.backup.restoring import STAGING, RestoredServer, restore_backup
from media.store import MediaStore
from testkit.factories import make_items, make_people, make_person, make_project, make_schema, vote
from tests.workflow.whole_project import build
from workflow.access import accounts, sign_in
from workflow.files.media_check import check_media
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of

PASSWORD = "a long password of ann"
NewTarget = Callable[[str, str], Settings]


@pytest.fixture(scope="module")
def whole(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with rows in nearly all tables, media and a release folder, closed; ``b.tar`` in it is its backup."""
    home = tmp_path_factory.mktemp("whole")
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    build(store, MediaStore(home / "media"), home)
    accounts.set_password(store, login="ann", password=PASSWORD)
    ann = sign_in.authenticate(store, login="ann", password=PASSWORD)
    sign_in.start_session(store, person=ann)
    sign_in.make_sign_in_link(store, person=ann)
    with store.write() as session:
        session.connection().execute(
            text("INSERT INTO person_setting VALUES (1, 'a', :value, '2026-05-04 09:00:00.123456')"),
            {"value": json.dumps({"ü": [1.5, 0.1 + 0.2, None, "\u2028"]})},
        )
    (home / "releases/p/1.0").mkdir(parents=True)
    (home / "releases/p/1.0/manifest.json").write_text("{}")
    (home / "figures").mkdir()
    (home / "figures/cached").write_text("made again")
    create_backup(store, MediaStore(home / "media"), home, out=home / "b.tar")
    store.close()
    return home


@pytest.fixture
def new_target(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[NewTarget]:
    """A function that returns settings with an empty home, and an empty database of the given kind."""
    names: list[str] = []

    def make(kind: str, folder: str) -> Settings:
        home = tmp_path / folder
        if kind == "sqlite":
            return Settings(home, f"sqlite:///{home / 'touchstone.db'}")
        cluster = request.getfixturevalue("postgres_cluster")
        names.append(cluster.create())
        return Settings(home, cluster.url(names[-1]))

    yield make
    for name in names:
        request.getfixturevalue("postgres_cluster").drop(name)


def opened(settings: Settings) -> Store:
    return open_store(settings.database_url, settings.home)


def restored(settings: Settings, path: Path, **how: Any) -> RestoredServer:
    return restore_backup(settings, path=path, **how)


def backed_up(settings: Settings, out: Path) -> Path:
    with closing(opened(settings)) as store:
        create_backup(store, MediaStore(settings.home / "media"), settings.home, out=out)
    return out


def raw(database: Path) -> dict[str, list[Any]]:
    """Every row of a SQLite file as SQLite stores it, and the definitions of all tables, indexes and triggers."""
    with closing(sqlite3.connect(database)) as connection:
        found = {"": sorted(connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=repr)}
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            found[name] = sorted([tuple((type(value), value) for value in row) for row in rows], key=repr)
    return {name: rows for name, rows in found.items() if name not in queries.LEFT_OUT}


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but those that are made again on request."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("bare")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


# ---- the same again --------------------------------------------------------------------------------------------------


def test_sqlite_comes_back_with_every_row_and_file(whole: Path, new_target: NewTarget) -> None:
    target = new_target("sqlite", "new")
    done = restored(target, whole / "b.tar")
    before, after = raw(whole / "touchstone.db"), raw(target.home / "touchstone.db")
    filled = [name for name, rows in before.items() if rows]
    assert len(filled) > 40
    assert after == before
    assert files_in(target.home / "media") == files_in(whole / "media")
    assert files_in(target.home / "releases") == {"p/1.0/manifest.json": b"{}"}
    assert sorted(path.name for path in target.home.iterdir()) == ["media", "releases", "touchstone.db"]
    assert {table: n for table, n in done.rows.items() if n} == {
        table: len(rows) for table, rows in before.items() if rows and table not in ("", "alembic_version")
    }


@pytest.mark.postgres
def test_sqlite_to_postgresql_and_back_changes_no_value(whole: Path, new_target: NewTarget, tmp_path: Path) -> None:
    there, back = new_target("postgresql", "there"), new_target("sqlite", "back")
    restored(there, whole / "b.tar")
    done = restored(back, backed_up(there, tmp_path / "there.tar"))
    assert done.database == "postgresql"
    before, after = raw(whole / "touchstone.db"), raw(back.home / "touchstone.db")
    assert after == before
    assert files_in(back.home / "media") == files_in(whole / "media")


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_people_sign_in_again_and_work_continues(whole: Path, new_target: NewTarget, kind: str) -> None:
    with closing(open_store(None, whole)) as store:
        before = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    target = new_target(kind, "new")
    restored(target, whole / "b.tar")
    with closing(opened(target)) as store:
        assert check(store) == []
        assert check_media(store, MediaStore(target.home / "media"), whole=True) == []
        assert agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION) == before
        with store.read() as session:
            assert session.connection().scalar(text("SELECT count(*) FROM session")) == 0
        sign_in.authenticate(store, login="ann", password=PASSWORD)
        ids = make_items(store, 2)
        vote(store, make_person(store, "new"))  # every table counts on from its highest id
        assert len(set(ids)) == 2
        with pytest.raises(Exception, match="append-only"), store.write() as session:
            session.connection().execute(text("UPDATE annotation SET answers = '{}'"))


# ---- while people work -----------------------------------------------------------------------------------------------


class Voters:
    """People who vote in threads of their own, through the use cases, until they are stopped."""

    def __init__(self, store: Store, people: list[Person], *, at_least: int) -> None:
        self.store, self.at_least = store, at_least
        self.acknowledged: list[str] = []
        """The keys of acknowledged submissions, in the order of their acknowledgement."""
        self.errors: list[BaseException] = []
        self._stop, self.warm = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(person,)) for person in people]

    def __enter__(self) -> Voters:
        for thread in self._threads:
            thread.start()
        assert self.warm.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def _work(self, person: Person) -> None:
        try:
            while not self._stop.is_set():
                view = vote(self.store, person)
                self.acknowledged.append(f"vote-{view.id}")
                if len(self.acknowledged) >= self.at_least:
                    self.warm.set()
        except BaseException as error:
            self.errors.append(error)
            self.warm.set()


@pytest.mark.both_databases
def test_every_vote_acknowledged_before_a_backup_is_in_it(
    store: Store, home: Path, tmp_path: Path, new_target: NewTarget
) -> None:
    make_project(store, loaded=make_schema(raters=2))
    people = make_people(store, "ann", "bob")
    make_items(store, 600)
    taken: list[tuple[list[str], Path]] = []
    with Voters(store, people, at_least=20) as voters:
        for n in range(3):
            before = list(voters.acknowledged)
            out = tmp_path / f"{n}.tar"
            create_backup(store, MediaStore(home / "media"), home, out=out)
            taken.append((before, out))
    assert len(voters.acknowledged) > len(taken[-1][0]) > len(taken[0][0]) >= 20, "people voted all the time"
    for n, (before, out) in enumerate(taken):
        target = new_target("sqlite", f"new-{n}")
        restored(target, out)
        with closing(opened(target)) as there:
            with there.read() as session:
                keys = set(session.connection().scalars(text("SELECT submit_key FROM annotation")))
            assert set(before) <= keys <= set(voters.acknowledged)
            assert check(there) == []


@pytest.mark.both_databases
def test_rows_fit_together_when_work_is_stored_between_two_tables(
    store: Store, home: Path, tmp_path: Path, new_target: NewTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vote that is stored while the backup reads is in all tables of the backup or in none."""
    make_project(store, loaded=make_schema(raters=2))
    ann, bob = make_people(store, "ann", "bob")
    make_items(store, 4)
    vote(store, ann)
    read = queries.rows

    def rows(session: Any, *, table: str) -> Iterator[list[Any]]:
        if table == "task":
            thread = threading.Thread(target=vote, args=(store, bob))
            thread.start()
            thread.join()
        return read(session, table=table)

    monkeypatch.setattr(queries, "rows", rows)
    done = create_backup(store, MediaStore(home / "media"), home, out=tmp_path / "b.tar")
    assert done.rows["annotation"] == 1
    target = new_target("sqlite", "new")
    restored(target, tmp_path / "b.tar")
    with closing(opened(target)) as there:
        assert check(there) == []
        with there.read() as session:
            submitted = "SELECT count(*) FROM event WHERE kind = 'task.submitted'"
            assert session.connection().scalar(text(submitted)) == 1
    with store.read() as session:
        assert session.connection().scalar(text("SELECT count(*) FROM annotation")) == 2


# ---- files that are not as they were ---------------------------------------------------------------------------------


def unused(target: Settings) -> bool:
    return not target.home.exists() or list(target.home.iterdir()) == []


@pytest.mark.parametrize("name", ["tables/annotation/", "media/", "home/"])
def test_a_changed_byte_is_found_and_its_file_named(
    whole: Path, tmp_path: Path, new_target: NewTarget, name: str
) -> None:
    path, target = tmp_path / "b.tar", new_target("sqlite", "new")
    content = bytearray((whole / "b.tar").read_bytes())
    with tarfile.open(whole / "b.tar") as tar:
        entry = next(member for member in tar if member.name.startswith(name))
    content[entry.offset_data + entry.size - 1] ^= 1
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=entry.name.replace(".", r"\.")) as refused:
        restored(target, path)
    assert "Nothing was restored" in str(refused.value)
    assert unused(target)


def test_no_byte_can_change_unseen(whole: Path, tmp_path: Path) -> None:
    """Also in headers, the list and the manifest; what follows the last byte of an entry only fills a block of 512."""
    content, path = (whole / "b.tar").read_bytes(), tmp_path / "b.tar"
    with tarfile.open(whole / "b.tar") as tar:
        entries = tar.getmembers()
    picked = [*random.Random(1).sample(entries[:-3], 20), *entries[-3:]]
    places = [
        place for each in picked for place in (each.offset + 5, each.offset_data, each.offset_data + each.size // 2)
    ]
    for place in places:
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(InvalidFileError, match=r"b\.tar"), BackupFile(path) as backup:
            backup.verify(each=lambda file, rows: None, done=lambda n: None)


@pytest.mark.parametrize(
    "name", ["home/releases/../x", "home/releases//etc/x", "home/releases/a/./x", "home/x", "../x"]
)
def test_no_file_leaves_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").write_text("mine")
    with (tmp_path / "b.tar").open("wb") as out, BackupWriter(out) as writer:
        writer.file(name, tmp_path / "x")
        writer.finish({}, media={})
    with pytest.raises(InvalidFileError, match="unexpected file"), BackupFile(tmp_path / "b.tar") as backup:
        list(backup.files())


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (lambda content, files, end: content[:files], "incomplete"),  # between two files
        (lambda content, files, end: content[: files - 700], "incomplete"),  # within a file
        (lambda content, files, end: content[: end - 30], "incomplete"),  # within the last entry
        (lambda content, files, end: content[: end - 1000], "incomplete"),  # within the manifest
        (lambda content, files, end: content[:1000], "incomplete"),
        (lambda content, files, end: b"", "not a backup"),
        (lambda content, files, end: b"PK\x03\x04" + bytes(2000), "not a backup"),
    ],
)
def test_half_a_file_is_refused(
    whole: Path, tmp_path: Path, new_target: NewTarget, cut: Callable[[bytes, int, int], bytes], said: str
) -> None:
    path, target = tmp_path / "half.tar", new_target("sqlite", "new")
    with tarfile.open(whole / "b.tar") as tar:
        files, last = tar.getmember("files.jsonl"), tar.getmember("manifest.sha256")
    path.write_bytes(cut((whole / "b.tar").read_bytes(), files.offset, last.offset_data + last.size))
    with pytest.raises(InvalidFileError, match=f"half.tar.*{said}"):
        restored(target, path)
    assert unused(target)


def rewritten(path: Path, out: Path, change: Callable[[str, list[list[Any]]], list[list[Any]]], **about: Any) -> Path:
    """A backup with other rows, or another manifest, whose hashes are right. Tables without columns stay out."""
    rows: dict[str, list[list[Any]]] = {}
    with BackupFile(path) as backup, out.open("wb") as file, BackupWriter(file) as writer:
        for each in backup.files():
            if each.table:
                rows.setdefault(each.table, []).extend(backup.rows(each))
        for table in backup.tables.values():
            without = about.get("without", ())
            if table.name in without:
                continue
            kept = [at for at, column in enumerate(table.columns) if f"{table.name}.{column}" not in without]
            columns = {column: kind for at, (column, kind) in enumerate(table.columns.items()) if at in kept}
            given = [[row[at] for at in kept] for row in rows.get(table.name, [])]
            writer.table(table.name, columns, change(table.name, given))
        known = ("touchstone", "taken_at", "database", "revision")
        manifest = {key: about.get(key, backup.manifest[key]) for key in known}
        writer.finish(manifest, media={"inside": False, "named": 0, "missing": []})
    return out


def same(table: str, rows: list[list[Any]]) -> list[list[Any]]:
    return rows


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_a_row_that_the_database_refuses_leaves_nothing(
    whole: Path, tmp_path: Path, new_target: NewTarget, kind: str
) -> None:
    def twice(table: str, rows: list[list[Any]]) -> list[list[Any]]:
        return rows + rows[-1:] if table == "gold" else rows

    target = new_target(kind, "new")
    with pytest.raises(InvalidFileError, match="refuses a row of the table gold"):
        restored(target, rewritten(whole / "b.tar", tmp_path / "b.tar", twice), media=whole / "media")
    assert unused(target)
    restored(target, whole / "b.tar")  # the database is empty, too


LATER = ["person_setting", "task.reserved", "identity", "session.device", "session.used_at"]
"""Tables and columns that version 0044 of the tables does not have."""


def test_an_older_backup_is_upgraded(whole: Path, tmp_path: Path, new_target: NewTarget) -> None:
    target = new_target("sqlite", "new")
    older = rewritten(whole / "b.tar", tmp_path / "b.tar", same, without=LATER, revision="0044")
    restored(target, older, media=whole / "media")
    after, before = raw(target.home / "touchstone.db"), raw(whole / "touchstone.db")
    assert after == {**before, "person_setting": [], "identity": []}


@pytest.mark.parametrize("revision", ["0099", "0042", "head"])
def test_a_backup_with_unknown_tables_is_refused(
    whole: Path, tmp_path: Path, new_target: NewTarget, revision: str
) -> None:
    target = new_target("sqlite", "new")
    other = rewritten(whole / "b.tar", tmp_path / "b.tar", same, revision=revision, touchstone="9.9")
    with pytest.raises(InvalidFileError, match=rf"Touchstone 9\.9 \(database revision {revision}\)"):
        restored(target, other, media=whole / "media")
    assert unused(target)


def test_a_newer_format_is_refused(
    whole: Path, tmp_path: Path, new_target: NewTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.tar"
    with monkeypatch.context() as patch:
        patch.setattr(backup_writer, "BACKUP_VERSION", 2)
        rewritten(whole / "b.tar", path, same)
    with pytest.raises(InvalidFileError, match=r"format version 2, .*Update Touchstone"):
        restored(new_target("sqlite", "new"), path)


# ---- places that are not empty ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["touchstone.db", "media/ab/original", "releases/p/1.0/manifest.json", STAGING])
def test_a_home_in_use_is_refused_and_stays(whole: Path, new_target: NewTarget, there: str) -> None:
    target = new_target("sqlite", "new")
    path = target.home / there
    path.parent.mkdir(parents=True)
    path.write_text("mine") if "." in there or "/" in there else path.mkdir()
    before = sorted(target.home.rglob("*"))
    with pytest.raises(ConflictError, match=str(target.home / there.partition("/")[0])):
        restored(target, whole / "b.tar")
    assert sorted(target.home.rglob("*")) == before


def test_a_sqlite_file_elsewhere_is_refused_and_stays(whole: Path, tmp_path: Path, new_target: NewTarget) -> None:
    target = replace(new_target("sqlite", "new"), database_url=f"sqlite:///{tmp_path / 'other.db'}")
    (tmp_path / "other.db").write_bytes(b"")
    with pytest.raises(ConflictError, match=r"other\.db already exists"):
        restored(target, whole / "b.tar")
    (tmp_path / "other.db").unlink()
    restored(target, whole / "b.tar")
    assert raw(tmp_path / "other.db") == raw(whole / "touchstone.db")


@pytest.mark.postgres
def test_a_postgresql_database_in_use_is_refused(whole: Path, new_target: NewTarget) -> None:
    target = new_target("postgresql", "new")
    restored(target, whole / "b.tar")
    again = replace(new_target("sqlite", "again"), database_url=target.database_url)
    with pytest.raises(ConflictError, match="already has tables"):
        restored(again, whole / "b.tar")
    assert unused(again)


# ---- media -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def opened_whole(whole: Path, tmp_path: Path) -> Iterator[tuple[Store, MediaStore]]:
    """The home with the whole project, opened as a copy."""
    shutil.copytree(whole, tmp_path / "source")
    store = open_store(None, tmp_path / "source")
    yield store, MediaStore(tmp_path / "source/media")
    store.close()


def test_media_by_reference(opened_whole: tuple[Store, MediaStore], tmp_path: Path, new_target: NewTarget) -> None:
    store, media = opened_whole
    out, target = tmp_path / "b.tar", new_target("sqlite", "new")
    done = create_backup(store, media, tmp_path / "source", out=out, with_media=False)
    assert (done.media, done.media_named) == (0, 2)
    with tarfile.open(out) as tar:
        assert not [name for name in tar.getnames() if name.startswith("media/")]
    with pytest.raises(SettingsError, match="--media FOLDER"):
        restored(target, out)
    with pytest.raises(InvalidFileError, match=r"missing or changed: 2 \("):
        restored(target, out, media=tmp_path)
    assert unused(target)
    assert restored(target, out, media=media.root).media == 2
    assert files_in(target.home / "media") == files_in(media.root)
    with pytest.raises(SettingsError, match="contains the images and clips"):
        restored(new_target("sqlite", "other"), tmp_path / "source/b.tar", media=media.root)


def test_missing_media_are_named_and_do_not_stop_a_backup(
    opened_whole: tuple[Store, MediaStore], tmp_path: Path, new_target: NewTarget
) -> None:
    store, media = opened_whole
    with store.read() as session:
        gone, left = session.connection().scalars(text("SELECT sha256 FROM media_object ORDER BY sha256")).all()
    media.remove(gone)
    done = create_backup(store, media, tmp_path / "source", out=tmp_path / "b.tar")
    assert (done.media, done.missing) == (1, (gone,))
    target = new_target("sqlite", "new")
    came = restored(target, tmp_path / "b.tar")
    assert (came.media, came.missing) == (1, (gone,))
    (fault,) = check_media(store, MediaStore(target.home / "media"), whole=True)
    assert gone[:12] in fault
    assert left in MediaStore(target.home / "media")


# ---- secrets ---------------------------------------------------------------------------------------------------------


def test_a_backup_is_for_its_owner_and_holds_no_session(whole: Path) -> None:
    assert (whole / "b.tar").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(whole / "touchstone.db")) as connection:
        (token,) = connection.execute("SELECT token_hash FROM session").fetchone()
        (password,) = connection.execute("SELECT password_hash FROM person WHERE login = 'ann'").fetchone()
    with tarfile.open(whole / "b.tar") as tar:
        parts = [tar.extractfile(member) for member in tar.getmembers() if member.name.startswith("tables/")]
        text_ = "".join(gzip.decompress(part.read()).decode() for part in parts if part)
    assert password in text_
    assert token not in text_
