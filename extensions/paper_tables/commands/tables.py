"""``touchstone table export``: print a project's numbers in the layout of a benchmark paper's tables."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems

if TYPE_CHECKING:
    from extensions.paper_tables.paper_tables import PaperTable


class Format(StrEnum):
    """The output formats of tables."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "table", Panel.RESULTS, "Export tables in the layout of the paper.").command("export")(tables)


def _as_csv(table: PaperTable) -> str:
    """Return a table below two comments: its heading and its losses."""
    from extensions.paper_tables import table_files

    comments = [table_files.heading(table), *table.loss_notes]
    return "".join(f"# {line}\n" for line in comments) + table_files.as_csv(table)


def tables(
    project: Annotated[str, typer.Argument(help="The project.")],
    table: Annotated[
        list[str] | None,
        typer.Option(help="Export only this table. Repeat the option for more tables. Default: all.", metavar="NAME"),
    ] = None,
    layout: Annotated[
        Path | None,
        typer.Option(
            help="A layout file. Default: the layout of the schema's paper.",
            metavar="FILE.yaml",
        ),
    ] = None,
    items: CountedItems = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Also write each table (NAME.csv) and its charts (SVG) to this folder.",
            metavar="DIR",
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TEXT,
) -> None:
    """Print the tables of the benchmark's paper with your project's numbers, ready to paste.

    Example: touchstone table export demo --format markdown
    """
    from app.services import opened
    from exporters.writing import write_folder
    from extensions.paper_tables import drawn_tables, paper_tables, table_files
    from extensions.paper_tables.table_layouts import read_layout

    read = read_layout(layout) if layout is not None else None
    shared = opened()
    paper = paper_tables.paper_tables(
        shared.store, person=None, project=project, layout=read, names=table or (), items=items
    )
    made = [paper_table for paper_table in paper.tables if not paper_table.why]
    if out is not None:
        files = drawn_tables.files_of(paper)
        write_folder(out, files)
        n_charts = sum(name.endswith(".svg") for name in files)
        summary = f"Tables: {len(made)}. Charts (light and dark): {n_charts}. Folder: {out}"
        print(summary, file=sys.stderr)
    if format is not Format.TEXT:
        if paper.counting is not None:
            print(f"Counted: {paper.counting.sentence}", file=sys.stderr)
        for paper_table in paper.tables:
            if paper_table.why:
                print(f"Not made: {table_files.heading(paper_table)}. {paper_table.why}", file=sys.stderr)
            for sentence in paper_table.loss_notes:
                print(f"{paper_table.name}: {sentence}", file=sys.stderr)
    if format is Format.JSON:
        typer.echo(json.dumps(table_files.as_json(paper), indent=2, ensure_ascii=False, allow_nan=False))
    elif format is Format.CSV:
        typer.echo("\n".join(_as_csv(paper_table) for paper_table in made), nl=False)
    elif format is Format.MARKDOWN:
        typer.echo("\n".join(table_files.as_markdown(paper_table) for paper_table in paper.tables), nl=False)
    else:
        typer.echo("\n".join(table_files.as_text(paper)))
