"""A data card: sections of sentences and tables, as Markdown for repositories of data sets, and as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from reports import html
from reports.content import Paragraph, ReportTable, Section
from reports.markdown import plain_text, table_lines


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
    lines += [f"# {plain_text(card.title)}", "", plain_text(card.subtitle), ""]
    for section in card.sections:
        lines += [f"## {plain_text(section.title)}", ""]
        if section.lead:
            lines += [plain_text(section.lead), ""]
        for block in section.blocks:
            if isinstance(block, Paragraph):
                lines += [plain_text(block.words), ""]
            elif isinstance(block, ReportTable):
                lines += [*table_lines(block), ""]
    return "\n".join([*lines, f"*{plain_text(card.footer)}*", ""])


def page(card: DataCard) -> str:
    """Return the card as one HTML file that loads nothing from other addresses."""
    links = "".join(f'<a href="#{escape(section.key)}">{escape(section.title)}</a>' for section in card.sections)
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
