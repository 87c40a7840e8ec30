"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it.

>>> from agreement import Ratings, cohen_kappa
>>> ratings = Ratings.from_lists(ann=["yes", "yes", "no", "no"], bob=["yes", "yes", "no", "yes"])
>>> round(cohen_kappa(ratings).value, 3)
0.5
"""

from agreement.alpha import krippendorff_alpha
from agreement.correlation import pearson
from agreement.icc import icc
from agreement.kappa import cohen_kappa, fleiss_kappa, light_kappa, percent_agreement
from agreement.ratings import Ratings, Scale
from agreement.statistic import Statistic
from agreement.summary import Result, scale_from_text, summarise

__all__ = [
    "Ratings",
    "Result",
    "Scale",
    "Statistic",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    "krippendorff_alpha",
    "light_kappa",
    "pearson",
    "percent_agreement",
    "scale_from_text",
    "summarise",
]
