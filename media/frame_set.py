"""A folder of frames out of videos, with a manifest that says when each is shown, what it is like, and why it stays.

First each video's frames are taken, measured and written, one after the other, each with a line: a run that is broken
off goes on after the last of them. Then, from these lines alone, it is decided which frames are kept.

    frames.jsonl    the manifest
    images/         kept frames: a folder for each video, each frame called by its time
    dropped/        the others, likewise
    .work/          what was taken and measured so far
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from domain.errors import Conflict, FileRefused, MediaRefused
from media import frames
from media.perceptual_hash import ALIKE, BITS, difference_hash
from media.sharpness import sharpness

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANIFEST, IMAGES, DROPPED, WORK = "frames.jsonl", "images", "dropped", ".work"
DARK, LIGHT = 5, 250
"""Grey levels up to which, and from which, a pixel shows nothing any more."""
FORMATS: Mapping[str, Mapping[str, Any]] = {"png": {"compress_level": 3}, "jpg": {"quality": 95, "subsampling": 0}}


@dataclass(frozen=True)
class Source:
    """A video, under the name that it has in the manifest."""

    name: str
    path: Path
    times: tuple[str, ...] = ()
    """The times asked for, as they were written: decimals or fractions, in seconds."""


@dataclass(frozen=True)
class Taking:
    """Which frames are taken, by one of these ways, and how they are written."""

    every: int | None = None
    seconds: str | None = None
    scenes: float | None = None
    at_times: bool = False
    format: str = "png"


@dataclass(frozen=True)
class Keeping:
    """Which of the taken frames are kept; without any of these, all."""

    at_most: int | None = None
    """Of each video, spread over what is left of it."""
    min_sharpness: float | None = None
    blurred: float | None = None
    """Blurred is what is less than so much of its video's median sharpness."""
    brightness: tuple[float, float] | None = None
    """The mean grey level, from and to."""
    distinct: bool = False
    """One of those that look alike, across all videos."""
    alike: int = ALIKE


@dataclass
class Told:
    """What became of it."""

    sources: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """By reason, in short."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Videos of which there is no frame, and why."""
    broken: list[tuple[str, str]] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    """Times at which a video has no frame, and why."""


def make(
    out: Path,
    sources: Sequence[Source],
    *,
    taking: Taking,
    keeping: Keeping | None = None,
    said: Callable[[str], None] = lambda _: None,
) -> Told:
    """Take the frames of these videos into ``out``, measure them, and decide which are kept.

    The same again goes on where it was broken off, or only decides anew; the result is the same.

    Raises
    ------
    FileRefused
        The folder holds other frames: of other videos, or taken in another way.
    Conflict
        Another run is at work in the folder.
    NotAvailable
        The extra ``video`` is not installed.
    """
    with _alone(out):
        _must_be_of(out, sources)
        for source in sources:
            _take(out, source, taking, said)
        return _decide(out, sources, taking, keeping or Keeping())


def manifest(out: Path) -> Iterator[dict[str, Any]]:
    """The lines of a folder's manifest: the run, and each video with its frames behind it.

    Raises
    ------
    FileRefused
        There is none, or it is none of ours.
    """
    path = out / MANIFEST
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                found = json.loads(line)
                if not isinstance(found, dict) or found.get("record") not in ("run", "source", "frame"):
                    raise FileRefused(f"{path}, line {number}: it is no line of a manifest of frames.")
                yield found
    except (OSError, ValueError) as error:
        raise FileRefused(f"{path} cannot be read as a manifest of frames ({error}).") from error


# ---- taking ----------------------------------------------------------------------------------------------------------


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    if out.exists() and not out.is_dir():
        raise FileRefused(f"{out} is a file; name a folder for the frames.")
    if out.is_dir() and not (out / WORK).is_dir() and any(out.iterdir()):
        raise FileRefused(f"{out} holds other files already; name a new or empty folder for the frames.")
    (out / WORK).mkdir(parents=True, exist_ok=True)
    with (out / WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Conflict(
                f"Another run takes frames into {out} just now. Wait for it, or name another folder."
            ) from error
        yield


def _part(out: Path, name: str) -> Path:
    return out / WORK / f"{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.jsonl"


def _must_be_of(out: Path, sources: Sequence[Source]) -> None:
    """Frames of videos that are not among these would stay in the folder, and be in no manifest."""
    expected = {_part(out, source.name) for source in sources}
    for part in sorted((out / WORK).glob("*.jsonl")):
        if part not in expected and (lines := _lines(part)) and not _is_skipped(lines):
            raise FileRefused(
                f"{out} holds frames of {lines[0].get('source')}, which is not among these videos. Name another folder."
            )


def _is_skipped(lines: Sequence[Mapping[str, Any]]) -> bool:
    return "skipped" in lines[-1]


def _lines(part: Path) -> list[dict[str, Any]]:
    """The whole lines of a part; what a killed run left half-written is cut off."""
    if not part.exists():
        return []
    content = part.read_bytes()
    whole = content.rpartition(b"\n")[0]
    if len(whole) + 1 < len(content):
        os.truncate(part, len(whole) + 1 if whole else 0)
    return [json.loads(line) for line in whole.splitlines()]


def _take(out: Path, source: Source, taking: Taking, said: Callable[[str], None]) -> None:
    part = _part(out, source.name)
    try:
        with source.path.open("rb") as video:
            sha256 = hashlib.file_digest(video, "sha256").hexdigest()
    except OSError as error:
        _restart(part, {"source": source.name, "skipped": f"{source.name} cannot be read: {error.strerror}."})
        return
    head = {"source": source.name, "sha256": sha256, "taking": {**asdict(taking), "times": list(source.times)}}
    before = _lines(part)
    if before and _is_skipped(before):
        before = []
    if before and before[0] != head:
        what = "the video has changed since" if before[0]["sha256"] != sha256 else "they were taken in another way"
        raise FileRefused(f"{out} holds frames of {source.name} already, and {what}. Name another folder.")
    if before and "done" in before[-1]:
        return
    if not before:
        _restart(part, head)
    try:
        with part.open("a", encoding="utf-8") as lines, frames.opened(source.path, name=source.name) as film:
            _take_from(film, out, source, taking, before[1:], lambda line: _write(lines, line))
            about = {"codec": film.codec, "frames": len(film), "end": float(film.end), "steady": film.steady}
            _write(lines, {"done": {**about, "broken": film.broken}})
        said(source.name)
    except MediaRefused as error:
        _restart(part, {"source": source.name, "sha256": sha256, "skipped": str(error)})


def _restart(part: Path, head: Mapping[str, Any]) -> None:
    with part.open("w", encoding="utf-8") as lines:
        _write(lines, head)


def _write(lines: Any, line: Mapping[str, Any]) -> None:
    lines.write(json.dumps(line, ensure_ascii=True) + "\n")
    lines.flush()


def _take_from(
    film: frames.Film,
    out: Path,
    source: Source,
    taking: Taking,
    before: Sequence[Mapping[str, Any]],
    write: Callable[[Mapping[str, Any]], None],
) -> None:
    asked: dict[int, list[str]] = {}
    known = {line["frame"] for line in before if _is_there(out, line)}
    refused = {line["asked"][0] for line in before if line["frame"] is None}
    if taking.at_times:
        for text in source.times:
            try:
                asked.setdefault(film.at(Fraction(text)), []).append(text)
            except MediaRefused as error:
                if text not in refused:
                    write({"frame": None, "asked": [text], "why": str(error)})
        wanted = sorted(asked)
    elif taking.every is not None:
        wanted = film.every(taking.every)
    elif taking.seconds is not None:
        wanted = film.each_seconds(Fraction(taking.seconds))
    else:
        wanted = film.scenes(taking.scenes or frames.SCENE)
    for found in film.read([index for index in wanted if index not in known]):
        write(_taken(found, out, source, taking, asked.get(found.index, [])))


def _is_there(out: Path, line: Mapping[str, Any]) -> bool:
    name = line.get("file")
    return line["frame"] is not None and (name is None or any((out / to / name).is_file() for to in (IMAGES, DROPPED)))


def _taken(found: frames.Found, out: Path, source: Source, taking: Taking, asked: Sequence[str]) -> Mapping[str, Any]:
    when = {"frame": found.index, "exact": str(found.time), "asked": list(asked)}
    if found.picture is None:
        return {**when, "why": f"{source.name} is damaged at {float(found.time):.3f} s: the frame cannot be decoded."}
    micro = found.time.numerator * 1_000_000 // found.time.denominator
    name = f"{source.name}/{micro // 1_000_000:05d}.{micro % 1_000_000:06d}.{taking.format}"
    at = out / DROPPED / name
    at.parent.mkdir(parents=True, exist_ok=True)
    partial = at.with_name(f".{at.name}.partial")
    kind = "PNG" if taking.format == "png" else "JPEG"
    found.picture.save(partial, kind, **FORMATS[taking.format])
    partial.replace(at)
    return {**when, "file": name, **_measured(found.picture)}


def _measured(picture: Image.Image) -> dict[str, Any]:
    grey = picture.convert("L")
    counts = np.asarray(grey.histogram(), dtype=np.int64)
    n = int(counts.sum())
    return {
        "width": picture.width,
        "height": picture.height,
        "sharpness": round(sharpness(grey), 3),
        "brightness": round(float((counts * np.arange(256)).sum()) / n, 2),
        "dark": round(int(counts[: DARK + 1].sum()) / n, 4),
        "light": round(int(counts[LIGHT:].sum()) / n, 4),
        "hash": f"{difference_hash(grey) & ((1 << BITS) - 1):016x}",
    }


# ---- keeping ---------------------------------------------------------------------------------------------------------


def _decide(out: Path, sources: Sequence[Source], taking: Taking, keeping: Keeping) -> Told:
    """Writes the manifest, and puts each picture where it belongs."""
    told = Told(sources=len(sources))
    looks = _Looks(keeping.alike)
    partial = out / f".{MANIFEST}.partial"
    with partial.open("w", encoding="utf-8") as manifest:
        settings = {"taking": asdict(taking), "keeping": asdict(keeping)}
        _write(manifest, {"record": "run", **settings})
        for source in sources:
            lines = _lines(_part(out, source.name))
            head, last = lines[0], lines[-1]
            about = {"source": source.name, "sha256": head.get("sha256")}
            if _is_skipped(lines):
                told.skipped.append((source.name, str(last["skipped"])))
                _write(manifest, {"record": "source", **about, "kept": 0, "why": last["skipped"]})
                continue
            taken = sorted(_newest(lines[1:-1]), key=lambda line: -1 if line["frame"] is None else line["frame"])
            reasons = _reasons(taken, keeping, looks)
            n_kept = sum(why is None for why in reasons)
            _write(manifest, {"record": "source", **about, **last["done"], "taken": len(taken), "kept": n_kept})
            if last["done"]["broken"]:
                until = f"{last['done']['broken']} at {last['done']['end']:.3f} s"
                told.broken.append((source.name, until))
            for line, why in zip(taken, reasons, strict=True):
                _put(out, line, kept=why is None)
                _write(manifest, {"record": "frame", **about, **_shown(line, why)})
                if why is None:
                    told.kept += 1
                elif "file" in line:
                    told.dropped[why.partition(":")[0]] += 1
                else:
                    told.missing.append((source.name, why))
    partial.replace(out / MANIFEST)
    return told


def _newest(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each frame: one whose picture was lost was taken again."""
    return list({(line["frame"], *(line["asked"] if line["frame"] is None else ())): line for line in lines}.values())


def _shown(line: Mapping[str, Any], why: str | None) -> dict[str, Any]:
    """What the manifest says of a frame."""
    exact = line.get("exact")
    place = {"file": f"{IMAGES if why is None else DROPPED}/{line['file']}"} if "file" in line else {}
    rest = {key: value for key, value in line.items() if key not in ("why", "file", "exact")}
    time = {"time": float(Fraction(exact)), "exact": exact} if exact is not None else {"time": None, "exact": None}
    return {**time, **rest, **place, "kept": why is None, "why": why}


def _put(out: Path, line: Mapping[str, Any], *, kept: bool) -> None:
    if "file" not in line:
        return
    to, away = (out / folder / line["file"] for folder in ((IMAGES, DROPPED) if kept else (DROPPED, IMAGES)))
    if away.is_file():
        to.parent.mkdir(parents=True, exist_ok=True)
        away.replace(to)


class _Looks:
    """Groups of frames that look alike: each is alike to the group's first one."""

    def __init__(self, alike: int) -> None:
        self._alike, self._n = alike, 0
        self._first: NDArray[np.uint64] = np.zeros(1024, dtype=np.uint64)
        self.have = set[int]()
        """Groups of which a frame is kept."""

    def group(self, look: str) -> int:
        """The number of its group, which may be a new one."""
        bits = np.uint64(int(look, 16))
        near = np.flatnonzero(np.bitwise_count(self._first[: self._n] ^ bits) <= self._alike)
        if len(near):
            return int(near[0])
        if self._n == len(self._first):
            self._first = np.concatenate([self._first, np.zeros_like(self._first)])
        self._first[self._n] = bits
        self._n += 1
        return self._n - 1


def _reasons(taken: Sequence[dict[str, Any]], keeping: Keeping, looks: _Looks) -> list[str | None]:
    """For each frame why it is not kept, or None; and notes the group of each."""
    sharp = [line["sharpness"] for line in taken if "file" in line]
    median = statistics.median(sharp) if sharp else 0.0
    reasons = [line["why"] if "file" not in line else _poor(line, keeping, median) for line in taken]
    for line in taken:
        if "file" in line:
            line["group"] = looks.group(line["hash"])
    if keeping.distinct:
        _keep_one_of_each(taken, reasons, looks)
    left = [at for at, why in enumerate(reasons) if why is None]
    if keeping.at_most is not None and len(left) > keeping.at_most:
        n = keeping.at_most
        chosen = {left[(2 * k + 1) * len(left) // (2 * n)] for k in range(n)}
        for at in left:
            if at not in chosen:
                reasons[at] = f"enough of its video: {n} of {len(left)} are kept, spread over it"
    looks.have |= {line["group"] for line, why in zip(taken, reasons, strict=True) if why is None}
    return reasons


def _keep_one_of_each(taken: Sequence[dict[str, Any]], reasons: list[str | None], looks: _Looks) -> None:
    """Of the frames of a group the sharpest stays; none, where a video before has one."""
    best: dict[int, int] = {}
    for at, line in enumerate(taken):
        if reasons[at] is None:
            leader = best.setdefault(line["group"], at)
            if line["sharpness"] > taken[leader]["sharpness"]:
                best[line["group"]] = at
    for at, line in enumerate(taken):
        if reasons[at] is not None:
            continue
        if line["group"] in looks.have:
            reasons[at] = f"looks alike: group {line['group']} has a frame of a video before this one"
        elif best[line["group"]] != at:
            reasons[at] = f"looks alike: group {line['group']} has frame {taken[best[line['group']]]['frame']}"


def _poor(line: Mapping[str, Any], keeping: Keeping, median: float) -> str | None:
    value = line["sharpness"]
    if keeping.min_sharpness is not None and value < keeping.min_sharpness:
        return f"blurred: its sharpness is {value:g}, below {keeping.min_sharpness:g}"
    if keeping.blurred is not None and value < keeping.blurred * median:
        return f"blurred: its sharpness is {value:g}, below {keeping.blurred:g} of its video's median {median:g}"
    if keeping.brightness is not None and not keeping.brightness[0] <= line["brightness"] <= keeping.brightness[1]:
        low, high = keeping.brightness
        return f"badly exposed: its brightness is {line['brightness']:g}, not {low:g} to {high:g}"
    return None
