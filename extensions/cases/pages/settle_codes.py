"""The page *Settle codes*: a senior settles the codes on which coders differ."""

from __future__ import annotations

from functools import partial

from app.screens import Screen
from app.workbench import stages
from domain.roles import Role
from domain.states import Stage

SCREEN = Screen("Settle codes", place=94, stage=Stage.ARBITRATION, role=Role.SENIOR)

render = partial(stages.rate, stage=Stage.ARBITRATION)
"""Draw the page."""
