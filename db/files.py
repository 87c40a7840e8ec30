"""Queries for imports and exports of files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Text, and_, bindparam, cast, exists, func, update
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.many_rows import insert_all, insert_or_ignore
from db.records import (
    StoredImportedRating,
    StoredImportFile,
    StoredItem,
    StoredPrediction,
)
from db.tables import (
    AnnotationRow,
    AssetRow,
    AttemptRow,
    ImportedRatingRow,
    ImportFileRow,
    ItemAssetRow,
    ItemRow,
    JudgementRow,
    PersonRow,
    PredictionRow,
    RevisionRow,
    RunRow,
    SourceRow,
)
from db.withdrawn_runs import of_counting_runs
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, Outcome, chunked
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage

_READ_AT_ONCE = 2_000


def files(session: Session, *, project_id: int) -> Sequence[StoredImportFile]:
    """Return the imported files of a project, oldest first."""
    wanted = select(ImportFileRow).where(ImportFileRow.project_id == project_id).order_by(col(ImportFileRow.id))
    return session.exec(wanted).all()


def versions_of_files(session: Session, *, project_id: int) -> dict[int, int]:
    """Return the schema version (id) under which each file was imported, by file: the version of its first item."""
    wanted = (
        plain_select(col(ItemRow.file_id), func.min(RevisionRow.schema_version_id))
        .join(RevisionRow, and_(col(RevisionRow.item_id) == col(ItemRow.id), col(RevisionRow.number) == 1))
        .where(col(ItemRow.project_id) == project_id, col(ItemRow.file_id).is_not(None))
        .group_by(col(ItemRow.file_id))
    )
    return {file: version for file, version in session.execute(wanted)}


def add_file(
    session: Session,
    *,
    project_id: int,
    path: str,
    format: str,
    meta: Mapping[str, Any],
    now: datetime,
    head: str = "",
    tail: str = "",
) -> int:
    """Add a file with the text around its records. Return its id."""
    row = ImportFileRow(
        project_id=project_id, path=path, format=format, head=head, tail=tail, meta=dict(meta), created_at=now
    )
    session.add(row)
    session.flush()
    return row.id


def items_named(session: Session, *, project_id: int, external_ids: Sequence[str]) -> dict[str, StoredItem]:
    """Return the items of a project that have one of these external ids, by external id."""
    stored_items: dict[str, StoredItem] = {}
    for some in chunked(external_ids):
        wanted = select(ItemRow).where(ItemRow.project_id == project_id, col(ItemRow.external_id).in_(some))
        stored_items.update({row.external_id: row for row in session.exec(wanted)})
    return stored_items


@dataclass(frozen=True)
class ItemPlace:
    """The position of an item in its file."""

    id: int
    dimension: str
    file_id: int | None
    position: int | None


def item_places(session: Session, *, project_id: int) -> list[ItemPlace]:
    """Return all items with their places, in the order of ``item_ids``."""
    wanted = (
        select(ItemRow.id, ItemRow.dimension, ItemRow.file_id, ItemRow.position)
        .where(ItemRow.project_id == project_id)
        .order_by(col(ItemRow.file_id).is_(None), col(ItemRow.file_id), col(ItemRow.position), col(ItemRow.id))
    )
    return [ItemPlace(id, dimension, file, place) for id, dimension, file, place in session.exec(wanted)]


def item_ids(session: Session, *, project_id: int) -> list[tuple[int, str, str]]:
    """Return id, external id and dimension of all items: imported items in the order of files, then authored ones."""
    wanted = (
        select(ItemRow.id, ItemRow.external_id, ItemRow.dimension)
        .where(ItemRow.project_id == project_id)
        .order_by(col(ItemRow.file_id).is_(None), col(ItemRow.file_id), col(ItemRow.position), col(ItemRow.id))
    )
    return [(id, external_id, dimension) for id, external_id, dimension in session.exec(wanted)]


def asset_ids(session: Session, *, project_id: int, names: Sequence[str]) -> dict[str, tuple[int, str | None]]:
    """Return the assets of a project that have one of these names: id, and hash of the file or None."""
    ids: dict[str, tuple[int, str | None]] = {}
    for some in chunked(names):
        wanted = select(AssetRow.name, AssetRow.id, AssetRow.sha256).where(
            AssetRow.project_id == project_id, col(AssetRow.name).in_(some)
        )
        ids.update({name: (id, sha256) for name, id, sha256 in session.exec(wanted)})
    return ids


def add_assets(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add assets."""
    insert_all(session, AssetRow, rows)


def fill_assets(session: Session, *, hashes: Mapping[int, str]) -> None:
    """Set the files of missing assets, by asset id."""
    if hashes:
        filled = update(AssetRow).where(col(AssetRow.id) == bindparam("asset")).values(sha256=bindparam("file"))
        session.connection().execute(filled, [{"asset": id, "file": sha256} for id, sha256 in hashes.items()])


def asset_names(session: Session, *, project_id: int) -> dict[int, list[tuple[str, str, str | None, str | None]]]:
    """Return role, name, source and hash of every item's assets, by item id, in the order within the item."""
    wanted = (
        plain_select(
            col(ItemAssetRow.item_id),
            col(ItemAssetRow.role),
            col(AssetRow.name),
            col(SourceRow.name),
            col(AssetRow.sha256),
        )
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .join(SourceRow, col(SourceRow.id) == AssetRow.source_id, isouter=True)
        .where(col(AssetRow.project_id) == project_id)
        .order_by(col(ItemAssetRow.item_id), col(ItemAssetRow.id))
    )
    by_item: dict[int, list[tuple[str, str, str | None, str | None]]] = defaultdict(list)
    for item_id, role, name, source, sha256 in session.connection().execute(wanted):
        by_item[item_id].append((role, name, source, sha256))
    return dict(by_item)


# ---- models' answers ------------------------------------------------------------------------------------------------


def add_attempts(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add attempts."""
    insert_all(session, AttemptRow, rows)


def imported_failures(session: Session, *, project_id: int, kind: RunKind) -> set[tuple[int, str, Outcome, str]]:
    """Return item, model, outcome and text of failed attempts in runs of a kind that are not withdrawn."""
    wanted = (
        select(AttemptRow.item_id, RunRow.name, AttemptRow.outcome, AttemptRow.text)
        .join(RunRow, col(RunRow.id) == AttemptRow.run_id)
        .where(
            RunRow.project_id == project_id,
            RunRow.kind == kind,
            col(RunRow.withdrawn_at).is_(None),
            col(AttemptRow.outcome).not_in(ANSWERS),
        )
    )
    return {(item_id, model, Outcome(outcome), text) for item_id, model, outcome, text in session.exec(wanted)}


def predictions(session: Session, *, project_id: int, run_id: int | None = None) -> Sequence[StoredPrediction]:
    """Return all models' answers in a project whose runs are not withdrawn, or those of one run, oldest first."""
    wanted = (
        select(PredictionRow)
        .where(PredictionRow.project_id == project_id, of_counting_runs())
        .order_by(col(PredictionRow.id))
    )
    if run_id is not None:
        wanted = wanted.where(PredictionRow.run_id == run_id)
    return session.exec(wanted).all()


# ---- ratings --------------------------------------------------------------------------------------------------------


def add_ratings(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> int:
    """Add the rows of a ratings file. Known rows stay unchanged. Return the number of new rows."""
    return insert_or_ignore(session, ImportedRatingRow, rows)


def ratings(session: Session, *, project_id: int, stage: Stage | None = None) -> Sequence[StoredImportedRating]:
    """Return the imported ratings of a project, oldest first."""
    wanted = select(ImportedRatingRow).where(ImportedRatingRow.project_id == project_id)
    if stage is not None:
        wanted = wanted.where(ImportedRatingRow.stage == stage)
    return reworded.query(session, wanted.order_by(col(ImportedRatingRow.id)))


class KeptVote(NamedTuple):
    """A vote on a kept item, with ``answers`` and ``reasons`` as stored text."""

    item_id: int
    person_id: int
    stage: Stage
    answers: str
    reasons: str
    weight: float | None
    guideline_hash: str
    schema_version_id: int


def on_kept_items(session: Session, *, project_id: int, stage: Stage) -> Iterator[KeptVote]:
    """Yield a stage's submissions that count about the current revisions of kept items, oldest first."""
    columns: tuple[Any, ...] = (
        AnnotationRow.item_id,
        AnnotationRow.person_id,
        AnnotationRow.stage,
        cast(col(AnnotationRow.answers), Text),
        cast(col(AnnotationRow.reasons), Text),
        AnnotationRow.weight,
        AnnotationRow.guideline_hash,
        AnnotationRow.schema_version_id,
    )
    wanted = (
        counting(plain_select(*columns), project_id=project_id, stage=stage)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .where(col(ItemRow.state) == ItemState.KEPT, col(AnnotationRow.revision) == ItemRow.current_revision)
        .order_by(col(AnnotationRow.id))
    )
    return map(KeptVote._make, session.execute(wanted.execution_options(yield_per=_READ_AT_ONCE)))


class CountingVote(NamedTuple):
    """The columns of a vote that statistics need. Loading hundreds of thousands of whole rows would take minutes."""

    item_id: int
    prediction_id: int | None
    revision: int
    dimension: str
    answers: Mapping[str, Any]
    note: str
    guideline_hash: str
    person_id: int
    login: str
    schema_version_id: int


def counting_votes(
    session: Session, *, project_id: int, stage: Stage, as_they_stand: bool = False
) -> list[CountingVote]:
    """Return the submissions of ``counting_annotations``, with only the columns that statistics need.

    ``as_they_stand`` leaves out votes on earlier revisions of items.
    """
    wanted = _counting_votes(project_id=project_id, stage=stage).order_by(col(AnnotationRow.id))
    if as_they_stand and stage in VERIFICATIONS:
        item = and_(col(ItemRow.id) == AnnotationRow.item_id, col(ItemRow.current_revision) == AnnotationRow.revision)
        wanted = wanted.join(ItemRow, item)
    return list(_said(session, wanted, project_id=project_id, stage=stage))


def votes_by_item(session: Session, *, project_id: int, stage: Stage) -> Iterator[CountingVote]:
    """Yield the votes of ``counting_votes`` by item, in the order of ``item_ids``.

    The votes on an item are sorted by answer, revision and person. They are read in a stream, because a large project
    has very many. Votes on an earlier revision than the last one voted on are left out.
    """
    newest = _voted_on_last(session, project_id=project_id, stage=stage)
    placed = (col(ItemRow.file_id).is_(None), col(ItemRow.file_id), col(ItemRow.position), col(ItemRow.id))
    of_item = (func.coalesce(AnnotationRow.prediction_id, 0), col(AnnotationRow.revision), col(AnnotationRow.person_id))
    wanted = (
        _counting_votes(project_id=project_id, stage=stage)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .order_by(*placed, *of_item, col(AnnotationRow.id))
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    for vote in _said(session, wanted, project_id=project_id, stage=stage):
        if vote.prediction_id is not None or vote.revision == newest.get(vote.item_id, vote.revision):
            yield vote


def _voted_on_last(session: Session, *, project_id: int, stage: Stage) -> dict[int, int]:
    """Return the newest revision with votes of each item (id), for items with votes after their first revision."""
    selected = plain_select(col(AnnotationRow.item_id), func.max(col(AnnotationRow.revision)))
    wanted = counting(selected, project_id=project_id, stage=stage).where(
        col(AnnotationRow.prediction_id).is_(None), col(AnnotationRow.revision) > 1
    )
    return {item_id: revision for item_id, revision in session.execute(wanted.group_by(col(AnnotationRow.item_id)))}


def _counting_votes(*, project_id: int, stage: Stage) -> Any:
    columns: tuple[Any, ...] = (
        AnnotationRow.item_id,
        AnnotationRow.prediction_id,
        AnnotationRow.revision,
        AnnotationRow.dimension,
        cast(col(AnnotationRow.answers), Text),
        AnnotationRow.note,
        AnnotationRow.guideline_hash,
        AnnotationRow.person_id,
        PersonRow.login,
        AnnotationRow.schema_version_id,
    )
    return counting(plain_select(*columns), project_id=project_id, stage=stage)


def _said(session: Session, wanted: Any, *, project_id: int, stage: Stage) -> Iterator[CountingVote]:
    """Yield these votes in the words of the schema in force."""
    about: dict[str, Any] = {"project_id": project_id, "stage": stage}
    now = reworded.dimensions(session, project_id=project_id)

    @lru_cache(_READ_AT_ONCE)  # most votes have the same answers as others
    def read(given: str, version: int) -> Mapping[str, Any]:
        return reworded.answers(session, **about, version=version, given=json.loads(given))

    once: dict[str, str] = {}  # equal texts of many votes are kept once
    for row in map(CountingVote._make, session.execute(wanted)):
        dimension = row.dimension if now is None else now[row.item_id]
        yield row._replace(
            answers=read(str(row.answers), row.schema_version_id),
            dimension=once.setdefault(dimension, dimension),
            login=once.setdefault(row.login, row.login),
        )


def voters(session: Session, *, project_id: int, stage: Stage) -> set[str]:
    """Return the logins of everyone who has a submission that counts in a stage."""
    newer = aliased(AnnotationRow)
    theirs = exists().where(
        col(AnnotationRow.person_id) == col(PersonRow.id),
        col(AnnotationRow.project_id) == project_id,
        col(AnnotationRow.stage) == stage,
        col(AnnotationRow.purpose) == Purpose.LIVE,
        ~exists().where(col(newer.supersedes_id) == col(AnnotationRow.id)),
    )
    return set(session.exec(select(PersonRow.login).where(theirs)))


def n_ratings(session: Session, *, project_id: int, stage: Stage) -> int:
    """Count a project's annotations of a stage, its imported ratings of the stage, and its judgements."""
    of_people = select(func.count()).where(AnnotationRow.project_id == project_id, AnnotationRow.stage == stage)
    of_files = select(func.count()).where(ImportedRatingRow.project_id == project_id, ImportedRatingRow.stage == stage)
    of_judges = (
        select(func.count()).select_from(JudgementRow).join(RunRow, col(RunRow.id) == JudgementRow.run_id)
    ).where(RunRow.project_id == project_id)
    return sum(session.exec(wanted).one() for wanted in (of_people, of_files, of_judges))


def counting(selected: Any, *, project_id: int, stage: Stage) -> Any:
    """Return a query for a stage's submissions that count: live, and not superseded."""
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None),
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == stage,
    )
    return (
        selected.select_from(AnnotationRow)
        .join(PersonRow, col(PersonRow.id) == AnnotationRow.person_id)
        .where(
            AnnotationRow.project_id == project_id,
            AnnotationRow.stage == stage,
            AnnotationRow.purpose == Purpose.LIVE,
            col(AnnotationRow.id).not_in(newer),
        )
    )


def annotators(session: Session, *, project_id: int) -> list[int]:
    """Return the sorted ids of everyone who has submitted in a project or written one of its items."""
    voted = session.exec(select(AnnotationRow.person_id).where(AnnotationRow.project_id == project_id).distinct())
    wrote = session.exec(select(ItemRow.author_id).where(ItemRow.project_id == project_id).distinct())
    return sorted({*voted, *(id for id in wrote if id is not None)})
