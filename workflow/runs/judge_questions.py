"""The questions of a judge: the filled template for each unit, with the item's pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from annotation_schemas import judge_templates
from annotation_schemas.judge_templates import DIMENSION, PREDICTION
from annotation_schemas.model import Schema
from db import item_revisions, items, judging
from db.engine import Session, Store
from db.records import StoredItem, StoredJudgeUnit, StoredPrediction
from domain.attacks import ATTACKS
from domain.judging import JudgePlan
from domain.runs import Picture, Question, RunPlan
from inference.spec import ModelSpec
from workflow.runs.judge_plans import ANSWER_A, ANSWER_B
from workflow.runs.model_questions import Asker
from workflow.runs.prompt_texts import FieldTexts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from media.store import MediaStore


@dataclass(frozen=True)
class _Unit:
    """A unit with everything that its question needs."""

    row: StoredJudgeUnit
    item: StoredItem
    fields: Mapping[str, Any]
    answer: str
    other: str | None


class JudgeAsker:
    """Makes questions to a judge of a run's units. Used by one thread."""

    def __init__(
        self,
        store: Store,
        *,
        schema: Schema,
        plan: JudgePlan,
        pictures: Callable[[Sequence[int]], Mapping[int, Sequence[Picture] | str]] | None = None,
    ) -> None:
        """Prepare questions for a plan.

        ``pictures`` returns the pictures of each item by item id, or a sentence why they cannot be shown.
        """
        self.store = store
        self.schema = schema
        self.plan = plan
        self.template = judge_templates.parse_template(plan.template_text, name=plan.template)
        self.texts = FieldTexts(schema)
        self.fields = {field.name: field for field in schema.item.fields}
        self.pictures = pictures

    def ask(self, unit_ids: Sequence[int]) -> list[Question]:
        """Return the questions about these units, in order. A question that cannot be asked gives the reason."""
        with self.store.read() as session:
            rows = judging.units(session, ids=unit_ids)
        return self.ask_about([rows[id] for id in unit_ids])

    def ask_about(self, rows: Sequence[StoredJudgeUnit]) -> list[Question]:
        """Return the same as ``ask``, for units that need not be stored."""
        with self.store.read() as session:
            units = self._read(session, {row.id: row for row in rows})
        shown: Mapping[int, Sequence[Picture] | str] = {}
        if self.plan.pictures and self.pictures is not None:
            shown = self.pictures(sorted({unit.item.id for unit in units.values()}))
        return [self._question(units[row.id], shown) for row in rows]

    def _read(self, session: Session, rows: Mapping[int, StoredJudgeUnit]) -> dict[int, _Unit]:
        item_ids = sorted({row.item_id for row in rows.values()})
        answers: dict[int, StoredPrediction] = judging.predictions(
            session,
            ids=sorted({id for row in rows.values() for id in (row.prediction_id, row.other_id) if id is not None}),
        )
        by_id = items.by_ids(session, ids=item_ids)
        contents = item_revisions.contents(session, ids=item_ids)
        return {
            id: _Unit(
                row,
                by_id[row.item_id],
                contents[row.item_id, by_id[row.item_id].current_revision],
                _answer(row, answers),
                answers[row.other_id].text if row.other_id is not None else None,
            )
            for id, row in rows.items()
        }

    def _question(self, unit: _Unit, shown: Mapping[int, Sequence[Picture] | str]) -> Question:
        question = Question(
            unit_id=unit.row.id,
            name=unit.item.external_id,
            dimension=unit.item.dimension,
            parts=(),
            of_item=unit.row.item_id,
        )
        pictures = shown.get(unit.item.id, ())
        if isinstance(pictures, str):
            return replace(question, cannot=pictures)
        values: dict[str, str] = {}
        for placeholder in self.template.prompt.placeholders:
            value = self._value(placeholder, unit)
            if value is None:
                name = self.plan.fills.get(placeholder, placeholder)
                return replace(
                    question,
                    cannot=f"The template asks for `{name}`, which this item does not have. Fill in the field, or "
                    f"choose "
                    "another template.",
                )
            values[placeholder] = value
        filled = self.template.prompt.fill(values)
        return replace(question, system=filled.system, parts=(*pictures, filled.user))

    def _value(self, placeholder: str, unit: _Unit) -> str | None:
        source = self.plan.fills.get(placeholder, placeholder)
        if placeholder in (ANSWER_A, ANSWER_B) and source == placeholder:
            first = placeholder == ANSWER_A
            return self._fenced(unit.answer if first != unit.row.swapped else unit.other or "")
        if source == PREDICTION:
            return self._fenced(unit.answer)
        if source == DIMENSION and source not in self.fields:
            return self.schema.dimension(unit.item.dimension).title
        value = unit.fields.get(source)
        if source not in self.fields or value is None or value in ("", [], ()):
            return None
        return self.texts.text(self.fields[source], value)

    def _fenced(self, answer: str) -> str:
        """Return an answer that cannot fake its own end: template marks in it lose their brackets."""
        for line in self.template.prompt.user.splitlines():
            mark = line.strip()
            if mark.startswith("[") and mark.endswith("]") and len(mark) > 4:
                answer = answer.replace(mark, f"({mark[1:-1]})")
        return answer


def _answer(row: StoredJudgeUnit, answers: Mapping[int, StoredPrediction]) -> str:
    """Return the text to judge; empty if the judge sees the item itself."""
    if row.attack is not None:
        return ATTACKS[row.attack]
    return answers[row.prediction_id].text if row.prediction_id is not None else ""


def asker_of(
    store: Store, media: MediaStore, *, schema: Schema, spec: ModelSpec, plan: JudgePlan, cache: Path
) -> JudgeAsker:
    """Return an object that makes the questions of a run, with the pictures that models see."""
    shower = Asker(store, media, schema=schema, plan=RunPlan(), spec=spec, cache=cache)
    return JudgeAsker(store, schema=schema, plan=plan, pictures=shower.pictures_of)
