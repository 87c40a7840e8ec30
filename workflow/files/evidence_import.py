"""A bundle of evidence in an empty store of its own, to recompute its figures."""

from __future__ import annotations

from collections.abc import Sequence

from db import assets, landing, project_rows
from db.engine import IntegrityError, Session, Store
from db.landing import Landing
from db.survey import Row, Survey
from domain.errors import InvalidFileError, InvalidInputError
from domain.jobs import Progress, unheard
from domain.states import Stage
from importers.evidence_folder import EvidenceFolder
from workflow.access.project_names import name_problems
from workflow.files.surveyed_rows import (
    oldest_first,
    require_known_tables,
    require_sound_texts,
    schema_in,
    survey_of,
)

_PLANNED = frozenset({"project", "person", "schema_version", "media_object"})
"""The tables whose rows are stored with the plan, or with assets."""


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
    oldest = oldest_first(schema_in(evidence, survey, old_schemas=True))
    try:
        with store.write(archived_too=True) as session:
            land = _planned(session, store, survey, name, oldest)
            project_id = land.add_project(session, changed={})
        _store(store, land, evidence, project_id, progress)
    except IntegrityError as error:
        raise InvalidFileError(f"{evidence.name}: its rows do not fit together. Nothing was recomputed.") from error
    return name


def _planned(session: Session, store: Store, survey: Survey, name: str, oldest: frozenset[Stage]) -> Landing:
    """Store the people and the schemas. Return the plan for all other rows."""
    now = store.now()
    new = [(row["id"], row["login"], row["name"]) for row in sorted(survey.people, key=lambda row: row["id"])]
    return Landing(
        survey=survey,
        people=landing.add_accounts(session, new=new, now=now),
        renamed=frozenset(),
        schemas=landing.schemas(session, rows=survey.schemas),
        distances={table: landing.distance(session, survey=survey, table=table) for table in landing.moving(survey)},
        name=name,
        key=None,
        now=now,
        oldest=oldest,
    )


def _store(store: Store, land: Landing, evidence: EvidenceFolder, project_id: int, progress: Progress) -> None:
    done, every = 1, sum(told.rows for told in evidence.tables.values())
    for table in project_rows.tables():
        if table in _PLANNED:
            continue
        rows = (row for _, row in evidence.rows(table))
        for lot in land.lots(project_id=project_id, table=table, rows=rows):
            with store.write(archived_too=True) as session:
                if table == "asset":
                    assets.put_all_media(session, rows=_media_of(land, lot))
                land.put(session, table=table, lot=lot)
            done += len(lot)
            progress("rows written", done, every)


def _media_of(land: Landing, lot: Sequence[Row]) -> list[Row]:
    """Return what the bundle says of the images and clips of assets."""
    wanted = sorted({row["sha256"] for row in lot if row["sha256"]})
    return [{**land.survey.media[sha256], "created_at": land.now} for sha256 in wanted]
