"""A project as a whole: renamed, archived and taken back, and what stands in the way."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from domain.roles import Role
from domain.states import Stage
from testkit.factories import claimed, make_items, make_person, make_project, vote
from workflow.access import audit, project_care, projects
from workflow.annotate import claims, drafts, progress, submissions

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]


def test_an_archived_project_is_read_and_nothing_in_it_changes(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    bob = make_person(store, "bob")
    held = claimed(store, ann)
    with pytest.raises(NotAllowedError, match="Only a lead"):
        project_care.archive(store, by=ann, project="p")
    assert project_care.archive(store, by=lea, project="p")
    assert not project_care.archive(store, by=lea, project="p")

    told = "A blind test is archived. You can read and export everything, but you cannot change anything."
    for press in (
        lambda: submissions.submit(store, person=ann, task=held.id, key="k", values={"choice": "red"}),
        lambda: drafts.save_draft(store, person=ann, task=held.id, seq=1, values={"choice": "red"}),
        lambda: claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION),
        lambda: claims.release(store, person=ann, task=held.id),
    ):
        with pytest.raises(ConflictError, match=told):
            press()
    assert progress.my_work(store, person=ann) == []
    (view,) = projects.projects_of(store, person=ann)
    assert view.archived
    project_care.rename(store, by=lea, project="p", title=' <b>Öl & "x"</b> 🎨 ')
    assert projects.project(store, person=lea, project="p").title == '<b>Öl & "x"</b> 🎨'
    for bad in (" ", "x" * 201):
        with pytest.raises(InvalidInputError):
            project_care.rename(store, by=lea, project="p", title=bad)

    assert project_care.unarchive(store, by=lea, project="p")
    assert not project_care.unarchive(store, by=lea, project="p")
    vote(store, ann)  # what was in hand all along
    kinds = [line.kind for line in audit.entries(store, by=lea, project="p", kinds=("project.",))]
    assert kinds[:3] == ["project.unarchived", "project.renamed", "project.archived"]


def test_others_neither_rename_nor_archive(store: Store) -> None:
    make_project(store)
    other = make_person(store, "zoe", project=None)
    for of_other in (
        lambda: project_care.rename(store, by=other, project="p", title="Mine"),
        lambda: project_care.archive(store, by=other, project="p"),
    ):
        with pytest.raises(NotFoundError):
            of_other()
