"""Conversations for tuning models, as LLaVA's trainers read them, and pairs of a right and a wrong answer.

They include only splits with a public key, because a test split must not be used for tuning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet, ReleasedSplit, ReleaseFolder
from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.keys import options_field
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind
from exporters.action_turns import VIDEO, action_turns
from exporters.release_items import Names, UnwritableItems, by_split, json_bytes, refuse
from extensions.harnesses.asked_items import (
    PLACED,
    ItemQuestion,
    asked_item,
    no_question,
    place_of,
    require_carried,
    withheld,
)

LLAVA, PAIRS = "llava", "preference_pairs"
_TAGS = {"image": "<image>", "clip": VIDEO}
_KEYS = {"image": "image", "clip": "video"}


def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``llava/<split>.json``, a list of conversations.

    If items have narrated segments of a clip, also write the companion for action recognition,
    ``llava/<split>_actions.json``.
    """
    _tune(LLAVA, released)
    timed = [field.name for field in released.schema.item.fields if kinds.of_field(field).timed]
    with UnwritableItems(LLAVA) as refused:
        for split, items in by_split(released):
            if withheld(released, split):
                _pass_over(items)
                continue
            names = Names(LLAVA)
            with folder.open(f"{LLAVA}/{split.name}.json") as out, _Companion(folder, split, bool(timed)) as actions:
                out.write(b"[")
                for number, item in enumerate(items):
                    with refused.gathered():
                        names.take(item)
                        question = asked_item(LLAVA, released, item)
                        record = _conversation(LLAVA, released, item, question, folder, number)
                        answer = _answer(LLAVA, released, item, question)
                        record["conversations"].append({"from": "gpt", "value": answer})
                        out.write((b",\n" if number else b"\n") + json_bytes(LLAVA, item, record))
                        done = _narrated(released, item, timed)
                        if done and any(picture.is_clip for picture in question.pictures):
                            actions.write(item, _recognition(item, record, done))
                out.write(b"\n]\n")


class _Companion:
    """The companion file, which is missing if no item could have a conversation in it."""

    def __init__(self, folder: ReleaseFolder, split: ReleasedSplit, wanted: bool) -> None:
        self._open = folder.open(f"{LLAVA}/{split.name}_actions.json") if wanted else None
        self._n = 0

    def __enter__(self) -> _Companion:
        if self._open is not None:
            self._out = self._open.__enter__()
            self._out.write(b"[")
        return self

    def write(self, item: ReleasedItem, record: Mapping[str, Any]) -> None:
        """Add a conversation."""
        self._out.write((b",\n" if self._n else b"\n") + json_bytes(LLAVA, item, record))
        self._n += 1

    def __exit__(self, *error: Any) -> None:
        if self._open is not None:
            self._out.write(b"\n]\n")
            self._open.__exit__(*error)


def pairs(released: ReleasedSet, folder: ReleaseFolder) -> None:
    """Write ``preference_pairs/<split>.jsonl``: a line for each wrong option of an item, next to the right option."""
    _tune(PAIRS, released)
    with UnwritableItems(PAIRS) as refused:
        for split, items in by_split(released):
            if withheld(released, split):
                _pass_over(items)
                continue
            names = Names(PAIRS)
            with folder.open(f"{PAIRS}/{split.name}.jsonl") as out:
                for at, item in enumerate(items):
                    with refused.gathered():
                        names.take(item)
                        for pair in _pairs(released, item, folder, at):
                            out.write(json_bytes(PAIRS, item, pair) + b"\n")


def _pairs(released: ReleasedSet, item: ReleasedItem, folder: ReleaseFolder, at: int) -> Iterator[dict[str, Any]]:
    """Yield the right option of an item with each of its wrong ones."""
    question = asked_item(PAIRS, released, item)
    wrong = _wrong(item, question)
    record = _conversation(PAIRS, released, item, question, folder, at)
    right = {"from": "gpt", "value": _answer(PAIRS, released, item, question)}
    for number, place in enumerate(wrong, 1):
        rejected = {"from": "gpt", "value": _said(released, question, place)}
        yield {**record, "id": f"{item.id}/{number}", "item": item.id, "chosen": right, "rejected": rejected}


def _tune(format: str, released: ReleasedSet) -> None:
    require_carried(format, released)
    if released.splits and all(withheld(released, split) for split in released.splits):
        raise InvalidFileError(
            f"{format}: all splits of this release keep their answers private, so Touchstone cannot use any item for "
            "tuning. Remove this format, or release a split with answers."
        )


def _pass_over(items: Iterator[ReleasedItem]) -> None:
    for _ in items:
        pass


def _ranked(released: ReleasedSet) -> bool:
    """Tell whether the schema's models rank the options by likelihood instead of reading them."""
    return released.schema.models is not None and released.schema.models.strategy == "rank_options"


def _conversation(
    format: str, released: ReleasedSet, item: ReleasedItem, question: ItemQuestion, folder: ReleaseFolder, number: int
) -> dict[str, Any]:
    """Return an item with the person's turn. Paths of pictures start at the root of the release.

    ``number`` is the item's position in its split.
    """
    media: dict[str, list[str]] = {}
    lines = []
    for at, picture in enumerate(question.pictures):
        path = place_of(picture.asset)
        if picture.drawn is not None:
            path = f"{format}/images/{item.split}/{number}-{at}{picture.drawn_ending}"
            with folder.open(path) as image:
                image.write(picture.drawn)
        media.setdefault(picture.asset.kind, []).append(path)
        tag = _TAGS[picture.asset.kind]
        lines.append(f"{picture.label}: {tag}" if picture.label else tag)
    prompt = question.text if _ranked(released) else question.with_options
    if stray := [tag for tag in _TAGS.values() if tag in prompt]:
        refuse(format, item, f"the text contains {stray[0]}, which represents an image in this format")
    paths = {_KEYS[kind]: those[0] if len(those) == 1 else those for kind, those in media.items()}
    return {"id": item.id, **paths, "conversations": [{"from": "human", "value": "\n".join([*lines, prompt])}]}


def _answer(format: str, released: ReleasedSet, item: ReleasedItem, question: ItemQuestion) -> str:
    """Return the right answer as the model should give it."""
    if question.key is None:
        refuse(format, item, "the item has no answer")
    if not question.right or question.kind not in PLACED or not question.lettered:
        return question.key
    return ", ".join(_said(released, question, place) for place in question.right)


def _said(released: ReleasedSet, question: ItemQuestion, place: int) -> str:
    """Return an option as an answer, with its letter if the question names the letters."""
    text = question.options[place]
    return text if _ranked(released) else f"{chr(ord('A') + place)}. {text}"


def _wrong(item: ReleasedItem, question: ItemQuestion) -> list[int]:
    """Return the positions of the wrong options."""
    if question.kind is not AnswerKind.OPTION or not question.options:
        refuse(PAIRS, item, "the item is not multiple choice with one right option, so no wrong answer is known")
    if question.right is None:
        refuse(PAIRS, item, "the item has no answer")
    right = question.options[question.right[0]]
    wrong = [place for place, option in enumerate(question.options) if option != right]
    if not wrong:
        refuse(PAIRS, item, "all options are right")
    return wrong


def _narrated(released: ReleasedSet, item: ReleasedItem, timed: list[str]) -> list[str]:
    """Return the actions in an item's clip, in order."""
    for name in timed:
        field = released.schema.item.field(name)
        words = kinds.of_field(field).in_words(field, item.fields.get(name))
        if isinstance(words, list) and words:
            return [str(line) for line in words]
    return []


def _recognition(item: ReleasedItem, record: Mapping[str, Any], done: list[str]) -> dict[str, Any]:
    """Return the companion of a conversation: the same clip, with its actions."""
    clips = record["video"]
    n = 1 if isinstance(clips, str) else len(clips)
    return {"id": f"{item.id}/actions", "video": clips, "conversations": action_turns(done, clips=n)}


def no_wrong_answers(schema: Schema) -> str | None:
    """Return why a schema's items make no pairs, or None."""
    if options_field(schema) is None:
        return "The items have no options, but a pair needs a wrong option. Choose another format."
    return no_question(schema)


ROWS = (
    Format(
        LLAVA,
        ("conversations for tuning, in the format of LLaVA's trainers; for clips, also conversations about actions"),
        Takes.ITEMS,
        place=63,
        releases=written,
        carries=no_question,
    ),
    Format(
        PAIRS,
        "a right and a wrong answer on each line, for preference tuning",
        Takes.ITEMS,
        place=64,
        releases=pairs,
        carries=no_wrong_answers,
    ),
)
