"""Records as JSON: what is written is read as an equal value, and nothing else is made of a text."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas.changes.rows import ASK_AGAIN
from annotation_schemas.loader import load_text
from annotation_schemas.model import DerivedCriterion, LoadedSchema
from domain import typed_json
from domain.module_names import import_own
from domain.records import BadRow, Person
from domain.states import Stage
from testkit.factories import make_schema
from workflow.files.uploads import Source

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | st.fractions()
KEYS = st.text() | st.integers() | st.tuples(st.text(), st.integers())


def values(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, max_size=3)
    return some | some.map(tuple) | st.dictionaries(KEYS, inner, max_size=3) | st.sets(KEYS, max_size=3)


def again(value: Any) -> Any:
    return typed_json.decode(json.loads(json.dumps(typed_json.encode(value), allow_nan=False)))


@given(st.recursive(PLAIN, values, max_leaves=8))
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    found = again(value)
    assert (type(found), repr(found)) == (type(value), repr(value)) or found == value


def test_records_words_moments_and_schemas_come_back() -> None:
    loaded = make_schema(raters=2)
    told = (
        Person(1, "ann", "Ann"),
        BadRow(path="a.csv", row=3, item="1", reason="why", raw="x"),
        {Stage.VERIFICATION: Counter(a=1)},
        datetime(2026, 5, 4, tzinfo=UTC),
        date(2026, 5, 4),
        timedelta(hours=2),
        Path("a/b"),
        Decimal("0.10"),
        Fraction(1, 3),
        frozenset({1, "a"}),
        loaded,
        {"!": "tuple"},
    )
    assert again(told) == told
    found: LoadedSchema = again(loaded)
    assert load_text(found.text, found.guideline_text, "s").hash == loaded.hash


class Stranger:
    """No record."""


def test_classes_are_read_under_the_names_that_they_had() -> None:
    asked = {"!": "annotation_schemas.changes.rows:DecisionKind", "row": "ask_again"}
    assert typed_json.decode(asked) is ASK_AGAIN
    mean = DerivedCriterion(name="mean", mean_of=("action", "perception"))
    assert typed_json.decode(typed_json.encode(mean) | {"!": "annotation_schemas.model:DerivedCriterion"}) == mean
    for module, names in typed_json.RENAMED.items():
        for name, present in names.items():
            assert not hasattr(import_own(module), name), "nothing else may have that name"
            assert isinstance(getattr(import_own(module), present), type)


def test_nothing_else_is_written_or_made() -> None:
    for value in (Stranger(), print, object()):
        with pytest.raises(typed_json.NotWritable):
            typed_json.encode([value])
    for told in (
        {"!": "subprocess:Popen", "v": {}},
        {"!": "os:system", "v": "true"},
        {"!": "domain.typed_json:encode", "v": {}},
        {"!": "domain.typed_json:subprocess", "v": {}},
        {"!": "db.engine:Store", "v": {}},
        {"!": "../x:y", "v": {}},
    ):
        with pytest.raises((ValueError, ImportError)):
            typed_json.decode(told)


def test_a_job_that_was_stored_before_a_module_moved_is_read() -> None:
    held = {"folder": {"!": "path", "v": "/home/x"}, "names": {"!": "tuple", "v": ["a.csv"]}}
    told = {"!": "app.uploads:Source", "v": held | {"media": None, "path": None, "media_path": None}}
    assert typed_json.decode(told) == Source(Path("/home/x"), ("a.csv",))
