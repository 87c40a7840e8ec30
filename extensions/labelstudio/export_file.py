"""Write Label Studio's own JSON: tasks with annotations and predictions, in the form that its import accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True)
class RaterAnnotation:
    """One rater's answers as results. The rater is a pseudonym."""

    rater: str
    result: Sequence[Mapping[str, Any]]
    seconds: float | None = None


@dataclass(frozen=True)
class ModelPrediction:
    """A model's answer."""

    model: str
    text: str


@dataclass(frozen=True)
class Task:
    """One task: its content and the answers to it."""

    data: Mapping[str, Any]
    annotations: Sequence[RaterAnnotation] = ()
    predictions: Sequence[ModelPrediction] = ()
    meta: Mapping[str, Any] | None = None


def label_studio_json(tasks: Iterable[Task], *, shown: str) -> bytes:
    """Return a list of tasks, one in each line.

    Raters are in the ``meta`` of their results. Label Studio refuses a file whose ``completed_by`` names a person
    without an account there, and assigns annotations without it to the person who imports them.

    Parameters
    ----------
    shown
        The object of a labeling configuration that predictions refer to, such as ``question``.
    """
    lines = [json.dumps(_task(task, shown), ensure_ascii=False) for task in tasks]
    return ("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n").encode()


def _task(task: Task, shown: str) -> dict[str, Any]:
    content: dict[str, Any] = {"data": dict(task.data)}
    if task.meta:
        content["meta"] = dict(task.meta)
    if task.annotations:
        content["annotations"] = [_annotation(annotation) for annotation in task.annotations]
    if task.predictions:
        content["predictions"] = [_prediction(prediction, shown) for prediction in task.predictions]
    return content


def _annotation(annotation: RaterAnnotation) -> dict[str, Any]:
    by = {"rater": annotation.rater}
    return {
        "result": [{**part, "meta": {**part.get("meta", {}), **by}} for part in annotation.result],
        "was_cancelled": False,
        "ground_truth": False,  # without this key, it becomes ground truth there
        **({"lead_time": annotation.seconds} if annotation.seconds is not None else {}),
    }


def _prediction(prediction: ModelPrediction, shown: str) -> dict[str, Any]:
    value = {"from_name": "prediction", "to_name": shown, "type": "textarea", "value": {"text": [prediction.text]}}
    return {"model_version": prediction.model, "result": [value]}


def local_file(name: str) -> str:
    """Return the address under which Label Studio serves a file below its document root."""
    return f"/data/local-files/?d={quote(name)}"
