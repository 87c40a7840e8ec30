"""Parts that both sections of the page Shortcuts use: percentages, items with links, and the link to the page Items."""

from __future__ import annotations

from collections.abc import Sequence

from app import addresses, markup, shell
from domain.item_filter import ItemFilter, ItemList
from domain.records import ProjectView
from reports.content import Figure
from workflow.releases.text_rules import Choice

SIZE = 50
"""The number of items on a page of a list."""
LINKED = 500
"""The maximum number of items in a link to the page Items."""
LONGEST = 120
"""The maximum length of a text in a cell."""


def share(value: float | None) -> str:
    """Return a share as a percentage."""
    return "-" if value is None else f"{100 * value:.1f} %"


def interval(figure: Figure) -> str:
    """Return the interval of a share as percentages."""
    if figure.low is None or figure.high is None:
        return "-"
    return f"{100 * figure.low:.1f} to {100 * figure.high:.1f} %"


def short(text: str) -> str:
    """Return a text that fits into a cell."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def item(view: ProjectView, own: Choice) -> markup.Markup:
    """Return an item's question and id, with a link to its history."""
    to = addresses.item(view.name, own.id)
    name = markup.tag("a", markup.text(short(own.question or own.id)), href=to, target="_self")
    return markup.joined([name, markup.tag("div", markup.mono(own.id), style="ts-quiet ts-small")])


def right_option(own: Choice) -> markup.Markup:
    """Return the right option and its position."""
    return markup.text(f"{own.key + 1}. {short(own.options[own.key])}")


def items_address(view: ProjectView, ids: Sequence[str]) -> str:
    """Return the address of the page Items with these items. Empty if there are none or too many."""
    return ItemList(ItemFilter(ids=tuple(ids))).address(view.name) if 0 < len(ids) <= LINKED else ""


def items_link(view: ProjectView, words: str, ids: Sequence[str]) -> markup.Markup:
    """Return a link to the page Items with these items. If there are none or too many, return the words alone."""
    href = items_address(view, ids)
    return markup.link(words, href) if href else markup.text(words)


def to_items(view: ProjectView, ids: Sequence[str], page: Sequence[str], *, part: str) -> None:
    """Show a link to the page Items with these items. If there are many, the link has the items of this ``page``."""
    some = len(ids) > LINKED
    these = "This item" if len(ids) == 1 else f"These {len(ids):,} items"
    words = f"The {len(page):,} items on this page" if some else these
    to = ItemList(ItemFilter(ids=tuple(page if some else ids))).address(view.name)
    shell.show(
        markup.tag(
            "p",
            markup.tag("a", markup.text(f"{words} on Items"), href=to, target="_self"),
            markup.quiet(": verify again, assign to people, or export."),
            style="ts",
            data_part=part,
        )
    )
