"""The state of the page Privacy, and its long tasks: detect boxes and apply decisions, as jobs.

Each project has a folder below ``privacy`` in the home folder:

    about.json    the settings and the result of the last detection
    found.json    the detected boxes, by the hash of the picture
    covered.json  the result of the last press of *Cover*

Marks and decisions are in the log (``marks``, ``decisions``). A task is a job, whose process holds a lock.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from app import jobs
from app.services import Services
from db.engine import Store
from domain.errors import ConflictError, TouchstoneError
from domain.jobs import Job, Progress
from domain.records import Person
from extensions.privacy import covering, derived_media, detection, marks
from extensions.privacy.boxes import HAND, Box, CoverChoice
from extensions.privacy.detection import MediaFindings
from extensions.privacy.marks import Mark, box_key
from media.store import MediaStore
from workflow.jobs import desk, folder_lock
from workflow.jobs.desk import SlotConflict
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome

ABOUT, FOUND, COVERED, LOCK = "about.json", "found.json", "covered.json", "lock"
BUSY = "Touchstone is still searching or covering. Wait for this job to finish, then press the button again."
BROKEN = "The search was interrupted. Start the search again."
DECISIONS = ("", "cover", "nothing")
"""What a lead can choose for a picture: nothing yet, cover the ticked boxes, or there is nothing to cover."""
MOST_ADDED = 200
"""The maximum number of boxes that people draw on one picture."""


@dataclass(frozen=True)
class DetectionRecord:
    """The settings and the result of a detection."""

    by: str
    began: float
    kinds: Sequence[str]
    """The kinds of boxes to find. Empty if people look without a cascade."""
    neighbours: int
    rate: float = 0.0
    """Samples per second of each clip; 0 if no cascade looked in clips."""
    done: float = 0.0
    refused: str = ""
    pictures: int = 0
    found: int = 0
    """Number of new boxes in pictures."""
    with_boxes: int = 0
    unread: Sequence[tuple[str, str]] = ()
    """Names of pictures and clips that cannot be read, each with the reason."""
    clips: int = 0
    tracks: int = 0
    """Number of new boxes in clips."""
    clips_with: int = 0


@dataclass(frozen=True)
class PageItem:
    """A picture or clip on the page, with its boxes and its mark."""

    seen: MediaFindings
    boxes: tuple[Box, ...]
    """Each box has whether to cover it."""
    decided: str
    """One of ``DECISIONS``."""
    revision: int = 0
    """The number of marks since the last decision."""
    by: str = ""
    """The login of the person who made the last mark."""
    after: datetime | None = None
    """The time of the decision that this person saw; None if there was none."""
    news: bool = False
    """Whether boxes were detected after the decision."""

    @property
    def clip(self) -> bool:
        """Whether it is a clip."""
        return self.seen.seconds is not None

    @property
    def waits(self) -> bool:
        """Whether the picture is marked and its mark is not applied yet."""
        return self.revision > 0 and bool(self.decided)

    @property
    def open(self) -> bool:
        """Whether the picture needs a decision."""
        return self.seen.decision is None or self.news

    @property
    def since(self) -> datetime | None:
        """Return the time of the current decision."""
        return self.seen.decision.at if self.seen.decision else None

    @property
    def found(self) -> bool:
        """Whether the picture has boxes apart from new drawings, which do not move it in the list."""
        return not all(map(self.own, self.boxes))

    def own(self, box: Box) -> bool:
        """Whether a box was drawn on the page and is not decided yet."""
        standing = self.seen.decision.boxes if self.seen.decision else ()
        return box.by == HAND and box.place not in {other.place for other in standing}

    def fixed(self, box: Box) -> bool:
        """Whether a box is covered already."""
        return self.seen.decision is not None and box.place in {cover.place for cover in self.seen.decision.covers}

    @property
    def choice(self) -> CoverChoice:
        """Return the choice that the mark makes."""
        cover = self.decided == "cover"
        boxes = tuple(replace(box, cover=cover and bool(box.cover)) for box in self.boxes)
        return CoverChoice(self.seen.name, self.seen.file, boxes)


class MarkConflict(ConflictError):
    """Another person changed the mark or the decision first."""

    def __init__(self, words: str, item: PageItem) -> None:
        super().__init__(words)
        self.item = item


# ---- what there is --------------------------------------------------------------------------------------------------


def folder_of(services: Services, project: str, *, changes: bool = False) -> Path:
    """Return the project's folder, for its leads."""
    home = services.settings.home
    return detection.leads_folder(services.store, home, by=services.person, project=project, changes=changes)


def last_detection(folder: Path) -> DetectionRecord | None:
    """Return the last detection; None if there was none."""
    stored = _read(folder / ABOUT)
    if not stored:
        return None
    return DetectionRecord(**{**stored, "unread": [(str(name), str(why)) for name, why in stored["unread"]]})


def last_covered(folder: Path) -> Mapping[str, Any]:
    """Return the result of the last covering on this page; empty if there was none."""
    return _read(folder / COVERED)


def is_running(store: Store, folder: Path) -> bool:
    """Whether a detection or a covering is running or about to start."""
    last = job(store, folder)
    return (last is not None and last.is_open) or folder_lock.is_held(folder / LOCK)


def job(store: Store, folder: Path) -> Job | None:
    """Return the last detection or covering of a project."""
    return desk.newest(store, slot=_slot(folder))


def _slot(folder: Path) -> str:
    return f"privacy/{folder.parent.name}/{folder.name}"


def items(store: Store, media: MediaStore, folder: Path, *, by: Person, project: str) -> list[PageItem]:
    """Return all pictures of a project, then its clips, those with boxes first; for its leads."""
    marks.take_in(store, folder, by=by, project=project)
    media_list = detection.list_media(store, media, by=by, project=project)
    boxes, marked = _read(folder / FOUND).get("boxes", {}), marks.standing(store, by=by, project=project)
    page_items = [_item(seen, boxes.get(seen.file, ()), marked.get(seen.file)) for seen in media_list.all]
    return sorted(page_items, key=lambda item: (item.clip, not item.found))


def item(store: Store, folder: Path, *, by: Person, project: str, file: str) -> PageItem:
    """Return one picture or clip; for leads."""
    marks.take_in(store, folder, by=by, project=project)
    seen = detection.find_media(store, by=by, project=project, file=file)
    boxes = _read(folder / FOUND).get("boxes", {})
    marked = marks.standing(store, by=by, project=project, file=file)
    return _item(seen, boxes.get(file, ()), marked.get(file))


def _item(seen: MediaFindings, found: Sequence[Mapping[str, Any]], mark: Mark | None) -> PageItem:
    standing = seen.decision.boxes if seen.decision else ()
    since = seen.decision.at if seen.decision else None
    counts = mark is not None and mark.after == since
    marked = detection.drop_known(mark.boxes, standing) if mark is not None and counts else []  # found on any server
    new = [*marked, *detection.drop_known([Box.from_json(box) for box in found], (*standing, *marked))]
    ticks = mark.ticks if mark else {}
    known = [replace(box, cover=ticks.get(box_key(box), box.cover is not False)) for box in (*standing, *new)]
    if mark is None:
        decided = "" if seen.decision is None or new else "cover" if seen.decision.covers else "nothing"
        return PageItem(seen, tuple(known), decided, news=bool(new and seen.decision))
    unseen = any(box_key(box) not in ticks for box in known)  # found by a look that came after
    boxes = (*known, *mark.added)
    decided = mark.decided if counts and not unseen else ""
    return PageItem(seen, boxes, decided, mark.revision, mark.by, mark.after, news=bool(new and seen.decision))


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return content


def _write(path: Path, values: Any) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(values), encoding="utf-8")
    partial.replace(path)


# ---- what is said on the page ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarkRequest:
    """A lead's new mark of a picture, with the state that the lead saw."""

    file: str
    revision: int
    after: datetime | None
    decided: str
    ticks: Sequence[bool]
    """Whether to cover each box that was not drawn on the page, in their order."""
    added: Sequence[Box]


def say(store: Store, folder: Path, *, by: Person, project: str, saying: MarkRequest) -> PageItem:
    """Save a mark and return the picture as it is then. Raises ``MarkConflict`` if another person was faster."""
    now = item(store, folder, by=by, project=project, file=saying.file)
    _must_be_seen(now, saying)
    if saying.decided == "nothing" and any(now.fixed(box) for box in now.boxes):
        raise ConflictError(
            "A part of this picture is already covered. To uncover the part, use `touchstone privacy import "
            "--uncover` on the server."
        )
    known = [box for box in now.boxes if not now.own(box)]
    if len(known) != len(saying.ticks):
        raise MarkConflict("A new search found more boxes in this picture. Check the new boxes, too.", now)
    mark = Mark(
        file=saying.file,
        decided=saying.decided,
        boxes=tuple(replace(box, cover=on or now.fixed(box)) for box, on in zip(known, saying.ticks, strict=True)),
        added=tuple(saying.added),
        after=now.since,
        revision=saying.revision + 1,
    )
    mine = marks.save(store, by=by, project=project, name=now.seen.name, mark=mark)
    now = item(store, folder, by=by, project=project, file=saying.file)
    _must_be_seen(now, replace(saying, revision=saying.revision + mine))
    return now


def _must_be_seen(now: PageItem, saying: MarkRequest) -> None:
    """Raise ``MarkConflict`` unless the picture is still as the person saw it."""
    if now.since != saying.after:
        who = now.seen.decision.by if now.seen.decision else None
        raise MarkConflict(
            f"{who or 'The command'} has already decided about this picture. The page now shows the newest decision.",
            now,
        )
    if now.revision != saying.revision:
        raise MarkConflict(f"{now.by or 'Someone'} changed this picture first. The page now shows their changes.", now)


# ---- doing it -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DetectionJob:
    """A task: detect boxes in all pictures of a project."""

    folder: Path
    project: str
    by: Person

    def run(self, store: Store, media: MediaStore, home: Path, progress: Progress) -> str:
        """Run the task and write its result into the files of the folder."""
        with folder_lock.hold_folder(self.folder / LOCK, BUSY):
            asked = last_detection(self.folder)
            assert asked is not None
            try:
                self._look(store, media, asked, progress)
            except TouchstoneError as error:
                _write(self.folder / ABOUT, asdict(replace(asked, refused=str(error))))
                raise
        return "The search is complete."

    def _look(self, store: Store, media: MediaStore, asked: DetectionRecord, progress: Progress) -> None:
        from extensions.privacy.cascades import Finder

        finder = Finder(kinds=asked.kinds, neighbours=asked.neighbours) if asked.kinds else None
        findings = detection.detect(
            store,
            media,
            by=self.by,
            project=self.project,
            finder=finder,
            rate=asked.rate or None,
            progress=lambda at, n: progress(f"{at:,} of {n:,}", at, n),
        )
        boxes = {}
        for seen in findings.all:
            standing = {box.place for box in seen.decision.boxes} if seen.decision else set()
            new = [box.as_json() for box in seen.boxes if box.place not in standing]
            if new:
                boxes[seen.file] = new
        looked = finder.settings | ({"rate": asked.rate} if asked.rate else {}) if finder else {}
        _write(self.folder / FOUND, {"looked": looked, "boxes": boxes})
        came = replace(asked, refused="", pictures=len(findings.pictures), unread=[*findings.unread])
        came = replace(came, done=time.time(), found=findings.n_found, with_boxes=findings.n_with)
        came = replace(came, clips=len(findings.clips), tracks=findings.n_tracks, clips_with=findings.n_clips_with)
        _write(self.folder / ABOUT, asdict(came))


@dataclass(frozen=True)
class CoverJob:
    """A task: apply the marks of a project."""

    folder: Path
    project: str
    by: Person
    those: Mapping[str, int]
    """The marks that the person confirmed: their revision, by the hash of the picture."""

    def run(self, store: Store, media: MediaStore, home: Path, progress: Progress) -> str:
        """Run the task and write its result into ``covered.json``."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with folder_lock.hold_folder(self.folder / LOCK, BUSY):
            result: dict[str, Any] = {"by": self.by.login, "at": time.time()}
            try:
                done = self._cover(store, media, home, progress)
            except TouchstoneError as error:
                _write(self.folder / COVERED, {**result, "refused": str(error)})
                raise
            _write(self.folder / COVERED, {**result, **done})
        return "Touchstone has applied all decisions."

    def _cover(self, store: Store, media: MediaStore, home: Path, progress: Progress) -> dict[str, Any]:
        page_items = items(store, media, self.folder, by=self.by, project=self.project)
        ready = [
            page_item
            for page_item in page_items
            if page_item.waits and self.those.get(page_item.seen.file) == page_item.revision
        ]
        progress(f"Covering {len(ready):,}", 0, len(ready))
        done = covering.apply_decisions(
            store,
            media,
            home,
            by=self.by,
            project=self.project,
            choices=[page_item.choice for page_item in ready],
            looked=self._looked(store),
            after={page_item.seen.file: page_item.after for page_item in ready},
            marks=self.those,
        )
        return {
            **asdict(replace(done, instead={})),
            "clips": sum(page_item.clip for page_item in ready),
            "left": len(self.those) - len(ready),
        }

    def _looked(self, store: Store) -> Mapping[str, Any]:
        """Return the settings of the detection that found the boxes, on this server or on another one."""
        here = _read(self.folder / FOUND).get("looked")
        return here if here is not None else marks.last_looked(store, by=self.by, project=self.project)


def begin_look(services: Services, project: str, *, kinds: Sequence[str], neighbours: int, rate: float = 0.0) -> None:
    """Begin a detection of these kinds with ``rate`` samples per second of clips. Without kinds, people look."""
    folder = folder_of(services, project, changes=True)
    if is_running(services.store, folder):
        raise ConflictError(BUSY)
    _write(folder / ABOUT, asdict(DetectionRecord(services.person.login, time.time(), kinds, neighbours, rate)))
    _begin(services, folder, DetectionJob(folder, project, services.person))


def waiting(services: Services, project: str) -> list[PageItem]:
    """Return the pictures and clips with a mark that is not applied yet."""
    folder = folder_of(services, project, changes=True)
    page_items = items(services.store, services.media, folder, by=services.person, project=project)
    return [page_item for page_item in page_items if page_item.waits]


def frames_of(services: Services, project: str, ready: Sequence[PageItem]) -> list[str]:
    """Return the titles of frame sets that were taken out of these clips."""
    files = {page_item.seen.file for page_item in ready if page_item.choice.boxes and page_item.decided == "cover"}
    return derived_media.names_of(services.settings.home, project, files)


def begin_cover(services: Services, project: str, ready: Sequence[PageItem]) -> None:
    """Begin to apply the marks of these pictures and clips."""
    folder = folder_of(services, project, changes=True)
    if is_running(services.store, folder):
        raise ConflictError(BUSY)
    those = {page_item.seen.file: page_item.revision for page_item in ready}
    _begin(services, folder, CoverJob(folder, project, services.person, those))


def _begin(services: Services, folder: Path, work: DetectionJob | CoverJob) -> None:
    kind = DETECTION if isinstance(work, DetectionJob) else COVERING
    try:
        jobs.begin(services, kind.name, slot=_slot(folder), project=work.project, input=work)
    except SlotConflict as taken:
        raise ConflictError(BUSY) from taken


def _run(context: JobContext) -> JobOutcome:
    return JobOutcome(context.input.run(context.store, context.media, context.home, context.progress))


DETECTION = JobKind("privacy_look", "Faces and plates", "Looking for faces and plates in {}", _run)
COVERING = JobKind("privacy_cover", "Covering", "Covering pictures of {}", _run)
