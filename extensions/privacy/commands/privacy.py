"""``touchstone privacy``: find faces and number plates in pictures and clips, decide about them, and cover them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.recorded import recorded
from app.markup import count
from domain.errors import InvalidFileError
from extensions.privacy.boxes import MARGIN

SHOWN = 20
"""The maximum number of names in a list."""


Project = Annotated[str, typer.Argument(help="The project.")]


class Kind(StrEnum):
    """What to find."""

    FACE = "face"
    PLATE = "plate"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    privacy = find_group(cli, "privacy", Panel.ITEMS, "Find and cover faces and number plates.")
    privacy.command("check")(look)
    privacy.command("import")(cover)
    privacy.command("list")(list_)


OnlyFound = Annotated[
    bool,
    typer.Option(
        "--only-found",
        help="Show only pictures and clips with boxes on the review page. The tables still list all pictures and "
        "clips.",
    ),
]
Rate = Annotated[
    float,
    typer.Option(
        min=0.2,
        max=10.0,
        help="The number of frames to check per second of a clip. Higher rates find brief faces but take longer.",
    ),
]


def look(
    project: Project,
    out: Annotated[Path, typer.Option("--out", help="A new folder for the tables, the pictures and the review page.")],
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Find only boxes of this kind. Default: faces and plates.")
    ] = None,
    neighbours: Annotated[
        int,
        typer.Option(
            min=1, max=20, help="Detection threshold. Lower values find more faces, but also more false positives."
        ),
    ] = 3,
    by_hand: Annotated[
        bool, typer.Option("--by-hand", help="Skip automatic detection. People draw all boxes themselves.")
    ] = False,
    only_found: OnlyFound = False,
    rate: Rate = 2.0,
    pictures_only: Annotated[bool, typer.Option("--pictures-only", help="Skip clips.")] = False,
) -> None:
    """Find faces and number plates in all images and clips, and write tables in which people decide.

    The detector misses many faces, so people must look at every picture. The project stays unchanged.

    Example: touchstone privacy check demo --out privacy
    """
    from app.services import opened
    from extensions.privacy import decision_tables, detection, sheet
    from extensions.privacy.cascades import Finder

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InvalidFileError(f"{out} already exists and may contain decisions. Choose a new folder.")
    finder = None if by_hand else Finder(kinds=[*(kind or Kind)], neighbours=neighbours)
    shared = opened()
    moments = None if pictures_only or finder is None else rate
    about: Any = {"project": project, "finder": finder, "rate": moments}
    findings = recorded(
        shared,
        "privacy check",
        project,
        lambda progress: detection.detect(
            shared.store,
            shared.media,
            by=None,
            progress=lambda done, n: progress("pictures and clips", done, n),
            **about,
        ),
    )
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    (out / "boxes.csv").write_text(decision_tables.write_pictures(findings), encoding="utf-8", newline="")
    clips = [] if pictures_only else findings.clips
    if clips:
        (out / "clips.csv").write_text(decision_tables.write_clips(findings), encoding="utf-8", newline="")
    if finder is not None:
        settings = finder.settings | ({"rate": rate} if moments is not None else {})
        (out / "looked.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    drawn = sheet.write_sheet(
        out,
        shared.media,
        detection.order_for_sheet(findings, only_found=only_found),
        title=findings.title,
        clips=[seen for seen in clips if seen.boxes or not only_found],
    )
    n = len(findings.pictures)
    typer.echo(
        f"{findings.title}: {count(n, 'picture')}. New boxes: {findings.n_found:,}, in {findings.n_with:,} of "
        "the pictures."
    )
    if clips:
        typer.echo(
            f"{count(len(clips), 'clip')}. New boxes: {findings.n_tracks:,}, in {findings.n_clips_with:,} of the clips."
        )
    typer.echo(sheet.MISSES)
    if pictures_only:
        _not_looked("clips, not searched", [seen.name for seen in findings.clips])
    _not_looked("cannot be read", [f"{name} ({why})" for name, why in findings.unread])
    tables = " ".join(str(out / name) for name in ("boxes.csv", "clips.csv") if (out / name).exists())
    typer.echo(f"Open {out / 'index.html'} ({count(drawn, 'picture')}). Write yes or no under `cover` in")
    typer.echo(f"{tables.replace(' ', ' and ')}. Add a line for each missing box. Then run:")
    typer.echo(f"touchstone privacy import {project} {tables}")


def cover(
    project: Project,
    tables: Annotated[
        list[Path],
        typer.Argument(help="One or both tables from `touchstone privacy check`, with people's decisions."),
    ],
    margin: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Enlarge each box on every side by this share of the box's size, such as 0.1."
        ),
    ] = MARGIN,
    uncover: Annotated[
        bool, typer.Option("--uncover", help="Uncover the parts that now have `no` in the table's `cover` column.")
    ] = False,
) -> None:
    """Store the decisions of the tables, and cover the boxes for people, models, exports and releases.

    The originals stay in the media store and are never given out.

    Example: touchstone privacy import demo privacy/pictures.csv
    """
    from app.services import opened
    from extensions.privacy import covering, decision_tables, sheet

    read = [decision_tables.read_decisions(table) for table in tables]
    choices, left = [choice for some, _ in read for choice in some], sum(n for _, n in read)
    looked = next((settings for table in tables if (settings := sheet.settings_beside(table)) is not None), None)
    shared = opened()
    done = covering.apply_decisions(
        shared.store,
        shared.media,
        shared.settings.home,
        by=None,
        project=project,
        choices=choices,
        looked=looked,
        margin=margin,
        uncover=uncover,
    )
    nothing = done.pictures - done.covered
    what = (
        "Pictures and clips" if any(box.begin is not None for choice in choices for box in choice.boxes) else "Pictures"
    )
    typer.echo(
        f"{what} decided: {done.pictures:,} (with covered boxes: {done.covered:,}; with nothing to cover: {nothing:,})."
        f" Boxes covered: {done.boxes:,}."
    )
    if done.same:
        typer.echo(f"Decided so before: {done.same:,}.")
    if left:
        typer.echo(f"Not covered, because the decision is missing: {left:,}.")
    if done.archive:
        typer.echo(
            "Touchstone deleted the archive that was ready for download, because the archive contained the originals."
        )
    if done.sets:
        typer.echo(
            "Touchstone deleted these frame sets on the From videos page, because their clips changed: "
            f"{', '.join(done.sets)}."
        )
    if done.releases:
        typer.echo(
            f"These releases contain the uncovered files: {', '.join(done.releases)}. Withdraw the copies that you "
            "shared, then create a new release."
        )
    _not_looked(
        "not decided, but in the same item or from the same video as the decided pictures and clips",
        done.beside,
    )


def list_(
    project: Project,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """List the decisions about pictures and clips, and how many are missing.

    Example: touchstone privacy list demo
    """
    from app.services import opened
    from extensions.privacy import detection

    shared = opened()
    media = detection.list_media(shared.store, shared.media, by=None, project=project)
    n = detection.count_decisions(media)
    decided = [seen for seen in media.all if seen.decision]
    if as_json:
        lines = [detection.as_json(seen) for seen in decided]
        typer.echo(json.dumps({"project": project, **n, "decided": lines}, indent=2, ensure_ascii=False))
        return
    typer.echo(
        f"{media.title}: {count(n['pictures'], 'picture')}. Covered: {n['covered']:,}. Nothing to cover: "
        f"{n['nothing']:,}. Undecided: {n['open']:,}."
    )
    if n["clips"]:
        typer.echo(
            f"{count(n['clips'], 'clip')}. Covered: {n['clips_covered']:,}. Nothing to cover: {n['clips_nothing']:,}"
            f". Undecided: {n['clips_open']:,}."
        )
    for seen in decided:
        typer.echo(detection.sentence(seen))


def _not_looked(what: str, names: Sequence[str]) -> None:
    from extensions.privacy.sheet import summary

    if names:
        typer.echo(f"{len(names):,} {what}: {summary(names, SHOWN)}")
