"""A folder of tasks for lmms-eval, over the Parquet files of the same release: one task for each split.

Images come from the Parquet files. Clips are files of the release, as are copies of images on which an item shows boxes
or marks. Tasks name these files by paths from their own folder.

The prompts are ready in ``asked.jsonl``, so that the code of the task only has to read letters. That code is the only
program in a release. It has the same text in every release and no word of an item. Standard errors are clustered by
the item's group.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_schemas.expected_answers import asked_of
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from domain.reading.answers import AnswerKind
from exporters.release_items import Names, UnwritableItems, by_split, json_bytes, refuse
from extensions.harnesses.asked_items import ItemQuestion, QuestionMedium, asked_item, no_question, require_carried

NAME = "lmms_eval"
TABLES = "../data/{split}-00000-of-00001.parquet"
"""The path of the Parquet files, from the folder of the tasks."""
_LONGEST = 1024
"""The maximum number of tokens in an answer, if the schema sets none."""
_TELLS = {
    AnswerKind.OPTION: "Answer with the letter of the right option alone.",
    AnswerKind.MULTI: "Answer with the letters of all right options, separated by commas, or with the word none.",
    AnswerKind.ORDER: "Answer with the letters of all options in the right order, separated by commas.",
    AnswerKind.YES_NO: "Answer with yes or no alone.",
    AnswerKind.NUMBER: "Answer with a number alone.",
}
"""The instruction after a question whose answer is compared with the key. These texts are ours."""
_NUMBERS = "Answer with the numbers of the images in the right order, separated by commas."


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``lmms_eval/<name>_<split>.yaml`` for each split that has items, ``utils.py`` and ``asked.jsonl``."""
    require_carried(NAME, released)
    names = Names(NAME)
    with UnwritableItems(NAME) as refused, folder.open(f"{NAME}/asked.jsonl") as asked:
        for split, items in by_split(released):
            metrics: dict[str, None] = {}
            for number, item in enumerate(items):
                with refused.gathered():
                    names.take(item)
                    record = _asked(released, item, folder, number)
                    asked.write(json_bytes(NAME, item, record) + b"\n")
                    metrics |= {"answered": None} if record["kind"] is None else {"accuracy": None, "answered": None}
            if metrics:
                with folder.open(f"{NAME}/{released.name}_{split.name}.yaml") as out:
                    out.write(_task(released, split.name, sorted(metrics), _tables(folder, split.name)).encode())
    with folder.open(f"{NAME}/utils.py") as out:
        out.write((Path(__file__).with_name("lmms_eval_task.txt")).read_bytes())


def _asked(released: ReleasedSet, item: ReleasedItem, folder: ReleaseFolder, number: int) -> dict[str, Any]:
    """Return the prompt and the pictures of an item. ``number`` is the item's position in its split."""
    question = asked_item(NAME, released, item)
    shown, seen = [], Counter[str]()
    for at, picture in enumerate(question.pictures):
        shown.append(_shown(item, picture, folder, f"{number}-{at}", seen[picture.asset.role]))
        seen[picture.asset.role] += 1
    scored = question.key is not None and _is_scored(released, item, question)
    tell = _TELLS.get(question.kind, "") if question.lettered else _NUMBERS
    tells_form = question.options or question.kind not in (AnswerKind.OPTION, AnswerKind.MULTI, AnswerKind.ORDER)
    record: dict[str, Any] = {
        "id": item.id,
        "cluster": item.group or item.id,  # an item without a group is its own cluster
        "shown": shown,
        "text": "\n".join(filter(None, [_with_order(question), tell if tells_form else ""])),
        "kind": question.kind.value if scored else None,
        "options": list(question.options) if question.lettered else [],
        "target": _target(question),
    }
    if scored and question.kind is AnswerKind.NUMBER:
        tolerance = asked_of(released.schema, item.fields).tolerance
        record["within"] = (
            [float(bound or 0) for bound in (tolerance.absolute, tolerance.relative)] if tolerance else None
        )
    return record


def _shown(item: ReleasedItem, picture: QuestionMedium, folder: ReleaseFolder, name: str, at: int) -> dict[str, Any]:
    """Return how a task finds a picture: the ``at``-th image of its role in the table, or a file of the release."""
    if picture.asset.path is None:
        refuse(NAME, item, f"{picture.asset.role} is not in the release. Include media in the release")
    if picture.is_clip:
        return {"clip": f"../{picture.asset.path}"}
    if picture.drawn is None:
        return {"role": picture.asset.role, "at": at}
    path = f"images/{item.split}/{name}{picture.drawn_ending}"
    with folder.open(f"{NAME}/{path}") as out:
        out.write(picture.drawn)
    return {"image": path}


def _with_order(question: ItemQuestion) -> str:
    labels = [picture.label for picture in question.pictures]
    first = [f"In order: {', '.join(labels)}."] if any(labels) else []
    return "\n".join([*first, question.with_options])


def _target(question: ItemQuestion) -> str:
    return ", ".join(question.letters) if question.right and question.lettered else question.key or ""


def _is_scored(released: ReleasedSet, item: ReleasedItem, question: ItemQuestion) -> bool:
    """Tell whether the simple rules of the task can compare an answer with the key."""
    if question.kind in (AnswerKind.OPTION, AnswerKind.MULTI, AnswerKind.ORDER):
        return question.right is not None
    if question.kind is AnswerKind.NUMBER:
        asked = asked_of(released.schema, item.fields)
        return asked.unit is None and (asked.tolerance is None or asked.tolerance.rounded is None)
    return question.kind is AnswerKind.YES_NO


def _tables(folder: ReleaseFolder, split: str) -> str | list[str]:
    """Return the paths of a split's Parquet files from the folder of the tasks. A large split has several files."""
    paths = [f"../{path}" for path in sorted(folder.hashes) if path.startswith(f"data/{split}-")]
    return paths if len(paths) > 1 else TABLES.format(split=split)


def _task(released: ReleasedSet, split: str, metrics: Sequence[str], tables: str | list[str]) -> str:
    """Return the task of a split. Texts are JSON, which is valid YAML."""
    models = released.schema.models
    longest = (models.max_tokens if models else None) or _LONGEST
    functions = ("doc_to_visual", "doc_to_messages", "doc_to_text", "doc_to_target", "process_results")
    lines = [
        f"task: {json.dumps(f'{released.name}_{split}')}",
        "dataset_path: parquet",
        "dataset_kwargs:",
        "  data_files:",
        f"    {json.dumps(split)}: {json.dumps(tables)}",
        f"test_split: {json.dumps(split)}",
        "output_type: generate_until",
        *(f"{name}: !function utils.{name}" for name in functions),
        "generation_kwargs:",
        f"  max_new_tokens: {longest}",
        "  temperature: 0",
        "  do_sample: false",
        "  until: []",
        "metric_list:",
        *(
            line
            for metric in metrics
            for line in (f"  - metric: {metric}", "    aggregation: !function utils.mean", "    higher_is_better: true")
        ),
        "cluster_key: group",
        "score_key: score",
        "metadata:",
        f"  version: {json.dumps(released.version)}",
    ]
    return "\n".join(lines) + "\n"


ROWS = (
    Format(
        NAME,
        "a task folder for lmms-eval, with the Parquet files and clips of the same release",
        Takes.ITEMS,
        place=61,
        releases=written,
        carries=no_question,
        beside=("hf_dataset",),
    ),
)
