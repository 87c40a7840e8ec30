"""Label Studio's own JSON in: tasks become items, annotations ratings, predictions models' answers.

Its exports "JSON" and "JSON-MIN", the form that its import takes, and each of them with one object a line. Nothing is
ever fetched: media are only named here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from annotation_schemas import kinds
from annotation_schemas.formats import Misfit, dimension_named, short
from annotation_schemas.kinds import check_fields
from annotation_schemas.model import PREDICTION, AssetSlot, Criterion, Dimension, ItemField, Schema
from domain import json_text
from domain.errors import FileRefused, NotAvailable
from domain.json_text import NotJson, Piece
from domain.no_answer import settled
from domain.records import AssetName, BadRow, Fragment, ItemRecord, PredictionRecord
from domain.states import Stage
from labelstudio import results

FORMAT = "label_studio"
ITEM, DIMENSION, MODEL = "item_id", "dimension", "model"
"""Keys of a task's data that name the item, its dimension, and whose answer (``prediction``) is rated."""
RATER = "rater"
"""In the ``meta`` of a result that we wrote: who rated, as another server takes no raters that it does not know."""
NOBODY = "undefined"
"""What Label Studio writes for the model of predictions that name none."""
_OF_TASK = ("id", "data", "annotations", "completions", "predictions", "meta")
_OF_ROW = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"})
"""Keys of JSON-MIN that are neither data nor controls."""
_LONGEST_RATER = 100
_LISTED = 12
"""So many names are listed in a sentence."""


@dataclass(frozen=True)
class Names:
    """What is called otherwise there than here."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """Key of the data by our field, role, or one of ``item_id``, ``dimension``, ``model``, ``prediction``."""
    controls: Mapping[str, str] = field(default_factory=dict)
    """Control by our criterion, or by ``prediction``: the one whose value is a model's answer."""
    without: frozenset[str] = frozenset()
    """Controls that nothing is made of."""
    rater: str | None = None
    """Who made annotations that name nobody."""
    model: str | None = None
    """Whose predictions those are that name no model."""

    def key(self, name: str) -> str:
        """The key of the data that holds what we call ``name``."""
        return self.fields.get(name, name)

    def over(self, schema: Schema) -> Names:
        """With the names that the schema gives its source's keys, where these names do not say otherwise."""
        own = schema.source.fields if schema.source and schema.source.format == FORMAT else {}
        return replace(self, fields={**own, **self.fields})


SAME = Names()


@dataclass(frozen=True)
class OutsideRating:
    """What one person said about an item, or about a model's answer to it."""

    item: str
    model: str | None
    rater: str
    criterion: str
    value: Any
    dimension: str
    signed: bool = False
    """The annotation names who completed it there (``completed_by``), which is an account of a person; else we were
    told who it was, or one of our own exports says so."""


@dataclass(frozen=True)
class ReadProject:
    """What a file holds, each part with where it stood (its reason is empty), and what does not fit."""

    name: str
    sha256: str
    items: Sequence[ItemRecord]
    ratings: Sequence[tuple[OutsideRating, BadRow]] = ()
    predictions: Sequence[tuple[PredictionRecord, BadRow]] = ()
    bad: Sequence[BadRow] = ()
    skipped: int = 0
    """Annotations in which somebody skipped the task."""
    earlier: int = 0
    """Annotations and predictions that a later one of the same rater or model replaces."""
    numbers: int = 0
    """Predictions of which the file holds nothing but their numbers."""


def read_label_studio(path: Path, *, schema: Schema, names: Names = SAME, dimension: str | None = None) -> ReadProject:
    """All tasks of a file.

    Raises
    ------
    FileRefused
        It is no such file, or a name in ``names`` or ``dimension`` is none of the schema. What does not fit in single
        tasks is returned in ``bad``.
    """
    reader = _Reader(schema, names.over(schema), path.name, _dimension(schema, dimension) if dimension else None)
    reader.check_names()
    try:
        data = path.read_bytes()
        pieces = json_text.split(json_text.decode(data)).pieces
    except NotJson as error:
        raise FileRefused(
            f"{path.name}, row 1: {error}. Give a project as Label Studio exports it (JSON or JSON-MIN): a list of "
            "tasks. Nothing was imported."
        ) from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    for task in reader.tasks(pieces):
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
        reader.numbers,
    )


def _dimension(schema: Schema, name: str) -> Dimension:
    found = dimension_named(schema, name)
    if found is None:
        raise FileRefused(f"{schema.title} has no dimension {name!r}; it has {_list(schema.dimensions, 'id')}.")
    return found


def _list(parts: Sequence[Any], name: str = "name") -> str:
    return _named([getattr(part, name) for part in parts])


def _named(names: Sequence[str]) -> str:
    shown = [str(name)[:60] for name in names[:_LISTED]]
    return ", ".join([*shown, *(["..."] if len(names) > _LISTED else [])]) or "nothing"


# ---- tasks ----------------------------------------------------------------------------------------------------------


@dataclass
class _Task:
    """A task as it stands in the file, whatever its form."""

    row: int
    id: Any
    data: Mapping[str, Any]
    raw: str
    annotations: list[tuple[int, Mapping[str, Any]]]
    """With the row that each stands in."""
    predictions: Sequence[Any] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def called(self) -> str:
        return "this task" if self.id is None else f"task {self.id}"


@dataclass
class _Reader:
    """One file on its way in."""

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
    numbers: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    """The row of each item's first task."""

    def check_names(self) -> None:
        """Refuse names that the schema does not have: nothing would be found under them."""
        known = [*(each.name for each in self.schema.item.fields), *(each.role for each in self.schema.item.assets)]
        known += [ITEM, DIMENSION, MODEL, PREDICTION]
        for name in self.names.fields:
            if name not in known:
                raise FileRefused(
                    f"--field {name}: {self.schema.title} has no such field; name one of {_named(known)}."
                )
        criteria = [*self._criteria(), PREDICTION]
        for name in self.names.controls:
            if name not in criteria:
                raise FileRefused(
                    f"--control {name}: {self.schema.title} has no such criterion; name one of {_named(criteria)}."
                )

    def _criteria(self) -> dict[str, Criterion]:
        stages = (self.schema.stages.verification, self.schema.stages.grading)
        return {criterion.name: criterion for stage in stages if stage for criterion in stage.criteria}

    def _refuse(self, row: int, reason: str, raw: str) -> None:
        self.bad.append(BadRow(self.place, row, reason, json_text.printable(raw)))

    def tasks(self, pieces: Sequence[Piece]) -> Iterator[_Task]:
        """The tasks of a file; rows of JSON-MIN about the same task are put together."""
        rows: dict[Any, _Task] = {}
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
                if not json_text.same(known.data, task.data):
                    raise Misfit(f"task {task.id} stands in row {known.row} too, with other data")
                known.annotations += task.annotations
            except (Misfit, NotJson) as error:
                self._refuse(number, str(error), piece.raw)
        yield from rows.values()

    def _task(self, number: int, record: Mapping[str, Any], raw: str) -> _Task:
        id = _id(record)
        data = record["data"]
        where = "this task" if id is None else f"task {id}"
        if not isinstance(data, dict):
            raise Misfit(f"{where}: its data is not an object {{...}}")
        annotations = record.get("annotations") or record.get("completions") or []
        predictions = record.get("predictions") or []
        if isinstance(predictions, list) and isinstance(annotations, list):
            whole = [each["prediction"] for each in annotations if isinstance(each, dict) and each.get("prediction")]
            predictions = self._whole(predictions, whole)
        for name, parts in (("annotations", annotations), ("predictions", predictions)):
            if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
                raise Misfit(f"{where}: its {name} are not a list of objects; export the project as JSON")
        meta = record.get("meta")
        found = [(number, annotation) for annotation in annotations]
        return _Task(number, id, data, raw, found, predictions, meta if isinstance(meta, dict) else {})

    def _whole(self, predictions: Sequence[Any], beside: Sequence[Any]) -> list[Any]:
        """Predictions themselves for their numbers, which is all that some exports say; some stand in annotations."""
        by_id = {each.get("id"): each for each in beside if isinstance(each, dict)}
        found = [by_id.get(each) if isinstance(each, int) else each for each in predictions]
        self.numbers += found.count(None)
        return [each for each in found if each is not None]

    def _row(self, number: int, record: Mapping[str, Any], raw: str) -> _Task:
        """A record without ``data``: a row of JSON-MIN, which is an annotation, or nothing but a task's data."""
        if "annotation_id" not in record and "annotator" not in record:
            return _Task(number, None, record, raw, [])
        controls = {self.names.controls.get(name, name): criterion for name, criterion in self._criteria().items()}
        data = {
            key: value
            for key, value in record.items()
            if key not in _OF_ROW and key not in controls and key not in self.names.without
        }
        results = [
            result
            for control, criterion in controls.items()
            if record.get(control) is not None and control not in self.names.without
            for result in _results_of(control, criterion, record[control])
        ]
        annotation = {
            "id": record.get("annotation_id"),
            "completed_by": record.get("annotator"),
            "result": results,
            "created_at": record.get("created_at"),
            "updated_at": record.get("updated_at"),
        }
        return _Task(number, _id(record), data, raw, [(number, annotation)])

    # ---- one task ---------------------------------------------------------------------------------------------------

    def take(self, task: _Task) -> None:
        """Read a task: if its data do not fit, nothing of it is taken; else each part that fits."""
        try:
            item = self._item(task)
            model, answer = self._rated(task, item)
        except (Misfit, NotJson) as error:
            self._refuse(task.row, f"{task.called}: {error}", task.raw)
            return
        self.items.setdefault(item.external_id, item)
        self.rows.setdefault(item.external_id, task.row)
        if answer is not None and model is not None:
            here = BadRow(self.place, task.row, "", json_text.printable(task.raw[:1000]))
            self.predictions.append((settled(PredictionRecord(model, answer, item=item.external_id)), here))
        self._annotations(task, item, model, answer)
        self._predictions(task, item)

    def _item(self, task: _Task) -> ItemRecord:
        dimension = self.dimension or self._own_dimension(task)
        fields = {}
        for part in self.schema.item.fields:
            value = _field_value(part, task.data.get(self.names.key(part.name)), self.names.key(part.name))
            if value is not None:
                fields[part.name] = value
        problems = check_fields(self.schema, fields)
        if problems:
            told = "; ".join(_sentence(problem.message) for problem in problems)
            raise Misfit(
                f"{told}; its data has {_named(list(task.data))} (say with --field FIELD=KEY which key is which field)"
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
                f"the item {external_id!r} is in row {self.rows[external_id]} already; say with --field item_id=KEY "
                "which key of the data tells items apart"
            )
        return known or item

    def _own_dimension(self, task: _Task) -> Dimension:
        key = self.names.key(DIMENSION)
        name = task.data.get(key)
        found = dimension_named(self.schema, name) if isinstance(name, str) else None
        if found:
            return found
        if len(self.schema.dimensions) == 1 and name is None:
            return self.schema.dimensions[0]
        what = f"its {key} is {str(name)[:60]!r}" if name is not None else "nothing says its dimension"
        raise Misfit(
            f"{what}; the dimensions are {_list(self.schema.dimensions, 'id')}. Name one with --dimension, or say with "
            f"--field dimension=KEY which of {_named(list(task.data))} holds it"
        )

    def _external_id(self, task: _Task) -> str:
        key = self.names.key(ITEM)
        value = task.data.get(key)
        if value is None and ITEM in self.names.fields:
            raise Misfit(f"it has no {key}; its data has {_named(list(task.data))}")
        if value is None:
            value = task.id if task.id is not None else f"{self.place.rpartition('.')[0] or self.place}/{task.row}"
        if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
            raise Misfit(f"its {key} is neither a whole number nor text")
        return short(str(value), key)

    def _paths(self, slot: AssetSlot, value: Any, task: _Task) -> list[str]:
        key = self.names.key(slot.role)
        if value is None or value in ("", []):
            if slot.min == 0:
                return []
            raise Misfit(
                f"it names no {slot.role}; its data has {_named(list(task.data))} (say with --field {slot.role}=KEY "
                "which key names it)"
            )
        named = value if isinstance(value, list) else [value]
        paths = [short(media_path(path, key), key) for path in named]
        if slot.max is not None and len(paths) > slot.max:
            raise Misfit(f"its {key} names {len(paths)} files, and an item has {slot.max} at most")
        return paths

    def _rated(self, task: _Task, item: ItemRecord) -> tuple[str | None, str | None]:
        """Whose answer the task shows, and the answer; nothing if it shows none."""
        answer = task.data.get(self.names.key(PREDICTION))
        if answer is None:
            return None, None
        if not isinstance(answer, str):
            raise Misfit(f"its {self.names.key(PREDICTION)} is not text")
        model = task.data.get(self.names.key(MODEL)) or task.meta.get(MODEL) or self.names.model
        if not isinstance(model, str):
            raise Misfit(
                f"nothing says which model answered; name it with --model, or say with --field model=KEY which of "
                f"{_named(list(task.data))} does"
            )
        return short(model, MODEL), answer

    # ---- annotations ------------------------------------------------------------------------------------------------

    def _annotations(self, task: _Task, item: ItemRecord, model: str | None, answer: str | None) -> None:
        latest: dict[str, tuple[tuple[str, int], int, Mapping[str, Any], bool]] = {}
        for place, (row, annotation) in enumerate(task.annotations):
            if annotation.get("was_cancelled"):
                self.skipped += 1
                continue
            if not annotation.get("result"):
                continue  # somebody opened the task and said nothing
            try:
                rater, signed = self._rater(annotation)
            except Misfit as error:
                self._refuse(row, f"{task.called}, {_called(annotation)}: {error}", _raw(annotation))
                continue
            when = (str(annotation.get("updated_at") or annotation.get("created_at") or ""), place)
            if rater in latest:
                self.earlier += 1
            if rater not in latest or latest[rater][0] < when:
                latest[rater] = (when, row, annotation, signed)
        for rater, (_, row, annotation, signed) in latest.items():
            raw = _raw(annotation)
            try:
                values = self._values(annotation["result"], item, answer)
            except Misfit as error:
                self._refuse(row, f"{task.called}, {_called(annotation)}: {error}", raw)
                continue
            here = BadRow(self.place, row, "", raw)
            for name, value in values.items():
                if value is not None:
                    rating = OutsideRating(item.external_id, model, rater, name, value, item.dimension, signed)
                    self.ratings.append((rating, here))

    def _rater(self, annotation: Mapping[str, Any]) -> tuple[str, bool]:
        """Who made an annotation: by number, as that is in every form of export; else by address. And whether it was
        completed there under that name."""
        for part in annotation["result"] if isinstance(annotation["result"], list) else ():
            meta = part.get("meta") if isinstance(part, dict) else None
            if isinstance(meta, dict) and isinstance(meta.get(RATER), str) and meta[RATER].strip():
                return _person(meta[RATER].strip()), False
        by = annotation.get("completed_by")
        if isinstance(by, dict):
            by = by.get("id") if by.get("id") is not None else by.get("email")
        if isinstance(by, int) and not isinstance(by, bool):
            return f"label-studio-{by}", True
        if isinstance(by, str) and by.strip():
            return _person(by.strip()), True
        if by is None and self.names.rater:
            return self.names.rater, False
        raise Misfit("nothing says who made it (completed_by); name the person with --rater NAME")

    def _values(self, result: Any, item: ItemRecord, answer: str | None) -> Mapping[str, Any]:
        """What an annotation says, by criterion."""
        if not isinstance(result, list) or not all(isinstance(part, dict) for part in result):
            raise Misfit("its result is not a list of objects")
        stage = Stage.VERIFICATION if answer is None else Stage.GRADING
        fields = dict(item.fields) if answer is None else {**item.fields, PREDICTION: answer}
        if getattr(self.schema.stages, stage.value) is None:
            what = "items; its people rate models' answers: say with --field prediction=KEY which key holds the answer"
            other = "models' answers"
            raise Misfit(f"{self.schema.title} does not rate {what if answer is None else other}")
        try:
            page = results.parts(self.schema, stage.value, item.dimension)
        except NotAvailable as error:
            raise Misfit(_sentence(str(error))) from error
        types = {control: kind for part in page for control, kind in part.controls().items()}
        ours = {self.names.controls.get(name, name): name for name in types}
        renamed = []
        for part in result:
            control = part.get("from_name")
            if isinstance(control, str) and control not in self.names.without:
                name = ours.get(control, control)
                renamed.append(_of_type(types[name], {**part, "from_name": name}) if name in types else part)
        read = results.read(self.schema, stage.value, item.dimension, renamed, fields)
        unknown = [str(part["from_name"])[:60] for part in renamed if part["from_name"] not in types]
        if read.problems and unknown and unknown[0] != results.NOTE:
            raise Misfit(
                f"its control {unknown[0]} is none of {_named([part.name for part in page])}; say with --control "
                f"CRITERION={unknown[0]} which one it is, or leave it out with --without {unknown[0]}"
            )
        if read.problems:
            raise Misfit(_sentence(read.problems[0].message))
        return read.values

    # ---- predictions ------------------------------------------------------------------------------------------------

    def _predictions(self, task: _Task, item: ItemRecord) -> None:
        latest: dict[str, tuple[tuple[str, int], str, Mapping[str, Any]]] = {}
        for place, prediction in enumerate(task.predictions):
            try:
                model, text = self._prediction(prediction)
            except Misfit as error:
                self._refuse(task.row, f"{task.called}, prediction {place + 1}: {error}", _raw(prediction))
                continue
            if text is None:
                continue
            when = (str(prediction.get("updated_at") or prediction.get("created_at") or ""), place)
            if model in latest:
                self.earlier += 1
            if model not in latest or latest[model][0] < when:
                latest[model] = (when, text, prediction)
        for model, (_, text, prediction) in latest.items():
            here = BadRow(self.place, task.row, "", _raw(prediction))
            self.predictions.append((settled(PredictionRecord(model, text, item=item.external_id)), here))

    def _prediction(self, prediction: Mapping[str, Any]) -> tuple[str, str | None]:
        """Who predicted, and what as text, which is empty if there is no result; None if nothing is left of it."""
        result = prediction.get("result")
        if not isinstance(result, list) or not all(isinstance(part, dict) for part in result):
            raise Misfit("its result is not a list of objects")
        by_control: dict[str, list[str | None]] = {}
        for part in result:
            control = str(part.get("from_name"))
            if control not in self.names.without and "value" in part:
                by_control.setdefault(control, []).append(_text_of(part["value"]))
        wanted = self.names.controls.get(PREDICTION)
        if wanted is not None:
            by_control = {control: texts for control, texts in by_control.items() if control == wanted}
        if not result and (wanted is not None or not self.names.without):
            by_control = {"": []}  # the model was asked and answered nothing: an answer that is counted as empty
        if not by_control:
            return "", None
        if len(by_control) > 1:
            raise Misfit(
                f"it has several controls ({_named(list(by_control))}); say with --control prediction=CONTROL which "
                "one is the model's answer"
            )
        [(control, texts)] = by_control.items()
        if None in texts:
            raise Misfit(
                f"its {control[:60]} is no text, and a model's answer is one; leave it out with --without "
                f"{control[:60]}"
            )
        model = prediction.get("model_version")
        if not isinstance(model, str) or not model.strip() or model == NOBODY:
            model = self.names.model
        if not model:
            raise Misfit("nothing says which model it is of (model_version); name it with --model")
        return short(model, MODEL), "\n".join(text for text in texts if text is not None)


def _id(record: Mapping[str, Any]) -> int | str | None:
    id = record.get("id")
    if id is not None and (isinstance(id, bool) or not isinstance(id, int | str)):
        raise Misfit("its id is neither a whole number nor text")
    return short(id, "id") if isinstance(id, str) else id


def _person(name: str) -> str:
    if len(name) > _LONGEST_RATER:
        raise Misfit(f"the name of whoever made it is longer than {_LONGEST_RATER} characters")
    return name


def _called(annotation: Mapping[str, Any]) -> str:
    id = annotation.get("id")
    return "an annotation" if id is None else f"annotation {str(id)[:60]}"


def _raw(part: Mapping[str, Any]) -> str:
    return json.dumps(part, ensure_ascii=False)[:10_000]


def _sentence(text: str) -> str:
    return text.rstrip(".")


# ---- values ---------------------------------------------------------------------------------------------------------


def _field_value(part: ItemField, value: Any, key: str) -> Any:
    """A field's value out of a task's data; None if there is none."""
    if value is None or value == "":
        return None
    if kinds.of_field(part).holds == "text" and isinstance(value, int | float):
        return json.dumps(value)
    if kinds.of_field(part).holds == "texts":
        if not isinstance(value, list):
            raise Misfit(f"its {key} is not a list")
        return [_entry(entry, key) for entry in value]
    return value


def _entry(entry: Any, key: str) -> str:
    """An entry of a list; choices that come with the task are objects."""
    if isinstance(entry, dict):
        entry = next((entry[name] for name in ("value", "text", "body", "html") if entry.get(name) is not None), None)
    if isinstance(entry, int | float) and not isinstance(entry, bool):
        return json.dumps(entry)
    if not isinstance(entry, str):
        raise Misfit(f"its {key} has an entry that is not text")
    return entry


def media_path(value: Any, key: str) -> str:
    """The path of the file that a task names, to be looked for below a folder.

    >>> media_path("/data/local-files/?d=kitchen/green%20one.png", "image")
    'kitchen/green one.png'
    >>> media_path("https://example.org/pictures/1.png?sig=abc", "image")
    'pictures/1.png'
    """
    if not isinstance(value, str) or not value.strip():
        raise Misfit(f"its {key} names no file")
    if value.lstrip().lower().startswith("data:"):
        raise Misfit(f"its {key} holds the picture itself; save it as a file, and give the file's path there")
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        raise Misfit(f"its {key} is no path and no address: {value[:60]!r}") from None
    if parts.path.rstrip("/").endswith("/data/local-files"):
        path = (parse_qs(parts.query).get("d") or [""])[0]
    elif len(parts.scheme) > 1:
        path = unquote(parts.path)
    elif parts.path.startswith("/data/"):
        path = unquote(parts.path).removeprefix("/data/")
    else:
        path = value.strip()
    names = [name for name in path.replace("\\", "/").split("/") if name not in ("", ".", "..")]
    if not names:
        raise Misfit(f"its {key} names no file: {value[:60]!r}")
    return "/".join(names)


def _of_type(wanted: str, part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result as the type of control that we would ask with, where another one holds the same answer."""
    kind, value = part.get("type"), part.get("value")
    if kind == wanted or not isinstance(value, dict):
        return part
    if {kind, wanted} == {"rectangle", "rectanglelabels"}:
        return {**part, "type": wanted}
    said = _text_of(value)
    if said is None:
        return part
    if wanted == "choices":
        chosen = value.get("choices")
        return {**part, "type": wanted, "value": {"choices": chosen if isinstance(chosen, list) else [said]}}
    if wanted == "textarea":
        return {**part, "type": wanted, "value": {"text": [said]}}
    if wanted in ("rating", "number"):
        try:
            number = json.loads(said, parse_constant=str)
        except ValueError:
            return part
        return {**part, "type": wanted, "value": {wanted: number}}
    return part


def _text_of(value: Any) -> str | None:
    """What a control holds, as text; None if it is none."""
    if not isinstance(value, dict):
        return None
    for name in ("text", "choices", "rating", "number"):
        part = value.get(name)
        if isinstance(part, str):
            return part
        if isinstance(part, int | float) and not isinstance(part, bool):
            return json.dumps(part)
        if isinstance(part, list) and part and all(isinstance(entry, str) for entry in part):
            return ("\n" if name == "text" else ", ").join(part)
    return None


def _results_of(control: str, criterion: Criterion, value: Any) -> list[dict[str, Any]]:
    """What JSON-MIN holds for a control, as a result would say it."""
    if isinstance(value, dict):
        value = value.get("choices") or value.get("text") or [value]
    entries = value if isinstance(value, list) else [value]
    objects = [entry for entry in entries if isinstance(entry, dict)]
    if objects:
        return [
            {
                "from_name": control,
                "type": next((name for name in ("rating", "number", "rectanglelabels") if name in entry), ""),
                "original_width": entry.get("original_width"),
                "original_height": entry.get("original_height"),
                "value": {key: part for key, part in entry.items() if not key.startswith("original_")},
            }
            for entry in objects
        ]
    kind, name = ("textarea", "text") if kinds.of_criterion(criterion).in_words else ("choices", "choices")
    return [{"from_name": control, "type": kind, "value": {name: entries}}]
