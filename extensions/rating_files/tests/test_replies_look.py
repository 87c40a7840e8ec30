"""A look at replies says beforehand what their import then does, and stores nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.judge_templates import parse_template
from db.engine import Store
from domain.errors import InvalidFileError
from extensions.rating_files.import_judgements import import_judgements
from media.store import MediaStore
from testkit.factories import make_items, make_predictions, make_project
from workflow.files.rows_look import RowsLook, look_at_rows
from workflow.runs import judge_plans

pytestmark = pytest.mark.both_databases

TEMPLATE = """---
id: how_good
version: 1
meaning: how good it is
variables: [question]
parser: double_brackets
values: [0, 0.5, 1]
---
{question}
"""


def lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def counted(found: RowsLook) -> tuple[int, int, int, int]:
    return found.new, len(found.changed), found.equal, len(found.bad)


def test_replies_are_read_as_they_will_be(store: Store, home: Path, tmp_path: Path) -> None:
    make_project(store)
    ids = make_items(store, 2)
    make_predictions(store, ids, models=["m"])
    template = parse_template(TEMPLATE, name="t")
    plan = judge_plans.plan_of_project(
        store, by=None, project="p", template=template, criteria={"score": "score"}, asked_here=False
    )
    about: dict[str, Any] = {"by": None, "project": "p", "plan": plan, "format": "judgements"}

    def looked(path: Path) -> RowsLook:
        return look_at_rows(store, MediaStore(home), path=path, **about)

    replies = [
        {"item": f"colour/{n}", "model": "m", "judge": "j", "text": text, "score": score}
        for n, (text, score) in enumerate((("[[1]]", 1), ("[[0.5]] or so", 0)))
    ]
    first = lines(tmp_path / "1.jsonl", replies[:1])
    found = looked(first)
    assert counted(found) == (1, 0, 0, 0)
    assert [list(row) for row in found.first] == [["j", "colour/0", "m", "[[1]]", "score 1"]]
    assert import_judgements(store, path=first, **about).replies == 1, "the look has made no run"
    found = looked(lines(tmp_path / "2.jsonl", [*replies, {**replies[0], "item": "gone"}]))
    assert counted(found) == (1, 0, 1, 1)
    assert "Readings that agree with the scores in the file: 0 of 1." in found.notes
    found = looked(lines(tmp_path / "3.jsonl", [{**replies[0], "text": "[[0]]"}]))
    assert counted(found) == (0, 1, 0, 0)
    assert not found.comes(skip_bad=True)
    with pytest.raises(InvalidFileError, match=r"has a different reply from .* about colour/0"):
        import_judgements(store, path=tmp_path / "3.jsonl", skip_bad=True, **about)
