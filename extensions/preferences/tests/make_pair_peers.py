"""Writes what statsmodels and choix give for made votes on pairs: ``python make_pair_peers.py > pair_peers.json``.

Neither package is needed by the tests, which read the file; both are imported where they are used, as pytest looks for
examples in this file, too.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from itertools import combinations

import numpy as np

COUNTS = {
    pair: [random.Random(f"{pair}{each}").randrange(3, 40) for each in range(3)] for pair in combinations("abcde", 2)
}
"""Wins of the first, ties, wins of the second; the pair ``a``, ``e`` is never compared."""
COUNTS.pop(("a", "e"))
NAMES = "abcde"


def davidson() -> dict[str, float]:
    """Davidson's model as the log-linear model that it is: Poisson, with a constant for each pair."""
    import statsmodels.api as sm

    rows, y = [], []
    for at, ((one, other), counts) in enumerate(COUNTS.items()):
        for winner, count in enumerate(counts):
            row = np.zeros(len(COUNTS) + len(NAMES))
            row[at] = 1
            share = (1, 0.5, 0)[winner]
            for name, part in ((one, share), (other, 1 - share)):
                if name != "a":
                    row[len(COUNTS) + NAMES.index(name) - 1] += part
            row[-1] = winner == 1
            rows.append(row)
            y.append(count)
    found = sm.GLM(np.array(y), np.array(rows), family=sm.families.Poisson()).fit(tol=1e-13, maxiter=200).params
    strengths = np.array([0.0, *found[len(COUNTS) : -1]])
    return {**dict(zip(NAMES, strengths - strengths.mean(), strict=True)), "nu": float(np.exp(found[-1]))}


def bradley_terry() -> dict[str, float]:
    """The same votes without the ties."""
    import choix

    wins = [
        (NAMES.index(winner), NAMES.index(loser))
        for (one, other), (more, _, less) in COUNTS.items()
        for winner, loser, times in ((one, other, more), (other, one, less))
        for _ in range(times)
    ]
    found = choix.ilsr_pairwise(len(NAMES), wins, tol=1e-13, max_iter=1000)
    return dict(zip(NAMES, found - found.mean(), strict=True))


if __name__ == "__main__":
    made_by = f"statsmodels {version('statsmodels')}, choix {version('choix')}"
    counts = [[*pair, *each] for pair, each in COUNTS.items()]
    found = {"made_by": made_by, "counts": counts, "davidson": davidson(), "bradley_terry": bradley_terry()}
    print(json.dumps(found, default=float))
