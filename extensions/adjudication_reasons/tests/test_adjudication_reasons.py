"""The page *Adjudication reasons*: items behind a reason, files, and an empty list."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.records import Person
from domain.roles import Role
from extensions.adjudication_reasons import reason_overview, settled_item
from extensions.adjudication_reasons.pages.adjudication_reasons import case_parts
from testkit.factories import make_items, make_person, make_project, vote
from tests.app.screens import drawn, words
from tests.workflow.test_guidelines import LOGINS, SECOND, contested, settle
from workflow.access import guidelines
from workflow.access.projects import project


@pytest.mark.both_databases
def test_a_reason_has_its_items_and_its_lines_in_the_file(store: Store, senior: Person) -> None:
    contested(store, 1)
    contested(store, 1, "shape")
    for _ in range(2):
        settle(store, senior, note="See the handle.")
    guidelines.publish_version(store, by=None, project="p", text=SECOND, why="So.", answers=[("wrong_key", "colour")])
    seen = settled_item.contested(store, by=None, project="p", item="colour/0", revision=1)
    assert sorted(str(each.values["choice"]) for each in seen.votes) == ["blue", "red"]
    assert (seen.decision, seen.reason, seen.note) == ("reject", "wrong_key", "See the handle.")
    shown = "".join(
        map(str, case_parts(project(store, person=make_person(store, "lea", role=Role.LEAD), project="p"), seen))
    )
    assert "The senior said: reject, Wrong key." in shown
    found = reason_overview.overview(store, by=None, project="p")
    rows = list(csv.DictReader(io.StringIO(found.file)))
    assert {(row["dimension"], row["state"], row["answered_by"]) for row in rows} == {
        ("colour", "done", "2"),
        ("shape", "open", ""),
    }
    with pytest.raises(NotFoundError):
        settled_item.contested(store, by=None, project="p", item="colour/9", revision=1)
    for person in (senior, make_person(store, "ada")):
        with pytest.raises(NotAllowedError):
            settled_item.contested(store, by=person, project="p", item="colour/0", revision=1)


def test_each_skip_has_a_line_in_the_file(store: Store, senior: Person) -> None:
    make_items(store, 2)
    for login in ("ann", "bob"):
        for _ in range(2):
            vote(store, Person(id=LOGINS[login], login=login, name=login), None)
    (line,) = reason_overview.overview(store, by=None, project="p").skipped
    rows = list(csv.DictReader(io.StringIO(reason_overview.skips_csv([line]))))
    assert Counter(row["item"] for row in rows) == Counter(line.items) == {"colour/0": 2, "colour/1": 2}


def test_an_empty_list_says_where_reasons_come_from(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    assert "Every decision names a reason" in words(drawn(store, tmp_path, "adjudication_reasons", "lea", project="p"))
