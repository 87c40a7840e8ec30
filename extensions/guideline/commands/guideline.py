"""``touchstone guideline``: show and change the guideline that people read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.english import with_noun
from domain.errors import InvalidFileError

if TYPE_CHECKING:
    from db.engine import Store

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    guideline = find_group(cli, "guideline", Panel.PEOPLE, "Instructions for annotators.")
    guideline.command("show")(show)
    guideline.command("import")(import_)


def show(
    project: Project,
    version: Annotated[
        int | None, typer.Option(help="Show this earlier version. Default: the current version.")
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="List all versions with their reasons instead of the text.")
    ] = False,
) -> None:
    """Print a project's current guideline, or an earlier version.

    Example: touchstone guideline show demo
    """
    from extensions.guideline import versions

    store = _store()
    if not history:
        typer.echo(versions.show(store, by=None, project=project, number=version).text, nl=False)
        return
    for known in versions.versions(store, by=None, project=project):
        counts = ", ".join(f"{n} in {stage}" for stage, n in known.submissions.items()) or "nothing yet"
        answers = f"; answers {with_noun(known.answers, 'decision')}" if known.answers else ""
        typer.echo(
            f"{known.number}  {known.at:%Y-%m-%d %H:%M}  {known.by or '-'}  submitted under this version: "
            f"{counts}{answers}"
        )
        typer.echo(f"   {known.why or 'came with the schema'}")


def import_(
    project: Project,
    file: Annotated[Path, typer.Argument(help="The new text: Markdown in UTF-8.")],
    why: Annotated[str, typer.Option(help="The change, in one sentence for annotators.")],
    answers: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "An adjudication reason that this version settles in one dimension. Publishing the "
                "version closes the open decisions with this reason. Repeat the option for more reasons."
            ),
            metavar="REASON@DIMENSION",
        ),
    ] = None,
    requalify: Annotated[
        bool, typer.Option("--requalify", help="Require a new test under this version from everyone who has qualified.")
    ] = False,
) -> None:
    """Publish a new version of the guideline. Later votes are stored with it.

    Example: touchstone guideline import demo guideline.md --why "Count only whole objects."
    """
    from extensions.guideline import versions

    pairs = []
    for answer in answers or ():
        reason, at, dimension = answer.rpartition("@")
        if not at:
            raise typer.BadParameter(f"--answers {answer!r} must have the form REASON@DIMENSION.")
        pairs.append((reason, dimension))
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file} as UTF-8 text. Nothing was changed. Save the file as UTF-8."
        ) from error
    done = versions.publish_version(
        _store(), by=None, project=project, text=text, why=why, answers=pairs, requalify=requalify
    )
    answered = f" Settled decisions: {done.answers}." if done.answers else ""
    typer.echo(f"Published version {done.number} of the guideline of {project}.{answered}")


def _store() -> Store:
    from app.services import opened

    return opened().store
