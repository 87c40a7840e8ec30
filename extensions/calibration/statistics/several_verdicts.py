"""Several verdicts of one study: what each may claim so that hardly any claim of them all is false."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from agreement.holm import holm
from extensions.calibration.statistics.bias_sentences import BIAS_STARTS
from extensions.calibration.statistics.small_sample import LEVEL
from extensions.calibration.statistics.verdict import JudgeVerdict
from extensions.calibration.statistics.verdict_losses import UNREAD


def correct_together(
    verdicts: Sequence[JudgeVerdict], what: str = "verdicts of this study"
) -> tuple[JudgeVerdict, ...]:
    """Return the verdicts of one study, lowered if they fail the correction for several verdicts.

    Parameters
    ----------
    verdicts
        One family: the verdicts on whole criteria (judges x criteria), or those on dimensions (judges x criteria x
        dimensions).
    what
        Name of the family in a sentence.

    Returns
    -------
    tuple of Verdict
        In the same order. A judge that no longer passes gets its fallback verdict, correction at best. If the claim of
        correction also fails, the verdict is "not enough data".

    Notes
    -----
    The claim "may stand in for a person" needs several conditions at once, so its p value is the largest of theirs
    (an intersection-union test [1]_). The same holds for "usable with correction". For each of the two claims the p
    values of the family are adjusted by Holm [2]_. They are compared with 0.025, the level of the lower limit of a 95
    % interval. So at most 2.5 % of studies make any false claim of a kind. Verdicts without a test (too few units or
    people) claim nothing and are not counted. "Not usable" and "people agree too little" are warnings and are not
    adjusted.

    References
    ----------
    .. [1] Berger, R. L. (1982). Technometrics 24, 295-300.
    .. [2] Holm, S. (1979). Scandinavian Journal of Statistics 6, 65-70.
    """
    replaced = holm([verdict.p_replace for verdict in verdicts])
    corrected = holm([verdict.p_correct for verdict in verdicts])
    m = sum(not math.isnan(verdict.p_replace) for verdict in verdicts)
    settled = []
    for verdict, p_replace, p_correct in zip(verdicts, replaced, corrected, strict=True):
        made = verdict
        if made.outcome in ("usable as replacement", "usable except to rank") and p_replace > LEVEL:
            outcome, why = verdict.otherwise
            sentence = (
                f"After correction for {m} {what}, the data do not show that the judge can replace a person. The p "
                f"value is {verdict.p_replace:.4f}, or {p_replace:.3f} after Holm's method, which is above {LEVEL:g}."
            )
            made = replace(made, outcome=outcome, reasons=(*_after_bias(verdict, sentence), *([why] if why else [])))
        if made.outcome == "usable with correction" and p_correct > LEVEL:
            sentence = (
                f"After correction for {m} {what}, the data do not show enough association with people. The p value "
                f"is {verdict.p_correct:.4f}, or {p_correct:.3f} after Holm's method, which is above {LEVEL:g}."
            )
            made = replace(made, outcome="not enough data", reasons=_after_bias(made, sentence))
        settled.append(made)
    return tuple(settled)


def _after_bias(verdict: JudgeVerdict, said: str) -> tuple[str, ...]:
    """The reasons with one more sentence: first, but for the sentences about unread replies and a bias."""
    biases = tuple(takewhile(lambda each: each.startswith((UNREAD, *BIAS_STARTS)), verdict.reasons))
    return (*biases, said, *verdict.reasons[len(biases) :])
