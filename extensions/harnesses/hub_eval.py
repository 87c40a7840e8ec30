"""``eval.yaml``, by which the Hugging Face Hub runs a data set as a benchmark with Inspect.

A task on the Hub has one text as its input, one text as its target and at most one image, as a data URI. So the table
of the same release has columns with exactly these values. An item that needs more is refused by name.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from annotation_schemas.column_types import TEXT, TEXTS, ColumnType
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleasedSplit, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind
from exporters.release_items import UnwritableItems, refuse
from extensions.harnesses.asked_items import ItemQuestion, asked_item, no_question, withheld

NAME = "hub_eval"
PATH = "eval.yaml"

INPUT, TARGET, CHOICES, IMAGE = "eval_input", "eval_target", "eval_choices", "eval_image"
METADATA = ("id", "dimension", "group")
"""The columns that a task shows as metadata of a sample. They include the id, because the Hub drops a row's id."""


@dataclass(frozen=True)
class ScoringSetup:
    """The solver and scorer on the Hub for one kind of answer."""

    solver: str
    scorer: str
    options: Mapping[str, Any]


WAYS: Mapping[AnswerKind, ScoringSetup] = {
    AnswerKind.OPTION: ScoringSetup("multiple_choice", "choice", {}),
    AnswerKind.YES_NO: ScoringSetup("generate", "match", {"location": "begin"}),
    AnswerKind.NUMBER: ScoringSetup("generate", "match", {"location": "any", "numeric": True}),
    AnswerKind.TEXT: ScoringSetup("generate", "model_graded_qa", {}),
}
_WHY_NOT = {
    AnswerKind.MULTI: "several options are right, but `eval_target` can contain only one",
    AnswerKind.ORDER: "the answer is an order, but no Hub scorer compares orders",
    AnswerKind.SPANS: "the answer is a time span, but no Hub scorer compares time spans",
}


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``eval.yaml``: a task for each split whose key is public."""
    if not any(path.startswith("data/") and path.endswith(".parquet") for path in folder.hashes):
        raise InvalidFileError(f"{NAME} uses the columns of hf_dataset. Add hf_dataset to the formats of the release.")
    if NAME not in released.formats:  # then the table lacks its columns
        raise InvalidFileError(f"{NAME} is not among the formats of this release. Create the release with {NAME}.")
    open_splits = [split for split in released.splits if not withheld(released, split)]
    if not open_splits:
        raise InvalidFileError(
            f"{NAME} needs the right answers, but every split of this release withholds the right answers. Release a "
            "split with answers, or omit this format."
        )
    asked = HubQuestions(released)
    description = released.about.get("description")
    document = {
        "name": released.title,
        "description": description if isinstance(description, str) and description.strip() else released.title,
        "evaluation_framework": "inspect-ai",
        "tasks": [_task(released, split, asked.kind) for split in open_splits],
    }
    with folder.open(PATH) as out:
        out.write(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000).encode())


def _task(released: ReleasedSet, split: ReleasedSplit, kind: AnswerKind) -> dict[str, Any]:
    way = WAYS[kind]
    spec: dict[str, Any] = {"input": INPUT, "target": TARGET}
    if kind is AnswerKind.OPTION:
        spec["choices"] = CHOICES
    if released.schema.item.assets:
        spec["input_image"] = IMAGE
    return {
        "id": split.name,
        "config": "default",
        "split": split.name,
        "field_spec": {**spec, "metadata": list(METADATA)},
        "solvers": [{"name": way.solver}],
        "scorers": [{"name": way.scorer, **({"args": dict(way.options)} if way.options else {})}],
    }


class HubQuestions:
    """The items in the form that the Hub asks. All must have the kind of answer of the first item."""

    def __init__(self, released: ReleasedSet) -> None:
        self._released = released
        self._withheld = {split.name: withheld(released, split) for split in released.splits}
        self._last: tuple[ReleasedItem, ItemQuestion] | None = None
        self._kind: AnswerKind | None = None

    @property
    def kind(self) -> AnswerKind:
        """The kind of answer that all of them ask for."""
        refused = UnwritableItems(NAME)
        for item in self._released.items() if self._kind is None else ():
            with refused.gathered():
                self.of(item)
                break
        else:
            refused.finish()
        assert self._kind is not None
        return self._kind

    def columns(self) -> dict[str, tuple[ColumnType, str, Callable[[ReleasedItem], Any]]]:
        """Return the columns that a task names: type, meaning and value, by name."""
        columns: dict[str, tuple[ColumnType, str, Callable[[ReleasedItem], Any]]] = {
            INPUT: (TEXT, "The question for eval.yaml.", lambda item: self.of(item).text),
            TARGET: (TEXT, "The right answer for eval.yaml: a letter if the item has options.", self._target),
        }
        if self._released.schema.item.assets:
            columns[IMAGE] = (TEXT, "The image as a data URI, for eval.yaml.", self._image)
        if self.kind is AnswerKind.OPTION:
            columns[CHOICES] = (
                TEXTS,
                "The options for eval.yaml.",
                lambda item: list(self.of(item).options),
            )
        return columns

    def of(self, item: ReleasedItem) -> ItemQuestion:
        """Return an item in its asked form. Raise ``InvalidFileError`` if the Hub cannot hold it."""
        if self._last is not None and self._last[0] is item:
            return self._last[1]
        question = asked_item(NAME, self._released, item)
        if question.kind in _WHY_NOT:
            refuse(NAME, item, _WHY_NOT[question.kind])
        if self._kind not in (None, question.kind):
            refuse(
                NAME,
                item,
                (
                    f"the item's answer is of kind {question.kind}, but the answers to other items are of "
                    f"kind {self._kind}"
                ),
            )
        if any(picture.is_clip for picture in question.pictures):
            refuse(NAME, item, "the item has a clip, but a Hub task can have only one image")
        if len(question.pictures) > 1:
            refuse(
                NAME,
                item,
                f"the item has {len(question.pictures)} images, but a Hub task can have only one image",
            )
        if any(not option.strip() for option in question.options):
            refuse(NAME, item, "one option is empty, and Inspect drops empty options")
        self._kind = question.kind
        self._last = (item, question)
        return question

    def _target(self, item: ReleasedItem) -> str | None:
        question = self.of(item)
        if self._withheld[item.split]:
            return None
        target = question.letters[0] if question.letters else question.key
        if not target:
            refuse(NAME, item, "the item has no right answer, so the scorer would expect the word None")
        return target

    def _image(self, item: ReleasedItem) -> str | None:
        question = self.of(item)
        if not question.pictures:
            return None
        picture = question.pictures[0]
        if picture.drawn is not None:
            return _data_uri(picture.drawn_mime, picture.drawn)
        if picture.asset.path is None:
            refuse(NAME, item, "the image is not in the release. Include media in the release")
        return _data_uri(picture.asset.mime, self._released.read(picture.asset))


def _data_uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def no_task(schema: Schema) -> str | None:
    """Return why no task of the Hub can hold a schema's items, or None."""
    if any(slot.kind == "clip" and slot.min for slot in schema.item.assets):
        return "The items have clips, but a Hub task can have only one image. Choose another format."
    if sum(slot.min for slot in schema.item.assets) > 1:
        return "The items have several images, but a Hub task can have only one image. Choose another format."
    return no_question(schema)


ROWS = (
    Format(
        NAME,
        "`eval.yaml`, which lets the Hugging Face Hub run the data set as a benchmark",
        Takes.ITEMS,
        place=69,
        releases=written,
        carries=no_task,
        beside=("hf_dataset",),
    ),
)
