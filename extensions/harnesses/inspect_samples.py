"""Samples for Inspect: JSON lines, a file for each split.

Inspect does not check its input: duplicate ids, a target that is not a choice, or a missing picture. It also drops a
blank choice, which changes the letters of all later choices. This exporter refuses all of these.
"""

from __future__ import annotations

from typing import Any

from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.keys import options_field, question_field
from domain.errors import InvalidMediaError, NotAvailableError
from domain.reading.answers import AnswerKind
from exporters.release_items import Names, UnwritableItems, by_split, json_bytes, refuse
from extensions.harnesses.asked_items import (
    ItemQuestion,
    QuestionMedium,
    asked_item,
    key_name,
    no_question,
    require_carried,
)

NAME = "inspect"
_VIDEOS = {"video/mp4": "mp4", "video/mpeg": "mpeg", "video/quicktime": "mov"}
"""Types of clips that Inspect accepts. It does not accept WebM, so WebM clips are converted to MP4."""
_UP = "../"
"""The path from the folder of the format to the root of the release: paths are relative to the file."""


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``inspect/<split>.jsonl``.

    Images with boxes and marks go into ``inspect/images``, and clips as MP4 into ``inspect/clips``.
    """
    require_carried(NAME, released)
    with UnwritableItems(NAME) as refused:
        for split, items in by_split(released):
            names = Names(NAME)
            with folder.open(f"{NAME}/{split.name}.jsonl") as out:
                for number, item in enumerate(items):
                    with refused.gathered():
                        names.take(item)
                        question = _fitting(released, item)
                        into = None if refused.n else folder  # a refused release keeps no files
                        paths = [
                            _placed(released, item, picture, into, f"images/{split.name}/{number}-{place}")
                            for place, picture in enumerate(question.pictures)
                        ]
                        out.write(json_bytes(NAME, item, sample(released, item, question, paths)) + b"\n")


def _fitting(released: ReleasedSet, item: ReleasedItem) -> ItemQuestion:
    """Return an item in its asked form. Raise ``InvalidFileError`` if Inspect cannot hold it."""
    question = asked_item(NAME, released, item)
    if not all(option.strip() for option in question.options):
        refuse(NAME, item, "one option is empty, and Inspect drops empty options")
    for picture in question.pictures:
        asset = picture.asset
        if picture.drawn is None and asset.path is None:
            refuse(NAME, item, f"{asset.role} is not in the release. Include media in the release")
        if picture.is_clip and asset.mime not in _VIDEOS and released.as_mp4 is None:
            refuse(
                NAME, item, f"{asset.role} is a clip of the type {asset.mime}, but Inspect reads only mp4, mpeg and mov"
            )
    return question


def _placed(
    released: ReleasedSet, item: ReleasedItem, picture: QuestionMedium, folder: ReleaseFolder | None, drawn: str
) -> str:
    """Return the path of a picture from the file of the samples. Files made for it go into ``folder``."""
    asset = picture.asset
    if picture.drawn is not None:
        drawn += picture.drawn_ending
        if folder is not None:
            with folder.open(f"{NAME}/{drawn}") as image:
                image.write(picture.drawn)
        return drawn
    if not picture.is_clip or asset.mime in _VIDEOS:
        return f"{_UP}{asset.path}"
    path = f"clips/{asset.sha256}.mp4"
    if folder is not None and f"{NAME}/{path}" not in folder.hashes:
        assert released.as_mp4 is not None
        try:
            made = released.as_mp4(asset)
        except (InvalidMediaError, NotAvailableError) as error:
            refuse(
                NAME,
                item,
                f"Touchstone cannot convert {asset.role} to MP4, which Inspect needs ({str(error).rstrip('.')})",
            )
        with folder.open(f"{NAME}/{path}") as out:
            out.write(made)
    return path


def sample(released: ReleasedSet, item: ReleasedItem, question: ItemQuestion, paths: list[str]) -> dict[str, Any]:
    """Return an item in the form that Inspect's ``record_to_sample`` reads."""
    chosen = question.kind in (AnswerKind.OPTION, AnswerKind.MULTI) and bool(question.options)
    text = question.text if chosen else question.with_options
    parts: list[dict[str, Any]] = []
    for picture, path in zip(question.pictures, paths, strict=True):
        if picture.label:
            parts.append({"type": "text", "text": f"{picture.label}:"})
        parts.append(
            {"type": "video", "video": path, "format": _VIDEOS.get(picture.asset.mime, "mp4")}
            if picture.is_clip
            else {"type": "image", "image": path}
        )
    sample: dict[str, Any] = {"id": item.id}
    sample["input"] = [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}] if parts else text
    if chosen:
        sample["choices"] = list(question.options)
    if (target := _target(question, chosen)) is not None:
        sample["target"] = target
    asked_fields = (key_name(released), question_field(released.schema), options_field(released.schema))
    media = [{"role": picture.asset.role, "sha256": picture.asset.sha256} for picture in question.pictures]
    sample["metadata"] = {
        "dimension": item.dimension,
        "group": item.group,
        "split": item.split,
        "answer_kind": question.kind.value,
        "media": media,
        "fields": {name: value for name, value in item.fields.items() if name not in asked_fields},
    }
    return sample


def _target(question: ItemQuestion, chosen: bool) -> str | list[str] | None:
    if question.right is None or not question.lettered:
        return question.key
    if question.kind is AnswerKind.MULTI and chosen:
        return question.letters
    return ", ".join(question.letters) or question.key


ROWS = (
    Format(
        NAME,
        "samples for Inspect (JSON lines with images)",
        Takes.ITEMS,
        place=60,
        releases=written,
        carries=no_question,
    ),
)
