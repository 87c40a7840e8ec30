"""The log can be taken along, and its filters offer what has happened."""

from __future__ import annotations

import csv
import io
import json

import pytest

from db.engine import Store
from domain.roles import Role
from extensions.history import log_files
from testkit.factories import make_items, make_person, make_project, vote
from workflow.access import audit

pytestmark = pytest.mark.both_databases


def test_as_a_table_and_as_lines(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    vote(store, make_person(store, "ann"))
    found = audit.entries(store, by=None, project="p")
    rows = list(csv.DictReader(io.StringIO(log_files.as_csv(found))))
    lines = [json.loads(line) for line in log_files.as_jsonl(found).splitlines()]
    assert len(rows) == len(lines) == len(found) > 3
    assert [row["kind"] for row in rows] == [line["kind"] for line in lines] == [entry.kind for entry in found]
    assert [json.loads(row["data"]) for row in rows] == [line["data"] for line in lines]


def test_the_filters_offer_what_happened_and_who_did_it(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    vote(store, make_person(store, "ann"))
    lea = make_person(store, "lea", role=Role.LEAD)
    assert "task.submitted" in log_files.kinds(store, by=lea, project="p")
    assert "person.created" not in log_files.kinds(store, by=lea, project="p")
    assert log_files.doers(store, by=lea, project="p") == ["ann"]
