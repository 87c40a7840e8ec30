"""Reading content stored under an earlier schema in the words of the schema in force.

Every use case calls ``projects.standing`` first, which records here how the project's content is read. A session
without this call looks the rules up once. Annotations, gold and imported ratings that are loaded as rows are
translated automatically. A query for single columns has to pass its results through ``answers``, ``reasons``,
``rating``, ``judged`` or ``content``. Nothing stored changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import event
from sqlalchemy import select as plain_select
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col

from db.records import (
    StoredAnnotation,
    StoredGold,
    StoredImportedRating,
    StoredJudgement,
    StoredProject,
    StoredRevision,
)
from db.tables import AnnotationRow, GoldRow, ImportedRatingRow, ItemRow, ProjectRow, RunRow
from domain.rated_units import BETWEEN
from domain.rewording import Rewording
from domain.states import Stage

_NOTED = "readings"
_RUNS = "runs read"


def note(session: Session, *, project: StoredProject) -> Rewording:
    """Let the session read a project's content in the words of its schema from now on."""
    reading = Rewording.from_json(project.reading)
    read_by(session, project_id=project.id, reading=reading)
    return reading


def read_by(session: Session, *, project_id: int, reading: Rewording) -> None:
    """Let the session read a project's content with these rules from now on."""
    known: dict[int, Rewording] = session.info.setdefault(_NOTED, {})
    known[project_id] = reading


def _of(session: Session, project_id: int) -> Rewording:
    known: dict[int, Rewording] = session.info.setdefault(_NOTED, {})
    if project_id not in known:
        wanted = plain_select(col(ProjectRow.reading)).where(col(ProjectRow.id) == project_id)
        known[project_id] = Rewording.from_json(session.connection().execute(wanted).scalar())
    return known[project_id]


def differs(session: Session, *, project_id: int) -> bool:
    """Tell whether any content of a project reads differently from how it is stored."""
    return bool(_of(session, project_id).steps)


def dimensions(session: Session, *, project_id: int) -> Mapping[int, str] | None:
    """Return the current dimension of each item (id), if rows may be stored with another. None: all are current."""
    if not _of(session, project_id).moves_dimensions:
        return None
    wanted = plain_select(col(ItemRow.id), col(ItemRow.dimension)).where(col(ItemRow.project_id) == project_id)
    return {id: dimension for id, dimension in session.connection().execute(wanted)}


def answers(
    session: Session, *, project_id: int, version: int, stage: Stage, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return answers of a stage that were given under a version (id) of the schema, in the current words."""
    return _of(session, project_id).answers(version, stage, given)


def reasons(session: Session, *, project_id: int, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return reasons that were given under a version (id) of the schema, in the current words."""
    return _of(session, project_id).reasons(version, given)


def content(
    session: Session, *, version: int, given: Mapping[str, Any], item_id: int, project_id: int | None = None
) -> dict[str, Any]:
    """Return the fields of a revision that was stored under a version (id) of the schema, in the current words."""
    known: Mapping[int, Rewording] = session.info.get(_NOTED, {})
    if project_id is None and len(known) == 1:
        project_id = next(iter(known))
    if project_id is None and known and not any(version in reading.steps for reading in known.values()):
        return dict(given)
    if project_id is None:  # two projects may share this schema, and only one of them may have changed it
        wanted = plain_select(col(ItemRow.project_id)).where(col(ItemRow.id) == item_id)
        project_id = session.connection().execute(wanted).scalar_one()
    return _of(session, project_id).content(version, given)


def content_now(reading: Mapping[str, Any] | None, *, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields like ``content``, with the project's rules (``project.reading``) as an argument."""
    return dict(given) if reading is None else Rewording.from_json(reading).content(version, given)


def revision(session: Session, *, row: StoredRevision) -> StoredRevision:
    """Return a revision loaded as a row, with its fields under their current names."""
    given = row.content
    said = content(session, version=row.schema_version_id, given=given, item_id=row.item_id)
    if said != given:
        set_committed_value(row, "content", said)
    return row


def rating(session: Session, *, project_id: int, version: int | None, criterion: str, value: Any) -> tuple[str, Any]:
    """Return criterion and value of an imported rating in the current words. ``version`` None: they are current."""
    return (criterion, value) if version is None else _of(session, project_id).rating(version, criterion, value)


def ratings(
    session: Session, *, project_id: int, rows: Sequence[StoredImportedRating]
) -> Sequence[StoredImportedRating]:
    """Return imported ratings loaded as rows.

    If dimensions were merged, each rating gets the current dimension of its item.
    """
    joined = _of(session, project_id).joined
    if not any(row.dimension in joined for row in rows):
        return rows
    wanted = plain_select(col(ItemRow.external_id), col(ItemRow.dimension)).where(col(ItemRow.project_id) == project_id)
    now = {name: dimension for name, dimension in session.connection().execute(wanted)}
    for row in rows:
        name = row.unit if row.unit in now else row.unit.rpartition(BETWEEN)[0]
        if row.dimension in joined and name in now:
            set_committed_value(row, "dimension", now[name])
    return rows


def judged(session: Session, *, run_id: int, criterion: str, value: Any = None) -> tuple[str, Any]:
    """Return a judge's criterion and value in the current words."""
    project_id, version = _said_in(session, run_id)
    return rating(session, project_id=project_id, version=version, criterion=criterion, value=value)


def judgement(session: Session, *, row: StoredJudgement) -> StoredJudgement:
    """Return a judgement loaded as a row, with its criterion and value in the current words."""
    criterion, value = judged(session, run_id=row.run_id, criterion=row.criterion, value=row.value)
    if criterion != row.criterion or value != row.value:
        set_committed_value(row, "criterion", criterion)
        set_committed_value(row, "value", value)
    return row


def _said_in(session: Session, run_id: int) -> tuple[int, int | None]:
    """Return the project of a run, and the id of the schema that was in force when the run began.

    For runs that do not record the schema, it is the project's first one.
    """
    known: dict[int, tuple[int, int | None]] = session.info.setdefault(_RUNS, {})
    if run_id not in known:
        wanted = plain_select(col(RunRow.project_id), col(RunRow.params)).where(col(RunRow.id) == run_id)
        project_id, params = session.connection().execute(wanted).one()
        known[run_id] = project_id, (params.get("schema") or {}).get("version")
    project_id, number = known[run_id]
    return project_id, _of(session, project_id).version_of(number)


def _say_anew(target: StoredAnnotation, context: Any, *_attributes: Any) -> None:
    reading = _of(context.session, target.project_id)
    version = target.schema_version_id
    if version in reading.steps:
        set_committed_value(target, "answers", reading.answers(version, target.stage, target.answers))
        set_committed_value(target, "reasons", reading.reasons(version, target.reasons))
    if reading.moves_dimensions:
        wanted = plain_select(col(ItemRow.dimension)).where(col(ItemRow.id) == target.item_id)
        set_committed_value(target, "dimension", context.session.connection().execute(wanted).scalar_one())


def _say_gold_anew(target: StoredGold, context: Any, *_attributes: Any) -> None:
    version = target.schema_version_id
    if version is not None:
        said = _of(context.session, target.project_id).answers(version, Stage(target.stage), target.answers)
        set_committed_value(target, "answers", said)


def _say_rating_anew(target: StoredImportedRating, context: Any, *_attributes: Any) -> None:
    about: Any = {"project_id": target.project_id, "version": target.schema_version_id}
    criterion, value = rating(context.session, **about, criterion=target.criterion, value=target.value)
    set_committed_value(target, "criterion", criterion)
    set_committed_value(target, "value", value)
    if target.dimension is not None and target.schema_version_id is not None:
        now = _of(context.session, target.project_id).dimension(target.schema_version_id, target.dimension)
        set_committed_value(target, "dimension", now)


for row, say in ((AnnotationRow, _say_anew), (GoldRow, _say_gold_anew), (ImportedRatingRow, _say_rating_anew)):
    event.listen(row, "load", say)
    event.listen(row, "refresh", say)
