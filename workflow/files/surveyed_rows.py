"""Checks of the rows of a project that come from files, before any of them is stored.

The files are an archive or a bundle of evidence. Nobody trusts them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Protocol

from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from db import project_rows
from db.engine import Store
from db.survey import Survey
from domain.errors import InvalidFileError, InvalidInputError, Problem, SchemaError
from importers.table_entries import TableEntry
from workflow.access.accounts import problems_with


class RowFiles(Protocol):
    """Open files that hold the rows of one project."""

    name: str
    """The name in messages."""
    tables: dict[str, TableEntry]

    @property
    def revision(self) -> str:
        """The version of the tables that the rows were written from."""

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every row of a table with its number, from 1."""


def require_known_tables(store: Store, files: RowFiles) -> None:
    """Raise ``InvalidFileError`` if the rows were written from newer tables than those of the database."""
    with store.read() as session:
        here = project_rows.revision(session)
    if files.revision > here:
        raise InvalidFileError(
            f"{files.name} has newer tables ({files.revision}) than this version of Touchstone ({here}). "
            "Update Touchstone, then import the file again. Nothing was imported."
        )


def survey_of(files: RowFiles) -> Survey:
    """Return what is known after every row was checked against its table. Raise ``InvalidFileError`` for a bad row."""
    survey = Survey(files.name, columns_of(files))
    look_through(files, survey)
    return survey


def columns_of(files: RowFiles) -> dict[str, tuple[str, ...]]:
    """Return the columns of each table."""
    return {table: table_rows.columns for table, table_rows in files.tables.items()}


def look_through(files: RowFiles, survey: Survey) -> None:
    """Check every row. Raise ``InvalidFileError`` for a bad one."""
    for table in project_rows.tables():
        for number, row in files.rows(table):
            survey.look(table, number, row)
    survey.end()


def require_sound_texts(files: RowFiles, survey: Survey) -> None:
    """Raise an error if a guideline does not fit its hash, or if nobody may have the login or the name of a person."""
    for _, row in files.rows("guideline_version"):
        if _sha256(row["text"]) != row["hash"]:
            raise InvalidFileError(
                f"{files.name}: the hash of guideline {row['number']} does not match the text of the guideline. "
                "Copy the file again."
            )
    problems = [
        Problem(row["login"], f"{files.name}: {problem.message}")
        for row in survey.people
        for problem in problems_with(row["login"], row["name"])
    ]
    if problems:
        raise InvalidInputError(problems)


def schema_in(files: RowFiles, survey: Survey, *, old_schemas: bool) -> Schema:
    """Return the project's own schema. Raise ``InvalidFileError`` if a schema cannot be read here.

    ``old_schemas``: a schema may have another hash than its text has in this version of Touchstone.
    """
    own: Schema | None = None
    for row in survey.schemas:
        try:
            loaded = load_text(row["text"], row["guideline_text"], row["name"])
        except SchemaError as error:
            raise InvalidFileError(
                f"{files.name}: Touchstone cannot read the schema {row['name']!r}. {error} Nothing was imported."
            ) from error
        hashes = (row["hash"], row["guideline_hash"])
        if hashes != (loaded.hash, loaded.guideline_hash) and not old_schemas:
            raise InvalidFileError(
                f"{files.name}: the hash of the schema {row['name']!r} does not match the text of the "
                "schema. Nothing was imported. If you trust the archive and an older version of "
                "Touchstone created it, run `touchstone project import FILE --old-schemas`."
            )
        if row["id"] == survey.project["schema_version_id"]:
            own = loaded.schema_
    if own is None:
        raise InvalidFileError(f"{files.name}: the project has no schema. Nothing was imported. Copy the file again.")
    return own


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
