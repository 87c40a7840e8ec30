"""Gold checks: settled items with known right answers, mixed into live work at a rate that the schema sets.

``claim_rule`` gives them to people; this module reads the policy and the answers.
"""

from __future__ import annotations

from annotation_schemas import registry
from annotation_schemas.model import Gold, tolerances_of
from db.engine import Session
from domain.errors import InvalidInputError, Problem
from domain.states import VERIFICATIONS, Stage
from extensions.gold import queries
from extensions.gold.check_rules import GoldStanding, is_right, standing
from workflow.access.projects import Access

STAGES = (*VERIFICATIONS, Stage.GRADING)
"""Stages that may have gold checks: those in which people answer blind."""

LONGEST_WHY = 2_000


def policy(access: Access, stage: Stage) -> Gold | None:
    """Return the schema's gold policy for a stage, or None."""
    rule: Gold | None = getattr(getattr(access.schema.stages, stage.value, None), "gold", None)
    return rule


def shares(session: Session, *, access: Access, stage: Stage) -> dict[int, tuple[int, int]]:
    """Return (right answers, all answers) to gold checks by person id; skips are left out."""
    by_person: dict[int, tuple[int, int]] = {}
    for answer, right in scored_answers(session, access, stage):
        if right is not None:
            k, n = by_person.get(answer.person_id, (0, 0))
            by_person[answer.person_id] = (k + right, n + 1)
    return by_person


def asked_or_refuse(access: Access, stage: Stage) -> Gold:
    """Return the schema's gold policy for a stage, or raise ``InvalidInputError`` if the schema has no policy."""
    asked = policy(access, stage)
    if asked is None:
        raise InvalidInputError(
            [
                Problem(
                    "stage",
                    f"The schema has no `gold` in its {access.schema.stages.in_a_sentence(stage.value)}. Add `gold` to "
                    "this stage in the schema.",
                )
            ]
        )
    return asked


def scored_answers(
    session: Session, access: Access, stage: Stage, person_id: int | None = None
) -> list[tuple[queries.GoldAnswer, bool | None]]:
    """Return the gold answers of all people (or one person), each with whether it is right; None marks a skip."""
    given = queries.answers(session, project_id=access.project_id, stage=stage, person_id=person_id)
    expected = queries.expected(session, ids=[answer.gold_id for answer in given]) if given else {}
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
    scored = scored_answers(session, access, stage, person_id)
    since = queries.pardons(session, project_id=access.project_id, stage=stage, person_id=person_id).get(person_id)
    outcomes = [
        right
        for answer, right in scored
        if right is not None and (since is None or answer.at > since) and (until is None or answer.id <= until)
    ]
    return standing(
        right=sum(outcomes),
        n=len(outcomes),
        after=asked.after,
        warn_below=asked.warn_below,
        stop_below=asked.stop_below,
    )


def checked_reason(why: str, missing: str) -> str:
    """Return a lead's reason, stripped; raise ``InvalidInputError`` if it is empty (``missing``) or too long."""
    text = why.replace("\0", "").strip()
    if not text:
        raise InvalidInputError([Problem("why", missing)])
    if len(text) > LONGEST_WHY:
        raise InvalidInputError([Problem("why", f"Shorten the reason to at most {LONGEST_WHY} characters.")])
    return text
