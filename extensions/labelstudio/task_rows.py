"""Read the tasks of a file in any form: the export "JSON", or "JSON-MIN" with a row for each annotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas.formats import Misfit, Names, short
from annotation_schemas.model import Criterion
from domain import json_layout, json_text
from domain.json_text import NotJson, Piece
from extensions.labelstudio.values import results_of

_OF_TASK = ("id", "data", "annotations", "completions", "predictions", "meta")
_OF_ROW = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"})
"""Keys of JSON-MIN that are neither data nor controls."""


@dataclass
class Task:
    """A task in the file, whatever its form."""

    row: int
    id: Any
    data: Mapping[str, Any]
    raw: str
    annotations: list[tuple[int, Mapping[str, Any]]]
    """Each annotation with its row."""
    predictions: Sequence[Any] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def called(self) -> str:
        return "this task" if self.id is None else f"task {self.id}"


class Tasks:
    """Assembles tasks. ``refuse`` is called with the row of an invalid task, the reason, and its text."""

    def __init__(
        self, criteria: Mapping[str, Criterion], names: Names, refuse: Callable[[int, str, str], None]
    ) -> None:
        self.names, self._criteria, self._refuse = names, criteria, refuse
        self.numbers = 0
        """Predictions of which the file holds nothing but their numbers."""

    def of(self, pieces: Sequence[Piece]) -> Iterator[Task]:
        """Yield the tasks of a file. Rows of JSON-MIN about the same task are merged."""
        rows: dict[Any, Task] = {}
        for number, piece in enumerate(pieces, 1):
            try:
                if piece.problem:
                    raise Misfit(piece.problem)
                keys = json_text.keys(piece.raw)
                if "data" in keys:
                    yield self._task(number, json_text.values(piece.raw, _OF_TASK), piece.raw)
                    continue
                task = self._row(number, json_text.values(piece.raw, keys), piece.raw)
                known = rows.setdefault(task.id if task.annotations else (number,), task)
                if known is task:
                    continue
                if not json_layout.same(known.data, task.data):
                    raise Misfit(
                        f"task {task.id} is also in row {known.row}, with different data. Delete one of the two tasks"
                    )
                known.annotations += task.annotations
            except (Misfit, NotJson) as error:
                self._refuse(number, str(error), piece.raw)
        yield from rows.values()

    def _task(self, number: int, record: Mapping[str, Any], raw: str) -> Task:
        id = _id(record)
        data = record["data"]
        where = "this task" if id is None else f"task {id}"
        if not isinstance(data, dict):
            raise Misfit(f"{where}: `data` must be an object {{...}}")
        annotations = record.get("annotations") or record.get("completions") or []
        predictions = record.get("predictions") or []
        if isinstance(predictions, list) and isinstance(annotations, list):
            whole = [
                annotation["prediction"]
                for annotation in annotations
                if isinstance(annotation, dict) and annotation.get("prediction")
            ]
            predictions = self._whole(predictions, whole)
        for name, parts in (("annotations", annotations), ("predictions", predictions)):
            if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
                raise Misfit(f"{where}: {name} must be a list of objects. Export the project as JSON")
        meta = record.get("meta")
        numbered_annotations = [(number, annotation) for annotation in annotations]
        return Task(number, id, data, raw, numbered_annotations, predictions, meta if isinstance(meta, dict) else {})

    def _whole(self, predictions: Sequence[Any], beside: Sequence[Any]) -> list[Any]:
        """Return predictions in place of their ids, because some exports have only ids.

        Annotations contain some of them.
        """
        by_id = {prediction.get("id"): prediction for prediction in beside if isinstance(prediction, dict)}
        whole_predictions = [
            by_id.get(prediction) if isinstance(prediction, int) else prediction for prediction in predictions
        ]
        self.numbers += whole_predictions.count(None)
        return [prediction for prediction in whole_predictions if prediction is not None]

    def _row(self, number: int, record: Mapping[str, Any], raw: str) -> Task:
        """Return a record without ``data``: a row of JSON-MIN, which is an annotation, or only a task's data."""
        if "annotation_id" not in record and "annotator" not in record:
            return Task(number, None, record, raw, [])
        controls = {self.names.controls.get(name, name): criterion for name, criterion in self._criteria.items()}
        data = {
            key: value
            for key, value in record.items()
            if key not in _OF_ROW and key not in controls and key not in self.names.without
        }
        results = [
            result
            for control, criterion in controls.items()
            if record.get(control) is not None and control not in self.names.without
            for result in results_of(control, criterion, record[control])
        ]
        annotation = {
            "id": record.get("annotation_id"),
            "completed_by": record.get("annotator"),
            "result": results,
            "created_at": record.get("created_at"),
            "updated_at": record.get("updated_at"),
        }
        return Task(number, _id(record), data, raw, [(number, annotation)])


def _id(record: Mapping[str, Any]) -> int | str | None:
    id = record.get("id")
    if id is not None and (isinstance(id, bool) or not isinstance(id, int | str)):
        raise Misfit("`id` must be a whole number or text")
    return short(id, "id") if isinstance(id, str) else id
