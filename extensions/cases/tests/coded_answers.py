"""What coding comes to, answer by answer, for tests: the extension that counts it may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from db import items
from db.engine import Store
from domain.states import Stage
from extensions.cases import coding, queries
from extensions.cases.coding import CodingProgress
from workflow.access.projects import access_to


@dataclass(frozen=True)
class CodedAnswer:
    """A model's answer that was sent to coding, with its settled codes."""

    id: int
    item: int
    model: str
    dimension: str
    standing: CodingProgress
    values: Mapping[str, Any]


def coded_answers(store: Store, project: str = "p") -> list[CodedAnswer]:
    """Return the answers that were sent to coding, also those that no longer count, by id."""
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        found = []
        for id in sorted(queries.answers_in(session, project_id=access.project_id, stage=Stage.CODING)):
            answer = items.prediction(session, id=id)
            dimension = items.by_id(session, id=answer.item_id).dimension
            codes = coding.standing_of(session, access=access, prediction_id=id, dimension=dimension)
            found.append(CodedAnswer(id, answer.item_id, answer.model, dimension, codes.standing, codes.values))
    return found
