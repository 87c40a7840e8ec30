"""A project's progress, for its leads: every dimension, its blockers, and its gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import datetime

from db import items, missing_media, people, projects, task_claims, task_counts, tasks
from db.answers import OF_ANSWERS
from db.engine import Session, Store
from domain.english import with_noun
from domain.records import Blocker, Dashboard, DimensionProgress, Person
from domain.roles import Role
from domain.states import UNSETTLED, Stage, TaskState
from workflow.access.accounts import person_of
from workflow.access.item_counts import count_by_dimension
from workflow.access.projects import Access, as_member, require_lead, role_for
from workflow.annotate import claim_rules, gates, image_pool, qualification, sent_back
from workflow.annotate import grading as grade
from workflow.annotate.stage_kinds import STAGE_KINDS
from workflow.annotate.verdicts import rounds_of


def dashboard(store: Store, *, person: Person | None, project: str) -> Dashboard:
    """Return a project's progress by dimension and what blocks it; leads only."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        grading = task_counts.count_by_state(session, project_id=access.project_id, stage=Stage.GRADING)
        counted = count_by_dimension(session, access=access)
        blocked = _blocked(session, access, store.now())
        unseen = _without_media(session, access)
        with_author = Counter(returned.dimension for returned in sent_back.of_project(session, access=access).values())
        rows = []
        for dimension in access.schema.dimensions:
            counts = counted[dimension.id]
            why = list(blocked.get(dimension.id, ()))
            if n_back := with_author[dimension.id]:
                why.append(
                    Blocker(
                        n_back,
                        "item is with its author",
                        "items are with their authors",
                        rest=_BACK,
                        page="items",
                        label="Show items",
                        stops=False,
                    )
                )
            if dimension.id in unseen:
                why.append(_missing_media_note(access, unseen[dimension.id]))
            why += _too_few_images(session, access, dimension.id, counts.left)
            rows.append(
                DimensionProgress(
                    dimension=dimension.id,
                    title=dimension.title,
                    counts=counts,
                    stuck=tuple(why),
                )
            )
        called = access.schema.stages.in_a_sentence
        return Dashboard(
            project=access.name,
            title=access.title,
            made_up=access.made_up,
            rows=tuple(rows),
            free_images=image_pool.count(session, access=access, dimensions=None),
            graded=sum(n for (_, state), n in grading.items() if state is TaskState.DONE),
            to_grade=sum(n for (_, state), n in grading.items() if state is not TaskState.WITHDRAWN),
            sample=sample.sentence if (sample := grade.sample_of(session, access=access)) and sample.passed_on else "",
            of_stages=[
                stage_progress
                for kind in STAGE_KINDS.values()
                if (stage_progress := kind.progress(session, access=access))
            ],
            warnings=tuple(claim_rules.lead_warnings(session, access=access)),
            without_set=tuple(called(stage.value) for stage in qualification.without_set(session, access=access)),
        )


_BACK = ", sent back with a reason. Voting starts again after a correction, or when you send the items to verification."


def _blocked(session: Session, access: Access, now: datetime) -> dict[str, list[Blocker]]:
    """Return, by dimension, the items that nobody in the project may vote on or settle."""
    members = {
        row.id: (person_of(row), as_member(access, member))
        for member, row in projects.members(session, project_id=access.project_id)
    }

    barred: dict[Stage, set[int]] = {}
    taking: dict[tuple[Stage, int], dict[int, str]] = {}

    def able(stage: Stage, dimension: str) -> tuple[set[int], int]:
        """Return the people who may work there, and the number of members who have not qualified or are stopped."""
        part = {
            person_id
            for person_id, (_, theirs) in members.items()
            if theirs.may_do(stage) and theirs.may_use(dimension)
        }
        if stage not in barred:
            barred[stage] = {
                person_id
                for person_id, (person, theirs) in members.items()
                if _is_barred(gates.Visit(session, theirs, person, stage, now))
            }
        return part - barred[stage], len(part & barred[stage])

    def takes(stage: Stage, person_id: int) -> dict[int, str]:
        """Return the open slots that a person may claim, with their units."""
        if (stage, person_id) not in taking:
            taking[stage, person_id] = task_claims.may_be_taken(
                session, project_id=access.project_id, stage=stage, person_id=person_id
            )
        return taking[stage, person_id]

    blockers: dict[str, list[Blocker]] = {}
    for dimension in access.schema.dimensions:
        blockers[dimension.id] = [
            *(
                sentence
                for stage in rounds_of(access.schema)
                for sentence in _too_few_verifiers(
                    session, access, stage, dimension.id, *able(stage, dimension.id), takes
                )
            ),
            *_too_few_others(session, access, Stage.REFINEMENT, dimension.id, *able(Stage.REFINEMENT, dimension.id)),
            *_too_few_to_answer(session, access, dimension.id, *able(Stage.ANSWERING, dimension.id), takes),
            *(
                sentence
                for stage in OF_ANSWERS
                for sentence in _too_few_others(session, access, stage, dimension.id, *able(stage, dimension.id))
            ),
        ]
    for dimension_id, sentence in _too_many_writers(access, [theirs for _, theirs in members.values()]):
        blockers[dimension_id].append(sentence)
    if access.schema.stages.adjudication is not None:
        open_to_settle = tasks.open_slots(session, project_id=access.project_id, stage=Stage.ADJUDICATION)
        for dimension in access.schema.dimensions:
            may, _ = able(Stage.ADJUDICATION, dimension.id)
            orphans = {id: item for id, where, item in open_to_settle if where == dimension.id}
            for person_id in sorted(may):
                theirs = takes(Stage.ADJUDICATION, person_id) if orphans else {}
                orphans = {id: item for id, item in orphans.items() if id not in theirs}
            if orphans:
                blockers[dimension.id].append(_who_is_needed(session, access, [*orphans.values()], may))
    return blockers


def _too_many_writers(access: Access, members: Sequence[Access]) -> Iterator[tuple[str, Blocker]]:
    """Yield the dimensions in which more annotators may write than the schema plans.

    Only annotators with assigned dimensions count; the others may write everywhere.
    """
    asked = access.schema.stages.authoring
    writing = [
        member.dimensions
        for member in members
        if member.role is Role.ANNOTATOR
        and member.dimensions is not None
        and (member.stages is None or Stage.AUTHORING in member.stages)
    ]
    if asked is None or not writing:
        return
    if asked.people is not None and len(writing) > asked.people:
        rest = f" in this project. The schema plans {asked.people}."
        yield access.schema.dimensions[0].id, _unplanned(len(writing), "person writes", "people write", rest)
    for dimension in access.schema.dimensions:
        here = [dimensions for dimensions in writing if dimension.id in dimensions]
        most = asked.people_per_dimension
        if most is not None and len(here) > most:
            rest = f" in one dimension. The schema plans {most}."
            yield dimension.id, _unplanned(len(here), "person writes", "people write", rest)
        each = asked.dimensions_per_person
        n = sum(each is not None and len(dimensions) > each for dimensions in here)
        if n:
            rest = f" in more dimensions than the {each} that the schema plans for each person."
            yield dimension.id, _unplanned(n, "person writes", "people write", rest)


def _unplanned(n: int, one: str, many: str, rest: str) -> Blocker:
    return Blocker(n, one, many, rest=rest, label="Change people", stops=False)


def _is_barred(visit: gates.Visit) -> bool:
    """Return whether a member of the stage gets no new work in it."""
    return gates.why_closed(visit) is None and gates.why_refused(visit) is not None


_EXACT = 4
"""Each item is checked for enough voters only if the eligible people exceed the necessary votes by at most this number.

Among more people there is always one who has not seen the item.
"""


def _too_few_verifiers(
    session: Session,
    access: Access,
    stage: Stage,
    dimension: str,
    able: Set[int],
    barred: int,
    takes: Callable[[Stage, int], Mapping[int, str]],
) -> Sequence[Blocker]:
    """Return the items whose remaining eligible voters are fewer than their missing votes."""
    part, rounds = rounds_of(access.schema)[stage], [*rounds_of(access.schema)]
    before = sum(rounds_of(access.schema)[earlier].raters for earlier in rounds[: rounds.index(stage)])
    if len(able) > part.raters + before + _EXACT:
        return ()
    slots = task_counts.open_units(session, project_id=access.project_id, stage=stage, dimension=dimension)
    takers = dict.fromkeys(slots, 0)
    for person_id in able if slots else ():
        for unit in set(takes(stage, person_id).values()) & set(takers):
            takers[unit] += 1
    stuck = sum(takers[unit] < n for unit, n in slots.items())
    if not stuck:
        return ()
    where = f" in {access.schema.stages.title_of(stage.value)}" if len(rounds) > 1 else ""
    rest = (
        f" for {with_noun(part.raters, 'vote')}{where}, but {_only(len(able))} may vote{_and_barred(barred)}. People "
        "cannot vote on an item that they wrote, edited, voted on or inspected."
    )
    return (Blocker(stuck, *_WAITS, rest=rest, label="Add verifiers"),)


def _too_few_to_answer(
    session: Session,
    access: Access,
    dimension: str,
    able: Set[int],
    barred: int,
    takes: Callable[[Stage, int], Mapping[int, str]],
) -> Sequence[Blocker]:
    """Return the items that need more answers than there are people without a part in them."""
    answering = access.schema.stages.answering
    most = _EXACT + sum(
        part.raters for part in rounds_of(access.schema).values()
    )  # people who verified an item do not answer it
    if answering is None or len(able) > answering.people + most:
        return ()
    slots = task_counts.open_units(session, project_id=access.project_id, stage=Stage.ANSWERING, dimension=dimension)
    takers = Counter(unit for person_id in able for unit in set(takes(Stage.ANSWERING, person_id).values()))
    stuck = sum(takers[unit] < n for unit, n in slots.items())
    if not stuck:
        return ()
    rest = (
        f" for answers by {with_noun(answering.people, 'person', 'people')}, but {_only(len(able))} may "
        f"answer{_and_barred(barred)}. People cannot answer an item that they worked on or inspected."
    )
    return (Blocker(stuck, *_WAITS, rest=rest),)


def _too_few_others(
    session: Session, access: Access, stage: Stage, dimension: str, able: Set[int], barred: int
) -> Sequence[Blocker]:
    """Return the models' answers that need more people than there are."""
    part = getattr(access.schema.stages, stage.value)
    needed = getattr(part, "raters", 1)
    if part is None or len(able) >= needed:
        return ()
    slots = task_counts.open_units(session, project_id=access.project_id, stage=stage, dimension=dimension)
    if not slots:
        return ()
    by_people = f" by {needed} people each" if needed > 1 else ""
    rest = f" for {stage.value}{by_people}, but {_only(len(able))} may do this work{_and_barred(barred)}."
    return (Blocker(len(slots), "model answer waits", "model answers wait", rest=rest),)


def _only(n: int) -> str:
    return f"only {with_noun(n, 'person', 'people')}" if n else "nobody"


def _and_barred(n: int) -> str:
    return (
        f" ({n} more {'has' if n == 1 else 'have'} not qualified or {'is' if n == 1 else 'are'} stopped)" if n else ""
    )


def _who_is_needed(session: Session, access: Access, stuck: Sequence[int], able: Set[int]) -> Blocker:
    """Return why nobody may settle these items (ids), and what each eligible person has done to the first item."""
    role = role_for(access.schema, Stage.ADJUDICATION).value
    if not able:
        rest = f" for a {role}, but this project has none."
        return Blocker(len(stuck), *_WAITS, rest=rest, label=f"Add {role}")
    item = items.by_id(session, id=stuck[0])
    parts = items.parts(session, item_id=item.id)
    histories = [
        f"{name} has {' and '.join(parts[person_id])} it"
        for person_id, name in sorted(people.names(session, ids=able).items())
        if person_id in parts
    ]
    which = item.external_id if len(stuck) == 1 else f"for instance {item.external_id}"
    return Blocker(
        len(stuck),
        f"item waits for another {role}",
        f"items wait for another {role}",
        detail=f" ({which}): {', '.join(histories)}",
        rest=f". Give another person the role {role}.",
        label=f"Add {role}",
    )


def _without_media(session: Session, access: Access) -> dict[str, missing_media.MissingMedia]:
    """Return the items that wait for images or clips, by dimension."""
    return missing_media.by_dimension(
        session, project_id=access.project_id, states=UNSETTLED, needed=access.needed_roles
    )


def _missing_media_note(access: Access, waiting: missing_media.MissingMedia) -> Blocker:
    """Return how many items wait for which images and clips, and how to import them."""
    parts = [
        f"{lacking.files:,} {lacking.kind}{'' if lacking.files == 1 else 's'}"
        f"{'' if lacking.role == lacking.kind else f' ({lacking.role})'}, such as {lacking.example}"
        f"{f' of {lacking.source}' if lacking.source else ''}"
        for lacking in waiting.lacking
    ]
    format = access.schema.source.format if access.schema.source else "FORMAT"
    return Blocker(
        waiting.items,
        "item waits for missing media",
        "items wait for missing media",
        detail=f": {'; '.join(parts)}",
        rest=(
            ". Import the same file again with its media, on the Add items page or with `touchstone "
            f"item import {access.name} {format} FILE --media DIR`."
        ),
        page="import_",
        label="Import media",
    )


ADD_IMAGES = "Add images"
"""The label of the button that leads to the image pool."""


def _too_few_images(session: Session, access: Access, dimension: str, missing: int) -> Sequence[Blocker]:
    """Return how many items cannot be written because the pool has too few images."""
    if access.schema.stages.authoring is None or not missing:
        return ()
    free = image_pool.count(session, access=access, dimensions=(dimension,))
    if free >= missing:
        return ()
    rest = f", but the pool has {free} free image{'' if free == 1 else 's'}."
    return (
        Blocker(
            missing,
            "item is left to write",
            "items are left to write",
            rest=rest,
            page="import_",
            label=ADD_IMAGES,
            stops=not free,
        ),
    )


_WAITS = ("item waits", "items wait")
