"""Reading content stored under an earlier schema in the words of the schema in force.

Every use case calls ``projects.standing`` first, which records here how the project's content is read. A session
without this call looks the rules up once. Whoever loads annotations, gold, imported ratings, judgements or revisions as
rows does it with ``query``. A query for single columns passes its results through ``answers``, ``reasons``, ``rating``,
``judged`` or ``content``. Nothing stored changes: a row that reads differently is returned as a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Row
from sqlalchemy import select as plain_select
from sqlmodel import Session, SQLModel, col

from db import prepared
from db.records import StoredAnnotation, StoredProject
from db.tables import AnnotationRow, GoldRow, ImportedRatingRow, ItemRow, JudgementRow, ProjectRow, RevisionRow, RunRow
from domain.rated_units import BETWEEN
from domain.rewording import Rewording
from domain.runs import chunked
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


def rating(session: Session, *, project_id: int, version: int | None, criterion: str, value: Any) -> tuple[str, Any]:
    """Return criterion and value of an imported rating in the current words. ``version`` None: they are current."""
    return (criterion, value) if version is None else _of(session, project_id).rating(version, criterion, value)


def judged(session: Session, *, run_id: int, criterion: str, value: Any = None) -> tuple[str, Any]:
    """Return a judge's criterion and value in the current words."""
    project_id, version = _said_in(session, run_id)
    return rating(session, project_id=project_id, version=version, criterion=criterion, value=value)


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


def query(session: Session, wanted: Any, params: Mapping[str, Any] | None = None) -> list[Any]:
    """Return the rows that a statement selects, in the current words."""
    rows = session.exec(wanted, params=params).all()
    reader = _RowReader(session, [part for row in rows for part in (row if isinstance(row, Row) else (row,))])
    return [tuple(map(reader.read, row)) if isinstance(row, Row) else reader.read(row) for row in rows]


def read_annotations(session: Session, wanted: Any, params: Mapping[str, Any]) -> list[StoredAnnotation]:
    """Return the submissions that a statement of ``db.prepared`` selects, in the current words, for reading only."""
    rows: list[StoredAnnotation] = prepared.rows(session, wanted, params)
    return query(session, wanted, params) if any(differs(session, project_id=row.project_id) for row in rows) else rows


def stored_now(session: Session, row: StoredAnnotation) -> StoredAnnotation:
    """Return a submission that was just stored, in the current words: it may be given on an earlier form."""
    read: StoredAnnotation = _RowReader(session, [row]).read(row)
    return read


class _RowReader:
    """Reads loaded rows in the current words."""

    def __init__(self, session: Session, rows: Iterable[Any]) -> None:
        self._session = session
        votes = [row for row in rows if isinstance(row, AnnotationRow) and self._of(row).moves_dimensions]
        self._dimensions: dict[int, str] = {}
        for some in chunked(sorted({vote.item_id for vote in votes})):
            wanted = plain_select(col(ItemRow.id), col(ItemRow.dimension)).where(col(ItemRow.id).in_(some))
            self._dimensions |= {id: dimension for id, dimension in session.connection().execute(wanted)}
        self._named: dict[int, dict[str, str]] = {}

    def read(self, row: Any) -> Any:
        """Return a row, or a copy of it if its content reads differently. Other values are returned unchanged."""
        if (read := _READ.get(type(row))) is None:
            return row
        changed = {name: value for name, value in read(self, row).items() if value != getattr(row, name)}
        if not changed:
            return row
        record: type[SQLModel] = type(row).__bases__[0]
        return record.model_construct(**{name: getattr(row, name) for name in record.model_fields} | changed)

    def _annotation(self, row: AnnotationRow) -> dict[str, Any]:
        reading, version = self._of(row), row.schema_version_id
        changed: dict[str, Any] = {"dimension": self._dimensions.get(row.item_id, row.dimension)}
        if version in reading.steps:
            changed["answers"] = reading.answers(version, row.stage, row.answers)
            changed["reasons"] = reading.reasons(version, row.reasons)
        return changed

    def _gold(self, row: GoldRow) -> dict[str, Any]:
        version = row.schema_version_id
        return {} if version is None else {"answers": self._of(row).answers(version, Stage(row.stage), row.answers)}

    def _rating(self, row: ImportedRatingRow) -> dict[str, Any]:
        reading, version, changed = self._of(row), row.schema_version_id, {"dimension": row.dimension}
        if version is not None:
            changed["criterion"], changed["value"] = reading.rating(version, row.criterion, row.value)
            if row.dimension is not None:
                changed["dimension"] = reading.dimension(version, row.dimension)
        if changed["dimension"] in reading.joined:
            now = self._dimensions_by_name(row.project_id)
            item = now.get(row.unit) or now.get(row.unit.rpartition(BETWEEN)[0])
            changed["dimension"] = item or changed["dimension"]
        return changed

    def _judgement(self, row: JudgementRow) -> dict[str, Any]:
        criterion, value = judged(self._session, run_id=row.run_id, criterion=row.criterion, value=row.value)
        return {"criterion": criterion, "value": value}

    def _revision(self, row: RevisionRow) -> dict[str, Any]:
        about: dict[str, Any] = {"version": row.schema_version_id, "item_id": row.item_id}
        return {"content": content(self._session, **about, given=row.content)}

    def _of(self, row: AnnotationRow | GoldRow | ImportedRatingRow) -> Rewording:
        return _of(self._session, row.project_id)

    def _dimensions_by_name(self, project_id: int) -> dict[str, str]:
        """Return the current dimension of each item, by its name."""
        if project_id not in self._named:
            wanted = plain_select(col(ItemRow.external_id), col(ItemRow.dimension))
            rows = self._session.connection().execute(wanted.where(col(ItemRow.project_id) == project_id))
            self._named[project_id] = {name: dimension for name, dimension in rows}
        return self._named[project_id]


_READ: Mapping[type, Callable[[_RowReader, Any], dict[str, Any]]] = {
    AnnotationRow: _RowReader._annotation,
    GoldRow: _RowReader._gold,
    ImportedRatingRow: _RowReader._rating,
    JudgementRow: _RowReader._judgement,
    RevisionRow: _RowReader._revision,
}
