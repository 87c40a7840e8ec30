"""The page that comes with a submission: both are stored together, and the submission never depends on the page."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow
from domain.errors import InvalidInputError, NotFoundError
from domain.records import Submission, SubmissionReceipt, TaskView
from domain.states import Stage
from testkit.factories import claimed, make_items, make_person, make_project, make_schema
from workflow.annotate import claims, progress
from workflow.annotate.next_page import NextPage, PageRequest, submit_and_go_on
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases


def answer(store: Store, person: Any, task: TaskView, **more: Any) -> tuple[SubmissionReceipt, NextPage | None]:
    """Submit, and ask for the page after it."""
    given: dict[str, Any] = {"given": Submission({"choice": "red"}), "wanted": PageRequest("p", Stage.VERIFICATION)}
    return submit_and_go_on(store, person=person, task=task.id, key=task.id, **(given | more))


def votes(store: Store) -> list[str]:
    with store.read() as session:
        return list(session.exec(select(AnnotationRow.submit_key)))


@pytest.fixture
def begun(store: Store) -> tuple[Any, TaskView]:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 3)
    ann = make_person(store, "ann", project="p")
    return ann, claimed(store, ann)


def test_the_next_task_comes_with_the_receipt(store: Store, begun: tuple[Any, TaskView]) -> None:
    ann, task = begun
    receipt, page = answer(store, ann, task)
    assert page is not None
    assert isinstance(page.found, TaskView)
    assert (receipt.repeated, page.found.id != task.id, page.numbers.mine_done) == (False, True, 1)
    again, same = answer(store, ann, task)
    assert same is not None
    assert isinstance(same.found, TaskView)
    assert (again.annotation, again.repeated, same.found.id) == (receipt.annotation, True, page.found.id)
    assert check(store, project="p") == []


@pytest.mark.parametrize("part", [(claims, "take_next"), (progress, "progress")])
def test_a_submission_is_stored_although_the_page_fails(
    store: Store, begun: tuple[Any, TaskView], monkeypatch: pytest.MonkeyPatch, part: tuple[Any, str]
) -> None:
    ann, task = begun

    def fails(*_: Any, **__: Any) -> None:
        raise NotFoundError("no page")

    monkeypatch.setattr(*part, fails)
    receipt, page = answer(store, ann, task)
    assert (receipt.repeated, page, votes(store)) == (False, None, [task.id])


def test_a_refused_submission_takes_no_task(store: Store, begun: tuple[Any, TaskView]) -> None:
    ann, task = begun
    with pytest.raises(InvalidInputError):
        answer(store, ann, task, given=Submission({"choice": "none of these"}))
    assert votes(store) == []
    assert claimed(store, ann).id == task.id
