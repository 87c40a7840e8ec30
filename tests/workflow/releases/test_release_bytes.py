"""The same state makes the same bytes: in any time zone, under any hash seed, on SQLite and on PostgreSQL."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text

from db.engine import Store, open_store
from db.tables import metadata
from domain.states import Stage
from media.store import MediaStore
from testkit import postgres
from testkit.factories import claimed, make_person, make_predictions, make_schema
from testkit.serving import environment
from tests.paths import ROOT
from tests.workflow.releases.pictured import One, names, pictured
from workflow.annotate import submissions
from workflow.releases import settings
from workflow.releases.evidence import names_in
from workflow.releases.format_choice import releasable

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.postgres]

SAID = {
    each.name: {"license": "CC-BY-4.0", "synthetic": "no", "url": "https://example.org/set"}.get(each.name, "Said.")
    for each in settings.SAYINGS
}


def build(store: Store, media: MediaStore) -> None:
    """Eight items with pictures, of three videos and alone; two voters and two graders; everything is said."""
    items = [One(f"q{at}", source=f"v{at}" if at < 3 else None, picture=40 + at) for at in range(8)]
    pictured(store, media, items)
    make_predictions(store, sorted(names(store)), models=["m", "n"])
    for login, scores in (("cat", (0, 0.5, 1)), ("dan", (1, 0.5, 0.5))):
        person = make_person(store, login)
        for at in range(12):
            view = claimed(store, person, stage=Stage.GRADING)
            values = {"score": scores[at % 3]}
            submissions.submit(store, person=person, task=view.id, key=f"{login}{at}", values=values)
    settings.say(store, by=None, project="p", said=SAID)
    names_in(store, project="p", release="p/1")  # draws the keys of pseudonyms, which are of this state


def copied(store: Store, url: str, home: Path) -> None:
    """The same rows, with their ids, in another database with the same tables."""
    other = open_store(url, home)
    try:
        with store.read() as given, other.engine.begin() as to:
            for table in metadata.sorted_tables:
                rows = [dict(row) for row in given.connection().execute(select(table)).mappings()]
                if rows:
                    to.execute(insert(table), rows)
                if "id" in table.c:
                    last = f"(SELECT coalesce(max(id), 0) + 1 FROM {table.name})"
                    to.execute(text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {last}, false)"))
    finally:
        other.close()


def made(home: Path, formats: str, out: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Every file of a release that a process of its own has made, with its hash."""
    command = [sys.executable, "-m", "app", "release", "create", "p", "--out", str(out), "--formats", formats]
    command += ["--split", "train=4", "--split", "test=4", "--private", "test", "--media", "--despite", "items"]
    done = subprocess.run(command, env=environment(home, **env), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(out.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.parent.rglob("*"))
        if path.is_file()
    }


def test_zone_hash_seed_and_database_make_no_difference(
    store: Store, home: Path, tmp_path: Path, postgres_cluster: postgres.Cluster, postgres_template: str
) -> None:
    build(store, MediaStore(home / "media"))
    schema = make_schema(adjudication=False).schema_
    formats = [name for name, row in releasable(schema).items() if row.carries(schema) is None]
    assert len(formats) > 8, formats
    lent = postgres_cluster.lend(postgres_template)
    url = postgres_cluster.url(lent)
    copied(store, url, home)
    store.close()
    found = {}
    for name, env in {
        "east": {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1"},
        "west": {"TZ": "America/St_Johns", "PYTHONHASHSEED": "4242", "LC_ALL": "C"},
        "elsewhere": {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7", "TOUCHSTONE_DATABASE_URL": url},
    }.items():
        at = tmp_path / name
        shutil.copytree(home, at / "home")
        (at / "out").mkdir()
        found[name] = made(at / "home", ",".join(formats), at / "out/release", env)
    east, west, elsewhere = found.values()
    assert len(east) > 40
    assert {path for path in {**east, **west} if east.get(path) != west.get(path)} == set()
    assert {path for path in {**east, **elsewhere} if east.get(path) != elsewhere.get(path)} == set()
    postgres_cluster.give_back(lent, postgres_template)
