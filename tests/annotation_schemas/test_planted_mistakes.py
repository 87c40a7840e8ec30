"""Mistakes that authors of new benchmarks make, in three schemas: each is told by line and key, with what to do."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.loader import examine
from domain.errors import SchemaError
from testkit.missing_extensions import needs
from tests.paths import ROOT

PLANTED = ROOT / "tests" / "annotation_schemas" / "planted"
MOMENTS = [
    needs("schema_keys", "stages.*.gold"),
    needs("schema_keys", "stages.*.qualification"),
    needs("kinds", "time_span"),
]
SCHEMAS = ("charts", "several", pytest.param("moments", marks=MOMENTS))
MISTAKES = tomllib.loads((PLANTED / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the guidelines, where a file is written again and again."""
    made = tmp_path_factory.mktemp("planted") / "schemas"
    shutil.copytree(PLANTED, made)
    return made


def lines_about(path: Path) -> list[str]:
    """What ``touchstone schema check`` says is wrong with a file, or may not be meant."""
    try:
        return list(examine(path).warnings)
    except SchemaError as error:
        return str(error).splitlines()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_schemas_themselves_are_without_a_word(schema: str) -> None:
    assert lines_about(PLANTED / f"{schema}.yaml") == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_line_ends_of_other_systems_are_no_mistake(schema: str, folder: Path) -> None:
    path = folder / "mine.yaml"
    path.write_bytes((PLANTED / f"{schema}.yaml").read_bytes().replace(b"\n", b"\r\n"))
    assert lines_about(path) == []


def test_there_are_a_hundred_different_ones() -> None:
    assert len({mistake["what"] for mistake in MISTAKES}) == len(MISTAKES) >= 100


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["what"]).replace(" ", "_"))
def test_a_mistake_is_told_with_its_line_its_key_and_what_to_do(mistake: dict[str, Any], folder: Path) -> None:
    check_mistake(mistake, folder)


def check_mistake(mistake: dict[str, Any], folder: Path) -> None:
    path, text = folder / "mine.yaml", (PLANTED / f"{mistake['schema']}.yaml").read_text(encoding="utf-8")
    if "find" in mistake:
        assert mistake["find"] in text
        text = text.replace(mistake["find"], mistake["put"], 1)
    else:
        text = mistake.get("put", text)
    path.write_bytes(text.encode(mistake.get("encoding", "utf-8")))
    lines = lines_about(path)
    key = f"{mistake['key']}: " if mistake["key"] else ""
    begins = tuple(f"{path}:{mistake['line']}: {level}{key}" for level in ("", "warning: "))
    assert any(line.startswith(begins) and mistake["says"] in line for line in lines), lines
