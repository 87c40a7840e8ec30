"""``touchstone item list``, ``item edit`` and ``view``: list items as on the page *Items*, and edit an item."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import ProjectName
from app.commands.people import HERE
from domain.csv_text import Writer
from domain.errors import InvalidFileError, InvalidInputError, NotFoundError, Problem
from domain.item_filter import SIZES, ItemList

if TYPE_CHECKING:
    from db.engine import Store
    from domain.records import Person
    from workflow.lead.item_views import ItemView

LONGEST = 60
"""Longest text in a cell, in characters."""
_YES_OR_NO = "yes|no"
_RANGE = "N|LOW..HIGH"


As = Annotated[
    str | None,
    typer.Option(
        "--as",
        help="List only the items and saved views that this person can see. Default: all items and saved views.",
        metavar="LOGIN",
    ),
]
Address = Annotated[str, typer.Option(help="The address of your server, for the printed link.")]
View = Annotated[
    str, typer.Option(help="Start from a saved view, by name or ID. Other options override the view's filters.")
]
SaveView = Annotated[
    str, typer.Option(help="Save this list as a view on the Items page, and print the view's link.", metavar="NAME")
]
Everyone = Annotated[
    bool,
    typer.Option(
        "--for-everyone", help=("With --save-view: show the view to everyone, not only to the person in --as.")
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    item = find_group(cli, "item", Panel.ITEMS, "Import, list, edit and export items, answers and ratings.")
    item.command("list")(items)
    item.command("edit")(edit)
    view = find_group(cli, "view", Panel.ITEMS, "List and delete saved views of the item list.")
    view.command("list")(list_views)
    view.command("delete")(delete_view)


def list_views(
    project: Annotated[str, typer.Argument(help="The project.")], as_: As = None, address: Address = HERE
) -> None:
    """List the saved views of a project, with owner, name and link.

    Example: touchstone view list demo
    """
    from app.services import opened
    from workflow.lead import item_views

    store = opened().store
    there = item_views.views(store, person=_person(as_), project=project)
    for saved_view in there:
        whose = "everyone" if saved_view.shared else "own"
        typer.echo(f"{whose:<9} {saved_view.login or 'on the machine':<24} {_short(saved_view.name)}")
        typer.echo(f"          {_link(address, project, saved_view)}")
    if not there:
        typer.echo(
            "There are no saved views yet. To save a view: touchstone item list PROJECT ... --save-view NAME "
            "--for-everyone"
        )


def delete_view(
    project: Annotated[str, typer.Argument(help="The project.")],
    view: Annotated[str, typer.Argument(help="The view's name or ID.")],
    as_: As = None,
) -> None:
    """Delete a saved view. The items stay unchanged.

    Example: touchstone view delete demo "Open questions"
    """
    from app.services import opened
    from workflow.lead import item_views

    store, person = opened().store, _person(as_)
    saved_view = _view(project, view, person)
    item_views.delete(store, person=person, project=project, id=saved_view.id)
    typer.echo(f"Deleted the view “{saved_view.name}”.")


def _person(login: str | None) -> Person | None:
    from app.services import resources
    from workflow.access import accounts

    return accounts.find_person(resources().store, login=login) if login is not None else None


def _view(project: str, wanted: str, person: Person | None) -> ItemView:
    """Return a saved view by its id or name. A person's own view comes before a shared view of the same name.

    Raises ``NotFoundError`` if there is no such view.
    """
    from app.services import resources
    from workflow.lead import item_views

    there = item_views.views(resources().store, person=person, project=project)
    named = [view for view in there if wanted == view.id or wanted.strip().casefold() == view.name.casefold()]
    if not named:
        raise NotFoundError(
            f"There is no saved view {wanted!r}. To list the saved views, run `touchstone view list {project}`."
        )
    return min(named, key=lambda each: (each.id != wanted, each.shared))


def _link(address: str, project: str, view: ItemView) -> str:
    from app.addresses import saved_view as path_of
    from app.services import resources

    return f"{(resources().settings.public_url or address).rstrip('/')}{path_of(project, view.id)}"


def items(
    project: Annotated[str, typer.Argument(help="The project.")],
    text: Annotated[str, typer.Option(help="Only items with these words in a text or in the item's ID.")] = "",
    state: Annotated[
        list[str] | None,
        typer.Option(help="Only items in this state, such as kept or rejected. Repeat the option for more states."),
    ] = None,
    dimension: Annotated[
        list[str] | None, typer.Option(help="Only items of this dimension. Repeat the option for more dimensions.")
    ] = None,
    author: Annotated[
        str, typer.Option(help="Only items by the author with this login. Use - for imported items.")
    ] = "",
    voter: Annotated[str, typer.Option(help="Only items with a vote by the person with this login.")] = "",
    votes: Annotated[str, typer.Option(help="Only items with this number of votes.", metavar=_RANGE)] = "",
    differ: Annotated[
        str,
        typer.Option(
            help="Use yes for items with different votes, or no for items with equal votes.", metavar=_YES_OR_NO
        ),
    ] = "",
    comments: Annotated[
        str,
        typer.Option(
            help="Only items with comments. Use open for items with an unanswered last comment.",
            metavar="any|open|none",
        ),
    ] = "",
    missing: Annotated[
        str,
        typer.Option(
            help="Use yes for items with missing images or clips, or no for all other items.", metavar=_YES_OR_NO
        ),
    ] = "",
    version: Annotated[str, typer.Option(help="Only items of this version of the schema.", metavar="N")] = "",
    with_author: Annotated[
        str,
        typer.Option(
            help="Use yes for items that their author must still correct, or no for all other items.",
            metavar=_YES_OR_NO,
        ),
    ] = "",
    gold: Annotated[
        str, typer.Option(help="Use yes for gold checks, or no for all other items.", metavar=_YES_OR_NO)
    ] = "",
    qualification: Annotated[
        str, typer.Option(help="Only items in the newest qualification of this stage.", metavar=_YES_OR_NO)
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="Only items with this field value. Use NAME=VALUE, NAME~TEXT for values that contain TEXT, "
            "NAME:empty, NAME:given or NAME:LOW..HIGH.",
            metavar="TEST",
        ),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id",
            help=("Only the item with this ID, as in imported and exported files. Repeat the option for more items."),
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            help="Sort by this column. For the largest values first, put - before the name, such as -votes.",
            metavar="[-]COLUMN",
        ),
    ] = "",
    columns: Annotated[
        str,
        typer.Option(help="The columns to show, separated by commas. Use field.NAME for a field.", metavar="A,B,..."),
    ] = "",
    size: Annotated[
        int | None, typer.Option(help=f"Items per page: {', '.join(map(str, SIZES))}. Default: 50.")
    ] = None,
    page: Annotated[int, typer.Option(help="The page of the list to show.", min=1)] = 1,
    only_ids: Annotated[
        bool,
        typer.Option(
            "--only-ids",
            help="Print only the IDs of all matching items, one per line. Other commands read these IDs with --items "
            "-.",
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--csv", help="Write all matching items to this CSV file.", metavar="FILE")
    ] = None,
    view: View = "",
    save_view: SaveView = "",
    for_everyone: Everyone = False,
    as_: As = None,
    address: Address = HERE,
) -> None:
    """List, search, filter and sort a project's items. An item must match all filters.

    Use this to find items for another command.

    Example: touchstone item list demo --state rejected --only-ids
    """
    from app.services import opened

    one = {"text": text, "author": author, "voter": voter, "votes": votes, "differ": differ, "comments": comments}
    one |= {"missing": missing, "version": version, "with_author": with_author, "gold": gold}
    one |= {"qualification": qualification}
    one |= {"sort": sort, "columns": columns, "size": str(size or ""), "page": str(page)}
    many = {"state": state, "dimension": dimension, "where": where, "ids": ids}
    given = {name: [value] for name, value in one.items() if value} | {
        name: values for name, values in many.items() if values
    }
    shared, person = opened(), _person(as_)
    before = _view(project, view, person).asked if view else {}
    asked = ItemList.parse({**before, **given})
    about: dict[str, Any] = {"person": person, "project": project}
    if save_view:
        from workflow.lead import item_views

        if person is None and not for_everyone:
            raise InvalidInputError(
                [Problem("view", "Name the owner of the view with --as LOGIN, or add --for-everyone.")]
            )
        made = item_views.save(shared.store, **about, name=save_view, asked=asked, shared=for_everyone)
        typer.echo(f"Saved as “{made.name}”: {_link(address, project, made)}")
        return
    _tell(shared.store, about, asked, only_ids=only_ids, out=out)


def _tell(store: Store, about: dict[str, Any], asked: ItemList, *, only_ids: bool, out: Path | None) -> None:
    """Print the list of items, or only their ids, or write the whole list to the file ``out``."""
    from workflow.lead import item_list

    if only_ids:
        for name in item_list.names(store, **about, wanted=asked.filter):
            typer.echo(name)
        return
    listing = item_list.listing(store, **about, asked=asked)
    columns = listing.columns if asked.columns else ("id", *listing.columns)
    heads = ["Item", *(item_list.columns_of(store, **about)[name] for name in columns)]
    if out is not None:
        pages = -(-listing.n // asked.size)
        every = (
            line
            for number in range(1, pages + 1)
            for line in item_list.listing(store, **about, asked=asked.at(page=number)).lines
        )
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                write = Writer(file)
                write.writerow(heads)
                write.writerows([line.title, *map(line.says, columns)] for line in every)
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot write {out}: {error.strerror}. Fix the problem, or choose another file."
            ) from error
        typer.echo(f"Items written to {out}: {listing.n:,}")
        return
    for row in [heads, *([line.title, *map(line.says, columns)] for line in listing.lines)]:
        typer.echo("\t".join(_short(cell) for cell in row))
    first = (asked.page - 1) * asked.size + 1
    typer.echo(
        f"{first:,} to {first + len(listing.lines) - 1:,} of {listing.n:,}" if listing.lines else f"0 of {listing.n:,}"
    )


def _short(text: str) -> str:
    """Return a text on one line, shortened for a terminal. Control characters become spaces."""
    flat = "".join(character if character.isprintable() else " " for character in text)
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def edit(
    name: ProjectName,
    item: Annotated[str, typer.Argument(help="The item's ID, as in imported and exported files.")],
    fields: Annotated[
        list[str], typer.Argument(help="FIELD=VALUE. Write lists and numbers as JSON.", metavar="FIELD=VALUE...")
    ],
) -> None:
    """Correct fields of one item. Its votes start again, and the old revision stays in its history.

    Example: touchstone item edit demo count/7 answer=Yes 'options=["Yes", "No"]'
    """
    from annotation_schemas.kinds import of_field
    from app.services import opened
    from workflow.access import projects
    from workflow.annotate.authoring import edit_item

    store = opened().store
    schema = next((project.schema.schema_ for project in projects.all_projects(store) if project.name == name), None)
    as_text = {field.name: of_field(field).typed_as_it_is for field in schema.item.fields} if schema else {}
    given = dict(_field(text, as_text) for text in fields)
    number = edit_item(store, person=None, project=name, item=item, fields=given)
    typer.echo(f"Item {item} is now at revision {number}.")


def _field(text: str, as_text: Mapping[str, bool]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInputError([Problem("fields", f"{text!r} is not in the form FIELD=VALUE, such as answer=Yes.")])
    if as_text.get(name, True):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
