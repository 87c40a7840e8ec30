"""A bundle of evidence in an empty store of its own, to recompute its figures."""

from __future__ import annotations

from collections.abc import Iterator

from db import project_rows, restored_rows
from db.engine import IntegrityError, Store
from db.restored_rows import Row
from db.survey import Survey
from domain.errors import InvalidFileError, InvalidInputError
from domain.jobs import Progress, unheard
from importers.evidence_folder import EvidenceFolder
from workflow.access.project_names import name_problems
from workflow.files.surveyed_rows import require_known_tables, require_sound_texts, schema_in, survey_of


def import_evidence(
    store: Store, evidence: EvidenceFolder, *, survey: Survey | None = None, progress: Progress = unheard
) -> str:
    """Create the project of a bundle in an empty store that no other process uses, and return its name.

    Images and clips are known by their hashes alone.

    Parameters
    ----------
    survey
        The survey of the rows, if the caller has just written the bundle and checked each row.

    Raises
    ------
    InvalidFileError
        The bundle is damaged, inconsistent, or newer than this Touchstone.
    InvalidInputError
        A project, or someone, has a name that nobody may have.
    """
    evidence.without_rows({table: project_rows.columns(table) for table in project_rows.tables()})
    name: str = evidence.manifest["project"]
    if problems := name_problems(name):
        raise InvalidInputError(problems)
    require_known_tables(store, evidence)
    survey = survey or survey_of(evidence)
    require_sound_texts(evidence, survey)
    schema_in(evidence, survey, old_schemas=True)
    try:
        _store(store, evidence, {**survey.project, "name": name}, progress)
    except IntegrityError as error:
        raise InvalidFileError(
            f"{evidence.name}: some rows contradict each other. Nothing was recomputed. Copy the whole release again."
        ) from error
    return name


def _store(store: Store, evidence: EvidenceFolder, project: Row, progress: Progress) -> None:
    done, every = 0, sum(table_rows.rows for table_rows in evidence.tables.values())
    project_id = 0
    for table in project_rows.tables():
        if table == "project":
            with store.write(archived_too=True) as session:
                project_id = restored_rows.restore_project(session, row=project)
            continue
        for lot in _lots(evidence, table):
            with store.write(archived_too=True) as session:
                restored_rows.restore(session, table=table, rows=lot, project_id=project_id, now=store.now())
            done += len(lot)
            progress("rows written", done, every)


def _lots(evidence: EvidenceFolder, table: str) -> Iterator[list[Row]]:
    lot: list[Row] = []
    for _, row in evidence.rows(table):
        lot.append(row)
        if len(lot) == project_rows.AT_ONCE:
            yield lot
            lot = []
    if lot:
        yield lot
