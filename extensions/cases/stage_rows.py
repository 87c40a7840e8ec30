"""The records of the stages ``coding`` and ``arbitration``."""

from __future__ import annotations

from domain.language import marked
from domain.states import Stage
from extensions.cases import coding, coding_intake
from workflow.annotate import answer_steps
from workflow.annotate.stage_kinds import StageKind

ROWS = (
    StageKind(
        Stage.CODING,
        nothing_yet=marked("There are no answers to code yet. A lead must send answers to coding first."),
        check=answer_steps.check,
        place=coding.place,
        after=coding.after,
        why_fixed=coding.why_fixed,
        follow_state=coding.follow_state,
        follow_run=coding.follow_run,
        follow_votes=coding.offer_arbitration,
        open_work=coding_intake.open_all,
    ),
    StageKind(
        Stage.ARBITRATION,
        nothing_yet=marked("There are no codes to settle, because coders agree on all answers."),
        check=answer_steps.check,
        place=coding.place,
        after=coding.after,
        why_fixed=coding.why_fixed,
        votes=coding.votes,
        voter=marked("Coder"),
    ),
)
