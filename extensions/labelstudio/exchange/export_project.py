"""Export a project as Label Studio's own JSON: items as tasks, with people's latest submissions and models' answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.formats import Page, TaskFile
from annotation_schemas.keys import votes_tell
from annotation_schemas.model import PREDICTION, Schema
from db import files, item_revisions, items
from db.engine import Session
from db.records import StoredItem
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.rated_units import unit_of
from domain.records import AssetView, TaskView
from domain.states import ONLY_HERE, VERIFICATIONS, Stage
from extensions.labelstudio import results
from extensions.labelstudio.export_file import ModelPrediction, RaterAnnotation, Task, label_studio_json, local_file
from extensions.labelstudio.labeling import data, labeling
from extensions.labelstudio.names import DIMENSION, ITEM, MODEL
from extensions.labelstudio.queries import votes
from workflow.access.projects import Access
from workflow.annotate.task_views import visible_fields
from workflow.results.file_raters import people_names, pseudonyms
from workflow.results.ratings import RATED, criteria_of


def tasks_file(
    session: Session,
    access: Access,
    *,
    stage: Stage | None,
    only: Collection[str] | None,
    public: bool,
    private: bool,
    page: Page | None = None,
) -> TaskFile:
    """Return the items (``only`` these, if given) with people's submissions in a stage.

    Parameters
    ----------
    stage
        Verification gives a task for each item, grading one for each model's answer. None: the first such stage.
    public
        Leave out the fields that the schema keeps out of public files, votes that would reveal them, and models'
        answers.
    private
        Include the fields that are secret in the stage.
    page
        Returns the data of a task for a labeling configuration.
    """
    schema = access.schema
    stage = stage or first_rated(access.schema)
    if stage is None or not criteria_of(schema, stage):
        raise InvalidFileError(
            f"{access.title} has no stage {stage.value if stage else 'in which people rate'}. Add this stage to the "
            "schema, or choose another format."
        )
    without = [
        field.name
        for field in schema.item.fields
        if (not private and stage.value in field.secret_in) or (public and field.name in schema.export.public_without)
    ]
    hidden = public and votes_tell(schema, without)
    wanted = None if only is None else frozenset(only)
    rows = [
        row
        for row in items.of_project(session, project_id=access.project_id)
        if wanted is None or row.external_id in wanted
    ]
    content = item_revisions.current_content(session, project_id=access.project_id)
    assets = files.asset_names(session, project_id=access.project_id)
    answers_by_unit = {} if hidden else _submitted(session, access, stage, {row.id: row for row in rows})
    shown = page or _nothing
    answers: dict[int, list[Any]] = defaultdict(list)
    for answer in files.predictions(session, project_id=access.project_id):
        answers[answer.item_id].append(answer)
    tasks: list[Task] = []
    for row in rows:
        id = row.id
        fields = content[id]
        data = {
            ITEM: row.external_id,
            DIMENSION: row.dimension,
            **_media(access, assets.get(id, ())),
            **{name: value for name, value in fields.items() if name not in without},
        }
        if stage in VERIFICATIONS:
            data = {**shown(stage, _view(access, stage, row, fields, assets.get(id, ()))), **data}
            notes = [_annotated(access, stage, row, fields, note) for note in answers_by_unit.get((id, None), ())]
            predictions = [] if public else [ModelPrediction(a.model, a.text) for a in answers[id]]
            tasks.append(Task(data, notes, predictions))
            continue
        for answer in answers[id]:
            seen = {**fields, PREDICTION: answer.text}
            notes = [_annotated(access, stage, row, seen, note) for note in answers_by_unit.get((id, answer.id), ())]
            view = _view(access, stage, row, fields, assets.get(id, ()), answer.text)
            asked = {**shown(stage, view), **data, PREDICTION: answer.text}
            tasks.append(Task(asked, notes, meta={MODEL: answer.model}))
    return TaskFile(label_studio_json(tasks, shown=_shown(access)), len(rows), without)


def labeling_of(schema: Schema, stage: Stage | None) -> tuple[bytes, Page]:
    """Return the labeling configuration of a stage, and the function for its tasks' data.

    None: the first rating stage.
    """
    wanted = stage or first_rated(schema)
    if wanted is None:
        raise InvalidInputError(
            [
                Problem(
                    "labeling",
                    f"{schema.title} has no stage in which people rate. Add verification or grading to the schema.",
                )
            ]
        )
    texts = dict.fromkeys(labeling(schema, wanted, part.id) for part in schema.dimensions)
    if len(texts) > 1:
        raise InvalidInputError(
            [
                Problem(
                    "labeling",
                    f"The dimensions of {schema.title} have different questions, so one form cannot show all "
                    "questions. Choose a stage with the same questions in all dimensions.",
                )
            ]
        )
    return next(iter(texts)).encode(), lambda stage, view: data(schema, stage, view, lambda asset: local_file(asset.id))


def first_rated(schema: Schema) -> Stage | None:
    """Return the first stage of a schema in which people rate and which Label Studio can show."""
    return next((stage for stage in RATED if stage not in ONLY_HERE and criteria_of(schema, stage)), None)


def _nothing(stage: Stage, view: TaskView) -> Mapping[str, Any]:
    return {}


def _view(
    access: Access,
    stage: Stage,
    row: StoredItem,
    fields: Mapping[str, Any],
    assets: Sequence[tuple[str, str, str | None, str | None]],
    answer: str | None = None,
) -> TaskView:
    """Return the view that a rater of the stage has of an item. An asset's id is its name here."""
    kinds = {slot.role: slot.kind for slot in access.schema.item.assets}
    return TaskView(
        id="",
        project=access.name,
        stage=stage,
        dimension=row.dimension,
        item=None,
        revision=row.current_revision,
        fields=visible_fields(access.schema, stage, fields),
        assets=[AssetView(name, role, kinds[role]) for role, name, _, _ in assets if role in kinds],
        lease_until=row.created_at,
        answer=answer,
    )


@dataclass(frozen=True)
class _RaterAnswers:
    rater: str
    values: Mapping[str, Any]
    reasons: Mapping[str, Any]
    note: str
    seconds: float | None


def _submitted(
    session: Session, access: Access, stage: Stage, rows: Mapping[int, StoredItem]
) -> dict[tuple[int, int | None], list[_RaterAnswers]]:
    """Return the counting submissions on the current items, by item and answer.

    The positions of raters are fixed and do not depend on who was first. Imported ratings follow.
    """
    answers_by_unit: dict[tuple[int, int | None], list[_RaterAnswers]] = defaultdict(list)
    names = people_names(session, project_id=access.project_id)
    counting = votes.counting_annotations(session, project_id=access.project_id, stage=stage)
    for vote, person in sorted(counting, key=lambda each: each[1].id):
        row = rows.get(vote.item_id)
        if row is not None and (vote.prediction_id is not None or vote.revision == row.current_revision):
            rater_answers = _RaterAnswers(names[person.id], vote.answers, vote.reasons, vote.note, vote.seconds)
            answers_by_unit[vote.item_id, vote.prediction_id].append(rater_answers)
    units: dict[str, tuple[int, int | None]] = {row.external_id: (id, None) for id, row in rows.items()}
    for answer in files.predictions(session, project_id=access.project_id):
        if answer.item_id in rows:
            units[unit_of(rows[answer.item_id].external_id, answer.model)] = (answer.item_id, answer.id)
    called = pseudonyms(session, project_id=access.project_id, known=names)
    values: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for rating in files.ratings(session, project_id=access.project_id, stage=stage):
        values[rating.unit, called.get(rating.rater, rating.rater)][rating.criterion] = rating.value
    for (unit, rater), said_values in values.items():
        # Answers given here count.
        if unit in units and rater not in {answer.rater for answer in answers_by_unit[units[unit]]}:
            answers_by_unit[units[unit]].append(_RaterAnswers(rater, said_values, {}, "", None))
    return answers_by_unit


def _annotated(
    access: Access, stage: Stage, row: StoredItem, fields: Mapping[str, Any], said: _RaterAnswers
) -> RaterAnnotation:
    result = results.write_result(
        access.schema, stage.value, row.dimension, said.values, said.reasons, said.note, fields
    )
    return RaterAnnotation(said.rater, result, said.seconds)


def _media(access: Access, assets: Sequence[tuple[str, str, str | None, str | None]]) -> dict[str, Any]:
    media_by_role: dict[str, Any] = {}
    for slot in access.schema.item.assets:
        named = [local_file(name) for role, name, _, _ in assets if role == slot.role]
        if named:
            media_by_role[slot.role] = named[0] if slot.max == 1 else named
    return media_by_role


def _shown(access: Access) -> str:
    """Return the object that predictions refer to: the first medium, else the first field."""
    item = access.schema.item
    return next((part.role for part in item.assets), item.fields[0].name if item.fields else "text")
