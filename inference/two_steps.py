"""Asking in two steps: the model's answer to a first question is inserted into a second question.

Each step is a single turn, so any model can be asked in this way, local or behind an endpoint. Both steps are reported
as attempts. The first is an intermediate step with its answer, and the last has the transcript of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.runs import ANSWERS, Answerer, Attempt, BudgetedAnswerer, FirstAnswer, Outcome, Picture, Question


class TwoSteps:
    """Implements ``domain.runs.Answerer`` for ``two_steps``, over a model that writes answers."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the facts about the model and its device."""
        return self._answerer.about

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Ask the first step of all questions, and then the second step of those with an answer; see
        ``Answerer.answer``.
        """
        asked = {question.unit_id: question for question in questions}
        texts: dict[int, str] = {}

        def first(attempt: Attempt) -> None:
            detail = {**attempt.detail, "step": 1}
            if attempt.final and attempt.outcome in ANSWERS:
                texts[attempt.unit_id] = attempt.text
                tell(replace(attempt, outcome=Outcome.STEP, final=False, detail=detail))
            elif attempt.final and not asked[attempt.unit_id].cannot:
                why = (
                    f"The first step failed: {attempt.error}" if attempt.error else "The first step returned no answer."
                )
                tell(replace(attempt, error=why, detail=detail))
            else:
                tell(replace(attempt, detail=detail))

        def second(attempt: Attempt) -> None:
            question = asked[attempt.unit_id]
            turns = [
                {"role": "user", "text": question.first.text if question.first is not None else ""},
                {"role": "assistant", "text": texts[attempt.unit_id]},
                {"role": "user", "text": filled(question, texts[attempt.unit_id]).text},
                {"role": "assistant", "text": attempt.text},
            ]
            tell(replace(attempt, detail={**attempt.detail, "step": 2, "transcript": turns}))

        self._answerer.answer([_first(question) for question in questions], tell=first, stop=stop)
        then = [filled(asked[unit], text) for unit, text in texts.items()]
        if then and not stop():
            self._answerer.answer(then, tell=second, stop=stop)

    def spent(self, calls: int, cost: float) -> None:
        """Set the spent amount as ``BudgetedAnswerer.spent`` does."""
        if isinstance(self._answerer, BudgetedAnswerer):
            self._answerer.spent(calls, cost)

    def close(self) -> None:
        """Close the model as ``Answerer.close`` does."""
        self._answerer.close()


def _first(question: Question) -> Question:
    """Return the question of the first step. A question that cannot be asked is returned unchanged."""
    return question if question.cannot or question.first is None else question.first


def filled(question: Question, said: str) -> Question:
    """Return the second step with the first answer inserted, and with adjacent texts joined."""
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
