"""Hidden gold: settled items whose right answers are known, mixed into live work at a rate that the schema sets.

A piece of gold is a task of the purpose ``gold``, made for one person when their turn comes: drafts, undo, leases and
pages are those of live work, and nothing of it ever counts as a vote or a grade. When its turn comes follows from the
project's seed, the person, and how many tasks they have had, so that what waits and what a page fetches beforehand
tell the same story whichever task comes next.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import randbelow
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Gold, Keep
from db import (
    events,
    gold_items,
    items,
    people,
    projects,
    qualifications,
    task_counts,
    task_slots,
    withdrawn_runs,
    work_pace,
)
from db.engine import Session, Store
from db.records import StoredGold, StoredItem, StoredPrediction, StoredTask
from domain import csv_text
from domain.errors import Conflict, InvalidInput, NotFound, Problem
from domain.gold import GoldStanding, is_right, is_turn, standing, to_come
from domain.order import evenly
from domain.policies import KEEP_RULES, criteria_that_decide, same
from domain.records import NothingLeft, Person, ProjectView
from domain.states import ItemState, Purpose, Stage
from workflow.access.projects import Access, access_to, require_lead

STAGES = (Stage.VERIFICATION, Stage.GRADING)
"""The stages that may have gold: those in which people answer blind."""

LAG = 10
"""A person is warned of what they answered so many submissions ago or earlier: a warning that came at once would tell
which of their items was gold."""

LONGEST_WHY = 2_000

STOPPED = "stopped"
"""The code of the answer to somebody whose answers to gold have stopped them."""


@dataclass(frozen=True)
class Known:
    """An item, or a model's answer to it, with known answers."""

    item: str
    """External id."""
    model: str | None
    """In grading: whose answer it is."""
    dimension: str
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class GoldLine:
    """A piece of gold as leads see it."""

    id: str
    known: Known
    right: int
    n: int
    """People who answered; skips are left out."""
    skipped: int
    usable: bool
    """Whether it is still as it was when it was made, so that people are asked about it."""
    withdrawn: str | None
    """Why it was withdrawn; None: it was not."""


@dataclass(frozen=True)
class GoldScore:
    """A person's answers to gold in a stage, with Wilson's 95 % limits (None without answers)."""

    person: str
    name: str
    right: int
    n: int
    skipped: int
    standing: GoldStanding
    low: float | None
    high: float | None
    since: datetime | None
    """When a lead last let them work on: only what came after decides where they stand."""


# ---- what other use cases ask ----------------------------------------------------------------------------------------


def policy(access: Access, stage: Stage) -> Gold | None:
    """What the schema says of gold in a stage; None if nothing."""
    found: Gold | None = getattr(getattr(access.schema.stages, stage.value, None), "gold", None)
    return found


def due(
    session: Session, *, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> int | None:
    """The gold that a person's next task is to be; None if it is to be live work."""
    asked = _asked(session, access, stage)
    if asked is None or not is_turn(_had(session, access, person, stage), **_course(access, person, stage, asked)):
        return None
    waiting = _waiting(session, access, person, stage, dimensions)
    return waiting[0][0] if waiting else None


def hand_out(session: Session, *, access: Access, person: Person, gold_id: int, now: datetime) -> StoredTask | None:
    """Put gold into a person's hands; None if they have had it."""
    shuffle = task_slots.shuffle_key(seed=access.seed, unit=gold_items.unit_of(gold_id), slot=person.id)
    return gold_items.hand_out(session, gold_id=gold_id, person_id=person.id, now=now, shuffle=shuffle)


def left(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    live: Mapping[str, int],
) -> dict[str, int]:
    """How much gold comes, by dimension, before the last of the ``live`` tasks that wait for a person."""
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
    """The items of the live tasks that come next for a person, with those of the gold that comes among them."""
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


def why_stopped(session: Session, *, access: Access, person: Person, stage: Stage) -> NothingLeft | None:
    """Why somebody gets no more live work because of their answers to gold; None if they do."""
    asked = policy(access, stage)
    if asked is None or asked.stop_below is None or _asked(session, access, stage) is None:
        return None
    if _standing(session, access, stage, asked, person.id) is not GoldStanding.STOPPED:
        return None
    return NothingLeft(
        STOPPED,
        "Too many of your answers differ from known ones, so there is no more work for you here just now. Read the"
        " guideline again and talk to a lead of the project, who can let you go on.",
    )


def warnings(store: Store, *, person: Person, project: ProjectView) -> list[str]:
    """What a person is told about their answers to gold, a sentence for each stage. It speaks of a while ago
    (``LAG``)."""
    stages = [stage for stage in STAGES if getattr(getattr(project.schema.schema_.stages, stage), "gold", None)]
    if not stages:
        return []
    with store.read() as session:
        access = access_to(session, person=person, project=project.name)
        return [_warning(stage) for stage in stages if _is_warned(session, access, person, stage)]


def _warning(stage: Stage) -> str:
    return (
        f"More of your answers in the {stage.value} differ from known ones than this project allows for. Read the"
        " guideline again, and ask a senior where it leaves you in doubt."
    )


def _is_warned(session: Session, access: Access, person: Person, stage: Stage) -> bool:
    asked = policy(access, stage)
    if asked is None or asked.warn_below is None or not access.may_do(stage):
        return False
    until = gold_items.submission_before(
        session, project_id=access.project_id, stage=stage, person_id=person.id, back=LAG
    )
    found = _standing(session, access, stage, asked, person.id, until=until)
    return found in (GoldStanding.LOW, GoldStanding.STOPPED)


def shares(session: Session, *, access: Access, stage: Stage) -> dict[int, tuple[int, int]]:
    """How many of how many answers to gold are right, by person id; skips are left out."""
    found: dict[int, tuple[int, int]] = {}
    for answer, right in _scored(session, access, stage):
        if right is not None:
            k, n = found.get(answer.person_id, (0, 0))
            found[answer.person_id] = (k + right, n + 1)
    return found


# ---- the lead --------------------------------------------------------------------------------------------------------


def lines(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[GoldLine]:
    """All gold of a stage, and how often it was answered right; for leads. ``by`` None is the command on the machine.

    Whoever has looked knows the answers, so they are not asked about these items blind any more.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        given: dict[int, list[bool | None]] = defaultdict(list)
        for answer, right in _scored(session, access, stage):
            given[answer.gold_id].append(right)
        found = gold_items.named(session, project_id=access.project_id, stage=stage)
        gone = withdrawn_runs.ids(session, project_id=access.project_id)
        if by is not None:
            known = sorted({item.id for _, item, _ in found})
            qualifications.note_insights(session, item_ids=known, person_id=by.id, now=store.now())
        return [
            GoldLine(
                id=row.public_id,
                known=_known(row, item, prediction),
                right=sum(right is True for right in given[row.id]),
                n=sum(right is not None for right in given[row.id]),
                skipped=sum(right is None for right in given[row.id]),
                usable=_usable(row, item, gone),
                withdrawn=row.why if row.withdrawn_at is not None else None,
            )
            for row, item, prediction in found
        ]


def scores(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[GoldScore]:
    """Everybody who has answered gold in a stage, by login; for leads."""
    from agreement.limits import wilson  # numpy, which taking a task must not wait for

    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        asked = policy(access, stage)
        if asked is None:
            return []
        given: dict[int, list[bool | None]] = defaultdict(list)
        for answer, right in _scored(session, access, stage):
            given[answer.person_id].append(right)
        pardoned = gold_items.pardons(session, project_id=access.project_id, stage=stage)
        found = []
        for row in people.everybody(session):
            if row.id not in given:
                continue
            said = given[row.id]
            n, n_right = sum(each is not None for each in said), sum(each is True for each in said)
            limits = wilson(n_right / n, n) if n else None
            found.append(
                GoldScore(
                    person=row.login,
                    name=row.name,
                    right=n_right,
                    n=n,
                    skipped=len(said) - n,
                    standing=_standing(session, access, stage, asked, row.id),
                    low=limits.low if limits else None,
                    high=limits.high if limits else None,
                    since=pardoned.get(row.id),
                )
            )
        return sorted(found, key=lambda score: score.person)


def stopped(session: Session, *, access: Access) -> list[tuple[Stage, str]]:
    """The stages in which people are stopped by their answers to gold, and their names."""
    found = []
    for stage in STAGES:
        asked = policy(access, stage)
        if asked is None or asked.stop_below is None:
            continue
        answered = {answer.person_id for answer, _ in _scored(session, access, stage)}
        for person_id, name in sorted(people.names(session, ids=answered).items()):
            if _standing(session, access, stage, asked, person_id) is GoldStanding.STOPPED:
                found.append((stage, name))
    return found


def candidates(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[Known]:
    """What can be made gold because what people said leaves no doubt about it, and is no gold yet; for leads.

    In verification: settled items that were kept (the answer that keeps an item is the right one), and rejected ones
    on which all votes agree. In grading: models' answers that have all their grades, wherever these agree.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        _asked_or_refuse(access, stage)
        return [_known_of(access, found) for found in _candidates(session, access, stage)]


def draw(store: Store, *, by: Person | None, project: str, stage: Stage, n: int) -> list[Known]:
    """Make gold of ``n`` candidates, evenly over the dimensions; what was made. Fewer if there are no more."""
    if n < 1:
        raise InvalidInput([Problem("n", "Say how many, at least 1.")])
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        _asked_or_refuse(access, stage)
        found = _candidates(session, access, stage)
        if not found:
            raise InvalidInput([Problem("n", _NOTHING_KNOWN[stage])])
        chosen = evenly(found, n, seed=randbelow(2**31), of=lambda each: each[0].dimension)
        return _make(session, access, stage, chosen, by, now)


def add(store: Store, *, by: Person | None, project: str, stage: Stage, known: Sequence[Known]) -> list[Known]:
    """Make gold of settled items (in grading: of models' answers) with the answers that are given.

    Raises
    ------
    InvalidInput
        With everything that is wrong, by item; nothing is made then.
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        _asked_or_refuse(access, stage)
        problems, chosen = [], []
        for each in known:
            try:
                chosen.append(_checked(session, access, stage, each))
            except NotFound as error:
                problems.append(Problem(each.item, str(error)))
            except InvalidInput as error:
                problems += [Problem(each.item, f"{each.item}: {problem.message}") for problem in error.problems]
        if problems:
            raise InvalidInput(problems)
        if not chosen:
            raise InvalidInput([Problem("items", "Name at least one item with its right answers.")])
        return _make(session, access, stage, chosen, by, now)


def withdraw(store: Store, *, by: Person | None, gold: str, why: str) -> None:
    """Ask nobody about this gold any more, and let no answer to it count; the reason is kept."""
    why = _reason(why, "Say why it is withdrawn; it is kept.")
    with store.write() as session:
        row = gold_items.lock(session, public_id=gold)
        if row is None:
            raise NotFound("There is no such gold.")
        access = require_lead(session, by=by, project=projects.by_id(session, id=row.project_id).name)
        if row.withdrawn_at is not None:
            raise Conflict("It is withdrawn already.")
        gold_items.withdraw(session, gold=row, why=why, now=store.now())
        _record(session, access, by, "gold.withdrawn", store.now(), item_id=row.item_id, stage=row.stage, why=why)


def let_go_on(store: Store, *, by: Person | None, project: str, login: str, stage: Stage, why: str) -> None:
    """Let somebody work on who was stopped by their answers to gold; only later ones decide about them from now on."""
    why = _reason(why, "Say why they may go on; it is kept.")
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        asked = _asked_or_refuse(access, stage)
        row = people.by_login(session, login=login.strip().casefold())
        if row is None:
            raise NotFound(f"There is nobody named {login!r}.")
        if _standing(session, access, stage, asked, row.id) is not GoldStanding.STOPPED:
            raise Conflict(f"{row.name} is not stopped in the {stage.value}.")
        gold_items.pardon(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=row.id,
            by_id=by.id if by else None,
            why=why,
            now=now,
        )
        _record(session, access, by, "gold.let_go_on", now, stage=stage.value, login=row.login, why=why)


def as_csv(found: Iterable[GoldScore]) -> str:
    """People's scores as a table."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(["person", "name", "right", "n", "share", "low", "high", "skipped", "standing"])
    for each in found:
        limits = () if each.low is None or each.high is None else (each.right / each.n, each.low, each.high)
        share: list[object] = [round(value, 4) for value in limits] or ["", "", ""]
        writer.writerow([each.person, each.name, each.right, each.n, *share, each.skipped, each.standing.value])
    return out.getvalue()


# ---- inside ----------------------------------------------------------------------------------------------------------

Candidate = tuple[StoredItem, StoredPrediction | None, dict[str, Any]]
"""What is known: the item, in grading the model's answer, and the right answers."""

_NOTHING_KNOWN = {
    Stage.VERIFICATION: "No settled item is left whose right answers are beyond doubt; settle more, or name items with"
    " their answers.",
    Stage.GRADING: "No model's answer is left that has all its grades and on which they agree; grade more, or name"
    " some with their grades.",
}


def _asked(session: Session, access: Access, stage: Stage) -> Gold | None:
    asked = policy(access, stage)
    if asked is None or not gold_items.any_in(session, project_id=access.project_id, stage=stage):
        return None
    return asked


def _asked_or_refuse(access: Access, stage: Stage) -> Gold:
    asked = policy(access, stage)
    if asked is None:
        raise InvalidInput([Problem("stage", f"The schema has no `gold` in its {stage.value}.")])
    return asked


def _course(access: Access, person: Person, stage: Stage, asked: Gold) -> dict[str, Any]:
    return {"rate": asked.rate, "seed": access.seed, "parts": (stage.value, person.id)}


def _had(session: Session, access: Access, person: Person, stage: Stage) -> int:
    """How many tasks a person has had: done, or in their hands."""
    where: dict[str, Any] = {"project_id": access.project_id, "stage": stage, "person_id": person.id}
    return sum(task_counts.count_done(session, **where).values()) + sum(
        task_counts.count_in_hand(session, **where).values()
    )


def _waiting(
    session: Session, access: Access, person: Person, stage: Stage, dimensions: Sequence[str] | None
) -> list[tuple[int, int, str]]:
    """The gold that a person may still be asked about, in an order of their own."""
    found = gold_items.for_person(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimensions=dimensions,
        needed=access.needed_roles,
    )
    # Each piece is ranked by itself, so that the order of the rest stays when one is gone.
    return sorted(
        found,
        key=lambda each: task_slots.shuffle_key(seed=access.seed, unit=gold_items.unit_of(each[0]), slot=person.id),
    )


def _scored(
    session: Session, access: Access, stage: Stage, person_id: int | None = None
) -> list[tuple[gold_items.GoldAnswer, bool | None]]:
    given = gold_items.answers(session, project_id=access.project_id, stage=stage, person_id=person_id)
    expected = gold_items.expected(session, ids=[answer.gold_id for answer in given]) if given else {}
    return [
        (answer, is_right(answer.answers, expected[answer.gold_id])) for answer in given if answer.gold_id in expected
    ]


def _standing(
    session: Session, access: Access, stage: Stage, asked: Gold, person_id: int, *, until: int | None = None
) -> GoldStanding:
    """Where a person stands by what they answered since a lead last let them go on (and up to a submission)."""
    scored = _scored(session, access, stage, person_id)
    since = gold_items.pardons(session, project_id=access.project_id, stage=stage, person_id=person_id).get(person_id)
    said = [
        right
        for answer, right in scored
        if right is not None and (since is None or answer.at > since) and (until is None or answer.id <= until)
    ]
    return standing(
        right=sum(said), n=len(said), after=asked.after, warn_below=asked.warn_below, stop_below=asked.stop_below
    )


def _candidates(session: Session, access: Access, stage: Stage) -> list[Candidate]:
    gone = withdrawn_runs.ids(session, project_id=access.project_id)
    taken = {
        (row.item_id, row.prediction_id)
        for row, item, _ in gold_items.named(session, project_id=access.project_id, stage=stage)
        if row.withdrawn_at is None and _usable(row, item, gone)
    }
    sent = [
        one
        for one in work_pace.submissions(session, project_id=access.project_id)
        if one.stage is stage and one.purpose is Purpose.LIVE
    ]
    replaced = {one.supersedes_id for one in sent}
    cast: dict[tuple[int, int | None], list[work_pace.Sent]] = defaultdict(list)
    rows = {row.id: row for row in items.of_project(session, project_id=access.project_id)}
    for one in sent:
        row = rows.get(one.item_id)
        if one.id in replaced or row is None:
            continue
        if stage is Stage.VERIFICATION and one.revision != row.current_revision:
            continue
        cast[one.item_id, one.prediction_id].append(one)
    found: list[Candidate] = []
    for (item_id, prediction_id), votes in sorted(cast.items(), key=lambda each: (each[0][0], each[0][1] or 0)):
        if (item_id, prediction_id) in taken or prediction_id in gone:
            continue
        item = rows[item_id]
        if stage is Stage.VERIFICATION:
            known = _known_verdict(session, access, item, votes)
        else:
            known = _known_grade(access, item, votes)
        if known:
            prediction = items.prediction(session, id=prediction_id) if prediction_id is not None else None
            found.append((item, prediction, known))
    return found


def _known_verdict(
    session: Session, access: Access, item: StoredItem, votes: Sequence[work_pace.Sent]
) -> dict[str, Any] | None:
    stage = access.schema.stages.verification
    if stage is None or item.state not in gold_items.SETTLED:
        return None
    if item.state is ItemState.KEPT:
        content = items.content(session, item_id=item.id, revision=item.current_revision)
        return kept_answers(stage.keep, content)
    return _agreed([vote.answers for vote in votes], criteria_that_decide(stage.keep))


def kept_answers(keep: Keep, content: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answers that keep an item, by criterion; None where the rule keeps whatever the votes agree on."""
    by_key = keep.key is not None or KEEP_RULES[keep.rule].needs_key
    found = {
        name: content.get(keep.key or "") if by_key else keep.values.get(name, keep.value)
        for name in criteria_that_decide(keep)
    }
    return None if any(value is None for value in found.values()) else found


def _known_grade(access: Access, item: StoredItem, votes: Sequence[work_pace.Sent]) -> dict[str, Any] | None:
    stage = access.schema.stages.grading
    if stage is None or len(votes) < stage.raters:
        return None
    told = [
        criterion.name
        for criterion in registry.criteria_of(access.schema, Stage.GRADING.value, item.dimension)
        if kinds.of_criterion(criterion).compared and criterion.required
    ]
    agreed = {
        name: value for name in told if (value := _same_value([vote.answers for vote in votes], name)) is not None
    }
    return agreed or None


def _agreed(given: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any] | None:
    found = {name: _same_value(given, name) for name in names}
    return None if len(given) < 2 or any(value is None for value in found.values()) else found


def _same_value(given: Sequence[Mapping[str, Any]], name: str) -> Any:
    """The value that all gave; None if they differ, or somebody gave none."""
    values = [each.get(name) for each in given]
    return values[0] if values and all(value is not None and same(value, values[0]) for value in values) else None


def _checked(session: Session, access: Access, stage: Stage, known: Known) -> Candidate:
    item = items.by_external_id(session, project_id=access.project_id, external_id=known.item)
    if item is None:
        raise NotFound(f"There is no item {known.item!r} in {access.title}.")
    prediction = None
    if stage is Stage.GRADING:
        answers = items.answers_of(session, project_id=access.project_id, model=known.model or "")
        prediction = next((row for row, of in answers if of.id == item.id), None)
        if prediction is None:
            raise NotFound(f"{known.item}: there is no answer of a model {known.model!r} to it.")
    elif item.state not in gold_items.SETTLED:
        raise InvalidInput([Problem(known.item, "only a settled item can be gold; this one is still being voted on.")])
    if not known.answers:
        raise InvalidInput([Problem(known.item, "say what its right answers are.")])
    criteria = registry.criteria_of(access.schema, stage.value, item.dimension)
    asked = [criterion for criterion in criteria if criterion.name in known.answers]
    unknown = sorted(set(known.answers) - {criterion.name for criterion in asked})
    if unknown:
        raise InvalidInput([Problem(name, f"the {stage.value} does not ask {name!r}.") for name in unknown])
    fields = items.content(session, item_id=item.id, revision=item.current_revision)
    bare = [criterion.model_copy(update={"show_if": {}, "skip": None}) for criterion in asked]
    # A reason that an option wants is the voter's; what is known is the option.
    bare = [
        criterion.model_copy(
            update={"options": tuple(option.model_copy(update={"reasons": ()}) for option in criterion.options)}
        )
        for criterion in bare
    ]
    problems = kinds.check_answers(bare, dict(known.answers), {}, fields)
    if problems:
        raise InvalidInput(problems)
    return item, prediction, dict(known.answers)


def _make(
    session: Session, access: Access, stage: Stage, chosen: Sequence[Candidate], by: Person | None, now: datetime
) -> list[Known]:
    for row, item, prediction in gold_items.named(session, project_id=access.project_id, stage=stage):
        for other, of, _ in chosen:
            if (
                row.withdrawn_at is None
                and item.id == other.id
                and (prediction is None or (of and prediction.id == of.id))
            ):
                gold_items.withdraw(session, gold=row, why="replaced", now=now)
    for item, of, known in chosen:
        gold_items.make(
            session,
            project_id=access.project_id,
            stage=stage,
            item=item,
            prediction=of,
            answers=known,
            by_id=by.id if by else None,
            now=now,
        )
        _record(session, access, by, "gold.made", now, item_id=item.id, stage=stage.value, answers=known)
    if by is not None:
        known_items = sorted({item.id for item, _, _ in chosen})
        qualifications.note_insights(session, item_ids=known_items, person_id=by.id, now=now)
    return [_known_of(access, each) for each in chosen]


def _known_of(access: Access, found: Candidate) -> Known:
    item, prediction, answers = found
    return Known(item.external_id, prediction.model if prediction else None, item.dimension, answers)


def _known(row: StoredGold, item: StoredItem, prediction: StoredPrediction | None) -> Known:
    return Known(item.external_id, prediction.model if prediction else None, row.dimension, dict(row.answers))


def _usable(row: StoredGold, item: StoredItem, gone: Container[int | None]) -> bool:
    """Whether people are asked about it: not if its answer is one of those that were withdrawn with their run."""
    settled = row.stage != Stage.VERIFICATION.value or item.state in gold_items.SETTLED
    there = row.withdrawn_at is None and row.prediction_id not in gone
    return there and settled and item.current_revision == row.revision


def _reason(why: str, missing: str) -> str:
    text = why.replace("\0", "").strip()
    if not text:
        raise InvalidInput([Problem("why", missing)])
    if len(text) > LONGEST_WHY:
        raise InvalidInput([Problem("why", f"Shorten the reason to {LONGEST_WHY} characters.")])
    return text


def _record(
    session: Session,
    access: Access,
    by: Person | None,
    kind: str,
    now: datetime,
    *,
    item_id: int | None = None,
    **data: Any,
) -> None:
    events.record(
        session,
        at=now,
        kind=kind,
        project_id=access.project_id,
        person_id=by.id if by else None,
        item_id=item_id,
        data=data,
    )
