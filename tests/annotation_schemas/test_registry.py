"""Rows are declared before they are built; what needs one that is not built is refused with a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation_schemas import registry, shipped
from annotation_schemas.formats import FORMATS
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain.errors import NotAvailableError
from domain.policies import KEEP_RULES
from testkit.qualification import needs_qualification


def schema(name: str) -> Schema:
    return load_schema(shipped()[name]).schema_


def test_every_row_says_what_it_means_in_one_line_and_has_a_name_of_its_own() -> None:
    everything = [row for name in registry.REGISTRIES for row in registry.rows(name)]
    assert all(
        row.meaning and "\n" not in row.meaning and (row.away or not row.meaning.endswith(".")) for row in everything
    )
    assert len({(row.registry, row.name) for row in everything}) == len(everything)


def test_keep_rules_are_those_of_the_policies() -> None:
    assert [(row.name, row.available) for row in registry.rows("keep_rule")] == [(name, True) for name in KEEP_RULES]


def test_what_is_not_built_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("template", "egothink_single")
    monkeypatch.setitem(registry._BY_NAME, key, replace(registry._BY_NAME[key], available=False))
    with pytest.raises(NotAvailableError) as caught:
        registry.require_available(schema("egothink"), "judges")
    assert "Running judges needs the template `egothink_single`" in str(caught.value)
    assert str(caught.value).endswith(".")


@needs_qualification
def test_a_row_that_does_not_block_keeps_no_one_from_a_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("stage", "qualification")
    monkeypatch.setitem(registry._BY_NAME, key, replace(registry._BY_NAME[key], available=False, blocks=False))
    registry.require_available(schema("egoplan"), "verification")
    monkeypatch.setitem(registry._BY_NAME, key, replace(registry._BY_NAME[key], blocks=True))
    with pytest.raises(NotAvailableError, match="qualification"):
        registry.require_available(schema("egoplan"), "verification")


def test_a_row_that_is_built_is_given_and_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.require_row("format", "egothink").name == "egothink"
    monkeypatch.setitem(FORMATS._fetched(), "csv", replace(FORMATS["csv"], available=False))
    with pytest.raises(NotAvailableError, match="planned, but not available yet"):
        registry.require_row("format", "csv")
    with pytest.raises(NotAvailableError, match=r"no format `csw`\. Use one of: egothink"):
        registry.require_row("format", "csw")


def test_making_a_row_available_changes_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_schema(shipped()["egothink"])
    key = ("strategy", "generate")
    monkeypatch.setitem(registry._BY_NAME, key, replace(registry._BY_NAME[key], available=True))
    after = load_schema(shipped()["egothink"])
    assert (after.hash, after.schema_.version) == (before.hash, before.schema_.version)
    assert next(need for need in registry.needs(after.schema_) if need.row.name == "generate").row.available


def test_criteria_by_dimension() -> None:
    etp = schema("etp_bench")
    assert [each.name for each in registry.criteria_of(etp, "grading", "spatial")] == ["score"]
    assert [each.name for each in registry.criteria_of(etp, "grading", "embodied_reasoning")] == ["success", "errors"]
    assert [each.name for each in registry.criteria_of(etp, "grading")] == ["score", "success", "errors"]
    assert registry.criteria_of(etp, "authoring") == ()


def test_formats_that_are_available_are_built() -> None:
    available = {row.name for row in registry.rows("format") if row.available}
    assert available == {name for name, row in FORMATS.items() if row.reads or row.writes or row.releases}
