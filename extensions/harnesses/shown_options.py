"""The options that a model was shown, in records of files of answers: as a list, in columns, or in the prompt.

Core compares them with the item's own options (``importers.shown_options``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from domain import json_text
from domain.json_text import NotJson
from domain.records import CountedColumns
from importers import list_cells
from importers.list_cells import NotList
from importers.shown_options import place_of

LISTS = ("options", "choices", "candidates", "answer_choices", "answer_options", "option_list")
"""Names of a list of options, in small letters."""
_COLUMN = re.compile(
    r"(?:(?:options?|choices?|candidates?|opt|answer[ _-]?option)[ _-]*)?[(\[]?([A-Z]|\d{1,2})[)\].:]?", re.IGNORECASE
)
_COUNTED = re.compile(r"(.*?\D)(\d{1,2})|(.*[ _-])([A-Za-z])|(.*[a-z])([A-Z])")
"""The names of columns that count on, whatever they hold: ending0, op2, sol_b, answerC."""
_TEXTS = ("text", "texts", "content", "option", "value")
_LABELS = ("label", "labels", "letter", "key", "id")
_MOST = 100
"""Options that an item may be shown with."""
_DEEPEST = 4
"""Levels of objects within a record that are looked through."""


# ---- lists and columns ----------------------------------------------------------------------------------------------


def listed_options(*records: Any) -> tuple[str, ...]:
    """Return the options of the first of these records, in order. A label without an option gives an empty text.

    >>> listed_options({"A": "the door", "B": "the tap"}), listed_options({"options": ["A. cup", "B. pan"]})
    (('the door', 'the tap'), ('cup', 'pan'))
    """
    mappings = [record for record in records if isinstance(record, Mapping)]
    for record in mappings:
        if options := _of_lists(record) or _of_columns(record):
            return options
    within = (value for record in mappings for value in record.values() if isinstance(value, Mapping))
    return next((options for record in within if (options := _of_lists(record))), ())


def counts_on(name: str) -> bool:
    """Return whether columns with such names are numbered, such as ``ending0`` or ``sol_b``."""
    return _COUNTED.fullmatch(name.strip()) is not None


def counted_columns(*records: Any) -> tuple[CountedColumns, ...]:
    """Return the numbered columns, and the lists of labeled texts under any name.

    These may be options or something different. Objects within a record are searched too.

    >>> counted_columns({"op1": "the door", "op2": "the tap", "year": 2020})
    (CountedColumns(names=('op1', 'op2'), texts=('the door', 'the tap')),)
    >>> counted_columns({"meta": {"mcq": [{"key": "B", "value": "a tap"}, {"key": "A", "value": "a door"}]}})
    (CountedColumns(names=('mcq',), texts=('a door', 'a tap')),)
    """
    columns = []
    for record in (within for parent in records for within in _objects_within(parent)):
        columns += [CountedColumns((name,), texts) for name, texts in _labeled_lists(record)]
        groups: dict[str, dict[int, tuple[str, str]]] = {}
        for name, value in record.items():
            counted = _COUNTED.fullmatch(name.strip()) if isinstance(name, str) else None
            text = _text(value) if counted is not None else None
            if counted is not None and text is not None and text.strip():
                before, label = (part for part in counted.groups() if part is not None)
                groups.setdefault(f"{before}{label.isdigit()}", {})[place_of(label)] = (name, text)
        for places in groups.values():
            if len(places) >= 2 and max(places) - min(places) == len(places) - 1:
                ordered = [places[at] for at in sorted(places)]
                columns.append(CountedColumns(tuple(name for name, _ in ordered), tuple(text for _, text in ordered)))
    return tuple(columns)


def _objects_within(value: Any, depth: int = _DEEPEST) -> Iterator[Mapping[Any, Any]]:
    if isinstance(value, Mapping):
        yield value
        for child in value.values() if depth else ():
            yield from _objects_within(child, depth - 1)


def _labeled_lists(record: Mapping[Any, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the lists of objects that have a label and a text each, with their names."""
    for name, value in record.items():
        if (
            isinstance(value, list)
            and 2 <= len(value) <= _MOST
            and all(isinstance(option, Mapping) for option in value)
            and any(all(label in option for option in value) for label in _LABELS)
            and (texts := _of_objects(value))
        ):
            yield str(name), texts


def _of_lists(record: Mapping[Any, Any]) -> tuple[str, ...]:
    names = {name.strip().casefold(): name for name in record if isinstance(name, str)}
    return next((texts for name in LISTS if name in names and (texts := _of_value(record[names[name]]))), ())


def is_option_column(name: str) -> bool:
    """Tell whether a column of this name may hold an option or a list of them."""
    return name.strip().casefold() in LISTS or _label_of(name) is not None


def _of_value(value: Any) -> tuple[str, ...]:
    """Return the options in a value.

    The value may be a list, an object by letter, ``{"text": [...], "label": [...]}``, or objects with a text (and
    label) each. It may also be a list written as text, such as lines with labels.
    """
    if isinstance(value, str):
        value = _written_list(value) or _labeled_lines(value)
    if isinstance(value, Mapping):
        texts = next((value[name] for name in _TEXTS if isinstance(value.get(name), list)), None)
        labels = next((value[name] for name in _LABELS if isinstance(value.get(name), list)), None)
        if texts is not None and labels is not None and len(labels) == len(texts):
            return _of_columns({str(label): text for label, text in zip(labels, texts, strict=True)})
        return _of_value(texts) if texts is not None else _of_columns(value)
    if not isinstance(value, list) or not 2 <= len(value) <= _MOST:
        return ()
    if all(isinstance(option, Mapping) for option in value):
        return _of_objects(value)
    texts = ["" if option is None else _text(option) for option in value]
    return _unlabeled([text for text in texts if text is not None]) if None not in texts else ()


def _of_objects(options: Sequence[Mapping[Any, Any]]) -> tuple[str, ...]:
    """Return the options of a list with an object for each: ``{"label": "A", "text": "the tap"}``, ``{"A": "the
    tap"}``.
    """
    name = next((name for name in _TEXTS if all(name in option for option in options)), None)
    if name is None:
        merged = {key: text for option in options for key, text in option.items()}
        return _of_columns(merged) if len(merged) == len(options) else ()
    label = next((name for name in _LABELS if all(name in option for option in options)), None)
    by_label = {str(option[label]): option[name] for option in options} if label is not None else {}
    by_letter = _of_columns(by_label) if len(by_label) == len(options) else ()
    return by_letter or _of_value([option[name] for option in options])


def _labeled_lines(cell: str) -> list[str] | None:
    """Return the lines of a text if all of them have labels: ``A. the tap``, ``B. the door``."""
    lines = [line for line in cell.splitlines() if line.strip()]
    texts = _unlabeled(lines) if len(lines) >= 2 else ()
    return list(texts) if texts and texts != tuple(lines) else None


def _written_list(cell: str) -> Any:
    text = cell.strip()
    if text[:1] not in ("[", "{"):
        return None
    try:
        return json_text.loaded(text)
    except NotJson:
        try:
            return [str(entry) for entry in list_cells.entries(text)]
        except NotList:
            return None


def _of_columns(record: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the options in columns ``A``, ``B``, ... or ``option_1``, ``option_2``, ... without trailing empty
    ones.
    """
    groups: dict[str, dict[int, str]] = {}
    for name, value in record.items():
        label = _label_of(name) if isinstance(name, str) else None
        text = "" if value is None or value != value else _text(value)
        if label is not None and text is not None:
            groups.setdefault(label[0], {})[label[1]] = text
    for places in groups.values():
        first = min(places)
        filled = [at for at, text in places.items() if text.strip()]
        if first in (0, 1) and len(filled) >= 2 and max(filled) - first < _MOST:
            return _unlabeled([places.get(at, "") for at in range(first, max(filled) + 1)])
    return ()


def _label_of(name: str) -> tuple[str, int] | None:
    """Return the kind and the place of an option's column: option_b -> ("option a", 1)."""
    name = name.strip()
    match = _COLUMN.fullmatch(name)
    if match is None or (name.isdigit()) or (len(name) == 1 and not name.isascii()):
        return None
    label, before = match[1], name[: match.start(1)].casefold().rstrip(" _-")
    if label.isdigit():
        return f"{before} 1", int(label)
    return f"{before} {'a' if label.islower() else 'A'}", ord(label.upper()) - ord("A")


def _text(value: Any) -> str | None:
    if not isinstance(value, str | int | float):
        return None
    return str(json_text.showable(str(value)))


_LABELED = re.compile(r"\s*[(\[]?([A-Za-z]|\d{1,2})\s*[.):：、\]]\s*(?=\S)")


def _unlabeled(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts without the labels that all of them begin with; empty if they are only labels."""
    if all(text.strip().strip("().").upper() == label for text, label in zip(texts, ascii_uppercase, strict=False)):
        return ()
    begins = [_LABELED.match(text) for text in texts]
    labels = [place_of(begin[1]) for begin in begins if begin]
    if len(labels) == len(texts) and labels in ([*range(len(texts))], [*range(1, len(texts) + 1)]):
        return tuple(text[begin.end() :] for text, begin in zip(texts, begins, strict=True) if begin)
    return tuple(texts)


# ---- prompts --------------------------------------------------------------------------------------------------------


def prompt_text(value: Any) -> str:
    """Return the words of a prompt: a text, or messages with roles, perhaps written as JSON."""
    if isinstance(value, str):
        if value.lstrip()[:2] in ("[{", '{"') and '"content"' in value:
            try:
                return prompt_text(json_text.loaded(value)) or value
            except NotJson:
                return value
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("content"), str | list):
            return "" if value.get("role") == "assistant" else prompt_text(value["content"])
        return next((value[key] for key in ("text", "prompt", "value") if isinstance(value.get(key), str)), "")
    if isinstance(value, list):
        return "\n".join(part for piece in value if (part := prompt_text(piece)))
    return ""
