"""Imports of files in any format: annotation files with media, answers, ratings, tool results, attributes and labels.

Each import is one transaction, so it stores all rows or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas import registry
from annotation_schemas.formats import FORMATS, ColumnMapping, Format, Takes, named, offered
from db.attributes import DESCRIBED, LABELLED
from db.engine import Store
from domain import extensions
from domain.errors import InvalidFileError, ModelError, NotAvailableError
from domain.manifests import NAME, read_manifest, restricted
from domain.records import Person
from domain.states import RatersAre
from importers.media_files import MediaFolder
from importers.readers import reader_of
from workflow.access.projects import Access, require_lead
from workflow.files.import_answers import import_answers
from workflow.files.import_items import import_items
from workflow.files.import_look import Look, look
from workflow.files.one_import import Import, ImportSummary, Progress
from workflow.results import attributes
from workflow.results.ratings_from_files import import_ratings

if TYPE_CHECKING:
    from inference.spec import ModelSpec
    from media.store import MediaStore


def import_files(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    format: str,
    path: Path,
    media_dir: Path | None = None,
    dimension: str | None = None,
    skip_bad: bool = False,
    new_only: bool = False,
    model: str | None = None,
    spec: ModelSpec | None = None,
    raters: RatersAre | None = None,
    said: ColumnMapping | None = None,
    missing: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ImportSummary:
    """Import a file, or all files below a folder, into a project.

    Rows that are already stored, word for word, are counted and skipped. Missing media are filled in.

    Parameters
    ----------
    by
        None is a command on the machine itself.
    new_only
        For items: keep and report stored items with other content. Otherwise such items make the import fail.
    model
        For answers: the model, instead of the model that the files name.
    spec
        The same as a full description, with the adapter ``file``.
    raters
        For ratings: the kind of the raters. None keeps known marks, and others are machines.

    said
        For tables and JSON of any benchmark: the column of each field, and how the files are written.
    missing
        For ratings: the words for a missing rating. None for the usual words.

    Raises
    ------
    InvalidFileError
        A row is invalid, and nothing was imported. With ``skip_bad``, invalid rows are left out instead.
    """
    registry.require_row("format", format)
    row = FORMATS[format]
    if row.takes in ALONE:
        raise InvalidFileError(ALONE[row.takes].format(project=project, format=format))
    if (model or spec) and row.takes is not Takes.ANSWERS:
        raise InvalidFileError(f"Only answers have a model. Import {format} without a model.")
    if new_only and row.takes is not Takes.ITEMS:
        raise InvalidFileError(
            f"Only imports of items can be limited to new items. Import {format} without this option."
        )
    if raters is not None and row.takes is not Takes.RATINGS:
        raise InvalidFileError(f"Only ratings have raters. Import {format} without marking raters.")
    if spec is not None and spec.adapter != "file":
        raise ModelError(
            f"Touchstone runs {spec.name} itself (adapter `{spec.adapter}`). Use `touchstone model run`. To import "
            "answers from a file, write a description with `adapter: file`."
        )
    _may_be_said(row, said)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    on = progress or (lambda what, done, total: None)
    bring = Import(store, media, access, by, project, path, dimension, skip_bad, on, new_only, said)
    if row.reads and row.takes is Takes.ANSWERS:
        return import_answers(bring, row, model=model, spec=spec)
    if row.reads and row.takes is Takes.RATINGS:
        return _import_ratings(bring, row, raters, missing)
    if row.reads and row.takes is Takes.RESULTS:
        take = reader_of(row)
        results, repeated, bad = take(store, by=by, project=project, path=path, refuse=bring.refuse)
        return ImportSummary(tool_results=results, repeated=repeated, bad=tuple(bad))
    if row.reads and row.takes in (Takes.MODELS, Takes.LABELS):
        return _import_attributes(bring, row)
    _must_be_read(access, row)
    _must_have_ending(access, row, path)
    bring = replace(bring, part=_part(path))
    return import_items(bring, row, MediaFolder(media_dir) if media_dir else None)


def look_at_files(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    format: str,
    path: Path,
    media_dir: Path | None = None,
    dimension: str | None = None,
    said: ColumnMapping | None = None,
    progress: Progress | None = None,
) -> Look:
    """Preview ``import_files`` for annotation files. Nothing is stored, and only the first bytes of media are read.

    Raises
    ------
    InvalidFileError
        The files cannot be read at all, or they hold no items.
    """
    registry.require_row("format", format)
    row = FORMATS[format]
    if row.takes is not Takes.ITEMS:
        raise InvalidFileError(f"A dry run is only for items. Import {format} without a dry run.")
    _may_be_said(row, said)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    _must_be_read(access, row)
    _must_have_ending(access, row, path)
    on = progress or (lambda what, done, total: None)
    bring = Import(store, media, access, by, project, path, dimension, False, on, said=said)
    return look(bring, row, MediaFolder(media_dir) if media_dir else None)


def _part(path: Path) -> str | None:
    """Return the manifest's sentence about partial exports, if the files next to it are a part of a project."""
    manifest = (path if path.is_dir() else path.parent) / NAME
    try:
        data = manifest.read_bytes() if manifest.is_file() else b""
    except OSError:  # an unreadable manifest is ignored
        return None
    sentence, about = restricted(data), read_manifest(data)
    of = about["files"] if about and isinstance(about.get("files"), list) else []
    named_there = path.is_dir() or any(isinstance(file, dict) and file.get("path") == path.name for file in of)
    return sentence if named_there else None


def _may_be_said(row: Format, said: ColumnMapping | None) -> None:
    if said is not None and not (row.keys is not None and row.keys.open):
        open_ = named(
            open_format for open_format in FORMATS.values() if open_format.keys is not None and open_format.keys.open
        )
        raise InvalidFileError(
            f"Columns, positions of options and encodings apply only to {open_}. Import {row.name} without these "
            "options."
        )


def _must_be_read(access: Access, row: Format) -> None:
    own = access.schema.source.format if access.schema.source else None
    read = own or named(
        [offered_format for offered_format in offered(access.schema, writes=False) if offered_format.keys is not None]
    )
    if (away := extensions.missing("readers", row.name)) is not None:
        raise NotAvailableError(away)
    if row.keys is None:
        raise InvalidFileError(
            f"Touchstone can export {row.name}, but cannot import this format. {access.title} can import {read}."
        )
    if row.name != own and not (row.keys.open and row.fits(access.schema)):
        raise InvalidFileError(
            f"{access.title} can import {read}, but not {row.name}. Create a project with the schema of these files."
        )


def _must_have_ending(access: Access, row: Format, path: Path) -> None:
    """Refuse an empty file, and a file whose ending belongs to another format of items."""
    if path.is_file() and not path.stat().st_size:
        raise InvalidFileError(f"{path.name} is empty. Choose a file with at least one row.")
    ending = path.suffix.lower()
    others = [other for other in FORMATS.values() if other.keys is not None and ending in other.keys.endings]
    if row.keys is None or row in others or not others or path.is_dir():
        return
    readable = [other for other in offered(access.schema, writes=False) if other.keys is not None]
    if fitting := [other for other in readable if other in others]:
        raise InvalidFileError(f"{path.name} does not fit the format {row.name}. Choose the format {named(fitting)}.")
    formats = " or ".join(other.words for other in readable)
    open_ = named(other for other in others if other.keys is not None and other.keys.open)
    raise InvalidFileError(
        f"{path.name} does not fit {access.title}, which imports items as {formats}. To import {path.name}, create a "
        f"new project: build its form, or use a schema with `source: {{format: {open_}}}`."
    )


def _import_ratings(
    bring: Import, row: Format, raters: RatersAre | None, missing: Sequence[str] | None
) -> ImportSummary:
    """Take ratings, and who their raters are."""
    done = import_ratings(
        bring.store,
        by=bring.by,
        project=bring.project,
        path=bring.path,
        reader=reader_of(row),
        refuse=bring.refuse,
        raters=raters,
        missing=missing,
    )
    return ImportSummary(
        ratings=done.new,
        repeated=done.repeated,
        bad=tuple(done.bad),
        note=" ".join(done.notes) or None,
        warnings=tuple(done.warnings),
        raters=tuple(done.raters),
    )


def _import_attributes(bring: Import, row: Format) -> ImportSummary:
    new, repeated, bad = attributes.import_attributes(
        bring.store,
        by=bring.by,
        project=bring.project,
        path=bring.path,
        read=reader_of(row)(bring.path),
        kind=DESCRIBED if row.takes is Takes.MODELS else LABELLED,
        refuse=bring.refuse,
    )
    described, labelled = (new, 0) if row.takes is Takes.MODELS else (0, new)
    return ImportSummary(described=described, labelled=labelled, repeated=repeated, bad=tuple(bad))


ALONE = {
    Takes.TASKS: (
        "Import a project from another program separately: `touchstone item import {project} {format} FILE`."
    ),
    Takes.REPLIES: "Import judges' replies separately: "
    "`touchstone item import {project} {format} FILE --set template=TEMPLATE`.",
}
"""The kinds of files that are imported by another command, with the advice."""
