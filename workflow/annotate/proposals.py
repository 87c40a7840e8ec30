"""Items that a model proposes: kept with their images, given to two arms by chance, shown to the authors of one.

No one else is shown them, nor which arm an item is of: not in the pool, and not those who verify, settle or grade.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation_schemas import proposals
from annotation_schemas.shown import shown_fields
from db import assets
from db.engine import Session, Store
from db.records import StoredAsset, StoredTask
from domain.drafting import Arm, Proposal, drawn
from domain.errors import InvalidInput, Problem
from domain.records import Person
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import must_be_the_same

IMPORTED, BEGUN, TIMED = "drafting.imported", "drafting.begun", "drafting.time_by_field"
"""Kinds of events: proposals came in; someone began an item in one of the arms; they were at its fields for so long."""


# ---- what an author is shown ----------------------------------------------------------------------------------------


def shown(session: Session, *, access: Access, row: StoredTask) -> dict[str, Any]:
    """What the author of an item begins with, where a model has proposed it and they are shown that; else nothing."""
    found = _of_task(session, row)
    if found is None or found[1].arm is not Arm.WITH:
        return {}
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    return {name: value for name, value in found[1].fields.items() if name in known}


def note_begun(session: Session, *, row: StoredTask, person: Person, now: datetime) -> None:
    """Someone begins an item on our page: in which arm, where it is of one."""
    found = _of_task(session, row)
    if found is not None:
        data = {"arm": found[1].arm.value, "asset": found[0].public_id}
        log(session, BEGUN, by=person, task=row, now=now, data=data)


def note_time(
    session: Session,
    *,
    access: Access,
    row: StoredTask,
    person: Person,
    at: Mapping[str, float],
    whole: float,
    now: datetime,
) -> None:
    """How long the author of an item in one of the arms was ``at`` each field, by a page that says it: in all at most
    the ``whole``. What a form of another time asked for is left out."""
    if _of_task(session, row) is None:
        return
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    told = {name: float(seconds) for name, seconds in at.items() if name in known and seconds > 0}
    in_all = sum(told.values())
    share = whole / in_all if in_all > whole else 1.0
    data = {"seconds": {name: share * seconds for name, seconds in told.items()}}
    log(session, TIMED, by=person, task=row, now=now, data=data)


def _of_task(session: Session, row: StoredTask) -> tuple[StoredAsset, Proposal] | None:
    """The proposal for the item that is written, and the asset that it is kept with."""
    if row.stage is not Stage.AUTHORING:
        return None
    for _, asset, _ in assets.picks(session, task_id=row.id):
        proposal = Proposal.of(asset.proposal)
        if proposal is not None and proposal.dimension == row.dimension:
            return asset, proposal
    return None


# ---- proposals come in ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Offered:
    """A proposal out of a file."""

    name: str
    """What the image is called, for people."""
    asset: str
    sha256: tuple[str, ...]
    """Of the files that the model was shown."""
    dimension: str
    fields: Mapping[str, Any]
    about: Mapping[str, str]


@dataclass(frozen=True)
class OfferedFile:
    """What a file offers."""

    sha256: str
    model: str
    proposals: tuple[Offered, ...]
    name: str = ""
    made: Mapping[str, Any] | None = None
    """How they were made, as the file beside it tells; it is kept in the log."""


@dataclass(frozen=True)
class Taken:
    """What became of proposals that were offered, or would."""

    arms: Mapping[Arm, int]
    before: int
    """Those of images that have an arm already, which they keep."""
    refused: tuple[tuple[str, str], ...]
    """Image and reason."""
    seed: int
    dimensions: Mapping[str, Mapping[Arm, int]] = field(default_factory=dict)
    """The images of each dimension, by arm."""


MOST_REASONS = 20
"""So many reasons are kept in the log, those of most proposals."""


def look_at_proposals(
    store: Store, *, by: Person | None, project: str, file: OfferedFile, share: float, seed: int | None = None
) -> Taken:
    """What ``import_proposals`` would come to now; nothing is kept. Raises as that does."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _decided(session, access, file, share=share, seed=seed, lock=False)[0]


def import_proposals(
    store: Store, *, by: Person | None, project: str, file: OfferedFile, share: float, seed: int | None = None
) -> Taken:
    """Keep proposals with their images, and give each image to an arm by chance, within its dimension; for leads.

    Parameters
    ----------
    share
        How many of a hundred, as a fraction, are in the arm whose authors are shown the proposal.
    seed
        Draws the arms; None: the project's own. It is kept in the log.

    Raises
    ------
    InvalidInput
        Nobody writes items here, or ``share`` is none.
    """
    with store.write() as session:
        now = store.now()
        access = require_lead(session, by=by, project=project)
        must_be_the_same(session, access=access)
        taken, kept = _decided(session, access, file, share=share, seed=seed, lock=True)
        for asset, proposal in kept:
            assets.propose(session, asset=asset, proposal=proposal.as_json())
        told: dict[str, Any] = {"file": file.sha256, "name": file.name, "model": file.model}
        told |= {"share": share, "seed": taken.seed, **{arm.value: n for arm, n in taken.arms.items()}}
        told |= {"refused": len(taken.refused), "before": taken.before, "why": _reasons(taken.refused)}
        if file.made is not None:
            told["made"] = dict(file.made)
        log(session, IMPORTED, by=by, project=access, now=now, data=told)
    return taken


def _decided(
    session: Session, access: Access, file: OfferedFile, *, share: float, seed: int | None, lock: bool
) -> tuple[Taken, list[tuple[StoredAsset, Proposal]]]:
    """What becomes of the proposals of a file, and what is kept with which image."""
    if not 0 < share <= 1:
        raise InvalidInput([Problem("share", f"The share is above 0 and at most 1, not {share:g}.")])
    if access.schema.stages.authoring is None:
        raise InvalidInput([Problem("project", f"Items of {access.name!r} come from files, and no one writes them.")])
    seed = access.seed if seed is None else seed
    fitting, before, refused = _fitting(session, access, file.proposals, lock=lock)
    of_dimension: dict[str, list[str]] = defaultdict(list)
    for _, each, _ in fitting:
        of_dimension[each.dimension].append(each.asset)
    shown_to = {unit for units in of_dimension.values() for unit in drawn(units, share=share, seed=seed)}
    arms, dimensions, kept = dict.fromkeys(Arm, 0), dict[str, dict[Arm, int]](), []
    for asset, each, content in fitting:
        arm = Arm.WITH if each.asset in shown_to else Arm.WITHOUT
        arms[arm] += 1
        dimensions.setdefault(each.dimension, dict.fromkeys(Arm, 0))[arm] += 1
        kept.append((asset, Proposal(arm, each.dimension, content, file.model, file.sha256, dict(each.about))))
    return Taken(arms, before, tuple(refused), seed, dimensions), kept


def _reasons(refused: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Why proposals were refused: how many for each reason, and the first image."""
    first: dict[str, str] = {}
    for name, why in refused:
        first.setdefault(why, name)
    counts = Counter(why for _, why in refused).most_common(MOST_REASONS)
    return [{"why": why, "n": n, "image": first[why]} for why, n in counts]


def _fitting(
    session: Session, access: Access, offered: Sequence[Offered], *, lock: bool
) -> tuple[list[tuple[StoredAsset, Offered, Mapping[str, Any]]], int, list[tuple[str, str]]]:
    """The proposals that can be taken, with asset and content; how many images have an arm; what is refused, why."""
    known = assets.by_public_ids(
        session, project_id=access.project_id, public_ids=[each.asset for each in offered], lock=lock
    )
    groups = assets.groups(
        session, project_id=access.project_id, names={row.group_name for row in known.values() if row.group_name}
    )
    may_lack = {field.name: None for field in proposals.asked_fields(access.schema) if not field.required}
    fitting, before, refused, met = [], 0, list[tuple[str, str]](), set[str]()
    for each in offered:
        asset = known.get(each.asset)
        if asset is not None and asset.proposal is not None and each.asset not in met:
            before += 1
            continue
        proposed = proposals.read_fields({**may_lack, **each.fields}, access.schema, each.dimension)
        members = [row for row, _ in groups.get(asset.group_name or "", [])] if asset is not None else []
        why = _why_not(access, asset, members, each) or (proposed.faults[0].what if proposed.faults else "")
        if each.asset in met:
            why = "Its image has a proposal already, further up in the file."
        if why or asset is None:
            refused.append((each.name, why))
            continue
        met.add(each.asset)
        fitting.append((asset, each, proposed.fields))
    return fitting, before, refused


def _why_not(access: Access, asset: StoredAsset | None, members: Sequence[StoredAsset], each: Offered) -> str:
    """Why an image cannot have this proposal; empty: it can."""
    if asset is None:
        return "There is no such image in this project."
    if not asset.in_pool:
        return "Its image is no longer free: someone writes about it, or has."
    if each.dimension not in {known.id for known in access.schema.dimensions}:
        return f"The schema has no dimension {each.dimension!r}."
    if asset.dimension not in (None, each.dimension):
        return f"Its image is for {asset.dimension!r} only, and the proposal for {each.dimension!r}."
    if [row.sha256 for row in members or [asset]] != list(each.sha256):
        return "Its image has another content than the model was shown."
    return ""
