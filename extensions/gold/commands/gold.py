"""``touchstone gold``: hide settled items among live work, and report how people answer them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import IDS_IN_FILE, item_ids
from domain import json_text
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.states import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.engine import Store
    from extensions.gold.making import GoldCandidate

Project = Annotated[str, typer.Argument(help="The project.")]
InStage = Annotated[Stage, typer.Option("--stage", help="The stage: a verification stage or grading.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    gold = find_group(cli, "gold", Panel.PEOPLE, "Items with known answers, hidden among live work.")
    gold.command("create")(create)
    gold.command("import")(add)
    gold.command("list")(list_)
    gold.command("withdraw")(withdraw)
    gold.command("reinstate")(reinstate)


def create(
    project: Project,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="Draw this many items, evenly across the dimensions.")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option("--items", help=f"Use these items instead of a random draw. {IDS_IN_FILE}", metavar="FILE|-"),
    ] = None,
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Hide settled items as gold checks among live work, to find careless annotators.

    Only items whose right answers are beyond doubt become gold. For other items the reason is printed.

    Example: touchstone gold create demo --number 20
    """
    from extensions.gold import chosen_items, making

    if (number is None) is (items is None):
        raise typer.BadParameter("give either --number or --items.")
    given: dict[str, Any] = {"by": None, "project": project, "stage": stage}
    if number is not None:
        _print_made(making.draw(_store(), **given, n=number))
        return
    assert items is not None
    store, names = _store(), item_ids(items)
    preview = chosen_items.preview(store, **given, names=names)
    for name, why in preview.cannot:
        typer.echo(f"{name}: {why}")
    _print_made(chosen_items.make(store, **given, names=names, token=preview.token))


def add(
    project: Project,
    file: Annotated[
        Path,
        typer.Argument(help='JSON lines: {"item": ..., "answers": {criterion: value}}. In grading, add "model".'),
    ],
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Create gold checks with your own answers, for example of items that are known to be bad.

    If any line is invalid, nothing is created.

    Example: touchstone gold import demo gold.jsonl
    """
    from extensions.gold import making

    known, problems = [], []
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file} as UTF-8 text: {error}. Check the path and the encoding."
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=json_text.once)
            if not isinstance(row, dict) or not isinstance(row.get("answers"), dict) or "item" not in row:
                raise ValueError('the line must be {"item": ..., "answers": {...}}')
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"line {number}", f"{file}, line {number}: {error}."))
            continue
        known.append(making.GoldCandidate(str(row["item"]), row.get("model"), "", row["answers"]))
    if problems:
        raise InvalidInputError(problems)
    _print_made(making.add(_store(), by=None, project=project, stage=stage, known=known))


def list_(
    project: Project,
    stage: InStage = Stage.VERIFICATION,
    people: Annotated[
        bool, typer.Option("--people", help="List each person's score as CSV instead of the gold checks.")
    ] = False,
) -> None:
    """List the gold checks as JSON lines, with the answers that people gave.

    Example: touchstone gold list demo --people
    """
    from extensions.gold import check_list, scores

    if people:
        typer.echo(scores.as_csv(scores.scores(_store(), by=None, project=project, stage=stage)), nl=False)
        return
    for line in check_list.lines(_store(), by=None, project=project, stage=stage):
        row: dict[str, object] = {"gold": line.id, "item": line.known.item, "dimension": line.known.dimension}
        row |= {"model": line.known.model} if line.known.model else {}
        row |= {"answers": dict(line.known.answers), "right": line.right, "n": line.n, "skipped": line.skipped}
        row |= {"usable": line.usable, "withdrawn": line.withdrawn}
        typer.echo(json.dumps(row, ensure_ascii=False))


def withdraw(
    project: Project,
    gold: Annotated[str, typer.Argument(help="The gold check's ID from `touchstone gold list`.")],
    why: Annotated[str, typer.Option(help="The reason. It is stored.")],
) -> None:
    """Stop asking a gold check. Its answers no longer count.

    Example: touchstone gold withdraw demo GOLD --why "The answer is debatable."
    """
    from extensions.gold import making

    making.withdraw(_store(), by=None, gold=gold, why=why)
    typer.echo(f"{gold} is withdrawn from {project}.")


def reinstate(
    project: Project,
    login: Annotated[str, typer.Argument(help="The login of the stopped person.")],
    why: Annotated[str, typer.Option(help="The reason. It is stored.")],
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Let a person work again who was stopped by gold checks.

    Example: touchstone gold reinstate demo ann --why "We talked about it."
    """
    from extensions.gold import scores

    scores.reinstate(_store(), by=None, project=project, login=login, stage=stage, why=why)
    typer.echo(f"{login} can work in {stage.value} of {project} again.")


def _print_made(made: Sequence[GoldCandidate]) -> None:
    typer.echo(f"{len(made)} made gold.")
    for known in made:
        typer.echo(f"{known.item}, {known.model}" if known.model else known.item)


def _store() -> Store:
    from app.services import opened

    return opened().store
