"""A public leaderboard as a page, as CSV and as JSON. Every text is escaped."""

from __future__ import annotations

import io
import json
from datetime import datetime
from html import escape

from app.jobs import figure_requests
from app.routes import plain_pages
from db.engine import Store
from domain import csv_text
from domain.settings import Settings
from extensions.leaderboard.public_board import Board, Cell, Choice
from workflow.results import leaderboard_page


def choice_figures(
    store: Store, settings: Settings, project: str, choice: Choice, *, inside: bool
) -> figure_requests.FigureState:
    """Return the numbers of a choice. ``inside``: a small number of ratings may be computed in this process."""
    return figure_requests.request_figure(
        store,
        settings,
        "public",
        {"project": project, "choice": choice.dump()},
        state=leaderboard_page.mark(store, person=None, project=project),
        size=leaderboard_page.size(store, person=None, project=project) if inside else figure_requests.SMALL + 1,
    )


COLUMNS = ("model", "column", "value", "low", "high", "n")


def as_html(choice: Choice, board: Board, *, at: datetime, address: str) -> str:
    """Return the whole page. ``address`` is its path."""
    heads = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in ("Model", *board.columns))
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_cell, cells))}</tr>' for name, cells in board.rows
    )
    table = (
        '<div class="scroll" tabindex="0" role="region" aria-label="Leaderboard">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    about = f"As of {at:%d %B %Y, %H:%M} UTC. The 95 % interval and the number of answers are below each number."
    files = [
        plain_pages.link(f"{address}/{ending}", f"Download as {ending.upper()}") for ending in FILES
    ] * choice.files
    text = "".join(plain_pages.paragraph(part) for part in choice.text.split("\n") if part.strip())
    nothing = "" if board.rows else plain_pages.paragraph("There are no numbers yet.")
    return plain_pages.page(
        choice.title, text + (nothing or table), plain_pages.paragraph(about, style="foot"), *files, wide=True
    )


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td>-</td>"
    limits = "" if cell.low is None or cell.high is None else f"{cell.low:.3f} to {cell.high:.3f}, "
    return f"<td>{cell.value:.3f}<small>{limits}n {cell.n}</small></td>"


def as_csv(board: Board) -> str:
    """Return a line for each number as CSV. Cells without a number are empty."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(COLUMNS)
    for name, cells in board.rows:
        for column, cell in zip(board.columns, cells, strict=True):
            rows.writerow([name, column, *((cell.value, cell.low, cell.high, cell.n) if cell else ("", "", "", ""))])
    return out.getvalue()


def as_json(choice: Choice, board: Board, *, at: datetime) -> str:
    """Return the board as one JSON object."""
    rows = [
        {
            "model": name,
            "numbers": [
                {"column": column, **(vars(cell) if cell else dict.fromkeys(("value", "low", "high", "n")))}
                for column, cell in zip(board.columns, cells, strict=True)
            ],
        }
        for name, cells in board.rows
    ]
    content = {
        "title": choice.title,
        "text": choice.text,
        "as_of": at.isoformat(),
        "columns": board.columns,
        "rows": rows,
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


FILES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
"""The formats of downloads, with their content types."""
