"""``touchstone items``: the table of a project's items, as the page *Items* has it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from domain.csv_text import Writer
from domain.errors import FileRefused
from domain.item_filter import SIZES, ItemList

LONGEST = 60
"""So many characters of a text stand in a line."""
_YES_OR_NO = "yes|no"
_RANGE = "N|LOW..HIGH"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("items")(items)


def items(
    project: Annotated[str, typer.Argument(help="The project.")],
    text: Annotated[str, typer.Option(help="Words in any text of an item, or in its id.")] = "",
    state: Annotated[list[str] | None, typer.Option(help="The state of the item; may be given again.")] = None,
    dimension: Annotated[list[str] | None, typer.Option(help="Its dimension; may be given again.")] = None,
    author: Annotated[str, typer.Option(help="The login of who wrote it; - for items from files.")] = "",
    voter: Annotated[str, typer.Option(help="The login of someone who has voted on it.")] = "",
    votes: Annotated[str, typer.Option(help="How many votes count on it.", metavar=_RANGE)] = "",
    differ: Annotated[str, typer.Option(help="Whether votes on it differ.", metavar=_YES_OR_NO)] = "",
    comments: Annotated[
        str,
        typer.Option(help="Its comments; open: the last one waits for an answer.", metavar="any|open|none"),
    ] = "",
    missing: Annotated[str, typer.Option(help="Whether images or clips are missing.", metavar=_YES_OR_NO)] = "",
    version: Annotated[str, typer.Option(help="The version of the schema it was given under.", metavar="N")] = "",
    gold: Annotated[str, typer.Option(help="Whether it is a gold check.", metavar=_YES_OR_NO)] = "",
    qualification: Annotated[
        str, typer.Option(help="Whether it is in the newest qualification set of a stage.", metavar=_YES_OR_NO)
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="What a field says: NAME=VALUE, NAME~TEXT (contains), NAME:empty, NAME:given, NAME:LOW..HIGH.",
            metavar="TEST",
        ),
    ] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", help="An id as in files; may be given again.")] = None,
    sort: Annotated[
        str, typer.Option(help="A column; with a - before it the largest first.", metavar="[-]COLUMN")
    ] = "",
    columns: Annotated[
        str, typer.Option(help="The columns, with commas between them; fields are field.NAME.", metavar="A,B,...")
    ] = "",
    size: Annotated[int, typer.Option(help=f"Items on a page: {', '.join(map(str, SIZES))}.")] = 50,
    page: Annotated[int, typer.Option(help="The page.", min=1)] = 1,
    only_ids: Annotated[
        bool,
        typer.Option("--only-ids", help="Write the ids of all that fit, a line each, in the order in which they came."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--csv", help="Write all pages to this CSV file.", metavar="FILE")] = None,
) -> None:
    """List a project's items: search, filter and sort them. Every filter that is given has to hold."""
    from app.services import opened
    from workflow.lead import item_list

    one = {"text": text, "author": author, "voter": voter, "votes": votes, "differ": differ, "comments": comments}
    one |= {"missing": missing, "version": version, "gold": gold, "qualification": qualification}
    one |= {"sort": sort, "columns": columns, "size": str(size), "page": str(page)}
    asked = ItemList.parse(
        {name: [value] for name, value in one.items()}
        | {"state": state or [], "dimension": dimension or [], "where": where or [], "ids": ids or []}
    )
    shared = opened()
    given: dict[str, Any] = {"person": None, "project": project}
    if only_ids:
        for name in item_list.names(shared.store, **given, wanted=asked.filter):
            typer.echo(name)
        return
    found = item_list.listing(shared.store, **given, asked=asked)
    heads = ["Item", *(item_list.columns_of(shared.store, **given)[name] for name in found.columns)]
    if out is not None:
        pages = -(-found.n // asked.size)
        every = (
            line
            for number in range(1, pages + 1)
            for line in item_list.listing(shared.store, **given, asked=asked.at(page=number)).lines
        )
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                write = Writer(file)
                write.writerow(heads)
                write.writerows([line.title, *map(line.says, found.columns)] for line in every)
        except OSError as error:
            raise FileRefused(f"{out} cannot be written: {error.strerror}.") from error
        typer.echo(f"{found.n:,} items in {out}")
        return
    for row in [heads, *([line.title, *map(line.says, found.columns)] for line in found.lines)]:
        typer.echo("\t".join(_short(each) for each in row))
    first = (asked.page - 1) * asked.size + 1
    typer.echo(f"{first:,} to {first + len(found.lines) - 1:,} of {found.n:,}" if found.lines else f"0 of {found.n:,}")


def _short(text: str) -> str:
    """A text as a line of a terminal has room for it; what would move the cursor is left out."""
    flat = "".join(each if each.isprintable() else " " for each in text)
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
