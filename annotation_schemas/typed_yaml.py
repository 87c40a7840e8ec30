"""YAML texts as frozen models; everything that is wrong with one, as sentences with line and key."""

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
    """The document with its troubles, and what it says as a ``model``; None where it does not fit.

    ``context`` is what the model's own checks are told: lists of known names, by what they name. ``former`` are keys
    by their earlier names, as paths, with the names that they have now: they are read as these, with a warning.
    """
    document = yaml_text.read(text)
    if document.value is None:
        return document, None
    for path, name in (former or {}).items():
        _rename(document, path, name)
    try:
        found = model.model_validate(document.value, strict=True, context=context)
    except ValidationError as error:
        for detail in error.errors():
            path, _ = _path_in(document.value, detail["loc"])
            follows = document.broken and detail["type"] == "missing"
            if not follows and not (path and document.line_of(path) in document.odd):
                _note(detail, document, model)
        return document, None
    return document, None if document.broken else found


def repaired(
    document: Document, model: type[Model], context: Context | None = None
) -> tuple[Model | None, set[yaml_text.Path]]:
    """What a document would say if each value that does not fit its key did, so that the rest can be checked as well,
    and the places that were mended, about which nothing can be said."""
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
                path, rest = _path_in(_frozen(value), detail["loc"])
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
    """Read the key at a path as if it had that name, on its own line; a document with both names is refused."""
    *around, old = path
    place = document.value
    for step in around:
        place = place.get(step) if isinstance(place, dict) else None
    if not isinstance(place, dict) or old not in place:
        return
    value = place.pop(old)
    if name in place:
        document.add(path, f"`{old}` is the earlier name of `{name}`, and both are given; leave `{old}` out")
        return
    document.add(path, f"`{old}` is `{name}` now; the old name goes with the next version", level=yaml_text.WARNING)
    place[name] = value
    moved = {at: line for at, line in document.lines.items() if at[: len(path)] == path}
    document.lines.update({(*around, name, *at[len(path) :]): line for at, line in moved.items()})


def _is_of_the_text(trouble: yaml_text.Trouble) -> bool:
    """Whether YAML itself was misunderstood, so that a key may say something else than was meant."""
    return bool(trouble.path) and ("duplicate key" in trouble.message or "YAML reads" in trouble.message)


def _at_root(document: Document, model: type[BaseModel]) -> bool:
    """Whether a key of the top level is wrong that the rest of the file may refer to."""
    known = list(model.model_fields)
    structured = [name for name in known if _model_in(model.model_fields[name].annotation) is not None]
    wrong = [str(trouble.path[0]) for trouble in document.troubles if len(trouble.path) == 1]
    return any(
        name in structured or set(difflib.get_close_matches(name, known, n=1)) & set(structured) for name in wrong
    )


def _mended(value: Any, path: yaml_text.Path, rest: list[str | int], detail: ErrorDetails) -> bool:
    """Whether a value that does not fit could be made to, in place."""
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
        place[path[-1]] = _thawed(_FILLERS[kind])
    elif isinstance(place, dict):
        del place[path[-1]]
    else:
        return False
    return True


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(part) for key, part in value.items()}
    return [_thawed(part) for part in value] if isinstance(value, tuple | list) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(part) for key, part in value.items()}
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple | list) else value


def read_file(path: Path) -> str:
    """A short text file in UTF-8; ``SchemaError`` with a sentence for anything else."""
    try:
        if path.stat().st_size > yaml_text.LARGEST_BYTES:
            raise ValueError(f"the file has more than {yaml_text.LARGEST_BYTES:,} bytes; a schema is a short text")
        return yaml_text.decode(path.read_bytes())
    except OSError as error:
        raise SchemaError(f"{path}:1: the file cannot be read: {(error.strerror or str(error)).lower()}.") from error
    except ValueError as error:
        raise SchemaError(f"{path}:1: {error}.") from error


def in_lines(document: Document, name: str) -> str:
    """All troubles of a document, a line each: ``name:line: key: what is wrong``; warnings say that they are."""
    lines: dict[str, None] = {}
    for trouble in sorted(document.troubles, key=lambda trouble: trouble.line):
        key = dotted(trouble.path)
        level = "warning: " if trouble.level == yaml_text.WARNING else ""
        lines[f"{name}:{trouble.line}: {level}{key}{': ' if key else ''}{trouble.message}."] = None
    return "\n".join(lines)


def dotted(path: yaml_text.Path) -> str:
    """A path of keys as a person writes it: ``stages.verification.criteria[0].kind``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


# ---- pydantic's complaints as sentences -----------------------------------------------------------------------------


def _note(detail: ErrorDetails, document: Document, root: type[BaseModel]) -> None:
    path, rest = _path_in(document.value, detail["loc"])
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        document.add(path, f"`{rest[0] if rest else '?'}` is missing")
    elif kind == "extra_forbidden":
        known = _known_keys(path[:-1], root)
        document.add(path, f"unknown key{_suggestion(str(path[-1]), known)}; known here: {', '.join(known)}")
    elif kind == "literal_error":
        known = [each.strip(" '") for each in str(context.get("expected", "")).replace(" or ", ",").split(",")]
        document.add(path, f"`{given}` is not known{_suggestion(str(given), known)}; known: {', '.join(known)}")
    elif kind == "value_error":
        document.add(path, str(context.get("error", detail["msg"])))
    elif given is None:
        document.add(path, "the value is missing")
    elif kind == "string_type" and isinstance(given, bool | int | float):
        shown = str(given).lower() if isinstance(given, bool) else str(given)
        document.add(path, f'text is wanted, and YAML reads {shown} as {_kind(given)}; quote it: "{shown}"')
    else:
        document.add(path, _WANTED.get(kind, detail["msg"].lower()) + f", not {_kind(given)}{_whole(kind, given)}")


_WANTED = {
    "string_type": "text is wanted",
    "int_type": "a whole number is wanted",
    "float_type": "a number is wanted",
    "bool_type": "true or false is wanted",
    "tuple_type": "a list is wanted",
    "dict_type": "a mapping is wanted",
    "model_type": "a mapping is wanted",
    "model_attributes_type": "a mapping is wanted",
}


def _whole(kind: str, given: Any) -> str:
    return f"; write {int(given)}" if kind == "int_type" and isinstance(given, float) else ""


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
    """The part of pydantic's location that is in the file, and what is left of it (missing keys, names of types)."""
    path: list[str | int] = []
    steps = list(loc)
    while steps:
        step = steps[0]
        inside = (isinstance(value, Mapping) and step in value) or (
            isinstance(value, tuple) and isinstance(step, int) and step < len(value)
        )
        if not inside:
            break
        value = value[step]
        path.append(steps.pop(0))
    return tuple(path), steps


def _suggestion(given: str, known: list[str]) -> str:
    close = difflib.get_close_matches(given, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _known_keys(path: yaml_text.Path, root: type[BaseModel]) -> list[str]:
    """The keys that the grammar knows at a place of the file."""
    model: Any = root
    for step in path:
        if isinstance(step, int):
            continue
        if not (isinstance(model, type) and issubclass(model, BaseModel)) or step not in model.model_fields:
            return []
        model = _model_in(model.model_fields[step].annotation)
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """The model inside ``X``, ``X | None`` or ``tuple[X, ...]``."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation
    for argument in typing.get_args(annotation):
        found = _model_in(argument)
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return None
