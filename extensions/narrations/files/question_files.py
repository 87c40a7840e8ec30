"""Files for questions made from narrations: EgoPlan's layout, frame times, tuning files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation_schemas import kinds, shipped, source_media
from annotation_schemas.formats import ItemKeys, item_keys, new_record
from annotation_schemas.kinds.segments import SPANS, WORDS
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain import csv_text, json_layout
from exporters.action_turns import VIDEO, action_turns
from extensions.narrations.rules.questions import Question

FORMAT = "egoplan"
ITEMS, TIMES, APART = "egoplan.json", "times.csv", "made.jsonl"
PAIRS, ACTIONS = "pairs.jsonl", "actions.jsonl"
"""Files for tuning."""
MANIFEST = "made.json"
MADE_BY = "touchstone narrations"


def item_file(questions: Sequence[Question], *, first_id: int, collection: str, apart: bool = False) -> bytes:
    """Return the questions in the layout of EgoPlan's files.

    Each record says how its question was made, unless ``apart`` puts that into a separate file.
    """
    schema, keys = load_schema(shipped()[FORMAT]).schema_, item_keys(FORMAT)
    opening, closing = json_layout.ends(keys.layout)
    timed = next(field.name for field in schema.item.fields if kinds.of_field(field).timed)
    records = [
        json_layout.record_text(
            {
                **_record(schema, keys, timed, question, first_id + at, collection),
                **({} if apart else _construction(question)),
            },
            keys.layout,
        )
        for at, question in enumerate(questions)
    ]
    return f"{opening}{keys.layout.first}{keys.layout.between.join(records)}{closing}".encode()


def _record(schema: Schema, keys: ItemKeys, timed: str, question: Question, id: int, collection: str) -> dict[str, Any]:
    goal = question.task.goal
    first, last = SPANS[1]
    fields = {
        keys.goal or "": goal.text,
        "question": question.text,
        next(iter(keys.spread)): [row.text for row in question.options],
        (keys.chosen or ("",))[0]: question.answer.text,
        keys.id_key or "": id,
        keys.video or "": goal.video,
        keys.observed or "": question.observation_frame,
        timed: [
            {WORDS[0]: segment.text, first: segment.start_frame, last: segment.stop_frame}
            for segment in question.segments
        ],
        keys.origin or "": collection,
    }
    if question.observed <= question.answer.start - Decimal(str(_gap(schema))):
        fields[keys.action or ""] = question.action_frame
    return new_record(keys, schema, fields, dimension=schema.dimensions[0].id, id=id, source=goal.video)


def _construction(question: Question) -> dict[str, Any]:
    """Return how a question was made. This names the answer."""
    return {"construction": {"made_by": MADE_BY, **question.construction}}


def apart_file(questions: Sequence[Question], *, first_id: int) -> bytes:
    """Return how each question was made, one line each, as a separate file."""
    id_key = item_keys(FORMAT).id_key or ""
    return _lines({id_key: first_id + at, **_construction(question)} for at, question in enumerate(questions))


def _gap(schema: Schema) -> float:
    """Return how many seconds before its action a clip of the schema ends."""
    return source_media.number(schema, source_media.ENDS_BEFORE) or 0


def times_file(questions: Sequence[Question], *, first_id: int) -> bytes:
    """Return the observation time of each question as ``touchstone frame create --times`` reads it: ``source,time``.

    Two more columns have the item, and the start of the clip with its progress.
    """
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(["source", "time", "item", "clip_start"])
    for at, question in enumerate(questions):
        begins = question.progress[0].start if question.progress else ""
        rows.writerow([question.task.goal.video, str(question.observed), first_id + at, str(begins)])
    return out.getvalue().encode()


def tuning_files(questions: Sequence[Question], *, first_id: int) -> dict[str, bytes]:
    """Return the files for tuning models, in the layouts that releases use.

    The pairs have a line for each wrong option, next to the right option. The actions have a line for each question
    with progress, with the actions in its clip. The video is the narrations' video, and ``clip`` is the shown part in
    seconds.
    """
    pairs, actions = [], []
    for at, question in enumerate(questions):
        begins = question.progress[0].start if question.progress else question.observed
        human = {"from": "human", "value": f"{VIDEO if question.progress else '<image>'}\n{question.text}"}
        clip = {"video": question.task.goal.video, "clip": {"start": str(begins), "stop": str(question.observed)}}
        wrong = [row.text for place, row in enumerate(question.options) if place != question.key]
        pairs += [
            {
                "id": f"{first_id + at}/{number}",
                **clip,
                "conversations": [human],
                "item": first_id + at,
                "chosen": {"from": "gpt", "value": question.answer.text},
                "rejected": {"from": "gpt", "value": text},
            }
            for number, text in enumerate(wrong, 1)
        ]
        if done := [row.text for row in question.progress]:
            actions.append({"id": f"{first_id + at}/actions", **clip, "conversations": action_turns(done)})
    return {PAIRS: _lines(pairs), ACTIONS: _lines(actions)}


def _lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
