"""Queries about imported raters: whether they are people, and which accounts they belong to."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db.tables import AnnotationRow, FileRaterRow, ImportedRatingRow, PersonRow, RunRow
from domain.run_kinds import RunKind
from domain.states import VERIFICATIONS, Purpose, Stage

MARKED = "raters.marked"
"""The kind of event: a lead marked raters as people or as machines."""


def counts(session: Session, *, project_id: int) -> dict[str, dict[Stage, int]]:
    """Count each imported rater's ratings by stage, with the raters in order of arrival."""
    wanted = (
        plain_select(col(ImportedRatingRow.rater), col(ImportedRatingRow.stage), func.count())
        .where(col(ImportedRatingRow.project_id) == project_id)
        .group_by(col(ImportedRatingRow.rater), col(ImportedRatingRow.stage))
        .order_by(func.min(col(ImportedRatingRow.id)))
    )
    by_rater: dict[str, dict[Stage, int]] = {}
    for rater, stage, n in session.connection().execute(wanted):
        by_rater.setdefault(rater, {})[stage] = n
    return by_rater


def marks(session: Session, *, project_id: int) -> dict[str, bool]:
    """Return the marks of imported raters: whether each is a person. Unmarked raters are left out."""
    wanted = select(FileRaterRow.name, FileRaterRow.is_person).where(FileRaterRow.project_id == project_id)
    return dict(session.exec(wanted).all())


def mark(session: Session, *, project_id: int, names: Iterable[str], is_person: bool) -> None:
    """Mark imported raters as people, or as machines."""
    rows = {row.name: row for row in session.exec(select(FileRaterRow).where(FileRaterRow.project_id == project_id))}
    for name in names:
        row = rows.get(name) or FileRaterRow(project_id=project_id, name=name, is_person=is_person)
        row.is_person = is_person
        session.add(row)
    session.flush()


def accounts(session: Session, *, project_id: int) -> dict[str, int]:
    """Return the accounts (login and person id) that have the login of an imported rater and rated in the project."""
    of_files = plain_select(col(ImportedRatingRow.rater)).where(col(ImportedRatingRow.project_id) == project_id)
    wanted = (
        plain_select(col(PersonRow.login), col(PersonRow.id))
        .where(
            col(PersonRow.login).in_(of_files),
            plain_select(col(AnnotationRow.id))
            .where(
                col(AnnotationRow.person_id) == col(PersonRow.id),
                col(AnnotationRow.project_id) == project_id,
                col(AnnotationRow.stage).in_([*VERIFICATIONS, Stage.GRADING]),
                col(AnnotationRow.purpose) == Purpose.LIVE,
            )
            .exists(),
        )
        .order_by(col(PersonRow.id))
    )
    return {login: id for login, id in session.connection().execute(wanted)}


def judges(session: Session, *, project_id: int) -> set[str]:
    """Return the names of judges and metrics that were run in a project."""
    wanted = select(RunRow.name).where(
        RunRow.project_id == project_id, col(RunRow.kind).in_([kind for kind in RunKind if kind.rates])
    )
    return set(session.exec(wanted.distinct()))
