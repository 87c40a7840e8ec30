"""What an annotator's page asks of the database goes through an index, so its cost does not grow with the items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text

from db import events, files, item_list
from db.engine import Store
from domain.states import Stage
from testkit.factories import (
    claimed,
    make_fields,
    make_items,
    make_person,
    make_pool,
    make_predictions,
    make_project,
    vote,
)
from workflow.access import projects
from workflow.annotate import claims, drafts, image_pool, submissions
from workflow.annotate.progress import MANY, progress
from workflow.lead import people_at_work
from workflow.results import leaderboard_page

pytestmark = pytest.mark.both_databases

LARGE = ("item", "task", "annotation", "revision", "event", "draft", "asset", "prediction", "item_asset", "pick")
"""Tables that grow with the work."""

SCAN = re.compile(rf"\b(SCAN|Seq Scan on) ({'|'.join(LARGE)})\b")


def a_days_work(store: Store) -> None:
    """Everything that working pages do, once."""
    make_project(store)
    item_ids = make_items(store, 40)
    make_predictions(store, item_ids[:5], models=["m"])
    make_pool(store, 20, source="video")
    ann = make_person(store, "ann", dimensions=["colour"])
    view = claimed(store, ann)
    drafts.save_draft(store, person=ann, task=view.id, seq=1, values={})
    claims.heartbeat(store, person=ann, task=view.id)
    submissions.submit(store, person=ann, task=view.id, key=view.id, values={"choice": "red"})
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    claims.release(store, person=ann, task=view.id)
    claims.peek(store, person=ann, project="p", stage=Stage.VERIFICATION)
    progress(store, person=ann, project="p", stage=Stage.VERIFICATION)
    graded = claimed(store, ann, Stage.GRADING)
    submissions.submit(store, person=ann, task=graded.id, key=graded.id, values={"score": 1})
    page = image_pool.pool(store, person=ann, project="p", dimension="colour")
    begun = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[page.assets[0].id])
    submissions.submit(store, person=ann, task=begun.id, key=begun.id, values=make_fields())


def test_no_question_of_a_working_page_scans_a_table(store: Store) -> None:
    asked: dict[str, Any] = {}

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "UPDATE")):
            asked.setdefault(statement, parameters)

    event.listen(store.engine, "before_cursor_execute", note)
    a_days_work(store)
    event.remove(store.engine, "before_cursor_execute", note)
    assert len(asked) > 20
    with store.engine.connect() as connection:
        if not store.is_sqlite:
            connection.execute(text("SET enable_seqscan = off"))
        for statement, parameters in asked.items():
            explain = "EXPLAIN QUERY PLAN " if store.is_sqlite else "EXPLAIN "
            lines = [str(row[-1]) for row in connection.exec_driver_sql(explain + statement, parameters)]
            assert not [line for line in lines if SCAN.search(line)], (statement, lines)


WHOLE_PROJECT = re.compile(rf"\bSEARCH ({'|'.join(LARGE)})\S* USING INDEX \S+ \(project_id=\?( AND stage=\?)?\)")
"""Each row of a project, or of a stage of it, is looked up in its table."""


@contextmanager
def statements_asked(store: Store) -> Iterator[dict[str, Any]]:
    """Note the statements that a database is asked, each with its parameters."""
    asked: dict[str, Any] = {}

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not statement.startswith("SELECT max(event.id)"):  # looked for from the end
            asked.setdefault(statement, parameters)

    event.listen(store.engine, "before_cursor_execute", note)
    yield asked
    event.remove(store.engine, "before_cursor_execute", note)


def assert_no_scans(store: Store, asked: Mapping[str, Any]) -> None:
    """Fail if a statement reads a large table, or all rows of a project in one."""
    with store.engine.connect() as connection:
        for statement, parameters in asked.items():
            lines = [str(row[-1]) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN " + statement, parameters)]
            lines = [
                line for line in lines if not line.startswith("SCAN draft ")
            ]  # it is drafts that are counted there
            assert not [line for line in lines if SCAN.search(line) or WHOLE_PROJECT.search(line)], (statement, lines)


@pytest.mark.one_database
def test_pages_of_leads_look_up_no_row_of_the_work_that_they_do_not_show(store: Store) -> None:
    make_project(store)
    item_ids = make_items(store, 4)
    vote(store, make_person(store, "ann"))
    with statements_asked(store) as asked:
        people_at_work.at_work(store, by=None, project="p")
        people_at_work.work_mark(store, by=None, project="p")
        assert not leaderboard_page.any_model(store, person=None, project="p")
        with store.read() as session:
            assert events.public_board(session, project="p") is None
            project = projects.access_to(session, person=None, project="p").project_id
            facts = item_list.facts(session, project_id=project, ids=item_ids)
            assert sorted(each.votes for each in facts.values()) == [0, 0, 0, 1]
            assert files.voters(session, project_id=project, stage=Stage.VERIFICATION) == {"ann"}
            assert not events.of_kinds(session, project_id=project, kinds=events.VIEWS)
    assert_no_scans(store, asked)


@pytest.mark.one_database
def test_a_long_queue_is_counted_now_and_then_and_what_i_did_is_taken_off(store: Store) -> None:
    make_project(store)
    make_items(store, MANY + 10)
    ann = make_person(store, "ann")

    def line() -> tuple[int, int]:
        now = progress(store, person=ann, project="p", stage=Stage.VERIFICATION)
        return now.mine_done, now.mine_left

    for done in range(4):
        assert line() == (done, MANY + 10 - done)
        view = claimed(store, ann)
        submissions.submit(store, person=ann, task=view.id, key=view.id, values={"choice": "red"})
    statements = []
    event.listen(store.engine, "before_cursor_execute", lambda c, cursor, statement, *_: statements.append(statement))
    assert line() == (4, MANY + 6)
    assert not any("count(distinct" in statement.lower() for statement in statements)
