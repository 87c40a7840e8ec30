"""The JSON Schema for editors is current, knows the short forms, and accepts every schema that comes along."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from annotation_schemas import shipped
from annotation_schemas.json_schema import KEPT, json_schema, json_schema_text
from annotation_schemas.kinds import away_kinds
from testkit.missing_extensions import needs_every
from tests.paths import ROOT

FIFTH = ROOT / "tests" / "annotation_schemas" / "files" / "fifth_benchmark.yaml"


def errors(data: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(json_schema()).iter_errors(data)]


@pytest.mark.skipif(bool(away_kinds()), reason="the kept file has the kinds of all extensions that come along")
def test_the_kept_file_is_current() -> None:
    assert KEPT.read_text(encoding="utf-8") == json_schema_text(), "run make docs"


@pytest.mark.thorough
def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(json_schema())


@needs_every("formats")
@pytest.mark.parametrize("path", [*shipped().values(), FIFTH], ids=lambda path: path.stem)
def test_it_accepts_the_schemas(path: Any) -> None:
    assert errors(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", shipped().values(), ids=shipped().keys())
def test_every_schema_names_it_for_editors(path: Any) -> None:
    assert path.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=./schema.json\n")


@needs_every("schema_keys")
@needs_every("formats")
def test_it_refuses_an_unknown_key_and_an_unknown_row() -> None:
    data = yaml.safe_load(shipped()["egoplan"].read_text(encoding="utf-8"))
    data["surprise"] = 1
    data["stages"]["verification"]["keep"]["rule"] = "unanimus"
    assert len(errors(data)) == 2
