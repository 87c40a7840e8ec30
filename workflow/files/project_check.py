"""Checking a project against itself: caches against votes, slots against the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.model import Schema
from annotation_schemas.registry import criteria_of
from db import checks as queries
from db import (
    dimensions,
    events,
    guidelines,
    item_revisions,
    items,
    missing_media,
    outside_work,
    projects,
    runs,
    task_slots,
)
from db.engine import Session, Store
from domain import extensions
from domain.english import with_noun
from domain.errors import NotFoundError
from domain.policies import Verdict
from domain.run_kinds import RunKind
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, access_or_why, access_to
from workflow.access.schema_changes import unfinished
from workflow.access.stored_schemas import stored_schema
from workflow.annotate import answer_readings, sent_back
from workflow.annotate.verdicts import VerdictRules, judge, of_stage
from workflow.annotate.verification import follow, match_slots, open_missing
from workflow.files import exposures

_AT_ONCE = 2_000
_MENDED_AT_ONCE = 50
"""Items that one transaction settles: about as long as a page takes, so that voters who wait for it do not notice."""


def check(store: Store, *, project: str | None = None, rebuild: bool = False) -> list[str]:
    """Return every fault in a project (or in all) that its votes, policy and protocol do not explain; empty for none.

    Unread answers of models are read first. With ``rebuild``, cached states are recomputed from the votes, and missing
    slots are opened. Submissions are never changed.
    """
    with store.read() as session:
        names = [row.name for row in projects.everything(session)]
        by_project = {
            name: access_or_why(session, person=None, project=name) for name in names if project in (None, name)
        }
    if project is not None and project not in names:
        raise NotFoundError(f"There is no project {project!r}. Projects: {', '.join(names) or 'none'}.")
    why = {name: reason for name, reason in by_project.items() if isinstance(reason, str)}
    looked_at = [name for name in by_project if name not in why]
    for name in looked_at:
        answer_readings.fill_up(store, project=name)
    differences = [difference for name in looked_at for difference in _check_project(store, name, rebuild=rebuild)]
    return [*(f"{name}: Touchstone cannot read the schema. {sentence}" for name, sentence in why.items()), *differences]


def remarks(store: Store, *, project: str | None = None) -> list[str]:
    """Return remarks on facts that are valid but worth knowing, one sentence each.

    They cover votes under different guidelines, answers about moments outside a clip, items from a part of another
    project, missing extensions, and people who had been sent content that the schema withholds.
    """
    with store.read() as session:
        names = [row.name for row in projects.everything(session) if project in (None, row.name)]
        every = [access_or_why(session, person=None, project=name) for name in names]
        return [
            sentence
            for access in every
            if isinstance(access, Access)
            for look in (_mixed, _outside, _parts, _away, exposures.remarks)
            for sentence in look(session, access)
        ]


def _mixed(session: Session, access: Access) -> Iterator[str]:
    versions = guidelines.numbers(session, project_id=access.project_id)
    if len(versions) < 2:
        return
    votes = queries.current_annotations(session, project_id=access.project_id, stages=VERIFICATIONS)
    by_versions: dict[tuple[int, ...], list[int]] = {}
    for item_id, cast in votes.items():
        under = tuple(sorted({versions[vote.guideline_hash] for vote in cast if vote.guideline_hash in versions}))
        if len(under) > 1:
            by_versions.setdefault(under, []).append(item_id)
    for under, items_ in sorted(by_versions.items()):
        numbers = " and ".join(str(number) for number in under)
        n = with_noun(len(items_), "item has", "items have")
        yield f"{access.name}: {n} votes under versions {numbers} of the guideline. Verdicts count all votes equally."


def _parts(session: Session, access: Access) -> Iterator[str]:
    came = events.of_kinds(session, project_id=access.project_id, kinds=("items.imported",))
    for part in dict.fromkeys(event.data["part"] for event, _ in came if "part" in event.data):
        yield f"{access.name}: items were imported from {part}"


def _away(session: Session, access: Access) -> Iterator[str]:
    """Yield where a project needs an extension that is not installed."""
    for need in registry.needs(access.schema):
        if need.row.away:
            yield f"{access.name}: the schema needs an extension at {'.'.join(map(str, need.path))}. {need.row.meaning}"
    for sentence in extensions.missing_by_events(events.kinds(session, project_id=access.project_id)):
        yield f"{access.name}: {sentence}"
    for kind, why in extensions.all_missing("run_kinds").items():
        if n := len(runs.of_project(session, project_id=access.project_id, kind=RunKind(kind))):
            yield f"{access.name}: {n:,} {'run needs' if n == 1 else 'runs need'} an extension. {why}"
    away = extensions.missing("pages", "label_studio")
    for row in outside_work.servers(session, project_id=access.project_id) if away else ():
        if row.stages:
            yield (
                f"{access.name}: {row.address} has tasks of this project, but Touchstone cannot fetch the answers to "
                f"these tasks. {away}"
            )


def _outside(session: Session, access: Access) -> Iterator[str]:
    for stage in (*VERIFICATIONS, Stage.GRADING, Stage.COMPARISON, Stage.CODING):
        asked = [
            criterion for criterion in criteria_of(access.schema, stage.value) if kinds.of_criterion(criterion).in_clip
        ]
        if not asked:
            continue
        answered = queries.current_annotations(session, project_id=access.project_id, stages=(stage,))
        names = {item.id: item.external_id for item in items.of_project(session, project_id=access.project_id)}
        for item_id, shown in items.assets_of(session, ids=answered).items():
            clips = {
                link.role: media.duration if media else None for link, asset, media in shown if asset.kind == "clip"
            }
            for given, criterion in product(answered[item_id], asked):
                problem = kinds.of_criterion(criterion).outside(criterion, given.answers.get(criterion.name), clips)
                if problem:
                    yield f"{access.name}: an answer to {criterion.name} of item {names[item_id]} {problem}."


def _check_project(store: Store, name: str, *, rebuild: bool) -> list[str]:
    with store.read() as session:
        access = access_to(session, person=None, project=name)
        differences = [f"{name}: {sentence}" for sentence in _broken_rules(session, access)]
        under_way = unfinished(session, access)
        wrong = list(_differences(session, access))
        misplaced = list(_misplaced(session, access))
        unlike = missing_media.wrongly_noted(session, project_id=access.project_id, needed=access.needed_roles)
    differences += [f"{name}: {sentence}" for _, sentence in wrong]
    differences += [f"{name}: {sentence}" for _, _, sentence in misplaced]
    differences += [f"{name}: {_of_media(stage, item, waits)}" for _, stage, item, waits in unlike]
    if under_way is not None:
        differences.insert(0, under_way)  # it explains the rest
    if rebuild:
        _put_right(store, misplaced, unlike)
    if rebuild and (wrong or misplaced or unlike):
        _mend(store, name, sorted({item_id for item_id, _ in wrong}), n_differences=len(differences))
    return differences


def put_in_order(store: Store, *, project: str) -> None:
    """Give every slot its place in the order of its stage, and let it wait for required images and clips.

    Needed after a change of the schema in these.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        misplaced = list(_misplaced(session, access))
        unlike = missing_media.wrongly_noted(session, project_id=access.project_id, needed=access.needed_roles)
    _put_right(store, misplaced, unlike)


def _put_right(
    store: Store, misplaced: Sequence[tuple[int, int, str]], unlike: Sequence[tuple[int, str, str, bool]]
) -> None:
    for begin in range(0, len(misplaced), _MENDED_AT_ONCE):
        with store.write() as session:
            some = misplaced[begin : begin + _MENDED_AT_ONCE]
            task_slots.put_ranks(session, ranks={id: rank for id, rank, _ in some})
    for begin in range(0, len(unlike), _MENDED_AT_ONCE):
        with store.write() as session:
            for awaits in (True, False):
                some_ids = [id for id, _, _, waits in unlike[begin : begin + _MENDED_AT_ONCE] if waits is awaits]
                task_slots.note_media(session, ids=some_ids, awaits=awaits)


def _differences(session: Session, access: Access) -> Iterator[tuple[int, str]]:
    """Yield items (id, sentence) whose cached state or slots differ from their votes and the policy."""
    rules = VerdictRules(access)
    several = len(rules.rounds) > 1
    with_author = sent_back.of_project(session, access=access)  # other people are not asked about these items
    for lot in judged(session, access):
        slots = queries.current_slots(session, ids=[item.id for item in lot])
        contested = [item.id for item in lot if item.verdict.state is ItemState.IN_ADJUDICATION]
        units = queries.units_to_settle(session, ids=contested) if contested else ()
        to_settle = {(item_id, task_slots.settled_in(unit)) for item_id, unit in units}
        for item in lot:
            verdict, name = item.verdict, f"item {item.external_id}"
            if verdict.state is not item.state:
                became = (
                    f"is stored as {item.state.value}, but according to its votes the state is "
                    f"{verdict.state.value}. {verdict.why}"
                )
                yield item.id, f"{name} {became}"
            for stage in rules.rounds:
                offered, cast = slots.get((item.id, stage), 0), of_stage(item.votes, stage)
                missing = rules.wanted(cast, stage) - offered
                here = f" in {stage.value}" if several else ""
                if missing > 0 and verdict.state is VOTED_ON[stage] and item.id not in with_author:
                    yield item.id, f"{name} lacks {missing} of its slots for votes{here}."
                surplus = offered - len(cast)
                if surplus > 0 and verdict.state is not VOTED_ON[stage]:
                    where = stage.value if several else "verification"
                    yield (
                        item.id,
                        f"{name} is no longer in {where}, but has slots for {with_noun(surplus, 'more vote')}.",
                    )
            if verdict.state is ItemState.IN_ADJUDICATION and (item.id, verdict.stage) not in to_settle:
                yield item.id, f"{name} waits for a senior, but has no slot for a senior."


@dataclass(frozen=True)
class ItemWithVerdict:
    """An item with its counting votes and the verdict that follows."""

    id: int
    external_id: str
    state: ItemState
    fields: Mapping[str, Any]
    votes: Sequence[queries.ItemSubmission]
    decisions: Sequence[queries.ItemSubmission]
    verdict: Verdict


def judged(session: Session, access: Access) -> Iterator[list[ItemWithVerdict]]:
    """Yield all items in the order in which they came, in lots, because a large project does not fit into memory."""
    rules, last = VerdictRules(access), 0
    while some := items.with_states(session, project_id=access.project_id, after=last, limit=_AT_ONCE):
        last = some[-1][0]
        about: dict[str, Any] = {"project_id": access.project_id, "ids": [id for id, *_ in some]}
        fields = item_revisions.current_content(session, **about)
        current_annotations = queries.current_annotations(session, stages=(*VERIFICATIONS, Stage.ADJUDICATION), **about)
        lot = []
        for id, external_id, _, state in some:
            votes = [vote for vote in current_annotations.get(id, ()) if vote.stage is not Stage.ADJUDICATION]
            decisions = [
                decision for decision in current_annotations.get(id, ()) if decision.stage is Stage.ADJUDICATION
            ]
            verdict = rules.verdict(fields[id], votes, decisions)
            lot.append(ItemWithVerdict(id, external_id, state, fields[id], votes, decisions, verdict))
        yield lot


def _misplaced(session: Session, access: Access) -> Iterator[tuple[int, int, str]]:
    """Yield unfinished slots (id, rank, sentence) whose rank differs from the order of their stage."""
    for stage in (*VERIFICATIONS, Stage.ANSWERING, Stage.GRADING):
        part = getattr(access.schema.stages, stage.value)
        if part is None:
            continue
        for row in queries.unfinished(session, project_id=access.project_id, stage=stage):
            rank = task_slots.rank_of(part.order, slot=row.slot, item_id=row.item_id, priority=row.priority)
            begun = row.rank == task_slots.BEGUN and stage is Stage.GRADING and part.order == "random"
            if rank != row.rank and not begun:
                yield (
                    row.id,
                    rank,
                    f"item {row.external_id} has a slot for {stage.value} with the rank {row.rank},"
                    f" but the order {part.order} gives the rank {rank}.",
                )


def _of_media(stage: str, item: str, waits: bool) -> str:
    if waits:
        return f"item {item} lacks an image or clip, but its slot for {stage} is open."
    return f"item {item} has all images and clips, but its slot for {stage} still waits for media."


def _mend(store: Store, name: str, item_ids: Sequence[int], *, n_differences: int) -> None:
    """Recompute cached states and slots from the votes, a few items at a time, so that work can continue."""
    for begin in range(0, len(item_ids), _MENDED_AT_ONCE):
        with store.write() as session:
            access = access_to(session, person=None, project=name)
            held, now = items.lock_all(session, ids=item_ids[begin : begin + _MENDED_AT_ONCE]), store.now()
            about: dict[str, Any] = {"project_id": access.project_id, "ids": [item.id for item in held]}
            fields = item_revisions.current_content(session, **about)
            votes = queries.current_annotations(session, stages=VERIFICATIONS, **about)
            decisions = queries.current_annotations(session, stages=(Stage.ADJUDICATION,), **about)
            verdicts = [
                (item, judge(access, fields[item.id], votes.get(item.id, []), decisions.get(item.id, [])))
                for item in held
            ]
            follow(session, access=access, verdicts=verdicts, now=now)
            states = [(item, verdict.state) for item, verdict in verdicts]
            open_missing(session, access=access, states=states, now=now)
            match_slots(session, access=access, states=states)
    with store.write() as session:
        log(
            session,
            "project.rebuilt",
            project=access_to(session, person=None, project=name),
            now=store.now(),
            data={"differences": n_differences},
        )


def people_asked(schema: Schema) -> dict[Stage, int]:
    """Return how many people a schema asks about each unit, by stage; 0 without the stage."""
    parts = {
        stage: getattr(schema.stages, stage.value) for stage in Stage if stage not in (Stage.TRIAGE, Stage.AUTHORING)
    }
    return {
        stage: getattr(part, "raters", getattr(part, "people", 1)) if part is not None else 0
        for stage, part in parts.items()
    }


def _broken_rules(session: Session, access: Access) -> list[str]:
    """Return states that the constraints of the database should have made impossible."""
    broken = []
    had = [stored_schema(session, id=id).schema_ for id in access.reading.numbers]
    for stage, now in people_asked(access.schema).items():
        if not now and had:
            continue  # a change of the schema, or its undo, has removed the stage: its submissions are kept
        raters = max([now, *(people_asked(schema)[stage] for schema in had)])
        for unit, n in queries.overfilled(session, project_id=access.project_id, stage=stage, raters=raters):
            broken.append(f"{unit} has {n} submissions that count, but the schema asks for {raters}.")
    for external_id in dimensions.unlike(session, project_id=access.project_id, reading=access.reading):
        broken.append(f"item {external_id} or one of its slots has the wrong dimension.")
    for check in extensions.rows("project_checks"):
        broken += check(session, access=access)
    for external_id in queries.own_votes(session, project_id=access.project_id):
        broken.append(f"item {external_id} was verified by a person who wrote or edited the item.")
    for public_id in queries.strange_guidelines(session, project_id=access.project_id):
        broken.append(f"submission {public_id} names a guideline that this project never had.")
    for public_id in queries.mixed_purposes(session, project_id=access.project_id):
        broken.append(f"submission {public_id} and its task have different purposes.")
    for public_id in queries.done_without_annotation(session, project_id=access.project_id):
        broken.append(f"task {public_id} is done, but has no submission.")
    for public_id, weight in queries.strange_weights(session, project_id=access.project_id):
        broken.append(f"vote {public_id} has the weight {weight}, but a weight must be between 0 and 1.")
    for public_id in queries.annotated_but_open(session, project_id=access.project_id):
        broken.append(f"task {public_id} is open, but has a submission.")
    return broken
