"""One worker of a run over an endpoint: what it asks, and its process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from db.engine import open_store
from domain.runs import Answerer, Question
from inference.opening import open_answerer
from inference.spec import ModelSpec
from workflow.runs.worker import Means, work


class Asks:
    """Questions that name their item, without reading anything."""

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        return [Question(id, f"item {id}", "colour", (f"item {id}",)) for id in item_ids]


def opened(spec: ModelSpec, plan: Any) -> Answerer:
    return open_answerer(spec, strategy="generate")


MEANS = Means(opened, lambda row, spec, plan: Asks())


def main() -> None:
    """Work on a run: the arguments are the database's home and the run."""
    home, run = sys.argv[1:]
    store = open_store(None, Path(home))
    print("begun", flush=True)
    print(work(store, run, means=MEANS).value, flush=True)
