"""What undo has reopened is not done, in every stage that lets one take an answer back; sent again it is done once."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow, DraftRow
from domain.errors import ConflictError
from domain.records import Correction, Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import (
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_predictions,
    make_project,
    vote,
)
from workflow.annotate import claims, drafts, image_pool, submissions
from workflow.annotate.progress import progress

ANSWERS = {
    Stage.AUTHORING: make_fields(7),
    Stage.VERIFICATION: {"choice": "red"},
    Stage.GRADING: {"score": 0.5},
}


def task_in(store: Store, person: Person, stage: Stage) -> str:
    if stage is Stage.AUTHORING:
        (image,) = make_pool(store, 1, source="film")
        return image_pool.pick(store, person=person, project="p", dimension="colour", assets=[image]).id
    made = make_items(store, 1)
    if stage is Stage.GRADING:
        make_predictions(store, made, models=["m"])
    return claimed(store, person, stage).id


@pytest.mark.parametrize("stage", ANSWERS)
def test_a_reopened_answer_is_not_done(store: Store, stage: Stage) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    task = task_in(store, ann, stage)

    def done() -> int:
        return progress(store, person=ann, project="p", stage=stage, fresh=True).mine_done

    assert done() == 0
    submissions.submit(store, person=ann, task=task, key="1", values=ANSWERS[stage])
    assert done() == 1
    again = submissions.undo(store, person=ann, project="p", stage=stage)
    assert again.id == task
    assert again.draft is not None
    assert again.draft.values["values"] == ANSWERS[stage]
    assert done() == 0
    submissions.submit(store, person=ann, task=task, key="2", values=ANSWERS[stage])
    assert done() == 1


@pytest.mark.parametrize("stage", ANSWERS)
def test_an_edit_that_is_left_changes_nothing(store: Store, stage: Stage) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    task = task_in(store, ann, stage)
    submissions.submit(store, person=ann, task=task, key="1", values=ANSWERS[stage])

    def stored() -> tuple[object, ...]:
        with store.read() as session:
            drafts = session.exec(select(DraftRow)).all()
            said = [(row.public_id, row.supersedes_id, row.answers) for row in session.exec(select(AnnotationRow))]
        return drafts, said, progress(store, person=ann, project="p", stage=stage, fresh=True)

    before = stored()
    assert before[0] == []
    opened = submissions.undo(store, person=ann, project="p", stage=stage)
    assert opened.correction == Correction(changed=False)
    drafts.save_draft(store, person=ann, task=task, seq=9, values={"values": {}, "note": "typed"})
    assert submissions.undo(store, person=ann, project="p", stage=stage).correction == Correction(changed=True)
    for _ in range(2):  # also a double press
        claims.release(store, person=ann, task=task)
        assert stored() == before
    drafts.save_draft(store, person=ann, task=task, seq=10, values={"note": "late"})
    assert stored() == before


def test_a_decision_stands(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR)
    vote(store, ann, "red")
    vote(store, ben, "blue")
    view = claimed(store, sam, Stage.ADJUDICATION)
    decision = {"decision": "accept", "cause": "wrong_key"}
    submissions.submit(store, person=sam, task=view.id, key="1", values=decision)
    with pytest.raises(ConflictError, match="settles the item"):
        submissions.undo(store, person=sam, project="p", stage=Stage.ADJUDICATION)
