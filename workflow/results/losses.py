"""Count lost answers of models and lost replies of judges once, for every page and file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.loss_values import ends_of_scale, majority, subject_of
from agreement.losses import PEOPLES_GRADE, VALUE_IN_TEXT, LossCell, Losses, losses_of
from annotation_schemas.expected_answers import GONE, asked_of, key_of
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from domain.english import with_noun
from domain.judging import ReplyOutcome
from domain.rated_units import BETWEEN
from domain.records import Rating
from domain.runs import Outcome
from domain.states import Stage
from workflow.results.criterion_values import named_criteria
from workflow.results.graded_answers import label_of_failure
from workflow.results.project_answers import NOT_ASKED, ProjectAnswers
from workflow.results.ratings import StageRows, criteria_of
from workflow.results.reply_counts import METRIC_ENDS, ends_of
from workflow.results.scores import SILENT, ScoredAnswers, score_answers


def losses_of_scores(found: ProjectAnswers, of: ScoredAnswers, asked: Collection[int]) -> Losses | None:
    """Return the losses of a way of scoring over the items ``asked``; None if the score reads no text.

    Against the key, losses are unreadable answers, and items without an answer of the model. For a judge, even one
    corrected by people, losses are replies without a score.
    """
    if of.scores.kind == "key":
        return _of_key(found, of, asked)
    if of.scores.kind in ("judge", "corrected"):
        return _of_judge(found, of, asked)
    return None


def _of_key(found: ProjectAnswers, of: ScoredAnswers, asked: Collection[int]) -> Losses:
    lots = _Lots()
    keys = {id: key_word(found.schema, found.items[id].fields) for id in asked}
    for at, answer in enumerate(found.answers):
        if answer.item not in asked or answer.model in found.pooled:
            continue
        where = (answer.model, found.items[answer.item].dimension, keys.get(answer.item))
        if at in of.unread:
            lots.lose(where, of.unread[at].words)
        elif of.why.get(at) == GONE:
            lots.lose(where, GONE)
        elif not math.isnan(of.values[at]):
            lots.count(where, float(of.values[at]))
    for model, lot in found.unanswered.items():
        for item, why in lot.items():
            if item in asked and item not in found.keyless and why != NOT_ASKED:
                lots.lose((model, found.items[item].dimension, keys.get(item)), why)
    cells = lots.cells()
    then = counting_words(found.schema, {why for cell in cells for why in cell.lost})
    return losses_of(cells, unit="answers", low=0.0, high=1.0, value_is="key", counts_as=then)


def counting_words(schema: Schema, lost: Collection[str]) -> str:
    """Return how answers that were lost for these reasons are counted, with the setting that decides."""
    never_came = {outcome.why_none for outcome in Outcome if outcome.why_none and outcome.why_none not in SILENT} | {
        GONE
    }
    if lost and never_came.issuperset(lost):
        return "are excluded, because no answer arrived"
    then = "count as wrong" if schema.report.unreadable == "wrong" else "are left out"
    but = "; items without an answer are excluded" if then == "count as wrong" and never_came & set(lost) else ""
    return f"{then} (report: unreadable){but}"


def key_word(schema: Schema, fields: Mapping[str, Any]) -> str | None:
    """Return the key of an item as one of a few values: its letter, or yes or no; None if it is neither."""
    wanted = asked_of(schema, fields)
    key = key_of(fields.get(key_field(schema) or ""), wanted)[0]
    if isinstance(key, list) and len(key) == 1 and key[0] in wanted.options:
        return chr(ord("A") + wanted.options.index(key[0]))
    return key.casefold() if isinstance(key, str) and key.casefold() in ("yes", "no") else None


def _of_judge(found: ProjectAnswers, of: ScoredAnswers, asked: Collection[int]) -> Losses | None:
    judge = of.scores.judge or ""
    rule = next((rule for rule in found.schema.report.derived if rule.name == of.scores.criterion), None)
    parts = rule.parts if rule else (of.scores.criterion or "",)
    why: dict[int, str] = {}
    for name in parts:
        why |= found.unscored.get((name, judge), {})
    if not why:
        return None
    about = replace(of.scores, kind="judge", method=None)
    plain = of if of.scores.kind == "judge" else score_answers(found, about)
    places = [at for at, answer in enumerate(found.answers) if answer.item in asked]
    places = [at for at in places if not math.isnan(plain.values[at]) or found.answers[at].id in why]
    grades, words = found.grades.get(of.scores.criterion or "", {}), _option_words(found, of.scores.criterion)
    majority_words: dict[int, str | None] = {}
    for at in places:
        given = grades.get(found.answers[at].id, ())
        majority_words[at] = majority([words.get(grade, grade) for grade in given if not math.isnan(grade)])
    of_people = 2 * sum(word is not None for word in majority_words.values()) > len(places)
    mentioned = found.mentions.get(judge, {})
    lots = _Lots()
    for at in places:
        answer = found.answers[at]
        lost = label_of_failure(why[answer.id]) if math.isnan(plain.values[at]) else ""
        value = (
            majority_words[at]
            if of_people
            else mentioned.get(answer.id)
            if lost in ("", ReplyOutcome.UNPARSEABLE.label)
            else None
        )
        where = (answer.model, found.items[answer.item].dimension, value)
        if lost:
            lots.lose(where, lost)
        else:
            lots.count(where, float(plain.values[at]))
    value_is = PEOPLES_GRADE if of_people else VALUE_IN_TEXT
    subject = subject_of(judge, of.scores.criterion)
    return losses_of(lots.cells(), subject=subject, low=plain.low, high=plain.high, value_is=value_is)


def _option_words(found: ProjectAnswers, criterion: str | None) -> dict[float, str]:
    """Return the option at each place, of a criterion whose grades are places."""
    named = next((candidate for candidate in named_criteria(found.schema) if candidate.name == criterion), None)
    return {float(at): str(option.value) for at, option in enumerate(named.options)} if named is not None else {}


Where = tuple[str | None, str | None, str | None]


class _Lots:
    """Counts by model, dimension and value."""

    def __init__(self) -> None:
        self._asked: Counter[Where] = Counter()
        self._totals: dict[Where, list[float]] = {}
        self._lost: dict[Where, Counter[str]] = {}

    def count(self, where: Where, score: float) -> None:
        """Count a unit with a value."""
        self._asked[where] += 1
        self._totals.setdefault(where, []).append(score)

    def lose(self, where: Where, why: str) -> None:
        """Count a unit without a value."""
        self._asked[where] += 1
        self._lost.setdefault(where, Counter())[why] += 1

    def cells(self) -> list[LossCell]:
        """Return the counts."""
        return [
            LossCell(n, dict(self._lost.get(where, {})), *where, math.fsum(self._totals.get(where, ())))
            for where, n in self._asked.items()
        ]


# ---- judges next to people -------------------------------------------------------------------------------------------


def losses_of_judges(
    read: StageRows,
    *,
    stage: Stage,
    judges: Collection[str] | None = None,
    criteria: Collection[str] | None = None,
) -> list[Losses]:
    """Return the losses of each judge that ran here in a stage, by criterion; ``judges`` None for all judges.

    Judges with imported ratings but no replies are left out, because their failures are unknown.
    """
    if all(verdict.scored for _, verdict in read.judged):
        return []
    majority_words = majorities(read.rows, people=read.people)
    wanted = read.own_scale.keys() if judges is None else set(judges)
    lots: dict[tuple[str, str], _Lots] = {}
    for rating, verdict in read.judged:
        if rating.rater not in wanted or verdict is ReplyOutcome.SKIPPED:
            continue
        lot = lots.setdefault((rating.criterion, rating.rater), _Lots())
        model = rating.unit.rpartition(BETWEEN)[2] if BETWEEN in rating.unit else None
        where = (model, rating.dimension, majority_words.get((rating.criterion, rating.unit)))
        if verdict.scored:
            lot.count(where, rating.value if isinstance(rating.value, int | float) else 0.0)
        else:
            lot.lose(where, verdict.label)
    order = {criterion.name: at for at, criterion in enumerate(criteria_of(read.access.schema, stage))}
    ends = ends_of(read.access.schema, stage)
    losses = []
    for (criterion, judge), lot in sorted(lots.items(), key=lambda pair: (order.get(pair[0][0], 0), pair[0])):
        if criteria is not None and criterion not in criteria:
            continue
        low, high = ends_of_scale(METRIC_ENDS if read.own_scale.get(judge) else ends.get(criterion, ()))
        subject = subject_of(judge, criterion)
        losses.append(losses_of(lot.cells(), subject=subject, low=low, high=high, value_is=PEOPLES_GRADE))
    return [loss for loss in losses if loss.lost]


@dataclass(frozen=True)
class StageLosses:
    """The losses in figures about the raters of a stage."""

    judges: Sequence[Losses] = ()
    """The losses of each judge by criterion."""
    left_out: int = 0
    """Imported grades of empty, missing or replaced answers."""

    @property
    def sentences(self) -> list[str]:
        """Return the losses in sentences; empty without losses."""
        sentences = [judge.sentence for judge in self.judges]
        return [*sentences, *([left_out_in_words(self.left_out)] if self.left_out else [])]

    def warning(self, criterion: str, raters: Collection[str] | None) -> str:
        """Return the warnings of these raters about a criterion; None for all judges."""
        mine = None if raters is None else {subject_of(rater, criterion) for rater in raters}
        return " ".join(
            judge.warning
            for judge in self.judges
            if judge.warns and (judge.subject.endswith(f", {criterion}") if mine is None else judge.subject in mine)
        )


def losses_of_stage(
    read: StageRows,
    *,
    stage: Stage,
    judges: Collection[str] | None = None,
    criteria: Collection[str] | None = None,
) -> StageLosses:
    """Return the losses in figures about raters of a stage; ``judges`` None for all judges."""
    return StageLosses(losses_of_judges(read, stage=stage, judges=judges, criteria=criteria), read.left_out)


def left_out_in_words(n: int) -> str:
    """Return how many imported grades no number includes, as a sentence."""
    grades = with_noun(n, "imported grade does", "imported grades do")
    return (
        f"{grades} not count, because {'its answer is' if n == 1 else 'their answers are'} empty, missing or replaced."
    )


def majorities(rows: Sequence[Rating], *, people: Collection[str]) -> dict[tuple[str, str], str]:
    """Return the value that more than half of a unit's raters give, by criterion and unit."""
    values: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        if row.rater in people and row.value is not None:
            values.setdefault((row.criterion, row.unit), []).append(row.value)
    return {place: word for place, words in values.items() if (word := majority(words)) is not None}
