"""What other people answered to an item, shown to its raters after it is settled, where the schema allows it."""

from __future__ import annotations

from collections.abc import Sequence

from db import comment_threads, events, items, tasks
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredTask
from domain.language import _, marked
from domain.records import Person, VoteView
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage, TaskState
from workflow.access.event_log import log
from workflow.access.projects import Access
from workflow.access.visibility import has_looked, may_be_asked
from workflow.annotate import stage_kinds

NOT_YET = marked(
    "You will see other people's answers on this page after the item is settled and your answer is final. You must "
    "also have no other open task about the item."
)
NO_OTHERS = marked("There are no other answers.")


def are_shown(access: Access, stage: Stage) -> bool:
    """Return whether the schema shows raters of a stage what others answered, once it is settled."""
    return getattr(getattr(access.schema.stages, stage.value, None), "show_others", None) == "settled"


def look_at_others(
    session: Session, *, access: Access, row: StoredTask, said: StoredAnnotation, person: Person, store: Store
) -> Sequence[VoteView] | None:
    """Return what others answered to the task of a person's submission, or None while the person must not see it.

    They must not see it before the item is settled, or while they may be asked blind about the item or about an answer
    to it. Names and notes are left out. A person who looks can no longer edit the submission, and gets no further blind
    task of any stage about the item or about answers to it, also after a change of the schema.
    """
    now = store.now()
    kind = stage_kinds.of(row.stage)
    if row.purpose is not Purpose.LIVE or not _is_settled(session, row, said):
        return None
    if kind.why_fixed(session, access, row, now) is None and row.stage in VERIFICATIONS:
        return None
    item = items.by_id(session, id=said.item_id)
    if may_be_asked(session, access=access, person=person, item=item):
        return None
    slots = tasks.of_item(session, item_id=said.item_id, stage=row.stage)
    alike = {slot.id for slot in slots if slot.unit == row.unit}
    current = items.latest_by_stage(session, item_id=said.item_id, revision=said.revision, stages=[row.stage])
    others = [each for each in current[row.stage] if each.person_id != person.id and each.task_id in alike]
    if others and not has_looked(session, said=said):
        log(session, events.LOOKED, by=person, project=access, item=item, now=now)
        comment_threads.note_insight(session, item_id=item.id, person_id=person.id, now=now)
    ordered = sorted(others, key=lambda each: each.public_id)  # says nothing of who was first
    return [
        VoteView(
            label=_("Rater {number}").format(number=number),
            values=kind.as_seen_by(access=access, said=each, by=said) or each.answers,
            reasons=each.reasons,
            note="",
        )
        for number, each in enumerate(ordered, 1)
    ]


def _is_settled(session: Session, row: StoredTask, said: StoredAnnotation) -> bool:
    """Return whether nobody is asked any more: the verdict stands, or all answers are graded, or all pairs compared."""
    item = items.by_id(session, id=said.item_id)
    if row.correcting or item.current_revision != said.revision:
        return False
    if row.stage in VERIFICATIONS:
        return item.state in (ItemState.KEPT, ItemState.REJECTED)
    slots = tasks.of_item(session, item_id=said.item_id, stage=row.stage)
    asked = [slot for slot in slots if slot.purpose is Purpose.LIVE and slot.state is not TaskState.WITHDRAWN]
    return all(slot.state is TaskState.DONE and not slot.correcting for slot in asked)
