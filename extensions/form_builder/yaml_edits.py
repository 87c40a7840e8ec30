"""Edit a YAML text in place: each edit touches only the lines of its key or entry. Comments and order survive."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from annotation_schemas import yaml_text
from extensions.form_builder import yaml_render
from extensions.form_builder.yaml_render import as_block, as_flow, as_scalar

Path = yaml_text.Path
NOT_HERE = "The form rows cannot edit this YAML notation. Edit line {line} of the YAML instead."
_COMMENT = re.compile(r"[ ]*#")


class EditError(ValueError):
    """An edit that the text does not allow, as a sentence."""


@dataclass(frozen=True)
class Edit:
    """One change of a text."""

    do: str
    """``set``, ``remove``, ``insert``, ``move`` or ``rename``."""
    path: Path
    """The key or entry. For ``insert`` it is the list."""
    value: Any = None
    """The new value, or the new name of a key."""
    at: int = 0
    """The new index of an entry, for ``insert`` and ``move``."""
    order: tuple[str, ...] = ()
    """The order of the keys around a new key."""


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return the text after all edits. Raise ``EditError`` if a row cannot make one of them."""
    for edit in edits:
        text = _applied(text, edit)
    return text


def _applied(text: str, edit: Edit) -> str:
    before = yaml_text.parse_yaml(text)
    if before.broken or not isinstance(before.value, dict) or before.odd:
        line = before.errors[0].line if before.errors else min(before.odd, default=1)
        raise EditError(f"Line {line} is not plain YAML. Fix this line before you use the form rows.")
    wanted = yaml_render.thawed(before.value)
    refusal = EditError(NOT_HERE.format(line=before.line_of(edit.path)))
    try:
        _plainly(wanted, edit)
        edited = _Text(text if text.endswith("\n") else text + "\n").edited(edit)
    except (AssertionError, AttributeError, LookupError, TypeError, yaml.YAMLError) as error:
        raise refusal from error
    after = yaml_text.parse_yaml(edited)
    if after.broken or not same_order(yaml_render.thawed(after.value), wanted):
        raise refusal
    return edited


def same_order(one: Any, other: Any) -> bool:
    """Tell whether two plain values are equal, with entries in the same order and numbers of the same type."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_order(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_order, one, other))
    return type(one) is type(other) and bool(one == other)


def _plainly(value: Any, edit: Edit) -> None:
    """Make the edit on plain values, to compare the edited text with."""
    *around, last = (*edit.path, None) if edit.do == "insert" else edit.path
    for step in around:
        missing = isinstance(value, dict) and value.get(step) is None
        if missing and edit.do in ("set", "insert"):
            value[step] = [] if edit.do == "insert" and step == edit.path[-1] else {}
        value = value[step]
    if edit.do == "insert":
        value.insert(edit.at, edit.value)
    elif edit.do == "set":
        value[last] = edit.value
    elif edit.do == "remove":
        del value[last]
    elif edit.do == "move":
        value.insert(edit.at, value.pop(last))
    elif edit.do == "rename":
        if edit.value in value:
            raise KeyError(edit.value)
        renamed = {edit.value if key == last else key: part for key, part in value.items()}
        value.clear()
        value.update(renamed)
    else:
        raise KeyError(edit.do)


class _Text:
    """A text with its YAML nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = yaml_text.compose(text)

    def edited(self, edit: Edit) -> str:
        acts: dict[str, Callable[[Edit], str]] = {
            "set": self._set,
            "remove": self._remove,
            "insert": self._insert,
            "move": self._move,
            "rename": self._rename,
        }
        return acts[edit.do](edit)

    # ---- places

    def _node(self, path: Path) -> yaml.Node | None:
        node = self.root
        for step in path:
            if isinstance(node, yaml.MappingNode):
                node = next((value for key, value in node.value if key.value == step), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
            else:
                return None
        return node

    def _pair(self, path: Path) -> tuple[yaml.Node, yaml.Node]:
        parent = self._node(path[:-1])
        assert isinstance(parent, yaml.MappingNode)
        return next((key, value) for key, value in parent.value if key.value == path[-1])

    def _end(self, node: yaml.Node) -> int:
        """Return the index behind a node's content, without the comments and blank lines that follow."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self._end(last[1] if isinstance(last, tuple) else last)
        start, end = node.start_mark.index, node.end_mark.index
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            return start + len(self.text[start:end].rstrip())
        return int(end)

    def _line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """Return the index behind the line break of a line."""
        found = self.text.find("\n", index)
        return len(self.text) if found < 0 else found + 1

    def _begin(self, index: int, column: int) -> int:
        """Return the start of a line, with the comment lines above it that have the same indentation."""
        begin = self._line_start(index)
        while begin:
            above = self._line_start(begin - 1)
            line = self.text[above:begin]
            if not (_COMMENT.match(line) and len(line) - len(line.lstrip(" ")) == column):
                break
            begin = above
        return begin

    def _dash(self, parent: yaml.SequenceNode, entry: yaml.Node) -> int:
        """Return the index of the dash of an entry of a block list."""
        column, begin = parent.start_mark.column, self._line_start(entry.start_mark.index)
        while self.text[begin + column : begin + column + 1] != "-":
            begin = self._line_start(begin - 1)
        if self.text[begin : begin + column].strip():
            raise KeyError("the entry does not start its line")
        return begin + column

    def _span(self, parent: yaml.CollectionNode, at: int) -> tuple[int, int]:
        """Return the span of an entry: whole lines in a block, the text alone between brackets."""
        entry = parent.value[at]
        first, last = entry if isinstance(entry, tuple) else (entry, entry)
        if parent.flow_style:
            return first.start_mark.index, self._end(last)
        index = self._dash(parent, entry) if isinstance(parent, yaml.SequenceNode) else first.start_mark.index
        column = index - self._line_start(index)
        return self._begin(index, column), self._line_end(self._end(last))

    def _replaced(self, start: int, end: int, by: str) -> str:
        return self.text[:start] + by + self.text[end:]

    def _behind_colon(self, key: yaml.Node) -> int:
        return self.text.index(":", self._end(key)) + 1

    def _in_flow(self, path: Path) -> bool:
        return any(
            isinstance(node, yaml.CollectionNode) and bool(node.flow_style) and bool(node.value)
            for node in (self._node(path[:end]) for end in range(len(path)))
        )

    # ---- edits

    def _rename(self, edit: Edit) -> str:
        key, _ = self._pair(edit.path)
        return self._replaced(key.start_mark.index, self._end(key), as_scalar(edit.value, flow=True))

    def _set(self, edit: Edit) -> str:
        node = self._node(edit.path)
        if node is None:
            return self._add_key(edit)
        flow = self._in_flow(edit.path)
        start, end = node.start_mark.index, self._end(node)
        scalar = isinstance(node, yaml.ScalarNode)
        if scalar and start == end:
            return self._replaced(start, start, " " + as_flow(edit.value))
        if isinstance(node, yaml.ScalarNode) and not isinstance(edit.value, dict | list):
            return self._replaced(start, end, as_scalar(edit.value, flow=flow, style=node.style))
        if flow or not isinstance(node, yaml.CollectionNode) or node.flow_style:
            return self._set_collection(edit, node, flow)
        key, _ = self._pair(edit.path)
        rest = self._line_end(self._behind_colon(key))
        written = self.text[self._behind_colon(key) : rest]
        return self._replaced(
            self._behind_colon(key), max(rest, self._line_end(end)), f" {as_flow(edit.value)}{written}"
        )

    def _set_collection(self, edit: Edit, node: yaml.Node, flow: bool) -> str:
        start, end = node.start_mark.index, self._end(node)
        if flow or not isinstance(edit.value, dict | list) or yaml_render.is_short(edit.value):
            return self._replaced(start, end, as_flow(edit.value))
        return self._in_block(edit.path, start, end, edit.value)

    def _in_block(self, path: Path, start: int, end: int, value: Any) -> str:
        """Write a long value below its key, in place of the old value."""
        key, _ = self._pair(path)
        column = key.start_mark.index - self._line_start(key.start_mark.index)
        line_end = self._line_end(end)
        rest = self.text[end:line_end].rstrip()
        head = self.text[:start].rstrip(" ") + (f"  {rest.strip()}" if rest else "") + "\n"
        return head + "".join(f"{line}\n" for line in as_block(value, column + 2)) + self.text[line_end:]

    def _add_key(self, edit: Edit) -> str:
        *around, key = edit.path
        parent = self._node(tuple(around))
        if parent is None or (isinstance(parent, yaml.ScalarNode) and parent.value in ("", "null", "~")):
            return self._set(Edit("set", tuple(around), {key: edit.value}))
        assert isinstance(parent, yaml.MappingNode)
        if not parent.value:
            return self._set_collection(Edit("set", tuple(around), {key: edit.value}), parent, self._in_flow(edit.path))
        names = [name.value for name, _ in parent.value]
        known = edit.order.index(key) if key in edit.order else len(edit.order)
        before = [at for at, name in enumerate(names) if name in edit.order and edit.order.index(name) < known]
        at = max(before, default=-1) + 1 if key in edit.order else len(names)
        if parent.flow_style:
            return self._into_flow(parent, at, f"{as_scalar(key, flow=True)}: {as_flow(edit.value)}")
        first = parent.value[0][0].start_mark.index
        column = first - self._line_start(first)
        lines = as_block({key: edit.value}, column)
        if at == 0:  # the first key of an entry stands behind the dash
            begun = self.text[self._line_start(first) : first].strip()
            if begun:
                return self._replaced(first, first, "\n".join([*lines, " " * column]).lstrip(" "))
            place = self._begin(first, column)
        else:
            place = self._line_end(self._end(parent.value[at - 1][1]))
        return self._replaced(place, place, "".join(f"{line}\n" for line in lines))

    def _into_flow(self, parent: yaml.CollectionNode, at: int, written: str) -> str:
        if not parent.value:
            start = parent.start_mark.index + 1
            return self._replaced(start, parent.end_mark.index - 1, written)
        if at < len(parent.value):
            start, _ = self._span(parent, at)
            return self._replaced(start, start, f"{written}, ")
        _, end = self._span(parent, len(parent.value) - 1)
        return self._replaced(end, end, f", {written}")

    def _insert(self, edit: Edit) -> str:
        node = self._node(edit.path)
        if not isinstance(node, yaml.SequenceNode):
            return self._set(Edit("set", edit.path, [edit.value], order=edit.order))
        if not node.value:
            return self._set_collection(Edit("set", edit.path, [edit.value]), node, self._in_flow(edit.path))
        if node.flow_style:
            return self._into_flow(node, edit.at, as_flow(edit.value))
        column = node.start_mark.column
        lines = as_block([edit.value], column, flow=any(entry.flow_style for entry in _collections(node)))
        at = self._span(node, edit.at)[0] if edit.at < len(node.value) else self._span(node, len(node.value) - 1)[1]
        return self._replaced(at, at, "".join(f"{line}\n" for line in lines))

    def _remove(self, edit: Edit) -> str:
        parent = self._node(edit.path[:-1])
        assert isinstance(parent, yaml.CollectionNode)
        names = [entry[0].value if isinstance(entry, tuple) else at for at, entry in enumerate(parent.value)]
        at = names.index(edit.path[-1])
        start, end = self._span(parent, at)
        if len(names) == 1:
            return self._emptied(edit.path[:-1], parent)
        if parent.flow_style:
            if at + 1 < len(names):
                return self._replaced(start, self._span(parent, at + 1)[0], "")
            return self._replaced(self._span(parent, at - 1)[1], end, "")
        if isinstance(parent, yaml.MappingNode) and at == 0:
            first = parent.value[0][0].start_mark.index
            if self.text[self._line_start(first) : first].strip():
                return self._replaced(first, parent.value[1][0].start_mark.index, "")
        return self._replaced(start, end, "")

    def _emptied(self, path: Path, parent: yaml.CollectionNode) -> str:
        empty = "{}" if isinstance(parent, yaml.MappingNode) else "[]"
        start, end = parent.start_mark.index, self._end(parent)
        if parent.flow_style or isinstance(path[-1], int):
            return self._replaced(start, end, empty)
        key, _ = self._pair(path)
        colon = self._behind_colon(key)
        behind = self.text[colon : self._line_end(colon)]
        return self._replaced(colon, self._line_end(end), f" {empty}{behind}")

    def _move(self, edit: Edit) -> str:
        parent = self._node(edit.path[:-1])
        assert isinstance(parent, yaml.SequenceNode)
        spans = [self._span(parent, at) for at in range(len(parent.value))]
        order = list(range(len(spans)))
        order.insert(edit.at, order.pop(int(edit.path[-1])))
        pieces = [self.text[start:end] for start, end in spans]
        text = self.text
        for (start, end), at in reversed(list(zip(spans, order, strict=True))):
            text = text[:start] + pieces[at] + text[end:]
        return text


def _collections(node: yaml.SequenceNode) -> list[yaml.CollectionNode]:
    return [entry for entry in node.value if isinstance(entry, yaml.CollectionNode)]
