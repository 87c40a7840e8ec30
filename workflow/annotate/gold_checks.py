"""Gold checks: settled items with known right answers, mixed into live work at a rate that the schema sets.

A gold check is a task of the purpose ``gold`` for one person, made when it is due. It has the drafts, undo, leases
and pages of live work, but never counts as a vote or a grade. When it is due depends only on the project's seed,
the person, and their number of tasks so far. So queue lengths and pages loaded early agree, whichever task is next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import Gold, tolerances_of
from db import gold_items, task_counts, task_slots
from db.engine import Session, Store
from db.records import StoredTask
from domain.errors import InvalidInputError, Problem
from domain.gold import GoldStanding, is_right, is_turn, standing, to_come
from domain.records import NoTask, Person, ProjectView
from domain.states import VERIFICATIONS, Stage
from workflow.access.projects import Access, access_to

STAGES = (*VERIFICATIONS, Stage.GRADING)
"""Stages that may have gold checks: those in which people answer blind."""

LAG = 10
"""Warnings ignore this number of most recent submissions.

An immediate warning would reveal which items were gold checks.
"""

LONGEST_WHY = 2_000

STOPPED = "stopped"
"""Code of the refusal for a person who is stopped by their gold answers."""


def policy(access: Access, stage: Stage) -> Gold | None:
    """Return the schema's gold policy for a stage, or None."""
    found: Gold | None = getattr(getattr(access.schema.stages, stage.value, None), "gold", None)
    return found


def due(
    session: Session, *, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> int | None:
    """Return the gold check that is due as a person's next task, or None if live work comes next."""
    asked = _asked(session, access, stage)
    if asked is None or not is_turn(_had(session, access, person, stage), **_course(access, person, stage, asked)):
        return None
    waiting = _waiting(session, access, person, stage, dimensions)
    return waiting[0][0] if waiting else None


def assign(session: Session, *, access: Access, person: Person, gold_id: int, now: datetime) -> StoredTask | None:
    """Assign a gold check to a person; return None if they have had it."""
    shuffle = task_slots.shuffle_key(seed=access.seed, unit=gold_items.unit_of(gold_id), slot=person.id)
    return gold_items.assign(session, gold_id=gold_id, person_id=person.id, now=now, shuffle=shuffle)


def gold_left(
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
    found: dict[str, int] = defaultdict(int)
    for _, _, dimension in _waiting(session, access, person, stage, access.dimensions)[:many]:
        found[dimension] += 1
    return dict(found)


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
    found: list[int | None] = []
    while live and len(found) < len(ahead):
        found.append(waiting.pop(0) if waiting and is_turn(n + len(found), **course) else live.pop(0))
    return found


def why_stopped(session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask | None:
    """Return why a person's gold answers bar them from live work, or None."""
    asked = policy(access, stage)
    if asked is None or asked.stop_below is None or _asked(session, access, stage) is None:
        return None
    if standing_of(session, access, stage, asked, person.id) is not GoldStanding.STOPPED:
        return None
    return NoTask(
        STOPPED,
        "Too many of your answers differ from known ones, so there is no more work for you here just now. Read the"
        " guideline again and talk to a lead of the project, who can let you go on.",
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


def _warning(access: Access, stage: Stage) -> str:
    called = access.schema.stages.in_a_sentence(stage.value)
    return (
        f"More of your answers in the {called} differ from known ones than this project allows for. Read the guideline"
        " again, and ask a senior where it leaves you in doubt."
    )


def _is_warned(session: Session, access: Access, person: Person, stage: Stage) -> bool:
    asked = policy(access, stage)
    if asked is None or asked.warn_below is None or not access.may_do(stage):
        return False
    until = gold_items.submission_before(
        session, project_id=access.project_id, stage=stage, person_id=person.id, back=LAG
    )
    found = standing_of(session, access, stage, asked, person.id, until=until)
    return found in (GoldStanding.LOW, GoldStanding.STOPPED)


def shares(session: Session, *, access: Access, stage: Stage) -> dict[int, tuple[int, int]]:
    """Return (right answers, all answers) to gold checks by person id; skips are left out."""
    found: dict[int, tuple[int, int]] = {}
    for answer, right in scored_answers(session, access, stage):
        if right is not None:
            k, n = found.get(answer.person_id, (0, 0))
            found[answer.person_id] = (k + right, n + 1)
    return found


def _asked(session: Session, access: Access, stage: Stage) -> Gold | None:
    asked = policy(access, stage)
    if asked is None or not gold_items.any_in(session, project_id=access.project_id, stage=stage):
        return None
    return asked


def asked_or_refuse(access: Access, stage: Stage) -> Gold:
    """Return the schema's gold policy for a stage, or raise ``InvalidInputError`` if the schema has no policy."""
    asked = policy(access, stage)
    if asked is None:
        raise InvalidInputError(
            [Problem("stage", f"The schema has no `gold` in its {access.schema.stages.in_a_sentence(stage.value)}.")]
        )
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
    found = gold_items.for_person(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimensions=dimensions,
        needed=access.needed_roles,
    )
    # Each check has its own rank, so that removing one keeps the order of the others.
    return sorted(
        found,
        key=lambda each: task_slots.shuffle_key(seed=access.seed, unit=gold_items.unit_of(each[0]), slot=person.id),
    )


def scored_answers(
    session: Session, access: Access, stage: Stage, person_id: int | None = None
) -> list[tuple[gold_items.GoldAnswer, bool | None]]:
    """Return the gold answers of all people (or one person), each with whether it is right; None marks a skip."""
    given = gold_items.answers(session, project_id=access.project_id, stage=stage, person_id=person_id)
    expected = gold_items.expected(session, ids=[answer.gold_id for answer in given]) if given else {}
    tolerances = tolerances_of(registry.criteria_of(access.schema, stage.value))
    return [
        (answer, is_right(answer.answers, expected[answer.gold_id], tolerances))
        for answer in given
        if answer.gold_id in expected
    ]


def standing_of(
    session: Session, access: Access, stage: Stage, asked: Gold, person_id: int, *, until: int | None = None
) -> GoldStanding:
    """Return a person's gold standing.

    Only answers since their last reinstatement count and, if ``until`` is given, only up to that submission.
    """
    found = scored_answers(session, access, stage, person_id)
    since = gold_items.pardons(session, project_id=access.project_id, stage=stage, person_id=person_id).get(person_id)
    said = [
        right
        for answer, right in found
        if right is not None and (since is None or answer.at > since) and (until is None or answer.id <= until)
    ]
    return standing(
        right=sum(said), n=len(said), after=asked.after, warn_below=asked.warn_below, stop_below=asked.stop_below
    )


def checked_reason(why: str, missing: str) -> str:
    """Return a lead's reason, stripped; raise ``InvalidInputError`` if it is empty (``missing``) or too long."""
    text = why.replace("\0", "").strip()
    if not text:
        raise InvalidInputError([Problem("why", missing)])
    if len(text) > LONGEST_WHY:
        raise InvalidInputError([Problem("why", f"Shorten the reason to {LONGEST_WHY} characters.")])
    return text
