"""``touchstone item import --dry-run``: print what an import would do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from app.services import Resources
    from workflow.files.import_look import Look
    from workflow.files.rows_look import RowsLook

SHOWN = 20
"""Number of bad rows, changed rows and missing media files that are listed."""
_CUT = 200


def tell(
    here: Resources,
    name: str,
    about: Mapping[str, Any],
    *,
    skip_bad: bool,
    bad_rows: Path | None,
    new_only: bool = False,
    changed_rows: Path | None = None,
) -> None:
    """Print what an import would do. Exit with status 1 if the import would be refused."""
    from exporters.tables import bad_rows_jsonl
    from exporters.writing import write_files
    from workflow.files.import_files import look_at_files
    from workflow.files.import_look import changed_csv

    look = look_at_files(here.store, here.media, by=None, project=name, **about)
    for line in lines(look, skip_bad=skip_bad, new_only=new_only):
        typer.echo(line)
    if look.bad and bad_rows is not None:
        write_files({bad_rows: bad_rows_jsonl(look.bad)})
        typer.echo(f"All invalid rows are in {bad_rows}, with reasons.")
    if look.differences and changed_rows is not None:
        write_files({changed_rows: changed_csv(look.differences).encode()})
        typer.echo(f"All changed values are in {changed_rows}.")
    typer.echo("Nothing was stored.")
    if not look.comes(skip_bad=skip_bad, new_only=new_only):
        raise typer.Exit(1)


def tell_rows(here: Resources, name: str, about: Mapping[str, Any], *, skip_bad: bool, bad_rows: Path | None) -> None:
    """Print what an import of answers, ratings or judges' replies would do.

    Exit with status 1 if it would be refused.
    """
    from exporters.tables import bad_rows_jsonl
    from exporters.writing import write_files
    from workflow.files.rows_look import look_at_rows

    look = look_at_rows(here.store, here.media, by=None, project=name, **about)
    for line in lines_of_rows(look, skip_bad=skip_bad):
        typer.echo(line)
    if look.left and bad_rows is not None:
        write_files({bad_rows: bad_rows_jsonl(look.left)})
        typer.echo(f"All changed and invalid rows are in {bad_rows}, with reasons.")
    typer.echo("Nothing was stored.")
    if not look.comes(skip_bad=skip_bad):
        raise typer.Exit(1)


def lines_of_rows(found: RowsLook, *, skip_bad: bool) -> Iterator[str]:
    """Yield the preview of an import of answers, ratings or replies as lines of text."""
    yield f"Format: {found.format.name}."
    n = f"{len(found.changed):,} changed, {found.equal:,} unchanged, {len(found.bad):,} invalid"
    yield f"Rows: {found.new:,} new, {n}."
    if found.by:
        of = [f"{as_words(whose)}: {n:,}" for whose, n in list(found.by.items())[:SHOWN]]
        more = f", and {len(found.by) - SHOWN:,} more" if len(found.by) > SHOWN else ""
        yield f"New by {found.heads[_WHOSE[found.what]].lower()}: {', '.join(of)}{more}."
    for row in found.first:
        yield "; ".join(f"{head}: {as_words(value)}" for head, value in zip(found.heads, row, strict=True) if value)
    yield from found.notes
    yield from (f"Warning: {warning}" for warning in found.warnings)
    for bad in found.left[:SHOWN]:
        yield f"{bad.path}, row {bad.row}: {bad.reason}."
    if len(found.left) > SHOWN:
        yield f"Rows not shown: {len(found.left) - SHOWN:,}. To write all of these rows, use --bad-rows FILE."
    if found.refused:
        yield f"Touchstone would refuse the import: {found.refused}"
    elif found.left and not skip_bad:
        yield "Touchstone would refuse the import. Correct these rows, or import the valid rows with --skip-bad."


_WHOSE = {"answer": 2, "rating": 2, "reply": 0}
"""The column that names the rater, model or judge, for each kind of row."""


def lines(found: Look, *, skip_bad: bool, new_only: bool = False) -> Iterator[str]:
    """Yield the preview of an import of items as lines of text."""
    yield f"Format: {found.format.name}; files: {found.n_files:,}."
    n = f"{found.changed:,} changed, {found.equal:,} unchanged, {len(found.bad):,} invalid"
    yield f"Rows: {found.new:,} new, {n}."
    if found.beside:
        yield found.beside
    if found.found or found.missing:
        yield f"Media: {found.found:,} found, {len(found.missing):,} missing."
    if found.missing:
        more = f", and {len(found.missing) - SHOWN:,} more" if len(found.missing) > SHOWN else ""
        yield f"Missing: {', '.join(found.missing[:SHOWN])}{more}."
    if found.note:
        yield found.note
    yield from (f"Warning: {warning}" for warning in found.warnings)
    schema = found.schema
    titles = {field.name: field.title or field.name for field in schema.item.fields}
    for new_item in found.first:
        yield f"Item {new_item.item.external_id}, {schema.dimension(new_item.item.dimension).title}:"
        for part, title in titles.items():
            if part in new_item.item.fields:
                yield f"  {title}: {as_words(new_item.item.fields[part])}"
        for role, place, there in new_item.media:
            yield f"  {role}: {place} ({'found' if there else 'missing'})"
    for differs in found.differences[:SHOWN]:
        where = f"{differs.path}, row {differs.row}: {differs.item}"
        if differs.part:
            yield f"{where}: {differs.part} would change from {as_words(differs.before)} to {as_words(differs.after)}."
        else:
            yield f"{where}: only the images or the notation would change."
    if len(found.differences) > SHOWN:
        yield (
            f"Differences not shown: {len(found.differences) - SHOWN:,}. To write all differences, use --changed-rows "
            "FILE."
        )
    for bad in found.bad[:SHOWN]:
        yield f"{bad.path}, row {bad.row}: {bad.reason}."
    if len(found.bad) > SHOWN:
        yield f"Invalid rows not shown: {len(found.bad) - SHOWN:,}. To write all invalid rows, use --bad-rows FILE."
    refused = found.new_refused if new_only else found.refused
    if refused:
        yield f"Touchstone would refuse the import: {refused}"
    elif found.bad and not skip_bad:
        yield "Touchstone would refuse the import. Correct these rows, or import the valid rows with --skip-bad."


def as_words(value: Any) -> str:
    """Return a field's value on one line, shortened if it is long."""
    if value is None:
        return "nothing"
    words = " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return words if len(words) <= _CUT else words[:_CUT] + "…"
