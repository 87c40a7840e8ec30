"""The project of ``tests.workflow.shortcut_world``, with runs that test whether its items need their images."""

from __future__ import annotations

from domain.runs import RunState
from extensions.shortcuts.run_plan import ShortcutPlan
from inference.spec import ModelSpec
from tests.workflow import shortcut_world
from workflow.runs import run_start
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import work


class Rooms(shortcut_world.Rooms):
    """The project, and models that are asked under conditions."""

    def ask(self, spec: ModelSpec, *, items: int | None = None, **condition: object) -> list[str]:
        """Runs for shortcuts, worked on to their end; their ids."""
        plan = plan_for(self.loaded.schema_, spec, limit=items)
        found = []
        for each in ShortcutPlan.under(plan, **condition):
            run = run_start.start(self.store, by=None, project="p", spec=spec, plan=each)
            assert work(self.store, run, means=self.means) is RunState.DONE
            found.append(run)
        return found
