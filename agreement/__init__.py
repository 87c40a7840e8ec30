"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it."""

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
