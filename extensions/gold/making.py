"""Create gold checks, for leads: from items whose votes leave no doubt, or from answers that a lead enters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import randbelow
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Keep
from db import comment_threads, events, item_revisions, items, projects, qualifications, withdrawn_runs, work_pace
from db.engine import Session, Store
from db.records import StoredGold, StoredItem, StoredPrediction
from domain.comparison import same
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.order import evenly
from domain.policies import criteria_that_decide, targets
from domain.records import Person
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage
from extensions.gold import queries
from extensions.gold.checks import STAGES, asked_or_refuse, checked_reason
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


@dataclass(frozen=True)
class GoldCandidate:
    """An item, or a model's answer to it, with known right answers."""

    item: str
    """External id of the item."""
    model: str | None
    """In grading, the model that gave the answer."""
    dimension: str
    answers: Mapping[str, Any]


def candidates(store: Store, *, by: Person | None, project: str, stage: Stage) -> list[GoldCandidate]:
    """Return what can become a gold check because its votes or grades leave no doubt; leads only.

    Verification: kept items (the answer that keeps an item is right), and rejected items on which all votes agree.
    Grading: fully graded answers, on the criteria on which all grades agree. Existing gold checks are left out.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        asked_or_refuse(access, stage)
        return [_known_of(access, candidate) for candidate in candidates_in(session, access, stage)]


def count_candidates(store: Store, *, project: str, stage: Stage) -> int:
    """Return the number of ``candidates``; the caller must have checked the person's permission."""
    return len(candidates(store, by=None, project=project, stage=stage))


def mark(store: Store, *, by: Person | None, project: str) -> tuple[Any, ...]:
    """Return a value that changes whenever the candidates may have changed; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        id = access.project_id
        newest = [n for stage in STAGES for n in comment_threads.newest(session, project_id=id, stage=stage)]
        return (access.began, access.loaded.hash, *newest, events.newest(session, project_id=id))


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return how many submissions are searched for candidates; leads only."""
    with store.read() as session:
        return work_pace.count(session, project_id=require_lead(session, by=by, project=project).project_id)


def draw(store: Store, *, by: Person | None, project: str, stage: Stage, n: int) -> list[GoldCandidate]:
    """Make gold checks of up to ``n`` candidates, spread evenly over the dimensions, and return them."""
    if n < 1:
        raise InvalidInputError([Problem("n", "Give a number of at least 1.")])
    with store.read() as session:  # outside the write transaction: a large project takes a while
        access = require_lead(session, by=by, project=project)
        asked_or_refuse(access, stage)
        pool = candidates_in(session, access, stage)
        if not pool:
            raise InvalidInputError([Problem("n", _NOTHING_KNOWN[stage])])
        drawn = evenly(pool, n, seed=randbelow(2**31), of=lambda each: each[0].dimension)
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        wanted = {(item.id, of.id if of else None) for item, of, _ in drawn}
        some = items.by_ids(session, ids={id for id, _ in wanted}).values()
        chosen = [
            candidate
            for candidate in candidates_in(session, access, stage, only=some)
            if (candidate[0].id, candidate[1].id if candidate[1] else None) in wanted
        ]
        return make_checks(session, access, stage, chosen, by, now)


def add(
    store: Store, *, by: Person | None, project: str, stage: Stage, known: Sequence[GoldCandidate]
) -> list[GoldCandidate]:
    """Make gold checks of settled items (in grading: of models' answers) with the given right answers.

    Raises
    ------
    InvalidInputError
        Lists all problems by item; no gold check is made.
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        asked_or_refuse(access, stage)
        problems, chosen = [], []
        for candidate in known:
            try:
                chosen.append(_checked(session, access, stage, candidate))
            except NotFoundError as error:
                problems.append(Problem(candidate.item, str(error)))
            except InvalidInputError as error:
                problems += [
                    Problem(candidate.item, f"{candidate.item}: {problem.message}") for problem in error.problems
                ]
        if problems:
            raise InvalidInputError(problems)
        if not chosen:
            raise InvalidInputError([Problem("items", "Name at least one item with its right answers.")])
        return make_checks(session, access, stage, chosen, by, now)


def withdraw(store: Store, *, by: Person | None, gold: str, why: str) -> None:
    """Withdraw a gold check: people no longer get it, answers to it no longer count, and the reason is recorded."""
    why = checked_reason(why, "Give the reason for the withdrawal. Touchstone stores the reason.")
    with store.write() as session:
        row = queries.lock(session, public_id=gold)
        if row is None:
            raise NotFoundError("This gold check does not exist. Choose a gold check on the Gold checks page.")
        access = require_lead(session, by=by, project=projects.by_id(session, id=row.project_id).name)
        if row.withdrawn_at is not None:
            raise ConflictError("This gold check is already withdrawn. Reload the page to see its state.")
        queries.withdraw(session, gold=row, why=why, now=store.now())
        data = {"stage": row.stage, "why": why}
        log(session, "gold.withdrawn", by=by, project=access, item=row.item_id, now=store.now(), data=data)


_AT_ONCE = 1_000
"""Number of items whose contents are read at once."""

Candidate = tuple[StoredItem, StoredPrediction | None, dict[str, Any]]
"""An item, in grading the model's answer, and the right answers."""

_NOTHING_KNOWN = {
    **dict.fromkeys(
        VERIFICATIONS,
        "No other settled item has a clear answer. Settle more items, or list items together with their answers.",
    ),
    Stage.GRADING: "No other answer has complete and unanimous grades. Grade more answers, or name answers with "
    "their grades.",
}


def in_use(session: Session, access: Access, stage: Stage) -> set[tuple[int, int | None]]:
    """Return the items, and in grading the models' answers, that are gold checks in use."""
    gone = withdrawn_runs.ids(session, project_id=access.project_id)
    return {
        (row.item_id, row.prediction_id)
        for row, item, _ in queries.named(session, project_id=access.project_id, stage=stage)
        if row.withdrawn_at is None and is_usable(row, item, gone)
    }


def candidates_in(
    session: Session, access: Access, stage: Stage, only: Iterable[StoredItem] | None = None
) -> list[Candidate]:
    """Return the ``candidates`` inside a transaction, limited to ``only`` these items if given.

    Then kept items without votes are candidates too: their key is the right answer.
    """
    gone, taken = withdrawn_runs.ids(session, project_id=access.project_id), in_use(session, access, stage)
    some = items.of_project(session, project_id=access.project_id) if only is None else [*only]
    rows = {row.id: row for row in some}
    ids = None if only is None else sorted(rows)
    sent = [
        one
        for one in work_pace.submissions(session, project_id=access.project_id, item_ids=ids)
        if one.stage is stage and one.purpose is Purpose.LIVE
    ]
    replaced = {one.supersedes_id for one in sent}
    cast: dict[tuple[int, int | None], list[work_pace.TimedSubmission]] = defaultdict(list)
    if only is not None and stage in VERIFICATIONS:
        cast.update(((id, None), []) for id, row in rows.items() if row.state is ItemState.KEPT)
    for one in sent:
        row = rows.get(one.item_id)
        if one.id in replaced or row is None:
            continue
        if stage in VERIFICATIONS and one.revision != row.current_revision:
            continue
        cast[one.item_id, one.prediction_id].append(one)
    kept = [id for id, _ in cast if stage in VERIFICATIONS and rows[id].state is ItemState.KEPT]
    contents: dict[int, dict[str, Any]] = {}
    for begin in range(0, len(kept), _AT_ONCE):
        some_ids = kept[begin : begin + _AT_ONCE]
        there = item_revisions.present_contents(session, ids=some_ids, project_id=access.project_id)
        contents |= {id: content for id, (content, _) in there.items()}
    pool: list[Candidate] = []
    for (item_id, prediction_id), votes in sorted(cast.items(), key=lambda each: (each[0][0], each[0][1] or 0)):
        if (item_id, prediction_id) in taken or prediction_id in gone:
            continue
        item = rows[item_id]
        if stage in VERIFICATIONS:
            known = _known_verdict(access, stage, item, votes, contents.get(item_id, {}))
        else:
            known = _known_grade(access, item, votes)
        if known:
            prediction = items.prediction(session, id=prediction_id) if prediction_id is not None else None
            pool.append((item, prediction, known))
    return pool


def _known_verdict(
    access: Access,
    stage: Stage,
    item: StoredItem,
    votes: Sequence[work_pace.TimedSubmission],
    content: Mapping[str, Any],
) -> dict[str, Any] | None:
    part = access.schema.stages.verifications.get(stage.value)
    if part is None or item.state not in queries.SETTLED:
        return None
    if item.state is ItemState.KEPT:
        return kept_answers(part.keep, content)
    return _agreed([vote.answers for vote in votes], criteria_that_decide(part.keep))


def kept_answers(keep: Keep, content: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the answers that keep an item, by criterion; None if no key defines them.

    Criteria for which the rule sets limits are left out because they have several right answers.
    """
    by_criterion = {target.criterion: target.of(content).value for target in targets(keep) if not target.limited}
    return None if not by_criterion or any(value is None for value in by_criterion.values()) else by_criterion


def _known_grade(access: Access, item: StoredItem, votes: Sequence[work_pace.TimedSubmission]) -> dict[str, Any] | None:
    stage = access.schema.stages.grading
    if stage is None or len(votes) < stage.raters:
        return None
    names = [
        criterion.name
        for criterion in registry.criteria_of(access.schema, Stage.GRADING.value, item.dimension)
        if kinds.of_criterion(criterion).compared and criterion.required
    ]
    agreed = {
        name: value for name in names if (value := _same_value([vote.answers for vote in votes], name)) is not None
    }
    return agreed or None


def _agreed(given: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any] | None:
    by_criterion = {name: _same_value(given, name) for name in names}
    return None if len(given) < 2 or any(value is None for value in by_criterion.values()) else by_criterion


def _same_value(given: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the value that everyone gave; None if people differ or someone gave no value."""
    values = [answers.get(name) for answers in given]
    return values[0] if values and all(value is not None and same(value, values[0]) for value in values) else None


def _checked(session: Session, access: Access, stage: Stage, known: GoldCandidate) -> Candidate:
    item = items.by_external_id(session, project_id=access.project_id, external_id=known.item)
    if item is None:
        raise NotFoundError(f"There is no item {known.item!r} in {access.title}. Check the item's ID.")
    prediction = None
    if stage is Stage.GRADING:
        answers = items.answers_of(session, project_id=access.project_id, model=known.model or "")
        prediction = next((row for row, of in answers if of.id == item.id), None)
        if prediction is None:
            raise NotFoundError(
                f"{known.item}: the model {known.model!r} has no answer to this item. Name another model."
            )
    elif item.state not in queries.SETTLED:
        raise InvalidInputError(
            [
                Problem(
                    known.item,
                    "only a settled item can be a gold check, but people are still voting on this item. Settle "
                    "the item "
                    "first.",
                )
            ]
        )
    if not known.answers:
        raise InvalidInputError([Problem(known.item, "give the right answers to this item.")])
    criteria = registry.criteria_of(access.schema, stage.value, item.dimension)
    asked = [criterion for criterion in criteria if criterion.name in known.answers]
    unknown = sorted(set(known.answers) - {criterion.name for criterion in asked})
    if unknown:
        called = access.schema.stages.in_a_sentence(stage.value)
        raise InvalidInputError(
            [
                Problem(name, f"the {called} has no criterion {name!r}. Name a criterion of this stage.")
                for name in unknown
            ]
        )
    fields = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    bare = [criterion.model_copy(update={"show_if": {}, "skip": None}) for criterion in asked]
    # The right answer is the option; the reason that an option requires is up to the voter.
    bare = [
        criterion.model_copy(
            update={"options": tuple(option.model_copy(update={"reasons": ()}) for option in criterion.options)}
        )
        for criterion in bare
    ]
    expected = kinds.in_order(bare, known.answers, fields)
    problems = kinds.check_answers(bare, expected, {}, fields)
    if problems:
        raise InvalidInputError(problems)
    return item, prediction, expected


def make_checks(
    session: Session, access: Access, stage: Stage, chosen: Sequence[Candidate], by: Person | None, now: datetime
) -> list[GoldCandidate]:
    new = {(item.id, of.id if of else None) for item, of, _ in chosen}
    replaced = {id for id, _ in new} if stage in VERIFICATIONS else new
    for row, _, _ in queries.named(session, project_id=access.project_id, stage=stage):
        of_row = row.item_id if stage in VERIFICATIONS else (row.item_id, row.prediction_id)
        if row.withdrawn_at is None and of_row in replaced:
            queries.withdraw(session, gold=row, why="replaced", now=now)
    for item, of, known in chosen:
        queries.make(
            session,
            project_id=access.project_id,
            stage=stage,
            item=item,
            prediction=of,
            answers=known,
            schema_version_id=access.schema_version_id,
            by_id=by.id if by else None,
            now=now,
        )
        data = {"stage": stage.value, "answers": known}
        log(session, "gold.made", by=by, project=access, item=item, now=now, data=data)
    if by is not None:
        known_items = sorted({item.id for item, _, _ in chosen})
        qualifications.note_insights(session, item_ids=known_items, person_id=by.id, now=now)
    return [_known_of(access, candidate) for candidate in chosen]


def _known_of(access: Access, found: Candidate) -> GoldCandidate:
    item, prediction, answers = found
    return GoldCandidate(item.external_id, prediction.model if prediction else None, item.dimension, answers)


def known_checks(row: StoredGold, item: StoredItem, prediction: StoredPrediction | None) -> GoldCandidate:
    return GoldCandidate(item.external_id, prediction.model if prediction else None, row.dimension, dict(row.answers))


def is_usable(row: StoredGold, item: StoredItem, gone: Container[int | None]) -> bool:
    """Return whether people still get this check: its item is unchanged and settled, its run is not withdrawn."""
    settled = row.stage not in VERIFICATIONS or item.state in queries.SETTLED
    there = row.withdrawn_at is None and row.prediction_id not in gone
    return there and settled and item.current_revision == row.revision
