"""``touchstone gold``: hide settled items among live work, and report how people answer them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import ItemIds, item_ids
from domain import json_text
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.states import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.engine import Store
    from extensions.gold.making import GoldCandidate

Project = Annotated[str, typer.Argument(help="The project.")]
InStage = Annotated[Stage, typer.Option("--stage", help="A stage of verification, or grading.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    gold = typer.Typer(help="Settled items hidden among live work, and how people answer them.", no_args_is_help=True)
    cli.add_typer(gold, name="gold")
    gold.command("draw")(draw)
    gold.command("make")(make)
    gold.command("add")(add)
    gold.command("list")(list_)
    gold.command("withdraw")(withdraw)
    gold.command("people")(people)
    gold.command("reinstate")(reinstate)


def draw(
    project: Project,
    number: Annotated[int, typer.Option("--number", "-n", help="How many.")],
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Make gold of settled items whose right answers are beyond doubt, evenly over the dimensions."""
    from extensions.gold import making

    _print_made(making.draw(_store(), by=None, project=project, stage=stage, n=number))


def make(project: Project, items: ItemIds, stage: InStage = Stage.VERIFICATION) -> None:
    """Make gold of chosen items whose right answers are beyond doubt; the others are named, each with the reason."""
    from extensions.gold import chosen_items

    store, names = _store(), item_ids(items)
    preview = chosen_items.preview(store, by=None, project=project, stage=stage, names=names)
    for name, why in preview.cannot:
        typer.echo(f"{name}: {why}")
    given = {"by": None, "project": project, "stage": stage, "names": names}
    _print_made(chosen_items.make(store, **given, token=preview.token))  # type: ignore[arg-type]


def add(
    project: Project,
    file: Annotated[
        Path,
        typer.Argument(
            help='A JSON line for each: {"item": ..., "answers": {criterion: value}}; in grading "model" too.'
        ),
    ],
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Make gold with answers that you give. If anything is wrong with the file, nothing is made."""
    from extensions.gold import making

    known, problems = [], []
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(f"{file} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=json_text.once)
            if not isinstance(row, dict) or not isinstance(row.get("answers"), dict) or "item" not in row:
                raise ValueError('it has to be {"item": ..., "answers": {...}}')
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"line {number}", f"{file}, line {number}: {error}."))
            continue
        known.append(making.GoldCandidate(str(row["item"]), row.get("model"), "", row["answers"]))
    if problems:
        raise InvalidInputError(problems)
    _print_made(making.add(_store(), by=None, project=project, stage=stage, known=known))


def list_(project: Project, stage: InStage = Stage.VERIFICATION) -> None:
    """Write all gold as JSON lines, with how it was answered."""
    from extensions.gold import check_list

    for line in check_list.lines(_store(), by=None, project=project, stage=stage):
        row: dict[str, object] = {"gold": line.id, "item": line.known.item, "dimension": line.known.dimension}
        row |= {"model": line.known.model} if line.known.model else {}
        row |= {"answers": dict(line.known.answers), "right": line.right, "n": line.n, "skipped": line.skipped}
        row |= {"usable": line.usable, "withdrawn": line.withdrawn}
        typer.echo(json.dumps(row, ensure_ascii=False))


def withdraw(
    project: Project,
    gold: Annotated[str, typer.Argument(help="Its id, as `touchstone gold list` shows it.")],
    why: Annotated[str, typer.Option(help="The reason; it is kept.")],
) -> None:
    """Stop asking this gold item. Its answers no longer count."""
    from extensions.gold import making

    making.withdraw(_store(), by=None, gold=gold, why=why)
    typer.echo(f"{gold} is withdrawn from {project}.")


def people(project: Project, stage: InStage = Stage.VERIFICATION) -> None:
    """Write everyone's score as CSV."""
    from extensions.gold import scores

    typer.echo(scores.as_csv(scores.scores(_store(), by=None, project=project, stage=stage)), nl=False)


def reinstate(
    project: Project,
    login: Annotated[str, typer.Argument(help="Who was stopped.")],
    why: Annotated[str, typer.Option(help="The reason; it is kept.")],
    stage: InStage = Stage.VERIFICATION,
) -> None:
    """Let someone work on whom their answers to gold have stopped."""
    from extensions.gold import scores

    scores.reinstate(_store(), by=None, project=project, login=login, stage=stage, why=why)
    typer.echo(f"{login} may go on with the {stage.value} of {project}.")


def _print_made(made: Sequence[GoldCandidate]) -> None:
    typer.echo(f"{len(made)} made gold.")
    for known in made:
        typer.echo(f"{known.item}, {known.model}" if known.model else known.item)


def _store() -> Store:
    from app.services import opened

    return opened().store
