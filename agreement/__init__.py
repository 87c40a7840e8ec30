"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it.

>>> from agreement import Ratings, cohen_kappa
>>> ratings = Ratings.from_lists(ann=["yes", "yes", "no", "no"], bob=["yes", "yes", "no", "yes"])
>>> round(cohen_kappa(ratings).value, 3)
0.5
"""

from agreement.aggregation import Aggregation, DawidSkene, aggregate, dawid_skene
from agreement.alpha import krippendorff_alpha
from agreement.bootstrap import Bootstrap
from agreement.correlation import pearson
from agreement.icc import icc
from agreement.kappa import cohen_kappa, fleiss_kappa, light_kappa, percent_agreement
from agreement.ratings import Ratings, Scale
from agreement.statistic import Interval, Statistic, Test
from agreement.summary import Result, scale_from_text, summarise

__all__ = [
    "Aggregation",
    "Bootstrap",
    "DawidSkene",
    "Interval",
    "Ratings",
    "Result",
    "Scale",
    "Statistic",
    "Test",
    "aggregate",
    "cohen_kappa",
    "dawid_skene",
    "fleiss_kappa",
    "icc",
    "krippendorff_alpha",
    "light_kappa",
    "pearson",
    "percent_agreement",
    "scale_from_text",
    "summarise",
]
