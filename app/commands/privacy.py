"""``touchstone privacy``: faces and number plates in pictures, found or drawn by hand, covered for everyone."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from domain.errors import FileRefused
from domain.privacy import MARGIN

SHOWN = 20
"""So many names are listed."""

privacy = typer.Typer(
    help="Faces and number plates in pictures: looked for, decided by people, covered for everyone.",
    no_args_is_help=True,
)

Project = Annotated[str, typer.Argument(help="The project.")]


class Kind(StrEnum):
    """What is looked for."""

    FACE = "face"
    PLATE = "plate"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.add_typer(privacy, name="privacy")


@privacy.command("look")
def look(
    project: Project,
    out: Annotated[Path, typer.Option("--out", help="A new folder for the table, the pictures and the page.")],
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Look for these alone. Repeatable; by default both.")
    ] = None,
    neighbours: Annotated[
        int, typer.Option(min=1, max=20, help="How often a place has to be found: fewer find more, also what is none.")
    ] = 3,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Look with no cascade: people do.")] = False,
    only_found: Annotated[
        bool, typer.Option("--only-found", help="Draw only pictures with boxes; the table has all.")
    ] = False,
) -> None:
    """Look for faces and plates in all images of a project, with cascades that OpenCV ships, and write a table for
    people to decide in, with the pictures. Nothing is changed. A cascade misses faces: people have to look."""
    from app import privacy_sheet
    from app.services import opened
    from media.faces import Finder
    from workflow.files import privacy_look as room

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileRefused(f"{out} is there already, perhaps with what people have decided; give a new folder.")
    finder = None if by_hand else Finder(kinds=[*(kind or Kind)], neighbours=neighbours)
    shared = opened()
    found = room.look(shared.store, shared.media, by=None, project=project, finder=finder, progress=_progress)
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    (out / "boxes.csv").write_text(room.as_csv(found), encoding="utf-8", newline="")
    if finder is not None:
        (out / "looked.json").write_text(json.dumps(finder.told, indent=2) + "\n", encoding="utf-8")
    drawn = privacy_sheet.written(out, shared.media, room.to_look_at(found, only_found=only_found), title=found.title)
    n = len(found.pictures)
    typer.echo(f"{found.title}: {n:,} pictures; {found.n_found:,} new boxes in {found.n_with:,} of them.")
    typer.echo(privacy_sheet.MISSES)
    _not_looked("clips, in which nothing looks; cover them before they are brought in", found.clips)
    _not_looked("pictures cannot be read", [f"{name} ({why})" for name, why in found.unread])
    typer.echo(f"Look at {out / 'index.html'} ({drawn:,} pictures), write yes or no under `cover` in")
    typer.echo(f"{out / 'boxes.csv'}, add a line for each box that is missing, then")
    typer.echo(f"touchstone privacy cover {project} {out / 'boxes.csv'}")


@privacy.command("cover")
def cover(
    project: Project,
    table: Annotated[Path, typer.Argument(help="The table that `look` wrote, with what people have decided.")],
    margin: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Each box grows by this share of its side, on every side.")
    ] = MARGIN,
    uncover: Annotated[
        bool, typer.Option("--uncover", help="What was covered may be shown again, where the table says no.")
    ] = False,
) -> None:
    """Keep what people have decided, and cover what they say: from then on everyone gets the covered picture, people,
    models, exports and releases alike. The original stays in the media store, and nothing gives it out."""
    from app import privacy_sheet
    from app.services import opened
    from importers import privacy_boxes
    from workflow.files import privacy as room

    told, left = privacy_boxes.read(table)
    looked = privacy_sheet.told_beside(table)
    shared = opened()
    done = room.decide(
        shared.store,
        shared.media,
        shared.settings.home,
        by=None,
        project=project,
        told=told,
        looked=looked,
        margin=margin,
        uncover=uncover,
    )
    nothing = done.pictures - done.covered
    typer.echo(
        f"Pictures decided: {done.pictures:,}. Boxes covered: {done.boxes:,}, in {done.covered:,} of them; nothing in "
        f"{nothing:,}."
    )
    if done.same:
        typer.echo(f"Decided so before: {done.same:,}.")
    if left:
        typer.echo(f"Not decided, and shown as they are: {left:,} of the table.")
    if done.archive:
        typer.echo("The project's archive that lay ready had the originals; it was removed.")
    if done.releases:
        typer.echo(
            f"Made before, with these pictures as they were: release {', '.join(done.releases)}. Take back what you "
            "gave to others, and make a new one."
        )


@privacy.command("list")
def list_(
    project: Project,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """What was decided about each picture: who, when, which boxes, found by what; and how many nobody decided."""
    from app.services import opened
    from workflow.files import privacy_look as room

    shared = opened()
    found = room.pictures(shared.store, shared.media, by=None, project=project)
    n = room.standing(found)
    decided = [seen for seen in found.pictures if seen.decision]
    if as_json:
        lines = [room.as_json(seen) for seen in decided]
        typer.echo(json.dumps({"project": project, **n, "decided": lines}, indent=2, ensure_ascii=False))
        return
    typer.echo(
        f"{found.title}: {n['pictures']:,} pictures; something covered in {n['covered']:,}, nothing to cover in "
        f"{n['nothing']:,}, not decided {n['open']:,}. {n['clips']:,} clips, in which nothing is covered."
    )
    for seen in decided:
        typer.echo(room.sentence(seen))


def _progress(done: int, n: int) -> None:
    if sys.stderr.isatty() and n:
        print(f"\r{done:,} of {n:,} pictures", end="\n" if done == n else "", file=sys.stderr)


def _not_looked(what: str, names: Sequence[str]) -> None:
    from app.privacy_sheet import summary

    if names:
        typer.echo(f"{len(names):,} {what}: {summary(names, SHOWN)}")
