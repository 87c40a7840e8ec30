"""The page *Code*: say what is wrong with a model's answer."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.states import Stage

SCREEN = Screen("Code", place=92, stage=Stage.CODING)

render = partial(stages.rate, stage=Stage.CODING)
"""Draw the page."""
