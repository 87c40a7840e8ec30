"""Schema files in, frozen schemas out; everything wrong with a file is reported at once, by file, line and key."""

from __future__ import annotations

import difflib
import hashlib
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation_schemas import registry, yaml_text
from annotation_schemas.cross_checks import cross_check
from annotation_schemas.model import LoadedSchema, Schema
from annotation_schemas.yaml_text import Document
from domain.errors import SchemaError


def load_schema(path: Path | str) -> LoadedSchema:
    """Read a schema and its guideline.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    path = Path(path)
    text = _read_file(path)
    document, schema = _parse(text)
    guideline_text = ""
    if schema is not None and schema.guideline is not None:
        guideline_text = _read_guideline(path.parent, schema.guideline, document)
    return _finish(document, schema, text=text, guideline_text=guideline_text, name=str(path))


def load_text(text: str, guideline_text: str, name: str) -> LoadedSchema:
    """Read a schema from its stored texts; ``name`` stands for the file in messages. Raises ``SchemaError``."""
    document, schema = _parse(text)
    return _finish(document, schema, text=text, guideline_text=guideline_text, name=name)


def schema_hash(schema: Schema, guideline_text: str) -> str:
    """SHA-256 of the canonical JSON of what the schema says and of the guideline; comments and layout do not matter."""
    content = {"schema": schema.model_dump(mode="json", exclude_defaults=True), "guideline": guideline_text}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read_file(path: Path) -> str:
    try:
        if path.stat().st_size > yaml_text.LARGEST_BYTES:
            raise ValueError(f"the file has more than {yaml_text.LARGEST_BYTES:,} bytes; a schema is a short text")
        return yaml_text.decode(path.read_bytes())
    except OSError as error:
        raise SchemaError(f"{path}:1: the file cannot be read: {(error.strerror or str(error)).lower()}.") from error
    except ValueError as error:
        raise SchemaError(f"{path}:1: {error}.") from error


def _read_guideline(folder: Path, name: str, document: Document) -> str:
    target = (folder / name).resolve()
    if not target.is_relative_to(folder.resolve()):
        document.add(("guideline",), f"`{name}` lies outside the schema's folder")
        return ""
    if not target.is_file():
        document.add(("guideline",), f"there is no file `{name}` beside the schema")
        return ""
    try:
        return yaml_text.decode(target.read_bytes())
    except ValueError as error:
        document.add(("guideline",), f"`{name}`: {error}")
        return ""


def _parse(text: str) -> tuple[Document, Schema | None]:
    document = yaml_text.read(text)
    if document.value is None:
        return document, None
    try:
        schema = Schema.model_validate(document.value, strict=True)
    except ValidationError as error:
        for detail in error.errors():
            _note(detail, document)
        return document, None
    cross_check(schema, document)
    return document, schema


def _fill_in(schema: Schema) -> Schema:
    """What a schema may leave out because a registry knows it."""
    judges = []
    for judge in schema.judges:
        row = registry.find("template", judge.template)
        if judge.parser is None and isinstance(row, registry.Template):
            judge = judge.model_copy(update={"parser": row.parser})
        judges.append(judge)
    return schema.model_copy(update={"judges": tuple(judges)})


def _finish(document: Document, schema: Schema | None, *, text: str, guideline_text: str, name: str) -> LoadedSchema:
    if document.troubles or schema is None:
        lines: dict[str, None] = {}
        for trouble in sorted(document.troubles, key=lambda trouble: trouble.line):
            key = dotted(trouble.path)
            lines[f"{name}:{trouble.line}: {key}{': ' if key else ''}{trouble.message}."] = None
        raise SchemaError("\n".join(lines))
    return LoadedSchema(
        schema=_fill_in(schema),
        text=text,
        guideline_text=guideline_text,
        hash=schema_hash(schema, guideline_text),
        guideline_hash=hashlib.sha256(guideline_text.encode()).hexdigest(),
    )


def dotted(path: yaml_text.Path) -> str:
    """A path of keys as a person writes it: ``stages.verification.criteria[0].kind``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


# ---- pydantic's complaints as sentences -----------------------------------------------------------------------------


def _note(detail: ErrorDetails, document: Document) -> None:
    path, rest = _path_in(document.value, detail["loc"])
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        document.add(path, f"`{rest[0] if rest else '?'}` is missing")
    elif kind == "extra_forbidden":
        known = _known_keys(path[:-1])
        document.add(path, f"unknown key{_suggestion(str(path[-1]), known)}; known here: {', '.join(known)}")
    elif kind == "literal_error":
        known = [each.strip(" '") for each in str(context.get("expected", "")).replace(" or ", ",").split(",")]
        document.add(path, f"`{given}` is not known{_suggestion(str(given), known)}; known: {', '.join(known)}")
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


def _known_keys(path: yaml_text.Path) -> list[str]:
    """The keys that the grammar knows at a place of the file."""
    model: Any = Schema
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
