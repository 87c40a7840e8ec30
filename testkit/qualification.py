"""Qualification for tests that do not need the extension: sets, tries and reviews as its functions store them.

A stage with a qualification is closed without the extension. So these tests still need the schema key.
"""

from __future__ import annotations

from db import comment_threads, files, items, qualifications, task_slots
from db.engine import Store
from db.tables import QualificationReviewRow, QualificationSetRow
from domain.qualification import Standing
from domain.records import Person
from domain.states import Purpose, Stage
from testkit.missing_extensions import needs
from workflow.access.projects import access_to

needs_qualification = needs("schema_keys", "stages.*.qualification")


def make_set(
    store: Store,
    *,
    project: str = "p",
    stage: Stage = Stage.VERIFICATION,
    n: int = 1,
    requalify: bool = False,
) -> None:
    """Make a set of the first ``n`` items, or in grading of models' answers."""
    with store.write() as session:
        access = access_to(session, person=None, project=project)
        project_id = access.project_id
        if stage is Stage.GRADING:
            answers = files.predictions(session, project_id=project_id)[:n]
            ids, predictions = [row.item_id for row in answers], [row.id for row in answers]
        else:
            ids, predictions = [row.id for row in items.of_project(session, project_id=project_id)[:n]], None
        made = QualificationSetRow(
            project_id=project_id,
            stage=stage.value,
            number=len(qualifications.sets(session, project_id=project_id, stage=stage)) + 1,
            item_ids=ids,
            prediction_ids=predictions,
            requalify=requalify,
            guideline_hash=access.loaded.guideline_hash,
            seed=0,
            created_at=store.now(),
        )
        session.add(made)


def begin_try(store: Store, person: Person, *, project: str = "p", stage: Stage = Stage.VERIFICATION) -> int:
    """Begin a person's try on the newest set and return its id."""
    with store.write() as session:
        access, now = access_to(session, person=None, project=project), store.now()
        newest = qualifications.sets(session, project_id=access.project_id, stage=stage)[-1]
        row = qualifications.add_try(
            session, project_id=access.project_id, stage=stage, person_id=person.id, set_id=newest.id, now=now
        )
        found = items.by_ids(session, ids=newest.item_ids)
        slots = []
        for place, item_id in enumerate(newest.item_ids):
            prediction_id = newest.prediction_ids[place] if newest.prediction_ids else None
            slot = task_slots.Slot(
                project_id=access.project_id,
                stage=stage,
                purpose=Purpose.QUALIFICATION,
                unit=f"{Purpose.QUALIFICATION.value}/{row.id}/{prediction_id or item_id}",
                slot=place,
                item_id=item_id,
                revision=None if prediction_id else found[item_id].current_revision,
                prediction_id=prediction_id,
                dimension=found[item_id].dimension,
                person_id=person.id,
                shuffle=place,
                at=now,
            )
            slots.append(slot)
        task_slots.open_slots(session, slots=slots)
        for item_id in newest.item_ids if not newest.prediction_ids else ():  # no one votes on an item of their set
            comment_threads.note_insight(session, item_id=item_id, person_id=person.id, now=now)
        return row.id


def review_try(store: Store, id: int, *, by: Person, state: Standing, n_right: int = 0) -> None:
    """Store a senior's review of a try, with the state of the try after it."""
    with store.write() as session:
        review = QualificationReviewRow(
            qualification_id=id,
            person_id=by.id,
            signs=state is not Standing.SENT_BACK,
            comments={},
            state=state.value,
            n_right=n_right,
            reference_ids=[],
            created_at=store.now(),
        )
        session.add(review)
