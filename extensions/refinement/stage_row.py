"""The record of the stage ``refinement``."""

from __future__ import annotations

from domain.language import marked
from domain.states import Stage
from extensions.refinement import decisions, intake
from workflow.annotate.stage_kinds import StageKind

ROW = StageKind(
    Stage.REFINEMENT,
    nothing_yet=marked("No answers to refine yet. A lead must first send a model's answers."),
    check=decisions.check,
    place=decisions.place,
    after=decisions.after,
    why_fixed=decisions.why_fixed,
    follow_revision=intake.follow_revision,
    follow_run=intake.follow_run,
    counts=decisions.counts,
    progress=decisions.progress,
    open_work=intake.open_all,
)
