"""The job ``questions``: questions made of the goals that leads saved, in a folder of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from domain import typed_json
from extensions.narrations import project_steps
from extensions.narrations.question_generation import QuestionRequest, make
from extensions.narrations.rules.frame_rates import as_text
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome

TOLD, REQUEST = "told.json", "request.json"


def _make_questions(context: JobContext) -> JobOutcome:
    """Make the questions into the folder, and write the counts next to them."""
    folder: Path = context.input["folder"]
    asked: QuestionRequest = typed_json.decode(json.loads((folder / REQUEST).read_text(encoding="utf-8")))
    shutil.rmtree(folder / "made", ignore_errors=True)  # what a process that died has left
    question_set = make(asked, folder / "made")
    tally = question_set.tally.as_json()
    (folder / TOLD).write_text(json.dumps({"n": question_set.n, **tally}), encoding="utf-8")
    assert context.by is not None
    project_steps.note_questions(
        context.store, by=context.by, project=context.input["project"], facts={**tally, "settings": _settings(asked)}
    )
    return JobOutcome(f"Questions made: {question_set.n:,}.")


def _settings(asked: QuestionRequest) -> dict[str, Any]:
    """Return the settings as the boxes of the page have them."""
    rate = asked.rate
    settings = {"rate": None if rate is None else as_text(rate), "rates": asked.videos is not None}
    return {**settings, "seed": asked.seed, "first": asked.first_id, "observed": asked.observe}


QUESTIONS = JobKind("questions", "Questions", "Making questions for {}", _make_questions, outlives=False)
