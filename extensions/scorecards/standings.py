"""Who agrees with others clearly less than the team, under limits that are corrected for the number of people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from agreement.limits import wilson
from domain.states import Stage
from extensions.scorecards.cards import SMALL, Card, Share

LEVEL = 0.05
"""The probability that anyone at all is named by chance, while everyone agrees as much as the team does."""


@dataclass(frozen=True)
class Standing:
    """A person's agreement with others in a stage, compared with the team."""

    card: Card
    low: float
    high: float
    """Corrected limits of the share of equal answers."""
    below: bool
    """Whether the whole interval is below the team's median."""

    @property
    def share(self) -> Share:
        """The share of equal answers."""
        return self.card.score.peers


@dataclass(frozen=True)
class TeamStanding:
    """The people in a stage, the lowest share first."""

    stage: Stage
    median: float
    people: Sequence[Standing]


@dataclass(frozen=True)
class Standings:
    """All stages in which people can be compared."""

    stages: Sequence[TeamStanding]
    few: int
    """The number of people with shared answers in a stage, but fewer than ``SMALL``."""

    @property
    def compared(self) -> int:
        """The number of comparisons for which the limits are corrected."""
        return sum(len(team.people) for team in self.stages)

    @property
    def below(self) -> list[tuple[TeamStanding, Standing]]:
        """The people who are clearly below their team."""
        return [(team, one) for team in self.stages for one in team.people if one.below]


def standings(cards: Sequence[Card]) -> Standings:
    r"""Compare each person's share of equal answers with the median of the team in the same stage.

    A person is named if the upper limit of their share is below the median. With :math:`m` comparisons, each limit is
    Wilson's at the confidence :math:`1 - 0.05/m`:

    .. math:: \frac{\hat p + z^2/2n + z\sqrt{\hat p(1-\hat p)/n + z^2/4n^2}}{1 + z^2/n},
              \qquad z = \Phi^{-1}(1 - 0.05/2m)

    The limits treat shared answers as independent. People with fewer than ``SMALL`` shared answers are not compared.

    References
    ----------
    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference. JASA 22, 209-212.
    O. J. Dunn (1961), Multiple comparisons among means. JASA 56, 52-64: the correction for :math:`m` limits.
    """
    by_stage: dict[Stage, list[Card]] = defaultdict(list)
    few = set()
    for card in cards:
        if card.score.peers.n >= SMALL:
            by_stage[card.stage].append(card)
        elif card.score.peers.n:
            few.add(card.login)
    n = sum(map(len, by_stage.values()))
    teams = []
    for stage, theirs in by_stage.items():
        middle = median(card.score.peers.value for card in theirs)
        people = []
        for card in sorted(theirs, key=lambda card: (card.score.peers.value, card.login)):
            limits = wilson(card.score.peers.value, card.score.peers.n, 1 - LEVEL / n)
            people.append(Standing(card, limits.low, limits.high, limits.high < middle))
        teams.append(TeamStanding(stage, middle, people))
    return Standings(teams, len(few))
