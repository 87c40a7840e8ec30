"""``touchstone reading check``: a file of answers, line by line, and the count at its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import InvalidFileError


def case(answer: Any, **more: Any) -> dict[str, Any]:
    return {"id": "a", "kind": "option", "options": ["cup", "plate"], "answer": answer, **more}


def told(path: Path) -> list[str]:
    result = CliRunner().invoke(cli, ["reading", "check", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.splitlines()


def written(path: Path, *some: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in some), encoding="utf-8")
    return path


def test_each_line_is_told_and_the_last_one_counts(tmp_path: Path) -> None:
    unreadable, refused, cup = {"outcome": "unreadable"}, {"outcome": "refused"}, {"read": "cup"}
    path = written(
        tmp_path / "answers.jsonl",
        case("The answer is A.", expected=[cup]),
        case("B", expected=[cup, unreadable]),
        case("A or B", expected=[cup]),
        case("", expected=[unreadable]),
        case("<think>A", expected=[unreadable]),
        case("I cannot see the image.", expected=[refused]),
        case("I cannot see the image.", expected=[unreadable]),
        case("A\tor\nB", expected=[refused]),
        case("B, A", kind="multi", expected=[{"read": ["plate", "cup"]}]),
        case("5 cups", kind="number", options=None, expected=[{"read": 5}]),
        case("no expectation"),
    )
    assert told(path) == [
        'a\tread\t"cup"\t"A"\trule: sentence',
        'a\tread\t"plate"\t"B"\trule: whole\tSILENTLY WRONG',
        "a\tunreadable\t\t\tThe text states several answers, or no clear answer.\tNOT AS EXPECTED",
        "a\tempty\t\t\tThe answer has no words.",
        "a\ttruncated\t\t\tThe reasoning block does not end, so the text has no answer.",
        'a\trefused\t\t"cannot see the image"\tThe model says that it will not or cannot answer.',
        'a\trefused\t\t"cannot see the image"\tThe model says that it will not or cannot answer.\tNOT AS EXPECTED',
        "a\tunreadable\t\t\tThe text states several answers, or no clear answer.\tNOT AS EXPECTED",
        'a\tread\t["cup", "plate"]\t"B, A"\trule: whole',
        'a\tread\t5.0\t"5"\trule: whole',
        "a\tunreadable\t\t\tThe text does not state an answer that Touchstone can read.",
        "As expected: 6. Not as expected: 4, including 1 silently wrong.",
    ]


def test_a_line_that_does_not_fit_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "answers.jsonl",
        case("A", kind="sum"),
        case("A", options=None),
        case("A", options=[1, 2]),
        case(7),
        case("A", expected=[{"red": "cup"}]),
        case("A", expected=[{"read": "cup"}]),
    )
    lines = told(path)
    assert [line.split("\t")[1] for line in lines[:-1]] == ["not a case"] * 5 + ["read"]
    assert "answers.jsonl, line 1: `kind` is 'sum'" in lines[0]
    assert "line 2: the kind" in lines[1]
    assert lines[-1] == "As expected: 1. Not as expected: 1, including 0 silently wrong."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"{\n", "line 1: the line is not valid JSON"),
        (b"\n[1]\n", "line 2: the line is not a JSON object"),
        (b"\xff\xfe{", "UTF-16"),
    ],
)
def test_a_file_that_is_no_such_file_is_refused_in_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=sentence):
        told(path)
