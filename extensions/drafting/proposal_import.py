"""Import proposals: store each with its image, and assign the images to two arms at random.

The authors of one arm are shown the proposal (``author_form``). The pool, verifiers, adjudicators and graders see
neither the proposals nor an item's arm.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db import assets
from db.engine import Session, Store
from db.records import StoredAsset
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from extensions.drafting import proposal_reply, queries
from extensions.drafting.arms import Arm, Proposal, draw_arm
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import must_be_the_same

IMPORTED = "drafting.imported"
"""The kind of the event that says which proposals came in, and how they were made."""


@dataclass(frozen=True)
class OfferedProposal:
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
    proposals: tuple[OfferedProposal, ...]
    name: str = ""
    made: Mapping[str, Any] | None = None
    """How the proposals were made, from the file next to them; logged."""


@dataclass(frozen=True)
class ImportResult:
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
) -> ImportResult:
    """Return the result that ``import_proposals`` would have now; store nothing, raise the same errors."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _decided(session, access, file, share=share, seed=seed, lock=False)[0]


def import_proposals(
    store: Store, *, by: Person | None, project: str, file: OfferedFile, share: float, seed: int | None = None
) -> ImportResult:
    """Store proposals with their images and assign each image to an arm at random, within its dimension; leads only.

    Parameters
    ----------
    share
        Fraction of the images whose authors are shown the proposal.
    seed
        Draws the arms; None uses the project's seed. The seed is logged.

    Raises
    ------
    InvalidInputError
        The project has no authoring, or ``share`` is out of range.
    """
    with store.write() as session:
        now = store.now()
        access = require_lead(session, by=by, project=project)
        must_be_the_same(session, access=access)
        taken, kept = _decided(session, access, file, share=share, seed=seed, lock=True)
        for asset, proposal in kept:
            queries.propose(session, asset=asset, proposal=proposal.as_json())
        data: dict[str, Any] = {"file": file.sha256, "name": file.name, "model": file.model}
        data |= {"share": share, "seed": taken.seed, **{arm.value: n for arm, n in taken.arms.items()}}
        data |= {"refused": len(taken.refused), "before": taken.before, "why": _reasons(taken.refused)}
        if file.made is not None:
            data["made"] = dict(file.made)
        log(session, IMPORTED, by=by, project=access, now=now, data=data)
    return taken


def _decided(
    session: Session, access: Access, file: OfferedFile, *, share: float, seed: int | None, lock: bool
) -> tuple[ImportResult, list[tuple[StoredAsset, Proposal]]]:
    """Return the result of importing a file, and the proposals to store with their images."""
    if not 0 < share <= 1:
        raise InvalidInputError([Problem("share", f"The share must be above 0 and at most 1, not {share:g}.")])
    if access.schema.stages.authoring is None:
        raise InvalidInputError(
            [
                Problem(
                    "project",
                    f"Items of {access.name!r} come from files, so no author would see a proposal. Use a schema with "
                    "an authoring stage.",
                )
            ]
        )
    seed = access.seed if seed is None else seed
    fitting, before, refused = _fitting(session, access, file.proposals, lock=lock)
    of_dimension: dict[str, list[str]] = defaultdict(list)
    for _, proposal, _ in fitting:
        of_dimension[proposal.dimension].append(proposal.asset)
    shown_to = {unit for units in of_dimension.values() for unit in draw_arm(units, share=share, seed=seed)}
    arms, dimensions, kept = dict.fromkeys(Arm, 0), dict[str, dict[Arm, int]](), []
    for asset, proposal, content in fitting:
        arm = Arm.WITH if proposal.asset in shown_to else Arm.WITHOUT
        arms[arm] += 1
        dimensions.setdefault(proposal.dimension, dict.fromkeys(Arm, 0))[arm] += 1
        kept.append((asset, Proposal(arm, proposal.dimension, content, file.model, file.sha256, dict(proposal.about))))
    return ImportResult(arms, before, tuple(refused), seed, dimensions), kept


def _reasons(refused: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the refusals by reason, with their number and the first image."""
    first: dict[str, str] = {}
    for name, why in refused:
        first.setdefault(why, name)
    counts = Counter(why for _, why in refused).most_common(MOST_REASONS)
    return [{"why": why, "n": n, "image": first[why]} for why, n in counts]


def _fitting(
    session: Session, access: Access, offered: Sequence[OfferedProposal], *, lock: bool
) -> tuple[list[tuple[StoredAsset, OfferedProposal, Mapping[str, Any]]], int, list[tuple[str, str]]]:
    """Return the acceptable proposals (with asset and content), the number of images with an arm, and the refusals."""
    known = queries.by_public_ids(
        session, project_id=access.project_id, public_ids=[proposal.asset for proposal in offered], lock=lock
    )
    groups = assets.groups(
        session, project_id=access.project_id, names={row.group_name for row in known.values() if row.group_name}
    )
    may_lack = {field.name: None for field in proposal_reply.asked_fields(access.schema) if not field.required}
    fitting, before, refused, met = [], 0, list[tuple[str, str]](), set[str]()
    for proposal in offered:
        asset = known.get(proposal.asset)
        if asset is not None and asset.proposal is not None and proposal.asset not in met:
            before += 1
            continue
        proposed = proposal_reply.read_fields({**may_lack, **proposal.fields}, access.schema, proposal.dimension)
        members = [row for row, _ in groups.get(asset.group_name or "", [])] if asset is not None else []
        why = _why_not(access, asset, members, proposal) or (proposed.faults[0].what if proposed.faults else "")
        if proposal.asset in met:
            why = "An earlier line of the file already has a proposal for this image."
        if why or asset is None:
            refused.append((proposal.name, why))
            continue
        met.add(proposal.asset)
        fitting.append((asset, proposal, proposed.fields))
    return fitting, before, refused


def _why_not(access: Access, asset: StoredAsset | None, members: Sequence[StoredAsset], each: OfferedProposal) -> str:
    """Return why an image cannot have this proposal; empty if it can."""
    if asset is None:
        return "This image is not in the project."
    if not asset.in_pool:
        return "Someone is writing or has written an item about this image."
    if each.dimension not in {known.id for known in access.schema.dimensions}:
        return f"The schema has no dimension {each.dimension!r}."
    if asset.dimension not in (None, each.dimension):
        return f"The image is only for {asset.dimension!r}, but the proposal is for {each.dimension!r}."
    if [row.sha256 for row in members or [asset]] != list(each.sha256):
        return "The image differs from the image that the model saw."
    return ""
