"""How models' answers were made: ranked options with their score, or free text with its reader, and the frames
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from annotation_schemas.model import Schema
from db.answers import AnswerPart
from db.records import StoredRun
from domain.reading.answers import ReadOutcome
from domain.records import AnswerReading
from domain.run_kinds import RunKind
from domain.runs import TWO_STEPS, RunPlan
from domain.strategies import added_strategy
from workflow.runs.shown_pictures import clips_in_words

PEOPLE = "people"
OUT_OF_FILES = "imported from a file"
WRITTEN: Mapping[str, str] = {
    "generate": "free text",
    TWO_STEPS: "free text in two steps",
}
"""The name of each strategy that generates text, a row of the registry of strategies."""


@dataclass(frozen=True)
class AnswerMethod:
    """How a model's answers were made."""

    how: str = ""
    """In words; with the number of answers in brackets where there are several ways."""
    frames: str = ""
    """The frames of a clip that the model sees, as ``clips_in_words``; empty if unknown or if items have no clip."""


NOT_KNOWN = AnswerMethod()


def ways(
    schema: Schema,
    runs: Iterable[StoredRun],
    counted: Iterable[AnswerPart],
    readings: Mapping[int, AnswerReading],
    people: Collection[str],
) -> dict[str, AnswerMethod]:
    """Return how each model's counting answers were made; for a model without any, how the model was asked."""
    of_run = {run.id: run for run in runs}
    made = {id: _made_in(schema, run) for id, run in of_run.items()}
    came: dict[str, Counter[str]] = {run.name: Counter() for run in of_run.values() if _asked(run)}
    read: dict[tuple[str, str], Counter[str]] = {}
    last: dict[str, StoredRun] = {run.name: run for run in of_run.values() if _asked(run)}
    for answer in counted:
        run = of_run.get(answer.run_id)
        how = PEOPLE if answer.model in people else made.get(answer.run_id, OUT_OF_FILES)
        came.setdefault(answer.model, Counter())[how] += 1
        reading = readings.get(answer.id)
        if reading is not None and reading.outcome is ReadOutcome.READ:
            read.setdefault((answer.model, how), Counter())[reading.reader] += 1
        if run is not None and _asked(run):
            last[answer.model] = run
    methods = {}
    for model, counts in came.items():
        asked = last.get(model)
        lot = counts or Counter({_made_in(schema, asked): 0})
        phrases = [
            _with_reader(how, read.get((model, how), Counter())) + (f" ({n:,})" if len(lot) > 1 else "")
            for how, n in lot.most_common()
        ]
        frames = "" if asked is None else clips_in_words(schema, RunPlan.of(asked.params.get("plan") or {}))
        methods[model] = AnswerMethod("; ".join(phrases), frames)
    return methods


def _asked(run: StoredRun) -> bool:
    """Return whether a run asked a model by a plan. Other answers are imported or a person's."""
    return RunKind(run.kind).plan is RunPlan


def _made_in(schema: Schema, run: StoredRun | None) -> str:
    """Return how a run's answers were made, with the prompt set if it is not the schema's own."""
    if run is None or not _asked(run):
        return OUT_OF_FILES
    plan = RunPlan.of(run.params.get("plan") or {})
    if plan.strategy == "rank_options":
        return f"options ranked by {plan.score}"
    own = schema.models.prompts if schema.models else None
    prompts = f" (prompts {plan.prompt_set})" if own is not None and plan.prompt_set != own else ""
    added = added_strategy(plan.strategy)
    return (WRITTEN.get(plan.strategy, plan.strategy) if added is None else added.answers) + prompts


def _with_reader(how: str, readers: Mapping[str, int]) -> str:
    """Return how answers were made, with the names of their readers. A ranked option has no reader."""
    if how.startswith("options ranked") or not readers:
        return how
    if len(readers) == 1:
        return f"{how}, read by {next(iter(readers))}"
    return f"{how}, read by " + " and ".join(f"{reader} ({n:,})" for reader, n in sorted(readers.items()))
