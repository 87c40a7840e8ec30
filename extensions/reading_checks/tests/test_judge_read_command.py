"""``touchstone reading check --judge``: a file of replies, line by line, and the count at its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from domain.errors import InvalidFileError
from tests.paths import ROOT, shared

pytestmark = pytest.mark.thorough


def case(reply: str, **more: Any) -> dict[str, Any]:
    return {"id": "a.b.1", "parser": "double_brackets", "values": [0, 0.5, 1], "reply": reply, **more}


def told(path: Path) -> list[str]:
    result = CliRunner().invoke(cli, ["reading", "check", "--judge", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.splitlines()


def written(path: Path, *some: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in some), encoding="utf-8")
    return path


def test_each_line_is_told_and_the_last_one_counts(tmp_path: Path) -> None:
    unreadable = {"outcome": "unreadable"}
    path = written(
        tmp_path / "replies.jsonl",
        case("Rating: [[0.5]]", finish_reason="stop", expected=[{"scored": {"score": 0.5}}]),
        case("Rating: [[0.5]]", finish_reason="length", expected=[unreadable]),
        case("Rating: [[1]]", expected=[{"scored": {"score": 0}}, unreadable]),
        case("Rating:\t[[7]]", expected=[{"scored": {"score": 1}}]),
        case("Rating: [[1.0]]", expected=[{"scored": {"score": 1}}]),
        case("no expectation, and no verdict"),
    )
    assert told(path) == [
        'a.b.1\tscored\tscore=0.5\t"0.5"',
        "a.b.1\ttruncated\t\t\tThe reply reached the maximum length and was cut off.",
        'a.b.1\tscored\tscore=1\t"1"\t\tSILENTLY WRONG',
        'a.b.1\tout_of_range\t\t"7"\t“7” is not one of the values 0, 0.5, 1.\tNOT AS EXPECTED',
        'a.b.1\tscored\tscore=1\t"1.0"',
        "a.b.1\tunparseable\t\t\tThe reply has no verdict in double brackets.",
        "As expected: 3. Not as expected: 2, including 1 silently wrong.",
    ]


def test_nothing_is_counted_where_nothing_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(case("Rating: [[1]] \ud800")).encode() + b"\n\n")
    assert told(path) == ['a.b.1\tscored\tscore=1\t"1"']


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "replies.jsonl is empty"),
        (b"\n \n", "replies.jsonl is empty"),
        (b"{}\n", "line 1: `parser` is missing"),
        (b"\n[1]\n", "line 2: the line is not a JSON object"),
        (b'{"parser": ', "line 1: the line is not valid JSON (Expecting value, column 12)"),
        (b"[" * 100_000, "line 1: the line is not valid JSON (too many nested levels"),
        (b"\xff\xfe{\x00}\x00", "line 1: the file is UTF-16"),
        (b'{"parser": "\xff"}', "line 1: the line is not UTF-8"),
        (b" " * 4_000_001, "line 1: the line is longer than 4,000,000 bytes"),
        (b'{"parser": "first_line"}', "unknown parser 'first_line'; choose one of double_brackets, "),
        (b'{"parser": "last_line", "values": "yes"}', "`values` must be a list"),
        (b'{"parser": "last_line", "values": ["yes"], "reply": 1}', "`reply` must be text"),
        (b'{"parser": "last_line", "values": ["yes"], "reply": "", "expected": {}}', "`expected` must be a list"),
        (b'{"parser": "last_line", "values": ["yes"], "reply": "", "expected": [{"read": "B"}]}', "needs `scored`"),
        (
            b'{"parser": "last_line", "values": ["yes"], "reply": "", "finish_reason": 1}',
            "`finish_reason` must be text",
        ),
    ],
)
def test_what_does_not_fit_is_said_with_file_and_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError) as refused:
        told(path)
    assert said in str(refused.value)
    assert "replies.jsonl" in str(refused.value)


def test_goal_on_hard_replies() -> None:
    """Silently wrong at most 1 in 100, not as expected at most 4 in 100: on these it is none."""
    assert (
        told(shared("data", "replies", "judge_replies.jsonl"))[-1]
        == "As expected: 147. Not as expected: 0, including 0 silently wrong."
    )
    ours = told(ROOT / "tests" / "inference" / "judge_replies.jsonl")
    assert ours[-1] == f"As expected: {len(ours) - 1}. Not as expected: 0, including 0 silently wrong."
