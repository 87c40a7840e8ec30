"""Steps on the page Pipelines: each step draws its input, its output, and the dropped items with reasons.

Extensions register their steps in ``domain.extensions.Extension.pipeline_steps``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app import addresses, markup, shell
from app.services import Services
from domain.records import ProjectView

HEADS = [("Step", ""), ("How", ""), ("In", "number"), ("Out", "number"), ("Dropped, and why", "wide"), ("Cost", "")]
NO_MODEL = "no model requests"
MOST_NAMED = 20
"""Number of dropped things that a cell names."""


@dataclass(frozen=True)
class PipelineStep:
    """One step of the page Pipelines."""

    place: int
    """The page draws steps in the order of their places."""
    draw: Callable[[Services, ProjectView], None]
    """Draws the step with its heading. Draws nothing for a project without this step."""


def row(name: str, how: str, n: int, left: int, dropped: markup.Markup, cost: str) -> list[markup.Markup]:
    """Return the cells of one row below ``HEADS``. An empty ``cost`` states that no model was asked."""
    cells = [markup.text(name), markup.quiet(how), markup.number(n), markup.number(left), dropped]
    return [*cells, markup.quiet(cost or NO_MODEL)]


def dropped_cell(rows: Sequence[tuple[str, str]]) -> markup.Markup:
    """Return a cell that names the dropped things, each with its reason."""
    lines = [
        markup.tag("div", markup.text(shell.on_page(why if why.startswith(name) else f"{name}: {why}")))
        for name, why in rows[:MOST_NAMED]
    ]
    lines += [markup.quiet(f"and {len(rows) - MOST_NAMED:,} more")] * (len(rows) > MOST_NAMED)
    return markup.joined(lines) if lines else markup.quiet("nothing")


def link(words: str, page: str, view: ProjectView, **parameters: str) -> markup.Markup:
    """Return a link to a page of the project."""
    to = addresses.page(page, view.name, **parameters)
    return markup.tag("a", markup.text(words), href=to, target="_self")
