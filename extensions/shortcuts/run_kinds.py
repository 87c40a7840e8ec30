"""The kind of runs that this extension executes."""

from __future__ import annotations

from typing import Any

from domain.run_kinds import ExecutedKind, RunKind
from extensions.shortcuts.run_plan import ShortcutPlan


def _asking() -> Any:
    from extensions.shortcuts.model_asking import ASKING

    return ASKING


KINDS = (ExecutedKind(RunKind.SHORTCUT, ShortcutPlan, _asking),)
