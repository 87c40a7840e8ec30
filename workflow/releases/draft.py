"""The draft of a release, made from one state of a project: its items, their revisions and their splits."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from annotation_schemas.keys import question_field
from db import events, files, items, projects, releases
from db.engine import Session
from db.items import OutgoingItem
from db.releases import Asset, PlacedItem
from domain.errors import InvalidFileError
from domain.states import Stage
from exporters.release_keys import Canary, canary_of
from workflow.access.projects import Access
from workflow.files import exposures
from workflow.files.gate_counts import gates
from workflow.files.manifest_entries import counts_of, policy_of, schema_of
from workflow.releases.image_hashes import looks_of
from workflow.releases.kept_items import kept_items
from workflow.releases.settings import CardVersion, ReleaseOptions, about_in
from workflow.releases.split_groups import SplitRecord, groups_of
from workflow.releases.splits import SplitPlan, assign

if TYPE_CHECKING:
    from media.store import MediaStore

_AT_ONCE = 500


def version_of(number: int, point: int) -> str:
    """Return the version of a release: ``1``, or ``1.2`` after two withdrawals."""
    return f"{number}.{point}" if point else str(number)


@dataclass(frozen=True)
class Draft:
    """A release before its files are written."""

    access: Access
    asked: ReleaseOptions
    about: CardVersion
    placed: Sequence[PlacedItem]
    groups: Mapping[int, str]
    number: int
    point: int
    date: str
    told: Mapping[str, Any]
    """The entries of the manifest other than its list of files."""
    by_senior: frozenset[int]
    """Items that a senior settled."""
    canary: Canary
    notes: Sequence[str] = ()
    """Notes on how the draft was made, one sentence each."""

    @property
    def version(self) -> str:
        """Return the version of the release."""
        return version_of(self.number, self.point)

    @property
    def splits(self) -> list[str]:
        """Return the names of the splits in order."""
        return list(dict.fromkeys(item.split for item in self.placed))


def drawn_up(
    session: Session,
    media: MediaStore,
    access: Access,
    asked: ReleaseOptions,
    *,
    names: Mapping[int, str] | None = None,
) -> Draft:
    """Return the draft of a release of the items that are kept now.

    ``names`` are the pseudonyms of people, by person id.

    Raises
    ------
    InvalidFileError
        No item is kept.
    InvalidInputError
        The splits cannot be made; the sentence gives the reason.
    """
    plan = plan_of(asked)
    selection = kept_items(session, access, asked.schema_version)
    kept: list[_ReleasedRow] = []
    outgoing = items.each_outgoing(session, project_id=access.project_id)
    counts = counts_of(access, _noting(outgoing, selection.takes, kept))
    if not kept:
        raise InvalidFileError(
            f"{access.title} has no kept items. A release needs at least one kept item. Verify some items first."
        )
    before = {} if asked.anew else _splits_before(session, access, kept)
    assignment = assign(_records(session, media, access, kept, field=plan.field, asked=asked), plan, before=before)
    order = {name: place for place, name in enumerate(assignment.names)}
    in_order = sorted(kept, key=lambda row: order[assignment.split[row.external_id]])
    placed = [
        PlacedItem(row.id, row.current_revision, assignment.split[row.external_id], place)
        for place, row in enumerate(in_order)
    ]
    number = releases.last_number(session, project_id=access.project_id) + 1
    last = events.last_at(session, project_id=access.project_id)
    facts = {
        "schema": schema_of(session, access),
        "guideline": {"version": access.guideline, "sha256": access.loaded.guideline_hash},
        "policy": policy_of(access.schema),
        "counts": counts,
        "gates": gates(session, access=access),
        "drawn": assignment.sentences,
        "exposure": exposed(session, access, [row.id for row in kept], names or {}),
    }
    return Draft(
        access=access,
        asked=asked,
        about=about_in(session, access),
        placed=placed,
        groups=_named(kept, assignment.group),
        number=number,
        point=0,
        date=last.isoformat() if last else "",
        told=facts,
        by_senior=settled_by_seniors(session, access),
        canary=canary(session, access, number),
        notes=[f"Items that keep their split from an earlier release: {len(before):,}."] if before else (),
    )


class _ReleasedRow(NamedTuple):
    """The few values that are held for each released item, because there may be very many items."""

    id: int
    external_id: str
    dimension: str
    current_revision: int


def _noting(
    rows: Iterable[OutgoingItem], takes: Callable[[OutgoingItem], bool], kept: list[_ReleasedRow]
) -> Iterator[OutgoingItem]:
    """Yield all items unchanged, and append each item that the release takes to ``kept``."""
    for row in rows:
        if takes(row):
            kept.append(_ReleasedRow(row.id, row.external_id, row.dimension, row.current_revision))
        yield row


def plan_of(asked: ReleaseOptions) -> SplitPlan:
    """Return the splits that are asked for. Raises ``InvalidInputError`` if a split is malformed."""
    return SplitPlan.of(
        asked.splits,
        seed=asked.seed,
        by=asked.together,
        alike=asked.alike,
        off=Fraction(str(asked.off)),
        lacking=asked.lacking,
    )


def _splits_before(session: Session, access: Access, rows: Sequence[_ReleasedRow]) -> dict[str, str]:
    """Return the split of every item in the newest release that has the item, by the item's id in files."""
    splits = releases.splits_of_items(session, project_id=access.project_id)
    return {row.external_id: splits[row.id] for row in rows if row.id in splits}


def regrouped(
    session: Session, media: MediaStore, access: Access, asked: ReleaseOptions, ids: Sequence[int]
) -> dict[int, str]:
    """Return the group of every item of an earlier release, by item id."""
    wanted = set(ids)
    rows: list[_ReleasedRow] = []
    every = items.each_outgoing(session, project_id=access.project_id)
    deque(_noting(every, lambda row: row.id in wanted, rows), maxlen=0)
    records = _records(session, media, access, rows, field=None, asked=asked)
    return _named(rows, groups_of(records, asked.together, alike=asked.alike).of)


def exposed(session: Session, access: Access, ids: Sequence[int], names: Mapping[int, str]) -> dict[str, Any]:
    """Return how many votes have a complete exposure record, and which voters had been sent too much."""
    report = exposures.report_of(session, access=access)
    wanted = set(ids)
    return {
        "since": report.since.isoformat() if report.since else None,
        "stages": {
            stage.stage.value: {"votes": stage.votes, "known": stage.complete, "faulty": stage.faulty}
            for stage in report.stages
        },
        "from_files": report.from_files,
        "faults": [
            {
                "item": fault.item,
                "stage": fault.stage,
                "vote": fault.vote,
                "person": names.get(fault.person_id, ""),
                "what": fault.what,
                "sent_at": fault.sent_at.isoformat(),
                "route": fault.route.value,
                "sha256": fault.sha256,
            }
            for fault in report.faults
            if fault.counts and fault.item_id in wanted
        ],
    }


def settled_by_seniors(session: Session, access: Access) -> frozenset[int]:
    """Return the kept items that a senior settled."""
    decided = files.on_kept_items(session, project_id=access.project_id, stage=Stage.ADJUDICATION)
    return frozenset(decision.item_id for decision in decided)


def canary(session: Session, access: Access, number: int) -> Canary:
    """Return the canaries of a release, which all of its point releases share."""
    secret = projects.by_id(session, id=access.project_id).release_key
    return canary_of(bytes.fromhex(secret), access.name, str(number))


def _named(rows: Sequence[_ReleasedRow], groups: Mapping[str, str]) -> dict[int, str]:
    """Return the groups by item id, without groups of a single item."""
    times = Counter(groups.values())
    by_item = {row.id: groups[row.external_id] for row in rows}
    return {id: group for id, group in by_item.items() if not group.startswith("item:") or times[group] > 1}


def _records(
    session: Session,
    media: MediaStore,
    access: Access,
    rows: Sequence[_ReleasedRow],
    *,
    field: str | None,
    asked: ReleaseOptions,
) -> list[SplitRecord]:
    """Return the items as the split rules read them.

    Images are hashed only if there are splits and near duplicates count. Texts and fields are read only if asked for.
    """
    looks = bool(asked.splits) and "near" in asked.together
    text = question_field(access.schema) if "text" in asked.together else None
    split_records: list[SplitRecord] = []
    once: dict[str, str] = {}  # items share images and sources: each of their names is kept once
    seen: dict[str, int] = {}
    for first in range(0, len(rows), _AT_ONCE):
        lot = rows[first : first + _AT_ONCE]
        assets: dict[int, list[Asset]] = {}
        for asset in releases.assets(session, item_ids=[row.id for row in lot]):
            assets.setdefault(asset.item_id, []).append(asset)
        revisions = {row.id: row.current_revision for row in lot}
        contents = (
            releases.contents(session, project_id=access.project_id, revisions=revisions) if field or text else {}
        )
        for row in lot:
            own = assets.get(row.id, [])
            value = contents[row.id].get(field) if field is not None else None
            split_records.append(
                SplitRecord(
                    id=row.external_id,
                    dimension=row.dimension,
                    sources=tuple(
                        dict.fromkeys(once.setdefault(asset.source, asset.source) for asset in own if asset.source)
                    ),
                    media=tuple(
                        dict.fromkeys(once.setdefault(asset.sha256, asset.sha256) for asset in own if asset.sha256)
                    ),
                    looks=tuple(looks_of(media, own, seen)) if looks else (),
                    text=str(contents[row.id].get(text) or "") if text is not None else "",
                    value=None if value is None else str(value),
                )
            )
    return split_records
