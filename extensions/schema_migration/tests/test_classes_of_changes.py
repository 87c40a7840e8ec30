"""The classes of changes of floors, rules of wording and limits on shortcuts."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema, Wording
from extensions.schema_migration.changes import Status, compare
from extensions.schema_migration.changes.renames import with_names
from testkit.factories import BLIND, floored
from tests.annotation_schemas.test_wording import text


def limited(limits: str, *, version: int = 1) -> LoadedSchema:
    """A schema with limits on shortcuts."""
    written = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    written = written.replace("version: 1", f"version: {version}")
    return load_text(f"{written}export:\n  shortcuts:\n    {limits}\n", "", "blind.yaml")


def test_a_changed_floor_is_classed() -> None:
    alpha, kappa = (f"criterion: choice, statistic: {each}" for each in ("krippendorff_alpha", "cohen_kappa"))
    where = "export.floors.choice.krippendorff_alpha"
    for before, after, row, path in (
        ([f"{alpha}, at_least: 0.6"], [f"{alpha}, at_least: 0.5"], "floors_lowered", f"{where}.at_least"),
        ([f"{alpha}, at_least: 0.6"], [f"{alpha}, at_least: 0.7"], "floors_raised", f"{where}.at_least"),
        ([f"{alpha}, at_least: 0.6, bound: low"], [f"{alpha}, at_least: 0.6"], "floors_lowered", f"{where}.bound"),
        ([f"{alpha}, at_least: 0.6"], [f"{alpha}, at_least: 0.6, bound: low"], "floors_raised", f"{where}.bound"),
        ([f"{alpha}, at_least: 0.6"], [], "floors_lowered", where),
        ([f"{kappa}, at_least: 0.6"], [f"{kappa}, at_least: 0.6", f"{alpha}, at_least: 1"], "floors_raised", where),
    ):
        found = compare(floored(*before).schema_, floored(*after, version=2).schema_)
        version, change = found.changes
        assert (change.row.name, change.path, change.status) == (row, path, Status.COMPATIBLE), version


def test_a_change_of_wording_is_compatible() -> None:
    old = text(question="wording: {not_in: [note], words: {most: 9}}", note="wording: {ends_with: .}")
    new = text(question="wording: {not_in: [answer], words: {most: 12}, stops: true}", note="language: en")
    found = compare(load_text(old, "", "old").schema_, load_text(new, "", "new").schema_)
    assert {each.path.removeprefix("item.fields."): each.row.name for each in found.changes} == {
        "version": "same_version",
        "question.wording.words.most": "wording",
        "question.wording.not_in": "wording",
        "question.wording.stops": "wording",
        "note.wording": "wording",
        "note.language": "words",
    }


def test_a_rule_follows_a_field_to_its_new_name() -> None:
    old = load_text(text(question="wording: {not_in: [note]}"), "", "old").schema_
    assert with_names(old, {"fields": {"note": "remark"}}).item.fields[0].wording == Wording(not_in=("remark",))


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        ("above_chance: 0.05", "above_chance: 0.1", "shortcuts_looser"),
        ("above_chance: 0.05", "above_chance: 0.02", "shortcuts_stricter"),
        ("flagged: 0.05", "flagged: 0.01", "shortcuts_stricter"),
        ("{}", "flagged: 0.01", "shortcuts_stricter"),
        ("flagged: 0.01", "{}", "shortcuts_looser"),
        ("without_images: 0.05", "without_images: 0.01", "shortcuts_stricter"),
        ("{}", "without_images: 0.01", "shortcuts_stricter"),
        ("without_images: 0.01", "without_images: 0.05", "shortcuts_looser"),
        ("without_images: 0.01", "{}", "shortcuts_looser"),
        ("bound: value", "bound: high", "shortcuts_stricter"),
        ("bound: value", "bound: low", "shortcuts_looser"),
        ("at_most: {longest: 0.3}", "at_most: {longest: 0.4}", "shortcuts_otherwise"),
        ("score: 0.6", "score: 0.5", "shortcuts_otherwise"),
        ("orders: 3", "orders: 4", "shortcuts_otherwise"),
        ("models: 2", "{}", "shortcuts_otherwise"),
    ],
)
def test_a_changed_limit_is_classed(before: str, after: str, row: str) -> None:
    found = compare(limited(before).schema_, limited(after, version=2).schema_)
    assert [each.row.name for each in found.changes] == ["version", row]
