"""Sets of frames that leads take out of videos on a page: each a folder below ``frames`` in the home folder.

    about.json    what was asked for, by whom, and what became of it
    raw, items    what was uploaded, and unpacked
    out           the frames, as ``media.frame_set`` makes them
    thumbs        small pictures of them
    index.json    what was counted at each step, and every frame: what the page reads
    hand.json     frames that someone has ticked on or off by hand: a copy of what the log says

The ticks are in the log (``workflow.annotate.frame_choices``), which every server on the database reads. The frames
are taken in a process of its own, which goes on to its end if the server is gone. It holds a lock: a lock that is free
though the set is not done says that it was broken off. The same again goes on where it stood.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from app import apart, locks, uploads
from app.apart import Going, Progress
from app.services import Services
from db.engine import Store
from domain.errors import Conflict, FileRefused, NotFound, TouchstoneError
from domain.records import Person
from importers.media_files import files_below, kind_of
from media import copies, frame_set
from media.frame_screening import Keeping
from media.frame_set import Taking
from media.store import MediaStore
from workflow.annotate import frame_choices, frame_pool
from workflow.annotate.frame_choices import SetOfFrames
from workflow.annotate.frame_pool import Chosen

ABOUT, INDEX, HAND, OUT, THUMBS, LOCK = "about.json", "index.json", "hand.json", "out", "thumbs", "lock"
BUSY = "Frames of this set are being taken or put into the pool just now. Wait until that is done, and press again."
BROKEN = "It was broken off. Nothing is lost: press Go on, and it goes on where it stood."
TICKING = "Someone else is ticking frames at this moment; tick it again."
COVERED_SINCE = "Something was covered in a clip of this set, so its frames were removed. Go on takes them anew."
NO_ENDING = "its name has no ending of a video"
EXAMPLES = 3
"""So many frames are shown for each reason."""
_THUMB = (320, 320)


@dataclass(frozen=True)
class About:
    """What is known of a set."""

    called: str
    by: str
    began: float
    taking: Taking
    keeping: Keeping
    names: Sequence[str] = ()
    """Of what was uploaded."""
    paths: Sequence[tuple[str, str]] = ()
    """Of videos that lie elsewhere: name and path."""
    root: str = ""
    """The folder on this machine that these were found in; empty: none holds them all."""
    done: float = 0.0
    """When its frames were there; 0: not yet, with these settings."""
    seconds: float = 0.0
    refused: str = ""
    pooled: Mapping[str, Any] = field(default_factory=dict)
    """What became of those that were taken into the pool last."""

    @staticmethod
    def read(folder: Path) -> About:
        """Of a set's folder."""
        told = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        keeping = told.pop("keeping")
        if keeping["brightness"] is not None:
            keeping["brightness"] = tuple(keeping["brightness"])
        return About(**{**told, "taking": Taking(**told["taking"]), "keeping": Keeping(**keeping)})

    def write(self, folder: Path) -> None:
        """Whole or not at all."""
        _write(folder / ABOUT, asdict(self))


@dataclass(frozen=True)
class Frame:
    """A frame of a set, as its manifest has it."""

    number: int
    """Its place in the manifest."""
    told: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its video, a slash, its time: as the pool calls it."""
        return str(self.told["file"]).partition("/")[2]

    @property
    def kept(self) -> bool:
        """Whether the screening kept it."""
        return bool(self.told["kept"])

    @property
    def reason(self) -> str:
        """Why not, in short."""
        return str(self.told["why"] or "").partition(":")[0]


@dataclass(frozen=True)
class Index:
    """What became of a set."""

    videos: Sequence[Mapping[str, Any]]
    """Each with ``source``, and ``why`` if nothing was taken of it."""
    frames: Sequence[Frame]
    missing: Sequence[tuple[str, str]]
    """Moments of videos at which there was none to take, and why."""
    settings: Mapping[str, Any]
    stamp: str
    """Another one whenever it changes."""


_going: dict[Path, Going] = {}
"""By folder, what this process began last."""


# ---- a set and its parts --------------------------------------------------------------------------------------------


def sets(services: Services, project: str) -> list[tuple[str, About]]:
    """The sets of a project, the newest first, for its leads."""
    place = frame_pool.place(services.store, services.settings.home, by=services.person, project=project)
    there = [path.parent for path in place.glob(f"*/{ABOUT}")] if place.is_dir() else []
    found = [(folder.name, About.read(folder)) for folder in there]
    return sorted(found, key=lambda each: each[1].began, reverse=True)


def folder_of_set(store: Store, home: Path, *, by: Person, project: str, name: str) -> Path:
    """Where a set lies, for the leads of its project; ``NotFound`` if there is none."""
    folder = frame_pool.place(store, home, by=by, project=project) / name
    if not name.isalnum() or not (folder / ABOUT).is_file():
        raise NotFound("There is no such set of frames; the page Frames lists those that there are.")
    return folder


def index(folder: Path) -> Index | None:
    """What there is of a set; None: nothing yet."""
    try:
        changed = (folder / INDEX).stat().st_mtime_ns
    except FileNotFoundError:
        return None
    return _index(folder, changed)


@lru_cache(maxsize=8)
def _index(folder: Path, changed: int) -> Index:
    told = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    frames = [Frame(number, each) for number, each in enumerate(told["frames"])]
    return Index(told["videos"], frames, [tuple(each) for each in told["missing"]], told["settings"], f"{changed:x}")


def at(seconds: float) -> datetime:
    """A moment that is known of a set."""
    return datetime.fromtimestamp(seconds, UTC)


def is_running(folder: Path) -> bool:
    """Whether something is being done with a set, or is about to be."""
    begun = _going.get(folder)
    return (begun is not None and not begun.over.is_set()) or locks.is_held(folder / LOCK)


def taken_so_far(folder: Path) -> int:
    """How many frames have been taken, while it is under way."""
    parts = (folder / OUT / frame_set.WORK).glob("*.jsonl")
    return sum(max(part.read_bytes().count(b"\n") - 1, 0) for part in parts)


def picture(folder: Path, number: int, size: str) -> Path:
    """The file of a frame: its ``thumb``, or its ``original``."""
    found = index(folder)
    if found is None or not 0 <= number < len(found.frames) or size not in ("thumb", "original"):
        raise NotFound("There is no such frame; the page Frames shows those that there are.")
    file = str(found.frames[number].told["file"])
    if not copies.ends_whole(folder / OUT / file):
        raise NotFound("This frame is gone or damaged. Take the frames of its video again.")
    if size == "original":
        return folder / OUT / file
    _thumb(folder, file)
    return _thumb_of(folder, found.frames[number].name)


def _thumb_of(folder: Path, name: str) -> Path:
    return folder / THUMBS / f"{name}.jpg"


# ---- what is chosen -------------------------------------------------------------------------------------------------


def by_hand(folder: Path) -> dict[str, bool]:
    """Which frames someone has ticked on or off, by name, as ``refresh`` found it last."""
    try:
        found: dict[str, bool] = json.loads((folder / HAND).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def refresh(store: Store, folder: Path, *, by: Person) -> None:
    """Read from the log which frames of a set are ticked on or off; ticks of an earlier version move there first."""
    found = index(folder)
    if found is None:
        return
    project, lines = _project_of(folder), [each.told for each in found.frames]
    frame_choices.take_in(store, folder, by=by, project=project, of=_named(folder), lines=lines)
    here = [each.name for each in folder.parent.iterdir()]
    with locks.held(folder / f"{HAND}.lock", TICKING):
        now = frame_choices.standing(store, by=by, project=project, name=folder.name, lines=lines, here=here)
        if now != by_hand(folder):
            _write(folder / HAND, now)


def tick(store: Store, folder: Path, frames: Sequence[Frame], *, on: bool, by: Person) -> None:
    """Choose these frames, or do not."""
    refresh(store, folder, by=by)
    frame_choices.tick(
        store, by=by, project=_project_of(folder), of=_named(folder), lines=[each.told for each in frames], on=on
    )
    refresh(store, folder, by=by)


def _project_of(folder: Path) -> str:
    """Return the name of the project of a set: ``frames/PROJECT/.../SET``."""
    return folder.parent.parent.name


def _named(folder: Path) -> SetOfFrames:
    return SetOfFrames(folder.name, About.read(folder).called)


def chosen(folder: Path, found: Index) -> list[Frame]:
    """What goes into the pool: what the screening kept and no one has ticked off, and what someone has ticked on."""
    hand = by_hand(folder)
    return [each for each in found.frames if hand.get(each.name, each.kept)]


def media_of(folder: Path) -> Path | None:
    """A folder with the videos of a set and, below ``images``, what is chosen of its frames: the media of an import.

    None where the videos lie in no folder of their own, or nothing is there yet."""
    about, found = About.read(folder), index(folder)
    if about.root:
        return Path(about.root)
    if about.paths or not (folder / "items").is_dir():
        return None
    state = [found.stamp if found is not None else "", sorted(by_hand(folder).items())]
    media = folder / "media" / hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]
    with locks.held(folder / "media.lock", "Someone else begins to import with these videos; try again."):
        if media.is_dir():  # an import may be reading it
            return media
        partial = media.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        there = [(f"videos/{name}", path) for name, path in files_below(folder / "items")]
        frames = chosen(folder, found) if found is not None else []
        there += [(f"images/{each.name}", folder / OUT / str(each.told["file"])) for each in frames]
        for name, path in there:
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, partial / name)
        partial.replace(media)
    return media


# ---- doing it -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Framing:
    """Frames of a set to be taken and screened."""

    folder: Path
    by: Person

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        """Do it, or go on with it; the index says what came of it."""
        with locks.held(self.folder / LOCK, BUSY):
            about, began = About.read(self.folder), time.monotonic()
            try:
                found = _make(self.folder, about, progress)
                frame_choices.screened(
                    store, by=self.by, project=_project_of(self.folder), of=_named(self.folder), **found
                )
            except TouchstoneError as error:
                replace(about, refused=str(error)).write(self.folder)
                raise
            replace(about, done=time.time(), seconds=time.monotonic() - began, refused="").write(self.folder)
        return "taken"


def _make(folder: Path, about: About, progress: Progress) -> dict[str, Any]:
    """Take, screen and index the frames; the settings and the lines of all frames."""
    sources, aside = _sources(folder, about)
    if not sources:
        raise FileRefused("Among these files is no video: their names have to end with .mp4, .webm or the like.")
    done = 0

    def said(name: str) -> None:
        nonlocal done
        done += 1
        progress(f"{done:,} of {len(sources):,} videos, the last one {name}", done, len(sources))

    with uploads.as_uploaded(str(folder)):
        frame_set.make(folder / OUT, sources, taking=about.taking, keeping=about.keeping, said=said)
    lines = frame_set.manifest(folder / OUT)
    head, videos, frames, missing = next(lines), [], [], []
    for line in lines:
        record = line.pop("record")
        if record == "source":
            videos.append(line)
        elif "file" in line:
            frames.append(line)
        else:
            missing.append((line["source"], line["why"]))
    for at, each in enumerate(frames, 1):
        _thumb(folder, str(each["file"]))
        progress(f"Small pictures: {at:,} of {len(frames):,}", at, len(frames))
    videos += [{"source": name, "why": NO_ENDING} for name in aside]
    settings = {name: head[name] for name in ("taking", "keeping")}
    _write(folder / INDEX, {"settings": settings, "videos": videos, "missing": missing, "frames": frames})
    return {"settings": settings, "lines": frames}


def _sources(folder: Path, about: About) -> tuple[list[frame_set.Source], list[str]]:
    """The videos, and the names of what is none."""
    if about.paths:
        return [frame_set.Source(name, Path(path)) for name, path in about.paths], []
    path, _ = uploads.Source(folder, about.names).placed()
    shutil.rmtree(folder / "raw", ignore_errors=True)
    there = files_below(path)
    videos = [frame_set.Source(name, path) for name, path in there if kind_of(path) == "clip"]
    return videos, [name for name, path in there if kind_of(path) != "clip"]


def _thumb(folder: Path, file: str) -> None:
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


@dataclass(frozen=True)
class Pooling:
    """The chosen frames of a set to be taken into the pool."""

    folder: Path
    project: str
    by: Person
    dimension: str | None
    role: str | None

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        """Do it; what became of them stands in what is known of the set."""
        with locks.held(self.folder / LOCK, BUSY):
            found = index(self.folder)
            if found is None:
                raise Conflict("There are no frames to take into the pool yet.")
            refresh(store, self.folder, by=self.by)
            those = chosen(self.folder, found)
            taken = {each.number for each in those}
            added = frame_pool.add(
                store,
                MediaStore(home / "media"),
                by=self.by,
                project=self.project,
                frames=[Chosen(each.name, self.folder / OUT / str(each.told["file"]), each.told) for each in those],
                dropped={each.name: each.told for each in found.frames if each.number not in taken},
                settings=found.settings,
                dimension=self.dimension,
                role=self.role,
                told=lambda at: progress(f"Into the pool: {at:,} of {len(those):,} frames", at, len(those)),
            )
            told = {"added": added.added, "repeated": added.repeated, "refused": list(added.refused), "at": time.time()}
            replace(About.read(self.folder), pooled=told).write(self.folder)
        return "pooled"


# ---- what a page asks for -------------------------------------------------------------------------------------------


def begin_set(
    services: Services,
    project: str,
    *,
    taking: Taking,
    keeping: Keeping,
    files: Sequence[Any] = (),
    paths: Sequence[tuple[str, Path]] = (),
    root: Path | None = None,
) -> str:
    """Make a set of uploaded videos, or of such that lie on this machine, and begin with it; its name."""
    frame_set.must_fit(taking, keeping)
    home = services.settings.home
    place = frame_pool.place(services.store, home, by=services.person, project=project, changes=True)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = uploads.new_folder(place)
    names = tuple(each.name for each in files)
    if files:
        uploads.staged_in(folder, files)
    called = uploads.Source(folder, names or tuple(name for name, _ in paths)).called
    there = [(name, str(path)) for name, path in paths]
    below = str(root) if root is not None and root.is_dir() else ""
    About(called, services.person.login, time.time(), taking, keeping, names, there, below).write(folder)
    _begin(services, folder, Framing(folder, services.person))
    return folder.name


def of_files(below: Path, files: Collection[str]) -> list[Path]:
    """The sets of projects of one name that were made of one of these stored files."""
    found = []
    for folder in sorted(path.parent for path in below.glob(f"*/*/{ABOUT}")):
        if any(Path(path).parent.name in files for _, path in About.read(folder).paths):
            found.append(folder)
    return found


def must_rest(folders: Sequence[Path]) -> None:
    """``Conflict`` where one is being worked on."""
    for folder in folders:
        if is_running(folder):
            raise Conflict(f"{About.read(folder).called}: {BUSY}")


def taken_back(store: Store, folders: Sequence[Path], paths: Mapping[str, Path], *, by: Person | None) -> list[str]:
    """Remove the frames of sets, of which a stored file is shown no more; what they are called. Their frames can be
    taken anew, of what is shown in its place: ``paths`` has where that lies, by hash."""
    names = []
    for folder in folders:
        with locks.held(folder / LOCK, BUSY):
            _empty(store, folder, by=by, why="something was covered in a clip of this set")
            about = About.read(folder)
            now = [(name, str(paths.get(Path(path).parent.name, path))) for name, path in about.paths]
            replace(about, paths=now, done=0.0, refused=COVERED_SINCE).write(folder)
        names.append(about.called)
    return names


def _empty(store: Store, folder: Path, *, by: Person | None, why: str) -> None:
    """Remove the frames of a set; their ticks count no more."""
    frame_choices.clear(store, by=by, project=_project_of(folder), of=_named(folder), why=why)
    for part in (OUT, THUMBS):
        shutil.rmtree(folder / part, ignore_errors=True)
    for part in (INDEX, HAND, frame_choices.CHOICE):
        (folder / part).unlink(missing_ok=True)


def again(services: Services, folder: Path, *, taking: Taking, keeping: Keeping) -> None:
    """Run a set again with these settings: with other ones of taking, all its frames are taken anew."""
    if is_running(folder):
        raise Conflict(BUSY)
    frame_set.must_fit(taking, keeping)
    about = About.read(folder)
    if about.taking != taking:
        with locks.held(folder / LOCK, BUSY):
            _empty(services.store, folder, by=services.person, why="the frames are taken in another way")
    replace(about, taking=taking, keeping=keeping, done=0.0, refused="", began=about.began).write(folder)
    _begin(services, folder, Framing(folder, services.person))


def go_on(services: Services, folder: Path) -> None:
    """Go on with a set that was broken off."""
    about = About.read(folder)
    again(services, folder, taking=about.taking, keeping=about.keeping)


def into_pool(services: Services, folder: Path, project: str, *, dimension: str | None, role: str | None) -> None:
    """Begin to take the chosen frames into the pool."""
    if is_running(folder):
        raise Conflict(BUSY)
    _begin(services, folder, Pooling(folder, project, services.person, dimension, role))


def remove(services: Services, folder: Path) -> None:
    """Take a set away; what went into the pool stays there."""
    if is_running(folder):
        raise Conflict(BUSY)
    project, of = _project_of(folder), _named(folder)
    frame_choices.clear(services.store, by=services.person, project=project, of=of, why="the set was deleted")
    shutil.rmtree(folder)


def going(folder: Path) -> Going | None:
    """What this process began last with a set."""
    return _going.get(folder)


def _begin(services: Services, folder: Path, work: Any) -> None:
    begun = _going[folder] = Going()
    apart.begin(services.store, services.settings.home, work, going=begun, broken=BROKEN, outlives=True)


def dropped(found: Index) -> Counter[str]:
    """How many frames the screening left out, by the reason in short."""
    return Counter(each.reason for each in found.frames if not each.kept)


def _write(path: Path, told: Any) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(told), encoding="utf-8")
    partial.replace(path)
