"""The jobs ``look`` and ``import``: preview an import of files, and import them."""

from __future__ import annotations

import base64
import hashlib
import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation_schemas.formats import FORMATS
from app.controls import on_page
from domain import csv_text
from domain.errors import InvalidRowsError
from domain.jobs import Progress
from domain.records import BadRow
from workflow.files import uploads
from workflow.files.import_files import import_files, look_at_files
from workflow.files.import_look import Difference, Look, changed_csv
from workflow.files.one_import import ImportSummary
from workflow.files.rows_look import LOOKED_AT, RowsLook, look_at_rows
from workflow.files.uploads import Source
from workflow.jobs.kinds import JobContext, JobFailure, JobKind, JobOutcome

HERE = 1 << 20
"""Bytes up to which files are previewed and imported within the request, in about a second."""
_THUMB = (96, 64)
DOING = {
    "reading": "Reading",
    "comparing": "Comparing files with the project",
    "media": "Adding images and clips",
    "saving": "Saving items",
    "offering": "Opening tasks for the items",
}
RESUMED = (
    "The first process of this import stopped early. Touchstone treats the rows from the first process as already "
    "imported."
)
_MEGABYTE = 1e6


@dataclass(frozen=True)
class PreviewItem:
    """An item as it will be imported. Each medium has its role, name, whether it exists, and a thumbnail."""

    name: str
    dimension: str
    fields: Mapping[str, Any]
    media: Sequence[tuple[str, str, bool, str]]


@dataclass(frozen=True)
class ImportPreview:
    """The preview of an import, as much as a page shows. Long lists are files next to it."""

    counts: Mapping[str, int]
    """Numbers of new, changed, equal and bad rows, and of found and missing media files."""
    first: Sequence[PreviewItem]
    missing: Sequence[str]
    bad: Sequence[BadRow]
    differences: Sequence[Difference]
    refused: str | None
    new_refused: str | None
    note: str | None
    beside: str | None
    warnings: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    """The first new answers, ratings or replies as they will be imported."""
    by: Mapping[str, int] = field(default_factory=dict)
    """Number of new rows for each model, rater or judge."""
    what: str = ""
    """The kind of record that each row becomes."""


@dataclass(frozen=True)
class ImportOutcome:
    """The result of an import."""

    done: ImportSummary | None = None
    rows: Sequence[str] = ()
    """The first faulty rows, as sentences."""
    n_rows: int = 0
    end: str = ""


SHOWN = 50
"""Number of bad rows, and of differences, on the page. Files have all of them."""
NAMED = 5
"""Number of missing media files that the page names."""
BAD, CHANGED, MISSING = "stayed-out.csv", "changed.csv", "missing-media.csv"
"""The names of those files, in the source's folder."""


@dataclass(frozen=True)
class ImportOrder:
    """Files to preview or to import."""

    project: str
    source: Source
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the use case."""

    @property
    def key(self) -> str:
        """Return a key that is equal for the same files with the same settings."""
        source = self.source
        identity = repr((self.project, str(source.folder), str(source.media_path), sorted(self.about.items(), key=str)))
        return hashlib.sha256(identity.encode()).hexdigest()[:16]

    @property
    def is_small(self) -> bool:
        """Tell whether the work is small enough to run within the request."""
        return self.source.size(HERE) <= HERE


def look_for_job(context: JobContext) -> JobOutcome:
    """Preview files. The preview is the job's result; long lists are files in the source's folder."""
    order: ImportOrder = context.input
    media = context.media
    with uploads.as_uploaded(str(order.source.folder)):
        path, media_dir = order.source.placed()
        about: Any = {"by": context.by, "project": order.project, "path": path, "media_dir": media_dir}
        on = _told(context.progress)
        if FORMATS[order.about["format"]].takes in LOOKED_AT:
            del about["media_dir"]
            rows = look_at_rows(context.store, media, **about, **order.about, progress=on)
            seen = _seen_rows(order.source.folder, rows)
        else:
            look = look_at_files(context.store, media, **about, **order.about, progress=on)
            seen = _seen(order.source.folder, look)
    return JobOutcome("Touchstone checked the files but stored no data.", seen)


def import_for_job(context: JobContext) -> JobOutcome:
    """Import files. If an earlier process has already finished the import, only report its result."""
    order: ImportOrder = context.input
    came: ImportOutcome | None = context.job.result
    if came is None:
        came = _imported(context, order)
        context.note(came)
    order.source.clear()
    return JobOutcome(f"{order.source.called} is imported.", came)


def _imported(context: JobContext, order: ImportOrder) -> ImportOutcome:
    context.name_files(order.source.hashes())
    try:
        with uploads.as_uploaded(str(order.source.folder)):
            path, media_dir = order.source.placed()
            about: Any = {"by": context.by, "project": order.project, "path": path, "media_dir": media_dir}
            media, on = context.media, _told(context.progress)
            done = import_files(context.store, media, **about, **order.about, progress=on)
            return ImportOutcome(_as_resumed(done) if context.is_resumed else done)
    except InvalidRowsError as error:
        raise JobFailure(str(error), ImportOutcome(None, error.rows, error.n, error.end)) from error


def _as_resumed(done: ImportSummary) -> ImportSummary:
    """Explain why rows of a file that is imported for the first time were there already."""
    return (
        replace(done, note=" ".join(sentence for sentence in (done.note, RESUMED) if sentence))
        if done.repeated
        else done
    )


LOOK = JobKind("look", "Look at files", "Checking files for {}", look_for_job, outlives=False)
IMPORT = JobKind("import", "Import", "Importing into {}", import_for_job)


def _told(progress: Progress) -> Progress:
    """Return a progress function that adds the rate to the words."""
    since: dict[str, float] = {}

    def on(what: str, done: int, of: int) -> None:
        seconds = time.monotonic() - since.setdefault(what, time.monotonic())
        if what == "reading":
            words = f"{done / _MEGABYTE:,.1f} of {of / _MEGABYTE:,.1f} MB"
            rate = f", {done / _MEGABYTE / seconds:,.1f} MB per second" if seconds > 1 else ""
        else:
            words = f"{done:,} of {of:,}"
            rate = f", {done / seconds:,.0f} a second" if seconds > 1 else ""
        progress(f"{DOING.get(what, what)}: {words}{rate}", done, of)

    return on


# ---- results of a preview -------------------------------------------------------------------------------------------


def _seen(folder: Path, found: Look) -> ImportPreview:
    (folder / BAD).write_text(stayed_out_csv(found.bad), encoding="utf-8", newline="")
    (folder / CHANGED).write_text(changed_csv(found.differences), encoding="utf-8", newline="")
    (folder / MISSING).write_text(missing_csv(found.missing), encoding="utf-8", newline="")
    counts = {"new": found.new, "changed": found.changed, "equal": found.equal, "bad": len(found.bad)}
    counts |= {"found": found.found, "missing": len(found.missing)}
    first = [
        PreviewItem(
            new_item.item.external_id,
            found.schema.dimension(new_item.item.dimension).title,
            new_item.item.fields,
            [(role, name, there, _thumb(new_item.images.get(name))) for role, name, there in new_item.media],
        )
        for new_item in found.first
    ]
    return ImportPreview(
        counts=counts,
        first=first,
        missing=found.missing[:NAMED],
        bad=found.bad[:SHOWN],
        differences=found.differences[:SHOWN],
        refused=found.refused,
        new_refused=found.new_refused,
        note=found.note,
        warnings=tuple(found.warnings),
        beside=found.beside,
    )


WARNING = "Warning: "
"""The first word of a sentence that a page must highlight."""
_LONGEST = 400
"""Number of characters that are kept of a cell."""


def _seen_rows(folder: Path, found: RowsLook) -> ImportPreview:
    (folder / BAD).write_text(stayed_out_csv(found.left), encoding="utf-8", newline="")
    losses = [note for note in found.notes if note.startswith(WARNING)]
    return ImportPreview(
        counts={"new": found.new, "changed": len(found.changed), "equal": found.equal, "bad": len(found.bad)},
        first=(),
        missing=(),
        bad=found.left[:SHOWN],
        differences=(),
        refused=found.refused,
        new_refused=found.refused,
        note=" ".join(note for note in found.notes if note not in losses) or None,
        warnings=(*found.warnings, *(loss.removeprefix(WARNING) for loss in losses)),
        beside=None,
        heads=found.heads,
        rows=[[cell[:_LONGEST] for cell in row] for row in found.first],
        by=found.by,
        what=found.what,
    )


def _thumb(path: Path | None) -> str:
    """Return a small picture as a data address. Empty without a picture, or if the picture cannot be read."""
    from PIL import Image

    if path is None:
        return ""
    try:
        with Image.open(path) as image:
            image.draft("RGB", _THUMB)
            image.thumbnail(_THUMB)
            out = io.BytesIO()
            image.convert("RGB").save(out, "JPEG", quality=70)
    except (OSError, ValueError, Image.DecompressionBombError):  # the import itself reports the fault
        return ""
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()


def stayed_out_csv(bad: Sequence[BadRow]) -> str:
    """Return the faulty rows as CSV, with their position, item, reason and text."""
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    table.writerow(["file", "row", "item", "why", "text"])
    table.writerows([row.path, row.row, row.item, on_page(row.reason), row.raw] for row in bad)
    return out.getvalue()


def missing_csv(names: Sequence[str]) -> str:
    """Return the names of the missing media files as CSV."""
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    table.writerow(["file"])
    table.writerows([name] for name in names)
    return out.getvalue()
