"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it.

>>> from agreement import Ratings, cohen_kappa
>>> ratings = Ratings.from_lists(ann=["yes", "yes", "no", "no"], bob=["yes", "yes", "no", "yes"])
>>> round(cohen_kappa(ratings).value, 3)
0.5
"""

from agreement.aggregation import Aggregation, DawidSkene, aggregate, dawid_skene
from agreement.alpha import krippendorff_alpha
from agreement.alternative import AgainstPerson, AlternativeTest, alternative_test, benjamini_yekutieli, winning_rates
from agreement.bootstrap import Bootstrap
from agreement.ceiling import (
    Ceiling,
    Disattenuated,
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
    Drift,
    GroupBias,
    PositionBias,
    SelfConsistency,
    Unparsed,
    bias_by_group,
    calibration_curve,
    drift,
    family_bias,
    holm,
    length_bias,
    position_bias,
    self_consistency,
    unparsed,
)
from agreement.kappa import cohen_kappa, light_kappa
from agreement.rater_bias import mcnemar, stuart_maxwell
from agreement.ratings import Ratings, Scale
from agreement.regression import Regression, Term, linear_regression
from agreement.statistic import Interval, Statistic, Test
from agreement.summary import Result, scale_from_text, summarise
from agreement.table import LongTable

__all__ = [
    "AdjustedBias",
    "AgainstPerson",
    "Aggregation",
    "AlternativeTest",
    "AtLevel",
    "BlandAltman",
    "Bootstrap",
    "Ceiling",
    "ClassRates",
    "Classification",
    "Components",
    "Confusion",
    "CorrectedMean",
    "DawidSkene",
    "Disattenuated",
    "Drift",
    "GroupBias",
    "Interval",
    "LongTable",
    "MeanSquares",
    "NoiseCeiling",
    "PassRates",
    "PositionBias",
    "Ratings",
    "Regression",
    "Result",
    "Scale",
    "SelfConsistency",
    "SplitCeiling",
    "Statistic",
    "Term",
    "Test",
    "Unparsed",
    "aggregate",
    "all_right",
    "alternative_test",
    "benjamini_yekutieli",
    "bias",
    "bias_by_group",
    "bland_altman",
    "brennan_prediger",
    "calibration_curve",
    "ceiling_by_certainty",
    "classification_rates",
    "clustered_mean",
    "cohen_kappa",
    "confusion_matrix",
    "conger_kappa",
    "dawid_skene",
    "disattenuated_correlation",
    "drift",
    "family_bias",
    "fleiss_kappa",
    "fleiss_kappa_category",
    "gwet_ac",
    "holm",
    "human_ceiling",
    "icc",
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
