"""A PostgreSQL server of the test session's own: made in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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

    def __init__(self, folder: Path, run: Sequence[str], programs: Path) -> None:
        self.folder, self._run, self._programs = folder, list(run), programs
        self._count = 0

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

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

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


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Make a server, start it, and take all of it away at the end.

    PostgreSQL refuses to run as root; root therefore runs it as the user ``postgres``, who must be able to enter the
    folder. Durability is switched off: nothing here outlives the session.
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
    server = Cluster(folder, run, programs)
    data = str(folder / "data")
    try:
        options = ["--no-sync", "--auth=trust", f"--username={SUPERUSER}", "--encoding=UTF8", "--locale=C"]
        server.command("initdb", f"--pgdata={data}", *options)
        settings = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200"
        arguments = f"-k {folder} -c listen_addresses='' {settings}"
        server.command(
            "pg_ctl", "start", "--wait", f"--pgdata={data}", f"--log={folder / 'log'}", f"--options={arguments}"
        )
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.command("pg_ctl", "stop", "--mode=immediate", f"--pgdata={data}")
        shutil.rmtree(folder, ignore_errors=True)
