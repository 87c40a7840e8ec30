"""A report on paper, drawn without a browser.

The letters come with Touchstone (DejaVu Sans: Latin, Greek, Cyrillic, Hebrew, Arabic and many signs). A character that
they lack is drawn as an empty square, and the last page lists it; the HTML report shows it in the reader's letters.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.charts import WIDTH, Disc, Drawing, Line, Poly, Rect, Word, sheets
from reports.content import Bars, Block, Dots, Heat, Lines, Report, Ruling, Rulings, Table, Text
from reports.layout import spread

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Flowable

FONTS = Path(__file__).parent / "fonts"
PLAIN, BOLD = "DejaVuSans", "DejaVuSans-Bold"
SQUARE = "\N{WHITE SQUARE}"
MOST_ROWS = 80
"""Rows of a table that are printed; its CSV file has them all."""
MOST_LETTERS = 500
"""Letters of a cell that are printed."""

PAINTS = {
    "paper": "#ffffff",
    "ink": "#1a2228",
    "muted": "#59656e",
    "grid": "#dde3e7",
    "panel": "#f4f7f8",
    "heat": "#4aa6bd",
    "s0": "#59656e",
    "s1": "#0f6e84",
    "s2": "#b4540a",
    "s3": "#6a3d9a",
    "s4": "#2e7d32",
    "s5": "#b3265e",
    "replace": "#1f7a3f",
    "limited": "#8a5a00",
    "correct": "#8a5a00",
    "no": "#b3261e",
    "people": "#b4540a",
    "open": "#59656e",
}


class Letters:
    """Texts in letters that the font has; what it lacks is remembered."""

    def __init__(self) -> None:
        self.lacking: dict[str, None] = {}

    def plain(self, text: str) -> str:
        """The text with a square for each character that cannot be drawn."""
        known = _glyphs()
        out = []
        for letter in text:
            if ord(letter) in known or letter in "\n\t":
                out.append(letter)
            elif ord(letter) < 32 or letter in "\u200b\u200c\u200d\u2060\ufe0f":
                continue
            else:
                self.lacking.setdefault(letter)
                out.append(SQUARE)
        return "".join(out)

    def marked(self, text: str) -> str:
        """The same, with the signs of markup taken literally."""
        return escape(self.plain(text), quote=False)

    def told(self) -> str | None:
        """A sentence about what could not be drawn."""
        if not self.lacking:
            return None
        listed = ", ".join(f"U+{ord(letter):04X}" for letter in list(self.lacking)[:40])
        more = f" and {len(self.lacking) - 40} more" if len(self.lacking) > 40 else ""
        return (
            f"This paper version has no letters for {listed}{more}: an empty square stands in their place. "
            "The HTML report shows them."
        )


@cache
def _glyphs() -> frozenset[int]:
    """The characters that both fonts have; the fonts are made known at the same time."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    found: list[frozenset[int]] = []
    for name in (PLAIN, BOLD):
        font = TTFont(name, str(FONTS / f"{name}.ttf"))
        pdfmetrics.registerFont(font)
        found.append(frozenset(code for code in font.face.charToGlyph if code <= 0xFFFF))  # a PDF names no others
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=PLAIN, boldItalic=BOLD)
    return found[0] & found[1]


def document(report: Report) -> bytes:
    """The whole report as a PDF; the same report gives the same bytes."""
    from reportlab.platypus import CondPageBreak, KeepTogether, Spacer

    letters = Letters()
    style = styles()
    story: list[Flowable] = [
        paragraph(letters.marked(report.title), style["title"]),
        paragraph(letters.marked(report.subtitle), style["muted"]),
    ]
    for section in report.sections:
        head = [
            Spacer(1, 14),
            paragraph(f"{section.number}. {letters.marked(section.title)}", style["section"]),
            paragraph(letters.marked(section.lead), style["lead"]),
        ]
        story += [CondPageBreak(120), KeepTogether(head)]
        story += [each for block in section.blocks for each in flowables(block, letters)]
    story += closing(report, letters)
    return built(story, report)


def closing(report: Report, letters: Letters) -> list[Flowable]:
    """Where the numbers came from, and what could not be drawn."""
    from reportlab.platypus import Spacer

    style = styles()
    source = report.source
    said = f"{report.made_with}. Ratings: {source.what} {source.name}, SHA-256 {source.sha256}."
    story: list[Flowable] = [Spacer(1, 14), paragraph(letters.marked(said), style["muted"])]
    lacking = letters.told()
    return [*story, paragraph(lacking, style["muted"])] if lacking else story


def built(story: list[Flowable], report: Report) -> bytes:
    """The story on A4 pages with their numbers."""
    from reportlab.lib.pagesizes import A4
    from reportlab.platypus import SimpleDocTemplate

    letters = Letters()
    running = letters.plain(report.title)[:90]

    def foot(canvas: Canvas, doc: Any) -> None:
        canvas.setFont(PLAIN, 7.5)
        canvas.setFillColor(_colour("muted"))
        canvas.drawString(45, 26, running)
        canvas.drawRightString(A4[0] - 45, 26, str(doc.page))

    out = io.BytesIO()
    page = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=45,
        rightMargin=45,
        topMargin=42,
        bottomMargin=46,
        title=running,
        author="Touchstone",
        lang="en",
        invariant=1,
    )
    page.build(story, onFirstPage=foot, onLaterPages=foot)
    return out.getvalue()


ROOM = 595.27 - 90 - 12
"""The width that is left between the margins."""
HIGH = 841.89 - 42 - 46 - 12
"""The height that is left between the margins."""
TALLEST = (HIGH - 40) * WIDTH / ROOM
"""Height of a chart, in its own units, that still fits a page below its heading."""


@cache
def styles() -> dict[str, Any]:
    """The styles of paragraphs."""
    from reportlab.lib.styles import ParagraphStyle

    _glyphs()
    base = ParagraphStyle("base", fontName=PLAIN, fontSize=9.2, leading=13, textColor=_colour("ink"), spaceAfter=4)

    def made(name: str, **changes: Any) -> Any:
        return ParagraphStyle(name, parent=base, **changes)

    return {
        "plain": base,
        "note": made("note", fontSize=8, leading=11, textColor=_colour("muted")),
        "muted": made("muted", fontSize=8, leading=11, textColor=_colour("muted")),
        "warning": made("warning", borderPadding=5, backColor=_colour("panel"), leftIndent=6, spaceBefore=6),
        "missing": made("missing", textColor=_colour("muted"), leftIndent=6),
        "title": made("title", fontName=BOLD, fontSize=18, leading=23, spaceAfter=4),
        "section": made("section", fontName=BOLD, fontSize=13, leading=17, spaceAfter=3),
        "lead": made("lead", fontSize=10, leading=14.5, spaceAfter=6),
        "heading": made("heading", fontName=BOLD, fontSize=9.2, leading=12, spaceBefore=8, spaceAfter=2),
        "cell": made("cell", fontSize=7.2, leading=9.2, spaceAfter=0),
        "number": made("number", fontSize=7.2, leading=9.2, spaceAfter=0, alignment=2),
        "head": made("head", fontName=BOLD, fontSize=7.2, leading=9.2, spaceAfter=0, textColor=_colour("muted")),
        "headnumber": made(
            "headnumber",
            fontName=BOLD,
            fontSize=7.2,
            leading=9.2,
            spaceAfter=0,
            alignment=2,
            textColor=_colour("muted"),
        ),
    }


def paragraph(markup: str, style: Any) -> Flowable:
    """A paragraph of text whose markup has been escaped."""
    from reportlab.platypus import Paragraph

    return Paragraph(markup, style)


def flowables(block: Block, letters: Letters) -> Iterator[Flowable]:
    """A block of content on paper."""
    from reportlab.platypus import KeepTogether

    style = styles()
    if isinstance(block, Text):
        yield paragraph(letters.marked(block.words), style[block.tone])
    elif isinstance(block, Table):
        yield from table(block, letters)
    elif isinstance(block, Rulings):
        for each in block.rulings:
            yield ruling(each, letters)
        yield paragraph(letters.marked(block.when), style["heading"])
        for line in block.rule:
            yield paragraph(f"\N{BULLET} {letters.marked(line)}", style["note"])
    elif isinstance(block, Dots | Heat | Bars | Lines):
        heading = paragraph(letters.marked(block.title), style["heading"])
        first, *more = (figure(each, letters, ROOM) for each in sheets(block, TALLEST))
        yield KeepTogether([heading, first])
        yield from more


def ruling(each: Ruling, letters: Letters) -> Flowable:
    """One verdict in its box."""
    from reportlab.platypus import Table as Grid

    style = styles()
    about = " · ".join(filter(None, (each.about, each.counted)))
    colour = PAINTS[each.verdict]
    inside = [
        paragraph(f'<font color="{colour}"><b>{letters.marked(each.words)}</b></font>', style["plain"]),
        paragraph(letters.marked(about), style["plain"]),
        *(paragraph(f"\N{BULLET} {letters.marked(line)}", style["note"]) for line in each.why),
    ]
    return Grid(
        [[inside]],
        colWidths=[ROOM],
        hAlign="LEFT",
        splitInRow=1,
        spaceBefore=4,
        spaceAfter=4,
        style=[
            ("BACKGROUND", (0, 0), (-1, -1), _colour("panel")),
            ("LINEABOVE", (0, 0), (-1, 0), 2.5, _colour(each.verdict)),
            ("LEFTPADDING", (0, 0), (-1, -1), 10),
        ],
    )


def table(block: Table, letters: Letters) -> Iterator[Flowable]:
    """A table that goes on over pages, its head repeated."""
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.platypus import CondPageBreak, LongTable

    style = styles()
    shown = spread(block)
    yield CondPageBreak(90)
    yield paragraph(letters.marked(block.title), style["heading"])
    if block.unit:
        yield paragraph(letters.marked(block.unit), style["note"])
    right = [kind == "number" for kind in shown.kinds]
    rows = [[letters.plain(cell)[:MOST_LETTERS] for cell in row] for row in shown.rows[:MOST_ROWS]]
    natural, least = [], []
    for at, (name, kind) in enumerate(zip(shown.columns, shown.kinds, strict=True)):
        head = letters.plain(name)
        lines = [line for row in rows for line in row[at].split("\n")]
        words = [word for line in lines for word in line.split()]
        long = max((stringWidth(line, PLAIN, 7.2) for line in lines), default=0.0)
        word = max(
            *(stringWidth(each, BOLD, 7.2) for each in head.split() or [""]),
            *(stringWidth(each, PLAIN, 7.2) for each in words or [""]),
        )
        natural.append(max(long, word) + 9)
        least.append(min(word, 120.0) + 9 if kind in ("text", "why") else max(min(long, 60.0), min(word, 120.0)) + 7)
    widths = _fitted(natural, least, ROOM)
    grid = [
        [
            paragraph(escape(letters.plain(name), quote=False), style["headnumber" if end else "head"])
            for name, end in zip(shown.columns, right, strict=True)
        ]
    ]
    for row in rows:
        cells_ = zip(row, right, strict=True)
        grid.append([paragraph(_lines(cell), style["number" if end else "cell"]) for cell, end in cells_])
    yield LongTable(
        grid,
        colWidths=widths,
        repeatRows=1,
        hAlign="LEFT",
        splitInRow=1,
        style=[
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, _colour("grid")),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 7),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ],
    )
    if len(shown.rows) > MOST_ROWS:
        more = len(shown.rows) - MOST_ROWS
        yield paragraph(f"{more:,} more rows are in tables/{letters.marked(block.key)}.csv.", style["note"])
    if block.note:
        yield paragraph(letters.marked(block.note), style["note"])


def _lines(cell: str) -> str:
    first, _, second = cell.partition("\n")
    return escape(first, quote=False) + (f"<br/>{escape(second, quote=False)}" if second else "")


def _fitted(natural: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Widths that fit the page: what is wider than its longest word gives way."""
    over = sum(natural) - room
    if over <= 0:
        return list(natural)
    spare = sum(wide - small for wide, small in zip(natural, least, strict=True))
    if spare <= over:
        floor = min(20.0, room / max(len(least), 1))
        share = (room - floor * len(least)) / max(sum(least) - floor * len(least), 1.0)
        return [floor + max(small - floor, 0.0) * min(share, 1.0) for small in least]
    return [wide - (wide - small) * over / spare for wide, small in zip(natural, least, strict=True)]


def figure(drawing: Drawing, letters: Letters, room: float) -> Flowable:
    """Return a drawing as wide as the page, or smaller if it would exceed the height of a page."""
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.platypus import Flowable as Base

    scale = min(room / max(drawing.width, 500.0), (HIGH - 40) / max(drawing.height, 1.0))

    class Sheet(Base):
        def wrap(self, *_: float) -> tuple[float, float]:
            return drawing.width * scale, drawing.height * scale

        def draw(self) -> None:
            canvas = self.canv
            canvas.scale(scale, scale)
            for shape in drawing.shapes:
                _draw(canvas, shape, drawing.height)

    def _draw(canvas: Any, shape: Any, height: float) -> None:
        colour = _colour(shape.paint)
        canvas.setFillColor(colour)
        canvas.setStrokeColor(colour)
        if isinstance(shape, Rect):
            canvas.setFillAlpha(shape.opacity)
            canvas.rect(shape.x, height - shape.y - shape.height, max(shape.width, 0), shape.height, stroke=0, fill=1)
            canvas.setFillAlpha(1)
        elif isinstance(shape, Line):
            canvas.setLineWidth(shape.width)
            canvas.setDash([4, 4] if shape.dashed else [])
            canvas.line(shape.x1, height - shape.y1, shape.x2, height - shape.y2)
        elif isinstance(shape, Poly):
            path = canvas.beginPath()
            for at, (x, y) in enumerate(shape.points):
                (path.lineTo if at else path.moveTo)(x, height - y)
            if shape.filled:
                path.close()
            canvas.setDash([])
            canvas.setLineWidth(shape.width)
            canvas.setFillAlpha(shape.opacity)
            canvas.drawPath(path, stroke=0 if shape.filled else 1, fill=1 if shape.filled else 0)
            canvas.setFillAlpha(1)
        elif isinstance(shape, Disc):
            canvas.circle(shape.x, height - shape.y, shape.radius, stroke=0, fill=1)
        elif isinstance(shape, Word):
            font = BOLD if shape.bold else PLAIN
            size = shape.size * 0.92  # these letters are wider than a browser's
            text = letters.plain(shape.text)
            canvas.saveState()
            canvas.setFont(font, size)
            canvas.translate(shape.x, height - shape.y)
            if shape.upwards:
                canvas.rotate(90)
            wide = stringWidth(text, font, size)
            start = {"start": 0.0, "middle": -wide / 2, "end": -wide}[shape.anchor]
            canvas.drawString(start, 0, text)
            canvas.restoreState()

    for shape in drawing.shapes:  # what cannot be drawn is known before the last page is written
        if isinstance(shape, Word):
            letters.plain(shape.text)
    return Sheet()


def _colour(paint: str) -> Any:
    from reportlab.lib.colors import HexColor, linearlyInterpolatedColor

    name, _, amount = paint.partition(":")
    if name == "heat":
        return linearlyInterpolatedColor(HexColor(PAINTS["paper"]), HexColor(PAINTS["heat"]), 0, 1, float(amount))
    return HexColor(PAINTS[name])
