"""The agreement of pairwise judges with people, pair by pair.

A judge is asked about a pair in both orders. If both replies agree, that is the judge's verdict. If they differ, the
judge decided by position: the pair counts as a tie, as in the judge's win rate, and is counted separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agreement import Ratings, cohen_kappa, percent_agreement
from agreement.ratings import Scale
from agreement.statistic import Statistic
from db.engine import Store
from domain.records import Person
from domain.states import Items
from extensions.preferences import judge_win_rates
from extensions.preferences.project_preferences import Preference, preferences_of
from workflow.results import project_answers
from workflow.results.clusters import clusters_of_names
from workflow.results.project_answers import ProjectAnswers
from workflow.runs.judge_plans import PREFERENCE

_WINNERS = ("a", "tie", "b")

PairKey = tuple[str, str, str]
"""An item, by its name in files, and two models in the order of their names."""


@dataclass(frozen=True)
class JudgeOfPairs:
    """A judge against the majority of people, over the pairs of answers that both compared."""

    criterion: str
    """The criterion that people were asked about."""
    judge: str
    pairs: int
    """Number of pairs that both compared."""
    by_place: int
    """Number of these pairs for which the judge's two orders differ."""
    without_verdict: int
    """Number of pairs that people compared and for which the judge, though asked, lacks a verdict in both orders."""
    not_asked: int
    """Number of pairs that people compared and the judge was not asked about."""
    same: Statistic
    """Share of pairs on which judge and people agree."""
    kappa: Statistic
    """Cohen's kappa."""
    decided: Statistic
    """Share of pairs with the same preferred answer, among pairs for which both prefer one."""


@dataclass(frozen=True)
class JudgedPair:
    """A judge's verdict on a pair."""

    judge: str
    pair: PairKey
    winner: str | None
    """``a``, ``b`` or ``tie``; None if a reply is missing or has no verdict."""
    by_place: bool
    """The two orders differ: a tie."""


def judged_pairs(store: Store, found: ProjectAnswers) -> list[JudgedPair]:
    """Return every judge's verdict on every pair, from the first sample, for criteria of preference.

    The caller checks that the person may see the verdicts.
    """
    there = judge_win_rates.judged_pairs(store, found, person=None)
    pairs: dict[tuple[str, PairKey], tuple[int, JudgedPair]] = {}
    for (judge, model, other), units in there.orders.items():
        if PREFERENCE not in there.about[judge]:
            continue
        for (item, _, _, sample), orders in units.items():
            one, two = orders.get(False), orders.get(True)
            worth = None if one is None or two is None else one if one == two else 0
            first, second = sorted((model, other))
            winner = None if worth is None else "tie" if not worth else "a" if (worth > 0) == (model == first) else "b"
            place = (judge, (found.items[item].name, first, second))
            new = JudgedPair(judge, place[1], winner, winner is not None and one != two)
            if place not in pairs or sample < pairs[place][0]:
                pairs[place] = (sample, new)
    return [pair for _, pair in pairs.values()]


def next_to_people(
    store: Store, *, person: Person | None, project: str, items: Items | str | None = None
) -> tuple[JudgeOfPairs, ...]:
    """Return every pairwise judge next to the people who compare, on each of their criteria, for leads.

    Raises
    ------
    NotFoundError
        The project has no comparison stage.
    """
    preferences = preferences_of(store, project=project, by=person, items=items)
    answers = project_answers.current(store, person=person, project=project, items=items)
    _, cluster = clusters_of_names(answers, {vote.item for vote in preferences.votes})
    judged = judged_pairs(store, answers)
    return tuple(
        judge
        for name in preferences.criteria
        for judge in with_people([vote for vote in preferences.votes if vote.criterion == name], judged, cluster, name)
        if judge.pairs
    )


def with_people(
    votes: Sequence[Preference],
    judged: Iterable[JudgedPair],
    cluster: Mapping[str, str],
    criterion: str,
) -> tuple[JudgeOfPairs, ...]:
    """Return each judge next to the majority of people in these votes, which are on one ``criterion``.

    Equal numbers of votes for both answers are a tie.
    """
    people = _most(votes)
    of: dict[str, dict[PairKey, JudgedPair]] = defaultdict(dict)
    for judged_pair in judged:
        of[judged_pair.judge][judged_pair.pair] = judged_pair
    return tuple(_next_to(criterion, judge, pairs, people, cluster) for judge, pairs in sorted(of.items()))


def _next_to(
    criterion: str,
    judge: str,
    pairs: Mapping[PairKey, JudgedPair],
    people: Mapping[PairKey, str],
    cluster: Mapping[str, str],
) -> JudgeOfPairs:
    asked = [key for key in people if key in pairs]
    both = [key for key in asked if pairs[key].winner is not None]
    decided = [key for key in both if "tie" not in (pairs[key].winner, people[key])]
    ratings, of_decided = (
        Ratings.from_columns(
            [" · ".join(key) for key in keys] * 2,
            ["people"] * len(keys) + [judge] * len(keys),
            [people[key] for key in keys] + [pairs[key].winner for key in keys],
            clusters=[cluster[key[0]] for key in keys] * 2,
            scale=Scale("nominal", _WINNERS),
        )
        for keys in (both, decided)
    )
    return JudgeOfPairs(
        criterion,
        judge,
        len(both),
        sum(pairs[key].by_place for key in both),
        len(asked) - len(both),
        len(people) - len(asked),
        percent_agreement(ratings),
        cohen_kappa(ratings),
        percent_agreement(of_decided),
    )


def _most(votes: Iterable[Preference]) -> dict[PairKey, str]:
    """Return the majority of people's votes on each pair."""
    worth: dict[PairKey, int] = defaultdict(int)
    for vote in votes:
        if vote.winner is not None:
            worth[vote.item, vote.model_a, vote.model_b] += {"a": 1, "tie": 0, "b": -1}[vote.winner]
    return {key: "a" if sum_ > 0 else "b" if sum_ < 0 else "tie" for key, sum_ in worth.items()}
