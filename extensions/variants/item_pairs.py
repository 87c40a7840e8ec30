"""Items that are variants of each other, such as with and without marks, compared pair by pair."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.holm import holm
from agreement.means import paired_difference
from agreement.statistic import Statistic
from annotation_schemas.model import Schema
from db.engine import Store
from domain import csv_text
from domain.errors import InvalidInputError, Problem
from domain.replies import counted_reasons
from domain.states import Items
from workflow.results import attributes
from workflow.results.clusters import ALONE, cluster_of, clusters_of
from workflow.results.leaderboard_lines import values_of
from workflow.results.people_rows import with_people
from workflow.results.project_answers import ProjectAnswers, current
from workflow.results.score_choices import Scores, scores_of, title_of
from workflow.results.scores import score_answers
from workflow.results.slices import value_of

NO_PARTNER = "pairs without an item of the other variant"
TWICE = "pairs with two items of the same variant"
NO_SCORE = "pairs with an item that has no score"


@dataclass(frozen=True)
class PairFields:
    """The fields or labels that pair items."""

    pair: str
    variant: str


@dataclass(frozen=True)
class PairedDifference:
    """Two variants of the same items, as a model does on them."""

    scores: Scores
    model: str
    first: str
    second: str
    means: tuple[float, float]
    """Over the pairs, of the first and of the second variant; nan without a pair."""
    difference: Statistic
    """Second less first, over pairs."""
    higher: int
    """Pairs in which the second has the higher score."""
    lower: int
    equal: int
    left_out: Mapping[str, int]
    """Pairs that are not in it, by reason."""
    p_adjusted: float = math.nan
    """Holm's, over all models and variants; nan where there is no test."""

    def as_row(self) -> dict[str, Any]:
        """Return the difference as a row of a table; None for undefined values."""
        at = self.difference
        return {
            "scores": self.scores.kind,
            "criterion": self.scores.criterion,
            "option": self.scores.option,
            "judge": self.scores.judge,
            "model": self.model,
            "first": self.first,
            "second": self.second,
            "mean_first": _finite(self.means[0]),
            "mean_second": _finite(self.means[1]),
            "difference": _finite(at.value),
            "low": _finite(at.low),
            "high": _finite(at.high),
            "interval": at.method,
            "pairs": at.n_units,
            "second_higher": self.higher,
            "second_lower": self.lower,
            "equal": self.equal,
            "test": TESTS[at.test.name] if at.test else None,
            "statistic": at.test.value if at.test else None,
            "p": at.test.p_value if at.test else None,
            "p_holm": _finite(self.p_adjusted),
            "left_out": sum(self.left_out.values()),
            "left_out_why": counted_reasons(self.left_out),
            "reason": at.reason,
        }


TESTS = {"binomial": "McNemar, exact", "chi2": "McNemar", "t": "paired t"}
"""The name of each test, by its distribution."""


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def named(schema: Schema, pair: str | None = None, variant: str | None = None) -> PairFields | None:
    """Return the fields that pair items: the given ones, or those of the schema; None if neither names any."""
    own = schema.report.pairs
    pair, variant = pair or (own.pair if own else None), variant or (own.variant if own else None)
    return PairFields(pair, variant) if pair and variant else None


def differences(
    found: ProjectAnswers, by: PairFields, there: Sequence[Scores], *, together: str | None = None
) -> list[PairedDifference]:
    """Return the differences of every model between variants, for every way of scoring except corrected ones.

    With more than two variants, each is compared with the first. The result is empty if items have no variants.

    Raises
    ------
    InvalidInputError
        A field or label is unknown.
    """
    known = dict.fromkeys([*(field.name for field in found.schema.item.fields), *_labels(found)])
    for option, name in (("pair", by.pair), ("variant", by.variant)):
        if name not in known:
            raise InvalidInputError(
                [Problem(option, f"Items have no field or label {name!r}; use one of: {', '.join(known)}.")]
            )
    pairs: dict[str, dict[str, list[int]]] = {}
    for id, item in found.items.items():
        pair, variant = value_of(by.pair, item), value_of(by.variant, item)
        if pair is not None and variant is not None:
            pairs.setdefault(str(pair), {}).setdefault(str(variant), []).append(id)
    variants = _ordered(found.schema, by.variant, {variant for lot in pairs.values() for variant in lot})
    if len(variants) < 2:
        return []
    return [
        score
        for scores in there
        if scores.kind != "corrected"
        for score in _of_scores(found, scores, pairs, variants, clusters_of(found, together)[0])
    ]


def _labels(found: ProjectAnswers) -> list[str]:
    return attributes.names(item.labels for item in found.items.values())


def _ordered(schema: Schema, name: str, there: Iterable[str]) -> list[str]:
    """Return a field's options in order, then other values in alphabetical order."""
    field = next((field for field in schema.item.fields if field.name == name), None)
    options = [str(option.value) for option in field.options] if field else []
    rest = sorted(set(there) - set(options))
    return [option for option in options if option in set(there)] + rest


def _of_scores(
    found: ProjectAnswers,
    scores: Scores,
    pairs: Mapping[str, Mapping[str, Sequence[int]]],
    variants: Sequence[str],
    together: str,
) -> list[PairedDifference]:
    found, of = with_people(found, score_answers(found, scores))
    rows = []
    for model in sorted(found.models):
        own = values_of(found, of, model, common=False)
        if not own:
            continue
        asked = set(own) | {found.answers[at].item for at in found.of_model[model].tolist()}
        asked |= set(found.unanswered.get(model, {}))
        for second in variants[1:]:
            rows.append(_of_model(found, scores, model, own, asked, pairs, (variants[0], second), together))
    adjusted = holm([row.difference.test.p_value if row.difference.test else math.nan for row in rows])
    return [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]


def _of_model(
    found: ProjectAnswers,
    scores: Scores,
    model: str,
    own: Mapping[int, float],
    asked: set[int],
    pairs: Mapping[str, Mapping[str, Sequence[int]]],
    variants: tuple[str, str],
    together: str,
) -> PairedDifference:
    left_out: Counter[str] = Counter()
    one, other, clusters = [], [], []
    for lot in pairs.values():
        items = [lot.get(variant, ()) for variant in variants]
        if not any(id in asked for ids in items for id in ids):
            continue  # other variants, or items that the model was not asked about
        if not all(items):
            left_out[NO_PARTNER] += 1
        elif max(map(len, items)) > 1:
            left_out[TWICE] += 1
        elif not (items[0][0] in own and items[1][0] in own):
            left_out[NO_SCORE] += 1
        else:
            one.append(own[items[0][0]])
            other.append(own[items[1][0]])
            clusters.append(cluster_of(found, together, items[0][0]))
    shared = together != ALONE and len(set(clusters)) < len(clusters)
    difference = paired_difference(one, other, clusters=clusters if shared else None)
    n = len(one)
    return PairedDifference(
        scores,
        model,
        *variants,
        (math.fsum(one) / n, math.fsum(other) / n) if n else (math.nan, math.nan),
        difference,
        higher=sum(b > a for a, b in zip(one, other, strict=True)),
        lower=sum(b < a for a, b in zip(one, other, strict=True)),
        equal=sum(b == a for a, b in zip(one, other, strict=True)),
        left_out=dict(left_out),
    )


def of_project(
    store: Store,
    *,
    project: str,
    pair: str,
    variant: str,
    items: Items | None = None,
    together: str | None = None,
) -> dict[str, list[PairedDifference]]:
    """Return the differences for every way of scoring, by its title. The caller checks that the person may see them."""
    answers = current(store, person=None, project=project, items=items)
    return titled(answers, differences(answers, PairFields(pair, variant), scores_of(answers), together=together))


def titled(found: ProjectAnswers, rows: Sequence[PairedDifference]) -> dict[str, list[PairedDifference]]:
    """Return the rows by the title of their scores."""
    blocks: dict[str, list[PairedDifference]] = {}
    for row in rows:
        blocks.setdefault(title_of(found, row.scores), []).append(row)
    return blocks


def as_csv(rows: Sequence[PairedDifference]) -> str:
    """Return the differences as an unrounded CSV file. An undefined value is empty and has a reason."""
    out = io.StringIO()
    empty = PairedDifference(Scores("key"), "", "", "", (0.0, 0.0), paired_difference([0], [0]), 0, 0, 0, {})
    writer = csv_text.DictWriter(out, list(empty.as_row()))
    writer.writeheader()
    for row in rows:
        writer.writedict(row.as_row())
    return out.getvalue()
