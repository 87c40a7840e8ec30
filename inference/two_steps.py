"""Asking twice: what a model says to a first question stands in the second one, which it then answers.

Both times it is one turn, so that any model can be asked so, here or behind an endpoint. Both are told as attempts: the
first as a step on the way with what was said, the last with the transcript of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.runs import ANSWERS, Answerer, Attempt, Budgeted, FirstAnswer, Outcome, Picture, Question


class TwoSteps:
    """Implements ``domain.runs.Answerer`` for ``two_steps``, over a model that writes answers."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    @property
    def about(self) -> Mapping[str, Any]:
        """What the model runs on."""
        return self._answerer.about

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """The first step of all questions, then the second one of those that had an answer; see ``Answerer.answer``."""
        asked = {question.unit_id: question for question in questions}
        said: dict[int, str] = {}

        def first(attempt: Attempt) -> None:
            detail = {**attempt.detail, "step": 1}
            if attempt.final and attempt.outcome in ANSWERS:
                said[attempt.unit_id] = attempt.text
                tell(replace(attempt, outcome=Outcome.STEP, final=False, detail=detail))
            elif attempt.final and not asked[attempt.unit_id].cannot:
                why = f"In the first step: {attempt.error}" if attempt.error else "The first step had no answer."
                tell(replace(attempt, error=why, detail=detail))
            else:
                tell(replace(attempt, detail=detail))

        def second(attempt: Attempt) -> None:
            question = asked[attempt.unit_id]
            turns = [
                {"role": "user", "text": question.first.text if question.first is not None else ""},
                {"role": "assistant", "text": said[attempt.unit_id]},
                {"role": "user", "text": filled(question, said[attempt.unit_id]).text},
                {"role": "assistant", "text": attempt.text},
            ]
            tell(replace(attempt, detail={**attempt.detail, "step": 2, "transcript": turns}))

        self._answerer.answer([_first(question) for question in questions], tell=first, stop=stop)
        then = [filled(asked[unit], text) for unit, text in said.items()]
        if then and not stop():
            self._answerer.answer(then, tell=second, stop=stop)

    def spent(self, calls: int, cost: float) -> None:
        """See ``Budgeted.spent``."""
        if isinstance(self._answerer, Budgeted):
            self._answerer.spent(calls, cost)

    def close(self) -> None:
        """See ``Answerer.close``."""
        self._answerer.close()


def _first(question: Question) -> Question:
    """What is asked first; a question that cannot be asked is told as that."""
    return question if question.cannot or question.first is None else question.first


def filled(question: Question, said: str) -> Question:
    """The second step with the first answer in its place, and texts that stand next to each other as one."""
    parts: list[str | Picture] = []
    for part in question.parts:
        if isinstance(part, Picture):
            parts.append(part)
            continue
        text = said if isinstance(part, FirstAnswer) else part
        if parts and isinstance(parts[-1], str):
            parts[-1] += text
        else:
            parts.append(text)
    return replace(question, parts=tuple(parts), first=None)
