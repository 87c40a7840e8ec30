"""A project whose models' answers people code, for tests of coding and of what reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from db.tables import PredictionRow, RunRow
from domain.records import NoTask, Person, TaskView
from domain.run_kinds import RunKind
from domain.states import Stage
from testkit.factories import BLIND, claimed
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions

CODES = ("perception", "reasoning", "format")
CODING = """  coding:
    raters: 2
    of: {score: key}
    criteria:
      - {name: failure, kind: multi_choice, prompt: "Why?", options: [perception, reasoning, format], min: 1}
"""


def schema(coding: str = CODING, *, grading: str = "") -> LoadedSchema:
    text = BLIND.replace("  verification:\n", f"  verification:\n{grading}", 1) if grading else BLIND
    text = text.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    return load_text(text + coding, "Be exact.", "coded")


def answer(
    store: Store, item_ids: Sequence[int], model: str, text: Callable[[int], str], *, dimension: str = "colour"
) -> list[int]:
    """What a model says to items, without anyone having to grade it; the answers' ids."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name=model, created_at=store.now())
        session.add(run)
        session.flush()
        rows = [
            PredictionRow(
                project_id=access.project_id,
                item_id=id,
                run_id=run.id,
                model=model,
                text=text(at),
                created_at=store.now(),
            )
            for at, id in enumerate(item_ids)
        ]
        session.add_all(rows)
        session.flush()
        return [row.id for row in rows]


def code(store: Store, person: Person, values: Any, *, stage: Stage = Stage.CODING, key: str = "") -> TaskView:
    """Claim the next answer and say what is wrong with it; ``values`` may depend on what is shown."""
    view = claimed(store, person, stage)
    given = values(view) if callable(values) else values
    submissions.submit(store, person=person, task=view.id, key=key or view.id, values={"failure": given})
    return view


def code_all(store: Store, person: Person, say: Callable[[TaskView], Any], *, stage: Stage = Stage.CODING) -> int:
    n = 0
    while not isinstance(claims.next_task(store, person=person, project="p", stage=stage), NoTask):
        code(store, person, say, stage=stage)
        n += 1
    return n
