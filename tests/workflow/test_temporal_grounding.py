"""When something happens in a clip, as the key of an item: from the file to votes and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import ItemRow, RevisionRow
from domain.states import ItemState, Stage
from media.store import MediaStore
from testkit.factories import claimed, make_people
from workflow.access.projects import create_project
from workflow.annotate import gold_making, submissions
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.files.release import release

pytestmark = pytest.mark.thorough

MOMENTS = """
name: moments
version: 1
title: When it happens
source: {format: jsonl, id: id}
dimensions: [{id: acts, title: Acts}]
item:
  assets: [{role: clip, kind: clip, min: 0}]
  fields:
    - {name: query, kind: text}
    - {name: span, kind: time_span, max_length: 2, secret_in: [verification]}
stages:
  verification:
    raters: 3
    criteria: [{name: when, kind: time_span, prompt: When?, max: 2, tolerance: {iou: 0.5}}]
    gold: {rate: 0.1}
    keep: {rule: majority, criterion: when, key: span}
  adjudication: {reasons: [unclear]}
"""


def span(start: float, end: float) -> dict[str, float]:
    return {"start": start, "end": end}


KEYS: dict[str, list[Any]] = {"opens": [span(2, 4)], "cuts": [span(5, 6)], "pours": [span(0, 2)], "stirs": [span(1, 3)]}


@pytest.fixture
def project(store: Store, home: Path, tmp_path: Path) -> Store:
    create_project(store, name="p", loaded=load_text(MOMENTS, "", "moments"))
    rows = [{"id": name, "dimension": "acts", "query": name, "span": key} for name, key in KEYS.items()]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="jsonl", path=path)
    return store


def test_votes_decide_by_their_overlap_with_the_key(project: Store) -> None:
    votes: dict[str, list[Any]] = {
        "opens": [[span(2, 3)], [span(2.5, 4.5)], [span(8, 9)]],  # IoU 1/2, 1.5/2.5 and 0: two of three are right
        "cuts": [[span(8, 10)], [span(8.5, 10)], [span(5, 6)]],  # 1.5/2 of each other, and not of the key
        "pours": [[span(0, 2)], [span(3, 4)], []],  # all differ
        "stirs": [[span(1, 1.5), span(2, 3)], [span(1, 3)], [span(1, 3)]],  # 1.5/2 together, and the key twice
    }
    people = make_people(project, "ann", "bob", "cem")
    for at, person in enumerate(people):
        for _ in votes:
            view = claimed(project, person)
            values = {"when": votes[view.fields["query"]][at]}
            submissions.submit(project, person=person, task=view.id, key=view.id, values=values)
    with project.read() as session:
        states = dict(session.exec(select(ItemRow.external_id, ItemRow.state)).all())
        kept = [content["span"] for content in session.exec(select(RevisionRow.content)).all()]
    assert states == {
        "opens": ItemState.KEPT,
        "cuts": ItemState.REJECTED,
        "pours": ItemState.IN_ADJUDICATION,
        "stirs": ItemState.KEPT,
    }
    assert kept == list(KEYS.values()), "votes change no key"
    assert check(project) == []
    made = release(project, by=None, project="p", format="jsonl", verified=True)
    (data,) = (text for name, text in made.files.items() if name != "manifest.json")
    rows = [json.loads(line) for line in data.splitlines()]
    assert {row["id"]: row["span"] for row in rows} == {name: KEYS[name] for name in ("opens", "stirs")}
    gold_making.draw(project, by=None, project="p", stage=Stage.VERIFICATION, n=2)
    for line in gold_making.lines(project, by=None, project="p", stage=Stage.VERIFICATION):
        assert line.known.answers == {"when": KEYS[line.known.item]}
