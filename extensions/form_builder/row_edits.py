"""Edits that a row asks for: another kind, another name. Each becomes edits of single keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation_schemas import kinds, yaml_text
from annotation_schemas.kinds import FieldKind, Kind
from annotation_schemas.model import Schema
from annotation_schemas.typed_yaml import key_order
from annotation_schemas.yaml_text import Path
from domain.policies import KEEP_RULES
from extensions.form_builder.yaml_edits import Edit, apply_edits
from extensions.form_builder.yaml_render import value_at

YES_NO = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
NAMED_BY = ("field", "key", "criterion", "role", "drawn", "form")
"""Keys whose value is the name of a field, a question or an image."""
LISTED_BY = ("criteria", "shows", "sees", "fields", "of", "dimensions")
"""Keys whose value lists such names."""
KEYED_BY = ("show_if", "values", "when", "fills", "forms", "by_dimension")
"""Keys whose value is a mapping from such names, or to them."""
NAMES = ("name", "role", "id")


def apply_row_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return the text after the edits of a row. Raise ``EditError`` if the text does not allow one."""
    for edit in edits:
        value = yaml_text.parse_yaml(text).value
        if edit.do == "kind":
            single = list(_other_kind(value, edit))
        elif edit.do == "name":
            single = list(_other_name(value, edit))
        else:
            single = [edit]
        text = apply_edits(text, [_in_order(each) for each in single])
    return text


def _in_order(edit: Edit) -> Edit:
    """Return the edit with the place of its key among the others in the grammar."""
    around = edit.path if edit.do == "insert" else edit.path[:-1]
    return Edit(edit.do, edit.path, edit.value, edit.at, edit.order or tuple(key_order(around, Schema)))


def _other_kind(value: Any, edit: Edit) -> Iterator[Edit]:
    """Change the kind of a field or question. Remove keys that the new kind lacks, and add the keys that it needs."""
    if edit.path[-1] == "keep":
        yield from _other_rule(value, edit)
        return
    rows: Mapping[str, Kind] = kinds.FIELDS if "fields" in edit.path else kinds.CRITERIA
    row = rows.get(str(edit.value))
    entry = value_at(value, edit.path)
    if row is None or not isinstance(entry, Mapping):
        return
    special = {key for each in rows.values() for key in each.keys}
    takes = set(row.keys) - ({"field"} if isinstance(row, FieldKind) and not row.chosen else set())
    for key in entry:
        if key in special and key not in takes:
            yield Edit("remove", (*edit.path, key))
    yield Edit("set", (*edit.path, "kind"), edit.value)
    lists = [field["name"] for field in _fields(value) if _is_list(field) and "name" in field]
    if "options" in row.keys and "options" not in entry and ("field" not in row.keys or not lists):
        yield Edit("set", (*edit.path, "options"), YES_NO)
    elif "field" in takes and "field" not in entry and lists:
        yield Edit("set", (*edit.path, "field"), lists[0])
    if "values" in row.keys and "values" not in entry:
        yield Edit("set", (*edit.path, "values"), [1, 2, 3, 4, 5])
    if "role" in row.keys and "role" not in entry:
        wanted = "clip" if edit.value == "time_span" else "image"
        roles = [slot["role"] for slot in _slots(value) if slot.get("kind") == wanted and "role" in slot]
        if roles:
            yield Edit("set", (*edit.path, "role"), roles[0])
    if edit.value == "time_span" and "unit" in row.keys and "unit" not in entry:
        yield Edit("set", (*edit.path, "unit"), "seconds")


def _other_rule(value: Any, edit: Edit) -> Iterator[Edit]:
    """Change a keep rule, with the answer that it compares with: a value, or the item's own field."""
    keep = value_at(value, edit.path) or {}
    yield Edit("set", (*edit.path, "rule"), edit.value)
    asked = [each for each in value_at(value, (*edit.path[:-1], "criteria")) or () if isinstance(each, Mapping)]
    if "criterion" not in keep and asked and not set(keep) & {"criteria", "values", "parts"}:
        yield Edit("set", (*edit.path, "criterion"), asked[0].get("name"))
    row = KEEP_RULES.get(str(edit.value))
    deciding = next((each for each in asked if each.get("name") == keep.get("criterion")), {})
    if row is not None and row.needs_key and "key" not in keep:
        if "value" in keep:
            yield Edit("remove", (*edit.path, "value"))
        same = [field for field in _fields(value) if field.get("kind") == deciding.get("kind")]
        named = [field for field in (*same, *_fields(value)) if isinstance(field.get("name"), str)]
        likely = next((field for field in named if field["name"] == "answer"), named[0] if named else None)
        if likely is not None:
            yield Edit("set", (*edit.path, "key"), likely["name"])


def _other_name(value: Any, edit: Edit) -> Iterator[Edit]:
    """Rename a field, question, image or dimension everywhere in the form."""
    old = value_at(value, edit.path)
    yield Edit("set", edit.path, edit.value)
    if not isinstance(old, str) or edit.path[-1] not in NAMES:
        return
    if edit.path[-1] == "id":
        wanted = {"dimensions", "by_dimension"}
    else:
        wanted = {*NAMED_BY, *LISTED_BY, *KEYED_BY} - {"dimensions", "by_dimension"}
    yield from _references(value, (), old, str(edit.value), wanted)


def _references(value: Any, path: Path, old: str, new: str, wanted: set[str]) -> Iterator[Edit]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            here = (*path, key)
            if key in wanted and key in NAMED_BY and part == old:
                yield Edit("set", here, new)
            elif key in wanted and key in LISTED_BY and isinstance(part, tuple):
                for at, each in enumerate(part):
                    if each == old:
                        yield Edit("set", (*here, at), new)
                yield from _references(part, here, old, new, wanted)
            elif key in wanted and key in KEYED_BY and isinstance(part, Mapping):
                for name, each in part.items():
                    if each == old and key == "fills":
                        yield Edit("set", (*here, name), new)
                if old in part and key != "fills":
                    yield Edit("rename", (*here, old), new)
            else:
                yield from _references(part, here, old, new, wanted)
    elif isinstance(value, tuple):
        for at, part in enumerate(value):
            yield from _references(part, (*path, at), old, new, wanted)


def _fields(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in value_at(value, ("item", "fields")) or () if isinstance(each, Mapping))


def _slots(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in value_at(value, ("item", "assets")) or () if isinstance(each, Mapping))


def _is_list(field: Mapping[str, Any]) -> bool:
    """Tell whether a field holds a list of texts."""
    row = kinds.FIELDS.get(str(field.get("kind")))
    return row is not None and row.is_list
