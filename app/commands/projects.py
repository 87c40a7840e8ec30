"""``touchstone project`` and ``rater``: create and list projects, and mark imported raters as people or machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands import project_care
from app.commands.groups import Panel, find_group
from app.commands.options import ProjectName


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    project = find_group(cli, "project", Panel.START, "Create, edit, copy and archive projects.")
    project.command("create")(create)
    project.command("list")(list_projects)
    project.command("edit")(project_care.edit)
    rater = find_group(
        cli, "rater", Panel.MODELS, "Show imported raters, and mark each rater as a person or a machine."
    )
    rater.command("list")(raters)


def create(
    name: ProjectName,
    schema: Annotated[
        str, typer.Option(help="A schema included with Touchstone, such as egothink, or your own YAML file.")
    ],
    title: Annotated[
        str | None, typer.Option(help="The title that people see. Default: the title of the schema.")
    ] = None,
) -> None:
    """Create a project from a schema.

    `touchstone schema list` shows the schemas that come with Touchstone.

    Example: touchstone project create kitchen --schema egothink
    """
    from annotation_schemas import shipped
    from annotation_schemas.loader import examine
    from app.services import opened
    from workflow.access import projects

    examined = examine(shipped().get(schema, Path(schema)))
    loaded = examined.loaded
    for warning in examined.warnings:
        typer.echo(warning, err=True)
    made = projects.create_project(opened().store, name=name, loaded=loaded, title=title)
    version = f"{loaded.schema_.name}, version {loaded.schema_.version}"
    typer.echo(f"Created project {made.name} ({made.title}) with schema {version}.")


def list_projects() -> None:
    """List all projects with their name, schema, version and title.

    Example: touchstone project list
    """
    from app.services import opened
    from workflow.access import projects

    all_projects = projects.all_projects(opened().store)
    for project_view in all_projects:
        schema = project_view.schema.schema_
        archived = "  (archived)" if project_view.archived else ""
        typer.echo(f"{project_view.name:<24} {schema.name} {schema.version:<4} {project_view.title}{archived}")
    if not all_projects:
        typer.echo("There are no projects yet. To create a project: touchstone project create NAME --schema SCHEMA.")


def raters(
    name: ProjectName,
    people: Annotated[
        list[str] | None,
        typer.Option(
            help="Mark these imported raters as people. Repeat the option, or separate names with commas.",
            metavar="A,B",
        ),
    ] = None,
    machines: Annotated[
        list[str] | None,
        typer.Option(
            help="Mark these imported raters as machines. Repeat the option, or separate names with commas.",
            metavar="A,B",
        ),
    ] = None,
) -> None:
    """List the raters of imported files, each as a person or a machine. The options change this type.

    Agreement among people counts only raters that are marked as people.

    Example: touchstone rater list demo --people ann,bob
    """
    from app.commands.names import names_of
    from app.services import opened
    from workflow.results import file_raters

    known_raters = file_raters.mark(
        opened().store,
        by=None,
        project=name,
        people=names_of(people, "--people") if people else (),
        machines=names_of(machines, "--machines") if machines else (),
    )
    for rater in known_raters:
        rated = ", ".join(f"{n:,} in {stage.value}" for stage, n in (rater.ratings or {}).items())
        typer.echo(f"{rater.name:<24} {rater.words}; imported ratings: {rated}")
    if not known_raters:
        typer.echo("This project has no imported ratings.")
