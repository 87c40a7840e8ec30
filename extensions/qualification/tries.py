"""Qualification tries: begin a try, list tries, and sign a try or send it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from annotation_schemas.model import Qualification
from annotation_schemas.stage_titles import stage_in_sentence
from db import comment_threads as threads
from db import qualifications, task_slots
from db.engine import IntegrityError, Session, Store
from db.records import StoredQualification
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError, Problem
from domain.exposure import Disclosure, Fact, Route
from domain.language import _, ngettext
from domain.order import shuffled
from domain.qualification import Standing
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import Purpose, Stage
from extensions.qualification import queries
from extensions.qualification.results import Try, references_of, view_of
from extensions.qualification.rules import Review, may_try_again, standing
from extensions.qualification.sets import entries_of, waiting_for_media
from workflow.access import exposure
from workflow.access.event_log import log
from workflow.access.projects import Access, access_by_id, access_to
from workflow.annotate.qualification import has_passed, newest_counting, policy


def begin(store: Store, *, person: Person, project: str, stage: Stage = Stage.VERIFICATION) -> Try:
    """Begin a try on the newest set; its items appear on the stage's normal page.

    Seniors and leads answer the set too, as a reference for the others. Raises ``ConflictError``, with the reason, if
    the person cannot begin now.
    """
    with store.write() as session:
        access, now = access_to(session, person=person, project=project), store.now()
        asked = policy(access, stage)
        if asked is None or not access.may_do(stage):
            called = stage_in_sentence(access.schema, stage)
            raise NotFoundError(_("You need no qualification for the {stage}.").format(stage=called))
        sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
        if newest_counting(session, access, stage) is None:
            raise ConflictError(_("No set of items is ready yet. Ask a lead to make a set."))
        mine = [
            row
            for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
            if row.set_id is not None
        ]
        if mine:
            last = view_of(session, access, asked, mine[-1], None)
            if last.state is Standing.OPEN or (last.state is Standing.HANDED_IN and not last.superseded):
                return last
            if last.state is Standing.PASSED and has_passed(session, access, person.id, stage):
                raise ConflictError(_("You have already passed this qualification."))
            why = _why_wait(session, asked, _since_passing(session, access, person.id, stage), last, now)
            if why:
                raise ConflictError(why)
        waiting = waiting_for_media(session, access) & set(sets[-1].item_ids)
        if waiting:
            words = ngettext(
                "{n} item of this set has no images or clips yet. Come back after a lead has added the files.",
                "{n} items of this set have no images or clips yet. Come back after a lead has added the files.",
                len(waiting),
            )
            raise ConflictError(words.format(n=len(waiting)))
        try:
            row = qualifications.add_try(
                session, project_id=access.project_id, stage=stage, person_id=person.id, set_id=sets[-1].id, now=now
            )
        except IntegrityError as error:
            raise ConflictError(_("You have started this qualification in another window. Reload the page.")) from error
        things = entries_of(session, sets[-1])
        in_order = shuffled(things, seed=access.seed, parts=("qualify", row.id))
        task_slots.open_slots(
            session,
            slots=[
                task_slots.Slot(
                    project_id=access.project_id,
                    stage=stage,
                    purpose=Purpose.QUALIFICATION,
                    unit=f"{Purpose.QUALIFICATION.value}/{row.id}/{thing.id}",
                    slot=place,
                    item_id=thing.item.id,
                    revision=thing.item.current_revision if thing.prediction is None else None,
                    prediction_id=thing.prediction.id if thing.prediction else None,
                    dimension=thing.item.dimension,
                    person_id=person.id,
                    shuffle=place,
                    at=now,
                )
                for place, thing in enumerate(in_order)
            ],
        )
        for thing in in_order:
            if thing.prediction is None:  # for an answer, the task itself records who graded it to qualify
                threads.note_insight(session, item_id=thing.item.id, person_id=person.id, now=now)
        data = {"number": row.number, "set": sets[-1].number}
        log(session, "qualification.begun", by=person, project=access, now=now, data=data)
        return view_of(session, access, asked, row, None)


def own_tries(store: Store, *, person: Person, project: str, stage: Stage = Stage.VERIFICATION) -> list[Try]:
    """Return a person's own tries, oldest first; results are included only after a try has ended.

    Right answers stay hidden while the person may answer the same set again.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        asked = policy(access, stage)
        if asked is None:
            return []
        tries = []
        rows = qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
        sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
        tried = _since_passing(session, access, person.id, stage)
        again = asked.attempts is None or len(tried) < asked.attempts
        passed = has_passed(session, access, person.id, stage)
        again = again and not passed
        for row in rows:
            seen = view_of(session, access, asked, row, None)
            if seen.state not in (Standing.PASSED, Standing.FAILED, Standing.SENT_BACK):
                tries.append(_hidden(seen))
                continue
            seen = view_of(session, access, asked, row, person, results=True)
            same_set = bool(sets) and row.set_id == sets[-1].id
            tries.append(_without_keys(seen) if again and same_set else seen)
        if tries and tries[-1].exempt is None:
            wait = _why_wait(session, asked, tried, tries[-1], store.now())
            lets_in = passed and tries[-1].state is Standing.PASSED
            tries[-1] = replace(tries[-1], wait=wait, lets_in=lets_in)
        return tries


def _since_passing(session: Session, access: Access, person_id: int, stage: Stage) -> list[StoredQualification]:
    """Return a person's tries since the last one that they passed; the limit on attempts applies to these."""
    tried: list[StoredQualification] = []
    for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person_id):
        if row.set_id is not None:
            reviews = qualifications.reviews(session, qualification_id=row.id)
            tried = [] if reviews and reviews[-1][0].state == Standing.PASSED else [*tried, row]
    return tried


def _why_wait(
    session: Session, asked: Qualification, tried: Sequence[StoredQualification], last: Try, now: datetime
) -> str:
    """Return why a person cannot try again yet; empty if they can."""
    if last.state not in (Standing.FAILED, Standing.SENT_BACK):
        return ""
    ended = max(row.created_at for row, _ in qualifications.reviews(session, qualification_id=tried[-1].id))
    wait = timedelta(hours=asked.retry_after_hours)
    return may_try_again(tries=len(tried), attempts=asked.attempts, ended=ended, wait=wait, now=now) or ""


def _without_keys(seen: Try) -> Try:
    """Return a try without anything that would make another try on the same items easier."""
    blind = [replace(result, key=None, seniors=None, right=None) for result in seen.results]
    return replace(seen, results=tuple(blind))


def _hidden(seen: Try) -> Try:
    """Return a try without its interim result."""
    return replace(seen, n_right=0, reviews=(), results=())


def tries(store: Store, *, person: Person | None, project: str, stage: Stage = Stage.VERIFICATION) -> list[Try]:
    """Return all tries with their results, for seniors and leads.

    The command on the machine itself passes ``person=None``. A person who has seen the list knows the
    keys and is no longer asked about the items blind.
    """
    with store.write() as session:
        access = access_to(session, person=person, project=project)
        _must_be_senior(access)
        asked = policy(access, stage)
        if asked is None:
            return []
        rows = qualifications.tries(session, project_id=access.project_id, stage=stage)
        if person is not None:
            tried = sorted({row.set_id for row, _ in rows if row.set_id is not None})
            known = {item for id in tried for item in qualifications.set_by_id(session, id=id).item_ids}
            qualifications.note_insights(session, item_ids=sorted(known), person_id=person.id, now=store.now())
        tries = [view_of(session, access, asked, row, None, results=True) for row, _ in rows]
        if person is not None:
            exposure.record_look(
                session,
                access=access,
                person=person,
                item_ids=known,
                route=Route.QUALIFICATION,
                record=tries,
                told=Disclosure((), (Fact.KEY,)),
                now=store.now(),
            )
        return tries


def review(
    store: Store, *, by: Person, qualification: str, signs: bool, comments: Mapping[str, str] | None = None
) -> Try:
    """Sign a submitted try or send it back, with comments by item (external id).

    Each signature needs another senior, and nobody signs their own try. A review can be replaced until the try has
    ended.
    """
    texts = {item: text.strip() for item, text in (comments or {}).items() if text.strip()}
    if not signs and not texts:
        raise InvalidInputError(
            [Problem("comments", "Give a reason for at least one item when you send the answers back.")]
        )
    with store.write() as session:
        row = queries.by_public_id(session, public_id=qualification, hold=True)
        if row is None:
            raise NotFoundError("This try does not exist. Reload the page.")
        access = access_by_id(session, person=by, project_id=row.project_id)
        _must_be_senior(access)
        if row.person_id == by.id:
            raise NotAllowedError("You cannot review your own qualification. Ask another senior.")
        stage = Stage(row.stage)
        asked = policy(access, stage)
        seen = view_of(session, access, asked, row, None) if asked else None
        if asked is None or seen is None or seen.state is not Standing.HANDED_IN:
            raise ConflictError(
                "You cannot review this try. The person has not submitted the try, or the try has already "
                "ended. Reload the page."
            )
        now = store.now()
        of = qualifications.set_by_id(session, id=row.set_id or 0)
        earlier = qualifications.reviews(session, qualification_id=row.id)
        reviews = [Review(reviewer.login, note.signs, note.created_at) for note, reviewer in earlier]
        state = standing(
            n_items=seen.n_items,
            n_answered=seen.n_answered,
            n_right=seen.n_right,
            pass_mark=asked.pass_mark,
            reviewers=asked.reviewers,
            reviews=[*reviews, Review(by.login, signs, now)],
        )
        queries.add_review(
            session,
            qualification_id=row.id,
            person_id=by.id,
            signs=signs,
            comments=texts,
            state=state,
            n_right=seen.n_right,
            reference_ids=[reference.id for reference in references_of(session, access, of, row)],
            now=now,
        )
        after = view_of(session, access, asked, row, None, results=True)
        data = {"signs": signs, "login": after.person, "state": after.state.value}
        log(session, "qualification.reviewed", by=by, project=access, now=now, data=data)
        return after


def _must_be_senior(access: Access) -> None:
    if not at_least(access.role, Role.SENIOR):
        raise NotAllowedError("Only seniors and leads can review qualifications. Ask a senior or a lead.")
