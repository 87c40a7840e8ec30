"""The table of cases: a picture, the item with its key, and the answers with scores and reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app import markup
from app.running import shown
from domain.records import ProjectView
from extensions.cases import case_parts
from extensions.cases.case_list import CaseLine

MOST_ANSWERS = 4
"""Largest number of answers for a case in the list."""
MOST_LETTERS = 160
"""Largest number of letters of an item's question or key."""


def table(
    view: ProjectView, lines: Sequence[CaseLine], model: str | None, *, address: Callable[..., str]
) -> markup.Markup:
    """Return the table. ``address`` returns the address that opens a case, for the parameter ``item``."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    heads = [("", "picture"), ("Item", ""), ("Answers, scores and reasons", "wide")]
    head = markup.tag("tr", *(markup.tag("th", markup.text(words), scope="col", style=style) for words, style in heads))
    body = []
    for line in lines:
        about = markup.quiet(f"{titles.get(line.dimension, line.dimension)} · {line.name}")
        parts = [
            markup.quiet("Hidden until you review this case blind")
            if line.closed
            else markup.link(shown.opening(line.title, MOST_LETTERS), address(item=line.item)),
            markup.tag("div", about, style="ts-small"),
        ]
        if line.key:
            key = markup.text(f"Key: {shown.opening(line.key, MOST_LETTERS)}")
            parts.append(markup.tag("div", key, style="ts-small"))
        cells = [
            markup.tag("td", _picture(line), style="picture"),
            markup.tag("td", *parts),
            markup.tag("td", markup.quiet(line.closed) if line.closed else _answers(line, model), style="wide"),
        ]
        body.append(markup.tag("tr", *cells, data_item=line.item))
    table = markup.tag("table", markup.tag("thead", head), markup.tag("tbody", *body), style="ts ts-table ts-cases")
    return markup.tag("div", table, data_part="cases")


def _picture(line: CaseLine) -> markup.Markup:
    if line.picture is None:
        return markup.text("")
    if line.picture.missing:
        return markup.quiet("missing")
    return markup.tag("img", src=f"/media/{line.picture.id}/thumb", alt="", loading="lazy", width="76", height="56")


def _answers(line: CaseLine, model: str | None) -> markup.Markup:
    if line.asked:
        return markup.quiet("Hidden until you open the case")
    those = [answer for answer in line.answers if model in (None, answer.model)]
    parts = [case_parts.short_answer(answer) for answer in those[:MOST_ANSWERS]]
    more = len(those) - MOST_ANSWERS
    parts += [markup.tag("div", markup.quiet(f"{more} more"), style="ts-small")] if more > 0 else []
    if those and line.open:
        parts.append(markup.tag("div", markup.quiet("Open the case to see grades."), style="ts-small"))
    return markup.joined(parts) if parts else markup.quiet("No answer")
