"""What a schema may say of how far raters have to agree before a release."""

from __future__ import annotations

import pytest

from domain.errors import SchemaError
from testkit.factories import floored


def test_a_floor_has_a_name() -> None:
    first, second = floored(
        "criterion: choice, statistic: krippendorff_alpha, at_least: 0.6",
        'criterion: score, statistic: icc, variant: "ICC(2,1)", at_least: 1, bound: low',
    ).schema_.export.floors
    assert (first.bound, first.name) == ("value", "choice.krippendorff_alpha")
    assert (second.bound, second.name) == ("low", "score.icc.ICC-2-1")


@pytest.mark.parametrize(
    ("floor", "key", "said"),
    [
        ("criterion: chioce, statistic: cohen_kappa, at_least: 0.5", "criterion", "did you mean `choice`?"),
        (
            "criterion: question, statistic: cohen_kappa, at_least: 0.5",
            "criterion",
            "no stage lets several people rate `question`; use",
        ),
        ("criterion: choice, statistic: cohen_kapa, at_least: 0.5", "statistic", "did you mean `cohen_kappa`?"),
        ("criterion: choice, statistic: accuracy, at_least: 0.5", "statistic", "not how well raters agree"),
        ("criterion: choice, statistic: mae, at_least: 0.5", "statistic", "is not 1 at full agreement"),
        ("criterion: choice, statistic: pearson, at_least: 0.5", "statistic", "needs numbers on a scale"),
        ("criterion: choice, statistic: temporal_iou, at_least: 0.5", "statistic", "needs spans of time"),
        ("criterion: choice, statistic: cohen_kappa, variant: linear, at_least: 0.5", "variant", "needs numbers"),
        ("criterion: score, statistic: icc, variant: ICC(9), at_least: 0.5", "variant", "did you mean `ICC"),
        ("criterion: score, statistic: pearson, variant: linear, at_least: 0.5", "variant", "remove `variant`"),
        ("criterion: choice, statistic: cohen_kappa, at_least: 0", "at_least", "above 0 and at most 1"),
        ("criterion: choice, statistic: cohen_kappa, at_least: 60", "at_least", "60 % is 0.6"),
        ("criterion: choice, statistic: cohen_kappa, at_least: 0.5, bound: upper", "bound", "upper"),
    ],
)
def test_what_can_be_no_floor_is_named_by_line_and_key(floor: str, key: str, said: str) -> None:
    with pytest.raises(SchemaError) as error:
        floored("criterion: choice, statistic: gwet_ac, at_least: 0.5", floor.replace("ICC(9)", '"ICC(9)"'))
    (line,) = str(error.value).splitlines()
    assert line.startswith(f"blind.yaml:31: export.floors[1].{key}: ")  # the 31st line of the text is the second floor
    assert said in line


def test_no_floor_stands_there_twice() -> None:
    with pytest.raises(SchemaError, match=r"floors\[1\]: the floor `choice.cohen_kappa` appears twice"):
        floored(
            "criterion: choice, statistic: cohen_kappa, at_least: 0.5",
            "criterion: choice, statistic: cohen_kappa, at_least: 0.7",
        )
