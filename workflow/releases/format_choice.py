"""The formats in which a release of a schema can be written."""

from __future__ import annotations

from annotation_schemas.formats import FORMATS, Format, offered
from annotation_schemas.model import Schema
from domain import extensions
from domain.errors import InvalidFileError, NotAvailableError
from workflow.releases.settings import ReleaseOptions


def formats_of(schema: Schema, asked: ReleaseOptions) -> list[Format]:
    """Return the formats of a release, in the order in which they are written.

    Raises
    ------
    InvalidFileError
        A format is unknown, holds no items, or cannot hold the items of this schema.
    NotAvailableError
        A format belongs to an extension that is not installed.
    """
    known = releasable(schema)
    names = asked.formats or usual_formats(schema)
    if away := [why for name in asked.formats or schema.export.formats if (why := extensions.missing("formats", name))]:
        raise NotAvailableError("\n".join(away))
    if odd := [name for name in names if name not in known]:
        raise InvalidFileError(
            f"Touchstone cannot write a release as {', '.join(odd)}. Choose from: {', '.join(known)}."
        )
    rows = [known[name] for name in dict.fromkeys(names)]
    if refused := [f"{row.name}: {why}" for row in rows if (why := row.carries(schema))]:
        raise InvalidFileError("\n".join(refused))
    if lone := [
        f"{row.name} also needs {companion}" for row in rows for companion in row.beside if companion not in names
    ]:
        raise InvalidFileError(f"{'; '.join(lone)}. Choose the missing format too.")
    return sorted(rows, key=lambda row: row.place)


def usual_formats(schema: Schema) -> tuple[str, ...]:
    """Return the default formats of a release: those of the schema that can hold its items."""
    fitting = [name for name, row in releasable(schema).items() if row.carries(schema) is None]
    return tuple(name for name in schema.export.formats if name in fitting) or tuple(fitting)[:1]


def releasable(schema: Schema) -> dict[str, Format]:
    """Return the formats in which a release of a schema can be written, by name."""
    there = [row for row in FORMATS.values() if row.releases and row.available]
    own = [row for row in offered(schema, writes=True) if row in there]
    others = [row for row in there if row.fits(schema) or (row.keys is not None and row.keys.open)]
    return {row.name: row for row in (*own, *others)}
