"""The page *Refine*: look for second right answers next to a model's answer."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Refine", place=80, stage=Stage.REFINEMENT)

render = partial(stages.rate, stage=Stage.REFINEMENT)
"""Draw the page."""
