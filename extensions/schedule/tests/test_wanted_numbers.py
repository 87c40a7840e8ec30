"""Numbers wanted are changed in the text of a schema, and nothing else of it."""

from __future__ import annotations

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from domain.errors import ConflictError
from extensions.schedule.wanted_numbers import wanting, with_wanted

REST = """
item: {fields: [{name: question, kind: text}]}
stages: {verification: {raters: 1, criteria: [{name: ok, kind: choice, prompt: P, options: ["y", "n"]}],
  keep: {rule: unanimous, criterion: ok, value: "y"}}}
"""
FLOW = "dimensions:  # all\n  - {id: one, title: One, wanted: 3}\n  - {wanted: 4, id: two, title: Two}  # last\n"
BLOCK = (
    "dimensions:\n- id: one  # the first\n  title: One\n  wanted: 3   # so many\n- wanted: 4\n  id: two\n  title: Two\n"
)


@pytest.mark.parametrize(
    ("text", "wanted", "after"),
    [
        (FLOW, {"one": 10, "two": 40}, FLOW.replace("wanted: 3", "wanted: 10").replace("wanted: 4", "wanted: 40")),
        (FLOW, {"one": None, "two": None}, FLOW.replace(", wanted: 3", "").replace("wanted: 4, ", "")),
        (BLOCK, {"one": 10, "two": 40}, BLOCK.replace("wanted: 3", "wanted: 10").replace("wanted: 4", "wanted: 40")),
        (BLOCK, {"two": None}, BLOCK.replace("wanted: 4\n  ", "")),
        (BLOCK, {"one": None}, BLOCK.replace("\n  wanted: 3", "")),
        (BLOCK.replace("  wanted: 3   # so many\n", ""), {"one": 7}, BLOCK.replace(
            "  # the first\n  title: One\n  wanted: 3   # so many\n", "  # the first\n  wanted: 7\n  title: One\n")),
        (FLOW, {"three": 5}, FLOW),
        ("", {"one": 1}, ""),
    ],
)  # fmt: skip
def test_only_the_numbers_change(text: str, wanted: dict[str, int | None], after: str) -> None:
    head = "name: n\nversion: 1\ntitle: N\n" if text else ""
    assert with_wanted(head + text + REST, wanted, version=2) == head.replace("version: 1", "version: 2") + after + REST


def schema(text: str) -> LoadedSchema:
    return load_text(f"name: n\nversion: 1\ntitle: N\n{text}{REST}", "Be exact.", "n")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_schema_that_comes_along_can_be_given_other_numbers(name: str) -> None:
    before = load_schema(shipped()[name])
    wanted = {each.id: at for at, each in enumerate(before.schema_.dimensions, 11)}
    after = wanting(before, wanted, version=8)
    assert after is not None
    assert {each.id: each.wanted for each in after.schema_.dimensions} == wanted
    none = wanting(after, dict.fromkeys(wanted), version=9)
    assert none is not None
    assert {each.wanted for each in none.schema_.dimensions} == {None}
    assert wanting(after, wanted, version=9) is None
    assert (after.schema_.version, none.schema_.version) == (8, 9)


def test_what_cannot_be_changed_by_itself_is_refused() -> None:
    odd = 'dimensions: [{"id": "one", title: One, "wanted": 3}, {? id : two, ? title : Two}]\n'
    after = wanting(schema(odd), {"one": 5}, version=2)
    assert after is not None
    assert [each.wanted for each in after.schema_.dimensions] == [5, None]
    with pytest.raises(ConflictError, match="Form page"):
        wanting(schema(FLOW), {"one": 0, "two": 4}, version=2)  # no number that a schema may want
