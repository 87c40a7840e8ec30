"""Frame sets: the frames that leads take out of videos, each set in a folder below ``frames`` in the home folder.

    about.json    the settings of the set, who started it, and the state of its last run
    raw, items    the uploaded files, and the files unpacked
    out           the frames, as ``extraction`` writes them
    thumbs        thumbnails of the frames
    index.json    the counts of each step, and every frame: the page reads this file
    hand.json     frames that a lead ticked on or off, copied from the log

The ticks are events in the log (``frame_choices``), which every server on the database reads. ``set_jobs`` takes the
frames and adds them to the pool, in a process of its own.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.services import Services
from db.engine import Store
from db.events import CHOICES_CLEARED
from domain.errors import ConflictError, NotFoundError
from domain.records import Person
from extensions.frames import frame_choices, frame_pool
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.frame_choices import SetOfFrames
from extensions.frames.screening import ScreeningSettings
from importers.media_files import files_below
from media import copies
from workflow.jobs import folder_lock

ABOUT, INDEX, HAND, OUT, THUMBS, LOCK = "about.json", "index.json", "hand.json", "out", "thumbs", "lock"
BUSY = (
    "Touchstone is taking frames for this set or adding frames to the pool. Wait for this job to finish, "
    "then press the button again."
)
TICKING = "Other leads are choosing frames in this set. Your choice is saved. Reload the page to see your choice."
TICKING_SECONDS = 30
"""How long a page waits for the ticks of other leads, which take milliseconds each."""
_THUMB = (320, 320)


@dataclass(frozen=True)
class SetDescription:
    """The settings of a frame set, who started it, and the state of its last run."""

    called: str
    by: str
    began: float
    taking: ExtractionSettings
    keeping: ScreeningSettings
    names: Sequence[str] = ()
    """Names of the uploaded files."""
    paths: Sequence[tuple[str, str]] = ()
    """Name and path of each video that is stored elsewhere."""
    root: str = ""
    """The folder on this machine that holds all of ``paths``; empty if there is none."""
    done: float = 0.0
    """When the frames were ready; 0 means that they are not ready with these settings."""
    seconds: float = 0.0
    refused: str = ""
    pooled: Mapping[str, Any] = field(default_factory=dict)
    """Counts of the last addition to the pool."""

    @staticmethod
    def read(folder: Path) -> SetDescription:
        """Return the description in the folder of a set."""
        values = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        keeping = values.pop("keeping")
        if keeping["brightness"] is not None:
            keeping["brightness"] = tuple(keeping["brightness"])
        return SetDescription(
            **{**values, "taking": ExtractionSettings(**values["taking"]), "keeping": ScreeningSettings(**keeping)}
        )

    def write(self, folder: Path) -> None:
        """Replace the description in the folder of a set."""
        write_json(folder / ABOUT, asdict(self))


@dataclass(frozen=True)
class Frame:
    """One frame of a set."""

    number: int
    """Its position in the manifest."""
    row: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return its name in the pool: its video, a slash, its time."""
        return str(self.row["file"]).partition("/")[2]

    @property
    def kept(self) -> bool:
        """Tell whether the screening kept the frame."""
        return bool(self.row["kept"])

    @property
    def reason(self) -> str:
        """Return in a few words why the screening dropped the frame."""
        return str(self.row["why"] or "").partition(":")[0]


@dataclass(frozen=True)
class SetIndex:
    """All frames of a set, and the videos without frames."""

    videos: Sequence[Mapping[str, Any]]
    """Each has ``source``, and ``why`` if no frame was taken out of it."""
    frames: Sequence[Frame]
    missing: Sequence[tuple[str, str]]
    """Videos with times at which there is no frame, and why."""
    settings: Mapping[str, Any]
    stamp: str
    """A text that changes whenever the index changes."""


# ---- a set and its parts --------------------------------------------------------------------------------------------


def sets(services: Services, project: str) -> list[tuple[str, SetDescription]]:
    """Return the sets of a project by name, newest first; leads only."""
    place = frame_pool.place(services.store, services.settings.home, by=services.person, project=project)
    there = [path.parent for path in place.glob(f"*/{ABOUT}")] if place.is_dir() else []
    descriptions = [(folder.name, SetDescription.read(folder)) for folder in there]
    return sorted(descriptions, key=lambda each: each[1].began, reverse=True)


def folder_of_set(store: Store, home: Path, *, by: Person, project: str, name: str) -> Path:
    """Return the folder of a set; leads only.

    Raises
    ------
    NotFoundError
        The project has no set of this name.
    """
    folder = frame_pool.place(store, home, by=by, project=project) / name
    if not name.isalnum() or not (folder / ABOUT).is_file():
        raise NotFoundError("This frame set does not exist. Choose a set on the From videos page.")
    return folder


def index(folder: Path) -> SetIndex | None:
    """Return the frames of a set, or None before the first run has ended."""
    try:
        changed = (folder / INDEX).stat().st_mtime_ns
    except FileNotFoundError:
        return None
    return _index(folder, changed)


@lru_cache(maxsize=8)
def _index(folder: Path, changed: int) -> SetIndex:
    values = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    frames = [Frame(number, record) for number, record in enumerate(values["frames"])]
    return SetIndex(
        values["videos"], frames, [tuple(row) for row in values["missing"]], values["settings"], f"{changed:x}"
    )


def at(seconds: float) -> datetime:
    """Return a time of a set's description as a moment."""
    return datetime.fromtimestamp(seconds, UTC)


def picture(folder: Path, number: int, size: str) -> Path:
    """Return the file of a frame; ``size`` is ``thumb`` or ``original``."""
    of_set = index(folder)
    if of_set is None or not 0 <= number < len(of_set.frames) or size not in ("thumb", "original"):
        raise NotFoundError("This frame does not exist. Choose a frame on the From videos page.")
    file = str(of_set.frames[number].row["file"])
    if not copies.ends_whole(folder / OUT / file):
        raise NotFoundError("This frame is missing or damaged. Take the frames of its video again.")
    if size == "original":
        return folder / OUT / file
    write_thumbnail(folder, file)
    return _thumb_of(folder, of_set.frames[number].name)


def _thumb_of(folder: Path, name: str) -> Path:
    return folder / THUMBS / f"{name}.jpg"


# ---- what is chosen -------------------------------------------------------------------------------------------------


def by_hand(folder: Path) -> dict[str, bool]:
    """Return which frames a lead ticked on or off, by name, as of the last ``refresh``."""
    try:
        ticks: dict[str, bool] = json.loads((folder / HAND).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return ticks


def refresh(store: Store, folder: Path, *, by: Person) -> None:
    """Read from the log which frames of a set are ticked; first, move ticks of an earlier version into the log."""
    of_set = index(folder)
    if of_set is None:
        return
    project, lines = project_of(folder), _take_in(store, folder, of_set, by=by)
    here = [path.name for path in folder.parent.iterdir()]
    with folder_lock.hold_folder(folder / f"{HAND}.lock", TICKING, wait_seconds=TICKING_SECONDS):
        now = frame_choices.standing(store, by=by, project=project, name=folder.name, lines=lines, here=here)
        if now != by_hand(folder):
            write_json(folder / HAND, now)


def _take_in(store: Store, folder: Path, of_set: SetIndex, *, by: Person) -> list[Mapping[str, Any]]:
    lines = [frame.row for frame in of_set.frames]
    frame_choices.take_in(store, folder, by=by, project=project_of(folder), of=reference_of(folder), lines=lines)
    return lines


def tick(store: Store, folder: Path, frames: Sequence[Frame], *, on: bool, by: Person) -> None:
    """Tick these frames on or off.

    The frames are those of a page that may be older than the last screening: the log gets what holds now.

    Raises
    ------
    ConflictError
        The set no longer has one of the frames. The message has the reason.
    """
    of_set = index(folder)
    now = {_identity(frame): frame.row for frame in of_set.frames} if of_set is not None else {}
    lines = [now[_identity(frame)] for frame in frames if _identity(frame) in now]
    if of_set is None or len(lines) < len(frames):
        about = {"project": project_of(folder), "name": folder.name}
        who, why = frame_choices.last_change(store, by=by, **about, kinds=(CHOICES_CLEARED,))
        raise ConflictError(
            f"Your choice was not saved, because these frames no longer exist. {who}: {why}. Reload the page to see "
            "the current frames."
        )
    _take_in(store, folder, of_set, by=by)
    frame_choices.tick(store, by=by, project=project_of(folder), of=reference_of(folder), lines=lines, on=on)
    refresh(store, folder, by=by)


def _identity(frame: Frame) -> tuple[str, Any]:
    return frame.name, frame.row.get("sha256")


def project_of(folder: Path) -> str:
    """Return the name of the project of a set: ``frames/PROJECT/.../SET``."""
    return folder.parent.parent.name


def reference_of(folder: Path) -> SetOfFrames:
    """Return the set as the log identifies it."""
    return SetOfFrames(folder.name, SetDescription.read(folder).called)


def chosen(folder: Path, of_set: SetIndex) -> list[Frame]:
    """Return the frames for the pool: those that a lead ticked on, and kept frames that no lead ticked off."""
    hand = by_hand(folder)
    return [frame for frame in of_set.frames if hand.get(frame.name, frame.kept)]


def media_of(folder: Path) -> Path | None:
    """Return a folder for an import, with the set's videos and, below ``images``, its chosen frames.

    Returns None if the videos have no common folder, or if the set has no videos yet.
    """
    about, of_set = SetDescription.read(folder), index(folder)
    if about.root:
        return Path(about.root)
    if about.paths or not (folder / "items").is_dir():
        return None
    state = [of_set.stamp if of_set is not None else "", sorted(by_hand(folder).items())]
    media = folder / "media" / hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]
    with folder_lock.hold_folder(
        folder / "media.lock", "Another import with these videos is starting. Wait a moment, and then try again."
    ):
        if media.is_dir():  # an import may be reading it
            return media
        partial = media.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        there = [(f"videos/{name}", path) for name, path in files_below(folder / "items")]
        frames = chosen(folder, of_set) if of_set is not None else []
        there += [(f"images/{frame.name}", folder / OUT / str(frame.row["file"])) for frame in frames]
        for name, path in there:
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, partial / name)
        partial.replace(media)
    return media


def write_thumbnail(folder: Path, file: str) -> None:
    """Write the thumbnail of a frame, unless there is one."""
    from PIL import Image

    place = _thumb_of(folder, file.partition("/")[2])
    if copies.ends_whole(place):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    with Image.open(folder / OUT / file) as image:
        image.thumbnail(_THUMB)
        image.convert("RGB").save(out, "JPEG", quality=80)
    copies.write_whole(place, out.getvalue())


def clear_frames(store: Store, folder: Path, *, by: Person | None, why: str) -> None:
    """Delete the frames of a set, and log that their ticks no longer count."""
    frame_choices.clear(store, by=by, project=project_of(folder), of=reference_of(folder), why=why)
    for part in (OUT, THUMBS):
        shutil.rmtree(folder / part, ignore_errors=True)
    for part in (INDEX, HAND, frame_choices.CHOICE):
        (folder / part).unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Replace a file by a value as JSON."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(value), encoding="utf-8")
    partial.replace(path)
