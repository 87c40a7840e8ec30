"""Triage: people keep candidate images for the pool or drop them; the schema can limit the kept images per source."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median

from annotation_schemas.model import Triage
from db import assets, candidate_images
from db.engine import IntegrityError, Session, Store
from db.records import StoredAsset, StoredCandidate, StoredMediaObject
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError, NotFoundError, Problem
from domain.language import _, marked, ngettext
from domain.records import AssetView, NoTask, Person
from domain.states import Stage, TriageState
from extensions.image_pool import queries
from extensions.image_pool.triage_figures import triage_of, waiting
from extensions.image_pool.triage_records import TriageFrame, TriageGroup, TriageReceipt
from extensions.image_pool.triage_report import triage_counts
from media.perceptual_hash import ALIKE, distance
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to, require_lead
from workflow.annotate.no_work import why_closed
from workflow.annotate.task_views import asset_view

AT_ONCE = 8
"""Maximum number of images shown together."""

BLURRED = 0.25
"""Share of its source's median sharpness below which an image may be blurred."""

ENOUGH = 3
"""Minimum number of images of a source for a median."""

LONGEST_REASON = 200


def next_group(store: Store, *, person: Person, project: str) -> TriageGroup | NoTask:
    """Return the person's current group, or the next free candidate with the images that look like it."""
    with store.write() as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        closed = why_closed(session, access=access, person=person, stage=Stage.TRIAGE, dimension=None)
        if closed is not None:
            return closed
        part = triage_of(access)
        mine = queries.in_hand(
            session, project_id=access.project_id, person_id=person.id, now=now, per_source=part.per_source
        )
        if not mine:
            queries.release(session, project_id=access.project_id, person_id=person.id)
            mine = _claim(session, access, part, now)
        if not mine:
            return _why_nothing(session, access, part)
        queries.give(session, rows=mine, person_id=person.id, now=now)
        return _view(session, access, person, part, mine)


def decide(
    store: Store, *, person: Person, project: str, keep: Sequence[str], drop: Mapping[str, str], key: str
) -> TriageReceipt:
    """Keep some candidates and drop others, each with a reason from the schema or a typed one.

    Either all decisions are stored or none. Sending the same key again changes nothing.

    Raises
    ------
    ConflictError
        Another person has decided, or a source has given as many images as the schema allows.
    LeaseLostError
        Another person holds one of the images.
    """
    _check_request(keep, drop, key)
    try:
        with store.write() as session:
            access = _annotator(session, person, project)
            return _decide(session, access, person, list(dict.fromkeys(keep)), drop, key, store.now())
    except IntegrityError as error:
        raise ConflictError(_(_OTHER_KEY)) from error


def undo(store: Store, *, person: Person, project: str) -> TriageReceipt | None:
    """Take back this person's last valid decision and show its images again; return None without such a decision.

    Raises
    ------
    ConflictError
        Someone is writing an item about a kept image already.
    """
    with store.write() as session:
        now = store.now()
        access = _annotator(session, person, project)
        last = queries.last_standing(session, project_id=access.project_id, person_id=person.id)
        if last is None:
            return None
        sent = {row.id: row for row in queries.by_key(session, person_id=person.id, key=last.submit_key)}
        locked_rows = candidate_images.lock(
            session, project_id=access.project_id, asset_ids=[row.asset_id for row in sent.values()]
        )
        mine = [
            (row, asset)
            for row, asset in locked_rows
            if row.decision_id in sent and row.state is not TriageState.WAITING
        ]
        groups = {row.group_id for row, _ in mine}
        held = queries.in_hand(session, project_id=access.project_id, person_id=person.id, now=now, per_source=None)
        if any(row.group_id not in groups for row in held):
            queries.release(session, project_id=access.project_id, person_id=person.id)
        counted = Counter(row.state for row, _ in mine)
        _reopen(session, access, person, mine, "undone", now)
        queries.give(session, rows=[row for row, _ in mine], person_id=person.id, now=now)
        return TriageReceipt(kept=counted[TriageState.KEPT], dropped=counted[TriageState.DROPPED])


def restore(store: Store, *, by: Person | None, project: str, frames: Sequence[str]) -> int:
    """Send dropped images, and kept images that are still unused, back to triage; return how many; leads only."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        locked_rows = candidate_images.lock(
            session, project_id=access.project_id, asset_ids=_ids(session, access, frames)
        )
        decided = [(row, asset) for row, asset in locked_rows if row.state is not TriageState.WAITING]
        _reopen(session, access, by, decided, "brought_back", store.now())
        return len(decided)


_OTHER_KEY = marked(
    "This decision was not stored, because an earlier, different decision has the same key. Reload the page."
)


def _check_request(keep: Sequence[str], drop: Mapping[str, str], key: str) -> None:
    problems = []
    if not key:
        problems.append(Problem("key", _("A decision needs a key. Reload the page.")))
    if not keep and not drop:
        problems.append(Problem("keep", _("Name the frames to keep or to drop.")))
    if set(keep) & set(drop):
        problems.append(Problem("drop", _("Keep or drop each frame, but not both.")))
    for reason in drop.values():
        if not reason.strip():
            problems.append(Problem("reason", _("Give a reason for dropping the frame.")))
        elif len(reason) > LONGEST_REASON:
            problems.append(
                Problem("reason", _("Shorten the reason to at most {n} characters.").format(n=LONGEST_REASON))
            )
    if problems:
        raise InvalidInputError(problems)


def _decide(
    session: Session,
    access: Access,
    person: Person,
    keep: Sequence[str],
    drop: Mapping[str, str],
    key: str,
    now: datetime,
) -> TriageReceipt:
    ids = {public: id for public, id in zip([*keep, *drop], _ids(session, access, [*keep, *drop]), strict=True)}
    locked_rows = candidate_images.lock(session, project_id=access.project_id, asset_ids=ids.values())
    wanted = {ids[name]: ("kept", "") for name in keep} | {
        ids[name]: ("dropped", reason.strip()) for name, reason in drop.items()
    }
    before = queries.by_key(session, person_id=person.id, key=key)
    if before:
        if {row.asset_id: (row.action, row.reason) for row in before} != wanted:
            raise ConflictError(_(_OTHER_KEY))
        return TriageReceipt(kept=len(keep), dropped=len(drop), repeated=True)
    known = {str(reason.value) for reason in triage_of(access).reasons}
    for row, asset in locked_rows:
        action, reason = wanted[row.asset_id]
        if row.state is not TriageState.WAITING:
            raise ConflictError(_("This frame is already decided. Here is the next frame."))
        if row.person_id not in (None, person.id) and row.lease_until is not None and row.lease_until >= now:
            raise LeaseLostError(_("Another person has this frame now. Here is the next frame."))
        if action == "kept" and not candidate_images.add_to_pool(
            session, asset=asset, per_source=triage_of(access).per_source
        ):
            raise ConflictError(_full(triage_of(access).per_source))
        _record(session, access, person, row, action=action, key=key, reason=reason, typed=reason not in known, now=now)
        data = {"asset": asset.public_id} | ({"reason": reason} if reason else {})
        log(session, f"frame.{action}", by=person, project=access, now=now, data=data)
    return TriageReceipt(kept=len(keep), dropped=len(drop))


def _full(per_source: int | None) -> str:
    n = per_source or 0
    return ngettext(
        "One frame of this video is already kept, which is the maximum. Drop this frame.",
        "{n} frames of this video are already kept, which is the maximum. Drop this frame.",
        n,
    ).format(n=n)


def _reopen(
    session: Session,
    access: Access,
    person: Person | None,
    rows: Sequence[tuple[StoredCandidate, StoredAsset]],
    action: str,
    now: datetime,
) -> None:
    """Return decided candidates to the waiting state."""
    key = f"{action}-{secrets.token_hex(8)}"
    for row, asset in rows:
        if row.state is TriageState.KEPT and not queries.take_out(session, asset=asset):
            raise ConflictError(_("Someone is already writing an item about this frame, so the frame stays kept."))
        _record(session, access, person, row, action=action, key=key, now=now)
        log(session, f"frame.{action}", by=person, project=access, now=now, data={"asset": asset.public_id})


def _record(
    session: Session,
    access: Access,
    person: Person | None,
    row: StoredCandidate,
    *,
    action: str,
    key: str,
    now: datetime,
    reason: str = "",
    typed: bool = False,
) -> None:
    candidate_images.decide(
        session,
        row=row,
        person_id=person.id if person else None,
        key=key,
        action=action,
        reason=reason,
        typed=typed,
        schema_version_id=access.schema_version_id,
        guideline_hash=access.loaded.guideline_hash,
        now=now,
    )


def _claim(session: Session, access: Access, part: Triage, now: datetime) -> list[StoredCandidate]:
    first = candidate_images.first_free(session, project_id=access.project_id, now=now, per_source=part.per_source)
    if first is None:
        return []
    alike: list[int] = []
    if first.look is not None:
        others = queries.looks(
            session, project_id=access.project_id, look=first.look, now=now, per_source=part.per_source
        )
        near = sorted((distance(first.look, look), id) for id, look in others if id != first.asset_id)
        alike = [id for far, id in near if far <= ALIKE][: AT_ONCE - 1]
    group = [first, *(queries.lock_free(session, asset_ids=alike, now=now) if alike else ())]
    queries.group(session, rows=group, group_id=first.asset_id)
    return group


def _view(
    session: Session, access: Access, person: Person, part: Triage, rows: Sequence[StoredCandidate]
) -> TriageGroup:
    shown = queries.assets_by_id(session, asset_ids=[row.asset_id for row in rows])
    names = {asset.group_name for asset, _ in shown.values() if asset.group_name is not None}
    groups = assets.groups(session, project_id=access.project_id, names=names)
    limits: dict[int, float | None] = {}
    kept: dict[int, int] = {}
    for source_id in {row.source_id for row in rows if row.source_id is not None}:
        values = queries.sharpness_of(session, source_id=source_id)
        limits[source_id] = BLURRED * median(values) if len(values) >= ENOUGH else None
        source = candidate_images.source(session, id=source_id)
        kept[source_id] = source.kept if source is not None else 0
    frames = []
    for row in rows:
        limit = limits.get(row.source_id or 0)
        frames.append(
            TriageFrame(
                asset=_shown(groups, *shown[row.asset_id]),
                sharpness=row.sharpness,
                blurred=limit is not None and row.sharpness is not None and row.sharpness < limit,
                kept_of_source=kept.get(row.source_id or 0),
            )
        )
    last = queries.last_of(session, project_id=access.project_id, person_id=person.id)
    return TriageGroup(
        frames=tuple(frames),
        reasons=tuple((str(reason.value), reason.label) for reason in part.reasons),
        per_source=part.per_source,
        left=waiting(session, access=access),
        token=f"{shown[rows[0].asset_id][0].public_id}.{last}",
    )


def _shown(
    groups: Mapping[str, Sequence[tuple[StoredAsset, StoredMediaObject | None]]],
    asset: StoredAsset,
    media: StoredMediaObject | None,
) -> AssetView:
    """Return a candidate with all of its group."""
    return asset_view(asset, media, asset.role or "image", groups.get(asset.group_name or "", ()))


def _why_nothing(session: Session, access: Access, part: Triage) -> NoTask:
    rows = queries.counts(session, project_id=access.project_id, per_source=part.per_source)
    total = triage_counts(rows)
    if total.left:
        return NoTask("waiting_for_others", _("Other people are working on the remaining frames."))
    if rows:
        return NoTask("all_done", _("All frames are decided. Thank you."))
    return NoTask("all_done", _("There are no frames to decide on yet. A lead can add images on the Add items page."))


def _ids(session: Session, access: Access, frames: Sequence[str]) -> list[int]:
    known = queries.ids_of(session, project_id=access.project_id, public_ids=frames)
    if not set(frames) <= set(known):
        raise NotFoundError(_("This frame is not among the project's candidates. Reload the page."))
    return [known[frame] for frame in frames]


def _annotator(session: Session, person: Person, project: str) -> Access:
    access = access_to(session, person=person, project=project)
    closed = why_closed(session, access=access, person=person, stage=Stage.TRIAGE, dimension=None)
    if closed is not None:
        raise NotAllowedError(closed.sentence)
    return access
