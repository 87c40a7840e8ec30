"""Convert values of a task's data and of a control to the schema's form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from annotation_schemas import kinds
from annotation_schemas.formats import Misfit
from annotation_schemas.model import Criterion, ItemField

_LONGEST_RATER = 100


def rater_name(name: str) -> str:
    """Return an annotator's name. Raise ``Misfit`` if it is too long."""
    if len(name) > _LONGEST_RATER:
        raise Misfit(f"the annotator's name has more than {_LONGEST_RATER} characters. Shorten the name")
    return name


def short_json(part: Mapping[str, Any]) -> str:
    """Return an object of a file as JSON, cut where it is very long."""
    return json.dumps(part, ensure_ascii=False)[:10_000]


def field_value(part: ItemField, value: Any, key: str) -> Any:
    """Return a field's value from a task's data. None if it is missing."""
    if value is None or value == "":
        return None
    if kinds.of_field(part).holds == "text" and isinstance(value, int | float):
        return json.dumps(value)
    if kinds.of_field(part).holds == "texts":
        if not isinstance(value, list):
            raise Misfit(f"{key} must be a list")
        return [_entry(entry, key) for entry in value]
    return value


def _entry(entry: Any, key: str) -> str:
    """Return an entry of a list as text. Choices in a task's data are objects."""
    if isinstance(entry, dict):
        entry = next((entry[name] for name in ("value", "text", "body", "html") if entry.get(name) is not None), None)
    if isinstance(entry, int | float) and not isinstance(entry, bool):
        return json.dumps(entry)
    if not isinstance(entry, str):
        raise Misfit(f"each element of {key} must be text")
    return entry


def media_path(value: Any, key: str) -> str:
    """Return the path of the file that a task names, for a search below a folder.

    >>> media_path("/data/local-files/?d=kitchen/green%20one.png", "image")
    'kitchen/green one.png'
    >>> media_path("https://example.org/pictures/1.png?sig=abc", "image")
    'pictures/1.png'
    """
    if not isinstance(value, str) or not value.strip():
        raise Misfit(f"{key} must name a file")
    if value.lstrip().lower().startswith("data:"):
        raise Misfit(f"{key} contains the image data. Save the image as a file, and give the file's path instead")
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        raise Misfit(f"{key} must be a path or an address, not {value[:60]!r}") from None
    if parts.path.rstrip("/").endswith("/data/local-files"):
        path = (parse_qs(parts.query).get("d") or [""])[0]
    elif len(parts.scheme) > 1:
        path = unquote(parts.path)
    elif parts.path.startswith("/data/"):
        path = unquote(parts.path).removeprefix("/data/")
    else:
        path = value.strip()
    names = [name for name in path.replace("\\", "/").split("/") if name not in ("", ".", "..")]
    if not names:
        raise Misfit(f"{key} must name a file, not {value[:60]!r}")
    return "/".join(names)


def of_type(wanted: str, part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result as the type of control that we would use, if another control holds the same answer."""
    kind, value = part.get("type"), part.get("value")
    if kind == wanted or not isinstance(value, dict):
        return part
    if {kind, wanted} == {"rectangle", "rectanglelabels"}:
        return {**part, "type": wanted}
    text = text_of(value)
    if text is None:
        return part
    if wanted == "choices":
        chosen = value.get("choices")
        return {**part, "type": wanted, "value": {"choices": chosen if isinstance(chosen, list) else [text]}}
    if wanted == "textarea":
        return {**part, "type": wanted, "value": {"text": [text]}}
    if wanted in ("rating", "number"):
        try:
            number = json.loads(text, parse_constant=str)
        except ValueError:
            return part
        return {**part, "type": wanted, "value": {wanted: number}}
    return part


def text_of(value: Any) -> str | None:
    """Return the content of a control as text. None if it has no text."""
    if not isinstance(value, dict):
        return None
    for name in ("text", "choices", "rating", "number"):
        part = value.get(name)
        if isinstance(part, str):
            return part
        if isinstance(part, int | float) and not isinstance(part, bool):
            return json.dumps(part)
        if isinstance(part, list) and part and all(isinstance(entry, str) for entry in part):
            return ("\n" if name == "text" else ", ").join(part)
    return None


def results_of(control: str, criterion: Criterion, value: Any) -> list[dict[str, Any]]:
    """Return a control's value in JSON-MIN as results."""
    if isinstance(value, dict):
        value = value.get("choices") or value.get("text") or [value]
    entries = value if isinstance(value, list) else [value]
    objects = [entry for entry in entries if isinstance(entry, dict)]
    if objects:
        return [
            {
                "from_name": control,
                "type": next((name for name in ("rating", "number", "rectanglelabels") if name in entry), ""),
                "original_width": entry.get("original_width"),
                "original_height": entry.get("original_height"),
                "value": {key: part for key, part in entry.items() if not key.startswith("original_")},
            }
            for entry in objects
        ]
    kind, name = ("textarea", "text") if kinds.of_criterion(criterion).in_words else ("choices", "choices")
    return [{"from_name": control, "type": kind, "value": {name: entries}}]
