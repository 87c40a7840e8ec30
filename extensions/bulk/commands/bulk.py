"""``touchstone item assign``, ``prioritize`` and ``return``: change many items at once, or none of them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.groups import find_group
from app.commands.options import IDS_IN_FILE, ItemIds, item_ids
from domain.records import Person
from domain.states import Stage

Project = Annotated[str, typer.Argument(help="The project.")]
Yes = Annotated[
    bool, typer.Option("--yes", help="Apply the change. Without this option, the command only shows a preview.")
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    item = find_group(cli, "item")
    item.command("assign")(assign)
    item.command("prioritize")(priority)
    item.command("return")(return_)


def assign(
    project: Project,
    items: ItemIds,
    to: Annotated[
        list[str],
        typer.Option(
            help="Login of the person who gets the items. Repeat the option to divide the items evenly among several "
            "people."
        ),
    ],
    stage: Annotated[Stage, typer.Option(help="The stage in which people work on the items.")] = Stage.VERIFICATION,
    yes: Yes = False,
) -> None:
    """Reserve items for a person for a week, or share them among several people.

    Nobody gets items that they may not work on.

    Example: touchstone item assign demo --items ids.txt --to ann --yes
    """
    _run(project, item_ids(items), "assign", yes=yes, stage=stage, among=tuple(to))


def priority(
    project: Project,
    items: ItemIds,
    number: Annotated[
        int, typer.Option("--number", "-n", help="Priority as a number. People get items with a higher number first.")
    ],
    yes: Yes = False,
) -> None:
    """Set the priority of items, so that people get urgent ones first.

    Example: touchstone item prioritize demo --items ids.txt --number 10 --yes
    """
    _run(project, item_ids(items), "prioritise", yes=yes, priority=number)


class Destination(StrEnum):
    """Who gets returned items."""

    AUTHOR = "author"
    VERIFICATION = "verification"


def return_(
    project: Project,
    to: Annotated[
        Destination,
        typer.Option(
            help="Destination of the items. author: the authors correct the items. verification: people vote again."
        ),
    ] = Destination.AUTHOR,
    login: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="For returns to authors: login of the lead who returns the items. Authors see the lead's name and can "
            "answer.",
        ),
    ] = None,
    items: Annotated[Path | None, typer.Option("--items", help=IDS_IN_FILE, metavar="FILE|-")] = None,
    why: Annotated[str, typer.Option(help="For returns to authors: the reason that authors see.")] = "",
    reasons: Annotated[
        Path | None,
        typer.Option(
            help="For returns to authors: a CSV file with the columns `item,reason`, for example from `touchstone "
            "shortcut check --reasons`. The reason in --why applies to rows without a reason.",
            metavar="FILE.csv",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Return items to their authors with a reason, or to verification. Old votes stay on record.

    Until authors submit a correction, nobody else gets the items. `--to verification` undoes a return.

    Example: touchstone item return demo --items ids.txt --as lea --why "Option B is right, too." --yes
    """
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from extensions.bulk.reasons_file import read_reasons
    from workflow.access import accounts
    from workflow.lead.send_back import Reasons

    if to is Destination.VERIFICATION:
        if items is None or login or why or reasons:
            raise InvalidInputError([Problem("items", "To return items to verification, use only --items and --yes.")])
        _run(project, item_ids(items), "verify_again", yes=yes)
        return
    if login is None:
        raise typer.BadParameter("name the lead who returns the items: --as LOGIN.")
    if (items is None) is (reasons is None):
        raise InvalidInputError([Problem("items", "Choose the items with either --items or --reasons.")])
    own = read_reasons(reasons) if reasons is not None else {}
    names = tuple(own) if items is None else item_ids(items)
    item_reasons = Reasons(why, {item: words for item, words in own.items() if words})
    by = accounts.find_person(opened().store, login=login)
    _run(project, names, "send_back", yes=yes, by=by, reasons=item_reasons)


def _run(
    project: str,
    names: tuple[str, ...],
    name: str,
    *,
    yes: bool,
    stage: Stage | None = None,
    by: Person | None = None,
    **more: Any,
) -> None:
    from app.services import opened
    from workflow.lead import bulk, bulk_plans

    store, chosen = opened().store, bulk_plans.BulkSelection(stage=stage, items=names)
    ask: dict[str, Any] = {"by": by, "project": project, "action": bulk_plans.Action(name), "chosen": chosen, **more}
    preview = bulk.preview(store, **ask)
    for item, why in preview.cannot:
        typer.echo(f"{item}: {why}")
    for login, n in preview.shares.items():
        typer.echo(f"{login}: {n:,}")
    if preview.out:
        typer.echo(preview.out)
    if not yes:
        typer.echo(
            f"Preview: items that would change: {len(preview.can):,}. Items that would not change: "
            f"{len(preview.cannot):,}. To apply the change, add --yes."
        )
        return
    done = bulk.do(store, token=preview.token, **ask)
    typer.echo(f"Items changed: {done:,}. Items not changed: {len(preview.cannot):,}.")
