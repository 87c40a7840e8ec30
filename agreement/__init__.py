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
from agreement.alternative import AgainstPerson, AlternativeTest, alternative_test, benjamini_yekutieli, winning_rates
from agreement.bootstrap import Bootstrap
from agreement.ceiling import (
    Ceiling,
    Disattenuation,
    NoiseCeiling,
    SplitCeiling,
    ceiling_by_certainty,
    disattenuated_correlation,
    human_ceiling,
    noise_ceiling,
)
from agreement.chance import (
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    percent_agreement,
    scott_pi,
)
from agreement.classification import (
    Classification,
    ClassRates,
    Confusion,
    PassRates,
    all_right,
    classification_rates,
    confusion_matrix,
    pass_rates,
)
from agreement.components import Components
from agreement.constant import ConstantComparison, compare_with_constant
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
from agreement.icc import MeanSquares, icc, mean_squares, variance_components
from agreement.judge_bias import (
    AdjustedBias,
    AtLevel,
    GroupBias,
    PositionBias,
    bias_by_group,
    calibration_curve,
    family_bias,
    holm,
    length_bias,
    position_bias,
)
from agreement.judge_drift import Drift, SelfConsistency, UnparsedEffect, drift, self_consistency, unparsed
from agreement.kappa import cohen_kappa, light_kappa
from agreement.next_grades import Grades, NextUnits, grades_needed, next_units
from agreement.rater_bias import mcnemar, stuart_maxwell
from agreement.ratings import Ratings, Scale
from agreement.regression import linear_regression
from agreement.regression_parts import Regression, Term
from agreement.sample_sizes import (
    SampleSize,
    calibration_split,
    design_effect,
    sample_size_icc,
    sample_size_kappa,
    sample_size_kappa_test,
    sample_size_mean,
    sample_size_pearson,
    sample_size_ppi,
    sample_size_proportion,
)
from agreement.statistic import Interval, Statistic, Test
from agreement.summary import Result, scale_from_text, summarise
from agreement.table import LongTable
from agreement.verdict import JudgeVerdict, Rule, judge_verdict
from domain import extensions
from domain.errors import NotAvailableError
from domain.statistics import STATISTICS

__all__ = [
    "AdjustedBias",
    "AgainstPerson",
    "AlternativeTest",
    "AtLevel",
    "BlandAltman",
    "Bootstrap",
    "Ceiling",
    "ClassRates",
    "Classification",
    "Components",
    "Confusion",
    "ConstantComparison",
    "CorrectedMean",
    "Disattenuation",
    "Drift",
    "Grades",
    "GroupBias",
    "Interval",
    "JudgeVerdict",
    "LongTable",
    "MeanSquares",
    "NextUnits",
    "NoiseCeiling",
    "PassRates",
    "PositionBias",
    "Ratings",
    "Regression",
    "Result",
    "Rule",
    "SampleSize",
    "Scale",
    "SelfConsistency",
    "SplitCeiling",
    "Statistic",
    "Term",
    "Test",
    "UnparsedEffect",
    "all_right",
    "alternative_test",
    "benjamini_yekutieli",
    "bias",
    "bias_by_group",
    "bland_altman",
    "brennan_prediger",
    "calibration_curve",
    "calibration_split",
    "ceiling_by_certainty",
    "classification_rates",
    "clustered_mean",
    "cohen_kappa",
    "compare_with_constant",
    "confusion_matrix",
    "conger_kappa",
    "design_effect",
    "disattenuated_correlation",
    "drift",
    "family_bias",
    "fleiss_kappa",
    "fleiss_kappa_category",
    "grades_needed",
    "gwet_ac",
    "holm",
    "human_ceiling",
    "icc",
    "judge_verdict",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "length_bias",
    "light_kappa",
    "linear_regression",
    "lins_concordance",
    "mae",
    "mcnemar",
    "mean_pearson",
    "mean_squares",
    "next_units",
    "noise_ceiling",
    "paired",
    "pass_rates",
    "pearson",
    "percent_agreement",
    "position_bias",
    "post_stratified_mean",
    "ppi_mean",
    "rmse",
    "rogan_gladen",
    "sample_size_icc",
    "sample_size_kappa",
    "sample_size_kappa_test",
    "sample_size_mean",
    "sample_size_pearson",
    "sample_size_ppi",
    "sample_size_proportion",
    "scale_from_text",
    "scott_pi",
    "self_consistency",
    "spearman",
    "stuart_maxwell",
    "summarise",
    "unparsed",
    "variance_components",
    "weighted_mean",
    "winning_rates",
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
