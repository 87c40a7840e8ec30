"""The table of items: plain HTML that screen readers can read, because Streamlit draws its own table on a canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from annotation_schemas.state_words import state_called
from app import addresses, markup, shell
from app.services import Services
from domain.item_filter import OF_FIELD, UNSORTED, ItemList
from domain.records import ProjectView
from domain.states import ItemState
from workflow.lead.item_list import ItemLine, ItemPage

LONGEST = 120
"""Longest text in a cell, in characters. The opened item shows the whole text."""
NUMBERS = {"votes", "comments", "missing", "version", "priority"}
"""Columns that are aligned to the right."""

STYLE = """
.ts-items td { height: 2.65rem; padding: .2rem .6rem .2rem 0; vertical-align: middle; line-height: 1.25; }
.ts-items th { padding: 0 .6rem .3rem 0; white-space: nowrap; }
.ts-items :is(th, td) a { color: inherit; text-underline-offset: 2px;
  text-decoration-color: color-mix(in srgb, currentColor 30%, transparent); }
.ts-items th a { text-decoration: none; }
.ts-items th a:hover { text-decoration: underline; }
.ts-items .tick { width: 1.75rem; }
.ts-items .picture { width: 3.4rem; }
.ts-items .picture img { width: 46px; height: 34px; object-fit: cover; border-radius: 4px; display: block; }
.ts-items tbody tr { cursor: pointer; }
.ts-items tbody tr:hover td { background: color-mix(in srgb, currentColor 4%, transparent); }
.ts-items tbody tr[aria-current] td { background: color-mix(in srgb, #0f6e84 13%, transparent); }
.ts-items :is(td.line, td.number) { width: 1%; white-space: nowrap; }
"""


def item_address(view: ProjectView, asked: ItemList, item: str) -> str:
    """Return the address of a list with one of its items open."""
    return "/items?" + urlencode({"project": view.name, **asked.asked(), addresses.ITEM: item}, doseq=True)


def draw(
    services: Services,
    view: ProjectView,
    asked: ItemList,
    found: ItemPage,
    titles: Mapping[str, str],
    *,
    opened: str | None,
    ticks: bool,
) -> None:
    """Draw one page of the list. ``opened`` is the open item (its id on pages). ``ticks`` draws checkboxes."""
    by = shell.named(services, [line.author for line in found.lines])
    heads = [markup.tag("th", markup.text("Question"), scope="col", colspan="2")]
    heads += [_head(view, asked, name, titles[name]) for name in found.columns]
    if ticks:
        box = _box("Select all items on this page", data_ticks="page")
        heads = [markup.tag("th", box, scope="col", style="tick"), *heads]
    rows = [_row(view, asked, found, line, by, opened=line.item == opened, ticks=ticks) for line in found.lines]
    head, body = markup.tag("thead", markup.tag("tr", *heads)), markup.tag("tbody", *rows)
    shell.show(markup.tag("table", head, body, style="ts ts-table ts-items", data_part="items"))


def _row(
    view: ProjectView,
    asked: ItemList,
    found: ItemPage,
    line: ItemLine,
    by: Callable[[str | None], markup.Markup],
    *,
    opened: bool,
    ticks: bool,
) -> markup.Markup:
    label = f"Select {line.name}: {short(line.title)}"
    cells = [markup.tag("td", _box(label, data_tick=line.name), style="tick")] if ticks else []
    to = item_address(view, asked, line.item)
    title = markup.tag("a", markup.text(short(line.title)), href=to, target="_self")
    cells += [markup.tag("td", _picture(line), style="picture"), markup.tag("td", title)]
    for name in found.columns:
        style = "number" if name in NUMBERS else "line" if name in ("state", "dimension") else ""
        cells.append(markup.tag("td", _cell(view, line, name, by), style=style))
    current = {"aria_current": "true"} if opened else {}
    return markup.tag("tr", *cells, data_item=line.item, **current)


def _picture(line: ItemLine) -> markup.Markup:
    if not line.assets:
        return markup.text("")
    if line.assets[0].missing:
        return markup.quiet("missing")
    return markup.tag("img", src=f"/media/{line.assets[0].id}/thumb", alt="", loading="lazy", width="46", height="34")


def _box(label: str, **data: str) -> markup.Markup:
    return markup.tag("input", type="checkbox", aria_label=label, **data)


def _head(view: ProjectView, asked: ItemList, name: str, title: str) -> markup.Markup:
    style = "number" if name in NUMBERS else ""
    if name in UNSORTED:
        return markup.tag("th", markup.text(title), scope="col", style=style)
    down = asked.sort == name and not asked.down
    arrow = "" if asked.sort != name else " ↓" if asked.down else " ↑"
    to = asked.at(sort=name, down=down, page=1).address(view.name)
    link = markup.tag("a", markup.text(title + arrow), href=to, target="_self", title=f"Sort by {title.lower()}")
    order = {"aria_sort": "descending" if asked.down else "ascending"} if asked.sort == name else {}
    return markup.tag("th", link, scope="col", style=style, **order)


def _cell(view: ProjectView, line: ItemLine, name: str, by: Callable[[str | None], markup.Markup]) -> markup.Markup:
    if name == "id":
        return markup.mono(line.name)
    if name == "state":
        return state(view, line.state)
    if name == "author":
        return by(line.author) if line.author else markup.quiet("Imported")
    if name == "dimension":
        return markup.quiet(dimension(view, line.dimension))
    if name == "differ" and not (line.votes or 0) > 1:
        return markup.quiet("-")
    if name.startswith(OF_FIELD) or name in ("checks", "reasons"):
        return markup.text(short(line.says(name)))
    return markup.text(line.says(name))


def state(view: ProjectView, state: ItemState) -> markup.Markup:
    """Return a state as a colored square and its name."""
    called = state_called(view.schema.schema_.stages, state)
    words = markup.text(called[:1].upper() + called[1:])
    return markup.tag("span", markup.tag("i", style=state), words, style="ts-state")


def dimension(view: ProjectView, id: str) -> str:
    """Return the title of a dimension."""
    return next((known.title for known in view.schema.schema_.dimensions if known.id == id), id)


def short(text: str) -> str:
    """Return a text, cut to the length of a cell."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
