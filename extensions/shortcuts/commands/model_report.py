"""``touchstone shortcut check --models``: the results of models without images."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from domain.english import with_noun

if TYPE_CHECKING:
    from annotation_schemas.model import Shortcuts as Limits
    from domain.states import Items
    from extensions.shortcuts.model_check import ModelResult
    from extensions.shortcuts.model_shortcuts import ListedItem, ModelShortcuts

LONGEST = 500
"""The maximum length of a model's text that is printed."""
LINKED = 500
"""The maximum number of items in a link to the page Items."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of the command."""

    project: str
    counted: Items | None
    chosen: Sequence[str]
    strong: Sequence[str]
    at_most: float | None
    """The limit for flagged items that replaces the schema's."""
    gate: bool
    """Whether the command fails above the limit."""


def stands(project: str, counted: Items | None, limits: Limits | None) -> ModelResult | None:
    """Return the comparison of models with these limits, or None without such a limit."""
    from app.services import opened
    from extensions.shortcuts.model_check import compare_with_limit
    from extensions.shortcuts.model_shortcuts import measure_models

    if limits is None or limits.without_images is None:
        return None
    return compare_with_limit(limits, measure_models(opened().store, by=None, project=project, items_=counted))


def _limits(wanted: ReportOptions) -> Limits | None:
    """Return the limits of the schema with the given one, or None."""
    from annotation_schemas.model import Shortcuts as Limits
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from extensions.shortcuts.schema_limits import wrong
    from extensions.shortcuts.text_check import limits_of

    limits = limits_of(opened().store, project=wanted.project)
    if wanted.at_most is not None:
        limits = (limits or Limits()).model_copy(update={"without_images": wanted.at_most})
        if problems := [Problem("_".join(map(str, key)), f"{words}.") for key, words in wrong(limits)]:
            raise InvalidInputError(problems)
    if wanted.gate and (limits is None or limits.without_images is None):
        why = "The schema has no limit in `export: shortcuts`. Set a limit, such as --without-images 0.02."
        raise InvalidInputError([Problem("without_images", why)])
    return limits


def tell(wanted: ReportOptions, *, scores: Path | None, reasons: Path | None, as_json: bool) -> bool:
    """Write tables and lists, or one JSON object. Return whether the limit is met, if it must be.

    ``scores`` is a file for the replies, and ``reasons`` is a file for the reasons that authors read.
    """
    from app.services import opened
    from exporters.writing import write_files
    from extensions.shortcuts import model_files as files
    from extensions.shortcuts.model_check import compare_with_limit
    from extensions.shortcuts.model_shortcuts import measure_models

    limits = _limits(wanted)
    results = measure_models(
        opened().store,
        by=None,
        project=wanted.project,
        items_=wanted.counted,
        chosen=wanted.chosen,
        strong=wanted.strong,
    )
    stands = compare_with_limit(limits, results)
    if scores is not None:
        write_files({scores: files.as_csv(results).encode()})
        print(f"{scores} contains the models' answers to each item. The file reveals keys.", file=sys.stderr)
    if reasons is not None:
        told_to = {flagged_item.item: flagged_item.to_author for flagged_item in (*results.second, *results.flagged)}
        write_reasons(reasons, [(item, told_to[item]) for item in results.known if item in told_to])
    if as_json:
        report = files.as_json(results) | ({} if stands is None else {"limit": stands.as_json()})
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _tell(wanted.project, results)
        if stands is not None:
            typer.echo(f"Right without images: {stands.said}.")
    return not wanted.gate or stands is None or stands.met


def write_reasons(path: Path, told: Sequence[tuple[str, str]]) -> None:
    """Write the reasons that authors read, for ``touchstone item return``."""
    from domain.csv_text import as_bytes
    from exporters.writing import write_files

    write_files({path: as_bytes(("item", "reason"), told)})
    items = with_noun(len(told), "item")
    sys.stderr.write(f"{path} contains {items} with reasons for their authors. The file reveals keys.\n")


def _tell(project: str, found: ModelShortcuts) -> None:
    from reports import markdown
    from reports.content import ReportTable

    typer.echo(f"{found.title}. {found.which}\n")
    if not found.models:
        typer.echo("No model has answered without images. Start a run with `touchstone shortcut run`.")
        return
    heads = ("Model", "Shown", "Items", "Orders", "Right", "Right in all orders", "By chance", "More with images")
    rows = [
        (
            model.model,
            model.condition,
            model.items,
            model.orders,
            model.right,
            model.all_right,
            "-" if model.chance is None else f"{100 * model.chance:.1f} %",
            model.gain if model.gain is not None else "-",
        )
        for model in found.models
    ]
    typer.echo("\n".join(markdown.table_lines(ReportTable("models", "Models", heads, tuple(rows)))) + "\n")
    for model in found.models:
        counts = (
            [f"replies that name no option or several options, counted as wrong: {model.unread:,}"]
            if model.unread
            else []
        )
        counts += [f"questions without a reply, excluded: {model.silent:,}"] if model.silent else []
        if counts:
            typer.echo(f"{model.model}, {model.condition}: {'; '.join(counts)}.")
    if found.earlier:
        replies = with_noun(found.earlier, "reply", "replies")
        typer.echo(f"Excluded: {replies} to items that have changed since the reply.")
    typer.echo(
        f"Without images, {with_noun(found.wanted_models, 'model')} or more "
        f"{'gets' if found.wanted_models == 1 else 'get'} {len(found.flagged):,} of {with_noun(found.items, 'item')} "
        f"right in every order of options (number of orders: at least {found.orders})."
    )
    _list(project, found.flagged)
    typer.echo(f"{with_noun(len(found.second), 'item needs', 'items need')} a second look.")
    _list(project, found.second)


def _list(project: str, given: Sequence[ListedItem]) -> None:
    from domain.item_filter import ItemFilter, ItemList

    for flagged_item in given:
        chance = "" if flagged_item.chance is None else f" (by chance {100 * flagged_item.chance:.1f} %)"
        typer.echo(f"  {flagged_item.item}: {'; '.join(flagged_item.reasons)}{chance}")
        for other in flagged_item.others:
            if other.argument is not None and (text := " ".join(other.argument.text.split())):
                cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… (full text with --json)"
                typer.echo(f"    {other.model} wrote: {cut}")
    if given:
        more = f"; the first {LINKED:,}" if len(given) > LINKED else ""
        listed = ItemList(ItemFilter(ids=tuple(flagged_item.item for flagged_item in given[:LINKED])))
        typer.echo(f"To verify these items again or assign them to people, open {listed.address(project)}{more}")
