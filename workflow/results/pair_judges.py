"""How far judges that compare two models' answers go along with people, pair by pair.

A judge is asked about a pair in both orders. Where both replies say the same, that is what it says; where they differ,
it went by the place, which counts as even, as in its win rate, and is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agreement import Ratings, Statistic, cohen_kappa, percent_agreement
from agreement.ratings import Scale
from db.engine import Store
from workflow.results import win_rates
from workflow.results.preferences import Preference
from workflow.results.project_answers import Read
from workflow.runs.judge_plans import PREFERENCE

_WINNERS = ("a", "tie", "b")

PairKey = tuple[str, str, str]
"""An item, by its name in files, and two models in the order of their names."""


@dataclass(frozen=True)
class JudgedPair:
    """What a judge says of a pair."""

    judge: str
    pair: PairKey
    winner: str | None
    """``a``, ``b`` or ``tie``; None: one of the two replies, or both, has no verdict, or is not there yet."""
    by_place: bool
    """The two orders differ: a tie."""


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge next to people, over the pairs that both have compared."""

    judge: str
    pairs: int
    """That both have compared."""
    by_place: int
    """Of these, those on which the judge's two orders differ."""
    without_verdict: int
    """Pairs that people have compared and of which the judge, though asked, has no verdict in both orders."""
    not_asked: int
    """Pairs that people have compared and the judge was not asked about."""
    same: Statistic
    """Share of pairs of which judge and people say the same."""
    kappa: Statistic
    """Cohen's."""
    decided: Statistic
    """Share of those pairs that prefer the same answer, where both prefer one."""


def judged_pairs(store: Store, found: Read) -> list[JudgedPair]:
    """What every judge says of every pair, the first time that it was asked, where it says which answer is better.

    For anyone who has made sure that the person may see it.
    """
    there = win_rates.compared(store, found, person=None)
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


def with_people(
    votes: Sequence[Preference],
    judged: Iterable[JudgedPair],
    cluster: Mapping[str, str],
) -> tuple[JudgeAgreement, ...]:
    """Each judge next to what most people say of a pair in these votes, which are on one criterion; as many for as
    against is a tie."""
    people = _most(votes)
    of: dict[str, dict[PairKey, JudgedPair]] = defaultdict(dict)
    for each in judged:
        of[each.judge][each.pair] = each
    return tuple(_next_to(judge, pairs, people, cluster) for judge, pairs in sorted(of.items()))


def _next_to(
    judge: str, pairs: Mapping[PairKey, JudgedPair], people: Mapping[PairKey, str], cluster: Mapping[str, str]
) -> JudgeAgreement:
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
    return JudgeAgreement(
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
    """What most people say of each pair."""
    worth: dict[PairKey, int] = defaultdict(int)
    for vote in votes:
        if vote.winner is not None:
            worth[vote.item, vote.model_a, vote.model_b] += {"a": 1, "tie": 0, "b": -1}[vote.winner]
    return {key: "a" if sum_ > 0 else "b" if sum_ < 0 else "tie" for key, sum_ in worth.items()}
