"""Reading of schema files as frozen schemas. All problems of a file are reported at once, by file, line and key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotation_schemas import kinds, protocol_checks, registry, reporting, source_media, typed_yaml, yaml_text
from annotation_schemas.cross_checks import cross_check, shown_to_judges
from annotation_schemas.model import LoadedSchema, Schema
from annotation_schemas.yaml_text import Document
from domain.errors import SchemaError

_KNOWN = {
    "criterion_kind": [*kinds.CRITERIA, *kinds.away_kinds()],
    "field_kind": [*kinds.FIELDS, *kinds.away_fields()],
}
"""The names that a file may use and that the models do not know themselves."""
_FORMER_KEYS: dict[yaml_text.Path, str] = {("stages", "adjudication", "causes"): "reasons"}
"""Earlier keys with their current names. Stored schemas of projects may still use them."""


@dataclass(frozen=True)
class SchemaCheck:
    """A valid schema file, with warnings about parts that may be unintended."""

    loaded: LoadedSchema
    warnings: tuple[str, ...] = ()
    """One line each: ``file:line: warning: key: what happens, and what to do``."""


def load_schema(path: Path | str) -> LoadedSchema:
    """Read a schema and its guideline.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    return examine(path).loaded


def examine(path: Path | str) -> SchemaCheck:
    """Read a schema as ``load_schema`` does, and return its warnings too. A ``SchemaError`` also lists the warnings."""
    path = Path(path)
    text = typed_yaml.read_file(path)
    return _examined(text, str(path), lambda name, document: _read_guideline(path.parent, name, document))


def examine_text(text: str, guideline_text: str, name: str) -> SchemaCheck:
    """Examine a schema that is not a file yet, with the given guideline. Messages name ``name``."""
    return _examined(text, name, lambda _, __: guideline_text)


def examine_document(text: str, guideline_text: str) -> tuple[Document, LoadedSchema | None]:
    """Examine a schema that is not a file yet. Return its problems by key and line, and the schema if it is valid."""
    return _document(text, lambda _, __: guideline_text)


def _examined(text: str, name: str, guideline: Callable[[str, Document], str]) -> SchemaCheck:
    document, loaded = _document(text, guideline)
    if loaded is None:
        raise SchemaError(typed_yaml.in_lines(document, name))
    return SchemaCheck(loaded, tuple(typed_yaml.in_lines(document, name).splitlines()))


def _document(text: str, guideline: Callable[[str, Document], str]) -> tuple[Document, LoadedSchema | None]:
    document, schema = _parse(text)
    guideline_text = ""
    if schema is not None:
        for where, message in (*shown_to_judges(schema), *reporting.troubles(schema), *source_media.troubles(schema)):
            document.add(where, message)
    if schema is not None and schema.guideline is not None:
        guideline_text = guideline(schema.guideline, document)
    if schema is not None and not document.errors:
        for finding in protocol_checks.findings(schema):
            document.add(finding.path, finding.message, level=finding.level)
    if schema is None or document.errors:
        return document, None
    return document, _finished(schema, text=text, guideline_text=guideline_text)


def load_text(text: str, guideline_text: str, name: str) -> LoadedSchema:
    """Read a schema from its stored texts. Messages name ``name``. Raise ``SchemaError`` for an invalid text.

    A stored protocol is not checked again for parts that cannot work. So a project opens under the version that it was
    created with.
    """
    document, schema = _parse(text)
    if document.errors or schema is None:
        raise SchemaError(typed_yaml.in_lines(document, name))
    return _finished(schema, text=text, guideline_text=guideline_text)


def schema_hash(schema: Schema, guideline_text: str) -> str:
    """Return the SHA-256 of the schema's canonical JSON and of the guideline. Comments and layout do not matter.

    Keys are hashed under their first names, the models' aliases. So renaming a key does not change the version of a
    schema.
    """
    plain_schema = schema.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    content = {"schema": plain_schema, "guideline": guideline_text}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _read_guideline(folder: Path, name: str, document: Document) -> str:
    target = (folder / name).resolve()
    if not target.is_relative_to(folder.resolve()):
        document.add(("guideline",), f"`{name}` lies outside the schema's folder; move the file next to the schema")
        return ""
    if not target.is_file():
        document.add(
            ("guideline",), f"there is no file `{name}` next to the schema; create the file, or remove this key"
        )
        return ""
    try:
        return yaml_text.decode(target.read_bytes())
    except ValueError as error:
        document.add(("guideline",), f"`{name}`: {error}")
        return ""


def _parse(text: str) -> tuple[Document, Schema | None]:
    document, schema = _parsed(text)
    return replace(document, troubles=list(document.troubles)), schema  # anyone who asked may add to them


@lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[Document, Schema | None]:
    """Parse a schema's text, once. Callers may add to the list of problems and change nothing else."""
    document, schema = typed_yaml.parse(text, Schema, _KNOWN, former=_FORMER_KEYS)
    if schema is not None:
        cross_check(schema, document)
    elif document.value is not None:
        _check_the_rest(document)
    return document, schema


def _check_the_rest(document: Document) -> None:
    """Report further problems of a file with invalid values, unless they depend on these values."""
    schema, holes = typed_yaml.repaired(document, Schema, _KNOWN)
    if schema is None:
        return
    rest = Document(document.value, document.lines)
    cross_check(schema, rest)
    mended = {name for hole in holes if (name := _named_around(document.value, hole)) is not None}
    for trouble in rest.troubles:
        touched = any(trouble.path[: len(hole)] == hole or hole[: len(trouble.path)] == trouble.path for hole in holes)
        if not touched and not any(f"`{name}`" in trouble.message for name in mended):
            document.troubles.append(trouble)


def _named_around(value: Any, path: yaml_text.Path) -> str | None:
    """Return the name of the innermost named entry at a path, which other checks must ignore."""
    innermost = None
    for step in (*path, None):
        if isinstance(value, dict):
            name = next((value[key] for key in ("name", "id", "role") if isinstance(value.get(key), str)), None)
            innermost = name if name is not None and innermost != name else innermost
        inside = step in value if isinstance(value, dict) else isinstance(step, int) and step < len(value or ())
        if step is None or not inside:
            break
        value = value[step]
    return innermost


def _fill_in(schema: Schema) -> Schema:
    """What a schema may leave out because a registry knows it."""
    judges = []
    for judge in schema.judges:
        row = registry.find("template", judge.template)
        if judge.parser is None and isinstance(row, registry.Template):
            judge = judge.model_copy(update={"parser": row.parser})
        judges.append(judge)
    return schema.model_copy(update={"judges": tuple(judges)})


def _finished(schema: Schema, *, text: str, guideline_text: str) -> LoadedSchema:
    return LoadedSchema(
        schema=_fill_in(schema),
        text=text,
        guideline_text=guideline_text,
        hash=schema_hash(schema, guideline_text),
        guideline_hash=hashlib.sha256(guideline_text.encode()).hexdigest(),
    )
