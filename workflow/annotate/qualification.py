"""Qualification: a set of items to pass before a stage, answered blind, scored, and signed by seniors.

A try is ordinary work on the ordinary page: its tasks have the purpose ``qualification`` and belong to one person, so
drafts, undo and idempotency are those of live work, and nothing of it ever counts as a vote. Whoever has begun a set is
not asked about its items blind any more: the results tell them the right answers.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from secrets import randbelow
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Qualification
from db import comment_threads as threads
from db import events, files, guidelines, items, missing_media, people, projects, qualifications, task_slots
from db.engine import IntegrityError, Session, Store
from db.records import (
    StoredAnnotation,
    StoredItem,
    StoredPerson,
    StoredPrediction,
    StoredQualification,
    StoredQualificationSet,
    StoredTask,
)
from domain import csv_text
from domain.display_names import apart
from domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, Problem
from domain.order import evenly, shuffled
from domain.policies import criteria_that_decide, same
from domain.qualification import Review, Standing, may_try_again, standing
from domain.rated_units import unit_of
from domain.records import NothingLeft, Person
from domain.roles import Role, at_least
from domain.states import Purpose, Stage
from workflow.access.projects import Access, access_by_id, access_to, require_lead


@dataclass(frozen=True)
class ItemResult:
    """One item of a try: what was answered, what is right, and what was said of it."""

    item: str
    dimension: str
    fields: Mapping[str, Any]
    answer: Mapping[str, Any]
    reasons: Mapping[str, Any]
    key: Any
    """The item's own key; None where the schema has none."""
    seniors: Any
    """What most seniors answered; None if they did not, or differed."""
    right: bool | None
    """None: nothing says what is right."""
    comments: Sequence[tuple[str, str]] = ()
    """Who said what about it."""
    graded: str | None = None
    """The model's answer that was graded, if it was one."""


@dataclass(frozen=True)
class Try:
    """One try to qualify, or an exemption."""

    id: str
    person: str
    name: str
    number: int
    stage: Stage
    state: Standing
    n_items: int
    n_answered: int
    n_right: int
    pass_mark: float
    set_number: int | None
    reviews: Sequence[tuple[str, bool]]
    """Who signed (True) or sent it back."""
    exempt: str | None = None
    """Why a lead let them in without it."""
    results: Sequence[ItemResult] = ()
    wait: str = ""
    """Why its person cannot begin the next one yet; empty if they can, or need none."""
    superseded: bool = False
    """Passing its set would let nobody in any more, and there is one that does."""


@dataclass(frozen=True)
class MadeSet:
    """A set of items to pass, as it was made."""

    number: int
    items: Sequence[str]
    """By external id."""
    few: str
    """That it is smaller than it was to be, in words; empty if it is not."""


# ---- what other use cases ask ----------------------------------------------------------------------------------------


def policy(access: Access, stage: Stage) -> Qualification | None:
    """What the schema asks before a stage; None if nothing."""
    part = getattr(access.schema.stages, stage.value, None)
    found: Qualification | None = getattr(part, "qualification", None)
    return found


def without_set(session: Session, *, access: Access) -> list[Stage]:
    """The stages that let nobody in who has not qualified, while there is no set to qualify on."""
    return [stage for stage in Stage if policy(access, stage) and _newest(session, access, stage) is None]


def require(session: Session, *, access: Access, person: Person, stage: Stage) -> NothingLeft | None:
    """Why somebody may not enter a stage's live work yet; None if they may, or if no qualification is asked for."""
    if lets_in(session, access=access, person=person, stage=stage):
        return None
    return why_barred(session, access=access, person=person, stage=stage)


def lets_in(session: Session, *, access: Access, person: Person, stage: Stage) -> bool:
    """Whether a stage asks for no qualification, or somebody has the one that it asks for."""
    return policy(access, stage) is None or _passed(session, access, person.id, stage)


def why_barred(session: Session, *, access: Access, person: Person, stage: Stage) -> NothingLeft:
    """What somebody does next whom a stage does not let in."""
    return NothingLeft("not_qualified", _next_step(session, access, person, stage))


def numbers(session: Session, *, access: Access, person: Person, stage: Stage) -> tuple[int, int] | None:
    """How many items of the set somebody has answered in their last try, and how many are left; None for whoever may
    enter the live work."""
    if policy(access, stage) is None or _passed(session, access, person.id, stage):
        return None
    tried = qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
    mine = [row for row in tried if row.set_id is not None]
    if not mine:
        return 0, 0
    n_items = len(qualifications.set_by_id(session, id=mine[-1].set_id or 0).item_ids)
    n_answered = len(qualifications.answers(session, qualification_id=mine[-1].id))
    return n_answered, n_items - n_answered


def score_of(session: Session, access: Access, person_id: int, stage: Stage) -> float | None:
    """A person's share of right answers in the try with which they qualified last; None if they never did."""
    if policy(access, stage) is None:
        return None
    found = qualifications.outcomes(session, project_id=access.project_id, stage=stage, person_id=person_id)
    passed = [(set_id, right) for set_id, state, right in found if state == Standing.PASSED and set_id is not None]
    if not passed:
        return None
    set_id, right = passed[-1]
    return (right or 0) / len(qualifications.set_by_id(session, id=set_id).item_ids)


def _passed(session: Session, access: Access, person_id: int, stage: Stage) -> bool:
    found = qualifications.outcomes(session, project_id=access.project_id, stage=stage, person_id=person_id)
    if any(set_id is None for set_id, _, _ in found):
        return True
    passed = {set_id for set_id, state, _ in found if state == Standing.PASSED}
    return bool(passed) and any(row.id in passed for row in _counting(session, access, stage))


def _counting(session: Session, access: Access, stage: Stage) -> list[StoredQualificationSet]:
    """The sets that let in whoever passes them, oldest first: made under a version of the guideline that is new enough,
    and not before a set that asks everybody anew."""
    sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
    least = max((row.number for row in sets if row.requalify), default=0)
    under = guidelines.standards(session, project_id=access.project_id, number=access.guideline)
    return [row for row in sets if row.number >= least and (under is None or row.guideline_hash in under)]


def _newest(session: Session, access: Access, stage: Stage) -> StoredQualificationSet | None:
    """The set that people work on; None if there is none that counts."""
    return next(reversed(_counting(session, access, stage)), None)


def _since_passing(session: Session, access: Access, person_id: int, stage: Stage) -> list[StoredQualification]:
    """Somebody's tries since the last that they passed: what the number of attempts is about."""
    tried: list[StoredQualification] = []
    for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person_id):
        if row.set_id is not None:
            reviews = qualifications.reviews(session, qualification_id=row.id)
            tried = [] if reviews and reviews[-1][0].state == Standing.PASSED else [*tried, row]
    return tried


def _next_step(session: Session, access: Access, person: Person, stage: Stage) -> str:
    mine = [
        row
        for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
        if row.set_id is not None
    ]
    newest = _newest(session, access, stage)
    if newest is None:
        return f"The {stage.value} asks for a qualification, and no set of items is ready; a lead makes one."
    asked = policy(access, stage)
    last = _view(session, access, asked, mine[-1], None) if mine and asked else None
    if last is None or last.state is Standing.PASSED or (last.state is Standing.HANDED_IN and last.superseded):
        return f"Before the {stage.value} you answer a set of items. Open Qualify in the menu and begin."
    said = {
        Standing.OPEN: "Your qualification is not finished; go on with it here.",
        Standing.HANDED_IN: "You have handed in your qualification; seniors are looking at it.",
        Standing.FAILED: "You have not passed the qualification yet; Qualify in the menu says what comes next.",
        Standing.SENT_BACK: "A senior sent your qualification back; Qualify in the menu says why.",
    }
    return said[last.state]


def why_fixed(session: Session, *, row: StoredTask) -> str | None:
    """Why an answer in a try can no longer be corrected; None if it can."""
    of = int(row.unit.split("/")[1])
    if qualifications.reviews(session, qualification_id=of):
        return "Seniors have begun to review this qualification, so its answers stay as they are."
    return None


# ---- the lead --------------------------------------------------------------------------------------------------------


def make_set(
    store: Store,
    *,
    by: Person | None,
    project: str,
    stage: Stage = Stage.VERIFICATION,
    names: Sequence[str] = (),
    n: int | None = None,
    requalify: bool = False,
) -> MadeSet:
    """Fix the items to pass before a stage.

    Items are named, or ``n`` of them (None: as many as the schema says) are drawn evenly over the dimensions from a
    seed that is stored; if there are fewer, the set says so. ``requalify``: whoever passed an earlier set has to pass
    this one as well.
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        asked = policy(access, stage)
        if asked is None:
            raise InvalidInput([Problem("stage", f"The schema asks for no qualification before {stage.value}.")])
        seed = randbelow(2**31)
        pool = _pool(session, access, stage)
        chosen = (
            [_named(access, pool, name) for name in dict.fromkeys(names)]
            if names
            else evenly(pool, n or asked.items, seed=seed, of=lambda thing: thing.item.dimension)
        )
        if not chosen:
            raise InvalidInput(
                [Problem("items", "A set needs at least one item with its images and clips; import some first.")]
            )
        row = qualifications.make_set(
            session,
            project_id=access.project_id,
            stage=stage,
            item_ids=[thing.item.id for thing in chosen],
            prediction_ids=[thing.id for thing in chosen] if stage is Stage.GRADING else None,
            requalify=requalify,
            guideline_hash=access.loaded.guideline_hash,
            seed=seed,
            wanted=None if names else n or asked.items,
            by_id=by.id if by else None,
            now=now,
        )
        _record(session, access, by, "qualification.set_made", now, {"number": row.number, "items": len(chosen)})
        return MadeSet(row.number, [thing.name for thing in chosen], _few(row, asked))


def newest_set(
    store: Store, *, person: Person | None, project: str, stage: Stage = Stage.VERIFICATION
) -> MadeSet | None:
    """The set that people work on, for leads; None if there is none."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        asked = policy(access, stage)
        made = qualifications.sets(session, project_id=access.project_id, stage=stage)
        if asked is None or not made:
            return None
        names = [thing.name for thing in _things(session, made[-1])]
        return MadeSet(made[-1].number, names, _few(made[-1], asked))


def exempt(
    store: Store, *, by: Person | None, project: str, login: str, why: str, stage: Stage = Stage.VERIFICATION
) -> None:
    """Let somebody into a stage without the qualification; the reason is kept."""
    if not why.strip():
        raise InvalidInput([Problem("why", "Say why this person needs no qualification; it is kept.")])
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        if policy(access, stage) is None:
            raise InvalidInput([Problem("stage", f"The schema asks for no qualification before {stage.value}.")])
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
        _record(session, access, by, "qualification.exempted", now, {"login": person.login, "why": why.strip()})


# ---- the candidate ---------------------------------------------------------------------------------------------------


def begin(store: Store, *, person: Person, project: str, stage: Stage = Stage.VERIFICATION) -> Try:
    """Begin a try on the newest set: its items come on the stage's ordinary page.

    Seniors and leads answer it too, as a reference for the others. ``Conflict`` says why it is not the time.
    """
    with store.write() as session:
        access, now = access_to(session, person=person, project=project), store.now()
        asked = policy(access, stage)
        if asked is None or not access.may_do(stage):
            raise NotFound(f"There is no qualification for you before {stage.value} here.")
        sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
        if _newest(session, access, stage) is None:
            raise Conflict("No set of items is ready yet; a lead makes one.")
        mine = [
            row
            for row in qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
            if row.set_id is not None
        ]
        if mine:
            last = _view(session, access, asked, mine[-1], None)
            if last.state is Standing.OPEN or (last.state is Standing.HANDED_IN and not last.superseded):
                return last
            if last.state is Standing.PASSED and _passed(session, access, person.id, stage):
                raise Conflict("You have passed this qualification.")
            why = _why_wait(session, asked, _since_passing(session, access, person.id, stage), last, now)
            if why:
                raise Conflict(why)
        waiting = _without_media(session, access) & set(sets[-1].item_ids)
        if waiting:
            n = "1 item of this set waits" if len(waiting) == 1 else f"{len(waiting)} items of this set wait"
            raise Conflict(f"{n} for images or clips; a lead brings them in. Come back later.")
        try:
            row = qualifications.add_try(
                session, project_id=access.project_id, stage=stage, person_id=person.id, set_id=sets[-1].id, now=now
            )
        except IntegrityError as error:
            raise Conflict("You have begun this in another window; reload the page.") from error
        things = _things(session, sets[-1])
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
            if thing.prediction is None:  # of an answer, the tasks themselves say who graded it to qualify
                threads.note_insight(session, item_id=thing.item.id, person_id=person.id, now=now)
        _record(session, access, person, "qualification.begun", now, {"number": row.number, "set": sets[-1].number})
        return _view(session, access, asked, row, None)


def mine(store: Store, *, person: Person, project: str, stage: Stage = Stage.VERIFICATION) -> list[Try]:
    """A person's own tries, the newest last: with the results once the try has ended, and nothing of them before.

    What is right stays hidden as long as they may answer the same set again.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        asked = policy(access, stage)
        if asked is None:
            return []
        found = []
        rows = qualifications.tries_of(session, project_id=access.project_id, stage=stage, person_id=person.id)
        sets = qualifications.sets(session, project_id=access.project_id, stage=stage)
        tried = _since_passing(session, access, person.id, stage)
        again = asked.attempts is None or len(tried) < asked.attempts
        again = again and not _passed(session, access, person.id, stage)
        for row in rows:
            seen = _view(session, access, asked, row, None)
            if seen.state not in (Standing.PASSED, Standing.FAILED, Standing.SENT_BACK):
                found.append(_hidden(seen))
                continue
            seen = _view(session, access, asked, row, person, results=True)
            same_set = bool(sets) and row.set_id == sets[-1].id
            found.append(_without_keys(seen) if again and same_set else seen)
        if found and found[-1].exempt is None:
            found[-1] = replace(found[-1], wait=_why_wait(session, asked, tried, found[-1], store.now()))
        return found


def _why_wait(
    session: Session, asked: Qualification, tried: Sequence[StoredQualification], last: Try, now: datetime
) -> str:
    """Why somebody cannot try again yet after their last try; empty if they can."""
    if last.state not in (Standing.FAILED, Standing.SENT_BACK):
        return ""
    ended = max(row.created_at for row, _ in qualifications.reviews(session, qualification_id=tried[-1].id))
    wait = timedelta(hours=asked.retry_after_hours)
    return may_try_again(tries=len(tried), attempts=asked.attempts, ended=ended, wait=wait, now=now) or ""


def _without_keys(seen: Try) -> Try:
    """A try without anything that would make the next one on the same items easier than the first."""
    blind = [replace(each, key=None, seniors=None, right=None) for each in seen.results]
    return replace(seen, results=tuple(blind))


def _hidden(seen: Try) -> Try:
    """A try without anything that tells how it goes."""
    return replace(seen, n_right=0, reviews=(), results=())


# ---- the seniors -----------------------------------------------------------------------------------------------------


def tries(store: Store, *, person: Person | None, project: str, stage: Stage = Stage.VERIFICATION) -> list[Try]:
    """All tries with their results, for seniors and leads; ``person`` None is the command on the machine itself.

    Whoever has looked knows the keys, so they are not asked about these items blind any more.
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
        return [_view(session, access, asked, row, None, results=True) for row, _ in rows]


def review(
    store: Store, *, by: Person, qualification: str, signs: bool, comments: Mapping[str, str] | None = None
) -> Try:
    """Sign a try that was handed in, or send it back, with comments by item (external id).

    Distinct seniors sign; nobody signs their own. A review can be replaced until the try has ended.
    """
    said = {item: text.strip() for item, text in (comments or {}).items() if text.strip()}
    if not signs and not said:
        raise InvalidInput([Problem("comments", "Say at least at one item why you send it back.")])
    with store.write() as session:
        row = qualifications.by_public_id(session, public_id=qualification, hold=True)
        if row is None:
            raise NotFound("There is no such try.")
        access = access_by_id(session, person=by, project_id=row.project_id)
        _must_be_senior(access)
        if row.person_id == by.id:
            raise NotAllowed("Nobody reviews their own qualification.")
        stage = Stage(row.stage)
        asked = policy(access, stage)
        seen = _view(session, access, asked, row, None) if asked else None
        if asked is None or seen is None or seen.state is not Standing.HANDED_IN:
            raise Conflict("This try is not waiting for a review: it is not handed in yet, or has ended.")
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
        qualifications.add_review(
            session,
            qualification_id=row.id,
            person_id=by.id,
            signs=signs,
            comments=said,
            state=state,
            n_right=seen.n_right,
            reference_ids=[each.id for each in _references(session, access, of, row)],
            now=now,
        )
        after = _view(session, access, asked, row, None, results=True)
        data = {"signs": signs, "login": after.person, "state": after.state.value}
        _record(session, access, by, "qualification.reviewed", now, data)
        return after


def differences(session: Session, *, access: Access) -> Iterator[str]:
    """Reviews whose stored result is not what the answers, the key, the seniors' answers and the reviews make it, all
    as they were when it was written.

    Nothing mends them: what a senior signed is kept as it is, so a difference is for people to look into.
    """
    for stage in Stage:
        asked = policy(access, stage)
        if asked is None:
            continue
        for row, person in qualifications.tries(session, project_id=access.project_id, stage=stage):
            if row.set_id is None:
                continue
            of = qualifications.set_by_id(session, id=row.set_id)
            said: list[Review] = []
            for note, reviewer in qualifications.reviews(session, qualification_id=row.id):
                said.append(Review(reviewer.login, note.signs, note.created_at))
                given = qualifications.answers(session, qualification_id=row.id, until=note.created_at)
                reference = (
                    _references(session, access, of, row, until=note.created_at)
                    if note.reference_ids is None
                    else qualifications.by_ids(session, ids=note.reference_ids)
                )
                n_right = sum(result.right is True for result in _results(session, access, asked, of, given, reference))
                state = standing(
                    n_items=len(of.item_ids),
                    n_answered=len(given),
                    n_right=n_right,
                    pass_mark=asked.pass_mark,
                    reviewers=asked.reviewers,
                    reviews=said,
                )
                about = f"the review by {reviewer.login} of try {row.number} of {person.login} for {stage.value}"
                if n_right != note.n_right:
                    yield f"{about} is stored with {note.n_right} right, but the answers make it {n_right}."
                if state.value != note.state:
                    yield f"{about} is stored as {note.state}, but the answers and reviews make it {state.value}."
                if reviewer.id == person.id:
                    yield f"{about} is by the person themselves."


def as_csv(found: Sequence[Try]) -> str:
    """Tries as a table."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(
        ["person", "name", "try", "set", "state", "items", "answered", "right", "pass_mark", "signed", "exempt"]
    )
    for each in found:
        signed = " ".join(login for login, signs in each.reviews if signs)
        writer.writerow(
            [each.person, each.name, each.number, each.set_number or "", each.state.value, each.n_items,
             each.n_answered, each.n_right, each.pass_mark, signed, each.exempt or ""]
        )  # fmt: skip
    return out.getvalue()


# ---- inside ----------------------------------------------------------------------------------------------------------


def _view(
    session: Session,
    access: Access,
    asked: Qualification,
    row: StoredQualification,
    person: Person | None,
    *,
    results: bool = False,
) -> Try:
    whose = people.by_id(session, id=row.person_id)
    login, name = (whose.login, whose.name) if whose else ("", "")
    if row.set_id is None:
        return Try(
            row.public_id, login, name, row.number, Stage(row.stage), Standing.PASSED, 0, 0, 0, asked.pass_mark,
            None, (), row.why,
        )  # fmt: skip
    of = qualifications.set_by_id(session, id=row.set_id)
    given = qualifications.answers(session, qualification_id=row.id)
    said = qualifications.reviews(session, qualification_id=row.id)
    found = _results(session, access, asked, of, given, _references(session, access, of, row))
    n_right = sum(result.right is True for result in found)
    state = standing(
        n_items=len(of.item_ids),
        n_answered=len(given),
        n_right=n_right,
        pass_mark=asked.pass_mark,
        reviewers=asked.reviewers,
        reviews=[Review(reviewer.login, note.signs, note.created_at) for note, reviewer in said],
    )
    newest = {reviewer.login: note.signs for note, reviewer in said}
    counting = _counting(session, access, Stage(row.stage))
    called = apart({reviewer.login: reviewer.name for _, reviewer in said})
    comments: dict[str, list[tuple[str, str]]] = {}
    for note, reviewer in said:
        for item, text in note.comments.items():
            comments.setdefault(item, []).append((called[reviewer.login], text))
    return Try(
        row.public_id,
        login,
        name,
        row.number,
        Stage(row.stage),
        state,
        len(of.item_ids),
        len(given),
        n_right,
        asked.pass_mark,
        of.number,
        tuple(newest.items()),
        None,
        tuple(replace(each, comments=tuple(comments.get(each.item, ()))) for each in found) if results else (),
        superseded=bool(counting) and of.id not in {each.id for each in counting},
    )


def _results(
    session: Session,
    access: Access,
    asked: Qualification,
    of: StoredQualificationSet,
    given: Mapping[int, StoredAnnotation],
    reference: Sequence[StoredAnnotation],
) -> list[ItemResult]:
    """The items of a set, answered and compared."""
    by_thing: dict[int, list[StoredAnnotation]] = {}
    for row in reference:
        by_thing.setdefault(row.prediction_id or row.item_id, []).append(row)
    things = _things(session, of)
    contents = items.contents(session, ids=[thing.item.id for thing in things])
    results = []
    for at, thing in enumerate(things, start=1):
        mine = given.get(thing.id)
        content = contents[thing.item.id, mine.revision if mine else thing.item.current_revision]
        results.append(_result(access, asked, thing, content, mine, by_thing.get(thing.id, []), at))
    return results


def _result(
    access: Access,
    asked: Qualification,
    thing: _Thing,
    content: Mapping[str, Any],
    given: StoredAnnotation | None,
    reference: Sequence[StoredAnnotation],
    at: int,
) -> ItemResult:
    item = thing.item
    verification = access.schema.stages.verification
    keep = verification.keep if verification and thing.prediction is None else None
    deciding = criteria_that_decide(keep) if keep else _graded(access, item.dimension)
    key = content.get(keep.key) if keep and keep.key else None
    seniors = _most([tuple(row.answers.get(name) for name in deciding) for row in reference])
    answer = tuple(given.answers.get(name) for name in deciding) if given else ()
    by_key = None if key is None else bool(given) and all(same(value, key) for value in answer)
    by_seniors = None if seniors is None else bool(given) and all(map(same, answer, seniors))
    wanted = {"key": by_key, "seniors": by_seniors}.get(asked.against or "")
    if asked.against == "both":
        wanted = None if by_key is None or by_seniors is None else by_key and by_seniors
    elif asked.against is None:
        wanted = by_seniors if by_key is None else by_key
    shown = {
        field.name: content[field.name]
        for field in access.schema.item.fields
        if field.name in content and field.authored
    }
    return ItemResult(
        item.external_id if thing.prediction is None else f"{at}: {item.external_id}",  # models have no names here
        item.dimension,
        shown,
        dict(given.answers) if given else {},
        dict(given.reasons) if given else {},
        key,
        list(seniors) if seniors is not None and len(seniors) > 1 else seniors[0] if seniors else None,
        wanted,
        graded=thing.prediction.text if thing.prediction else None,
    )


def _references(
    session: Session,
    access: Access,
    of: StoredQualificationSet,
    row: StoredQualification,
    *,
    until: datetime | None = None,
) -> list[StoredAnnotation]:
    """What seniors and leads answered about the items of a set, this person left out."""
    found: list[StoredAnnotation] = []
    for other, person in qualifications.tries(session, project_id=access.project_id, stage=Stage(row.stage)):
        if other.set_id != of.id or person.id == row.person_id:
            continue
        role = _role(session, access, person)
        if role is not None and at_least(role, Role.SENIOR):
            found += qualifications.answers(session, qualification_id=other.id, until=until).values()
    return found


def _most(values: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """The answer of more than half of the seniors; None if there is none."""
    counted = Counter(map(repr, values))
    if not counted:
        return None
    word, n = counted.most_common(1)[0]
    return next(value for value in values if repr(value) == word) if 2 * n > len(values) else None


def _few(made: StoredQualificationSet, asked: Qualification) -> str:
    """That a set is smaller than it was to be; empty if it is not."""
    n, what = len(made.item_ids), "items" if made.prediction_ids is None else "answers"
    if made.wanted is not None and n < made.wanted:
        who = "the schema asks for" if made.wanted == asked.items else "were asked for"
        return f"{n} of the {made.wanted} {what} that {who}; the project had no more."
    return f"{n} of the {asked.items} {what} that the schema asks for." if n < asked.items else ""


@dataclass(frozen=True)
class _Thing:
    """What is answered about: an item, or a model's answer to it."""

    item: StoredItem
    prediction: StoredPrediction | None = None

    @property
    def id(self) -> int:
        return (self.item if self.prediction is None else self.prediction).id

    @property
    def name(self) -> str:
        return unit_of(self.item.external_id, self.prediction.model if self.prediction else None)


def _pool(session: Session, access: Access, stage: Stage) -> list[_Thing]:
    """What a set can be drawn from, in the order in which it came."""
    waiting = _without_media(session, access)
    rows = [row for row in items.of_project(session, project_id=access.project_id) if row.id not in waiting]
    rows.sort(key=lambda row: row.id)
    if stage is not Stage.GRADING:
        return [_Thing(row) for row in rows]
    by_id = {row.id: row for row in rows}
    graded = access.schema.stages.grading.dimensions if access.schema.stages.grading else None
    found = [
        _Thing(by_id[row.item_id], row)
        for row in files.predictions(session, project_id=access.project_id)
        if row.item_id in by_id
    ]
    return [thing for thing in found if graded is None or thing.item.dimension in graded]


def _without_media(session: Session, access: Access) -> set[int]:
    return missing_media.waiting_in(session, project_id=access.project_id, needed=access.needed_roles)


def _things(session: Session, of: StoredQualificationSet) -> list[_Thing]:
    """What is in a set."""
    found = items.by_ids(session, ids=of.item_ids)
    rows = [found[item_id] for item_id in of.item_ids]
    if of.prediction_ids is None:
        return [_Thing(row) for row in rows]
    return [_Thing(row, items.prediction(session, id=id)) for row, id in zip(rows, of.prediction_ids, strict=True)]


def _graded(access: Access, dimension: str) -> list[str]:
    """The criteria by which grades are compared: those with values that everybody gives."""
    return [
        criterion.name
        for criterion in registry.criteria_of(access.schema, Stage.GRADING.value, dimension)
        if kinds.of_criterion(criterion).compared and criterion.required
    ]


def _named(access: Access, pool: Sequence[_Thing], name: str) -> _Thing:
    for thing in pool:
        if thing.name == name:
            return thing
    raise NotFound(
        f"There is no {name!r} in {access.title} that could be in a set, or its images or clips are not there yet."
    )


def _member(session: Session, access: Access, login: str) -> StoredPerson:
    row = people.by_login(session, login=login.strip().casefold())
    if row is None or _role(session, access, row) is None:
        raise NotFound(f"{login!r} takes no part in {access.title}.")
    return row


def _role(session: Session, access: Access, row: StoredPerson) -> Role | None:
    """Somebody's role in the project; None if they take no part."""
    member = projects.member(session, project_id=access.project_id, person_id=row.id)
    return member.role if member else Role.LEAD if row.is_admin else None


def _must_be_senior(access: Access) -> None:
    if not at_least(access.role, Role.SENIOR):
        raise NotAllowed("Seniors and leads look at qualifications.")


def _record(
    session: Session, access: Access, by: Person | None, kind: str, now: datetime, data: Mapping[str, Any]
) -> None:
    events.record(
        session, at=now, kind=kind, project_id=access.project_id, person_id=by.id if by else None, data=dict(data)
    )
