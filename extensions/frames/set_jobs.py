"""Long work on a frame set: taking and screening its frames, and adding the chosen frames to the pool.

The work is a job. Its process holds the lock of the set. If it dies, the next process continues where it stopped.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app import jobs
from app.services import Services
from db.engine import Store
from domain.english import with_noun
from domain.errors import ConflictError, InvalidFileError, TouchstoneError
from domain.jobs import Job, Progress
from domain.records import Person
from extensions.frames import extraction, frame_choices, frame_pool, frame_sets
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.frame_pool import FrameForPool
from extensions.frames.frame_sets import BUSY, INDEX, LOCK, OUT, SetDescription
from extensions.frames.screening import ScreeningSettings
from importers.media_files import files_below, kind_of
from media.store import MediaStore
from workflow.files import uploads
from workflow.jobs import desk, folder_lock
from workflow.jobs.desk import SlotConflict
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome

BROKEN = "The job was interrupted, but no data was lost. Press “Continue” to continue."
NO_ENDING = "the file name has no video extension"


def job(store: Store, folder: Path) -> Job | None:
    """Return the last job of a set."""
    return desk.newest(store, slot=_slot(folder))


def is_running(store: Store, folder: Path) -> bool:
    """Tell whether work on a set is running or about to start."""
    last = job(store, folder)
    return (last is not None and last.is_open) or folder_lock.is_held(folder / LOCK)


def _slot(folder: Path) -> str:
    return f"frames/{folder.name}"


def taken_so_far(folder: Path) -> int:
    """Return how many frames have been taken so far."""
    parts = (folder / OUT / extraction.WORK).glob("*.jsonl")
    return sum(max(part.read_bytes().count(b"\n") - 1, 0) for part in parts)


@dataclass(frozen=True)
class ExtractionJob:
    """Takes and screens the frames of a set."""

    folder: Path
    by: Person

    def run(self, store: Store, media: MediaStore, home: Path, progress: Progress) -> str:
        """Take the frames, or the rest of them, and write the index."""
        with folder_lock.hold_folder(self.folder / LOCK, BUSY):
            about, began = SetDescription.read(self.folder), time.monotonic()
            try:
                figures = _make(self.folder, about, media, progress)
                frame_choices.screened(
                    store,
                    by=self.by,
                    project=frame_sets.project_of(self.folder),
                    of=frame_sets.reference_of(self.folder),
                    **figures,
                )
            except TouchstoneError as error:
                replace(about, refused=str(error)).write(self.folder)
                raise
            replace(about, done=time.time(), seconds=time.monotonic() - began, refused="").write(self.folder)
        return "Touchstone has taken the frames."


def _make(folder: Path, about: SetDescription, media: MediaStore, progress: Progress) -> dict[str, Any]:
    """Take, screen and index the frames; return the settings and the manifest rows of all frames."""
    sources, aside = _sources(folder, about, media)
    if not sources:
        raise InvalidFileError("None of these files is a video. Upload files with an extension such as .mp4 or .webm.")
    done = 0

    def report(name: str) -> None:
        nonlocal done
        done += 1
        progress(f"{done:,} of {with_noun(len(sources), 'video')}, most recently {name}", done, len(sources))

    with uploads.as_uploaded(str(folder)):
        extraction.make(folder / OUT, sources, taking=about.taking, keeping=about.keeping, report=report)
    lines = extraction.manifest(folder / OUT)
    head, videos, frames, missing = next(lines), [], [], []
    for line in lines:
        record = line.pop("record")
        if record == "source":
            videos.append(line)
        elif "file" in line:
            frames.append(line)
        else:
            missing.append((line["source"], line["why"]))
    for at, frame in enumerate(frames, 1):
        frame_sets.write_thumbnail(folder, str(frame["file"]))
        progress(f"Small pictures: {at:,} of {len(frames):,}", at, len(frames))
    videos += [{"source": name, "why": NO_ENDING} for name in aside]
    settings = {name: head[name] for name in ("taking", "keeping")}
    frame_sets.write_json(
        folder / INDEX, {"settings": settings, "videos": videos, "missing": missing, "frames": frames}
    )
    return {"settings": settings, "lines": frames}


@dataclass(frozen=True)
class _PooledVideo(extraction.Source):
    """A video on this machine, or a clip of the media store."""

    media: MediaStore | None = None

    def file(self) -> Path:
        """Return the video's file. Only now is a clip fetched from a bucket."""
        if self.media is None or not self.path.is_relative_to(self.media.root):
            return self.path
        return self.media.path(self.path.parent.name)


def _sources(folder: Path, about: SetDescription, media: MediaStore) -> tuple[list[extraction.Source], list[str]]:
    """Return the videos, and the names of files that are no videos."""
    if about.paths:
        return [_PooledVideo(name, Path(path), media=media) for name, path in about.paths], []
    path, _ = uploads.Source(folder, about.names).placed()
    shutil.rmtree(folder / "raw", ignore_errors=True)
    there = files_below(path)
    videos = [extraction.Source(name, path) for name, path in there if kind_of(path) == "clip"]
    return videos, [name for name, path in there if kind_of(path) != "clip"]


@dataclass(frozen=True)
class PoolJob:
    """Adds the chosen frames of a set to the pool."""

    folder: Path
    project: str
    by: Person
    dimension: str | None
    role: str | None

    def run(self, store: Store, media: MediaStore, home: Path, progress: Progress) -> str:
        """Add the frames, and write the counts into the description of the set."""
        with folder_lock.hold_folder(self.folder / LOCK, BUSY):
            index = frame_sets.index(self.folder)
            if index is None:
                raise ConflictError("There are no frames to add to the pool yet. Take frames from the videos first.")
            frame_sets.refresh(store, self.folder, by=self.by)
            those = frame_sets.chosen(self.folder, index)
            taken = {frame.number for frame in those}
            added = frame_pool.add(
                store,
                media,
                by=self.by,
                project=self.project,
                frames=[
                    FrameForPool(frame.name, self.folder / OUT / str(frame.row["file"]), frame.row) for frame in those
                ],
                dropped={frame.name: frame.row for frame in index.frames if frame.number not in taken},
                settings=index.settings,
                dimension=self.dimension,
                role=self.role,
                progress=lambda at: progress(
                    f"Added to the pool: {at:,} of {with_noun(len(those), 'frame')}", at, len(those)
                ),
            )
            counts = {"added": added.added, "repeated": added.repeated, "refused": list(added.refused)}
            replace(SetDescription.read(self.folder), pooled={**counts, "at": time.time()}).write(self.folder)
        return "Touchstone has added the frames to the pool."


# ---- what the page calls ---------------------------------------------------------------------------------------------


def begin_set(
    services: Services,
    project: str,
    *,
    taking: ExtractionSettings,
    keeping: ScreeningSettings,
    files: Sequence[Any] = (),
    paths: Sequence[tuple[str, Path]] = (),
    root: Path | None = None,
) -> str:
    """Make a set of uploaded videos, or of videos on this machine, begin to take its frames, and return its name."""
    extraction.require_measured(taking, keeping)
    home = services.settings.home
    place = frame_pool.place(services.store, home, by=services.person, project=project, changes=True)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = uploads.new_folder(place)
    names = tuple(file.name for file in files)
    if files:
        uploads.staged_in(folder, files)
    called = uploads.Source(folder, names or tuple(name for name, _ in paths)).called
    there = [(name, str(path)) for name, path in paths]
    below = str(root) if root is not None and root.is_dir() else ""
    SetDescription(called, services.person.login, time.time(), taking, keeping, names, there, below).write(folder)
    _begin(services, folder, ExtractionJob(folder, services.person))
    return folder.name


def again(services: Services, folder: Path, *, taking: ExtractionSettings, keeping: ScreeningSettings) -> None:
    """Run a set again with these settings; other extraction settings take all frames again."""
    if is_running(services.store, folder):
        raise ConflictError(BUSY)
    extraction.require_measured(taking, keeping)
    about = SetDescription.read(folder)
    if about.taking != taking:
        with folder_lock.hold_folder(folder / LOCK, BUSY):
            frame_sets.clear_frames(
                services.store, folder, by=services.person, why="the frames were taken again with other settings"
            )
    replace(about, taking=taking, keeping=keeping, done=0.0, refused="", began=about.began).write(folder)
    _begin(services, folder, ExtractionJob(folder, services.person))


def go_on(services: Services, folder: Path) -> None:
    """Continue a set whose work broke off."""
    about = SetDescription.read(folder)
    again(services, folder, taking=about.taking, keeping=about.keeping)


def into_pool(services: Services, folder: Path, project: str, *, dimension: str | None, role: str | None) -> None:
    """Begin to add the chosen frames to the pool."""
    if is_running(services.store, folder):
        raise ConflictError(BUSY)
    _begin(services, folder, PoolJob(folder, project, services.person, dimension, role))


def remove(services: Services, folder: Path) -> None:
    """Delete a set; frames in the pool stay."""
    if is_running(services.store, folder):
        raise ConflictError(BUSY)
    project, of = frame_sets.project_of(folder), frame_sets.reference_of(folder)
    frame_choices.clear(services.store, by=services.person, project=project, of=of, why="the set was deleted")
    shutil.rmtree(folder)


def _begin(services: Services, folder: Path, work: ExtractionJob | PoolJob) -> None:
    kind = EXTRACTION if isinstance(work, ExtractionJob) else POOL
    try:
        jobs.begin(services, kind.name, slot=_slot(folder), project=frame_sets.project_of(folder), input=work)
    except SlotConflict as taken:
        raise ConflictError(BUSY) from taken


def _run(context: JobContext) -> JobOutcome:
    return JobOutcome(context.input.run(context.store, context.media, context.home, context.progress))


EXTRACTION = JobKind("frames", "Frames", "Taking frames for {}", _run)
POOL = JobKind("frames_pool", "Adding frames to the pool", "Adding frames to the pool of {}", _run)
