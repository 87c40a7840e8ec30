"""A data card: sections of sentences and tables, as Markdown for repositories of data sets, and as an HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from reports import html
from reports.content import Paragraph, ReportTable, Section
from reports.layout import spread

_SPECIAL = re.compile(r"([\\`*\[\]<>|~])")
_EDGE = re.compile(r"(?<!\w)_|_(?!\w)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BEGINS = re.compile(r"^([ \t]*)(#|>|=|[+-](?!\d)|\d+[.)](?=\s|$))", re.MULTILINE)


@dataclass(frozen=True)
class DataCard:
    """The description of a release."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    """Sections whose blocks are texts and tables."""
    footer: str


def markdown(card: DataCard, *, before: str = "") -> str:
    """Return the card as Markdown. ``before`` is the front matter with its lines of dashes, taken over unchanged."""
    lines = [before.rstrip("\n"), ""] if before.strip() else []
    lines += [f"# {_plain(card.title)}", "", _plain(card.subtitle), ""]
    for section in card.sections:
        lines += [f"## {_plain(section.title)}", ""]
        if section.lead:
            lines += [_plain(section.lead), ""]
        for block in section.blocks:
            if isinstance(block, Paragraph):
                lines += [_plain(block.words), ""]
            elif isinstance(block, ReportTable):
                lines += [*table_lines(block), ""]
    return "\n".join([*lines, f"*{_plain(card.footer)}*", ""])


def page(card: DataCard) -> str:
    """Return the card as one HTML file that loads nothing from other addresses."""
    links = "".join(f'<a href="#{escape(each.key)}">{escape(each.title)}</a>' for each in card.sections)
    parts = [
        f'<h1>{escape(card.title)}</h1><p class="sub">{escape(card.subtitle)}</p>',
        f"<nav aria-label='Sections'>{links}</nav>",
    ]
    for section in card.sections:
        lead = f'<p class="lead">{escape(section.lead)}</p>' if section.lead else ""
        body = "".join(html.blocks(section.blocks))
        parts.append(f'<section id="{escape(section.key)}"><h2>{escape(section.title)}</h2>{lead}{body}</section>')
    parts.append(f"<footer>{escape(card.footer)}</footer>")
    return html.document(card.title, "".join(parts))


def table_lines(table: ReportTable) -> Iterator[str]:
    """Yield a table as lines of Markdown, with the same columns as on a page."""
    shown = spread(table)
    yield f"**{_plain(table.title)}**" + (f" ({_plain(table.unit)})" if table.unit else "")
    yield ""
    yield _row(shown.columns)
    yield "|" + "|".join("---:" if kind == "number" else "---" for kind in shown.kinds) + "|"
    yield from (_row(row) for row in shown.rows)
    if table.note:
        yield from ("", _plain(table.note))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(_plain(cell).split()) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Return a text that Markdown shows exactly as written, without links, tags or headings.

    >>> _plain("# a <b> | *c* of my_set & 1. d")
    '\\\\# a \\\\<b\\\\> \\\\| \\\\*c\\\\* of my_set & 1. d'
    """
    plain = _ENTITY.sub("&amp;", _EDGE.sub(r"\\_", _SPECIAL.sub(r"\\\1", text.strip())))
    return _BEGINS.sub(_stopped, plain)


def _stopped(found: re.Match[str]) -> str:
    sign = found[2]
    return f"{found[1]}{sign[:-1]}\\{sign[-1]}" if sign[-1] in ".)" else f"{found[1]}\\{sign}"
