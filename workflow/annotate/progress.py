"""How far things are: for a person, for the thin line on a working page, and for the lead."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from db import candidate_images, items, kept_counts, missing_media, people, projects, task_claims, task_counts, tasks
from db.engine import Session, Store
from db.records import StoredTally, StoredTask
from domain.records import Dashboard, DimensionProgress, NothingLeft, Person, Progress, StageWork
from domain.roles import Role, at_least
from domain.states import BLIND, ItemState, Stage, TaskState
from workflow.access.accounts import person_of
from workflow.access.projects import Access, access_to, projects_of, require_lead, role_for, stages_of
from workflow.annotate import gates, gold_checks, image_pool, qualification, refinement, triage
from workflow.annotate import grading as grade
from workflow.annotate.no_work import why_closed, why_nothing

WORKED_ON = (Stage.AUTHORING, Stage.VERIFICATION, Stage.ADJUDICATION, Stage.REFINEMENT, Stage.GRADING)
"""The stages that have a page."""

UNSETTLED = (ItemState.IN_VERIFICATION, ItemState.IN_ADJUDICATION)
"""States in which somebody still has to look at the item."""

MANY = 1000
"""From so many waiting items on, what is left is not counted every time."""
RECOUNT_AFTER = timedelta(minutes=1)
WORKING = timedelta(seconds=15)
"""So long the figures of somebody who submits one item after the other only move by what they submit."""
RECOUNT_COST = 2000
"""Counting takes at most one part in so many of a person's time, so that it does not fill the server with a hundred of
them: a quarter of a second each at ten thousand items."""


def progress(store: Store, *, person: Person, project: str, stage: Stage, fresh: bool = True) -> Progress:
    """The numbers in the thin line on top of a working page.

    What the person has done is always counted. What waits is counted again after a while only where that takes long
    (thousands of items) or, without ``fresh``, in any case; what the person has done since is taken off.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        qualifying = qualification.numbers(session, access=access, person=person, stage=stage)
        if qualifying is not None:
            return Progress(mine_done=qualifying[0], mine_left=qualifying[1], kept=0, decided=0)
        figures, counted = tallied(session, access=access, person=person, stage=stage, now=store.now(), fresh=fresh)
    if counted is not None:
        with store.write() as session:
            kept_counts.keep(session, row=counted)
    return _in_all(figures)


def at_once(session: Session, *, access: Access, person: Person, stage: Stage, now: datetime) -> Progress | None:
    """As ``progress`` without ``fresh``, in a transaction of others; None if something had to be counted for it."""
    if qualification.policy(access, stage) is not None:
        return None
    _, done = _done(session, access, person, stage, now)
    figures = _known(session, access, person, stage, done, now, fresh=False)
    return _in_all(figures) if figures is not None else None


def my_work(store: Store, *, person: Person) -> list[StageWork]:
    """What waits for a person in all of their projects, by stage and dimension."""
    views = projects_of(store, person=person)
    counted: list[StoredTally] = []
    with store.read() as session:
        now = store.now()
        lines = [
            line
            for view in views
            for line in _lines(session, access_to(session, person=person, project=view.name), person, now, counted)
        ]
    if counted:
        with store.write() as session:
            for row in counted:
                kept_counts.keep(session, row=row)
    return lines


def dashboard(store: Store, *, person: Person | None, project: str) -> Dashboard:
    """How far a project is, by dimension, and what keeps it from moving on; for its leads."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        states = items.count_by_state(session, project_id=access.project_id)
        grading = task_counts.count_by_state(session, project_id=access.project_id, stage=Stage.GRADING)
        blocked = _blocked(session, access)
        unseen = _without_media(session, access)
        rows = []
        for dimension in access.schema.dimensions:
            n = {state: states.get((dimension.id, state), 0) for state in ItemState}
            drafted = sum(n.values())
            why = list(blocked.get(dimension.id, ()))
            if dimension.id in unseen:
                why.append(_bring_in(access, unseen[dimension.id]))
            why += _too_few_images(session, access, dimension.id, dimension.wanted, drafted - n[ItemState.REJECTED])
            rows.append(
                DimensionProgress(
                    dimension=dimension.id,
                    title=dimension.title,
                    wanted=dimension.wanted,
                    drafted=drafted,
                    in_verification=n[ItemState.IN_VERIFICATION],
                    in_adjudication=n[ItemState.IN_ADJUDICATION],
                    kept=n[ItemState.KEPT],
                    rejected=n[ItemState.REJECTED],
                    unverified=n[ItemState.UNVERIFIED],
                    blocked=tuple(why),
                )
            )
        return Dashboard(
            project=access.name,
            title=access.title,
            made_up=access.made_up,
            rows=tuple(rows),
            free_images=image_pool.count(session, access=access, dimensions=None),
            graded=sum(n for (_, state), n in grading.items() if state is TaskState.DONE),
            to_grade=sum(n for (_, state), n in grading.items() if state is not TaskState.WITHDRAWN),
            sample=sample.sentence if (sample := grade.sample_of(session, access=access)) and sample.passed_on else "",
            refinement=refinement.counts(session, access=access),
            stopped=tuple(f"{name} ({stage.value})" for stage, name in gold_checks.stopped(session, access=access)),
            without_set=tuple(stage.value for stage in qualification.without_set(session, access=access)),
        )


# ---- for a person ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """What waits for a person in a stage and what they have done, by dimension; and what became of the items."""

    left: Mapping[str, int]
    done: Mapping[str, int]
    kept: int
    decided: int


def tallied(
    session: Session, *, access: Access, person: Person, stage: Stage, now: datetime, fresh: bool
) -> tuple[Figures, StoredTally | None]:
    """The figures of a person in a stage, and what to keep of them if they were counted just now and may be kept."""
    correcting, done = _done(session, access, person, stage, now)
    known = _known(session, access, person, stage, done, now, fresh=fresh)
    if known is not None:
        return known, None
    began = time.perf_counter()
    waiting = _waiting(session, access, person, stage, now)
    left = {name: waiting.get(name, 0) + correcting.get(name, 0) for name in waiting | correcting}
    states = {} if stage in BLIND else items.count_by_state(session, project_id=access.project_id)
    kept = sum(n for (_, state), n in states.items() if state is ItemState.KEPT)
    decided = kept + sum(n for (_, state), n in states.items() if state is ItemState.REJECTED)
    cost = RECOUNT_COST * timedelta(seconds=time.perf_counter() - began)
    counted = StoredTally(
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        counted_at=now,
        fresh_until=now + max(RECOUNT_AFTER, cost),
        left=left,
        done=done,
        kept=kept,
        decided=decided,
    )
    return Figures(left, done, kept, decided), counted


def _done(
    session: Session, access: Access, person: Person, stage: Stage, now: datetime
) -> tuple[dict[str, int], dict[str, int]]:
    """What a person has taken back into the form, and what they have done, by dimension."""
    where: dict[str, Any] = {"project_id": access.project_id, "stage": stage, "person_id": person.id}
    correcting = task_counts.count_correcting(session, **where, now=now)
    return correcting, _less(task_counts.count_done(session, **where), correcting)


def _known(
    session: Session,
    access: Access,
    person: Person,
    stage: Stage,
    done: Mapping[str, int],
    now: datetime,
    *,
    fresh: bool,
) -> Figures | None:
    """The figures as they follow from those of a while ago, if those will do."""
    known = kept_counts.of_person(session, project_id=access.project_id, person_id=person.id, stage=stage)
    if known is None or now >= known.fresh_until or not _still_good(known, done, now, fresh=fresh):
        return None
    return Figures(_less(known.left, _less(done, known.done)), done, known.kept, known.decided)


def _in_all(figures: Figures) -> Progress:
    return Progress(
        mine_done=sum(figures.done.values()),
        mine_left=sum(figures.left.values()),
        kept=figures.kept,
        decided=figures.decided,
    )


def _still_good(known: StoredTally, done: Mapping[str, int], now: datetime, *, fresh: bool) -> bool:
    """Whether figures of a while ago will do: where many wait, or for a moment while somebody works."""
    if sum(known.left.values()) - sum(done.values()) + sum(known.done.values()) >= MANY // 2:
        return sum(known.left.values()) >= MANY or not fresh
    return not fresh and now < known.counted_at + WORKING


def _less(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: max(some.get(name, 0) - others.get(name, 0), 0) for name in {**some, **others}}


NOTHING_YET = "Nothing to work on yet: bring in items or images, then give people their dimensions."


def what_is_missing(store: Store, *, person: Person | None, project: str) -> str:
    """What a lead does next in a project in which nobody can do anything."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        states = items.count_by_state(session, project_id=access.project_id)
        if not states and not image_pool.count(session, access=access, dimensions=None):
            return NOTHING_YET
        said = []  # a set has none of the items that wait, so these come first
        waiting = sum(each.items for each in _without_media(session, access).values())
        if waiting:
            said.append(
                f"{_items(waiting)} for images or clips that are not there, and nobody is given an item without them."
                " Import in the menu brings them in; Dashboard says which ones they are."
            )
        without = " and ".join(stage.value for stage in qualification.without_set(session, access=access))
        if without:
            said.append(
                f"The {without} asks people to qualify first, and there is no set of items for it: nobody gets in"
                " until you make one. Qualify in the menu does that."
            )
        return " ".join(said) or "Nothing waits for you. Dashboard in the menu says what waits for others, and why."


def _lines(
    session: Session, access: Access, person: Person, now: datetime, counted: list[StoredTally]
) -> list[StageWork]:
    lines = []
    for stage in stages_of(access.schema):
        if stage is Stage.TRIAGE and access.may_do(stage):
            lines.append(_sifting(session, access, person))
        if stage not in WORKED_ON or not access.may_do(stage):
            continue
        closed = gates.why_refused(gates.Visit(session, access, person, stage, now))
        figures, new = tallied(session, access=access, person=person, stage=stage, now=now, fresh=True)
        if new is not None and sum(new.left.values()) >= MANY:
            counted.append(new)
        waiting, done = _beyond(session, access, person, stage, closed) if closed else figures.left, figures.done
        for dimension in _mine_in_stage(access, stage):
            nothing = closed
            if nothing is None and not waiting.get(dimension):
                nothing = why_nothing(session, access=access, person=person, stage=stage, dimension=dimension, now=now)
            lines.append(
                StageWork(
                    project=access.name,
                    title=access.title,
                    stage=stage,
                    dimension=dimension,
                    waiting=waiting.get(dimension, 0),
                    mine_done=done.get(dimension, 0),
                    available=bool(waiting.get(dimension)),
                    why=_sentence(nothing),
                    code=nothing.code if nothing else "",
                )
            )
    return lines


def _beyond(session: Session, access: Access, person: Person, stage: Stage, closed: NothingLeft) -> Mapping[str, int]:
    """What somebody may still finish, by dimension, who gets no new work."""
    if closed.code != gold_checks.STOPPED:
        return {}
    return task_counts.count_in_hand(session, project_id=access.project_id, stage=stage, person_id=person.id)


def _sifting(session: Session, access: Access, person: Person) -> StageWork:
    """Candidate images belong to no dimension."""
    closed = why_closed(session, access=access, person=person, stage=Stage.TRIAGE, dimension=None)
    left = 0 if closed else triage.waiting(session, access=access)
    return StageWork(
        project=access.name,
        title=access.title,
        stage=Stage.TRIAGE,
        dimension="",
        waiting=left,
        mine_done=candidate_images.decided_by(session, project_id=access.project_id, person_id=person.id),
        available=left > 0,
        why=_sentence(closed) or ("" if left else "No frame waits to be sifted."),
    )


ENOUGH = "As many items as wanted are written."


def _sentence(nothing: NothingLeft | None) -> str:
    if nothing is None:
        return ""
    return ENOUGH if nothing.code == "pick_first" else nothing.sentence


def _mine_in_stage(access: Access, stage: Stage) -> list[str]:
    grading = access.schema.stages.grading
    graded = grading.dimensions if stage is Stage.GRADING and grading is not None else None
    return [
        dimension.id
        for dimension in access.schema.dimensions
        if access.may_use(dimension.id) and (graded is None or dimension.id in graded)
    ]


def _waiting(session: Session, access: Access, person: Person, stage: Stage, now: datetime) -> dict[str, int]:
    """How much a person could do now, by dimension: what is free and what they have in hand.

    In authoring it is the number of items still wanted, or of free images where that is smaller.
    """
    if stage is Stage.AUTHORING:
        waiting = _to_write(session, access)
    else:
        waiting = task_counts.count_available(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=access.dimensions,
            now=now,
        )
        known = gold_checks.left(session, access=access, person=person, stage=stage, live=waiting)
        waiting = {name: waiting.get(name, 0) + known.get(name, 0) for name in waiting | known}
    in_hand = task_counts.count_in_hand(session, project_id=access.project_id, stage=stage, person_id=person.id)
    return {dimension: waiting.get(dimension, 0) + in_hand.get(dimension, 0) for dimension in waiting | in_hand}


def _to_write(session: Session, access: Access) -> dict[str, int]:
    states = items.count_by_state(session, project_id=access.project_id)
    begun = task_counts.count_by_state(session, project_id=access.project_id, stage=Stage.AUTHORING)
    left = {}
    for dimension in access.schema.dimensions:
        if not access.may_use(dimension.id):
            continue
        free = image_pool.count(session, access=access, dimensions=(dimension.id,))
        written = sum(
            n for (where, state), n in states.items() if where == dimension.id and state is not ItemState.REJECTED
        )
        written += begun.get((dimension.id, TaskState.CLAIMED), 0)
        left[dimension.id] = free if dimension.wanted is None else min(free, max(dimension.wanted - written, 0))
    return left


# ---- for the lead ----------------------------------------------------------------------------------------------------


def _blocked(session: Session, access: Access) -> dict[str, list[str]]:
    """Items that nobody in the project may vote on or settle, as sentences by dimension."""
    in_project = projects.members(session, project_id=access.project_id)
    members = [(row.person_id, row.role, row.dimensions, row.stages) for row, _ in in_project]
    rows_of = [row for _, row in in_project]

    barred: dict[Stage, set[int]] = {}
    taking: dict[tuple[Stage, int], dict[int, str]] = {}

    def able(stage: Stage, dimension: str) -> tuple[set[int], int]:
        """Who may work there; and how many have the part for it but have not qualified or are stopped."""
        part = {
            person_id
            for person_id, role, dimensions, stages in members
            if at_least(role, role_for(access.schema, stage))
            and (dimensions is None or dimension in dimensions)
            and (stages is None or stage.value in stages)
        }
        if stage not in barred:
            barred[stage] = {row.id for row in rows_of if _is_barred(session, access, person_of(row), stage)}
        return part - barred[stage], len(part & barred[stage])

    def takes(stage: Stage, person_id: int) -> dict[int, str]:
        """The open slots that somebody may have, with their units."""
        if (stage, person_id) not in taking:
            taking[stage, person_id] = task_claims.may_be_taken(
                session, project_id=access.project_id, stage=stage, person_id=person_id
            )
        return taking[stage, person_id]

    found: dict[str, list[str]] = {}
    for dimension in access.schema.dimensions:
        found[dimension.id] = [
            *_too_few_verifiers(session, access, dimension.id, *able(Stage.VERIFICATION, dimension.id), takes),
            *_too_few_others(session, access, Stage.REFINEMENT, dimension.id, *able(Stage.REFINEMENT, dimension.id)),
            *_too_few_others(session, access, Stage.GRADING, dimension.id, *able(Stage.GRADING, dimension.id)),
        ]
    for dimension_id, sentence in _too_many_writers(access, members):
        found[dimension_id].append(sentence)
    if access.schema.stages.adjudication is not None:
        open_to_settle = tasks.unfinished(session, project_id=access.project_id, stage=Stage.ADJUDICATION)
        for dimension in access.schema.dimensions:
            may, _ = able(Stage.ADJUDICATION, dimension.id)
            orphans = [row for row in open_to_settle if row.dimension == dimension.id and row.state is TaskState.OPEN]
            for person_id in sorted(may):
                orphans = [row for row in orphans if row.id not in takes(Stage.ADJUDICATION, person_id)]
            if orphans:
                found[dimension.id].append(_who_is_needed(session, access, orphans, may))
    return found


def _too_many_writers(
    access: Access, members: Sequence[tuple[int, Role, Sequence[str] | None, Sequence[str] | None]]
) -> Iterator[tuple[str, str]]:
    """Where the parts that leads have given are more than the schema's authoring has, by dimension.

    It is about annotators who were given dimensions: whoever may write everywhere was given none in particular.
    """
    asked = access.schema.stages.authoring
    writing = [
        dimensions
        for _, role, dimensions, stages in members
        if role is Role.ANNOTATOR and dimensions is not None and (stages is None or Stage.AUTHORING.value in stages)
    ]
    if asked is None or not writing:
        return
    if asked.people is not None and len(writing) > asked.people:
        words = f"{_people(len(writing))} write in this project, and the schema has {asked.people}; see People."
        yield access.schema.dimensions[0].id, words
    for dimension in access.schema.dimensions:
        here = [dimensions for dimensions in writing if dimension.id in dimensions]
        most = asked.people_per_dimension
        if most is not None and len(here) > most:
            yield dimension.id, f"{_people(len(here))} write here, and the schema has {most} a dimension; see People."
        each = asked.dimensions_per_person
        n = sum(each is not None and len(dimensions) > each for dimensions in here)
        if n:
            yield dimension.id, f"{_people(n)} here with more than the schema's {each} dimensions each; see People."


def _is_barred(session: Session, access: Access, person: Person, stage: Stage) -> bool:
    asks = (qualification.require, gold_checks.why_stopped)
    return any(ask(session, access=access, person=person, stage=stage) is not None for ask in asks)


_EXACT = 4
"""Whether each item still has enough people to vote on it is looked up where at most so many more than its votes may
vote at all: among many people there is always somebody who has not seen it."""


def _too_few_verifiers(
    session: Session,
    access: Access,
    dimension: str,
    able: Set[int],
    barred: int,
    takes: Callable[[Stage, int], Mapping[int, str]],
) -> Sequence[str]:
    """Items with fewer people who may still vote on them than votes that they need."""
    verification = access.schema.stages.verification
    if verification is None or len(able) > verification.raters + _EXACT:
        return ()
    slots = task_counts.open_units(session, project_id=access.project_id, stage=Stage.VERIFICATION, dimension=dimension)
    takers = dict.fromkeys(slots, 0)
    for person_id in able if slots else ():
        for unit in set(takes(Stage.VERIFICATION, person_id).values()) & set(takers):
            takers[unit] += 1
    stuck = sum(takers[unit] < n for unit, n in slots.items())
    if not stuck:
        return ()
    return (
        f"{_items(stuck)} for {verification.raters} votes, but {_only(len(able))} may verify"
        f" here{_and_barred(barred)}, and nobody votes on an item that they wrote, edited, voted on or looked into;"
        " add verifiers.",
    )


def _too_few_others(
    session: Session, access: Access, stage: Stage, dimension: str, able: Set[int], barred: int
) -> Sequence[str]:
    """Models' answers that need more people than there are."""
    found = getattr(access.schema.stages, stage.value)
    needed = getattr(found, "raters", 1)
    if found is None or len(able) >= needed:
        return ()
    slots = task_counts.open_units(session, project_id=access.project_id, stage=stage, dimension=dimension)
    if not slots:
        return ()
    many = "1 answer of a model waits" if len(slots) == 1 else f"{len(slots)} answers of models wait"
    each = f" by {needed} people each" if needed > 1 else ""
    return (f"{many} for {stage.value}{each}, but {_only(len(able))} may do it here{_and_barred(barred)}; add people.",)


def _only(n: int) -> str:
    return f"only {_people(n)}" if n else "nobody"


def _and_barred(n: int) -> str:
    return (
        f" ({n} more {'has' if n == 1 else 'have'} not qualified or {'is' if n == 1 else 'are'} stopped)" if n else ""
    )


def _who_is_needed(session: Session, access: Access, stuck: Sequence[StoredTask], able: Set[int]) -> str:
    """Whom items wait for that none of those who settle may settle, and what each of them has done to the first."""
    role = role_for(access.schema, Stage.ADJUDICATION).value
    if not able:
        return f"{_items(len(stuck))} for a {role}, and nobody here is one; make somebody a {role} on People."
    item = items.by_id(session, id=stuck[0].item_id or 0)
    parts = items.parts(session, item_id=item.id)
    told = [
        f"{name} has {' and '.join(parts[person_id])} it"
        for person_id, name in sorted(people.names(session, ids=able).items())
        if person_id in parts
    ]
    which = item.external_id if len(stuck) == 1 else f"for instance {item.external_id}"
    return (
        f"{_items(len(stuck))} for another {role} ({which}): {', '.join(told)}."
        f" Make somebody who did none of that a {role} on People."
    )


def _without_media(session: Session, access: Access) -> dict[str, missing_media.Waiting]:
    """The items that wait for images or clips, by dimension."""
    return missing_media.by_dimension(
        session, project_id=access.project_id, states=UNSETTLED, needed=access.needed_roles
    )


def _bring_in(access: Access, waiting: missing_media.Waiting) -> str:
    """How many items wait for which images and clips, and how these come in."""
    parts = [
        f"{each.files} {each.kind}{'' if each.files == 1 else 's'}"
        f"{'' if each.role == each.kind else f' ({each.role})'}, such as {each.example}"
        f"{f' of {each.source}' if each.source else ''}"
        for each in waiting.lacking
    ]
    format = access.schema.source.format if access.schema.source else "FORMAT"
    return (
        f"{_items(waiting.items)} for what nobody has brought in: {'; '.join(parts)}. Import the same file again with"
        f" its media, on Import or with `touchstone import {access.name} {format} FILE --media DIR`."
    )


def _too_few_images(session: Session, access: Access, dimension: str, wanted: int | None, alive: int) -> Sequence[str]:
    """Items that cannot be written because the pool is empty."""
    if access.schema.stages.authoring is None or wanted is None or alive >= wanted:
        return ()
    missing = wanted - alive
    free = image_pool.count(session, access=access, dimensions=(dimension,))
    if free >= missing:
        return ()
    images = f"{free} free image{'' if free == 1 else 's'}"
    return (f"{missing} more {'item is' if missing == 1 else 'items are'} wanted, but the pool has {images} for it.",)


def _items(n: int) -> str:
    return "1 item waits" if n == 1 else f"{n} items wait"


def _people(n: int) -> str:
    return "1 person" if n == 1 else f"{n} people"
