"""Items that a model proposes: stored with their images, assigned to two arms at random, shown to authors of one arm.

The pool, verifiers, adjudicators and graders see neither the proposals nor an item's arm.
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
"""Event kinds: proposals imported; an item of an arm started; time spent on its fields."""


# ---- proposals on the author's page ---------------------------------------------------------------------------------


def shown(session: Session, *, access: Access, row: StoredTask) -> dict[str, Any]:
    """Return the proposed fields that the author of an item starts with; empty if the proposal is hidden or missing."""
    found = _of_task(session, row)
    if found is None or found[1].arm is not Arm.WITH:
        return {}
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    return {name: value for name, value in found[1].fields.items() if name in known}


def note_begun(session: Session, *, row: StoredTask, person: Person, now: datetime) -> None:
    """Log that a person starts an item with a proposal, and its arm."""
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
    """Log the time that an author spent ``at`` each field of an item with a proposal, as measured by the page.

    The sum is scaled down to at most ``whole``. Fields of earlier forms are left out.
    """
    if _of_task(session, row) is None:
        return
    known = {field.name for field in shown_fields(access.schema, Stage.AUTHORING)}
    told = {name: float(seconds) for name, seconds in at.items() if name in known and seconds > 0}
    in_all = sum(told.values())
    share = whole / in_all if in_all > whole else 1.0
    data = {"seconds": {name: share * seconds for name, seconds in told.items()}}
    log(session, TIMED, by=person, task=row, now=now, data=data)


def _of_task(session: Session, row: StoredTask) -> tuple[StoredAsset, Proposal] | None:
    """Return the proposal for the item being written, and the asset that holds it."""
    if row.stage is not Stage.AUTHORING:
        return None
    for _, asset, _ in assets.picks(session, task_id=row.id):
        proposal = Proposal.of(asset.proposal)
        if proposal is not None and proposal.dimension == row.dimension:
            return asset, proposal
    return None


# ---- import of proposals --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Offered:
    """A proposal from a file."""

    name: str
    """Name of the image, for people."""
    asset: str
    sha256: tuple[str, ...]
    """Hashes of the files that the model was shown."""
    dimension: str
    fields: Mapping[str, Any]
    about: Mapping[str, str]


@dataclass(frozen=True)
class OfferedFile:
    """The proposals in a file."""

    sha256: str
    model: str
    proposals: tuple[Offered, ...]
    name: str = ""
    made: Mapping[str, Any] | None = None
    """How the proposals were made, from the file next to them; logged."""


@dataclass(frozen=True)
class Taken:
    """Result or preview of a proposal import."""

    arms: Mapping[Arm, int]
    before: int
    """Number of images that keep the arm they have already."""
    refused: tuple[tuple[str, str], ...]
    """Image and reason of each refused proposal."""
    seed: int
    dimensions: Mapping[str, Mapping[Arm, int]] = field(default_factory=dict)
    """Number of images of each dimension, by arm."""


MOST_REASONS = 20
"""Maximum number of refusal reasons in the log; the most frequent ones are kept."""


def look_at_proposals(
    store: Store, *, by: Person | None, project: str, file: OfferedFile, share: float, seed: int | None = None
) -> Taken:
    """Return the result that ``import_proposals`` would have now; store nothing, raise the same errors."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _decided(session, access, file, share=share, seed=seed, lock=False)[0]


def import_proposals(
    store: Store, *, by: Person | None, project: str, file: OfferedFile, share: float, seed: int | None = None
) -> Taken:
    """Store proposals with their images and assign each image to an arm at random, within its dimension; leads only.

    Parameters
    ----------
    share
        Fraction of the images whose authors are shown the proposal.
    seed
        Draws the arms; None uses the project's seed. The seed is logged.

    Raises
    ------
    InvalidInput
        The project has no authoring, or ``share`` is out of range.
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
    """Return the result of importing a file, and the proposals to store with their images."""
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
    """Return the refusals by reason, with their number and the first image."""
    first: dict[str, str] = {}
    for name, why in refused:
        first.setdefault(why, name)
    counts = Counter(why for _, why in refused).most_common(MOST_REASONS)
    return [{"why": why, "n": n, "image": first[why]} for why, n in counts]


def _fitting(
    session: Session, access: Access, offered: Sequence[Offered], *, lock: bool
) -> tuple[list[tuple[StoredAsset, Offered, Mapping[str, Any]]], int, list[tuple[str, str]]]:
    """Return the acceptable proposals (with asset and content), the number of images with an arm, and the refusals."""
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
    """Return why an image cannot have this proposal; empty if it can."""
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
