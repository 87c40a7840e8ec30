"""Pages of leads ask as many statements for three contested items as for nine, or fewer: nothing one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event

from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project
from workflow.access import audit
from workflow.annotate import project_progress, submissions
from workflow.lead import people_at_work

Look = Callable[..., Any]
"""Reads figures of a project, as a page for leads does: ``look(store, person=lead, project="p")``."""


def statements_for(store: Store, clock: Clock, *looks: Look) -> list[list[int]]:
    """Return the number of statements of each look at three contested items, and at nine."""
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    voters = make_people(store, "ann", "ben", stages=[Stage.VERIFICATION])
    sue = make_person(store, "sue", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    asked = []
    for n in (3, 6):
        make_items(store, n)
        for person, choice in zip(voters, ("red", "blue"), strict=True):
            for _ in range(n):
                _submit(store, clock, person, Stage.VERIFICATION, choice=choice)
        for _ in range(n - 1):
            _submit(store, clock, sue, Stage.ADJUDICATION, decision="accept", cause="wrong_key")
        asked.append([_count(store, look, lea) for look in looks])
    return asked


def _submit(store: Store, clock: Clock, person: Any, stage: Stage, **values: str) -> None:
    view = claimed(store, person, stage)
    clock.advance(minutes=10)
    submissions.submit(store, person=person, task=view.id, key=view.id, values=values, seconds=5)


def _count(store: Store, look: Look, lead: Any) -> int:
    statements: list[str] = []

    def note(c: Any, cursor: Any, statement: str, *rest: Any) -> None:
        statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    look(store, person=lead, project="p")
    event.remove(store.engine, "before_cursor_execute", note)
    return len(statements)


@pytest.mark.thorough
def test_pages_of_leads_ask_no_more_of_the_database_if_there_is_more(store: Store) -> None:
    store.clock = clock = Clock()
    few, many = statements_for(
        store,
        clock,
        project_progress.dashboard,
        lambda store, person, project: people_at_work.at_work(store, by=person, project=project),
        lambda store, person, project: audit.entries(store, by=person, project=project, limit=200),
    )
    assert all(more <= less for less, more in zip(few, many, strict=True)), (few, many)
