"""Work opened in stages whose extension a test does not name."""

from __future__ import annotations

from collections.abc import Sequence

from db.engine import Store
from domain.states import Stage
from workflow.annotate import stage_kinds


def open_work(store: Store, stage: Stage, *, project: str = "p", models: Sequence[str] | None = None) -> None:
    """Open what a project's schema plans for a stage."""
    stage_kinds.of(stage).open_work(store, by=None, project=project, models=models)
