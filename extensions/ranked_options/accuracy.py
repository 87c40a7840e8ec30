"""The accuracy of models that ranked options, under each score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.means import share
from annotation_schemas.expected_answers import NO_KEY, asked_of, held_against, plain
from annotation_schemas.keys import key_field
from db import answers as stored
from db.engine import Store
from domain.records import Person
from workflow.access.projects import require_lead
from workflow.results.clusters import clusters_of
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores


@dataclass(frozen=True, eq=False)
class OptionRankings:
    """Models that ranked the options of items, under every score that their likelihoods give."""

    by_score: Mapping[tuple[str, str], LeaderboardLine]
    """(model, score) -> accuracy against the key, on the items that have all of the model's scores."""
    scores: Sequence[str]
    used: Mapping[str, str]
    """Model -> the score that named its answers."""
    depends: Mapping[str, tuple[int, int]]
    """Model -> on how many items the winner depends on the score, of how many."""
    warnings: Sequence[str]


def rank_options(
    store: Store, found: ProjectAnswers, *, person: Person | None, together: str | None = None
) -> OptionRankings | None:
    """Return the accuracy of ranking models under each score; None if no model ranked options."""
    with store.read() as session:
        access = require_lead(session, by=person, project=found.project)
        runs = {
            run.id: run
            for run in stored.runs(session, project_id=access.project_id)
            if dict(run.params.get("plan") or {}).get("strategy") == "rank_options"
        }
        if not runs:
            return None
        kept: dict[tuple[str, int], Mapping[str, Any]] = {}
        for run_id, item, detail in stored.details(session, run_ids=runs):
            if (
                item in found.items
                and isinstance(detail.get("winners"), Mapping)
                and isinstance(detail.get("options"), list)
            ):
                kept[runs[run_id].name, item] = _winners(detail)
    return accuracy_by_score(found, kept, together=together)


def _winners(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Score -> the text that won, and the score that counted."""
    texts = [str(option.get("text", "")) for option in detail["options"]]
    won = {name: texts[place] for name, place in detail["winners"].items() if 0 <= place < len(texts)}
    return {"won": won, "score": detail.get("score", "")}


def accuracy_by_score(
    found: ProjectAnswers, kept: Mapping[tuple[str, int], Mapping[str, Any]], *, together: str | None = None
) -> OptionRankings | None:
    """Return the accuracy of ranking models under each score.

    For each model and item, ``kept`` has the winning text under every score, and the score that counted.
    """
    key = key_field(found.schema)
    clusters = clusters_of(found, together)[1]
    of_item = {answer.item: clusters[at] for at, answer in enumerate(found.answers)} if clusters is not None else None
    models = sorted({model for model, _ in kept})
    scores = list(dict.fromkeys(name for record in kept.values() for name in record["won"]))
    if not scores:
        return None
    lines: dict[tuple[str, str], LeaderboardLine] = {}
    depends: dict[str, tuple[int, int]] = {}
    used: dict[str, str] = {}
    for model in models:
        mine = {item: record for (of, item), record in kept.items() if of == model}
        there = [name for name in scores if all(name in record["won"] for record in mine.values())]
        depends[model] = (
            sum(len({plain(text) for text in record["won"].values()}) > 1 for record in mine.values()),
            len(mine),
        )
        used[model] = Counter(str(record["score"]) for record in mine.values()).most_common(1)[0][0]
        for name in there:
            hits = np.array(
                [_right(found, item, record["won"][name], key) for item, record in mine.items()], dtype=float
            )
            groups = None if of_item is None else [of_item.get(item, f"item {item}") for item in mine]
            value = share(hits, clusters=groups)
            no_key = int(np.isnan(hits).sum())
            lines[model, name] = LeaderboardLine(
                Scores("key"),
                model,
                name,
                "answers",
                value,
                asked=len(mine),
                answered=len(mine),
                left_out={NO_KEY: no_key} if no_key else {},
            )
    return OptionRankings(lines, scores, used, depends, _on_scores(lines, models, scores, depends))


def _right(found: ProjectAnswers, item: int, text: str, key: str | None) -> float:
    fields = found.items[item].fields
    return held_against(text, asked_of(found.schema, fields), fields.get(key or ""))[0]


def _on_scores(
    lines: Mapping[tuple[str, str], LeaderboardLine],
    models: Sequence[str],
    scores: Sequence[str],
    depends: Mapping[str, tuple[int, int]],
) -> list[str]:
    warnings = []
    orders: dict[tuple[str, ...], list[str]] = {}
    for name in scores:
        if len(models) > 1 and all((model, name) in lines and lines[model, name].found.defined for model in models):
            order = tuple(sorted(models, key=lambda model: (-lines[model, name].found.value, model)))
            orders.setdefault(order, []).append(name)
    if len(orders) > 1:
        listing = "; ".join(f"{' > '.join(order)} by {', '.join(names)}" for order, names in orders.items())
        warnings.append(f"The order of the models depends on the score: {listing}.")
    for model in models:
        n, of = depends[model]
        if n:
            values = [lines[model, name].found.value for name in scores if (model, name) in lines]
            known = [value for value in values if not math.isnan(value)]
            span = f", and the accuracy lies between {min(known):.3f} and {max(known):.3f}" if known else ""
            warnings.append(f"{model}: on {n} of {of} items, the chosen option depends on the score{span}.")
    return warnings
