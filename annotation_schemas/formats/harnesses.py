"""Logs of other harnesses: programs that ask models. ``predictions`` finds out by itself which of them a file is."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "lmms_eval_samples",
        "models' answers in logs of lmms-eval or lm-eval, `*_samples_*.jsonl`",
        Takes.ANSWERS,
        place=41,
        reads=True,
    ),
    Format(
        "inspect_log",
        "models' answers in logs of Inspect, `.eval` or `.json`",
        Takes.ANSWERS,
        place=42,
        reads=True,
    ),
    Format(
        "answer_map",
        "a model's answers as one JSON object, `{id: answer}`",
        Takes.ANSWERS,
        place=44,
        reads=True,
    ),
)
