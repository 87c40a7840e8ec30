"""Counts of items as pages show them: explained by a tooltip, and linked to the items that they count."""

from __future__ import annotations

from dataclasses import replace

from app import markup
from domain.item_counts import CountDefinition
from domain.item_filter import ItemFilter, ItemList


def linked(
    definition: CountDefinition, n: int, project: str, *, dimension: str | None = None, label: str | None = None
) -> markup.Markup:
    """Return a number with its explanation, as a link to the items that it counts, if there are any.

    Parameters
    ----------
    dimension
        Count and list the items of this dimension only.
    label
        Words after the number; None for the number alone.
    """
    words = markup.tag("b", markup.number(n)) if label else markup.number(n)
    if label:
        words = markup.joined([words, markup.text(f" {label}")])
    if definition.items is None or not n:
        return markup.tag("span", words, title=definition.about)
    return markup.tag(
        "a", words, href=listed(definition.items, project, dimension), target="_self", title=definition.about
    )


def listed(items: ItemFilter, project: str, dimension: str | None = None) -> str:
    """Return the address of the list of these items."""
    wanted = replace(items, dimension=(dimension,)) if dimension is not None else items
    return ItemList(wanted).address(project)
