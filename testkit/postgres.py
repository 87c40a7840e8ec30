"""A PostgreSQL server of the test session's own: made in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

if TYPE_CHECKING:
    from psycopg import Connection as AnyConnection

    Connection = AnyConnection[Any]

SUPERUSER = "touchstone"


def binaries() -> Path | None:
    """The newest folder with ``initdb`` in it: on the path, or where Debian keeps it; None if there is none."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if debian:
        return debian[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class Cluster:
    """A running server. It listens on a socket in its own folder and on no port, so that nothing can collide."""

    def __init__(self, folder: Path, run: Sequence[str], programs: Path, *, lasting: bool = False) -> None:
        self.folder, self._run, self._programs = folder, list(run), programs
        self._lasting = lasting
        self._count = 0
        self._free: dict[str, list[str]] = {}
        """By template, the databases that are empty and no one's."""
        self._shapes: dict[str, str] = {}

    def url(self, database: str) -> str:
        """The database's address, as ``TOUCHSTONE_DATABASE_URL`` takes it."""
        return f"postgresql+psycopg://{SUPERUSER}@/{database}?host={self.folder}"

    def sql(self, statement: str) -> None:
        """Run one statement outside of any transaction."""
        import psycopg

        with psycopg.connect(host=str(self.folder), user=SUPERUSER, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    def create(self, *, template: str | None = None) -> str:
        """Make a database of its own (a copy of ``template``) and return its name."""
        self._count += 1
        name = f"test_{self._count}"
        copy = f" TEMPLATE {template} STRATEGY file_copy" if template else ""
        self.sql(f"CREATE DATABASE {name}{copy}")
        return name

    def lend(self, template: str) -> str:
        """The name of a database that is as ``template`` is: one that was given back and emptied, or else a copy."""
        free = self._free.setdefault(template, [])
        return free.pop() if free else self.create(template=template)

    def give_back(self, name: str, template: str) -> None:
        """Empty a database for the next one to borrow, which takes a tenth of what a new copy takes.

        It is dropped instead if someone is still connected, if its tables are no longer those of ``template``, or if
        it has become large.
        """
        import psycopg

        with psycopg.connect(host=str(self.folder), user=SUPERUSER, dbname=name, autocommit=True) as connection:
            reusable = _left_alone(connection) and _shape(connection) == self._shape_of(template)
            if reusable:
                _empty(connection)
        if reusable:
            self._free[template].append(name)
        else:
            self.drop(name)

    def _shape_of(self, template: str) -> str:
        import psycopg

        if template not in self._shapes:
            with psycopg.connect(host=str(self.folder), user=SUPERUSER, dbname=template) as connection:
                self._shapes[template] = _shape(connection)
        return self._shapes[template]

    def drop(self, name: str) -> None:
        """Remove a database, no matter who is still connected to it."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        quick = "" if self._lasting else "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        arguments = f"-k {self.folder} -c listen_addresses='' -c max_connections=200 {quick}"
        self.command("pg_ctl", "start", "--wait", self._data, f"--log={self.folder / 'log'}", f"--options={arguments}")

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server, no matter who is connected. After ``fast``, ``start`` begins where it stood."""
        self.command("pg_ctl", "stop", f"--mode={mode}", self._data)

    @property
    def _data(self) -> str:
        return f"--pgdata={self.folder / 'data'}"

    def command(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the user who owns the folder."""
        done = subprocess.run(
            [*self._run, str(self._programs / program), *arguments],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            log = self.folder / "log"
            tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            raise RuntimeError(f"{program} failed: {done.stderr}\n{tail}")


def _left_alone(connection: Connection) -> bool:
    """Whether no one else is connected. Anyone who has just hung up is waited for."""
    others = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    for _ in range(50):
        if _one(connection, others) == 0:
            return True
        time.sleep(0.01)
    return False


def _shape(connection: Connection) -> str:
    """Everything that emptying tables leaves as it is, the version of the tables included, and whether the whole is
    still small."""
    versioned = _one(connection, "SELECT to_regclass('public.alembic_version')") is not None
    version = _one(connection, "SELECT version_num FROM alembic_version") if versioned else None
    return f"{_one(connection, _SHAPE)} {version}"


_SHAPE = """
WITH part (said) AS (
    SELECT concat_ws(' ', 'relation', relname, relkind, relhastriggers) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'column', attrelid::regclass, attname, atttypid, attnotnull, atthasdef)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND relkind = 'r'
    UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger
    WHERE NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'function', proname, md5(prosrc)) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
)
SELECT md5(string_agg(said, E'\n' ORDER BY said)) || (pg_database_size(current_database()) > 20000000)::text FROM part
"""


def _empty(connection: Connection) -> None:
    """Take out all rows but the version of the tables, whatever triggers say, and count from 1 again."""
    wanted = (
        "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')"
    )
    kept = "alembic_version"
    statements = [
        f'DELETE FROM "{name}"' if kind == "r" else f"SELECT setval('\"{name}\"', 1, false)"
        for name, kind in connection.execute(wanted).fetchall()
        if name != kept
    ]
    connection.execute("; ".join(["SET session_replication_role = replica", *statements]).encode())


def _one(connection: Connection, statement: LiteralString) -> object:
    found = connection.execute(statement).fetchone()
    return found[0] if found else None


@contextmanager
def cluster(*, lasting: bool = False) -> Iterator[Cluster]:
    """Make a server, start it, and take all of it away at the end.

    PostgreSQL refuses to run as root; root therefore runs it as the user ``postgres``, who must be able to enter the
    folder. Durability is switched off, as nothing here outlives the session; a ``lasting`` one waits for the disk, as
    a server does where people work.
    """
    programs = binaries()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed: install the package postgresql (make test does it as root).")
    folder = Path(tempfile.mkdtemp(prefix="touchstone-pg-"))
    run: list[str] = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        run = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    server = Cluster(folder, run, programs, lasting=lasting)
    try:
        options = ["--no-sync", "--auth=trust", f"--username={SUPERUSER}", "--encoding=UTF8", "--locale=C"]
        server.command("initdb", server._data, *options)
        server.start()
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
