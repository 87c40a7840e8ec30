"""Exports of a project's present state: all of it, or chosen items with a manifest that says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation_schemas import registry
from annotation_schemas.formats import (
    FORMATS,
    Content,
    Format,
    Page,
    Takes,
    offered,
)
from annotation_schemas.keys import options_field
from db import files, items
from db.engine import Session, Store
from domain.errors import InvalidFileError
from domain.manifests import NAME, restricted
from domain.records import RULES, Person, Rating
from domain.states import Stage
from exporters import items as item_files
from exporters.manifest import manifest
from exporters.writers import writer_of
from exporters.writing import write_files, write_folder
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.access.schema_changes import must_be_finished, must_have_had
from workflow.annotate import answer_readings
from workflow.files.answers_going_out import AnswerSelection, selected_answers
from workflow.files.items_going_out import ItemsOut, all_items, project_items, without_bare
from workflow.files.manifest_entries import about_chosen, part_name, places_of_items
from workflow.results import attributes
from workflow.results.file_raters import people_names
from workflow.results.ratings import RATED, stage_ratings
from workflow.results.schema_versions import of_schema

Progress = Callable[[str, int, int], None]
"""A callback with the current step ("reading", "writing"), the number done, and the total."""


@dataclass(frozen=True)
class ExportResult:
    """The result of an export."""

    files: Sequence[Path]
    items: int
    """Items, models' answers or ratings in them."""
    part: str | None = None
    """The manifest's sentence about partial exports, if only chosen items were written."""


@dataclass(frozen=True)
class MemoryExport:
    """An export in memory: the bytes of every file by its path."""

    files: Mapping[str, bytes]
    items: int
    single: bool
    """The export is one file (and its manifest), not a folder."""

    @property
    def part(self) -> str | None:
        """Return the manifest's sentence about partial exports, if only chosen items are included."""
        return restricted(self.files.get(NAME, b""))


def export(
    store: Store,
    *,
    by: Person | None,
    project: str,
    format: str,
    out: Path,
    public: bool = False,
    private: bool = False,
    run: str | None = None,
    unanswered: str | None = None,
    reader: str = RULES,
    stage: Stage | None = None,
    page: Page | None = None,
    schema_version: int | None = None,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ExportResult:
    """Write a project's files. A project imported from a file gives a file, and one from a folder the same folder.

    Parameters
    ----------
    by
        None is a command on the machine itself.
    public
        Leave out the fields that the schema keeps out of public files. For tasks, leave out also models' answers, and
        votes that would reveal such a field.
    private
        For tasks: include the fields that are secret in the stage.
    run
        For a format of answers: write only this run's answers. Some formats need a run.
    unanswered
        The value in a submission for a missing answer, or for one without a readable option.
    reader
        The reader of the exported answers: ``rules``, or ``rules+NAME``.
    stage
        For tasks: the stage whose submissions are included. None for verification, or without it grading.
    page
        For tasks: the content that a labeling configuration shows, which is put into the task's data.
    schema_version
        Write only ratings given under this version of the schema. None for all versions.
    only
        Write only these items, by their ids in files. The manifest then declares a part. None for all items.

    Raises
    ------
    InvalidFileError
        The project cannot write the format, or ``out`` holds files that no earlier export wrote.
    """
    file_name = out.name if not out.is_dir() and (out.suffix or only is None) else None
    made = exported(
        store,
        by=by,
        project=project,
        format=format,
        public=public,
        private=private,
        file_name=file_name,
        run=run,
        unanswered=unanswered,
        reader=reader,
        stage=stage,
        page=page,
        schema_version=schema_version,
        only=only,
        progress=progress,
    )
    on = progress or (lambda what, done, total: None)
    on("writing", 0, len(made.files))
    if made.single and file_name:
        written = write_files({out.parent / name: data for name, data in made.files.items()})
    elif out.suffix in (".json", ".jsonl", ".csv", ".tsv") and not out.exists():
        raise InvalidFileError(
            f"This export is a folder of {len(made.files)} files. Set --out to a folder, not to {out.name}."
        )
    else:
        written = write_folder(out, made.files)
    on("writing", len(made.files), len(made.files))
    return ExportResult(written, made.items, made.part)


def exported(
    store: Store,
    *,
    by: Person | None,
    project: str,
    format: str,
    public: bool = False,
    private: bool = False,
    file_name: str | None = None,
    run: str | None = None,
    unanswered: str | None = None,
    reader: str = RULES,
    stage: Stage | None = None,
    page: Page | None = None,
    schema_version: int | None = None,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> MemoryExport:
    """Return the files of ``export`` without writing them. The same state of the project gives the same bytes.

    ``file_name`` is the name of a single file; None keeps its own name.
    """
    row = row_of(format)
    made = _export(
        store,
        by=by,
        project=project,
        row=row,
        public=public,
        private=private,
        file_name=file_name,
        answers=AnswerSelection(run, unanswered, reader),
        stage=stage,
        page=page,
        schema_version=schema_version,
        only=only,
        progress=progress,
    )
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=by, project=project)
        data = {
            "format": format,
            "public": public,
            "private": private,
            "records": made.items,
            **({"run": run} if run else {}),
            **({"schema_version": schema_version} if schema_version is not None else {}),
            **({"chosen": len(set(only))} if only is not None else {}),
        }
        log(session, "export.made", by=by, project=access, now=store.now(), data=data)
    return made


def row_of(format: str) -> Format:
    """Return the format. Raises an error if the format is not available."""
    registry.require_row("format", format)
    return FORMATS[format]


def _export(
    store: Store,
    *,
    by: Person | None,
    project: str,
    row: Format,
    public: bool,
    private: bool,
    file_name: str | None,
    answers: AnswerSelection,
    stage: Stage | None,
    page: Page | None,
    schema_version: int | None,
    only: Sequence[str] | None,
    progress: Progress | None,
) -> MemoryExport:
    if only is not None and row.takes not in (Takes.ITEMS, Takes.TASKS):
        raise InvalidFileError(f"You can choose items only for item formats. Export {row.name} without choosing items.")
    if row.takes is Takes.ANSWERS:
        with store.read() as session:
            require_lead(session, by=by, project=project)
        answer_readings.fill_up(store, project=project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        must_be_finished(session, access=access)
        _require_version(access, row, schema_version)
        chosen = _chosen(session, access, only)
        run = answers.found(session, access, row)
        if stage is not None and row.takes is not Takes.TASKS:
            tasks = ", ".join(task_format.name for task_format in FORMATS.values() if task_format.takes is Takes.TASKS)
            raise InvalidFileError(f"--stage is only for {tasks}. Export {row.name} without this option.")
        if row.tasks is not None:
            hides = {"public": public, "private": private}
            return _tasks(session, access, row, file_name, stage=stage, chosen=chosen, page=page, **hides)
        if row.takes is Takes.ITEMS:
            return _items(session, access, row, file_name, chosen=chosen, public=public, progress=progress)
        _require_written(access, row)
        content = Content(access.schema, row.name, unanswered=answers.unanswered, options=options_field(access.schema))
        if row.takes is Takes.ANSWERS:
            selected = selected_answers(session, access, run, answers.reader)
            content = replace(content, items=all_items(session, access) if row.needs_run else (), answers=selected)
            count = len(content.items if row.needs_run else selected)
        elif row.takes in (Takes.MODELS, Takes.LABELS):
            id = access.project_id
            if row.takes is Takes.MODELS:
                content = replace(content, said=attributes.of_models(session, project_id=id))
            else:  # every item, so that there is a table to fill in
                labels = attributes.of_items(session, project_id=id)
                names = [name for _, name, _ in files.item_ids(session, project_id=id)]
                content = replace(content, said={name: labels.get(name, {}) for name in names})
            count = len(content.said)
        else:
            content = replace(content, ratings=of_schema(access, _ratings(session, access), schema_version))
            count = len(content.ratings)
        written = writer_of(row)(content)
        return MemoryExport(_named(written, file_name), count, len(written) == 1)


def _require_version(access: Access, row: Format, version: int | None) -> None:
    """Check the schema version of an export.

    Raise ``InvalidFileError`` if the format does not depend on the version, and ``NotFoundError`` if the project never
    had it.
    """
    if version is None:
        return
    must_have_had(access, version)
    if row.takes is not Takes.RATINGS:
        raise InvalidFileError(
            "Only ratings and releases depend on the schema version. For other formats, remove the version."
        )


def _chosen(session: Session, access: Access, only: Sequence[str] | None) -> frozenset[str] | None:
    """Return the chosen items; None for every item. Raise ``InvalidFileError`` if one does not exist."""
    if only is None:
        return None
    there = {name for _, name, _ in files.item_ids(session, project_id=access.project_id)}
    if gone := [name for name in dict.fromkeys(only) if name not in there]:
        some = ", ".join(gone[:20]) + (f" and {len(gone) - 20:,} more" if len(gone) > 20 else "")
        raise InvalidFileError(
            f"{access.title} does not have these items: {some}. Nothing was written. Correct the ids of the items."
        )
    return frozenset(only)


def _require_written(access: Access, row: Format) -> None:
    if not row.writes:
        known = ", ".join(offered_format.name for offered_format in offered(access.schema, writes=True))
        raise InvalidFileError(f"Touchstone cannot export {access.title} as {row.name}. Choose from: {known}.")


def _named(written: Mapping[str, bytes], file_name: str | None) -> Mapping[str, bytes]:
    """Return a single file under another name, if a name is given."""
    return {file_name: next(iter(written.values()))} if file_name and len(written) == 1 else written


def _items(
    session: Session,
    access: Access,
    row: Format,
    file_name: str | None,
    *,
    chosen: frozenset[str] | None,
    public: bool,
    progress: Progress | None,
) -> MemoryExport:
    """Return the project's items in files of their own format, or of another one that takes items."""
    if row not in offered(access.schema, writes=True):
        known = ", ".join(offered_format.name for offered_format in offered(access.schema, writes=True))
        raise InvalidFileError(f"Touchstone cannot export {access.title} as {row.name}. Choose from: {known}.")
    without = access.schema.export.public_without if public else ()
    state = project_items(session, access, row.keys, whole=bool(without) or writer_of(row) is not item_files.written)
    if progress:
        progress("reading", len(state.rows), len(state.rows))
    items_out = [
        replace(item, fields={name: value for name, value in item.fields.items() if name not in without})
        if without
        else item
        for file in state.files
        for item in file.items
        if chosen is None or item.external_id in chosen
    ]
    content = Content(
        access.schema,
        row.name,
        items=items_out,
        files=state.files,
        only=chosen,
        without=without,
        options=options_field(access.schema),
    )
    written = writer_of(row)(content)
    if chosen is not None:  # leave out a file without chosen items
        written = without_bare(written, state, chosen)
    single = len(written) == 1 and state.single
    if single:
        file_name = file_name or part_name(Path(next(iter(written))).name, chosen, len(state.rows))
        written = _named(written, file_name)
    if chosen is not None:
        places = places_of_items(state, chosen, next(iter(written)) if single else None)
        if row.keys is None and not single:  # which of several files an item is in is known to its writer alone
            places = {name: (None, place) for name, (_, place) in places.items()}
        about = about_chosen(session, access, state, format=row.name, without=without, places=places, chosen=chosen)
        written = {**written, NAME: manifest(about, written)}
    return MemoryExport(written, len(state.rows if chosen is None else chosen), single)


def _tasks(
    session: Session,
    access: Access,
    row: Format,
    file_name: str | None,
    *,
    stage: Stage | None,
    chosen: frozenset[str] | None,
    public: bool,
    private: bool,
    page: Page | None,
) -> MemoryExport:
    """Return the project as a file of another annotation program."""
    assert row.tasks is not None
    rows = items.outgoing(session, project_id=access.project_id)
    written = row.tasks.exports(session, access, stage=stage, only=chosen, public=public, private=private, page=page)
    name = file_name or part_name(f"{row.name}.json", chosen, len(rows))
    contents = {name: written.data}
    if chosen is not None:
        state = ItemsOut(rows, (), True, files.asset_names(session, project_id=access.project_id))
        kept = [item.external_id for item in rows if item.external_id in chosen]
        places: dict[str, tuple[str | None, int]] = {
            external_id: (name, place) for place, external_id in enumerate(kept)
        }
        about = about_chosen(
            session, access, state, format=row.name, without=written.without, places=places, chosen=chosen
        )
        contents[NAME] = manifest(about, contents)
    return MemoryExport(contents, written.items, True)


def _ratings(session: Session, access: Access) -> list[Rating]:
    names = people_names(session, project_id=access.project_id)
    several = len(access.schema.stages.verifications) > 1
    return [
        replace(rating, stage=stage.value) if several else rating
        for stage in RATED
        if getattr(access.schema.stages, stage.value) is not None
        for rating in stage_ratings(session, access=access, stage=stage, names=names)
    ]
