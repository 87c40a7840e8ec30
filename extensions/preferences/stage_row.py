"""The record of the stage ``comparison``."""

from __future__ import annotations

from collections.abc import Sequence

from db.engine import Session
from domain.language import marked
from domain.states import Stage
from extensions.preferences import comparison, pair_intake, project_preferences
from extensions.preferences.comparison_plan import AnswerPair, plan_of
from workflow.access.counted_items import Counting
from workflow.access.projects import Access
from workflow.annotate import answer_steps
from workflow.annotate.stage_kinds import StageKind


def _units(session: Session, *, access: Access, counted: Counting) -> Sequence[AnswerPair]:
    stage = access.schema.stages.comparison
    return plan_of(session, access=access, stage=stage, counted=counted).asked if stage is not None else ()


ROW = StageKind(
    Stage.COMPARISON,
    nothing_yet=marked("No pairs to compare yet. A lead must first open pairs of models' answers."),
    check=answer_steps.check,
    place=answer_steps.place,
    after=answer_steps.after,
    why_fixed=comparison.why_fixed,
    follow_state=comparison.follow_state,
    follow_run=comparison.follow_run,
    renew=comparison.renew,
    is_replaced=comparison.is_replaced,
    replaced=comparison.REPLACED,
    shown=comparison.sides,
    answers=comparison.texts,
    as_seen_by=comparison.on_sides_of,
    about=comparison.models_shown,
    ratings=project_preferences.pair_ratings,
    differing=project_preferences.differing,
    units=_units,
    open_work=pair_intake.open_all,
)
