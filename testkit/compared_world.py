"""A project whose models' answers people compare, for tests of comparison and of what reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from db.tables import PredictionRow, RunRow
from domain.records import Person, TaskView
from domain.run_kinds import RunKind
from domain.states import Stage
from testkit.factories import UNVERIFIED
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions

COMPARISON = """  comparison:
    raters: 2
    shows: [question]
    criteria:
      - {name: better, kind: preference, prompt: "Which is better?", options: [tie, both_bad],
         cannot_tell: "I cannot tell"}
      - {name: factual, kind: preference, prompt: "Which is true?", required: false}
      - {name: harmful, kind: each_answer, prompt: "Harmful?", required: false}
"""


def schema(comparison: str = COMPARISON) -> LoadedSchema:
    return load_text(UNVERIFIED.rstrip() + "\n" + comparison, "Be fair.", "plain")


def answer(store: Store, item_ids: Sequence[int], model: str, says: Callable[[int], str], *, project: str = "p") -> str:
    """What a model says to items; the run's id."""
    with store.write() as session:
        access = access_to(session, person=None, project=project)
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name=model, created_at=store.now())
        session.add(run)
        session.flush()
        about: dict[str, Any] = {
            "project_id": access.project_id,
            "run_id": run.id,
            "model": model,
            "created_at": store.now(),
        }
        session.add_all([PredictionRow(item_id=id, text=says(id), **about) for id in item_ids])
        return run.public_id


SAY: Mapping[str, Any] = {"better": "left"}


def compare_all(
    store: Store, person: Person, say: Callable[[TaskView], Mapping[str, Any]], *, project: str = "p"
) -> int:
    n = 0
    while isinstance(view := claims.next_task(store, person=person, project=project, stage=Stage.COMPARISON), TaskView):
        submissions.submit(store, person=person, task=view.id, key=view.id, values=say(view))
        n += 1
    return n
