"""Qualification: who has passed a set of items before a stage, read from the reviews that seniors stored.

A try is normal work on the normal page. Its tasks have the purpose ``qualification`` and belong to one person, so
they have the drafts, undo and idempotency of live work, but never count as votes. People who have started a set are
no longer asked about its items blind, because the results show the right answers. The extension of that name makes
the sets, begins tries and takes reviews. A stage that asks for a qualification is closed while the extension is
missing (``no_work.why_closed``).
"""

from __future__ import annotations

from annotation_schemas.model import Qualification
from annotation_schemas.stage_titles import stage_in_sentence
from db import guidelines, people, projects, qualifications
from db.engine import Session, Store
from db.records import StoredPerson, StoredQualification, StoredQualificationSet, StoredTask
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.language import _
from domain.qualification import Standing
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


def policy(access: Access, stage: Stage) -> Qualification | None:
    """Return the schema's qualification for a stage, or None."""
    part = getattr(access.schema.stages, stage.value, None)
    qualification: Qualification | None = getattr(part, "qualification", None)
    return qualification


def without_set(session: Session, *, access: Access) -> list[Stage]:
    """Return the stages that require a qualification but have no set for it."""
    return [stage for stage in Stage if policy(access, stage) and newest_counting(session, access, stage) is None]


def counting_sets(session: Session, access: Access, stage: Stage) -> list[StoredQualificationSet]:
    """Return the sets that qualify people who pass them, oldest first.

    Such a set was made under a recent enough version of the guideline, and not before a set that everyone must pass.
    """
    sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
    least = max((row.number for row in sets if row.requalify), default=0)
    under = guidelines.standards(session, project_id=access.project_id, number=access.guideline)
    return [row for row in sets if row.number >= least and (under is None or row.guideline_hash in under)]


def newest_counting(session: Session, access: Access, stage: Stage) -> StoredQualificationSet | None:
    """Return the newest set that counts, on which people work; None if no set counts."""
    return next(reversed(counting_sets(session, access, stage)), None)


def require(session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask | None:
    """Return why a person may not enter a stage's live work, or None if they may."""
    if may_begin(session, access=access, person=person, stage=stage):
        return None
    return why_barred(session, access=access, person=person, stage=stage)


def may_begin(session: Session, *, access: Access, person: Person, stage: Stage) -> bool:
    """Return whether a person may start a stage's live work: no qualification is required, or they have passed it."""
    return policy(access, stage) is None or has_passed(session, access, person.id, stage)


def why_barred(session: Session, *, access: Access, person: Person, stage: Stage) -> NoTask:
    """Return the next step of a person who has not qualified for a stage, in the words of the page."""
    return NoTask("not_qualified", _next_step(session, access, person, stage))


def numbers(session: Session, *, access: Access, person: Person, stage: Stage) -> tuple[int, int] | None:
    """Return the answered and remaining items of a person's last try; None for a person who may enter the live work."""
    if policy(access, stage) is None or has_passed(session, access, person.id, stage):
        return None
    tried = qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
    mine = [row for row in tried if row.set_id is not None]
    if not mine:
        return 0, 0
    n_items = len(qualifications.set_by_id(session, id=mine[-1].set_id or 0).item_ids)
    n_answered = len(qualifications.answers(session, qualification_id=mine[-1].id))
    return n_answered, n_items - n_answered


def score_of(session: Session, access: Access, person_id: int, stage: Stage) -> float | None:
    """Return a person's share of right answers in their last passed try; None if they never passed."""
    if policy(access, stage) is None:
        return None
    outcomes = qualifications.outcomes(session, project_id=access.project_id, stage=stage, person_id=person_id)
    passed = [(set_id, right) for set_id, state, right in outcomes if state == Standing.PASSED and set_id is not None]
    if not passed:
        return None
    set_id, right = passed[-1]
    return (right or 0) / len(qualifications.set_by_id(session, id=set_id).item_ids)


def has_passed(session: Session, access: Access, person_id: int, stage: Stage) -> bool:
    """Return whether a person has passed a set that counts, or is exempt."""
    outcomes = qualifications.outcomes(session, project_id=access.project_id, stage=stage, person_id=person_id)
    if any(set_id is None for set_id, _, _ in outcomes):
        return True
    passed = {set_id for set_id, state, _ in outcomes if state == Standing.PASSED}
    return bool(passed) and any(row.id in passed for row in counting_sets(session, access, stage))


def stored_state(session: Session, row: StoredQualification) -> Standing:
    """Return the state of a try: after its last review as stored, before that from the number of answers."""
    reviews = qualifications.reviews(session, qualification_id=row.id)
    if reviews:
        return Standing(reviews[-1][0].state)
    n_items = len(qualifications.set_by_id(session, id=row.set_id or 0).item_ids)
    n_answered = len(qualifications.answers(session, qualification_id=row.id))
    return Standing.HANDED_IN if n_answered == n_items else Standing.OPEN


def _next_step(session: Session, access: Access, person: Person, stage: Stage) -> str:
    mine = [
        row
        for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
        if row.set_id is not None
    ]
    newest, called = newest_counting(session, access, stage), stage_in_sentence(access.schema, stage)
    if newest is None:
        return _("The {stage} requires a qualification, but no set of items is ready. A lead can create a set.").format(
            stage=called
        )
    state = stored_state(session, mine[-1]) if mine else None
    ended = state is Standing.PASSED or (
        state is Standing.HANDED_IN and mine[-1].set_id not in {row.id for row in counting_sets(session, access, stage)}
    )
    if state is None or ended:
        return _("Before the {stage}, you must answer a set of items. To start, open Qualification on My work.").format(
            stage=called
        )
    next_steps = {
        Standing.OPEN: _("Your qualification is not finished. Continue the qualification."),
        Standing.HANDED_IN: _("You have submitted your qualification. Senior annotators are reviewing your answers."),
        Standing.FAILED: _(
            "You have not passed the qualification yet. To see the next step, open Qualification on My work."
        ),
        Standing.SENT_BACK: _(
            "A senior sent your qualification back. To see the reason, open Qualification on My work."
        ),
    }
    return next_steps[state]


def why_fixed(session: Session, *, row: StoredTask) -> str | None:
    """Return why an answer in a try can no longer be corrected, or None if it can."""
    of = int(row.unit.split("/")[1])
    if qualifications.reviews(session, qualification_id=of):
        return _(
            "Senior annotators are reviewing this qualification, so you cannot change its answers. Wait for the result."
        )
    return None


def exempt(
    store: Store, *, by: Person | None, project: str, login: str, why: str, stage: Stage = Stage.VERIFICATION
) -> None:
    """Exempt a person from the qualification of a stage; the reason is recorded."""
    if not why.strip():
        raise InvalidInputError(
            [Problem("why", "Enter the reason why this person needs no qualification. Touchstone stores the reason.")]
        )
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        if policy(access, stage) is None:
            called = access.schema.stages.in_a_sentence(stage.value)
            raise InvalidInputError(
                [
                    Problem(
                        "stage",
                        f"The schema requires no qualification before the {called}, so nobody needs an exemption.",
                    )
                ]
            )
        person = _member(session, access, login)
        qualifications.add_try(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            exempt_by_id=by.id if by else None,
            why=why.strip(),
            now=now,
        )
        data = {"login": person.login, "why": why.strip()}
        log(session, "qualification.exempted", by=by, project=access, now=now, data=data)


def _member(session: Session, access: Access, login: str) -> StoredPerson:
    row = people.by_login(session, login=login.strip().casefold())
    if row is None or role_of(session, access, row) is None:
        raise NotFoundError(f"{login!r} is not a member of {access.title}. Check the login.")
    return row


def role_of(session: Session, access: Access, row: StoredPerson) -> Role | None:
    """Return a person's role in the project; None if they are no member."""
    member = projects.member(session, project_id=access.project_id, person_id=row.id)
    return member.role if member else Role.LEAD if row.is_admin else None
