"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it.

>>> from agreement import Ratings, cohen_kappa
>>> ratings = Ratings.from_lists(ann=["yes", "yes", "no", "no"], bob=["yes", "yes", "no", "yes"])
>>> round(cohen_kappa(ratings).value, 3)
0.5
"""

from agreement.aggregation import Aggregation, DawidSkene, aggregate, dawid_skene
from agreement.alpha import krippendorff_alpha
from agreement.bootstrap import Bootstrap
from agreement.correlation import (
    kendall_tau,
    kendall_w,
    lins_concordance,
    mean_pearson,
    paired,
    pearson,
    spearman,
)
from agreement.difference import BlandAltman, bias, bland_altman, mae, rmse
from agreement.icc import MeanSquares, icc, mean_squares
from agreement.kappa import cohen_kappa, fleiss_kappa, light_kappa, percent_agreement
from agreement.ratings import Ratings, Scale
from agreement.statistic import Interval, Statistic, Test
from agreement.summary import Result, scale_from_text, summarise

__all__ = [
    "Aggregation",
    "BlandAltman",
    "Bootstrap",
    "DawidSkene",
    "Interval",
    "MeanSquares",
    "Ratings",
    "Result",
    "Scale",
    "Statistic",
    "Test",
    "aggregate",
    "bias",
    "bland_altman",
    "cohen_kappa",
    "dawid_skene",
    "fleiss_kappa",
    "icc",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "lins_concordance",
    "mae",
    "mean_pearson",
    "mean_squares",
    "paired",
    "pearson",
    "percent_agreement",
    "rmse",
    "scale_from_text",
    "spearman",
    "summarise",
]
