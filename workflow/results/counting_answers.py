"""Choose the counting answer of a model and the grades about it, by one rule for all numbers and releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from domain.rated_units import BETWEEN, unit_of


class _HasDate(Protocol):
    @property
    def created_at(self) -> datetime: ...


class GivenAnswer(_HasDate, Protocol):
    """The facts about a model's answer that this rule needs."""

    @property
    def id(self) -> int: ...

    @property
    def item_id(self) -> int: ...

    @property
    def model(self) -> str: ...


_D = TypeVar("_D", bound=_HasDate)


def answer_of(about: Sequence[_D], at: datetime) -> _D | None:
    """Return the answer that an imported grade is about: the newest one from before the grade, or the first one."""
    before = [answer for answer in about if answer.created_at <= at]
    return before[-1] if before else next(iter(about), None)


@dataclass(frozen=True)
class CountingAnswers:
    """The answers that count: each model's last answer to each item."""

    of_unit: Mapping[str, Sequence[GivenAnswer]]
    """Rated unit -> every answer of that model to that item, the oldest first."""
    current: frozenset[int]
    """The ids of the answers that count."""
    items: frozenset[str]
    """The names of the project's items."""
    models: frozenset[str]
    """The models that have an answer or a run here."""

    @classmethod
    def of(cls, found: Iterable[GivenAnswer], external: Mapping[int, str], *, asked: Iterable[str]) -> CountingAnswers:
        """Sort the answers of a project; ``external`` are the names of its items, ``asked`` its models."""
        of_unit: dict[str, list[GivenAnswer]] = {}
        models = set(asked)
        for answer in found:
            of_unit.setdefault(unit_of(external[answer.item_id], answer.model), []).append(answer)
            models.add(answer.model)
        current = frozenset(answers[-1].id for answers in of_unit.values())
        return cls(of_unit, current, frozenset(external.values()), frozenset(models))

    def counts(self, unit: str, at: datetime) -> bool:
        """Return whether a grade that came at this time is about an answer that counts.

        A grade of an empty or missing answer does not count, nor does a grade of an answer that the model has since
        replaced. A grade of a model that has no answer and no run here counts: its ratings are all there is.
        """
        about = self.about(unit, at)
        if about is not None:
            return about.id in self.current
        item, _, model = unit.rpartition(BETWEEN)
        return not (item in self.items and model in self.models)

    def about(self, unit: str, at: datetime) -> GivenAnswer | None:
        """Return the answer that a grade from this time is about; None where the model has given no answer."""
        return answer_of(self.of_unit.get(unit, ()), at)
