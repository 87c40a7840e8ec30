"""What is stored in the words of an earlier schema comes out in the words of the one that is in force.

``projects.standing`` is what every use case asks first; it notes here how the project's votes and items are read, and
a session that has not asked looks it up once. Annotations, gold and ratings out of files that are loaded as rows say
their answers anew by themselves. A query for a column of answers, of ratings or of an item's content passes what it
finds through ``answers``, ``reasons``, ``rating``, ``judged`` or ``content``. Nothing stored changes.
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
from domain.rewording import Reading
from domain.states import Stage

_NOTED = "readings"
_RUNS = "runs read"


def note(session: Session, *, project: StoredProject) -> Reading:
    """From here on the session reads what a project has in the words of its schema."""
    reading = Reading.from_json(project.reading)
    read_by(session, project_id=project.id, reading=reading)
    return reading


def read_by(session: Session, *, project_id: int, reading: Reading) -> None:
    """From here on the session reads what a project has in this way."""
    known: dict[int, Reading] = session.info.setdefault(_NOTED, {})
    known[project_id] = reading


def _of(session: Session, project_id: int) -> Reading:
    known: dict[int, Reading] = session.info.setdefault(_NOTED, {})
    if project_id not in known:
        wanted = plain_select(col(ProjectRow.reading)).where(col(ProjectRow.id) == project_id)
        known[project_id] = Reading.from_json(session.connection().execute(wanted).scalar())
    return known[project_id]


def differs(session: Session, *, project_id: int) -> bool:
    """Whether anything that a project has is said otherwise now than it is stored."""
    return bool(_of(session, project_id).steps)


def dimensions(session: Session, *, project_id: int) -> Mapping[int, str] | None:
    """The dimension of each item (id), where what was said may be stored with another; None: it is as it is stored."""
    if not _of(session, project_id).moves_dimensions:
        return None
    wanted = plain_select(col(ItemRow.id), col(ItemRow.dimension)).where(col(ItemRow.project_id) == project_id)
    return {id: dimension for id, dimension in session.connection().execute(wanted)}


def answers(
    session: Session, *, project_id: int, version: int, stage: Stage, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Answers of a stage that were given under a version (id) of the schema."""
    return _of(session, project_id).answers(version, stage, given)


def reasons(session: Session, *, project_id: int, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Reasons that were given under a version (id) of the schema."""
    return _of(session, project_id).reasons(version, given)


def content(
    session: Session, *, version: int, given: Mapping[str, Any], item_id: int, project_id: int | None = None
) -> dict[str, Any]:
    """The fields of a revision of an item that was stored under a version (id) of the schema."""
    known: Mapping[int, Reading] = session.info.get(_NOTED, {})
    if project_id is None and len(known) == 1:
        project_id = next(iter(known))
    if project_id is None and known and not any(version in reading.steps for reading in known.values()):
        return dict(given)
    if project_id is None:  # two projects may have had the same schema, and only one of them another since
        wanted = plain_select(col(ItemRow.project_id)).where(col(ItemRow.id) == item_id)
        project_id = session.connection().execute(wanted).scalar_one()
    return _of(session, project_id).content(version, given)


def content_now(reading: Mapping[str, Any] | None, *, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """As ``content``, where it is known how the project (``project.reading``) is read."""
    return dict(given) if reading is None else Reading.from_json(reading).content(version, given)


def revision(session: Session, *, row: StoredRevision) -> StoredRevision:
    """A revision that was loaded as a row, with its fields as they are called now."""
    given = row.content
    said = content(session, version=row.schema_version_id, given=given, item_id=row.item_id)
    if said != given:
        set_committed_value(row, "content", said)
    return row


def rating(session: Session, *, project_id: int, version: int | None, criterion: str, value: Any) -> tuple[str, Any]:
    """A rating out of a file: its criterion and its value; ``version`` (id) None is as it stands."""
    return (criterion, value) if version is None else _of(session, project_id).rating(version, criterion, value)


def ratings(
    session: Session, *, project_id: int, rows: Sequence[StoredImportedRating]
) -> Sequence[StoredImportedRating]:
    """Ratings out of files that were loaded as rows. In a dimension that had taken the items of others, each is where
    its item is now."""
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
    """What a judge of a run said: the criterion and the value."""
    project_id, version = _said_in(session, run_id)
    return rating(session, project_id=project_id, version=version, criterion=criterion, value=value)


def judgement(session: Session, *, row: StoredJudgement) -> StoredJudgement:
    """What a judge said that was loaded as a row, with its criterion and its value as they are called now."""
    criterion, value = judged(session, run_id=row.run_id, criterion=row.criterion, value=row.value)
    if criterion != row.criterion or value != row.value:
        set_committed_value(row, "criterion", criterion)
        set_committed_value(row, "value", value)
    return row


def _said_in(session: Session, run_id: int) -> tuple[int, int | None]:
    """The project of a run, and in the words of which of its schemas (id) what the run was told is: the one that was
    in force when it began, in runs that do not say so the project's first one."""
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
