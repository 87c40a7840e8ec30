"""Every schema that comes along: it loads, draws and accepts answers. A new file joins by being there."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from annotation_schemas import registry, shipped
from annotation_schemas.kinds import check_answers, check_fields, is_shown, options_of
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import ItemField, LoadedSchema
from domain.errors import NotAvailableError

SCHEMAS = [pytest.param(load_schema(path), id=name) for name, path in shipped().items()]


def some_value(field: ItemField, fields: dict[str, Any]) -> Any:
    """A value that fits the field; the fields before it are there."""
    if field.kind == "text_list":
        return [f"entry {number}" for number in range(field.length or max(field.min_length or 0, 3))]
    return {
        "text": "a text that is long enough",
        "long_text": "a text\nof two lines",
        "integer": 7,
        "choice": field.options[0].value if field.options else None,
        "option_of": fields.get(field.field or "", [None])[0],
        "options_of": fields.get(field.field or "", [])[:2],
        "order_of": list(reversed(fields.get(field.field or "", []))),
        "segments": [{"narration_text": "open door", "start_frame": 1, "stop_frame": 9}],
        "json": {"any": ["thing"]},
        "boxes": [
            {**({"label": field.options[0].value} if field.options else {}), "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}
        ],
        "marks": [{"number": 1, "x": 0.5, "y": 0.25}],
    }[field.kind]


def some_fields(loaded: LoadedSchema) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    instead = {field.drawn for field in loaded.schema_.item.fields}  # of forms whose answer is no text
    told = [field for field in loaded.schema_.item.fields if field.name not in instead]
    for field in sorted(told, key=lambda field: field.field is not None):
        fields[field.name] = some_value(field, fields)
    return fields


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_is_the_file_that_its_name_says(loaded: LoadedSchema) -> None:
    assert shipped()[loaded.schema_.name].read_text(encoding="utf-8") == loaded.text


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_loads_from_its_stored_texts_with_the_same_hash(loaded: LoadedSchema) -> None:
    assert load_text(loaded.text, loaded.guideline_text, "stored") == loaded


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_every_dimension_is_defined(loaded: LoadedSchema) -> None:
    assert all(dimension.definition.endswith(".") for dimension in loaded.schema_.dimensions)


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_an_item_that_fits_has_no_problems(loaded: LoadedSchema) -> None:
    assert check_fields(loaded.schema_, some_fields(loaded)) == []


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_an_empty_item_has_a_problem_for_every_required_field(loaded: LoadedSchema) -> None:
    required = [field.name for field in loaded.schema_.item.fields if field.required]
    assert [problem.name for problem in check_fields(loaded.schema_, {})] == required


@pytest.mark.parametrize("stage", ["verification", "grading"])
@pytest.mark.parametrize("loaded", SCHEMAS)
def test_every_answer_that_is_offered_is_accepted(loaded: LoadedSchema, stage: str) -> None:
    fields = some_fields(loaded)
    criteria = registry.criteria_of(loaded.schema_, stage)
    for position in range(max((len(options_of(each, fields)) for each in criteria), default=0)):
        values: dict[str, Any] = {}
        reasons: dict[str, str] = {}
        for criterion in criteria:
            if not is_shown(criterion, values):
                continue
            options = options_of(criterion, fields)
            option = options[min(position, len(options) - 1)] if options else None
            offered = [each.value for each in options]
            composed: dict[str, Any] = {
                "boxes": [],
                "marks": [{"number": 1, "x": 0.5, "y": 0.25}],
                "multi_choice": offered[: position + 1],
                "number": criterion.min or 0,
                "ordering": [*offered[position:], *offered[:position]],
                "property_list": [{"name": name, "value": "yes"} for name in offered],
                "spans": [],
                "plan": [{"step": 0, "tag": option.value}] if option else [],
            }
            values[criterion.name] = composed.get(criterion.kind, option.value if option else "some text")
            if criterion.kind not in composed and option and option.reasons:
                reasons[criterion.name] = str(option.reasons[0].value)
        assert check_answers(criteria, values, reasons, fields) == []


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_the_guideline_speaks_about_every_working_stage(loaded: LoadedSchema) -> None:
    for stage in ("authoring", "verification", "adjudication", "grading"):
        if getattr(loaded.schema_.stages, stage) is not None:
            assert f"\n## {stage.capitalize()}\n" in loaded.guideline_text


@pytest.mark.parametrize("loaded", SCHEMAS)
def test_the_stages_that_people_work_in_can_be_started(loaded: LoadedSchema) -> None:
    away = {need.stage for need in registry.needs(loaded.schema_) if need.row.away}
    for stage in ("authoring", "verification", "adjudication", "grading"):
        missing = pytest.raises(NotAvailableError, match="belongs to the extension") if stage in away else nullcontext()
        with missing:
            registry.require_available(loaded.schema_, stage)
