"""EgoPlan-Bench's own files: its questions, and answers as its server takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from annotation_schemas.formats.columns import ItemKeys, Moments
from annotation_schemas.formats.row import Content, Format, Takes, only_named
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.json_layout import ONE_LINE

_ID = "sample_id"
_OBSERVATION = "current_observation_frame"
_ACTION = "action_start_frame"
_PROGRESS = "task_progress_metadata"


def _moments(fields: Mapping[str, Any]) -> Moments:
    observed, action = fields.get(_OBSERVATION), fields.get(_ACTION)
    starts = (part.get("start_frame") for part in fields.get(_PROGRESS) or ())
    return Moments(
        observed=observed if isinstance(observed, int | float) else None,
        action=action if isinstance(action, int) else None,
        starts=tuple(at for at in starts if isinstance(at, int | float)),
    )


def submission(content: Content) -> dict[str, bytes]:
    """Return a label for each item: the letter of the option in the run's answer, or the label for missing answers."""
    answers = {answer.answer.item: answer for answer in content.answers}
    labels: dict[int, str] = {}
    lacking: list[str] = []
    for item in content.items:
        name, number, options = item.external_id, item.fields.get(_ID), item.fields.get(content.options or "")
        if not isinstance(number, int) or not isinstance(options, list) or number in labels:
            raise InvalidFileError(
                f"An EgoPlan submission needs the original {_ID} and the options of each item. The item {name!r} has "
                "a missing or duplicate ID, or no options. Correct this item."
            )
        answer = answers.get(name)
        place = answer.place(options) if answer else None
        if place is None and content.unanswered is None:
            lacking.append(name if answer is None else f"{name} ({answer.answer.text[:40]!r} {answer.why_not})")
        labels[number] = ascii_uppercase[place] if place is not None else content.unanswered or ""
    if lacking:
        raise InvalidFileError(
            "Items without an answer in this run that matches an option: "
            f"{len(lacking):,} of {len(labels):,} ({', '.join(lacking[:3])}{', ...' if lacking[3:] else ''}). Resume "
            "the run, or use --unanswered to set a label for these items, such as N/A."
        )
    return {"submission.json": submission_json(labels)}


def submission_json(labels: Mapping[int, str]) -> bytes:
    """An array of ``sample_id`` and ``label`` by rising ids, four spaces deep, without a last line end."""
    rows = [{_ID: number, "label": labels[number]} for number in sorted(labels)]
    return json.dumps(rows, indent=4, ensure_ascii=False).encode()


def _has_ids(schema: Schema) -> bool:
    return any(field.name == _ID for field in schema.item.fields)


ROWS = (
    Format(
        "egoplan",
        "one JSON list of multiple-choice questions about clips",
        Takes.ITEMS,
        place=20,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="egoplan",
            order=(
                _ID,
                "video_id",
                "task_goal",
                "question",
                _OBSERVATION,
                "answer",
                "choice_a",
                "choice_b",
                "choice_c",
                "choice_d",
                "golden_choice_idx",
                _PROGRESS,
                "video_source",
            ),
            needs=("task_goal", "choice_a", "choice_b"),
            layout=ONE_LINE,
            id_key=_ID,
            new_ids=True,
            file_name="egoplan.json",
            video="video_id",
            origin="video_source",
            spread={"options": ("choice_a", "choice_b", "choice_c", "choice_d")},
            chosen=("answer", "golden_choice_idx", "answer", "letter"),
            goal="task_goal",
            observed=_OBSERVATION,
            action=_ACTION,
            moments=_moments,
        ),
        fits=only_named,
    ),
    Format(
        "egoplan_submission",
        "a model's answers for EgoPlan's server: `sample_id` and `label`",
        Takes.ANSWERS,
        place=50,
        marks=("sample_id", "label"),
        writes=submission,
        needs_run=True,
        fits=_has_ids,
    ),
)
