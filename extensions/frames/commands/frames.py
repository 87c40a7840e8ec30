"""``touchstone frame create``: frames out of videos, screened, with a manifest; for the pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import InvalidFileError, InvalidInputError, Problem

if TYPE_CHECKING:
    from extensions.frames.extraction import ExtractionSettings
    from extensions.frames.screening import ScreeningSettings

SHOWN = 50
"""Number of videos or times without a frame that are named."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "frame", Panel.ITEMS, "Take frames from videos, and skip blurred or repeated frames.")
    group.command("create")(frames)


def frames(
    videos: Annotated[Path, typer.Argument(help="A video, or a folder with videos. Subfolders are included.")],
    out: Annotated[Path, typer.Argument(help="The folder for the frames and their manifest, frames.jsonl.")],
    every: Annotated[int | None, typer.Option(min=1, help="Take every Nth frame.")] = None,
    seconds: Annotated[str | None, typer.Option(metavar="S", help="Take one frame every S seconds.")] = None,
    times: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=("Take frames at the times in a CSV file with the columns `source,time`.")),
    ] = None,
    scenes: Annotated[bool, typer.Option("--scenes", help="Take the first frame of each scene.")] = False,
    scene_change: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=1.0,
            help="With --scenes: the share of the picture that must change to begin a new scene. Default: 0.3.",
        ),
    ] = None,
    at_most: Annotated[
        int | None, typer.Option(min=1, help="Keep at most this many frames of each video, spread evenly.")
    ] = None,
    blurred: Annotated[
        float | None,
        typer.Option(min=0.0, help="Drop frames below this share of their video's median sharpness, such as 0.4."),
    ] = None,
    min_sharpness: Annotated[float | None, typer.Option(min=0.0, help="Drop frames below this sharpness.")] = None,
    brightness: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Drop frames with a mean gray level (0 to 255) outside this range."),
    ] = None,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct", help="Keep only the sharpest frame of each group of similar frames, across all videos."
        ),
    ] = False,
    alike: Annotated[
        int,
        typer.Option(
            min=0, max=64, help="Frames are similar if at most this many of the 64 bits of their hashes differ."
        ),
    ] = 6,
    motion: Annotated[
        bool, typer.Option("--motion", help="Measure the motion between each frame and the previous frame.")
    ] = False,
    least_motion: Annotated[
        float | None, typer.Option(min=0.0, help="Drop frames with less motion than this number of pixels.")
    ] = None,
    most_motion: Annotated[
        float | None, typer.Option(min=0.0, help="Drop frames with more motion than this number of pixels.")
    ] = None,
    montage: Annotated[
        bool,
        typer.Option("--montage", help=("Save sheets of thumbnails of all frames, with their times, to OUT/montage.")),
    ] = False,
    format: Annotated[str, typer.Option(help="The image format: png, or jpg (quality 95).")] = "png",
) -> None:
    """Take frames from videos, and drop blurred, dark or repeated ones.

    If it is interrupted, the same command continues. `touchstone pool import PROJECT OUT/images` then adds the frames
    to a project.

    Example: touchstone frame create videos frames --seconds 5 --distinct --blurred 0.4
    """
    from extensions.frames.extraction import FORMATS, ExtractionSettings
    from extensions.frames.screening import ScreeningSettings

    if sum(way is not None for way in (every, seconds, times)) + scenes != 1:
        raise InvalidInputError(
            [Problem("every", "Choose how to take frames: --every, --seconds, --times or --scenes.")]
        )
    if scene_change is not None and not scenes:
        raise InvalidInputError([Problem("scene_change", "--scene-change needs --scenes.")])
    if format not in FORMATS:
        raise InvalidInputError([Problem("format", f"--format must be png or jpg, not {format!r}.")])
    taking = ExtractionSettings(
        every=every,
        seconds=_step(seconds) if seconds is not None else None,
        scenes=(scene_change or 0.3) if scenes else None,
        at_times=times is not None,
        format=format,
        motion=motion or least_motion is not None or most_motion is not None,
    )
    shape = (at_most, min_sharpness, blurred, brightness, distinct, alike)
    _make(videos, out, times, taking, ScreeningSettings(*shape, least_motion, most_motion), montage=montage)


def _make(
    videos: Path,
    out: Path,
    times: Path | None,
    taking: ExtractionSettings,
    keeping: ScreeningSettings,
    *,
    montage: bool,
) -> None:
    from extensions.frames import extraction
    from extensions.frames import montage as sheets
    from extensions.frames.frame_times import read_times

    there = _videos(videos, out)
    asked = read_times(times, there) if times is not None else dict.fromkeys(there, ())
    result = extraction.make(
        out,
        [extraction.Source(name, path, asked[name]) for name, path in there.items() if name in asked],
        taking=taking,
        keeping=keeping,
        report=lambda name: typer.echo(f"   {name}", err=True),
    )
    _tell(result.kept, sum(result.dropped.values()), result.sources, out)
    for why, n in sorted(result.dropped.items()):
        typer.echo(f"   {n:,} dropped: {why}")
    _list("Damaged videos (Touchstone took the frames before the damage)", result.broken)
    _list("Without a frame", result.missing)
    _list("Skipped", result.skipped)
    if montage:
        n = sheets.make(out)
        typer.echo(f"{n:,} sheet{'' if n == 1 else 's'} of thumbnails: {out / sheets.FOLDER}")
    else:
        sheets.clear(out)
    if result.sources == len(result.skipped):
        raise typer.Exit(1)


def _videos(videos: Path, out: Path) -> dict[str, Path]:
    """Return the videos by name: one file, or the files in a folder with the ending of a video, outside ``out``."""
    from importers.media_files import files_below, kind_of

    if not videos.exists():
        raise InvalidFileError(f"The file or folder {videos} does not exist. Check the path.")
    paths = {
        name: path
        for name, path in files_below(videos)
        if videos.is_file() or (kind_of(path) == "clip" and not path.is_relative_to(out))
    }
    if not paths:
        raise InvalidFileError(f"{videos} contains no video. Choose another file or folder.")
    return paths


def _step(text: str) -> str:
    from fractions import Fraction

    try:
        if len(text) <= 30 and Fraction(text) > 0:
            return text
    except (ValueError, ZeroDivisionError):
        pass
    raise InvalidInputError(
        [Problem("seconds", f"--seconds must be a number above 0, such as 0.5 or 1/3, not {text!r}.")]
    )


def _tell(kept: int, dropped: int, sources: int, out: Path) -> None:
    of = f"{sources:,} video{'' if sources == 1 else 's'}"
    typer.echo(
        f"{kept:,} frame{'' if kept == 1 else 's'} kept and {dropped:,} dropped, of {of}. Manifest: "
        f"{out / 'frames.jsonl'}"
    )


def _list(head: str, rows: Sequence[tuple[str, str]]) -> None:
    if not rows:
        return
    typer.echo(f"{head}: {len(rows):,}.")
    for name, why in rows[:SHOWN]:
        typer.echo(f"   {name}: {why}")
    if (more := len(rows) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more")
