"""``touchstone shortcuts --models``: what models get right without the images of items."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from domain.states import Items
    from workflow.releases.shortcut_models import Given, ShortcutModels

LINKED = 500
"""So many items at most stand in a link to Items: an address has an end."""


def tell(
    project: str,
    *,
    counted: Items | None,
    chosen: Sequence[str],
    strong: Sequence[str],
    scores: Path | None,
    as_json: bool,
) -> None:
    """Tables and lists, or one JSON object; ``scores`` is a file for what was said of each item."""
    from app.services import opened
    from exporters.writing import write_files
    from workflow.releases import shortcut_model_files as files
    from workflow.releases import shortcut_models as room

    store = opened().store
    found = room.shortcut_models(store, by=None, project=project, items_=counted, chosen=chosen, strong=strong)
    if scores is not None:
        write_files({scores: files.as_csv(found).encode()})
        print(f"What models said of each item is in {scores}; it tells keys.", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps(files.as_json(found), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _tell(project, found)


def _tell(project: str, found: ShortcutModels) -> None:
    from reports import data_card
    from reports.content import Table

    typer.echo(f"{found.title}. {found.which}\n")
    if not found.models:
        typer.echo("No model was asked without images; `touchstone run shortcut` does it.")
        return
    heads = ("Model", "Shown", "Items", "Orders", "Right", "Right in all orders", "By chance", "More with images")
    rows = [
        (
            each.model,
            each.condition,
            each.items,
            each.orders,
            each.right,
            each.all_right,
            "-" if each.chance is None else f"{100 * each.chance:.1f} %",
            each.gain if each.gain is not None else "-",
        )
        for each in found.models
    ]
    typer.echo("\n".join(data_card.table_lines(Table("models", "Models", heads, tuple(rows)))) + "\n")
    for each in found.models:
        told = [f"{each.unread:,} state no option or not one, and are wrong"] if each.unread else []
        told += [f"of {each.silent:,} no reply came, and they are left out"] if each.silent else []
        if told:
            typer.echo(f"{each.model}, {each.condition}: {'; '.join(told)}.")
    if found.earlier:
        typer.echo(f"Left out: {found.earlier:,} replies to items that have been changed since.")
    by = "one model" if found.wanted_models == 1 else f"{found.wanted_models} models"
    typer.echo(
        f"{len(found.flagged):,} of {found.items:,} items are right without images in at least {found.orders} orders "
        f"of options, and in every one asked, by {by} or more."
    )
    _list(project, found.flagged)
    typer.echo(f"{len(found.second):,} items want a second look.")
    _list(project, found.second)


def _list(project: str, given: Sequence[Given]) -> None:
    from domain.item_filter import ItemFilter, ItemList

    for each in given:
        chance = "" if each.chance is None else f" (by chance {100 * each.chance:.1f} %)"
        typer.echo(f"  {each.item}: {'; '.join(each.reasons)}{chance}")
    if given:
        more = f"; the first {LINKED:,}" if len(given) > LINKED else ""
        listed = ItemList(ItemFilter(ids=tuple(each.item for each in given[:LINKED])))
        typer.echo(f"To have them verified again, or give them to people: {listed.address(project)}{more}")
