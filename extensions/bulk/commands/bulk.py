"""``touchstone bulk``: apply one action to many items, after a preview; it applies to all of them or to none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.options import IDS_IN_FILE, ItemIds, item_ids
from domain.records import Person
from domain.states import Stage

Project = Annotated[str, typer.Argument(help="The project.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it; without this it is said what it would do.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    bulk = typer.Typer(help="One thing done to many items: first what it would do.", no_args_is_help=True)
    cli.add_typer(bulk, name="bulk")
    bulk.command("assign")(assign)
    bulk.command("priority")(priority)
    bulk.command("verify-again")(verify_again)
    bulk.command("send-back")(send_back)


def assign(
    project: Project,
    items: ItemIds,
    to: Annotated[list[str], typer.Option(help="The login of who gets them; given again they are shared out evenly.")],
    stage: Annotated[Stage, typer.Option(help="The stage.")] = Stage.VERIFICATION,
    yes: Yes = False,
) -> None:
    """Give items to one person, or to several evenly; each gets only what they may have, for a week alone."""
    _run(project, item_ids(items), "assign", yes=yes, stage=stage, among=tuple(to))


def priority(
    project: Project,
    items: ItemIds,
    number: Annotated[int, typer.Option("--number", "-n", help="The higher, the earlier they come.")],
    yes: Yes = False,
) -> None:
    """Set the priority of items."""
    _run(project, item_ids(items), "prioritise", yes=yes, priority=number)


def verify_again(project: Project, items: ItemIds, yes: Yes = False) -> None:
    """Send items back to verification. Their old votes stay on record."""
    _run(project, item_ids(items), "verify_again", yes=yes)


def send_back(
    project: Project,
    login: Annotated[str, typer.Option("--as", help="The lead who says it: authors read who it was, and may answer.")],
    items: Annotated[Path | None, typer.Option("--items", help=IDS_IN_FILE, metavar="FILE|-")] = None,
    why: Annotated[str, typer.Option(help="The reason, as the authors read it.")] = "",
    reasons: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file with `item,reason`, as `touchstone shortcuts --reasons` writes it: to each item its own; "
            "where it is empty, --why.",
            metavar="FILE.csv",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Have their authors change items, told why. Until then, nobody else is asked about these items; `verify-again`
    undoes it.
    """
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from extensions.bulk.reasons_file import read_reasons
    from workflow.access import accounts
    from workflow.lead.send_back import Reasons

    if (items is None) is (reasons is None):
        raise InvalidInputError([Problem("items", "Say which items: either --items or --reasons.")])
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
    if not yes:
        typer.echo(f"{len(preview.can):,} would change, {len(preview.cannot):,} would not. Say --yes to do it.")
        return
    done = bulk.do(store, token=preview.token, **ask)
    typer.echo(f"{done:,} changed, {len(preview.cannot):,} did not.")
