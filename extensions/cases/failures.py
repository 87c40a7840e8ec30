"""Failures of models' answers: settled error codes, counted by model and dimension, with the answers behind each."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.limits import wilson
from annotation_schemas.model import Criterion, Schema
from db import files
from db.engine import Store
from domain.errors import ConflictError
from domain.records import Person
from domain.states import Items, Stage
from extensions.cases import coding, queries
from extensions.cases.coding import CodingProgress
from workflow.access.counted_items import Counting
from workflow.access.projects import require_lead
from workflow.results.file_raters import people_names
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers, current


@dataclass(frozen=True)
class CodedAnswer:
    """A model's answer that was sent to coding, with its settled codes."""

    id: int
    item: int
    name: str
    """The item's id in files."""
    model: str
    dimension: str
    standing: CodingProgress
    values: Mapping[str, Any]
    """The settled value of each criterion with codes; empty before any is settled."""
    coders: Sequence[tuple[str, Mapping[str, Any], str]]
    """The pseudonym, values and note of each coder, in the order in which people joined the project."""


@dataclass(frozen=True)
class Count:
    """The number of answers with a code."""

    model: str
    dimension: str | None
    """The dimension; None for all of them."""
    criterion: str
    code: str | None
    """The code as text; None for answers without a code."""
    n: int
    of: int
    """The number of answers of that model and dimension with settled codes. The ``n`` of several codes may add up to
    more.
    """
    low: float
    high: float
    """Wilson's limits of ``n`` of ``of``; nan where that is 0."""

    @property
    def share(self) -> float:
        """``n`` of ``of``; nan where that is 0."""
        return self.n / self.of if self.of else math.nan


@dataclass(frozen=True, eq=False)
class Failures:
    """The codes of a project in one state."""

    project: str
    schema: Schema
    counting: Counting | None
    answers: Sequence[CodedAnswer]
    """The answers that were sent to coding and count, in the order in which they came."""
    counts: Sequence[Count]
    """Criterion by criterion, model by model: all dimensions first, then each."""

    def standing(self, *those: CodingProgress) -> int:
        """Return the number of answers in these states."""
        return sum(answer.standing in those for answer in self.answers)

    @property
    def sentence(self) -> str:
        """Return the progress of the coding as a sentence."""
        settled = self.standing(CodingProgress.UNANIMOUS, CodingProgress.ARBITRATED)
        waiting, differ = self.standing(CodingProgress.WAITING), self.standing(CodingProgress.DIFFER)
        how = f"{self.standing(CodingProgress.UNANIMOUS):,} by agreement"
        if self.schema.stages.arbitration is not None:
            how += f", {self.standing(CodingProgress.ARBITRATED):,} by arbitration"
        open_ = "waiting for arbitration" if self.schema.stages.arbitration is not None else "unsettled"
        n = len(self.answers)
        return (
            f"{n:,} answer{'' if n == 1 else 's'} in coding: {settled:,} settled ({how}), {waiting:,} waiting for "
            f"more coders, {differ:,} with different codes ({open_})."
        )


def failures(store: Store, *, person: Person | None, project: str, items: Items | str | None = None) -> Failures:
    """Return the codes of the answers that count, for leads. ``person`` None is a command on the machine itself.

    An answer is left out if its run was withdrawn, its model answered again, or its item was rejected. Raises
    ``ConflictError`` if the schema has no coding.
    """
    return of_read(store, current(store, person=person, project=project, items=items), person=person)


def of_read(store: Store, found: ProjectAnswers, *, person: Person | None) -> Failures:
    """Return the same as ``failures``, from one read of the project."""
    if found.schema.stages.coding is None:
        raise ConflictError(coding.NO_CODING.format(name=found.schema.name))
    with store.read() as session:
        access = require_lead(session, by=person, project=found.project)
        id = access.project_id
        sent = queries.answers_in(session, project_id=id, stage=Stage.CODING)
        coded = files.counting_votes(session, project_id=id, stage=Stage.CODING)
        decided = files.counting_votes(session, project_id=id, stage=Stage.ARBITRATION)
        called = people_names(session, project_id=id)
    by_answer: dict[int, list[tuple[int, files.CountingVote]]] = defaultdict(list)
    for vote in coded:
        by_answer[vote.prediction_id or 0].append((vote.person_id, vote))
    decision = {vote.prediction_id: vote.answers for vote in decided}
    answers = []
    for answer in found.answers:
        if answer.id not in sent:
            continue
        item = found.items[answer.item]
        mine = [vote for _, vote in sorted(by_answer[answer.id], key=lambda pair: pair[0])]
        wanted = coding.coders_wanted(access, [vote.schema_version_id for vote in mine])
        given = [vote.answers for vote in mine]
        come_to = coding.settled(found.schema, item.dimension, given, decision.get(answer.id), wanted=wanted)
        coders = [(called[vote.person_id], vote.answers, vote.note) for vote in mine]
        answers.append(_coded(answer, item.name, item.dimension, come_to, coders))
    return Failures(found.project, found.schema, found.counting, answers, list(_counts(found.schema, answers)))


def _coded(
    answer: Answer, name: str, dimension: str, come_to: coding.CombinedCodes, coders: Sequence[Any]
) -> CodedAnswer:
    return CodedAnswer(
        answer.id, answer.item, name, answer.model, dimension, come_to.standing, come_to.values, tuple(coders)
    )


def codes_in(value: Any) -> list[str | None]:
    """Return the codes in a settled value as text: one, several, or None for no code.

    >>> codes_in("perception"), codes_in(["perception", "reasoning"]), codes_in([]), codes_in(None)
    (['perception'], ['perception', 'reasoning'], [None], [None])
    """
    several = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [str(code) for code in several] or [None]


def _counts(schema: Schema, answers: Sequence[CodedAnswer]) -> Iterable[Count]:
    models = sorted({answer.model for answer in answers})
    for criterion in coding.code_criteria(schema):
        settled = [answer for answer in answers if criterion.name in answer.values]
        for model in models:
            of_model = [answer for answer in settled if answer.model == model]
            yield from _of_part(criterion, model, None, of_model)
            for dimension in schema.dimensions:
                there = [answer for answer in of_model if answer.dimension == dimension.id]
                if there:
                    yield from _of_part(criterion, model, dimension.id, there)


def _of_part(
    criterion: Criterion, model: str, dimension: str | None, settled: Sequence[CodedAnswer]
) -> Iterable[Count]:
    given = Counter(code for answer in settled for code in codes_in(answer.values[criterion.name]))
    codes: list[str | None] = [str(option.value) for option in criterion.options]
    of = len(settled)
    for code in [*codes, *([None] if given[None] else [])]:
        limits = wilson(given[code] / of, of) if of else None
        low, high = (limits.low, limits.high) if limits else (math.nan, math.nan)
        yield Count(model, dimension, criterion.name, code, given[code], of, low, high)
