"""Gold checks among the claims of a stage: when one is due, who is stopped, and who is warned.

A gold check is a task of the purpose ``gold`` for one person, made when it is due. It has the drafts, undo, leases
and pages of live work, but never counts as a vote or a grade. When it is due depends only on the project's seed,
the person, and their number of tasks so far. So queue lengths and pages loaded early agree, whichever task is next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas.model import Gold
from annotation_schemas.stage_titles import stage_in_sentence
from db import task_counts, task_slots
from db.engine import Session, Store
from db.records import StoredTask
from domain.language import _
from domain.records import NoTask, Person, ProjectView
from domain.states import Stage
from extensions.gold import queries, scores
from extensions.gold.check_rules import GoldStanding, is_turn, to_come
from extensions.gold.checks import STAGES, policy, standing_of
from workflow.access.projects import Access, access_to
from workflow.annotate.claim_rules import STOPPED, AssignTask

LAG = 10
"""Warnings ignore this number of most recent submissions.

An immediate warning would reveal which items were gold checks.
"""


def due(
    session: Session, *, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> AssignTask | None:
    """Return what assigns the gold check that is due as a person's next task, or None if live work comes next."""
    asked = _asked(session, access, stage)
    if asked is None or not is_turn(_had(session, access, person, stage), **_course(access, person, stage, asked)):
        return None
    waiting = _waiting(session, access, person, stage, dimensions)
    if not waiting:
        return None
    gold_id = waiting[0][0]
    return lambda now: assign(session, access=access, person=person, gold_id=gold_id, now=now)


def assign(session: Session, *, access: Access, person: Person, gold_id: int, now: datetime) -> StoredTask | None:
    """Assign a gold check to a person; return None if they have had it."""
    shuffle = task_slots.shuffle_key(seed=access.seed, unit=queries.unit_of(gold_id), slot=person.id)
    return queries.assign(session, gold_id=gold_id, person_id=person.id, now=now, shuffle=shuffle)


def count_left(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    live: Mapping[str, int],
) -> dict[str, int]:
    """Return how many gold checks, by dimension, are due before the last of a person's ``live`` tasks."""
    asked = _asked(session, access, stage)
    total = sum(live.values())
    if asked is None or not total:
        return {}
    many = to_come(_had(session, access, person, stage), live=total, **_course(access, person, stage, asked))
    by_dimension: dict[str, int] = defaultdict(int)
    for _id, _item_id, dimension in _waiting(session, access, person, stage, access.dimensions)[:many]:
        by_dimension[dimension] += 1
    return dict(by_dimension)


def mixed_in(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimensions: Sequence[str] | None,
    ahead: Sequence[int | None],
) -> Sequence[int | None]:
    """Return the items of a person's next live tasks, with the items of due gold checks mixed in."""
    asked = _asked(session, access, stage)
    if asked is None or not ahead:
        return ahead
    course = _course(access, person, stage, asked)
    n = _had(session, access, person, stage)
    waiting = [item_id for _, item_id, _ in _waiting(session, access, person, stage, dimensions)]
    live = list(ahead)
    order: list[int | None] = []
    while live and len(order) < len(ahead):
        order.append(waiting.pop(0) if waiting and is_turn(n + len(order), **course) else live.pop(0))
    return order


def why_stopped(session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask | None:
    """Return why a person's gold answers bar them from live work, or None."""
    asked = policy(access, stage)
    if asked is None or asked.stop_below is None or _asked(session, access, stage) is None:
        return None
    if standing_of(session, access, stage, asked, person.id) is not GoldStanding.STOPPED:
        return None
    return NoTask(
        STOPPED,
        _(
            "Too many of your answers differ from known answers, so you get no more work in this stage for now. "
            "Read the guideline again, and ask a project lead to let you continue."
        ),
    )


def warnings(store: Store, *, person: Person, project: ProjectView) -> list[str]:
    """Return the warnings about a person's gold answers, one sentence for each stage.

    The warnings leave out the most recent submissions (``LAG``).
    """
    stages = [stage for stage in STAGES if getattr(getattr(project.schema.schema_.stages, stage), "gold", None)]
    if not stages:
        return []
    with store.read() as session:
        access = access_to(session, person=person, project=project.name)
        return [_warning(access, stage) for stage in stages if _is_warned(session, access, person, stage)]


def lead_warnings(session: Session, *, access: Access) -> list[str]:
    """Return a sentence that names the stopped people; empty without any."""
    called = access.schema.stages.in_a_sentence
    names = [f"{name} ({called(stage.value)})" for stage, name in scores.stopped(session, access=access)]
    return [f"Stopped by gold checks: {', '.join(names)}. Open the Gold checks page for details."] if names else []


def _warning(access: Access, stage: Stage) -> str:
    return _(
        "In the {stage}, too many of your answers differ from the known answers. Read the guideline again, and ask a "
        "senior if you are in doubt."
    ).format(stage=stage_in_sentence(access.schema, stage))


def _is_warned(session: Session, access: Access, person: Person, stage: Stage) -> bool:
    asked = policy(access, stage)
    if asked is None or asked.warn_below is None or not access.may_do(stage):
        return False
    until = queries.submission_before(session, project_id=access.project_id, stage=stage, person_id=person.id, back=LAG)
    standing = standing_of(session, access, stage, asked, person.id, until=until)
    return standing in (GoldStanding.LOW, GoldStanding.STOPPED)


def _asked(session: Session, access: Access, stage: Stage) -> Gold | None:
    asked = policy(access, stage)
    if asked is None or not queries.any_in(session, project_id=access.project_id, stage=stage):
        return None
    return asked


def _course(access: Access, person: Person, stage: Stage, asked: Gold) -> dict[str, Any]:
    return {"rate": asked.rate, "seed": access.seed, "parts": (stage.value, person.id)}


def _had(session: Session, access: Access, person: Person, stage: Stage) -> int:
    """Return how many tasks a person has had: finished ones and held ones."""
    where: dict[str, Any] = {"project_id": access.project_id, "stage": stage, "person_id": person.id}
    return sum(task_counts.count_done(session, **where).values()) + sum(
        task_counts.count_in_hand(session, **where).values()
    )


def _waiting(
    session: Session, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> list[tuple[int, int, str]]:
    """Return the gold checks that a person may still get, in an order of their own."""
    checks = queries.for_person(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimensions=dimensions,
        needed=access.needed_roles,
    )
    # Each check has its own rank, so that removing one keeps the order of the others.
    return sorted(
        checks,
        key=lambda each: task_slots.shuffle_key(seed=access.seed, unit=queries.unit_of(each[0]), slot=person.id),
    )
