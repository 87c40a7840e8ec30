"""Mend what the checks of a schema find. A fix is offered only if the checks find less after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation_schemas import yaml_text
from annotation_schemas.loader import examine_document
from annotation_schemas.typed_yaml import dotted
from annotation_schemas.yaml_text import Document, Trouble
from extensions.form_builder.yaml_edits import Edit, EditError, apply_edits
from extensions.form_builder.yaml_render import thawed, value_at

MOST_MENDED = 12
"""Number of findings for which fixes are looked for."""
MOST_TROUBLES = 100
"""A text with more findings is no form, so no fixes are looked for."""
_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_QUOTED = re.compile(r'quote the \w+: "(.*)"$')
_NUMBER = re.compile(r"; write (-?\d+(?:\.\d+)?)(?: without quotes)?$")
_SPACED = re.compile(r"write `(\w+): (.*)`$")
_SECRET = re.compile(r"`secret_in: \[(\w+)\]`")
_SAY = re.compile(r"\b(?:say|set) `(\w+): (\w+)`")
_REMOVE = re.compile(r"\b(?:remove|leave)\b")


@dataclass(frozen=True)
class Fix:
    """A button that mends a finding."""

    label: str
    edits: tuple[Edit, ...]


def fixes_for(text: str, guideline: str, document: Document) -> dict[Trouble, list[Fix]]:
    """Return the fixes of each finding that has any."""
    if document.broken or len(document.troubles) > MOST_TROUBLES:
        return {}
    found = {}
    for trouble in document.troubles[:MOST_MENDED]:
        fixes = [fix for fix in _candidates(document, trouble) if _mends(text, guideline, document, trouble, fix)]
        if fixes:
            found[trouble] = fixes
    return found


def _mends(text: str, guideline: str, before: Document, trouble: Trouble, fix: Fix) -> bool:
    try:
        after, _ = examine_document(apply_edits(text, fix.edits), guideline)
    except EditError:
        return False
    gone = not any((each.path, each.message) == (trouble.path, trouble.message) for each in after.troubles)
    new_errors = {each.path for each in after.errors} - {each.path for each in before.errors}
    return gone and len(after.errors) <= len(before.errors) and not new_errors


def _candidates(document: Document, trouble: Trouble) -> Iterator[Fix]:
    path, message = trouble.path, trouble.message
    if not path:
        return
    value, key = value_at(document.value, path), str(path[-1])
    meant = _MEANT.search(message)
    if message.startswith("unknown key"):
        spaced = _SPACED.search(message)
        if spaced:
            yield Fix(f"Write “{spaced[1]}: {spaced[2]}”", (Edit("rename", path, spaced[1]), _set(path, spaced)))
        elif meant:
            yield Fix(f"Rename to “{meant[1]}”", (Edit("rename", path, meant[1]),))
        yield Fix(f"Remove “{key}”", (Edit("remove", path),))
        return
    yield from _values(document, trouble, value, meant)
    yield from _people(document, trouble)
    secret = _SECRET.search(message)
    if secret:
        hidden = list(value.get("secret_in", ())) if isinstance(value, Mapping) else []
        yield Fix(f"Hide the field in {secret[1]}", (Edit("set", (*path, "secret_in"), [*hidden, secret[1]]),))
    if _REMOVE.search(message):
        yield Fix(f"Remove “{key}”" if isinstance(path[-1], str) else "Remove this entry", (Edit("remove", path),))


def _set(path: yaml_text.Path, spaced: re.Match[str]) -> Edit:
    value: Any = int(spaced[2]) if spaced[2].isdigit() else spaced[2]
    return Edit("set", (*path[:-1], spaced[1]), value)


def _values(document: Document, trouble: Trouble, value: Any, meant: re.Match[str] | None) -> Iterator[Fix]:
    """Other values in place of one that does not fit, or of one that is missing."""
    path, message = trouble.path, trouble.message
    quoted, number = _QUOTED.search(message), _NUMBER.search(message)
    if meant and isinstance(value, str):
        yield Fix(f"Change to “{meant[1]}”", (Edit("set", path, meant[1]),))
    if quoted:
        yield Fix("Add quotes", (Edit("set", path, quoted[1]),))
    if number:
        wanted = float(number[1]) if "." in number[1] else int(number[1])
        yield Fix(f"Write {number[1]}", (Edit("set", path, wanted),))
    if message == yaml_text.NOTHING:
        yield Fix("Remove the empty key", (Edit("remove", path),))
    if re.search(r"must be (?:at least 1|1 or more)\b", message) and not isinstance(value, Mapping):
        yield Fix("Use 1", (Edit("set", path, 1),))
    if path[-1] == "keep" and isinstance(value, Mapping):
        yield from _of_keep(document, trouble)


def _of_keep(document: Document, trouble: Trouble) -> Iterator[Fix]:
    """What a keep rule lacks, from the first question that can decide."""
    path, message = trouble.path, trouble.message
    asked = value_at(document.value, (*path[:-1], "criteria"))
    asked = [each for each in asked or () if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
    keep = value_at(document.value, path)
    if message.startswith("`criterion` is missing"):
        for each in asked[:3]:
            yield Fix(f"Use “{each['name']}”", (Edit("set", (*path, "criterion"), each["name"]),))
    elif message.startswith("`value` is missing"):
        deciding: Mapping[str, Any] = next((each for each in asked if each["name"] == keep.get("criterion")), {})
        for option in deciding.get("options", ())[:3]:
            if isinstance(option, Mapping) and "value" in option:
                label = option.get("label", option["value"])
                yield Fix(f"Keep “{label}”", (Edit("set", (*path, "value"), option["value"]),))


def _people(document: Document, trouble: Trouble) -> Iterator[Fix]:
    """Other numbers of people, or another rule for those who are asked."""
    path, message = trouble.path, trouble.message
    if path[:1] != ("stages",) or len(path) < 2:
        return
    stage, said = path[:2], _SAY.search(message)
    if "majority" in message and "unanimous" in message:
        yield Fix("Say “all”", (Edit("set", (*stage, "keep", "rule"), "unanimous"),))
    if re.search(r"\bask (3|another)|ask 3", message) or ("majority" in message and "raters" in message):
        yield Fix("Ask 3 people", (Edit("set", (*stage, "raters"), 3),))
    if said and said[1] != "secret_in":
        value = value_at(document.value, stage)
        if said[1] == stage[-1]:
            yield Fix(f"Set “{said[1]}” to {said[2]}", (Edit("set", stage, said[2]),))
        elif isinstance(value, Mapping):
            yield Fix(f"Set “{said[1]}” to {said[2]}", (Edit("set", (*stage, said[1]), said[2]),))


def plain_findings(text: str, guideline: str, document: Document) -> list[dict[str, Any]]:
    """Return the findings for the page: line, path, level, message, and fixes."""
    fixes = fixes_for(text, guideline, document)
    return [
        {
            "line": trouble.line,
            "path": list(trouble.path),
            "key": dotted(trouble.path),
            "level": trouble.level,
            "message": _sentence(trouble.message),
            "fixes": [
                {"label": fix.label, "edits": [_plain_edit(edit) for edit in fix.edits]}
                for fix in fixes.get(trouble, ())
            ],
        }
        for trouble in sorted(dict.fromkeys(document.troubles), key=lambda trouble: trouble.line)
    ]


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + ("" if message.endswith("?") else ".")


def _plain_edit(edit: Edit) -> dict[str, Any]:
    return {"do": edit.do, "path": list(edit.path), "value": thawed(edit.value), "at": edit.at}
