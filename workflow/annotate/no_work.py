"""Why a person has no work: the stage is closed to them, or nothing waits for them."""

from __future__ import annotations

from datetime import datetime

from annotation_schemas import registry
from annotation_schemas.stage_titles import stage_in_sentence
from db import items, postponed, task_counts
from db.engine import Session
from domain import extensions
from domain.errors import NotAvailableError
from domain.language import _, marked
from domain.records import NoTask, Person
from domain.states import UNSETTLED, Stage, TaskState
from workflow.access.projects import Access, stages_of
from workflow.annotate import image_pool, stage_kinds

WAITS_FOR_MEDIA = marked(
    "Your remaining items wait for missing images or clips. A lead can add the files. Come back later."
)

_FOR_OTHERS = marked(
    "You have no tasks in this stage now. The remaining items are for other people, for example because "
    "you wrote these items."
)
_NO_SAMPLE_YET = marked("No answers to grade yet. A lead must open the planned sample first.")
_SAMPLE_DONE = marked("All open answers in the planned sample are graded. Thank you.")


def why_closed(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None
) -> NoTask | None:
    """Return why a person cannot work in a stage at all, or None if they can."""
    title = stage_in_sentence(access.schema, stage)
    if stage not in stages_of(access.schema):
        return NoTask(
            "no_stage", _("This project has no {stage}. Open My work to see the project's stages.").format(stage=title)
        )
    if not access.may_do(stage):
        return NoTask(
            "not_member",
            _("You do not work in this stage ({stage}). Ask a lead to assign you to the stage.").format(stage=title),
        )
    if dimension is not None and dimension not in {known.id for known in access.schema.dimensions}:
        return NoTask(
            "not_your_dimension",
            _("This project has no dimension “{dimension}”. Choose another dimension.").format(dimension=dimension),
        )
    if dimension is not None and not access.may_use(dimension):
        return NoTask(
            "not_your_dimension",
            _("You do not work in the dimension “{dimension}”. Ask a lead to assign you to the dimension.").format(
                dimension=dimension
            ),
        )
    return why_unavailable(access, stage)


_complete: set[tuple[str, Stage, frozenset[str]]] = set()
"""Schemas (by hash) and stages that lack nothing, with the extensions that are there. None of this changes."""


def why_unavailable(access: Access, stage: Stage) -> NoTask | None:
    """Return what the stage needs that Touchstone lacks, such as an extension; None if nothing is missing."""
    key = access.loaded.hash, stage, frozenset(extensions.installed())
    if key in _complete:
        return None
    try:
        registry.require_available(access.schema, stage.value)
        stage_kinds.of(stage)
    except NotAvailableError as error:
        return NoTask("not_available", str(error))
    _complete.add(key)
    return None


def why_no_task(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> NoTask:
    """Return why nothing waits for a person who may work in a stage."""
    mine = access.dimensions if dimension is None else (dimension,)
    if stage is Stage.AUTHORING:
        if image_pool.count(session, access=access, dimensions=mine):
            return NoTask("pick_first", _("Pick an image from the pool, and write an item about the image."))
        return NoTask("pool_empty", _("The pool has no free image for you. A lead can add images."))
    if postponed.count(session, person_id=person.id, project_id=access.project_id, stage=stage):
        return NoTask("postponed", _("Only your postponed items are left. Open the items from My work."))
    everywhere = [known.id for known in access.schema.dimensions]

    def dimensions_in(*states: TaskState) -> set[str]:
        return task_counts.dimensions_in(
            session, project_id=access.project_id, stage=stage, dimensions=everywhere, states=states
        )

    unfinished = dimensions_in(TaskState.OPEN, TaskState.CLAIMED)
    within = unfinished if mine is None else unfinished & set(mine)
    if within and task_counts.any_waits_for_media(
        session, project_id=access.project_id, stage=stage, person_id=person.id, dimensions=mine
    ):
        return NoTask("waiting_for_media", _(WAITS_FOR_MEDIA))
    if within:
        done = task_counts.count_done(session, project_id=access.project_id, stage=stage, person_id=person.id)
        if not any(done.get(name) for name in mine or everywhere):
            return NoTask("waiting_for_others", _(_FOR_OTHERS))
        return NoTask(
            "waiting_for_others",
            _("You have finished your tasks. The remaining items wait for other people. Come back later."),
        )
    if unfinished and dimension is not None:
        return NoTask("all_done", _("This dimension has no more work for you. Choose another dimension."))
    if unfinished:
        return NoTask(
            "not_your_dimension",
            _(
                "Your dimensions have no more work, but other dimensions do. Ask a lead to assign you to "
                "another dimension."
            ),
        )
    if stage is Stage.ADJUDICATION and items.any_in(session, project_id=access.project_id, states=UNSETTLED):
        return NoTask("waiting_for_others", _("No items to settle now. Some items are still waiting for votes."))
    grading = access.schema.stages.grading
    planned = stage is Stage.GRADING and grading is not None and grading.sample is not None
    if dimensions_in(TaskState.DONE, TaskState.WITHDRAWN):
        return NoTask("all_done", _(_SAMPLE_DONE) if planned else _("All done here. Thank you."))
    return NoTask("all_done", _(_NO_SAMPLE_YET) if planned else _(stage_kinds.of(stage).nothing_yet))
