"""Change the numbers wanted in the text of a schema; comments and spacing stay."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from domain.errors import ConflictError, SchemaError

Edit = tuple[int, int, str]
"""A change of the text: its start and end position, and the new text."""


def wanting(now: LoadedSchema, wanted: Mapping[str, int | None], *, version: int) -> LoadedSchema | None:
    """Return the schema's next version with new targets, by dimension. None if the targets are already the same.

    Raises
    ------
    ConflictError
        The schema's text is written in a way that does not let the numbers be replaced alone.
    """
    old = now.schema_
    if all(dimension.wanted == wanted.get(dimension.id, dimension.wanted) for dimension in old.dimensions):
        return None
    meant = tuple(
        dimension.model_copy(update={"wanted": wanted.get(dimension.id, dimension.wanted)})
        for dimension in old.dimensions
    )
    changed = {
        dimension.id: dimension.wanted
        for dimension, before in zip(meant, old.dimensions, strict=True)
        if dimension != before
    }
    try:
        loaded = load_text(with_wanted(now.text, changed, version=version), now.guideline_text, old.name)
    except SchemaError:
        loaded = None
    if loaded is None or loaded.schema_ != old.model_copy(update={"dimensions": meant, "version": version}):
        raise ConflictError(
            "Touchstone cannot change these numbers because of the layout of the schema. Nothing was "
            "changed. Change `wanted` on the Form page."
        )
    return loaded


def with_wanted(text: str, wanted: Mapping[str, int | None], *, version: int) -> str:
    """Return the text with another ``version`` and with new numbers under ``wanted``, by dimension ID.

    None removes the key. Callers must check the result: some ways of writing a text are not supported, and then the
    text is returned unchanged, or wrong.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    top = {key.value: value for key, value in root.value} if isinstance(root, yaml.MappingNode) else {}
    edits = [_replaced(top["version"], version)] if "version" in top else []
    for entry in _entries(top.get("dimensions")):
        keys = [key.value for key, _ in entry.value]
        name = str(entry.value[keys.index("id")][1].value) if "id" in keys else ""
        if name in wanted:
            edits += _edits(text, entry, keys, wanted[name])
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def _entries(listed: yaml.Node | None) -> list[yaml.MappingNode]:
    entries = listed.value if isinstance(listed, yaml.SequenceNode) else []
    return [entry for entry in entries if isinstance(entry, yaml.MappingNode)]


def _edits(text: str, entry: yaml.MappingNode, keys: list[str], new: int | None) -> list[Edit]:
    pairs = entry.value
    if "wanted" not in keys:
        return [] if new is None else [_added(text, entry, pairs[keys.index("id")], new)]
    at = keys.index("wanted")
    key, value = pairs[at]
    if new is not None:
        return [_replaced(value, new)]
    if at + 1 < len(pairs):
        return [(key.start_mark.index, pairs[at + 1][0].start_mark.index, "")]
    before = pairs[at - 1][1].end_mark.index
    if not entry.flow_style:
        before = max(text.rfind("\n", 0, key.start_mark.index), 0)
    return [(before, value.end_mark.index, "")]


def _replaced(value: yaml.Node, new: int) -> Edit:
    return value.start_mark.index, value.end_mark.index, str(new)


def _added(text: str, entry: yaml.MappingNode, after: tuple[yaml.Node, yaml.Node], new: int) -> Edit:
    key, value = after
    end = value.end_mark.index
    if entry.flow_style:
        return end, end, f", wanted: {new}"
    line = text.find("\n", end)
    end = line if line >= 0 else len(text)
    return end, end, f"\n{' ' * key.start_mark.column}wanted: {new}"
