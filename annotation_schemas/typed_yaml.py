"""Reading of YAML texts as frozen models, with all problems as sentences with line and key."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation_schemas import yaml_text
from annotation_schemas.yaml_text import Document
from domain import extensions
from domain.errors import SchemaError

Model = TypeVar("Model", bound=BaseModel)
Context = Mapping[str, list[str]]


def parse(
    text: str,
    model: type[Model],
    context: Context | None = None,
    *,
    former: Mapping[yaml_text.Path, str] | None = None,
) -> tuple[Document, Model | None]:
    """Return the document with its problems, and the ``model`` that was read from it, or None if it is invalid.

    ``context`` is passed to the model's own checks: lists of known names, by type. ``former`` maps the paths of
    earlier keys to their current names. Such keys are read with a warning.
    """
    document = yaml_text.parse_yaml(text)
    if document.value is None:
        return document, None
    for path, name in (former or {}).items():
        _rename(document, path, name)
    try:
        parsed = model.model_validate(document.value, strict=True, context=context)
    except ValidationError as error:
        for detail in error.errors():
            path, _ = _path_in(document.value, detail["loc"])
            follows = document.broken and detail["type"] == "missing"
            if not follows and not (path and document.line_of(path) in document.odd):
                _note(detail, document, model)
        return document, None
    return document, None if document.broken else parsed


def repaired(
    document: Document, model: type[Model], context: Context | None = None
) -> tuple[Model | None, set[yaml_text.Path]]:
    """Return the model with invalid values replaced, so that the rest can be checked, and the replaced paths.

    Later checks must ignore the replaced paths.
    """
    holes: set[yaml_text.Path] = set()
    if document.broken or not isinstance(document.value, dict) or _at_root(document, model):
        return None, holes
    holes |= {trouble.path[:-1] for trouble in document.troubles if _is_of_the_text(trouble)}
    value = _thawed(document.value)
    for _ in range(_ROUNDS):
        try:
            return model.model_validate(_frozen(value), strict=True, context=context), holes - {()}
        except ValidationError as error:
            for detail in error.errors():
                path, rest = _path_in(value, detail["loc"])
                alone = detail["type"] in _FILLERS and not isinstance(_FILLERS[detail["type"]], list | dict)
                holes.add(path if alone and path else path[:-1] if path else tuple(rest[:1]))
                if not _mended(value, path, rest, detail):
                    return None, holes
    return None, holes


_ROUNDS = 4
_FILLERS: Mapping[str, Any] = {
    "string_type": "placeholder",
    "int_type": 1,
    "int_from_float": 1,
    "float_type": 1.0,
    "bool_type": False,
    "tuple_type": [],
    "dict_type": {},
}


def _rename(document: Document, path: yaml_text.Path, name: str) -> None:
    """Read the key at a path under its new name, on its own line. Refuse a document with both names."""
    *around, old = path
    place = document.value
    for step in around:
        place = place.get(step) if isinstance(place, dict) else None
    if not isinstance(place, dict) or old not in place:
        return
    value = place.pop(old)
    if name in place:
        document.add(path, f"the file has both `{name}` and its earlier name `{old}`; remove `{old}`")
        return
    document.add(
        path,
        f"`{old}` is now called `{name}`; use the new name, because the next version rejects `{old}`",
        level=yaml_text.WARNING,
    )
    place[name] = value
    moved = {at: line for at, line in document.lines.items() if at[: len(path)] == path}
    document.lines.update({(*around, name, *at[len(path) :]): line for at, line in moved.items()})


def _is_of_the_text(trouble: yaml_text.Trouble) -> bool:
    """Whether YAML itself may have been misread, so that a key may have another value than intended."""
    return bool(trouble.path) and ("duplicate key" in trouble.message or "YAML reads" in trouble.message)


def _at_root(document: Document, model: type[BaseModel]) -> bool:
    """Whether a wrong key at the top level may be one that the rest of the file refers to."""
    known = list(model.model_fields)
    structured = [name for name in known if _model_in(model.model_fields[name].annotation) is not None]
    wrong = [str(trouble.path[0]) for trouble in document.troubles if len(trouble.path) == 1]
    return any(
        name in structured or set(difflib.get_close_matches(name, known, n=1)) & set(structured) for name in wrong
    )


def _mended(value: Any, path: yaml_text.Path, rest: list[str | int], detail: ErrorDetails) -> bool:
    """Replace an invalid value in place, and return whether that was possible."""
    kind = detail["type"]
    place = value
    for step in path if kind == "missing" else path[:-1]:
        place = place[step]
    if kind == "missing":
        if not rest or not isinstance(place, dict) or (not path and rest[0] not in ("name", "title", "version")):
            return False
        place[rest[0]] = "placeholder"
    elif not path:
        return False
    elif kind == "extra_forbidden" and isinstance(place, dict):
        del place[path[-1]]
    elif kind == "literal_error":
        place[path[-1]] = str(detail.get("ctx", {}).get("expected", "")).split("'")[1]
    elif kind in _FILLERS:
        place[path[-1]] = _as_meant(kind, detail["input"])
    elif isinstance(place, dict):
        del place[path[-1]]
    else:
        return False
    return True


def _as_meant(kind: str, given: Any) -> Any:
    """Return a value of the expected type for a value of another type."""
    if kind == "tuple_type" and isinstance(given, str):
        return [given]
    if kind in ("int_type", "float_type") and isinstance(given, str) and _is_number(given):
        return int(float(given)) if kind == "int_type" else float(given)
    return _thawed(_FILLERS[kind])


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(part) for key, part in value.items()}
    return [_thawed(part) for part in value] if isinstance(value, tuple | list) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(part) for key, part in value.items()}
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple | list) else value


def read_file(path: Path) -> str:
    """Return a short text file in UTF-8. Raise ``SchemaError`` with a sentence for any other file."""
    try:
        if path.stat().st_size > yaml_text.LARGEST_BYTES:
            raise ValueError(
                f"the file has more than {yaml_text.LARGEST_BYTES:,} bytes; choose another file, or shorten the schema"
            )
        return yaml_text.decode(path.read_bytes())
    except OSError as error:
        raise SchemaError(
            f"{path}:1: the file cannot be read: {(error.strerror or str(error)).lower()}. Check the path and the "
            "permissions."
        ) from error
    except ValueError as error:
        raise SchemaError(f"{path}:1: {error}.") from error


def in_lines(document: Document, name: str) -> str:
    """Return all problems of a document, a line each: ``name:line: key: what is wrong``; warnings are marked."""
    lines: dict[str, None] = {}
    for trouble in sorted(document.troubles, key=lambda trouble: trouble.line):
        key = dotted(trouble.path)
        level = "warning: " if trouble.level == yaml_text.WARNING else ""
        lines[f"{name}:{trouble.line}: {level}{key}{': ' if key else ''}{_ended(trouble.message)}"] = None
    return "\n".join(lines)


def _ended(message: str) -> str:
    return message if message.endswith("?") else f"{message}."


def dotted(path: yaml_text.Path) -> str:
    """Return a path of keys as text: ``stages.verification.criteria[0].kind``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


# ---- pydantic's complaints as sentences -----------------------------------------------------------------------------


def _note(detail: ErrorDetails, document: Document, root: type[BaseModel]) -> None:
    path, rest = _path_in(document.value, detail["loc"])
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "float_type" and (complaint := _said(document, path, _WANTED["int_type"])) is not None:
        # whole or not, as the key takes either: one sentence, which may not call for a whole number
        _forget(document, path, _WANTED["int_type"])
        document.add(path, _WANTED[kind] + complaint.removeprefix(_WANTED["int_type"]))
        return
    if kind == "missing":
        document.add(path, _missing(path, str(rest[0]) if rest else "?", root))
    elif kind == "extra_forbidden":
        _forget(document, path, yaml_text.NOTHING)
        document.add(path, _unknown_key(document, path, root))
    elif kind == "literal_error":
        known = [value.strip(" '") for value in str(context.get("expected", "")).replace(" or ", ",").split(",")]
        away = extensions.missing("kinds", str(given)) if path[-1:] == ("kind",) else None
        near = _suggestion(str(given), known)
        added = "; if an extension adds this kind, install the extension" if path[-1:] == ("kind",) and not near else ""
        document.add(path, away or f"`{given}` is not a known value{near}; known values: {', '.join(known)}{added}")
    elif kind == "value_error":
        document.add(path, str(context.get("error", detail["msg"])))
    elif given is None:
        _forget(document, path, yaml_text.NOTHING)
        document.add(path, "the value is missing; write a value after the colon")
    elif kind == "string_type" and isinstance(given, bool | int | float):
        shown = str(given).lower() if isinstance(given, bool) else str(given)
        document.add(
            path, f'the value must be text, but YAML reads {shown} as {_kind(given)}; quote the value: "{shown}"'
        )
    elif kind in _WANTED and _forget(document, path, yaml_text.READ_OTHERWISE):
        digits = isinstance(given, str) and given.lstrip("+-").isdigit()
        shown = f"`{given}`" if len(str(given)) <= _LONGEST else f"{len(str(given)):,} characters"
        instead = "" if _is_number(str(given)) else _instead(kind, given, key_order(path, root))
        document.add(path, f"{_WANTED[kind]}, not {shown}{'; write at most 15 digits' if digits else instead}")
    else:
        complaint = _WANTED.get(kind, detail["msg"].lower())
        document.add(path, f"{complaint}, not {_kind(given)}{_instead(kind, given, key_order(path, root))}")


_LONGEST = 40
"""The maximum length of a value that messages repeat."""
_WANTED = {
    "string_type": "the value must be text",
    "int_type": "the value must be a whole number",
    "float_type": "the value must be a number",
    "bool_type": "the value must be true or false",
    "tuple_type": "the value must be a list",
    "dict_type": "the value must be a mapping",
    "model_type": "the value must be a mapping",
    "model_attributes_type": "the value must be a mapping",
}


def _missing(path: yaml_text.Path, key: str, root: type[BaseModel]) -> str:
    """Return a message about a missing key, with its meaning."""
    model = _model_at(path, root)
    meaning = (model.model_fields[key].description or "") if model is not None and key in model.model_fields else ""
    first = meaning.split(". ")[0].split(";")[0].rstrip(".")
    return f"`{key}` is missing{f': {first[0].lower()}{first[1:]}' if first else ''}; add this key"


def _unknown_key(document: Document, path: yaml_text.Path, root: type[BaseModel]) -> str:
    """Return a message about an unknown key, with a suggestion: another key, another level, or a missing space."""
    key, known = str(path[-1]), key_order(path[:-1], root)
    name, colon, value = key.partition(":")
    if colon and name in known:
        return f"unknown key; a space is missing after the colon: write `{name}: {value}`"
    near = _suggestion(key, known)
    place = document.value
    for step in path[:-1]:
        place = place[step]
    model = _model_at(path[:-1], root)
    advice = getattr(model, "lacks", {}).get(key)
    if advice is not None:
        return f"unknown key; {advice}"
    lacking = [
        name
        for name, field in (model.model_fields.items() if model is not None else ())
        if field.is_required() and name not in place
    ]
    if len(lacking) == 1:
        near = f"; did you mean `{lacking[0]}`?"
    elif _MEANT.get(key) in known:
        near = f"; did you mean `{_MEANT[key]}`?"
    else:
        near = _elsewhere(key, path, root) or near
    return f"unknown key{near}; known keys: {', '.join(known)}"


_MEANT = {"type": "kind", "choices": "options", "text": "prompt", "description": "definition", "default": "value"}
"""Names of our keys in other tools."""


def _elsewhere(key: str, path: yaml_text.Path, root: type[BaseModel]) -> str:
    """Return the level where a key belongs, if it is known further out or one step further in; otherwise an empty
    text.
    """
    for end in range(len(path) - 2, -1, -1):
        around = path[:end]
        if (not around or isinstance(around[-1], str)) and key in key_order(around, root):
            where = f"of `{around[-1]}`" if around else "at the top level"
            return f"; this is a key {where}, so indent the key less"
    model = _model_at(path[:-1], root)
    for name, field in model.model_fields.items() if model is not None else ():
        inner = _model_in(field.annotation)
        if isinstance(inner, type) and issubclass(inner, BaseModel) and key in inner.model_fields:
            return f"; move this key to `{name}`"
    return ""


def _said(document: Document, path: yaml_text.Path, begins: str) -> str | None:
    """Return the message at a key that begins with these words, or None."""
    return next(
        (
            trouble.message
            for trouble in document.troubles
            if trouble.path == path and trouble.message.startswith(begins)
        ),
        None,
    )


def _forget(document: Document, path: yaml_text.Path, begins: str) -> bool:
    """Remove messages at a key that its own type explains better, and return whether there were any."""
    kept = [trouble for trouble in document.troubles if trouble.path != path or not trouble.message.startswith(begins)]
    forgotten = len(kept) < len(document.troubles)
    document.troubles[:] = kept
    return forgotten


def _instead(kind: str, given: Any, known: list[str]) -> str:
    """Return the correct spelling of a value of another type, as the end of a sentence."""
    if kind == "int_type" and isinstance(given, float):
        return f"; write {int(given)}"
    if kind in ("int_type", "float_type") and isinstance(given, str):
        return f"; write {given} without quotes" if _is_number(given) else "; write the number in digits"
    if kind == "bool_type" and isinstance(given, str) and given.lower() in _SAID:
        return f"; write {str(_SAID[given.lower()]).lower()}"
    if kind == "tuple_type":
        return "; begin each entry with `- `" if isinstance(given, Mapping) else f"; write [{given}]"
    if kind in ("dict_type", "model_type", "model_attributes_type"):
        return f"; use these keys: {', '.join(known)}" if known else "; write `key: value`"
    return ""


_SAID = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).lstrip("+-").isdigit()


def _kind(given: Any) -> str:
    for types_, name in (
        ((bool,), "a truth value"),
        ((int, float), "a number"),
        ((str,), "text"),
        ((tuple, list), "a list"),
        ((Mapping,), "a mapping"),
    ):
        if isinstance(given, types_):
            return name
    return "nothing"


def _path_in(value: Any, loc: tuple[str | int, ...]) -> tuple[yaml_text.Path, list[str | int]]:
    """Split pydantic's location into the path in the file and the rest (missing keys, names of types)."""
    path: list[str | int] = []
    steps = list(loc)
    while steps:
        step = steps[0]
        inside = (isinstance(value, Mapping) and step in value) or (
            isinstance(value, tuple | list) and isinstance(step, int) and step < len(value)
        )
        if not inside:
            break
        value = value[step]
        path.append(steps.pop(0))
    return tuple(path), steps


def _suggestion(given: str, known: list[str]) -> str:
    close = difflib.get_close_matches(given, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def key_order(path: yaml_text.Path, root: type[BaseModel]) -> list[str]:
    """Return the keys that the grammar allows at a path, in its order."""
    model = _model_at(path, root)
    return list(model.model_fields) if model is not None else []


def _model_at(path: yaml_text.Path, root: type[BaseModel]) -> type[BaseModel] | None:
    """Return the part of the grammar at a path, or None for plain values."""
    model: Any = root
    for step in path:
        if isinstance(step, int):
            continue
        if not (isinstance(model, type) and issubclass(model, BaseModel)) or step not in model.model_fields:
            return None
        model = _model_in(model.model_fields[step].annotation)
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def _model_in(annotation: Any) -> Any:
    """Return the model inside ``X``, ``X | None`` or ``tuple[X, ...]``."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation
    for argument in typing.get_args(annotation):
        model = _model_in(argument)
        if isinstance(model, type) and issubclass(model, BaseModel):
            return model
    return None
