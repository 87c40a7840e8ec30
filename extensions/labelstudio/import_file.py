"""Read Label Studio's JSON: tasks become items, annotations become ratings, predictions become models' answers.

The accepted files are its exports "JSON" and "JSON-MIN", the form that its import accepts, and each of them with one
object a line. Nothing is ever fetched: media are only named here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, Names, dimension_named, short
from annotation_schemas.kinds import check_fields, refused_wording
from annotation_schemas.model import PREDICTION, AssetSlot, Criterion, Dimension, Schema
from domain import json_text
from domain.errors import InvalidFileError, NotAvailableError
from domain.json_text import NotJson
from domain.no_answer import settled
from domain.records import AssetName, BadRow, Fragment, ItemRecord, PredictionRecord
from domain.states import Stage
from extensions.labelstudio import results
from extensions.labelstudio.names import DIMENSION, ITEM, MODEL, SAME, over
from extensions.labelstudio.task_rows import Task, Tasks
from extensions.labelstudio.values import field_value, media_path, of_type, rater_name, short_json, text_of

RATER = "rater"
"""The key of the rater in the ``meta`` of a result that we wrote, because servers accept no unknown raters."""
NOBODY = "undefined"
"""The model name that Label Studio writes for predictions without one."""
_LISTED = 12
"""Number of names listed in a sentence."""


@dataclass(frozen=True)
class OutsideRating:
    """One person's rating of an item, or of a model's answer to it."""

    item: str
    model: str | None
    rater: str
    criterion: str
    value: Any
    dimension: str
    signed: bool = False
    """Whether the annotation itself names the person's account there (``completed_by``)."""


@dataclass(frozen=True)
class ReadProject:
    """The content of a file, each part with its position (and an empty reason), and the invalid parts."""

    name: str
    sha256: str
    items: Sequence[ItemRecord]
    ratings: Sequence[tuple[OutsideRating, BadRow]] = ()
    predictions: Sequence[tuple[PredictionRecord, BadRow]] = ()
    bad: Sequence[BadRow] = ()
    skipped: int = 0
    """Number of annotations in which a person skipped the task."""
    earlier: int = 0
    """Number of annotations and predictions that a later one of the same rater or model replaces."""
    numbers: int = 0
    """Number of predictions of which the file has only their ids."""


def read_label_studio(path: Path, *, schema: Schema, names: Names = SAME, dimension: str | None = None) -> ReadProject:
    """Return all tasks of a file. Invalid parts of single tasks are returned in ``bad``.

    Raises
    ------
    InvalidFileError
        The file has another format, or a name in ``names`` or ``dimension`` is not in the schema.
    """
    reader = _Reader(schema, over(names, schema), path.name, _dimension(schema, dimension) if dimension else None)
    reader.check_names()
    try:
        data = path.read_bytes()
        pieces = json_text.split(json_text.decode(data)).pieces
    except NotJson as error:
        raise InvalidFileError(
            f"{path.name}, row 1: {error}. Use a Label Studio export (JSON or JSON-MIN), which is a list of tasks. "
            "Nothing was imported."
        ) from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and its permissions."
        ) from error
    tasks = Tasks(reader.criteria(), reader.names, reader.refuse)
    for task in tasks.of(pieces):
        reader.take(task)
    return ReadProject(
        path.name,
        hashlib.sha256(data).hexdigest(),
        list(reader.items.values()),
        reader.ratings,
        reader.predictions,
        sorted(reader.bad, key=lambda bad: bad.row),
        reader.skipped,
        reader.earlier,
        tasks.numbers,
    )


def _dimension(schema: Schema, name: str) -> Dimension:
    dimension = dimension_named(schema, name)
    if dimension is None:
        raise InvalidFileError(
            f"{schema.title} has no dimension {name!r}. Choose from: {_list(schema.dimensions, 'id')}."
        )
    return dimension


def _list(parts: Sequence[Any], name: str = "name") -> str:
    return _named([getattr(part, name) for part in parts])


def _named(names: Sequence[str]) -> str:
    shown = [str(name)[:60] for name in names[:_LISTED]]
    return ", ".join([*shown, *(["..."] if len(names) > _LISTED else [])]) or "nothing"


@dataclass
class _Reader:
    """Reads one file."""

    schema: Schema
    names: Names
    place: str
    dimension: Dimension | None
    items: dict[str, ItemRecord] = field(default_factory=dict)
    ratings: list[tuple[OutsideRating, BadRow]] = field(default_factory=list)
    predictions: list[tuple[PredictionRecord, BadRow]] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    skipped: int = 0
    earlier: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    """The row of each item's first task."""

    def check_names(self) -> None:
        """Refuse names that are not in the schema, because nothing would be found under them."""
        known = [*(field.name for field in self.schema.item.fields), *(asset.role for asset in self.schema.item.assets)]
        known += [ITEM, DIMENSION, MODEL, PREDICTION]
        for name in self.names.fields:
            if name not in known:
                raise InvalidFileError(
                    f"--set fields.{name}: {self.schema.title} has no such field. Choose from: {_named(known)}."
                )
        criteria = [*self.criteria(), PREDICTION]
        for name in self.names.controls:
            if name not in criteria:
                raise InvalidFileError(
                    f"--set controls.{name}: {self.schema.title} has no such criterion. Choose from: "
                    f"{_named(criteria)}."
                )

    def criteria(self) -> dict[str, Criterion]:
        """Return the criteria of verification and grading, by name."""
        stages = (self.schema.stages.verification, self.schema.stages.grading)
        return {criterion.name: criterion for stage in stages if stage for criterion in stage.criteria}

    def refuse(self, row: int, reason: str, raw: str) -> None:
        """Record an invalid row."""
        self.bad.append(BadRow(self.place, row, reason, json_text.printable(raw)))

    # ---- one task ---------------------------------------------------------------------------------------------------

    def take(self, task: Task) -> None:
        """Read a task. If its data is invalid, nothing of the task is taken; otherwise each valid part is."""
        try:
            item = self._item(task)
            model, answer = self._rated(task, item)
        except (Misfit, NotJson) as error:
            self.refuse(task.row, f"{task.called}: {error}", task.raw)
            return
        self.items.setdefault(item.external_id, item)
        self.rows.setdefault(item.external_id, task.row)
        if answer is not None and model is not None:
            here = BadRow(self.place, task.row, "", json_text.printable(task.raw[:1000]))
            self.predictions.append((settled(PredictionRecord(model, answer, item=item.external_id)), here))
        self._annotations(task, item, model, answer)
        self._predictions(task, item)

    def _item(self, task: Task) -> ItemRecord:
        dimension = self.dimension or self._own_dimension(task)
        fields = {}
        for part in self.schema.item.fields:
            value = field_value(part, task.data.get(self.names.key(part.name)), self.names.key(part.name))
            if value is not None:
                fields[part.name] = value
        problems = [*check_fields(self.schema, fields, dimension.id), *refused_wording(self.schema, fields)]
        if problems:
            sentences = "; ".join(_sentence(problem.message) for problem in problems)
            raise Misfit(
                f"{sentences}. The task has the keys {_named(list(task.data))}. Map keys to fields with "
                "--set fields.FIELD=KEY"
            )
        external_id = self._external_id(task)
        assets = [
            AssetName(slot.role, path)
            for slot in self.schema.item.assets
            for path in self._paths(slot, task.data.get(self.names.key(slot.role)), task)
        ]
        raw = json.dumps(dict(task.data), ensure_ascii=False)
        item = ItemRecord(external_id, dimension.id, fields, assets, Fragment("", raw), position=task.row - 1)
        known = self.items.get(external_id)
        if known is not None and (
            task.data.get(self.names.key(PREDICTION)) is None
            or (known.dimension, known.fields, known.assets) != (item.dimension, item.fields, item.assets)
        ):
            raise Misfit(
                f"the item {external_id!r} is already in row {self.rows[external_id]}. Choose the key that contains "
                "item IDs with --set fields.item_id=KEY"
            )
        return known or item

    def _own_dimension(self, task: Task) -> Dimension:
        key = self.names.key(DIMENSION)
        name = task.data.get(key)
        dimension = dimension_named(self.schema, name) if isinstance(name, str) else None
        if dimension:
            return dimension
        if len(self.schema.dimensions) == 1 and name is None:
            return self.schema.dimensions[0]
        what = f"{key} is {str(name)[:60]!r}" if name is not None else "the dimension is unknown"
        raise Misfit(
            f"{what}. The dimensions are {_list(self.schema.dimensions, 'id')}. Set the dimension with --set "
            "dimension=ID, or choose the key that contains the dimension with --set fields.dimension=KEY (keys: "
            f"{_named(list(task.data))})"
        )

    def _external_id(self, task: Task) -> str:
        key = self.names.key(ITEM)
        value = task.data.get(key)
        if value is None and ITEM in self.names.fields:
            raise Misfit(
                f"the task has no key {key}. Its keys are {_named(list(task.data))}. Choose the key that contains "
                "item IDs with --set fields.item_id=KEY"
            )
        if value is None:
            value = task.id if task.id is not None else f"{self.place.rpartition('.')[0] or self.place}/{task.row}"
        if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
            raise Misfit(f"{key} must be a whole number or text")
        return short(str(value), key)

    def _paths(self, slot: AssetSlot, value: Any, task: Task) -> list[str]:
        key = self.names.key(slot.role)
        if value is None or value in ("", []):
            if slot.min == 0:
                return []
            raise Misfit(
                f"the task has no file for {slot.role}. Its keys are {_named(list(task.data))}. Choose the key that "
                f"contains the file with --set fields.{slot.role}=KEY"
            )
        named = value if isinstance(value, list) else [value]
        paths = [short(media_path(path, key), key) for path in named]
        if slot.max is not None and len(paths) > slot.max:
            raise Misfit(f"{key} names {len(paths)} files, but an item can have at most {slot.max}")
        return paths

    def _rated(self, task: Task, item: ItemRecord) -> tuple[str | None, str | None]:
        """Return the model and its answer that the task shows, or None for both."""
        answer = task.data.get(self.names.key(PREDICTION))
        if answer is None:
            return None, None
        if not isinstance(answer, str):
            raise Misfit(f"{self.names.key(PREDICTION)} must be text")
        model = task.data.get(self.names.key(MODEL)) or task.meta.get(MODEL) or self.names.model
        if not isinstance(model, str):
            raise Misfit(
                "the model is unknown. Name the model with --model, or choose the key that contains the model's "
                f"name with --set fields.model=KEY (keys: {_named(list(task.data))})"
            )
        return short(model, MODEL), answer

    # ---- annotations ------------------------------------------------------------------------------------------------

    def _annotations(self, task: Task, item: ItemRecord, model: str | None, answer: str | None) -> None:
        latest: dict[str, tuple[tuple[str, int], int, Mapping[str, Any], bool]] = {}
        for place, (row, annotation) in enumerate(task.annotations):
            if annotation.get("was_cancelled"):
                self.skipped += 1
                continue
            if not annotation.get("result"):
                continue  # someone opened the task without an answer
            try:
                rater, signed = self._rater(annotation)
            except Misfit as error:
                self.refuse(row, f"{task.called}, {_called(annotation)}: {error}", short_json(annotation))
                continue
            when = (str(annotation.get("updated_at") or annotation.get("created_at") or ""), place)
            if rater in latest:
                self.earlier += 1
            if rater not in latest or latest[rater][0] < when:
                latest[rater] = (when, row, annotation, signed)
        for rater, (_, row, annotation, signed) in latest.items():
            raw = short_json(annotation)
            try:
                values = self._values(annotation["result"], item, answer)
            except Misfit as error:
                self.refuse(row, f"{task.called}, {_called(annotation)}: {error}", raw)
                continue
            here = BadRow(self.place, row, "", raw)
            for name, value in values.items():
                if value is not None:
                    rating = OutsideRating(item.external_id, model, rater, name, value, item.dimension, signed)
                    self.ratings.append((rating, here))

    def _rater(self, annotation: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the rater by number, or by address without one, and whether the rater completed the annotation."""
        for part in annotation["result"] if isinstance(annotation["result"], list) else ():
            meta = part.get("meta") if isinstance(part, dict) else None
            if isinstance(meta, dict) and isinstance(meta.get(RATER), str) and meta[RATER].strip():
                return rater_name(meta[RATER].strip()), False
        by = annotation.get("completed_by")
        if isinstance(by, dict):
            by = by.get("id") if by.get("id") is not None else by.get("email")
        if isinstance(by, int) and not isinstance(by, bool):
            return f"label-studio-{by}", True
        if isinstance(by, str) and by.strip():
            return rater_name(by.strip()), True
        if by is None and self.names.rater:
            return self.names.rater, False
        raise Misfit("the annotator is unknown (completed_by). Name the annotator with --set rater=NAME")

    def _values(self, result: Any, item: ItemRecord, answer: str | None) -> Mapping[str, Any]:
        """Return the values of an annotation, by criterion."""
        if not isinstance(result, list) or not all(isinstance(part, dict) for part in result):
            raise Misfit("`result` must be a list of objects")
        stage = Stage.VERIFICATION if answer is None else Stage.GRADING
        fields = dict(item.fields) if answer is None else {**item.fields, PREDICTION: answer}
        if getattr(self.schema.stages, stage.value) is None:
            what = (
                "items. To import ratings of models' answers, choose the key that contains the answer with --set "
                "fields.prediction=KEY"
            )
            other = "models' answers"
            raise Misfit(f"{self.schema.title} does not rate {what if answer is None else other}")
        try:
            page = results.parts(self.schema, stage.value, item.dimension)
        except NotAvailableError as error:
            raise Misfit(_sentence(str(error))) from error
        types = {control: kind for part in page for control, kind in part.controls().items()}
        ours = {self.names.controls.get(name, name): name for name in types}
        renamed = []
        for part in result:
            control = part.get("from_name")
            if isinstance(control, str) and control not in self.names.without:
                name = ours.get(control, control)
                renamed.append(of_type(types[name], {**part, "from_name": name}) if name in types else part)
        read = results.read_result(self.schema, stage.value, item.dimension, renamed, fields)
        unknown = [str(part["from_name"])[:60] for part in renamed if part["from_name"] not in types]
        if read.problems and unknown and unknown[0] != results.NOTE:
            raise Misfit(
                f"the control {unknown[0]} is unknown. The form has the criteria "
                f"{_named([part.name for part in page])}. Assign the control to a criterion with --set "
                f"controls.CRITERION={unknown[0]}, or ignore the control with --set ignore_controls={unknown[0]}"
            )
        if read.problems:
            raise Misfit(_sentence(read.problems[0].message))
        return read.values

    # ---- predictions ------------------------------------------------------------------------------------------------

    def _predictions(self, task: Task, item: ItemRecord) -> None:
        latest: dict[str, tuple[tuple[str, int], str, Mapping[str, Any]]] = {}
        for place, prediction in enumerate(task.predictions):
            try:
                model, text = self._prediction(prediction)
            except Misfit as error:
                self.refuse(task.row, f"{task.called}, prediction {place + 1}: {error}", short_json(prediction))
                continue
            if text is None:
                continue
            when = (str(prediction.get("updated_at") or prediction.get("created_at") or ""), place)
            if model in latest:
                self.earlier += 1
            if model not in latest or latest[model][0] < when:
                latest[model] = (when, text, prediction)
        for model, (_, text, prediction) in latest.items():
            here = BadRow(self.place, task.row, "", short_json(prediction))
            self.predictions.append((settled(PredictionRecord(model, text, item=item.external_id)), here))

    def _prediction(self, prediction: Mapping[str, Any]) -> tuple[str, str | None]:
        """Return the model and its answer: empty without a result, and None if no control counts."""
        result = prediction.get("result")
        if not isinstance(result, list) or not all(isinstance(part, dict) for part in result):
            raise Misfit("`result` must be a list of objects")
        by_control: dict[str, list[str | None]] = {}
        for part in result:
            control = str(part.get("from_name"))
            if control not in self.names.without and "value" in part:
                by_control.setdefault(control, []).append(text_of(part["value"]))
        wanted = self.names.controls.get(PREDICTION)
        if wanted is not None:
            by_control = {control: texts for control, texts in by_control.items() if control == wanted}
        if not result and (wanted is not None or not self.names.without):
            by_control = {"": []}  # the model gave no answer, which counts as an empty one
        if not by_control:
            return "", None
        if len(by_control) > 1:
            raise Misfit(
                f"the prediction has several controls ({_named(list(by_control))}). Choose the control that contains "
                "the model's answer with --set controls.prediction=CONTROL"
            )
        [(control, texts)] = by_control.items()
        if None in texts:
            raise Misfit(
                f"{control[:60]} is not text, so this control cannot contain a model's answer. Ignore this control "
                f"with --set ignore_controls={control[:60]}"
            )
        model = prediction.get("model_version")
        if not isinstance(model, str) or not model.strip() or model == NOBODY:
            model = self.names.model
        if not model:
            raise Misfit("the model of the prediction is unknown (model_version). Name the model with --model")
        return short(model, MODEL), "\n".join(text for text in texts if text is not None)


def _called(annotation: Mapping[str, Any]) -> str:
    id = annotation.get("id")
    return "an annotation" if id is None else f"annotation {str(id)[:60]}"


def _sentence(text: str) -> str:
    return text.rstrip(".")
