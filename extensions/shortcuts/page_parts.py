"""What the parts of the page Shortcuts share: shares in words, items by name, and the way to them on Items."""

from __future__ import annotations

from collections.abc import Sequence

from app import markup, shell
from app.views import history
from domain.item_filter import ItemFilter, ItemList
from domain.records import ProjectView
from reports.content import Figure
from workflow.releases.text_rules import Choice

SIZE = 50
"""Items on a page of a list."""
LINKED = 500
"""So many items at most stand in a link to Items: an address has an end."""
LONGEST = 120
"""So many characters of a text stand in a cell."""


def share(value: float | None) -> str:
    """As a percentage."""
    return "-" if value is None else f"{100 * value:.1f} %"


def interval(figure: Figure) -> str:
    """The limits of a share."""
    if figure.low is None or figure.high is None:
        return "-"
    return f"{100 * figure.low:.1f} to {100 * figure.high:.1f} %"


def short(text: str) -> str:
    """A text that fits a cell."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def item(view: ProjectView, own: Choice) -> markup.Markup:
    """An item by its question and its id, with the way to all that is known of it."""
    to = history.address(view.name, item=own.id)
    name = markup.tag("a", markup.text(short(own.question or own.id)), href=to, target="_self")
    return markup.joined([name, markup.tag("div", markup.mono(own.id), style="ts-quiet ts-small")])


def right_option(own: Choice) -> markup.Markup:
    """Which option is right."""
    return markup.text(f"{own.key + 1}. {short(own.options[own.key])}")


def to_items(view: ProjectView, ids: Sequence[str], page: Sequence[str], *, part: str) -> None:
    """A link to the page on which something is done with items; of very many, with those of this ``page`` of the
    list."""
    some = len(ids) > LINKED
    words = f"The {len(page):,} of this page" if some else "It" if len(ids) == 1 else f"These {len(ids):,}"
    to = ItemList(ItemFilter(ids=tuple(page if some else ids))).address(view.name)
    shell.show(
        markup.tag(
            "p",
            markup.tag("a", markup.text(f"{words} on Items"), href=to, target="_self"),
            markup.quiet(": have them verified again, give them to people, or export them."),
            style="ts",
            data_part=part,
        )
    )
