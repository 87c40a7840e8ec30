"""Counts of items as pages show them: explained by a tooltip, and linked to the items that they count."""

from __future__ import annotations

from dataclasses import replace

from app import markup
from domain.item_counts import COUNTS, CountDefinition, ItemCounts
from domain.item_filter import ItemFilter, ItemList

WHY_STYLE = """
.ts-why { display: inline-block; position: relative; }
.ts-why summary { display: inline; cursor: pointer; text-decoration: underline; text-underline-offset: 2px; }
.ts-why summary::-webkit-details-marker { display: none; }
.ts-why p { position: absolute; z-index: 9; top: 1.6rem; left: -8rem; width: 21rem; margin: 0; padding: .7rem .9rem;
  border-radius: 8px; color: inherit; background: Canvas; box-shadow: 0 4px 18px #00000040;
  border: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
@media (max-width: 700px) { .ts-why p { position: static; width: auto; margin-top: .3rem; } }
"""


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


def hidden(counts: ItemCounts) -> list[markup.Markup]:
    """Return how many items the reader's lists hide, with the reason. Empty if there are none. Needs ``WHY_STYLE``."""
    n = COUNTS["hidden"].number(counts)
    if not n:
        return []
    are, them = ("is", "it") if n == 1 else ("are", "them")
    words = f" · {markup.count(n, 'item')} {are} hidden from you because you may be asked to vote on {them} blind. "
    return [markup.quiet(words), why(f"{COUNTS['hidden'].about} A lead can change your stages on the People page.")]


def why(words: str) -> markup.Markup:
    """Return a folded explanation. Needs ``WHY_STYLE``."""
    summary = markup.tag("summary", markup.text("Why?"))
    return markup.tag("details", summary, markup.tag("p", markup.text(words)), style="ts-why")


def listed(items: ItemFilter, project: str, dimension: str | None = None) -> str:
    """Return the address of the list of these items."""
    wanted = replace(items, dimension=(dimension,)) if dimension is not None else items
    return ItemList(wanted).address(project)
