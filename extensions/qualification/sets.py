"""Item sets to pass before a stage: how they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import randbelow

from annotation_schemas.model import Qualification
from db import files, items, missing_media, qualifications
from db.engine import Session, Store
from db.records import StoredItem, StoredPrediction, StoredQualificationSet
from domain.errors import InvalidInputError, NotFoundError, Problem
from domain.order import evenly
from domain.rated_units import unit_of
from domain.records import Person
from domain.states import Stage
from extensions.qualification import queries
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate.qualification import policy


@dataclass(frozen=True)
class MadeSet:
    """A new or existing set of items to pass."""

    number: int
    items: Sequence[str]
    """External ids of the items."""
    few: str
    """Note that the set is smaller than planned; empty if it is not."""


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
    """Create the set of items to pass before a stage.

    Name the items, or let ``n`` of them (None: the schema's number) be drawn evenly over the dimensions with a stored
    seed. A set with fewer items notes that. With ``requalify``, people who passed an earlier set must pass this set
    too.
    """
    with store.write() as session:
        access, now = require_lead(session, by=by, project=project), store.now()
        asked = policy(access, stage)
        if asked is None:
            called = access.schema.stages.in_a_sentence(stage.value)
            raise InvalidInputError(
                [
                    Problem(
                        "stage",
                        f"The schema requires no qualification before the {called}. Choose another stage, or add a "
                        "qualification to the schema.",
                    )
                ]
            )
        seed = randbelow(2**31)
        pool = _pool(session, access, stage)
        chosen = (
            [_named(access, pool, name) for name in dict.fromkeys(names)]
            if names
            else evenly(pool, n or asked.items, seed=seed, of=lambda thing: thing.item.dimension)
        )
        if not chosen:
            raise InvalidInputError(
                [
                    Problem(
                        "items",
                        "A set needs at least one item that has all its images and clips. Import such items first.",
                    )
                ]
            )
        row = queries.make_set(
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
        data = {"number": row.number, "items": len(chosen)}
        log(session, "qualification.set_made", by=by, project=access, now=now, data=data)
        return MadeSet(row.number, [thing.name for thing in chosen], _few(row, asked))


def newest_set(
    store: Store, *, person: Person | None, project: str, stage: Stage = Stage.VERIFICATION
) -> MadeSet | None:
    """Return the newest set; None without a set; leads only."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        asked = policy(access, stage)
        made = qualifications.sets(session, project_id=access.project_id, stage=stage)
        if asked is None or not made:
            return None
        names = [thing.name for thing in entries_of(session, made[-1])]
        return MadeSet(made[-1].number, names, _few(made[-1], asked))


def _few(made: StoredQualificationSet, asked: Qualification) -> str:
    """Return the note that a set is smaller than planned; empty if it is not."""
    n, what = len(made.item_ids), "items" if made.prediction_ids is None else "answers"
    if made.wanted is not None and n < made.wanted:
        whose = "The schema asks" if made.wanted == asked.items else "You asked"
        return f"{whose} for {made.wanted} {what}, but the project has no more."
    return f"The schema asks for {asked.items} {what}." if n < asked.items else ""


@dataclass(frozen=True)
class SetEntry:
    """An entry of a set: an item, or a model's answer to an item."""

    item: StoredItem
    prediction: StoredPrediction | None = None

    @property
    def id(self) -> int:
        return (self.item if self.prediction is None else self.prediction).id

    @property
    def name(self) -> str:
        return unit_of(self.item.external_id, self.prediction.model if self.prediction else None)


def _pool(session: Session, access: Access, stage: Stage) -> list[SetEntry]:
    """Return the entries from which a set can be drawn, oldest first."""
    waiting = waiting_for_media(session, access)
    rows = [row for row in items.of_project(session, project_id=access.project_id) if row.id not in waiting]
    rows.sort(key=lambda row: row.id)
    if stage is not Stage.GRADING:
        return [SetEntry(row) for row in rows]
    by_id = {row.id: row for row in rows}
    graded = access.schema.stages.grading.dimensions if access.schema.stages.grading else None
    entries = [
        SetEntry(by_id[row.item_id], row)
        for row in files.predictions(session, project_id=access.project_id)
        if row.item_id in by_id
    ]
    return [thing for thing in entries if graded is None or thing.item.dimension in graded]


def waiting_for_media(session: Session, access: Access) -> set[int]:
    """Return the items (ids) of the project whose images or clips are missing."""
    return missing_media.waiting_in(session, project_id=access.project_id, needed=access.needed_roles)


def entries_of(session: Session, of: StoredQualificationSet) -> list[SetEntry]:
    """Return the entries of a set."""
    by_id = items.by_ids(session, ids=of.item_ids)
    rows = [by_id[item_id] for item_id in of.item_ids]
    if of.prediction_ids is None:
        return [SetEntry(row) for row in rows]
    return [SetEntry(row, items.prediction(session, id=id)) for row, id in zip(rows, of.prediction_ids, strict=True)]


def _named(access: Access, pool: Sequence[SetEntry], name: str) -> SetEntry:
    for thing in pool:
        if thing.name == name:
            return thing
    raise NotFoundError(
        f"Item {name!r} cannot be in a set. {access.title} does not have the item, or its images or clips are "
        "missing. Choose another item, or add the files."
    )
