"""A project whose schema change is not finished, where the extension that finishes it is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import SchemaChangeRow
from domain import extensions
from domain.errors import ConflictError
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project, make_schema, vote
from testkit.schema_versions import take_schema
from workflow.files.project_check import check
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

MISSING = (
    "The schema migration of p is not finished. The command `project migrate` belongs to the extension Schema "
    "migration, which is not installed. Restore the folder `extensions/schema_migration` of this version of "
    "Touchstone, then start Touchstone again."
)


def test_people_vote_and_a_release_names_the_missing_extension(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    take_schema(store, make_schema(raters=1, per_source=3))
    with store.write() as session:
        session.exec(select(SchemaChangeRow)).one().finished_at = None
    here: Mapping[str, extensions.Extension] = {
        name: each for name, each in extensions.installed().items() if name != "schema_migration"
    }
    monkeypatch.setattr(extensions, "installed", lambda: here)
    vote(store, make_person(store, "ann"))
    assert [str(each) for each in check(store) if "schema" in str(each)] == [MISSING]
    with pytest.raises(ConflictError) as refused:
        create(store, MediaStore(home / "media"), home, by=None, project="p", asked=ReleaseOptions())
    assert str(refused.value) == MISSING
