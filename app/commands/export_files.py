"""``touchstone item export``: for scripts on the server's machine, without signing in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation_schemas.formats import FORMATS, Format, Page, Takes, named, writing
from app.commands.groups import find_group
from app.commands.options import IDS_IN_FILE, NO_TASKS, OF_TASKS, ProjectName, item_ids, with_formats
from app.commands.progress import shown_progress
from app.markup import count
from domain.errors import InvalidInputError, Problem
from domain.states import Stage

if TYPE_CHECKING:
    from app.services import Resources

ANSWERS_OUT = with_formats(writing(Takes.ANSWERS))
ONE_RUN_OUT = with_formats(row for row in writing(Takes.ANSWERS) if row.needs_run)


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "item").command("export")(export)


def export(
    name: ProjectName,
    format: Annotated[
        str,
        typer.Argument(
            help=f"The format of the project's files, {named(row for row in writing(*Takes) if row.keys is None)}."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file or folder to write. The path must not exist yet.")],
    public: Annotated[
        bool,
        typer.Option("--public", help="Exclude fields that the schema hides from public files, such as the key."),
    ] = False,
    with_private: Annotated[
        bool,
        typer.Option(
            "--with-private",
            hidden=NO_TASKS,
            help=f"With {OF_TASKS}: include fields that are secret in the stage.",
        ),
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(help=f"{ANSWERS_OUT} export only the answers of this run.", metavar="RUN"),
    ] = None,
    unanswered: Annotated[
        str | None,
        typer.Option(
            help=f"{ONE_RUN_OUT} write this label for items without an answer.",
            metavar="LABEL",
        ),
    ] = None,
    reader: Annotated[
        str,
        typer.Option(
            help=f"{ANSWERS_OUT} choose who reads the answers. Use rules, or rules+NAME so that a second reader "
            "reads answers that the rules cannot read.",
            metavar="rules|rules+NAME",
        ),
    ] = "rules",
    stage: Annotated[
        Stage | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"With {OF_TASKS}: export the submissions of this stage. Default: the first stage with ratings.",
        ),
    ] = None,
    schema_version: Annotated[
        int | None,
        typer.Option(
            help="For ratings: export only ratings under this version of the schema. Default: all versions.",
            metavar="N",
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help=f"Export only these items. {IDS_IN_FILE}", metavar="FILE|-"),
    ] = None,
    labeling: Annotated[
        Path | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"With {OF_TASKS}: also write the labeling configuration of the tasks.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Export a project's items, answers or ratings as they are now.

    Unchanged records have the same bytes as in the import. To publish a verified data set, use `touchstone release
    create`.

    Example: touchstone item export demo csv --out items.csv
    """
    from app.services import opened
    from workflow.files.export import export as export_files

    takes = FORMATS[format].takes if format in FORMATS else None
    if labeling is not None and takes is not Takes.TASKS:
        raise InvalidInputError(
            [Problem("labeling", f"--labeling works only with {OF_TASKS}. Remove --labeling for {format}.")]
        )
    only = None if items is None else item_ids(items)
    here = opened()
    page = _labeling(here, name, FORMATS[format], stage, labeling) if labeling is not None else None
    with shown_progress() as progress:
        done = export_files(
            here.store,
            by=None,
            project=name,
            format=format,
            out=out,
            public=public,
            private=with_private,
            run=run,
            unanswered=unanswered,
            reader=reader,
            stage=stage,
            page=page,
            schema_version=schema_version,
            only=only,
            progress=progress,
        )
    of = "" if schema_version is None else f", only version {schema_version} of the schema"
    typer.echo(
        f"Wrote {count(done.items, FORMATS[format].takes.noun)} in {count(len(done.files), 'file')} to {out}{of}."
    )
    if done.part:
        typer.echo(done.part)


def _labeling(here: Resources, name: str, row: Format, stage: Stage | None, out: Path) -> Page:
    """Write the other program's form for a stage's tasks, and return the function that gives each task its data."""
    from exporters.writing import write_files
    from workflow.access.projects import access_to

    assert row.tasks is not None
    with here.store.read() as session:
        schema = access_to(session, person=None, project=name).schema
    form, page = row.tasks.labeling(schema, stage)
    write_files({out: form})
    return page
