"""Items of a release as other programs ask them: question, options, right option and pictures.

A question stays unchanged. Only other texts that the schema's own prompts tell models are added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from annotation_schemas import kinds
from annotation_schemas.expected_answers import asked_of, key_of
from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit
from annotation_schemas.keys import key_fields, options_field, question_field, reference_field, told_texts
from annotation_schemas.model import Schema
from annotation_schemas.prompts import GENERAL, load_prompt_set
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind, ExpectedAnswer
from exporters.release_items import ENDINGS, fields_on_images, refuse

PLACED = (AnswerKind.OPTION, AnswerKind.MULTI, AnswerKind.ORDER)
"""Kinds of answers that consist of options, so that letters can name them."""


NONE_RIGHT = "none"
"""The key, as text, of an item without a right option."""


def no_question(schema: Schema) -> str | None:
    """Return why programs cannot ask a schema's items, or None."""
    return None if question_field(schema) else "The items have no text to use as a question. Choose another format."


def require_carried(format: str, released: ReleasedSet) -> None:
    """Raise ``InvalidFileError`` if a format cannot hold a part of the schema."""
    if (why := FORMATS[format].carries(released.schema)) is not None:
        raise InvalidFileError(f"{format}: {why}")


@dataclass(frozen=True)
class QuestionMedium:
    """An image or clip of a question."""

    asset: ReleasedAsset
    label: str
    """The name of its role, if the item has several roles of media. Otherwise empty."""
    drawn: bytes | None = None
    """The image with the item's boxes and marks, or turned upright. None: the file can be used unchanged."""

    @property
    def drawn_mime(self) -> str:
        """Return the media type of ``drawn``."""
        return "image/jpeg" if self.drawn is not None and self.drawn.startswith(b"\xff\xd8\xff") else "image/png"

    @property
    def drawn_ending(self) -> str:
        """Return the suffix of a file with ``drawn``."""
        return ENDINGS[self.drawn_mime]

    @property
    def is_clip(self) -> bool:
        """Whether it is a clip."""
        return self.asset.kind == "clip"


@dataclass(frozen=True)
class ItemQuestion:
    """An item in its asked form."""

    text: str
    kind: AnswerKind
    options: tuple[str, ...] = ()
    right: tuple[int, ...] | None = None
    """The positions of the right options, in the item's order if several. None: there is no key, or it is no option."""
    key: str | None = None
    """The key as text. None: the item has no key, or the key is withheld."""
    pictures: Sequence[QuestionMedium] = field(default_factory=tuple)
    lettered: bool = True
    """Whether its options are named A, B, C and so on. False: they are the numbers of its images."""

    @property
    def letters(self) -> list[str]:
        """The letters of the right options."""
        return [ascii_uppercase[place] for place in self.right or ()]

    @property
    def with_order(self) -> str:
        """The question after a list of its pictures' roles, for programs that show all pictures first."""
        labels = [picture.label for picture in self.pictures]
        return f"In order: {', '.join(labels)}.\n{self.text}" if any(labels) else self.text

    @property
    def with_options(self) -> str:
        """The question, followed by the options with their letters."""
        if not self.options or not self.lettered:
            return self.text
        pairs = zip(ascii_uppercase, self.options, strict=False)
        return "\n".join([self.text, *(f"{letter}. {option}" for letter, option in pairs)])


def key_name(released: ReleasedSet) -> str | None:
    """Return the field with the key, or the field with the reference answer."""
    return released.key or reference_field(released.schema)


def withheld(released: ReleasedSet, split: ReleasedSplit) -> bool:
    """Tell whether the public files of a split have no key."""
    return key_name(released) in split.withheld


@dataclass(frozen=True)
class _Plan:
    """The facts that all items of a schema share. They are looked up only once per release."""

    question: str | None
    options: str | None
    key: frozenset[str]
    """The fields that are hidden from all models."""
    besides: Mapping[str, Sequence[str]]
    """Other texts that the schema's own prompts tell models, by dimension."""
    marks: Sequence[str]
    """The fields with boxes or marks that the item itself shows."""

    @classmethod
    def of(cls, schema: Schema) -> _Plan:
        key, name = key_fields(schema), question_field(schema)
        texts = [text for text in told_texts(schema) if text != name]
        besides = {
            part.id: [placeholder for placeholder in _placeholders(schema, part.id) if placeholder in texts]
            for part in schema.dimensions
        }
        return cls(name, options_field(schema), key, besides, fields_on_images(schema))


_used_last: list[tuple[Schema, _Plan]] = []


def _plan(schema: Schema) -> _Plan:
    """Return the plan of a schema. The last one is cached."""
    for known, plan in _used_last:
        if known is schema:
            return plan
    made = _Plan.of(schema)
    _used_last[:] = [(schema, made)]
    return made


def asked_item(format: str, released: ReleasedSet, item: ReleasedItem) -> ItemQuestion:
    """Return an item in its asked form.

    Raise ``InvalidFileError`` if it has no question, or a key that is not one of its options.
    """
    schema, fields, plan = released.schema, item.fields, _plan(released.schema)
    text = fields.get(plan.question or "")
    if not isinstance(text, str) or not text.strip():
        refuse(format, item, f"the field {plan.question or 'question'} is empty")
    there = {asset.role for asset in item.assets}
    if missing := [role for role in schema.item.needed_roles if role not in there]:
        refuse(format, item, f"the item has no {missing[0]}")
    lines = [f"{title}: {words}" for title, words in _besides(schema, item, text)]
    asked = asked_of(schema, fields)
    own = tuple(fields.get(plan.options or "") or ())
    options, lettered = asked.options, True
    if asked.kind is AnswerKind.ORDER and own != options:  # a withheld key hides their number
        n = len(own) or sum(asset.kind == "image" for asset in item.assets)
        options, lettered = tuple(f"image {number}" for number in range(1, n + 1)), False
    if len(options) > len(ascii_uppercase):
        refuse(format, item, f"the item has {len(options)} options, but there are only 26 letters")
    right, key = _right(format, released, item, asked, options)
    if right is not None and not lettered:
        key = ", ".join(str(place + 1) for place in right)
    return ItemQuestion(
        "\n".join([*lines, text]), asked.kind, options, right, key, tuple(pictures(format, released, item)), lettered
    )


def _besides(schema: Schema, item: ReleasedItem, question: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of the other fields that the schema's prompts tell models, if the question lacks them."""
    for name in _plan(schema).besides.get(item.dimension, ()):
        value = item.fields.get(name)
        if isinstance(value, str) and value.strip() and value.casefold() not in question.casefold():
            yield kinds.title_of(schema.item.field(name)), value


def _placeholders(schema: Schema, dimension: str) -> Sequence[str]:
    models = schema.models
    if models is None or models.prompts is None:
        return ()
    variant = next((name for name, those in models.variants.items() if dimension in those), GENERAL)
    return load_prompt_set(models.prompts).prompt(variant=variant).placeholders


def _right(
    format: str, released: ReleasedSet, item: ReleasedItem, asked: ExpectedAnswer, options: Sequence[str]
) -> tuple[tuple[int, ...] | None, str | None]:
    """Return the positions of the right options, and the key as text."""
    name = key_name(released)
    value = item.fields.get(name or "")
    if asked.kind is AnswerKind.MULTI and options and isinstance(value, list | tuple) and not value:
        return (), NONE_RIGHT
    if value is None or value in ("", [], ()):
        return None, _drawn_key(released.schema, item)
    if name is None or asked.kind not in PLACED or not options:
        key_text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return None, key_text
    key, why = key_of(value, asked)
    if key is None:
        refuse(format, item, f"{why}: {str(value)[:80]!r}")
    if stray := [option for option in key if option not in options]:
        refuse(format, item, f"the answer names {stray[0]!r}, but the item has only {len(options)} options")
    places = tuple(options.index(option) for option in key)
    places = tuple(sorted(places)) if asked.kind is AnswerKind.MULTI else places
    return places, ", ".join(options[place] for place in places)


def _drawn_key(schema: Schema, item: ReleasedItem) -> str | None:
    """Return a key that is drawn on the image, as JSON."""
    names = [field.drawn for field in schema.item.fields if field.drawn is not None and item.fields.get(field.drawn)]
    return json.dumps(item.fields[names[0]], ensure_ascii=False) if names else None


# ---- pictures -------------------------------------------------------------------------------------------------------


def shows_marks(schema: Schema, item: ReleasedItem) -> bool:
    """Tell whether boxes or marks of the item itself belong on its images."""
    return any(item.fields.get(name) for name in _plan(schema).marks)


def pictures(format: str, released: ReleasedSet, item: ReleasedItem) -> Iterator[QuestionMedium]:
    """Yield the images and clips of an item for display, in the schema's order of roles."""
    roles = [slot.role for slot in released.schema.item.assets]
    marked = shows_marks(released.schema, item)
    if marked and released.shown is None:
        refuse(format, item, "the images have boxes or marks, which this format cannot draw")
    for asset in sorted(item.assets, key=lambda each: roles.index(each.role) if each.role in roles else len(roles)):
        label = asset.role if len({medium.role for medium in item.assets}) > 1 else ""
        drawn = released.shown(item, asset) if marked and released.shown and asset.kind == "image" else None
        if drawn is None and released.upright is not None and asset.kind == "image" and asset.path is not None:
            drawn = released.upright(asset)
        yield QuestionMedium(asset, label, drawn)


def place_of(asset: ReleasedAsset) -> str:
    """Return a file's path from the root of a release, or the path that it would have if the release included it."""
    ending = ENDINGS.get(asset.mime, "")
    return asset.path or f"media/{asset.sha256[:2]}/{asset.sha256}{ending}"
