"""Which plans succeed, and scores in aspects, from files: what is read, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import InvalidFileError
from extensions.plans.success_files import AspectScore, PlanOutcome, read_aspect_scores, read_outcomes


def file(folder: Path, text: str, name: str = "s.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_outcomes_in_any_order_of_columns(tmp_path: Path) -> None:
    path = file(tmp_path, "success,item,model,more\n1,plan 1, gpt ,x\n0.5,plan 1,llava,\n")
    assert read_outcomes(path) == [PlanOutcome(2, "gpt", "plan 1", "", 1.0), PlanOutcome(3, "llava", "plan 1", "", 0.5)]
    tabs = file(tmp_path, "task\tsuccess\nset, the table\t0\n", "s.tsv")
    assert read_outcomes(tabs) == [PlanOutcome(2, "", "", "set, the table", 0.0)]


def test_scores_of_answers_and_means(tmp_path: Path) -> None:
    path = file(tmp_path, "model,dimension,score,task\ngpt,type,0.5,cook\ngpt,type,1,wash\n")
    assert read_aspect_scores(path) == [
        AspectScore(2, "gpt", "type", "", "cook", 0.5),
        AspectScore(3, "gpt", "type", "", "wash", 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "model,succes\na,1\n",
            "The header of s.csv does not have the column success, and at least one of model, item, task",
        ),
        ("success\n1\n", "at least one of model, item, task"),
        ("model,success\na,yes\n", "row 2: success is 'yes'. Give a number from 0 to 1"),
        ("model,success\na,1.2\n", "row 2: success is '1.2'"),
        ("model,success\na,nan\n", "row 2: success is 'nan'"),
        ("model,success\na\n", "row 2: success is ''"),
        ("model,success\n,1\n", "row 2: model is empty"),
        (
            "model,item,success\na,1,0\nb,1,0\na,1,1\n",
            "row 4: model a, item 1 is already in row 2. Delete one of the two rows",
        ),
    ],
)
def test_outcomes_that_do_not_fit(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InvalidFileError, match=why):
        read_outcomes(file(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model,score\na,1\n", "header of s.csv does not have the columns model, dimension, score"),
        ("model,dimension,score\na,type,1\na,type,0\n", "row 3: model a, dimension type is already in row 2"),
        ("model,dimension,score\na,,1\n", "row 2: dimension is empty"),
        ("model,dimension,score\na,type,inf\n", "row 2: score is 'inf'. Give a number"),
    ],
)
def test_scores_that_do_not_fit(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InvalidFileError, match=why):
        read_aspect_scores(file(tmp_path, text))
