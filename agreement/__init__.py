"""Floor 1: pure statistics about raters. Needs only ``domain``.

>>> from agreement import Ratings, cohen_kappa
>>> ratings = Ratings.from_lists(ann=["yes", "yes", "no", "no"], bob=["yes", "yes", "no", "yes"])
>>> round(cohen_kappa(ratings).value, 3)
0.5

Parameters that many functions share:

``confidence``
    Confidence level of the interval or limits: 0.95 for 95 %.
``bootstrap``
    How units are resampled for that interval (:class:`Bootstrap`). None uses the statistic's own interval; units with
    clusters are resampled even then.
``clusters``
    (n,) group of each unit, such as the video that questions are about. Units of a cluster vary together, so they are
    resampled together, or enter the standard error as one. None means independent units.
"""

from typing import TYPE_CHECKING, Any

from agreement.alpha import krippendorff_alpha
from agreement.bootstrap import Bootstrap
from agreement.chance import (
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    percent_agreement,
    scott_pi,
)
from agreement.components import Components
from agreement.corrected import (
    CorrectedMean,
    clustered_mean,
    post_stratified_mean,
    ppi_mean,
    rogan_gladen,
    weighted_mean,
)
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
from agreement.holm import holm
from agreement.icc import MeanSquares, icc, mean_squares, variance_components
from agreement.kappa import cohen_kappa, light_kappa
from agreement.rater_bias import mcnemar, stuart_maxwell
from agreement.ratings import Ratings, Scale
from agreement.regression import linear_regression
from agreement.regression_parts import Regression, Term
from agreement.sample_sizes import (
    SampleSize,
    design_effect,
    sample_size_mean,
)
from agreement.statistic import Interval, Statistic, Test
from agreement.summary import Result, scale_from_text, summarise
from agreement.table import LongTable
from domain import extensions
from domain.errors import NotAvailableError
from domain.statistics import STATISTICS

__all__ = [
    "BlandAltman",
    "Bootstrap",
    "Components",
    "CorrectedMean",
    "Interval",
    "LongTable",
    "MeanSquares",
    "Ratings",
    "Regression",
    "Result",
    "SampleSize",
    "Scale",
    "Statistic",
    "Term",
    "Test",
    "bias",
    "bland_altman",
    "brennan_prediger",
    "clustered_mean",
    "cohen_kappa",
    "conger_kappa",
    "design_effect",
    "fleiss_kappa",
    "fleiss_kappa_category",
    "gwet_ac",
    "holm",
    "icc",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "linear_regression",
    "lins_concordance",
    "mae",
    "mcnemar",
    "mean_pearson",
    "mean_squares",
    "paired",
    "pearson",
    "percent_agreement",
    "post_stratified_mean",
    "ppi_mean",
    "rmse",
    "rogan_gladen",
    "sample_size_mean",
    "scale_from_text",
    "scott_pi",
    "spearman",
    "stuart_maxwell",
    "summarise",
    "variance_components",
    "weighted_mean",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a statistic that is only in the rows, or one that an extension adds for notebooks."""
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in STATISTICS:
            return STATISTICS[name].function
        for module in extensions.rows("notebook_statistics"):
            if name in module.__all__:
                return getattr(module, name)
        if missing := extensions.missing("notebook_statistics", name):
            raise NotAvailableError(missing)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """Return all names, those of extensions included."""
        return sorted({*globals(), *(name for row in extensions.rows("notebook_statistics") for name in row.__all__)})
