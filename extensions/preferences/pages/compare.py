"""The page *Compare*: say which of two models' answers is better."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Compare", place=91, stage=Stage.COMPARISON)

render = partial(stages.rate, stage=Stage.COMPARISON)
"""Draw the page."""
