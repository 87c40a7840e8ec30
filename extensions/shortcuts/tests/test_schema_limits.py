"""What a schema may say of how far items may be answered without their images before a release."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from domain.errors import SchemaError
from testkit.factories import BLIND, UNVERIFIED


def limited(limits: str, *, of: str = BLIND, version: int = 1) -> LoadedSchema:
    text = of.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace("version: 1", f"version: {version}")
    return load_text(f"{text}export:\n  shortcuts:\n    {limits}\n", "", "blind.yaml")


def test_limits_that_are_usual() -> None:
    found = limited("{}").schema_.export.shortcuts
    assert found is not None
    assert (found.above_chance, found.at_most, found.bound, found.score, found.flagged) == (
        0.05,
        {},
        "value",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("limits", "key", "said"),
    [
        ("at_most: {longset: 0.3}", "at_most.longset", "did you mean `longest`?"),
        ("at_most: {by_hand: 0.3}", "at_most.by_hand", "is not a known rule; use `constant`, "),
        ("at_most: {longest: 30}", "at_most.longest", "30 % is 0.3"),
        ("at_most: {longest: 1}", "at_most.longest", "a limit must be above 0 and below 1"),
        ("at_most: {longest: .nan}", "at_most.longest", "the value must be a number, not `.nan`"),
        ("at_most: {longest: yes}", "at_most.longest", "number"),
        ("above_chance: 5", "above_chance", "5 % is 0.05"),
        ("above_chance: -0.1", "above_chance", "at least 0 and below 1"),
        ("bound: upper", "bound", "upper"),
        ("score: 0", "score", "a score is a probability, so the score must be above 0 and below 1"),
        ("flagged: 2", "flagged", "2 % is 0.02"),
        ("without_images: 2", "without_images", "2 % is 0.02"),
        ("without_images: -0.1", "without_images", "at least 0 and below 1"),
        ("orders: 0", "orders", "must be 1 or more"),
        ("models: 0", "models", "must be 1 or more"),
        ("most: 0.3", "most", "did you mean `at_most`?"),
    ],
)
def test_what_can_be_no_limit_is_named_by_line_and_key(limits: str, key: str, said: str) -> None:
    with pytest.raises(SchemaError) as error:
        limited(limits)
    (line,) = str(error.value).splitlines()
    assert line.startswith(f"blind.yaml:30: export.shortcuts.{key}: ")  # the 30th line of the text has the limits
    assert said in line


def test_items_without_options_have_no_shortcuts() -> None:
    with pytest.raises(SchemaError, match=r"export.shortcuts: items have no options .*; remove `shortcuts`"):
        limited("{}", of=UNVERIFIED)
