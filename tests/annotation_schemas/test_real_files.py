"""The authors' own items fit the schemas that we wrote of their protocols."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import dimension_named, fields_of, item_keys
from annotation_schemas.kinds import check_fields, refused_wording, unheld_wording
from annotation_schemas.loader import load_schema
from tests.paths import shared

IRREGULAR = {
    # One of the 200 items has a key concept that is an empty text.
    "pca_bench": ["Key concepts: fill in every entry, or remove empty entries."],
}


@pytest.mark.parametrize(
    ("name", "files", "n_items"),
    [
        ("egothink", "egothink/data/**/annotations.json", 2 * 100 + 7 * 50),  # README of the data
        ("egoplan", "egoplan/EgoPlan_validation.json", 3355),  # Table 2
        ("pca_bench", "pca_bench/*-meta.json", 100 + 100),  # README of the data
    ],
)
def test_every_item_fits(name: str, files: str, n_items: int) -> None:
    schema = load_schema(shipped()[name]).schema_
    records = [record for path in _files(files) for record in json.loads(path.read_text(encoding="utf-8"))]
    assert len(records) == n_items
    problems = [check_fields(schema, fields_of(item_keys(name), schema, record)) for record in records]
    assert [problem.message for each in problems for problem in each] == IRREGULAR.get(name, [])


def test_the_domains_of_pca_bench_are_its_dimensions() -> None:
    schema = load_schema(shipped()["pca_bench"]).schema_
    records = [record for path in _files("pca_bench/*-meta.json") for record in json.loads(path.read_text())]
    found = {getattr(dimension_named(schema, record["domain"]), "id", None) for record in records}
    assert found == {"autonomous_driving", "domestic_robot"}


def test_few_published_items_break_a_rule_of_wording_and_none_is_refused() -> None:
    said: dict[str, list[str]] = {}
    for name, files, key in (
        ("egothink", "egothink/data/**/annotations.json", "question"),
        ("egoplan", "egoplan/EgoPlan_validation.json", "sample_id"),
        ("pca_bench", "pca_bench/*-meta.json", "question"),
    ):
        schema = load_schema(shipped()[name]).schema_
        for record in (record for path in _files(files) for record in json.loads(path.read_text(encoding="utf-8"))):
            fields = fields_of(item_keys(name), schema, record)
            assert refused_wording(schema, fields) == []
            for each in unheld_wording(schema, fields):
                said.setdefault(f"{name} {each.rule}", []).append(str(record[key]))
    questions = said.pop("egothink person")
    assert len(questions) == 19  # of 550: 17 speak of no one ("How to get outside?")
    assert [each for each in questions if re.search(r"\b(I|me|my|you)\b", each)] == [
        "Do you see a cup of milk on my left?",
        "How do you get to the chair with the green cushion?",
    ]
    assert said == {
        "egothink ends_with": ["What am I going to use? Laptop or iPad"],
        "egoplan no_rewording": ["1597"],  # choices B and D are "count"
    }


def _files(pattern: str) -> list[Path]:
    return sorted(shared("data").glob(pattern))
