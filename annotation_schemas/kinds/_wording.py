"""Evaluation of wording rules for an item's texts, with a sentence for each broken rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.kinds._form import title_of
from annotation_schemas.kinds._rows import is_list
from annotation_schemas.kinds._table import of_field
from annotation_schemas.model import ItemField, Schema, Wording, WordLimits
from domain import wording as texts_of
from domain.errors import Problem
from domain.language import _, marked, ngettext

_PERSONS = {
    "first": marked("Use only the first person (I, my, we), without “you”."),
    "second": marked("Use only the second person (you, your), without “I” or “we”."),
    "third": marked("Do not use “I”, “we” or “you”."),
}
_LONGEST = 60
"""The length at which a text is cut in a sentence."""


@dataclass(frozen=True)
class Unheld:
    """A rule of wording that a text breaks."""

    field: str
    rule: str
    """A key of ``Wording``."""
    sentence: str
    stops: bool
    """Whether the text is refused; otherwise the message is a warning."""
    later: bool = False
    """Whether further words may fix it, so that the message waits until the sentence is complete."""


def says_english(field: ItemField) -> bool:
    """Whether a field's language is English, which is the default."""
    return field.language is None or field.language.casefold().partition("-")[0] == "en"


def unheld_wording(
    schema: Schema, fields: Mapping[str, Any], *, seen: Collection[str] | None = None
) -> Iterator[Unheld]:
    """Yield the wording rules that an item's texts break, field by field.

    ``seen`` are the fields that the person may see (None: all). Comparisons with other fields are left out.
    """
    for field in schema.item.fields:
        rules = field.wording
        texts = _texts(fields.get(field.name))
        if rules is None or not texts or (seen is not None and field.name not in seen):
            continue
        for rule, sentence, later in _of_field(schema, field, rules, texts, fields, seen):
            yield Unheld(field.name, rule, sentence, rule in rules.stops, later)


def refused_wording(schema: Schema, fields: Mapping[str, Any]) -> list[Problem]:
    """Return a problem for each broken wording rule that refuses a text."""
    titles = {field.name: title_of(field) for field in schema.item.fields}
    return [
        Problem(unheld.field, f"{titles[unheld.field]}: {unheld.sentence}")
        for unheld in unheld_wording(schema, fields)
        if unheld.stops
    ]


def rule_in_words(told: Wording, rule: str) -> str:
    """Return a wording rule for lists: its key with its value."""
    value = getattr(told, rule)
    if isinstance(value, WordLimits):
        ends = [f"{key} {n}" for key, n in (("least", value.least), ("most", value.most)) if n is not None]
        return f"{rule}: {', '.join(ends)}"
    return f"{rule}: {', '.join(value)}" if is_list(value) else rule if value is True else f"{rule}: {value}"


def wording_in_numbers(schema: Schema, counts: Mapping[tuple[str, str], int], n_items: int) -> str:
    """Return a sentence with the number of items that break wording rules, by field and rule."""
    rules = [
        f"{title_of(field)}, {rule_in_words(field.wording, rule)} ({counts[field.name, rule]:,})"
        for field in schema.item.fields
        if field.wording is not None
        for rule in field.wording.rules
        if counts.get((field.name, rule))
    ]
    return f"Wording: {n_items:,} {'item breaks' if n_items == 1 else 'items break'} a rule: {'; '.join(rules)}."


def _texts(value: Any) -> list[str]:
    """The texts of a value: itself, or its entries."""
    listed = value if is_list(value) else [value]
    return [text for text in listed if _is_text(text)]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _of_field(
    schema: Schema,
    field: ItemField,
    told: Wording,
    texts: Sequence[str],
    fields: Mapping[str, Any],
    seen: Collection[str] | None,
) -> Iterator[tuple[str, str, bool]]:
    """Yield the broken rules: key, sentence, and whether further words may fix them."""
    value = fields.get(field.name)
    in_list = is_list(value)
    listed: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    places = [place for place, text in enumerate(listed, 1) if isinstance(text, str) and text.strip()]
    for place, text in zip(places, texts, strict=True):
        for rule, sentence, later in _of_text(told, text):
            yield rule, _of_entry(place, sentence) if in_list else sentence, later
    for place, text in zip(places, texts, strict=True):
        for sentence in _elsewhere(schema, field, told, text, fields, seen):
            yield "not_in", _of_entry(place, sentence) if in_list else sentence, False
    if not in_list:
        return
    ends = texts_of.longest_over_shortest(texts, told.alike_length) if told.alike_length is not None else None
    if ends is not None:
        long, short = (len(texts_of.folded(texts[at])) for at in ends)
        sentence = _(
            "Entry {one} ({long} characters) is more than {n} times as long as entry {other} ({short}). "
            "Make the lengths more similar."
        )
        about = {"one": places[ends[0]], "other": places[ends[1]], "long": long, "short": short}
        yield "alike_length", sentence.format(**about, n=f"{told.alike_length:g}"), False
    if told.no_rewording:
        for same in texts_of.alike(texts, english=says_english(field)):
            entries = _listed([places[at] for at in same])
            yield (
                "no_rewording",
                _("Entries {entries} have the same meaning. Change or remove entries.").format(entries=entries),
                False,
            )


def _of_entry(place: int, sentence: str) -> str:
    return _("Entry {place}: {sentence}").format(place=place, sentence=sentence)


def _of_text(told: Wording, text: str) -> Iterator[tuple[str, str, bool]]:
    if told.person is not None and not texts_of.in_person(text, told.person):
        yield "person", _(_PERSONS[told.person]), told.person != "third"
    if told.words is not None:
        yield from _counted(told.words, texts_of.count_words(text))
    if (phrase := texts_of.first_standing(told.forbidden, text)) is not None:
        yield "forbidden", _("Remove “{phrase}”.").format(phrase=phrase), False
    if told.ends_with is not None and not texts_of.folded(text).endswith(texts_of.folded(told.ends_with)):
        yield "ends_with", _("End the text with “{end}”.").format(end=told.ends_with), True


def _counted(limits: WordLimits, n: int) -> Iterator[tuple[str, str, bool]]:
    words = ngettext("{n} word", "{n} words", n).format(n=n)
    if limits.least is not None and n < limits.least:
        yield "words", _("The text has {words}. Write at least {n}.").format(words=words, n=limits.least), True
    if limits.most is not None and n > limits.most:
        yield "words", _("The text has {words}. Write at most {n}.").format(words=words, n=limits.most), False


def _elsewhere(
    schema: Schema,
    field: ItemField,
    told: Wording,
    text: str,
    fields: Mapping[str, Any],
    seen: Collection[str] | None,
) -> Iterator[str]:
    """Yield the fields that contain a text. An option reveals nothing if other options occur too."""
    others = _texts(fields.get(field.field or "")) if of_field(field).chosen else []
    others = [other for other in others if texts_of.words_of(other) != texts_of.words_of(text)]
    for name in told.not_in:
        if seen is not None and name not in seen:
            continue
        for other in _texts(fields.get(name)):
            if texts_of.stands_in(text, other) and not any(texts_of.stands_in(longer, other) for longer in others):
                title = title_of(schema.item.field(name))
                yield _("“{text}” also appears in {field}. Use different words.").format(text=_cut(text), field=title)
                break


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def _listed(places: Sequence[int]) -> str:
    return _("{first} and {last}").format(first=", ".join(map(str, places[:-1])), last=places[-1])
