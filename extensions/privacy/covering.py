"""Apply decisions: from then on everyone gets the covered file, and the original is withheld.

The asset gets another file and another random id. Pages, models, exports, releases and other tools all ask the asset
for its file, so none of them can reach the original, and no browser has a cached copy under the new id.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db import assets, outside_work, projects
from db.engine import Session, Store
from db.events import COVERED
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.project_parts import archive_in
from domain.records import Person
from extensions.privacy import decisions, derived_media, queries
from extensions.privacy.boxes import HAND, KINDS, MARGIN, MOST_MARGIN, Box, CoverChoice, Decision
from extensions.privacy.covered_files import CoveredFile, make_covered_file, require_in_clip
from extensions.privacy.marks import log_applied
from workflow.access import project_care
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate.image_pool import media_row

if TYPE_CHECKING:
    from media.store import MediaStore

TO = "cover pictures"
_EDGE = 1e-6
_NAMED = 20


@dataclass(frozen=True)
class CoverResult:
    """The result of applying decisions."""

    pictures: int
    covered: int
    """Number of pictures in which something is covered."""
    boxes: int
    """Number of covered boxes."""
    same: int
    """Number of pictures whose decision was the same before, so nothing was written."""
    releases: Sequence[str]
    """Versions of earlier releases with an item that shows one of the changed pictures."""
    archive: bool
    """Whether a project archive that was ready for download was deleted."""
    beside: Sequence[str] = ()
    """Names of images and clips without a decision that may show the same: in one item with a changed one, or from one
    video."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """The hash of the file shown now, by the hash of the file it replaces."""
    sets: Sequence[str] = ()
    """Titles of frame sets that were deleted, because they were made from clips that changed."""


def apply_decisions(
    store: Store,
    media: MediaStore,
    home: Path,
    *,
    by: Person | None,
    project: str,
    choices: Sequence[CoverChoice],
    looked: Mapping[str, Any] | None = None,
    margin: float = MARGIN,
    uncover: bool = False,
    after: Mapping[str, datetime | None] | None = None,
    marks: Mapping[str, int] | None = None,
) -> CoverResult:
    """Store decisions about pictures and clips, and show the covered files from now on, all or none; for leads.

    Each covered file is made from its original, with all boxes of the newest decision. If the project was moved here
    without its originals, the new boxes are added to the file that is shown.

    Parameters
    ----------
    looked
        The settings of the detection (``Finder.settings``); None if no cascade was used.
    margin
        The fraction of its width and height by which a box grows on every side. The margin never becomes smaller.
    uncover
        Allow that covered parts are shown again.
    after
        By file, the time of the decision that the person saw, None if there was none. A newer decision stays.
    marks
        The marks of the page that these decisions apply: by file, their revision.

    Raises
    ------
    InvalidInputError
        A box is not valid, a picture is not in the project or was decided meanwhile, or a part would be uncovered.
    ConflictError
        A run is active, work is out in Label Studio, or frames are being taken out of one of the clips.
    """
    _must_be_a_margin(margin)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        _must_be_still(session, access, store)
        standing = decisions.of_project(session, project_id=access.project_id)
        known = standing.by_file
        _must_fit(session, access, choices, known, after)
    derived_media.require_idle(home, project, {choice.file for choice in choices})
    if not uncover:
        _must_not_uncover(choices, known)
    todo = [choice for choice in choices if not _same(choice, known.get(choice.file), margin, uncover=uncover)]
    require_in_clip(media, todo)
    ready = [make_covered_file(media, choice, standing, margin, uncover=uncover) for choice in todo]
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        _must_be_still(session, access, store)
        _must_fit(session, access, choices, decisions.of_project(session, project_id=access.project_id).by_file, after)
        ids = {id for covered_file in ready for id in _keep(session, store, access, by, covered_file, looked or {})}
        log_applied(session, access, by=by, now=store.now(), marks=marks or {})
        releases, beside = _releases(session, ids), _beside(session, access, ids)
    archive = archive_in(home, project)
    taken = bool(ids) and archive.exists()
    if ids:
        archive.unlink(missing_ok=True)
        _forget(media, home, ready)
    instead = {
        covered_file.choice.file: covered_file.file
        for covered_file in ready
        if covered_file.file != covered_file.choice.file
    }
    paths = {was: media.place(now) for was, now in instead.items()}
    return CoverResult(
        **_counts(choices),
        same=len(choices) - len(todo),
        releases=releases,
        archive=taken,
        beside=beside,
        instead=instead,
        sets=derived_media.delete(store, by=by, home=home, project=project, instead=paths),
    )


def _counts(choices: Sequence[CoverChoice]) -> dict[str, int]:
    """Return how many pictures there are, in how many something is covered, and how many boxes are covered."""
    return {
        "pictures": len(choices),
        "covered": sum(any(box.cover for box in choice.boxes) for choice in choices),
        "boxes": sum(bool(box.cover) for choice in choices for box in choice.boxes),
    }


@dataclass(frozen=True)
class CoverPreview:
    """The effects that decisions would have."""

    pictures: int
    covered: int
    """Number of pictures in which something would be covered."""
    boxes: int
    releases: Sequence[str]
    archive: bool


def preview_decisions(
    store: Store,
    home: Path,
    *,
    by: Person | None,
    project: str,
    choices: Sequence[CoverChoice],
    after: Mapping[str, datetime | None],
) -> CoverPreview:
    """Return the effects that ``apply_decisions`` would have, for a confirmation; for leads. Raises the same errors."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        _must_be_still(session, access, store)
        known = decisions.of_project(session, project_id=access.project_id).by_file
        _must_fit(session, access, choices, known, after)
        others = {
            choice.file
            for choice in choices
            if any(box.cover for box in choice.boxes)
            and not _same(choice, known.get(choice.file), MARGIN, uncover=False)
        }
        rows = queries.assets_of(session, project_id=access.project_id, files=others) if others else []
        releases = _releases(session, {row.id for row in rows})
    return CoverPreview(
        **_counts(choices),
        releases=releases,
        archive=bool(others) and archive_in(home, project).exists(),
    )


# ---- what does not fit ----------------------------------------------------------------------------------------------


def _must_be_a_margin(margin: float) -> None:
    if not math.isfinite(margin) or not 0 <= margin <= MOST_MARGIN:
        raise InvalidInputError([Problem("margin", f"The margin must be a share from 0 to {MOST_MARGIN:g}.")])


def _must_be_still(session: Session, access: Access, store: Store) -> None:
    project_care.must_be_still(session, access, now=store.now(), to=TO)
    for row in outside_work.servers(session, project_id=access.project_id):
        if outside_work.unfinished(session, bridge_id=row.id):
            raise ConflictError(
                f"Pictures of {access.title} are still in Label Studio at {row.address}. Synchronize "
                f"again on the Label Studio page to remove the pictures, then {TO}."
            )


def _must_fit(
    session: Session,
    access: Access,
    choices: Sequence[CoverChoice],
    known: Mapping[str, Decision],
    after: Mapping[str, datetime | None] | None,
) -> None:
    rows = queries.assets_of(session, project_id=access.project_id, files={choice.file for choice in choices})
    kinds = {row.sha256: row.kind for row in rows}
    wrong: list[str] = []
    if len({choice.file for choice in choices}) < len(choices):
        wrong.append("A picture occurs twice under different names. Put all boxes of the picture under one name.")
    for choice in choices:
        at = choice.where or choice.name
        decision = known.get(choice.file)
        if decision is not None and decision.file != choice.file:
            wrong.append(f"{at}: the decision about {choice.name} has changed. Run the search again.")
        elif after is not None and decision is not None and decision.at != after.get(choice.file):
            wrong.append(
                f"{at}: {decision.by or 'the command'} has already decided about {choice.name}. Run the search again."
            )
        elif choice.file not in kinds:
            wrong.append(
                f"{at}: the project has no picture {choice.name} whose checksum begins with {choice.file[:12]}. Run "
                "the search again."
            )
        if (kind := kinds.get(choice.file)) is not None:  # of what is not here any more, no one knows what fits
            wrong += [f"{at}: {why}" for box in choice.boxes if (why := _wrong(box, clip=kind == "clip"))]
    if wrong:
        more = [f"And {len(wrong) - _NAMED:,} more."] if len(wrong) > _NAMED else []
        sentences = [*wrong[:_NAMED], *more, "Nothing was changed."]
        raise InvalidInputError([Problem("boxes", sentence) for sentence in sentences])


def _wrong(box: Box, *, clip: bool) -> str:
    if box.kind not in KINDS:
        return f"unknown kind of box {box.kind!r}. Choose one of {', '.join(KINDS)}."
    if box.cover is None:
        return f"the {box.kind} at {box.x:g}, {box.y:g} has no decision. Decide whether to cover this box."
    if clip != (box.begin is not None):
        return (
            "a box in a clip needs a begin time and an end time. Add both times."
            if clip
            else ("a box in a picture must not have a begin time or an end time. Remove both times.")
        )
    if not all(map(_inside, [(box.x, box.y, box.w, box.h), *(at[1:] for at in box.path)])):
        return (
            "the box must lie within the picture. Measure x, y, w and h from the upper left corner, as shares of "
            "the picture's size."
        )
    return _wrong_span(box) if clip else ""


def _inside(place: tuple[float, ...]) -> bool:
    x, y, w, h = place
    sound = all(map(math.isfinite, place)) and x >= 0 and y >= 0 and w > 0 and h > 0
    return sound and x + w <= 1 + _EDGE and y + h <= 1 + _EDGE


def _wrong_span(box: Box) -> str:
    begin, end, times = box.begin, box.end, [at[0] for at in box.path]
    if begin is None or end is None or not math.isfinite(begin) or not math.isfinite(end) or begin < 0:
        return "begin and end must be seconds from the start of the clip, 0 or greater."
    if end < begin:
        return f"the box ends at {end:g} s, before it begins at {begin:g} s. Correct the times."
    if times != sorted(set(times)) or (times and not begin <= times[0] <= times[-1] <= end):
        return f"the times of the box must be in ascending order, from its begin ({begin:g} s) to its end ({end:g} s)."
    return ""


def _must_not_uncover(choices: Iterable[CoverChoice], known: Mapping[str, Decision]) -> None:
    open_ = []
    for choice in choices:
        decision = known.get(choice.file)
        stay = [box for box in choice.boxes if box.cover]
        if decision is not None and not all(any(box.holds(was) for box in stay) for was in decision.covers):
            open_.append(choice.where or choice.name)
    if open_:
        named = ", ".join(open_[:_NAMED]) + (f" and {len(open_) - _NAMED:,} more" if len(open_) > _NAMED else "")
        why = (
            f"This change would uncover parts of these files: {named}. To uncover these parts, use `touchstone "
            "privacy import --uncover`."
        )
        raise InvalidInputError([Problem("boxes", why)])


def _same(choice: CoverChoice, known: Decision | None, margin: float, *, uncover: bool) -> bool:
    if known is None:
        return False
    wide = known.margin == margin or (not uncover and known.margin > margin) or not known.covers
    return known.boxes == choice.boxes and wide


# ---- keeping --------------------------------------------------------------------------------------------------------


def _keep(
    session: Session, store: Store, access: Access, by: Person | None, ready: CoveredFile, looked: Mapping[str, Any]
) -> set[int]:
    """Store one decision and return the ids of the assets that changed."""
    now, choice = store.now(), ready.choice
    rows = queries.assets_of(session, project_id=access.project_id, files=[choice.file])
    other = ready.file != choice.file
    if other:
        assert ready.made is not None
        assets.put_media(session, row=media_row(ready.made, now))
        queries.exchange(session, rows=rows, file=ready.file)
    data = {
        "asset": rows[0].public_id,
        "name": choice.name,
        "original": ready.original,
        "before": choice.file,
        "file": ready.file,
        "boxes": [box.as_json() for box in choice.boxes],
        "margin": ready.margin,
        "looked": dict(looked) if any(box.by != HAND for box in choice.boxes) else {},
    }
    log(session, COVERED, by=by, project=access, now=now, data=data)
    return {row.id for row in rows} if other else set()


def _releases(session: Session, ids: set[int]) -> list[str]:
    releases = queries.releases_with(session, asset_ids=ids) if ids else []
    return [f"{number}.{point}" if point else str(number) for number, point in releases]


def _beside(session: Session, access: Access, ids: set[int]) -> list[str]:
    known = decisions.of_project(session, project_id=access.project_id).by_file
    rows = queries.adjacent_files(session, project_id=access.project_id, asset_ids=ids) if ids else []
    return [row.name for row in rows if row.sha256 not in known]


def _forget(media: MediaStore, home: Path, ready: Iterable[CoveredFile]) -> None:
    """Delete the copies of these pictures that were prepared for models."""
    from media.model_input import Pictures

    Pictures(media, home / "prepared").forget([covered_file.choice.file for covered_file in ready])
