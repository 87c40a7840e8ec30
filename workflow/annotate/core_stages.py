"""The stages of core: authoring, verification, adjudication, answering and grading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain.language import marked
from domain.states import VERIFICATIONS, Stage
from workflow.annotate import (
    adjudication,
    answer_steps,
    answering,
    authoring,
    grading,
    verification,
)
from workflow.annotate.stage_kinds import StageKind

_AUTHORING = StageKind(
    Stage.AUTHORING,
    nothing_yet=marked("The pool has no free image for you. A lead can add images."),
    check=authoring.check,
    place=authoring.place,
    after=authoring.after,
    why_fixed=authoring.why_fixed,
)
_VERIFICATION = StageKind(
    Stage.VERIFICATION,
    nothing_yet=marked("No items to verify yet. Items come from authoring or from an import."),
    check=verification.check,
    place=verification.place,
    after=verification.after,
    why_fixed=verification.why_fixed,
)
_LATER = marked("No items to verify yet. Items arrive after the previous verification stage.")
_ADJUDICATION = StageKind(
    Stage.ADJUDICATION,
    nothing_yet=marked("No items to settle: all votes agree."),
    check=adjudication.check,
    place=adjudication.place,
    after=adjudication.after,
    why_fixed=adjudication.why_fixed,
    votes=adjudication.votes,
)
_ANSWERING = StageKind(
    Stage.ANSWERING,
    nothing_yet=marked("No items to answer yet. Items arrive after verification."),
    check=answering.check,
    place=answering.place,
    after=answering.after,
    why_fixed=answering.why_fixed,
    follow_state=answering.follow_state,
    follow_revision=answering.follow_revision,
)
_GRADING = StageKind(
    Stage.GRADING,
    nothing_yet=marked("No answers to grade yet. A lead can import models' answers."),
    check=answer_steps.check,
    place=answer_steps.place,
    after=grading.after,
    why_fixed=answer_steps.why_fixed,
    follow_state=grading.follow_state,
    follow_run=grading.follow_run,
)


def rows() -> Sequence[StageKind]:
    """Return the records of core's stages."""
    later = (replace(_VERIFICATION, name=stage, nothing_yet=_LATER) for stage in VERIFICATIONS[1:])
    return (
        _AUTHORING,
        _VERIFICATION,
        *later,
        _ADJUDICATION,
        _ANSWERING,
        _GRADING,
    )
