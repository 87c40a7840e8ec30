"""How each entry of a file of golden values is computed: a table of statistics, and the shapes that data come in.

What is here is given data, the statistic's name, the field and the arguments of an entry, never the value expected.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any, Literal

from scipy import special

import agreement
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
from agreement.corrected import clustered_mean, ppi_mean, rogan_gladen
from agreement.correlation import kendall_tau, kendall_w, mean_pearson, pearson, spearman
from agreement.icc import icc, mean_squares, variance_components
from agreement.kappa import cohen_kappa, light_kappa
from agreement.ratings import LEVELS, Ratings, Scale
from agreement.regression import linear_regression
from agreement.sample_sizes import SampleSize
from agreement.statistic import Statistic
from domain.errors import RatingsError
from domain.records import Rating

Data = Mapping[str, Any]
Args = Mapping[str, Any]

DRAWS = 10_000
"""Of the bootstrap: more than files ask for, so that the limits hardly move with the seed."""


class Unknown(Exception):
    """A statistic, field, argument or shape of data that this table does not hold."""


@dataclass(frozen=True)
class Asked:
    """What an entry asks for, without what it expects."""

    data: Data
    stat: str
    field: str
    args: Args

    @property
    def resampled(self) -> Bootstrap | None:
        """How units are resampled for a field of the bootstrap; None for all other fields."""
        if not self.field.startswith("bootstrap_"):
            return None
        return Bootstrap(draws=max(DRAWS, int(self.args.get("min_resamples", 0))))

    @property
    def interval(self) -> Mapping[str, Any]:
        """What is asked of the interval, as keywords."""
        keywords: dict[str, Any] = {}
        if "confidence" in self.args:
            keywords["confidence"] = float(self.args["confidence"])
        if self.resampled:
            keywords["bootstrap"] = self.resampled
        return keywords


def compute(data: Data, stat: str, field: str, args: Args) -> float:
    """The value of one field of one statistic.

    Raises
    ------
    RatingsError
        There is none, and why.
    Unknown
        The table does not hold what is asked for.
    """
    row = TABLE.get(stat)
    if row is None:
        raise Unknown(f"There is no statistic {stat!r}.")
    read = row.fields.get(field)
    if read is None:
        raise Unknown(f"{stat} has no field {field!r}; it has {', '.join(row.fields)}.")
    _check_args(stat, row, field, args)
    shape_of(data)
    found = read(row.compute(Asked(data, stat, field, args)), args)
    value = float(found)
    if not math.isfinite(value):
        raise RatingsError(f"{stat} has no finite {field} here.")
    return value


# ---- shapes of data -------------------------------------------------------------------------------------------------

SHAPES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    name: (frozenset(needed.split()), frozenset(may.split()))
    for name, needed, may in (
        ("items_by_raters", "items_by_raters", "categories judge aspects question y names disagreement_weights raters"),
        ("table", "table", "categories disagreement_weights"),
        ("table_proportions", "table_proportions n", "categories disagreement_weights"),
        ("counts", "counts", "categories disagreement_weights"),
        ("paired", "x y", "names categories aspects question"),
        ("graded", "human judge judge_unlabelled", "categories question"),
        ("judged", "human judge", "categories question"),
        ("alternative", "humans llm", ""),
        ("experts", "experts judge", ""),
        ("long", "ratings_item_rater_value", "categories"),
        ("evaluators", "models", ""),
        ("nothing", "", ""),
    )
}
"""Each shape with the keys that it must and may have."""


def shape_of(data: Data) -> str:
    """Which of the shapes these data have; ``Unknown`` if none."""
    if not isinstance(data, Mapping):
        raise Unknown("The data are not a JSON object.")
    keys = frozenset(data)
    for name, (needed, may) in SHAPES.items():
        if name == "evaluators":
            if needed < keys and all(isinstance(data[key], (Mapping, list)) for key in keys):
                return name
        elif needed <= keys <= needed | may:
            return name
    raise Unknown(f"There is no shape of data with the keys {', '.join(sorted(keys))}.")


def ratings_of(asked: Asked, *, categories: bool = True) -> Ratings:
    """The raters that an entry is about, on the declared scale.

    ``categories`` False reads numbers as they are: means of several raters lie between the declared ones.
    """
    data, args = asked.data, asked.args
    shape = shape_of(data)
    declared = args.get("categories", data.get("categories"))
    if shape in ("table", "table_proportions", "counts"):  # the categories are all that says what was rated
        return _of_counts(data, shape, declared)
    declared = declared if categories else None
    if shape == "long":
        rows = (
            Rating(str(unit), str(rater), "value", value) for unit, rater, value in data["ratings_item_rater_value"]
        )
        return Ratings.from_rows(rows, scale=_scale(declared))
    columns = _columns(data, args)
    if any(len(column) != len(columns[0]) for column in columns):
        raise RatingsError("The raters' columns differ in length.")
    rows_ = [
        Rating(f"{unit:012}", f"rater {at:06}", "value", column[unit])
        for unit in range(len(columns[0]) if columns else 0)
        for at, column in enumerate(columns)
    ]
    ratings = Ratings.from_rows(rows_, scale=_scale(declared))
    if "unit" in args:
        if "question" not in data:
            raise Unknown("The unit is the question, but the data have no key question.")
        ratings = replace(ratings, clusters=tuple(str(data["question"][int(unit)]) for unit in ratings.units))
    return ratings


def _columns(data: Data, args: Args) -> list[Sequence[Any]]:
    """One list of values per rater, those selected by the arguments, rows without gaps only if so asked."""
    shape = shape_of(data)
    if shape == "items_by_raters":
        rows = data["items_by_raters"]
        if len({len(row) for row in rows}) > 1:
            raise RatingsError("The rows of items_by_raters differ in length.")
        if args.get("missing") == "listwise":
            gone = [any(_missing(value) for value in row) for row in rows]
            rows = [row for row, incomplete in zip(rows, gone, strict=True) if not incomplete]
            if "judge" in data:
                kept = [value for value, out in zip(data["judge"], gone, strict=True) if not out]
                data = {**data, "judge": kept}
            data = {**data, "items_by_raters": rows}
        columns: list[Sequence[Any]] = [list(column) for column in zip(*rows, strict=True)]
    elif shape == "paired":
        columns = [data["x"], data["y"]]
    elif shape in ("judged", "graded"):
        columns = [data["human"], data["judge"]]
    elif shape == "experts":
        columns = list(_majority_and_judge(data, args))
    elif shape == "evaluators":
        columns = []
    else:
        raise Unknown(f"This statistic cannot be computed of data with the keys {', '.join(sorted(data))}.")
    if "pair" in args:
        columns = [_at(columns, place) for place in _two(args["pair"], "pair")]
    if "vectors" in args:
        columns = list(_vectors(data, args["vectors"], columns))
    elif shape == "evaluators":
        raise Unknown("Data with models need the argument vectors.")
    if args.get("missing") == "listwise" and shape != "items_by_raters":
        complete = [not any(_missing(value) for value in row) for row in zip(*columns, strict=True)]
        columns = [[value for value, kept in zip(each, complete, strict=True) if kept] for each in columns]
    return columns


def _vectors(data: Data, wanted: Any, columns: Sequence[Sequence[Any]]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Two vectors by name: two names, ``A_vs_B``, or, of models by dimension, the dimension or a summary of all."""
    if isinstance(wanted, (list, tuple)):
        first, second = _two(wanted, "vectors")
        return _vector(data, first, columns), _vector(data, second, columns)
    if shape_of(data) == "evaluators":
        found = _of_evaluators(data, str(wanted))
        if found is not None:
            return found
    first, versus, second = str(wanted).partition("_vs_")
    if not versus:
        raise Unknown(f"There are no vectors {wanted!r} in these data.")
    if second.isdigit():
        second = f"{first.rpartition('_')[0]}_{second}"  # rater_0_vs_1
    return _vector(data, first, columns), _vector(data, second, columns)


def _vector(data: Data, name: Any, columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """One vector: a rater by number or name, the people's mean, or a list of the data by its key."""
    text = str(name)
    number = re.fullmatch(r"(?:rater_)?(\d+)", text)
    if number and columns:
        return _at(columns, int(number[1]))
    for key in ("raters", "names"):
        if text in data.get(key, ()) and len(data[key]) == len(columns):
            return columns[list(data[key]).index(text)]
    if text in ("human_mean", "humans_mean", "mean") and "items_by_raters" in data:
        return aggregate_mean(data["items_by_raters"])
    if text in data and isinstance(data[text], list):
        return list(data[text])
    raise Unknown(f"There is no vector {text!r} in these data.")


def _of_evaluators(data: Data, wanted: str) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """Of exactly two evaluators that scored models by dimension: one dimension, all cells, or means over dimensions."""
    names = [key for key in data if key != "models"]
    each = [data[name] for name in names]
    if len(names) != 2 or not all(isinstance(one, Mapping) for one in each):
        return None
    first, second = each
    if list(first) != list(second):
        raise RatingsError(f"{names[0]} and {names[1]} do not have the same dimensions.")
    if wanted in first:
        return first[wanted], second[wanted]
    cells = re.fullmatch(r"pooled_(\d+)_cells", wanted)
    if cells:
        pooled = [[score for scores in one.values() for score in scores] for one in each]
        if len(pooled[0]) != int(cells[1]):
            raise Unknown(f"There are {len(pooled[0])} cells, not {cells[1]}.")
        return pooled[0], pooled[1]
    if wanted == "model_mean_over_dimensions":
        means = [aggregate_mean(list(zip(*one.values(), strict=True))) for one in each]
        return means[0], means[1]
    return None


def _of_notebooks(name: str) -> Any:
    """A statistic that an extension adds, as notebooks import it."""
    return getattr(agreement, name)


def aggregate_mean(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The mean of each row over those who rated it; None where no one did."""
    ratings = [
        Rating(f"{at:012}", f"{column:06}", "value", value)
        for at, row in enumerate(rows)
        for column, value in enumerate(row)
    ]
    found = _of_notebooks("aggregate")(Ratings.from_rows(ratings, scale=Scale("interval")), method="mean").of_unit()
    return [found.get(f"{at:012}") for at in range(len(rows))]


def aggregate_majority(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The majority of each row; None where it is level or no one rated."""
    ratings = [
        Rating(f"{at:012}", f"{column:06}", "value", value)
        for at, row in enumerate(rows)
        for column, value in enumerate(row)
    ]
    found = _of_notebooks("aggregate")(Ratings.from_rows(ratings), method="majority").of_unit()
    return [found.get(f"{at:012}") for at in range(len(rows))]


def _majority_and_judge(data: Data, args: Args) -> tuple[Sequence[Any], Sequence[Any]]:
    """The majority of the experts and the judge on one dimension; "genuine" is 1 where all dimensions are."""
    experts, judge = data["experts"], data["judge"]
    if not isinstance(experts, Mapping):
        experts, judge = {"": experts}, {"": judge}
    if list(experts) != list(judge):
        raise RatingsError("The experts and the judge do not have the same dimensions.")
    reference = str(args.get("reference", ""))
    asked = re.fullmatch(r"majority of (\d+)", reference)
    if reference and not asked:
        raise Unknown(f"There is no reference {reference!r}; there is a majority of the experts.")
    for rows in experts.values():
        if asked and any(len(row) != int(asked[1]) for row in rows):
            raise Unknown(f"The reference is a {reference}, but there are {len(rows[0])} experts.")
    dimension = args.get("dimension", next(iter(experts)) if len(experts) == 1 else None)
    if dimension == "genuine":
        majority = [aggregate_majority(rows) for rows in experts.values()]
        all_right = _of_notebooks("all_right")
        return all_right(*majority), all_right(*judge.values())
    if dimension not in experts:
        raise Unknown(f"There is no dimension {dimension!r}; there are {', '.join(experts)} and genuine.")
    return aggregate_majority(experts[dimension]), judge[dimension]


def _of_counts(data: Data, shape: str, declared: Sequence[Any] | None) -> Ratings:
    """Ratings of which only counts are known."""
    counts = data[shape]
    if shape == "table_proportions":
        n = float(data["n"])
        counts = [[share * n for share in row] for row in counts]
        for row in counts:
            for count in row:
                if abs(count - round(count)) > 1e-6 * max(n, 1):
                    raise RatingsError(f"A share of {count / n:g} is no whole number of {n:g} units.")
        counts = [[round(count) for count in row] for row in counts]
    categories = tuple(declared) if declared is not None else tuple(range(1, len(counts[0]) + 1))
    make = Ratings.from_counts if shape == "counts" else Ratings.from_table
    return make(counts, scale=_scale(categories))


def _scale(declared: Sequence[Any] | None) -> Scale | None:
    """Numbers weigh by their values, texts by their places."""
    if declared is None:
        return None
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in declared)
    return Scale("interval" if numbers else "ordinal", tuple(declared))


def _two(value: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise Unknown(f"The argument {name} names two, not {value!r}.")
    return value[0], value[1]


def _at(columns: Sequence[Sequence[Any]], place: Any) -> Sequence[Any]:
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(columns):
        raise Unknown(f"There is no rater {place!r} among {len(columns)}.")
    return columns[place]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _numbers(values: Sequence[Any]) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]


# ---- arguments ------------------------------------------------------------------------------------------------------


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _share(value: Any) -> bool:
    return _number(value) and 0 < value < 1


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _one_of(*values: Any) -> Callable[[Any], bool]:
    return lambda value: any(value == each and type(value) is type(each) for each in values)


def _any(value: Any) -> bool:
    return value is not None


Check = Callable[[Any], bool]

_CONFIDENCE: Mapping[str, Check] = {"confidence": _share}
_RESAMPLED = ("items resampled", "percentile, items resampled")
_COUNTED: Mapping[str, Check] = {"min_resamples": lambda value: _number(value) and 0 < value <= 1_000_000}
_PAIR: Mapping[str, Check] = {"pair": _list, "vectors": _any, "missing": _one_of("pairwise", "listwise")}
_CLUSTERS: Mapping[str, Check] = {"unit": _one_of("question")}
_DIMENSION: Mapping[str, Check] = {"dimension": _any, "reference": _any}


def _methods(*names: str) -> Mapping[str, Check]:
    return {"method": _one_of(*names, *_RESAMPLED)}


def _weights(*names: str) -> Mapping[str, Check]:
    return {"weights": _one_of(*names), "categories": _list}


def _check_args(stat: str, row: Row, field: str, args: Args) -> None:
    for name, value in args.items():
        check = row.args.get(name)
        if check is None:
            raise Unknown(f"{stat} has no argument {name!r}.")
        if not check(value):
            raise Unknown(f"{stat} has no {name} {json.dumps(value)}.")
    method = args.get("method")
    if "method" in args and row.resampled and (method in _RESAMPLED) != field.startswith("bootstrap_"):
        raise Unknown(f"The field {field} of {stat} is not made by the method {json.dumps(method)}.")
    for name in row.needs.get(field, ()):
        if name not in args:
            raise Unknown(f"The field {field} of {stat} needs the argument {name!r}.")


# ---- the table ------------------------------------------------------------------------------------------------------

Read = Callable[[Any, Args], float]


@dataclass(frozen=True)
class Row:
    """A statistic: the function that computes it, what can be read off its result, and the arguments that it takes."""

    compute: Callable[[Asked], Any]
    fields: Mapping[str, Read]
    args: Mapping[str, Check]
    needs: Mapping[str, Sequence[str]]
    """The arguments without which a field says nothing."""
    resampled: bool = False


def _of(statistic: Statistic, name: str) -> float:
    """An attribute of a statistic, or its reason as an error."""
    value = float(getattr(statistic, name))
    if math.isnan(value) and statistic.reason:
        raise RatingsError(statistic.reason)
    return value


def _attribute(name: str) -> Read:
    return lambda found, _: _of(found, name)


def _limit(name: str, sign: int) -> Read:
    """A limit as other programs print it.

    Here no limits are given of a standard error of zero, and those of a kappa end at 1; there the former are the value
    itself, and "normal" ones run on.
    """

    def read(found: Any, args: Args) -> float:
        if math.isfinite(found.value) and (found.se == 0 or (args.get("method") == "normal" and found.se > 0)):
            times = float(special.ndtri((1 + float(args.get("confidence", 0.95))) / 2))
            return float(found.value + sign * times * found.se)
        return _of(found, name)

    return read


def _table_se(found: Any, _: Args) -> float:
    """The standard error as it is given for the table of two raters: the variance divided by n, not by n - 1."""
    if found.n_raters != 2 or found.n_left_out:
        raise RatingsError("The standard error of a table is for two raters who both rated every unit.")
    return _of(found, "se") * math.sqrt((found.n_units - 1) / found.n_units)


def _of_test(name: str) -> Read:
    def read(found: Any, _: Args) -> float:
        if found.test is None:
            raise RatingsError(found.reason or "There is no test.")
        return float(getattr(found.test, name))

    return read


_FIELDS: Mapping[str, Read] = {
    "estimate": _attribute("value"),
    "se": _attribute("se"),
    "ci_low": _limit("low", -1),
    "ci_high": _limit("high", 1),
    "bootstrap_se": _attribute("se"),
    "bootstrap_ci_low": _attribute("low"),
    "bootstrap_ci_high": _attribute("high"),
    "p_value": _of_test("p_value"),
    "F": _of_test("value"),
}


def _some(*names: str) -> Mapping[str, Read]:
    return {name: _FIELDS[name] for name in names}


_ANALYTIC = ("estimate", "se", "ci_low", "ci_high")
_BOOTSTRAP = ("bootstrap_se", "bootstrap_ci_low", "bootstrap_ci_high")


def _weighted(asked: Asked) -> Any:
    """The weights of an entry, as the coefficients take them."""
    name = asked.args.get("weights", "none")
    if name == "matrix":
        if "disagreement_weights" not in asked.data:
            raise Unknown("The weights are a matrix, but the data have no disagreement_weights.")
        return asked.data["disagreement_weights"]
    return "none" if name == "identity" else name


def _of_raters(statistic: Callable[..., Statistic]) -> Callable[[Asked], Statistic]:
    """A statistic of raters on their scale, with the weights that an entry names."""
    return lambda asked: statistic(ratings_of(asked), weights=_weighted(asked), **asked.interval)


def _of_numbers(statistic: Callable[..., Statistic]) -> Callable[[Asked], Statistic]:
    """A statistic of raters' numbers, whatever the declared categories."""
    return lambda asked: statistic(ratings_of(asked, categories=False), **asked.interval)


def _alpha(asked: Asked) -> Any:
    level, ratings = asked.args["level"], ratings_of(asked)
    if level == "ratio" and ratings.numeric:
        ratings = replace(ratings, scale=replace(ratings.scale, level=level))
    return krippendorff_alpha(ratings, level=level, **asked.interval)


def _category(asked: Asked) -> Any:
    return fleiss_kappa_category(ratings_of(asked), asked.args["category"])


def _icc(asked: Asked) -> Any:
    gaps: Literal["listwise", "reml"] = "reml" if asked.args.get("missing") == "reml" else "listwise"
    return icc(ratings_of(asked, categories=False), form=asked.args["form"], missing=gaps, **asked.interval)


def _mean_squares(asked: Asked) -> Any:
    ratings = ratings_of(asked, categories=False)
    if not ratings.rated.all():
        raise RatingsError("Mean squares need every rater's rating of every unit.")
    return mean_squares(ratings.values)


def _components(asked: Asked) -> Any:
    found = variance_components(ratings_of(asked, categories=False))
    if found.reason:
        raise RatingsError(found.reason)
    return found


def _mean_pearson(asked: Asked) -> Any:
    """Of the people among themselves, or of the judge with each of them."""
    data = asked.data
    if shape_of(data) != "items_by_raters" or "judge" not in data:
        raise Unknown("The mean correlation over pairs needs the keys items_by_raters and judge.")
    against = None
    if asked.stat == "judge_human_mean_pairwise_pearson":
        rows = [[*row, judge] for row, judge in zip(data["items_by_raters"], data["judge"], strict=True)]
        data = {"items_by_raters": rows}
        against = f"rater {len(rows[0]) - 1:06}"
    ratings = ratings_of(replace(asked, data=data), categories=False)
    return mean_pearson(ratings, against=against)


def _people_and_judge(asked: Asked) -> tuple[list[float], list[float], list[float]]:
    data = asked.data
    if shape_of(data) != "graded":
        raise Unknown(f"{asked.stat} needs the keys human, judge and judge_unlabelled.")
    return _numbers(data["human"]), _numbers(data["judge"]), _numbers(data["judge_unlabelled"])


def _ppi(asked: Asked) -> Any:
    human, judge, rest = _people_and_judge(asked)
    return ppi_mean(human, judge, rest, method=asked.args["method"], **asked.interval)


def _rogan_gladen(asked: Asked) -> Any:
    human, judge, rest = _people_and_judge(asked)
    return rogan_gladen(human, judge, rest, **asked.interval).mean


def _rates(asked: Asked) -> Mapping[str, float]:
    human, judge, rest = _people_and_judge(asked)
    found = _of_notebooks("pass_rates")(human, judge)
    return {
        "raw_pass_rate": _of(clustered_mean(rest), "value"),
        "sensitivity": _of(found.sensitivity, "value"),
        "specificity": _of(found.specificity, "value"),
    }


def _confusion(asked: Asked) -> Any:
    if shape_of(asked.data) not in ("experts", "judged", "graded", "paired", "items_by_raters"):
        raise Unknown("A confusion matrix needs a reference and a judge.")
    columns = _columns(asked.data, asked.args)
    if len(columns) != 2:
        raise RatingsError(f"A confusion matrix is of two, and these are {len(columns)}.")
    human, judge = (_numbers(column) for column in columns)
    if any(value not in (0, 1) and not math.isnan(value) for value in (*human, *judge)):
        raise RatingsError("A confusion matrix of four cells is of zeros and ones.")
    return _of_notebooks("pass_rates")(human, judge)


def _genuine(asked: Asked) -> Mapping[str, float]:
    if shape_of(asked.data) != "experts":
        raise Unknown("genuine_pca needs the keys experts and judge.")
    majority, judge = _majority_and_judge(asked.data, {"dimension": "genuine"})
    found = {}
    for name, column in (("mean_from_majority", majority), ("mean_from_judge", judge)):
        known = [value for value in column if value is not None]
        if not known:
            raise RatingsError("No output has a majority in every dimension.")
        found[name] = fmean(known)
    return found


def _alternative(asked: Asked) -> Any:
    data, args = asked.data, asked.args
    if shape_of(data) != "alternative":
        raise Unknown("alt_test needs the keys humans and llm.")
    humans, judge = data["humans"], data["llm"]
    units = list(dict.fromkeys(unit for values in (*humans.values(), judge) for unit in values))
    values: list[Any] = [value for each in (*humans.values(), judge) for value in each.values() if value is not None]
    if any(isinstance(value, str) for value in values):
        code: dict[Any, float] = {value: float(at) for at, value in enumerate(dict.fromkeys(values))}
        if args.get("score", "accuracy") != "accuracy":
            raise RatingsError("Texts have no distance; the score is accuracy.")
    else:
        code = {value: float(value) for value in values}
    code[None] = math.nan
    table = [[code[humans[rater].get(unit)] for rater in humans] for unit in units]
    keywords = {
        key: args[key] for key in ("score", "epsilon", "q", "min_raters_per_item", "min_items_per_rater") if key in args
    }
    said = [code[judge.get(unit)] for unit in units]
    return _of_notebooks("alternative_test")(table, said, raters=list(humans), **keywords)


def _person(found: Any, args: Args) -> Any:
    for person in found.people:
        if person.rater == args["rater"]:
            return person
    raise Unknown(f"There is no rater {args['rater']!r} among {', '.join(each.rater for each in found.people)}.")


def _person_p_value(found: Any, args: Args) -> float:
    person = _person(found, args)
    if person.test is None:
        raise RatingsError(person.reason or "There is no test of this rater.")
    return float(person.test.p_value)


def _long(asked: Asked) -> list[tuple[Any, Any, Any]]:
    """(unit, rater, value) rows, of a long table or of one with a column per rater."""
    if shape_of(asked.data) == "long":
        rows = [tuple(row) for row in asked.data["ratings_item_rater_value"]]
    else:
        columns = _columns(asked.data, asked.args)
        rows = [(unit, at, value) for at, column in enumerate(columns) for unit, value in enumerate(column)]
    if any(len(row) != 3 for row in rows):
        raise RatingsError("A row of ratings_item_rater_value has a unit, a rater and a value.")
    return [row for row in rows if not _missing(row[2])]


def _dawid_skene(asked: Asked) -> Any:
    rows = _long(asked)
    fitted = _of_notebooks("dawid_skene")
    found = fitted(*zip(*rows, strict=True)) if rows else fitted([], [], [])
    return found, rows


def _class_share(found: Any, args: Args) -> float:
    return float(found[0].shares[_place(found[0].categories, args["class"], "class")])


def _class_confusion(found: Any, args: Args) -> float:
    estimated = found[0]
    cell = (
        _place(estimated.raters, args["rater"], "rater"),
        _place(estimated.categories, args["true"], "class"),
        _place(estimated.categories, args["given"], "class"),
    )
    return float(estimated.confusion[cell])


def _place(names: Sequence[Any], name: Any, what: str) -> int:
    if name not in names:
        raise Unknown(f"There is no {what} {name!r}.")
    return list(names).index(name)


def _labels_differing(found: Any, _: Args) -> float:
    """Units whose label is another one by the formula of 1979 in plain loops."""
    estimated, rows = found
    direct = _by_loops(rows, estimated.categories)
    return float(sum(direct[unit] != label for unit, label in zip(estimated.units, estimated.labels, strict=True)))


def _by_loops(rows: Sequence[tuple[Any, Any, Any]], categories: Sequence[Any], rounds: int = 2000) -> dict[Any, Any]:
    """The most likely class of each unit by Dawid & Skene, term by term: a second way to the same labels."""
    of_unit: dict[Any, list[tuple[Any, Any]]] = {}
    for unit, rater, given in rows:
        of_unit.setdefault(unit, []).append((rater, given))
    p = {
        unit: {true: sum(given == true for _, given in own) / len(own) for true in categories}
        for unit, own in of_unit.items()
    }
    for _ in range(rounds):
        share = {true: fmean(p[unit][true] for unit in p) for true in categories}
        as_given: dict[tuple[Any, Any, Any], float] = {}
        met: dict[tuple[Any, Any], float] = {}
        for unit, rater, given in rows:
            for true in categories:
                as_given[rater, true, given] = as_given.get((rater, true, given), 0.0) + p[unit][true]
                met[rater, true] = met.get((rater, true), 0.0) + p[unit][true]
        moved = 0.0
        for unit, own in of_unit.items():
            chance = {}
            for true in categories:
                chance[true] = share[true]
                for rater, given in own:
                    total = met[rater, true]
                    chance[true] *= as_given[rater, true, given] / total if total else 1 / len(categories)
            total = sum(chance.values())
            after = {true: value / total for true, value in chance.items()}
            moved = max(moved, *(abs(after[true] - p[unit][true]) for true in categories))
            p[unit] = after
        if moved < 1e-10:
            break
    return {unit: max(categories, key=lambda true, own=own: own[true]) for unit, own in p.items()}  # type: ignore[misc]


def _regression(asked: Asked) -> Any:
    data = asked.data
    names = data.get("names", data.get("aspects"))
    x = data["x"] if "x" in data else data.get("items_by_raters")
    if x is None or "y" not in data:
        raise Unknown("A regression needs the keys x (or items_by_raters) and y.")
    rows = [row if isinstance(row, list) else [row] for row in x]
    if names is None:
        names = [f"x{at}" for at in range(1, len(rows[0]) + 1)]
    found = linear_regression(_numbers(data["y"]), [_numbers(row) for row in rows], names=[str(name) for name in names])
    if found.reason:
        raise RatingsError(found.reason)
    return found


def _term(name: str) -> Read:
    def read(found: Any, args: Args) -> float:
        for term in found.terms:
            if term.name == args["term"]:
                value = getattr(term, name)
                return _of(value, "value") if isinstance(value, Statistic) else float(value)
        raise Unknown(f"There is no term {args['term']!r}.")

    return read


def _ceiling(asked: Asked) -> Any:
    if shape_of(asked.data) != "items_by_raters":
        raise Unknown("noise_ceiling needs the key items_by_raters.")
    columns = _columns({"items_by_raters": asked.data["items_by_raters"]}, asked.args)
    humans = [list(row) for row in zip(*map(_numbers, columns), strict=True)]
    return _of_notebooks("noise_ceiling")(humans, bootstrap=Bootstrap(draws=0))


def _planned(asked: Asked) -> SampleSize:
    found: SampleSize = _of_notebooks(asked.stat)(**asked.args)
    return found


def _value(name: str) -> Read:
    return lambda found, _: float(found[name])


def _named(name: str) -> Read:
    return lambda found, _: float(getattr(found, name))


_FOR_CHANCE: Mapping[str, Check] = {
    **_weights("identity", "linear", "quadratic", "ordinal"),
    **_CONFIDENCE,
    **_methods("t"),
    **_COUNTED,
    **_PAIR,
    **_CLUSTERS,
}
_FOR_CORRELATION = {**_CONFIDENCE, **_COUNTED, **_PAIR, **_CLUSTERS}
_WEIGHTS_NEEDED = dict.fromkeys((*_ANALYTIC, *_BOOTSTRAP), ("weights",))
_ALT_ARGS: Mapping[str, Check] = {
    "epsilon": _number,
    "q": _number,
    "min_items_per_rater": _number,
    "min_raters_per_item": _number,
    "rater": _any,
    "score": _one_of("accuracy", "neg_rmse"),
}

TABLE: Mapping[str, Row] = {
    "alt_test": Row(
        _alternative,
        {
            "advantage_probability": lambda found, _: _of(found.advantage_probability, "value"),
            "llm_advantage": lambda found, args: _of(_person(found, args).advantage, "value"),
            "p_value": _person_p_value,
            "winning_rate": lambda found, _: _of(found.winning_rate, "value"),
        },
        _ALT_ARGS,
        {"llm_advantage": ("rater",), "p_value": ("rater", "epsilon"), "winning_rate": ("epsilon",)},
    ),
    "anova_mean_square": Row(
        _mean_squares,
        {"BMS": _named("units"), "EMS": _named("error"), "JMS": _named("raters"), "WMS": _named("within")},
        {"missing": _one_of("listwise")},
        {},
    ),
    "brennan_prediger": Row(
        _of_raters(brennan_prediger),
        _some(*_ANALYTIC, *_BOOTSTRAP),
        _FOR_CHANCE,
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "cohen_kappa": Row(
        _of_raters(partial(cohen_kappa, limits="normal")),
        _some(*_ANALYTIC, *_BOOTSTRAP),
        {
            **_weights("none", "linear", "quadratic", "matrix"),
            **_CONFIDENCE,
            **_methods("normal"),
            **_COUNTED,
            **_PAIR,
            **_CLUSTERS,
            **_DIMENSION,
        },
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "confusion": Row(
        _confusion,
        {
            "fn": _named("false_negative"),
            "fp": _named("false_positive"),
            "tn": _named("true_negative"),
            "tp": _named("true_positive"),
        },
        {**_DIMENSION, **_PAIR},
        {},
    ),
    "conger_kappa": Row(
        _of_raters(conger_kappa),
        _some(*_ANALYTIC, *_BOOTSTRAP),
        _FOR_CHANCE,
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "dawid_skene": Row(
        _dawid_skene,
        {
            "class_share": _class_share,
            "confusion": _class_confusion,
            "labels_differing_from_peer": _labels_differing,
        },
        {"class": _any, "given": _any, "rater": _any, "true": _any},
        {"class_share": ("class",), "confusion": ("rater", "true", "given")},
    ),
    "fleiss_kappa": Row(
        _of_raters(fleiss_kappa),
        _some(*_ANALYTIC, *_BOOTSTRAP),
        _FOR_CHANCE,
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "fleiss_kappa_category": Row(
        _category, _some("estimate"), {"category": _any, "categories": _list}, {"estimate": ("category",)}
    ),
    "genuine_pca": Row(_genuine, {name: _value(name) for name in ("mean_from_judge", "mean_from_majority")}, {}, {}),
    "gwet_ac": Row(
        _of_raters(gwet_ac),
        {**_some(*_ANALYTIC, *_BOOTSTRAP), "se_table": _table_se},
        _FOR_CHANCE,
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "human_human_mean_pairwise_pearson": Row(_mean_pearson, _some("estimate"), {}, {}),
    "icc": Row(
        _icc,
        _some("F", "estimate", "ci_low", "ci_high", "p_value", *_BOOTSTRAP),
        {
            "form": _one_of("ICC(1,1)", "ICC(1,k)", "ICC(2,1)", "ICC(2,k)", "ICC(3,1)", "ICC(3,k)"),
            "method": _one_of(*_RESAMPLED),
            **_CONFIDENCE,
            **_COUNTED,
            **_PAIR,
            **_CLUSTERS,
            "missing": _one_of("listwise", "reml"),
        },
        dict.fromkeys(("F", "estimate", "ci_low", "ci_high", "p_value", *_BOOTSTRAP), ("form",)),
        resampled=True,
    ),
    "judge_human_mean_pairwise_pearson": Row(_mean_pearson, _some("estimate"), {}, {}),
    "judge_rates": Row(
        _rates, {name: _value(name) for name in ("raw_pass_rate", "sensitivity", "specificity")}, {}, {}
    ),
    "kendall_tau_b": Row(
        _of_numbers(kendall_tau),
        _some("estimate", "ci_low", "ci_high", *_BOOTSTRAP),
        {**_FOR_CORRELATION, **_methods("fieller_1957")},
        {},
        resampled=True,
    ),
    "kendall_w": Row(
        _of_numbers(kendall_w),
        _some("estimate", *_BOOTSTRAP),
        {"tie_correction": _one_of(True), **_CONFIDENCE, **_COUNTED, **_PAIR, "method": _one_of(*_RESAMPLED)},
        {},
        resampled=True,
    ),
    "krippendorff_alpha": Row(
        _alpha,
        _some("estimate", *_BOOTSTRAP),
        {
            "level": _one_of(*LEVELS, "ratio"),
            "method": _one_of(*_RESAMPLED),
            "categories": _list,
            **_CONFIDENCE,
            **_COUNTED,
            **_PAIR,
            **_CLUSTERS,
        },
        dict.fromkeys(("estimate", *_BOOTSTRAP), ("level",)),
        resampled=True,
    ),
    "light_kappa": Row(
        _of_raters(light_kappa),
        _some("estimate", *_BOOTSTRAP),
        {
            **_weights("none", "linear", "quadratic"),
            "method": _one_of(*_RESAMPLED),
            **_CONFIDENCE,
            **_COUNTED,
            **_PAIR,
            **_CLUSTERS,
        },
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "linear_regression": Row(
        _regression,
        {
            "coefficient": _term("coefficient"),
            "r_squared": lambda found, _: _of(found.r_squared, "value"),
            "se_hc3": _term("se_hc3"),
            "se_ols": _term("se_classical"),
        },
        {"term": _any},
        {name: ("term",) for name in ("coefficient", "se_hc3", "se_ols")},
    ),
    "noise_ceiling": Row(
        _ceiling,
        {
            "leave_one_out_mean": lambda found, _: _of(found.leave_one_out, "value"),
            "sqrt_reliability_of_mean": lambda found, _: _of(found.highest, "value"),
        },
        {},
        {},
    ),
    "pearson": Row(
        _of_numbers(pearson),
        _some("estimate", "ci_low", "ci_high", "p_value", *_BOOTSTRAP),
        {**_FOR_CORRELATION, **_methods("fisher_z")},
        {},
        resampled=True,
    ),
    "percent_agreement": Row(
        _of_raters(percent_agreement),
        _some("estimate"),
        {**_weights("identity", "linear", "quadratic", "ordinal"), **_PAIR},
        {},
    ),
    "ppi_mean": Row(
        _ppi,
        {
            "estimate": lambda found, _: _of(found.mean, "value"),
            "ci_low": lambda found, _: _of(found.mean, "low"),
            "ci_high": lambda found, _: _of(found.mean, "high"),
            "lambda": _named("weight"),
        },
        {"method": _one_of("classical", "ppi", "ppi_plus_plus"), **_CONFIDENCE},
        dict.fromkeys(("estimate", "ci_low", "ci_high", "lambda"), ("method",)),
    ),
    "rogan_gladen": Row(
        _rogan_gladen,
        _some("estimate", "ci_low", "ci_high"),
        {"method": _one_of("lee_2025_plug_in"), **_CONFIDENCE},
        {},
    ),
    "sample_size_icc": Row(
        _planned,
        {"n": _named("n_first_stage")},
        {"icc": _number, "raters": _number, "full_width": _number, **_CONFIDENCE},
        {"n": ("icc", "raters", "full_width")},
    ),
    "sample_size_kappa_test": Row(
        _planned,
        {"n": _named("n")},
        {
            "alpha": _share,
            "kappa0": _number,
            "kappa1": _number,
            "power": _share,
            "rate": _share,
            "two_sided": _one_of(True, False),
        },
        {"n": ("kappa0", "kappa1", "rate")},
    ),
    "sample_size_pearson": Row(
        _planned,
        {"n_first_stage": _named("n_first_stage")},
        {"half_width": _number, "r": _number, **_CONFIDENCE},
        {"n_first_stage": ("half_width", "r")},
    ),
    "sample_size_proportion": Row(
        _planned,
        {"n": _named("n")},
        {"half_width": _number, "p": _number, **_CONFIDENCE},
        {"n": ("half_width", "p")},
    ),
    "scott_pi": Row(
        _of_raters(scott_pi),
        _some(*_ANALYTIC, *_BOOTSTRAP),
        _FOR_CHANCE,
        _WEIGHTS_NEEDED,
        resampled=True,
    ),
    "spearman": Row(
        _of_numbers(spearman),
        _some("estimate", "ci_low", "ci_high", *_BOOTSTRAP),
        {**_FOR_CORRELATION, **_methods("bonett_wright_2000")},
        {},
        resampled=True,
    ),
    "variance_components": Row(
        _components,
        {"reml_items": _named("units"), "reml_raters": _named("raters"), "reml_residual": _named("residual")},
        {},
        {},
    ),
}
"""All statistics of the format."""
