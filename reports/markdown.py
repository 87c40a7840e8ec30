"""Texts and tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reports.content import ReportTable
from reports.layout import spread

_SPECIAL = re.compile(r"([\\`*\[\]<>|~])")
_EDGE = re.compile(r"(?<!\w)_|_(?!\w)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BEGINS = re.compile(r"^([ \t]*)(#|>|=|[+-](?!\d)|\d+[.)](?=\s|$))", re.MULTILINE)


def table_lines(table: ReportTable) -> Iterator[str]:
    """Yield a table as lines of Markdown, with the same columns as on a page."""
    shown = spread(table)
    yield f"**{plain_text(table.title)}**" + (f" ({plain_text(table.unit)})" if table.unit else "")
    yield ""
    yield _row(shown.columns)
    yield "|" + "|".join("---:" if kind == "number" else "---" for kind in shown.kinds) + "|"
    yield from (_row(row) for row in shown.rows)
    if table.note:
        yield from ("", plain_text(table.note))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(plain_text(cell).split()) for cell in cells) + " |"


def plain_text(text: str) -> str:
    """Return a text that Markdown shows exactly as written, without links, tags or headings.

    >>> plain_text("# a <b> | *c* of my_set & 1. d")
    '\\\\# a \\\\<b\\\\> \\\\| \\\\*c\\\\* of my_set & 1. d'
    """
    plain = _ENTITY.sub("&amp;", _EDGE.sub(r"\\_", _SPECIAL.sub(r"\\\1", text.strip())))
    return _BEGINS.sub(_stopped, plain)


def _stopped(found: re.Match[str]) -> str:
    sign = found[2]
    return f"{found[1]}{sign[:-1]}\\{sign[-1]}" if sign[-1] in ".)" else f"{found[1]}\\{sign}"
