"""``touchstone schema``: check and show schemas, list those included, and print the JSON Schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotation_schemas import registry, shipped
from annotation_schemas.loader import examine, load_schema
from annotation_schemas.model import LoadedSchema
from annotation_schemas.typed_yaml import dotted
from app.commands import schema_show
from app.commands.groups import Panel, find_group
from app.commands.schema_show import stages_in_words
from domain.english import with_noun


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    schema = find_group(
        cli, "schema", Panel.START, "Write, check and compare schemas, which are YAML files that define a protocol."
    )
    schema_show.register(schema)

    @schema.command("check")
    def check(
        file: Annotated[str, typer.Argument(help="A YAML file, or the name of a schema included with Touchstone.")],
        strict: Annotated[
            bool, typer.Option("--strict", help="Also fail on warnings, for example in a CI job.")
        ] = False,
    ) -> None:
        """Check a schema, and show its stages and questions, or each error with its line and key.

        Use this after each edit. With the extension Planner, simulated votes also find items that can never be kept,
        questions that are never asked and stages that are never reached.

        Example: touchstone schema check street.yaml
        """
        examined = examine(shipped().get(file, Path(file)))
        typer.echo("\n".join(summary(examined.loaded)))
        if examined.warnings:
            typer.echo("\n".join(["", f"{with_noun(len(examined.warnings), 'warning')}:", *examined.warnings]))
            if strict:
                raise typer.Exit(1)

    @schema.command("list")
    def list_schemas() -> None:
        """List the schemas that come with Touchstone.

        Example: touchstone schema list
        """
        for name, path in shipped().items():
            loaded = load_schema(path)
            typer.echo(f"{name:<12} version {loaded.schema_.version}  {loaded.schema_.title}")


def summary(loaded: LoadedSchema) -> list[str]:
    """Return a summary of a schema in a few lines."""
    schema = loaded.schema_
    groups = len({dimension.group for dimension in schema.dimensions if dimension.group})
    wanted = sum(dimension.wanted or 0 for dimension in schema.dimensions)
    lines = [
        f"{schema.title} ({schema.name}, version {schema.version}) is valid.",
        f"hash          {loaded.hash}",
        f"dimensions    {len(schema.dimensions)}"
        + (f" in {with_noun(groups, 'group')}" if groups else "")
        + (f", {with_noun(wanted, 'item')} wanted" if wanted else ""),
        "item          " + ", ".join(f"{slot.role} ({slot.kind})" for slot in schema.item.assets),
        "fields        " + ", ".join(f"{field.name} ({field.kind})" for field in schema.item.fields),
    ]
    stages = list(stages_in_words(schema))
    wide = max([13, *(len(stage) for stage, _ in stages)])
    lines += [f"{stage:<{wide}} {text}" for stage, text in stages]
    needs = [need for need in registry.needs(schema) if not need.row.available and need.row.registry != "key"]
    lines += [f"\n{dotted(need.path)}: {need.row.meaning}" for need in needs if need.row.away]
    missing = [need for need in needs if not need.row.away]
    if missing:
        lines += ["", "The schema uses these features, which Touchstone does not support yet:"]
    for need in missing:
        effect = "cannot be started" if need.row.blocks else "not enforced yet"
        where = f"{need.stage}: " if need.stage else ""
        lines.append(
            f"  {need.row.registry.replace('_', ' ')} `{need.row.name}` at {dotted(need.path)} ({where}{effect})"
        )
    idle: dict[registry.Row, list[str]] = {}
    for need in registry.needs(schema):
        if need.row.registry == "key":
            idle.setdefault(need.row, []).append(dotted(need.path))
    if idle:
        lines += ["", "Not enforced yet:"]
    lines += [f"  {', '.join(places)}: {row.meaning}" for row, places in idle.items()]
    return lines
