"""The class of each change of a schema with all kinds of parts, both ways, and of changes that come together."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import yaml

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from extensions.schema_migration.changes import (
    CHANGE_KINDS,
    AffectedCounts,
    Change,
    compare,
)
from extensions.schema_migration.tests.living_schema import (
    ASKS,
    BASE,
    CRITERIA,
    FITS,
    NO,
    VOTES,
    Edit,
    add,
    decided,
    made,
    put,
    take,
    told,
)
from extensions.schema_migration.tests.single_changes import ONE_BY_ONE


class Nothing:
    """A project in which nothing is stored."""

    def behind(self, change: Change) -> AffectedCounts:
        return AffectedCounts()


class Two:
    """A project with two votes behind everything."""

    def behind(self, change: Change) -> AffectedCounts:
        return AffectedCounts(votes=2)


@pytest.mark.parametrize("name", list(ONE_BY_ONE))
def test_each_change_is_of_its_class_both_ways(name: str) -> None:
    edit, there, back = ONE_BY_ONE[name]
    old, new = made(), made(edit, version=2)
    assert told(compare(old, new)) == [there]
    assert told(compare(new, old)) == [(there[0], *back)]


def test_the_schema_that_is_changed_is_one() -> None:
    load_text(yaml.safe_dump(BASE), "", "living.yaml")


def test_there_are_sixty_and_every_kind_of_change_is_among_them_or_in_a_test_of_its_own() -> None:
    assert len(ONE_BY_ONE) >= 60
    seen = {row for _, there, back in ONE_BY_ONE.values() for row in (there[1], back[0])}
    apart = {"version", "same_version", "guideline", "renamed", "key_field", "added_verification", "added_round",
             "plan_rules", "reading", "unit_of_field", "shortcuts_otherwise"}  # fmt: skip
    assert set(CHANGE_KINDS) == seen | apart


@pytest.mark.thorough
def test_a_schema_differs_from_every_other_and_not_from_itself() -> None:
    schemas = [load_schema(path).schema_ for path in shipped().values()]
    for one, other in itertools.product(schemas, repeat=2):
        assert bool(compare(one, other).changes) == (one is not other)


def test_no_change_is_lost() -> None:
    """Whatever of the edits is there alone is there, too, where all others are made before and after."""
    for name in ("option", "target", "prompt"):
        edit, there, _ = ONE_BY_ONE[name]
        others = [ONE_BY_ONE[other][0] for other in ("title", "raters", "criterion", "report")]
        assert told(compare(made(*others), made(*others, edit, version=2))) == [there]


def test_another_schema_needs_another_version() -> None:
    found = compare(made(), made(put("title", "T")))
    assert told(found)[0] == ("version", "same_version", NO)
    nothing = Nothing()
    assert compare(made(), made(put("title", "T")), uses=nothing).incompatible, "whatever is stored"


def test_the_guideline_is_compatible_by_itself() -> None:
    found = compare(made(), made(version=2), old_guideline="One.", new_guideline="One.\nTwo.")
    assert [(each.path, each.row.name, each.old, each.new) for each in found.changes] == [
        ("version", "version", 1, 2),
        ("guideline", "guideline", "1 line", "2 lines"),
    ]
    assert found.can_be_taken


def test_another_key_is_incompatible() -> None:
    key = {"rule": "unanimous_and_key", "criterion": "seen2", "key": "answer"}
    asks = {"name": "seen2", "kind": "option_of", "field": "options", "prompt": "Which"}
    with_key = [add(CRITERIA, asks), put(f"{VOTES}.keep", key)]
    second = add("item.fields", {"name": "second", "kind": "option_of", "field": "options", "required": False,
                                 "secret_in": ["verification"]})  # fmt: skip
    old = made(*with_key, second)
    assert told(compare(old, made(*with_key, second, put(f"{VOTES}.keep.key", "second"), version=2))) == [
        (f"{VOTES}.keep.key", "key_field", NO)
    ]
    assert (f"{VOTES}.keep.key", "keep_rule", ASKS) in told(compare(made(add(CRITERIA, asks), second), old))
    read = made(put("item.fields.note.read_as", "text"), take("item.fields", "answer"), put("judges", []), version=2)
    assert ("item.fields.answer", "key_field", NO) in told(compare(made(), read))


def test_parts_of_a_keep_rule_are_told_apart_by_their_criteria() -> None:
    def keeps(least: float, *more: dict[str, Any]) -> Edit:
        parts = [{"criterion": "correct", "value": "yes"}, {"criterion": "width", "at_least": least}, *more]
        return put(f"{VOTES}.keep", {"rule": "unanimous", "parts": parts})

    assert told(compare(made(keeps(2)), made(keeps(3, {"criterion": "size", "value": 1}), version=2))) == [
        (f"{VOTES}.keep.parts.width.at_least", "keep_rule", ASKS),
        (f"{VOTES}.keep.parts.size", "keep_rule", ASKS),
    ]


def test_verification_that_comes_later_asks_about_the_items_that_are_there() -> None:
    without = [put("stages.verification", None), put("stages.adjudication", None)]
    found = compare(made(*without), made(version=2))
    assert told(found) == [
        ("stages.verification", "added_verification", ASKS),
        ("stages.adjudication", "added_stage", FITS),
    ]
    assert ("stages.verification", "removed_stage", NO) in told(compare(made(), made(*without, version=2)))


def test_a_further_verification_asks_what_becomes_of_what_is_kept() -> None:
    criterion = {"name": "worth", "kind": "choice", "prompt": "Is it?", "options": ["yes", "no"]}
    keep = {"rule": "unanimous", "criterion": "worth", "value": "yes"}
    second = put("stages.verification_2", {"raters": 1, "criteria": [criterion], "keep": keep})
    found = compare(made(), made(second, version=2))
    assert told(found) == [("stages.verification_2", "added_round", ASKS)]
    for way in ("send_on", "leave"):
        assert decided(made(second, version=2), **{way: ["verification_2"]}).can_be_taken
    assert told(compare(made(second), made(version=2))) == [("stages.verification_2", "removed_stage", NO)]


def test_a_criterion_of_a_new_dimension_alone_is_asked_of_no_old_item() -> None:
    pies = add("dimensions", {"id": "pies", "title": "Pies"})
    some = put(f"{CRITERIA}.size.dimensions", ["bars"])
    more = put(f"{CRITERIA}.size.dimensions", ["bars", "pies"])
    assert (f"{CRITERIA}.size.dimensions", "asked_less", FITS) in told(compare(made(some), made(pies, more, version=2)))
    lines = put(f"{CRITERIA}.size.dimensions", ["bars", "lines"])
    assert (f"{CRITERIA}.size.dimensions", "asked_more", ASKS) in told(compare(made(some), made(lines, version=2)))


@pytest.mark.parametrize("name", [name for name, (_, there, _) in ONE_BY_ONE.items() if there[2] != FITS])
def test_what_no_one_has_used_may_change(name: str) -> None:
    edit, (path, row, status), _ = ONE_BY_ONE[name]
    unused = told(compare(made(), made(edit, version=2), uses=Nothing()))
    assert unused == [(path, row, NO if row == "other_schema" else FITS)]
    assert told(compare(made(), made(edit, version=2), uses=Two())) == [(path, row, status)]
