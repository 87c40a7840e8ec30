"""Statements without SQLAlchemy: they find and change what the tables hold, in every process."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import items, prepared, task_claims, tasks
from db.engine import Store, open_store
from db.tables import AssetRow, ItemAssetRow, TaskRow
from domain.states import Stage, TaskState
from testkit.factories import make_items, make_person, make_project

pytestmark = pytest.mark.both_databases


def test_a_record_has_what_the_row_has(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    with store.read() as session:
        row = session.exec(select(TaskRow).order_by(TaskRow.id)).first()  # type: ignore[arg-type]
        assert row is not None
        found = tasks.by_public_id(session, public_id=row.public_id)
        assert found is not None
        assert {name: getattr(found, name) for name in row.model_dump()} == row.model_dump()
        assert (type(found.stage), found.created_at.tzinfo is None) == (Stage, False)
        assert tasks.by_public_id(session, public_id="none") is None


def test_a_part_that_an_outer_join_does_not_find_is_none(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store, 1)
    with store.write() as session:
        asset = AssetRow(project_id=1, name="a.png", kind="image", created_at=store.now())
        session.add(asset)
        session.flush()
        session.add(ItemAssetRow(item_id=item, asset_id=asset.id, role="image", position=0))
    with store.read() as session:
        ((link, found, file),) = items.assets(session, item_id=item)
    assert (link.role, found.name, file) == ("image", "a.png", None)


def test_a_change_is_in_the_table_the_record_and_the_session_and_other_processes_see_it(
    store: Store, store_url: str, home: Path
) -> None:
    make_project(store)
    make_items(store, 1)
    ann = make_person(store, "ann", project="p")
    other = open_store(store_url, home)
    with store.write() as session:
        loaded = session.exec(select(TaskRow).where(TaskRow.state == TaskState.OPEN)).first()
        assert loaded is not None
        record = tasks.lock(session, public_id=loaded.public_id)
        assert record is not None
        task_claims.claim(session, row=record, person_id=ann.id, now=store.now())
        assert record.state is loaded.state is TaskState.CLAIMED
        assert not session.dirty
    with other.write() as session:
        there = tasks.lock(session, public_id=record.public_id)
        assert there is not None
        assert (there.person_id, there.lease_until) == (ann.id, record.lease_until)
        task_claims.finish(session, row=there)
    with store.read() as session:  # the same prepared statement as before
        now = tasks.by_public_id(session, public_id=record.public_id)
        assert now is not None
        assert (now.state, now.lease_until) == (TaskState.DONE, None)
    other.close()


def test_a_constant_list_is_part_of_the_statement(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    wanted = select(TaskRow.id).where(TaskRow.state.in_((TaskState.OPEN, TaskState.DONE)))  # type: ignore[attr-defined]
    with store.read() as session:
        assert prepared.rows(session, wanted, {}) == list(session.exec(wanted))
