"""A folder of frames out of videos, with a manifest of their times, measurements and reasons.

First, the frames of each video are taken, measured and written, each with a line. A run that broke off
continues after the last line. Then the screening reads these lines and decides which frames are kept.

    frames.jsonl    the manifest
    images/         kept frames: a folder for each video; the name of a frame is its time
    dropped/        dropped frames, in the same way
    .work/          the lines of frames taken and measured so far
    montage/        sheets of thumbnails (``montage``)
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from domain.errors import ConflictError, InvalidFileError, InvalidInputError, InvalidMediaError, Problem
from extensions.frames import motion
from extensions.frames.screening import LookAlikes, ScreeningSettings, reasons_of
from media import copies, frames
from media.perceptual_hash import BITS, difference_hash
from media.sharpness import sharpness

MANIFEST, IMAGES, DROPPED, WORK = "frames.jsonl", "images", "dropped", ".work"
DARK, LIGHT = 5, 250
"""Gray levels up to which a pixel is too dark, and from which it is too light."""
FORMATS: Mapping[str, Mapping[str, Any]] = {"png": {"compress_level": 3}, "jpg": {"quality": 95, "subsampling": 0}}


@dataclass(frozen=True)
class Source:
    """A video, with its name in the manifest."""

    name: str
    path: Path
    times: tuple[str, ...] = ()
    """Requested times in seconds, as written: decimals or fractions."""

    def file(self) -> Path:
        """Return the video's file."""
        return self.path


@dataclass(frozen=True)
class ExtractionSettings:
    """Which frames are taken, by one of the first four settings, and how they are written."""

    every: int | None = None
    seconds: str | None = None
    scenes: float | None = None
    at_times: bool = False
    format: str = "png"
    motion: bool = False
    """Whether the motion of each frame against the frame before it is measured."""

    def as_json(self) -> dict[str, Any]:
        """Return the settings as in a manifest. ``motion`` is left out if it is off, as in earlier versions."""
        return {name: value for name, value in asdict(self).items() if name != "motion" or value}


def require_measured(taking: ExtractionSettings, keeping: ScreeningSettings) -> None:
    """Raise ``InvalidInputError`` if frames are to be screened by motion that is not measured."""
    low, high = keeping.least_motion, keeping.most_motion
    if (low is not None or high is not None) and not taking.motion:
        raise InvalidInputError(
            [Problem("motion", "These frames have no motion values. Take the frames again, and measure motion.")]
        )
    if low is not None and high is not None and low > high:
        raise InvalidInputError(
            [
                Problem(
                    "motion",
                    f"The minimum motion {low:g} is above the maximum motion {high:g}. Lower the minimum or raise the "
                    "maximum.",
                )
            ]
        )


@dataclass
class ExtractionResult:
    """The counts of a run, and the videos and times without frames."""

    sources: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Dropped frames by reason, in a few words."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Videos without a frame, and why."""
    broken: list[tuple[str, str]] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    """Videos with times at which there is no frame, and why."""


def make(
    out: Path,
    sources: Sequence[Source],
    *,
    taking: ExtractionSettings,
    keeping: ScreeningSettings | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> ExtractionResult:
    """Take the frames of these videos into ``out``, measure them, and decide which are kept.

    A second call continues where the first broke off, or only decides again. The result is the same.

    Raises
    ------
    InvalidFileError
        The folder holds other frames: of other videos, or taken in another way.
    ConflictError
        Another run is at work in the folder.
    NotAvailableError
        The extra ``video`` is not installed.
    InvalidInputError
        The screening uses motion, which is not measured.
    """
    keeping = keeping or ScreeningSettings()
    require_measured(taking, keeping)
    with _alone(out):
        _must_be_of(out, sources)
        for source in sources:
            _take(out, source, taking, report)
        return _decide(out, sources, taking, keeping)


def manifest(out: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a folder's manifest: the run, then each video with its frames behind it.

    Raises
    ------
    InvalidFileError
        There is no manifest, or the file is no manifest of frames.
    """
    path = out / MANIFEST
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                if not isinstance(row, dict) or row.get("record") not in ("run", "source", "frame"):
                    raise InvalidFileError(
                        f"{path}, line {number}: the line does not belong in a frames manifest. Restore the file, or "
                        "take the frames again."
                    )
                yield row
    except (OSError, ValueError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path} as a frames manifest ({error}). Restore the file, or take the frames again."
        ) from error


# ---- taking ----------------------------------------------------------------------------------------------------------


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    if out.exists() and not out.is_dir():
        raise InvalidFileError(f"{out} is a file. Name a folder for the frames.")
    if out.is_dir() and not (out / WORK).is_dir() and any(out.iterdir()):
        raise InvalidFileError(f"{out} already contains other files. Name a new or empty folder for the frames.")
    (out / WORK).mkdir(parents=True, exist_ok=True)
    with (out / WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConflictError(
                f"Another run is taking frames into {out}. Wait for that run to finish, or name another folder."
            ) from error
        yield


def _part(out: Path, name: str) -> Path:
    return out / WORK / f"{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.jsonl"


def _must_be_of(out: Path, sources: Sequence[Source]) -> None:
    """Refuse a folder with frames of other videos: they would stay in the folder without a line in the manifest."""
    expected = {_part(out, source.name) for source in sources}
    for part in sorted((out / WORK).glob("*.jsonl")):
        if part not in expected and (lines := _lines(part)) and not _is_skipped(lines):
            raise InvalidFileError(
                f"{out} contains frames from {lines[0].get('source')}, which is not among these videos. "
                "Name another folder."
            )


def _is_skipped(lines: Sequence[Mapping[str, Any]]) -> bool:
    return "skipped" in lines[-1]


def _lines(part: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a part, and cut off a line that a killed run left incomplete."""
    if not part.exists():
        return []
    content = part.read_bytes()
    whole = content.rpartition(b"\n")[0]
    if len(whole) + 1 < len(content):
        os.truncate(part, len(whole) + 1 if whole else 0)
    return [json.loads(line) for line in whole.splitlines()]


def _take(out: Path, source: Source, taking: ExtractionSettings, report: Callable[[str], None]) -> None:
    part = _part(out, source.name)
    try:
        with source.file().open("rb") as video:
            sha256 = hashlib.file_digest(video, "sha256").hexdigest()
    except OSError as error:
        why = f"Touchstone cannot read {source.name}: {error.strerror}. Check the file, then take the frames again."
        _restart(part, {"source": source.name, "skipped": why})
        return
    head = {"source": source.name, "sha256": sha256, "taking": {**taking.as_json(), "times": list(source.times)}}
    before = _lines(part)
    if before and _is_skipped(before):
        before = []
    if before and before[0] != head:
        what = (
            "the video has changed since then"
            if before[0]["sha256"] != sha256
            else "its frames were taken with other settings"
        )
        raise InvalidFileError(f"{out} already contains frames from {source.name}, and {what}. Name another folder.")
    if before and "done" in before[-1]:
        return
    if not before:
        _restart(part, head)
    try:
        with part.open("a", encoding="utf-8") as lines, frames.opened(source.file(), name=source.name) as film:
            _take_from(film, out, source, taking, before[1:], lambda line: _write(lines, line))
            about = {"codec": film.codec, "frames": len(film), "end": float(film.end), "steady": film.steady}
            _write(lines, {"done": {**about, "broken": film.broken}})
        report(source.name)
    except InvalidMediaError as error:
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
    taking: ExtractionSettings,
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
            except InvalidMediaError as error:
                if text not in refused:
                    write({"frame": None, "asked": [text], "why": str(error)})
        wanted = sorted(asked)
    elif taking.every is not None:
        wanted = film.every(taking.every)
    elif taking.seconds is not None:
        wanted = film.each_seconds(Fraction(taking.seconds))
    else:
        wanted = film.scenes(taking.scenes or frames.SCENE)
    for frame, before_it in _found(film, [index for index in wanted if index not in known], taking):
        write(_taken(frame, out, source, taking, asked.get(frame.index, []), before_it))


def _found(
    film: frames.Film, wanted: Sequence[int], taking: ExtractionSettings
) -> Iterator[tuple[frames.DecodedFrame, Image.Image | None]]:
    """Yield the wanted frames; if motion is measured, each with the frame before it, small and gray, or None.

    The decoder returns frames only nearly in order, so some frames wait for the frame before them.
    """
    asked = set(wanted)
    awaited = {index - 1 for index in wanted if index} if taking.motion else set[int]()
    greys: dict[int, Image.Image | None] = {}
    waiting: dict[int, frames.DecodedFrame] = {}
    for frame in film.read(sorted(asked | awaited)):
        if frame.index in awaited:
            awaited.remove(frame.index)
            greys[frame.index] = motion.small(frame.picture) if frame.picture is not None else None
            if (late := waiting.pop(frame.index + 1, None)) is not None:
                yield late, greys.pop(frame.index)
        if frame.index in asked:
            if frame.index - 1 in awaited:
                waiting[frame.index] = frame
            else:
                yield frame, greys.pop(frame.index - 1, None)


def _is_there(out: Path, line: Mapping[str, Any]) -> bool:
    name = line.get("file")
    return line["frame"] is not None and (name is None or any((out / to / name).is_file() for to in (IMAGES, DROPPED)))


def _taken(
    frame: frames.DecodedFrame,
    out: Path,
    source: Source,
    taking: ExtractionSettings,
    asked: Sequence[str],
    before: Image.Image | None,
) -> Mapping[str, Any]:
    when = {"frame": frame.index, "exact": str(frame.time), "asked": list(asked)}
    if frame.picture is None:
        return {
            **when,
            "why": f"{source.name} is damaged at {float(frame.time):.3f} s: Touchstone cannot decode the frame.",
        }
    micro = frame.time.numerator * 1_000_000 // frame.time.denominator
    name = f"{source.name}/{micro // 1_000_000:05d}.{micro % 1_000_000:06d}.{taking.format}"
    at = out / DROPPED / name
    at.parent.mkdir(parents=True, exist_ok=True)
    partial = at.with_name(f".{at.name}.partial")
    kind = "PNG" if taking.format == "png" else "JPEG"
    frame.picture.save(partial, kind, **FORMATS[taking.format])
    copies.settle(partial, at)
    moved = {"motion": _motion(before, frame.picture)} if taking.motion else {}
    return {**when, "file": name, **_measured(frame.picture), **moved}


def _motion(before: Image.Image | None, picture: Image.Image) -> float | None:
    """Return the motion; None without a frame before it, or if that frame is damaged or of another size."""
    now = motion.small(picture)
    if before is None or before.size != now.size:
        return None
    return round(motion.between(before, now), 2)


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


def _decide(
    out: Path, sources: Sequence[Source], taking: ExtractionSettings, keeping: ScreeningSettings
) -> ExtractionResult:
    """Write the manifest, and move each picture to the folder of kept or dropped frames."""
    result = ExtractionResult(sources=len(sources))
    looks = LookAlikes(keeping.alike)
    partial = out / f".{MANIFEST}.partial"
    with partial.open("w", encoding="utf-8") as manifest:
        settings = {"taking": taking.as_json(), "keeping": asdict(keeping)}
        _write(manifest, {"record": "run", **settings})
        for source in sources:
            lines = _lines(_part(out, source.name))
            head, last = lines[0], lines[-1]
            about = {"source": source.name, "sha256": head.get("sha256")}
            if _is_skipped(lines):
                result.skipped.append((source.name, str(last["skipped"])))
                _write(manifest, {"record": "source", **about, "kept": 0, "why": last["skipped"]})
                continue
            taken = sorted(_newest(lines[1:-1]), key=lambda line: -1 if line["frame"] is None else line["frame"])
            reasons = reasons_of(taken, keeping, looks)
            n_kept = sum(why is None for why in reasons)
            _write(manifest, {"record": "source", **about, **last["done"], "taken": len(taken), "kept": n_kept})
            if last["done"]["broken"]:
                until = f"{last['done']['broken']} at {last['done']['end']:.3f} s"
                result.broken.append((source.name, until))
            for line, why in zip(taken, reasons, strict=True):
                _put(out, line, kept=why is None)
                _write(manifest, {"record": "frame", **about, **_shown(line, why)})
                if why is None:
                    result.kept += 1
                elif "file" in line:
                    result.dropped[why.partition(":")[0]] += 1
                else:
                    result.missing.append((source.name, why))
    partial.replace(out / MANIFEST)
    return result


def _newest(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the newest line of each frame. A frame whose picture was lost was taken again."""
    return list({(line["frame"], *(line["asked"] if line["frame"] is None else ())): line for line in lines}.values())


def _shown(line: Mapping[str, Any], why: str | None) -> dict[str, Any]:
    """Return the manifest row of a frame."""
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
