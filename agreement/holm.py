"""p values of several tests, adjusted together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """p values adjusted so that the chance of any false rejection among them stays below the level.

    Parameters
    ----------
    p_values
        One per hypothesis; nan where there was no test.

    Returns
    -------
    tuple of float
        In the same order; nan stays.

    Notes
    -----
    The i-th smallest of m times m - i + 1, never below a smaller one's, at most 1 (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.5, 0.04])
    (0.03, 0.5, 0.08)
    """
    p = np.asarray(p_values, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted = p.copy()
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if len(order) else steps
    return tuple(adjusted.tolist())
