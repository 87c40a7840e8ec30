"""Detect faces and plates in a project's pictures and clips, and list them with their decisions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from db.engine import Store
from db.events import FACES_LOOKED
from db.records import StoredAsset
from domain.errors import ConflictError, InvalidInputError, InvalidMediaError, NotFoundError, Problem
from domain.overlap import area_iou
from domain.records import Person
from extensions.privacy import decisions, queries
from extensions.privacy.boxes import Box, Decision
from workflow.access.event_log import log
from workflow.access.projects import require_lead

if TYPE_CHECKING:
    from PIL import Image

    from media.store import MediaStore

_SAME = 0.3
"""A detected box is a known box if their intersection over union is at least this."""

Progress = Callable[[int, int], None]


class Finder(Protocol):
    """Finds faces and plates."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the detection."""

    def find(self, picture: Image.Image) -> Sequence[Any]:
        """Return boxes with ``kind``, ``x``, ``y``, ``w``, ``h`` and ``by``."""


@dataclass(frozen=True)
class MediaFindings:
    """A picture or clip with all its boxes and its decision."""

    name: str
    """The first of its names in the project."""
    file: str
    """The SHA-256 of the file that is shown now."""
    boxes: tuple[Box, ...]
    decision: Decision | None
    asset: str = ""
    """The random id of the first image or clip with this file."""
    seconds: float | None = None
    """The duration of a clip in seconds; None for a picture."""


@dataclass(frozen=True)
class DetectionResult:
    """The result of a detection."""

    title: str
    pictures: Sequence[MediaFindings]
    clips: Sequence[MediaFindings]
    """The clips with their boxes."""
    unread: Sequence[tuple[str, str]]
    """Names of pictures and clips that cannot be read, each with the reason."""
    n_found: int
    """Number of new boxes in pictures."""
    n_with: int
    """Number of pictures with new boxes."""
    n_tracks: int = 0
    """Number of new boxes in clips."""
    n_clips_with: int = 0
    """Number of clips with new boxes."""

    @property
    def all(self) -> Sequence[MediaFindings]:
        """Return the pictures, then the clips."""
        return [*self.pictures, *self.clips]


def list_media(store: Store, media: MediaStore, *, by: Person | None, project: str) -> DetectionResult:
    """Return the pictures and clips of a project with their decisions, without a detection; for leads."""
    return detect(store, media, by=by, project=project, finder=None)


def detect(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    finder: Finder | None,
    rate: float | None = None,
    progress: Progress = lambda done, n: None,
) -> DetectionResult:
    """Detect boxes in all pictures of a project, each file once, and log the settings and counts; for leads.

    Parameters
    ----------
    rate
        Samples per second of each clip; None lists clips without a detection.
    """
    if rate is not None:
        _must_be_a_rate(rate)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        known = decisions.of_project(session, project_id=access.project_id).by_file
        named: dict[str, StoredAsset] = {}
        for row in queries.pictures(session, project_id=access.project_id):
            named.setdefault(row.sha256 or "", row)
    seen: dict[str, list[MediaFindings]] = {"image": [], "clip": []}
    new: dict[str, list[int]] = {"image": [], "clip": []}
    unread: list[tuple[str, str]] = []
    for done, (file, row) in enumerate(named.items()):
        progress(done, len(named))
        decision = known.get(file)
        standing = decision.boxes if decision else ()
        clip = row.kind == "clip"
        try:
            boxes = (_tracks if clip else _found)(media, file, row.name, finder, rate, standing)
            seconds = media.about(file).duration if clip else None
        except (InvalidMediaError, NotFoundError) as error:
            unread.append((row.name, str(error)))
            continue
        new[row.kind].append(len(boxes))
        seen[row.kind].append(MediaFindings(row.name, file, (*standing, *boxes), decision, row.public_id, seconds))
    progress(len(named), len(named))
    n_boxes, n_tracks = sum(new["image"]), sum(new["clip"])
    n_with, n_clips_with = (sum(map(bool, new[kind])) for kind in ("image", "clip"))
    if finder is not None:
        data = {
            "looked": finder.settings | ({"rate": rate} if rate is not None else {}),
            "pictures": len(seen["image"]),
            "found": n_boxes,
            "with": n_with,
            "unread": len(unread),
            "clips": len(seen["clip"]),
            "tracks": n_tracks,
            "clips_with": n_clips_with,
        }
        with store.write() as session:
            log(session, FACES_LOOKED, by=by, project=access, now=store.now(), data=data)
    return DetectionResult(access.title, seen["image"], seen["clip"], unread, n_boxes, n_with, n_tracks, n_clips_with)


def _must_be_a_rate(rate: float) -> None:
    from extensions.privacy.tracks import RATES

    if not RATES[0] <= rate <= RATES[1]:
        raise InvalidInputError(
            [Problem("rate", f"The rate must be from {RATES[0]:g} to {RATES[1]:g} samples per second.")]
        )


def _found(
    media: MediaStore, file: str, name: str, finder: Finder | None, rate: float | None, standing: Sequence[Box]
) -> list[Box]:
    if finder is None:
        return []
    boxes = (Box(box.kind, box.x, box.y, box.w, box.h, box.by) for box in finder.find(upright(media, file, name)))
    return drop_known([*boxes], standing)


def _tracks(
    media: MediaStore, file: str, name: str, finder: Finder | None, rate: float | None, standing: Sequence[Box]
) -> list[Box]:
    if finder is None or rate is None:
        return []
    from extensions.privacy import tracks

    return drop_known(
        tracks.detect_tracks(media.path(file), finder, rate=rate, name=name, limits=media.limits), standing
    )


def _goes_along(box: Box, other: Box) -> bool:
    """Whether a box of a clip is a known one: they overlap enough at more than half of its times."""
    if box.kind != other.kind or other.begin is None or other.end is None:
        return False
    alike = sum(
        other.begin <= time <= other.end and area_iou(_shares(place), _shares(other.at(time))) >= _SAME
        for time, *place in box.path
    )
    return 2 * alike > len(box.path)


def _shares(place: Sequence[float]) -> dict[str, float]:
    return dict(zip("xywh", place, strict=True))


def drop_known(found: Sequence[Box], standing: Sequence[Box]) -> list[Box]:
    """Return the detected boxes that are not among the known ones."""
    return [box for box in found if not any(_alike(box, other) for other in standing)]


def _alike(box: Box, other: Box) -> bool:
    return _share(box, other) >= _SAME if box.begin is None else _goes_along(box, other)


def find_media(store: Store, *, by: Person | None, project: str, file: str) -> MediaFindings:
    """Return a picture or clip that the project shows, with its decision; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = queries.assets_of(session, project_id=access.project_id, files=[file])
        decision = decisions.of_project(session, project_id=access.project_id).by_file.get(file)
        seconds = queries.seconds(session, file=file)
    if not rows:
        raise NotFoundError("The project no longer shows this picture. Reload the page.")
    return MediaFindings(rows[0].name, file, decision.boxes if decision else (), decision, rows[0].public_id, seconds)


def require_asset(store: Store, *, by: Person | None, project: str, asset: str) -> None:
    """Raise ``NotFoundError`` unless the project has an image or clip with this random id; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if not queries.has(session, project_id=access.project_id, public_id=asset):
            raise NotFoundError("The project no longer shows this picture. Reload the page.")


def leads_folder(store: Store, home: Path, *, by: Person | None, project: str, changes: bool = False) -> Path:
    """Return the folder for detected boxes of a project, for its leads. ``changes``: the caller will write there."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    if changes and access.archived:
        raise ConflictError(
            f"{access.title} is archived, so you cannot change the project. Restore the project in Settings first."
        )
    return _project_folder(home, project) / hashlib.sha256(access.began.encode()).hexdigest()[:8]


def _project_folder(home: Path, project: str) -> Path:
    """Return the folder for all projects of this name, deleted ones included."""
    return home / "privacy" / project


def upright(media: MediaStore, file: str, name: str) -> Image.Image:
    """Return all pixels of a picture, upright."""
    return media.upright(file, name=name)


def _share(one: Box, other: Box) -> float:
    return area_iou(one.as_json(), other.as_json())


def count_decisions(looked: DetectionResult) -> Mapping[str, int]:
    """Return the numbers of pictures and clips by their decision."""
    covered, nothing, open_ = _counted(looked.pictures)
    clips_covered, clips_nothing, clips_open = _counted(looked.clips)
    return {
        "pictures": len(looked.pictures),
        "covered": covered,
        "nothing": nothing,
        "open": open_,
        "clips": len(looked.clips),
        "clips_covered": clips_covered,
        "clips_nothing": clips_nothing,
        "clips_open": clips_open,
        "unread": len(looked.unread),
    }


def _counted(some: Sequence[MediaFindings]) -> tuple[int, int, int]:
    """Return the numbers of covered, of uncovered and of undecided pictures."""
    decided = [seen.decision for seen in some if seen.decision]
    covered = sum(bool(decision.covers) for decision in decided)
    return covered, len(decided) - covered, len(some) - len(decided)


def order_for_sheet(looked: DetectionResult, *, only_found: bool) -> Iterator[MediaFindings]:
    """Yield the pictures for people to look at, those with boxes first."""
    yield from (seen for seen in looked.pictures if seen.boxes)
    if not only_found:
        yield from (seen for seen in looked.pictures if not seen.boxes)


def as_json(seen: MediaFindings) -> dict[str, Any]:
    """Return a decided picture or clip as JSON values, without the hash of the original."""
    decision = seen.decision
    assert decision is not None
    return {
        "picture" if seen.seconds is None else "clip": seen.name,
        "file": seen.file,
        "by": decision.by,
        "at": decision.at.isoformat(),
        "margin": decision.margin,
        "boxes": [box.as_json() for box in decision.boxes],
        "looked": dict(decision.looked),
    }


def sentence(seen: MediaFindings) -> str:
    """Return the decision about a picture or clip as a sentence."""
    decision = seen.decision
    assert decision is not None
    covered = ", ".join(f"{box.kind} ({box.by}){spanned(box)}" for box in decision.covers) or "nothing"
    left = sum(not box.cover for box in decision.boxes)
    more = f"; {left} left unchanged" if left else ""
    return f"{seen.name}: {covered} covered{more}; {decision.by or 'the command'}, {decision.at:%Y-%m-%d %H:%M}"


def spanned(box: Box) -> str:
    """Return the time span of a box of a clip in words; empty for a box of a picture."""
    return "" if box.begin is None or box.end is None else f", {box.begin:g} to {box.end:g} s"
