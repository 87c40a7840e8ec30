"""Records as JSON: what is written is read as an equal value, and nothing else is made of a text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas.loader import load_text
from annotation_schemas.model import DerivedCriterion, LoadedSchema
from domain import extensions, typed_json
from domain.module_names import import_own
from domain.records import BadRow, Person
from domain.states import Stage
from testkit.factories import make_schema
from testkit.missing_extensions import needs_every
from workflow.files.uploads import Source

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | st.fractions()
STORED: dict[str, dict[str, list[Any]]] = json.loads((Path(__file__).parent / "stored_classes.json").read_text("utf-8"))
"""Classes by kind and name, with their fields or values."""
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
    mean = DerivedCriterion(name="mean", mean_of=("action", "perception"))
    assert typed_json.decode(typed_json.encode(mean) | {"!": "annotation_schemas.model:Derived"}) == mean
    for module, names in typed_json.RENAMED.items():
        for name, present in names.items():
            assert not hasattr(import_own(module), name), "nothing else may have that name"
            assert isinstance(getattr(import_own(module), present), type)
    for module, present in typed_json.MOVED.items():
        with pytest.raises(ModuleNotFoundError):
            import_own(module)
        import_own(present)


def test_a_class_that_went_to_an_extension_is_read_there(monkeypatch: pytest.MonkeyPatch) -> None:
    classes = [("workflow.results.earlier", "Was", Person)]
    record = extensions.Extension("theirs", "Theirs", former_classes=lambda: classes)
    monkeypatch.setattr(extensions, "installed", lambda: {"theirs": record})
    told = typed_json.encode(Person(1, "ann", "Ann")) | {"!": "workflow.results.earlier:Was"}
    assert typed_json.decode(told) == Person(1, "ann", "Ann")


def _told(kind: str, fields: list[Any]) -> Iterator[dict[str, Any]]:
    if kind == "enum":
        yield from ({"v": value} for value in fields)
    elif kind == "tuple":
        yield {"v": [0] * len(fields)}
    else:
        yield {"v": dict.fromkeys(fields, 0), "set": fields, "own": None}


@needs_every("figures")
@needs_every("jobs")
@pytest.mark.parametrize("kind", STORED)
def test_every_record_of_jobs_that_were_stored_before_classes_were_renamed_is_read(kind: str) -> None:
    """The file lists the records that inputs and results of jobs had in November 2026, with their fields."""
    for name, members in STORED[kind].items():
        for told in _told(kind, members):
            found = typed_json.decode({"!": name, **told})
            assert (
                found == told["v"]
                if kind == "enum"
                else [getattr(found, each) for each in members] == [0] * len(members)
            )


def test_a_schema_that_was_stored_before_a_stage_came_has_the_default_for_it() -> None:
    loaded = make_schema()
    told = typed_json.encode(loaded)
    stages = told["v"]["schema_"]["v"]["stages"]
    gone = {"verification_8", "verification_9"}
    stages["v"] = {name: value for name, value in stages["v"].items() if name not in gone} | {"earlier": 1}
    found: LoadedSchema = typed_json.decode(told)
    assert found == loaded
    assert found.schema_.stages.verification_9 is None


def test_a_record_that_was_stored_before_a_field_came_has_the_default_for_it() -> None:
    told = typed_json.encode(Source(Path("/home/x"), ("a.csv",)))
    assert typed_json.decode({**told, "v": {"folder": told["v"]["folder"]}}) == Source(Path("/home/x"))
    with pytest.raises(ValueError, match="the stored Source has no field folder"):
        typed_json.decode({**told, "v": {}})


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
