"""When something happens in a clip, as the key of an item: in files, votes, verdicts and models' answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from db.engine import Store
from db.tables import ItemRow, RevisionRow
from domain.states import Items, ItemState
from media.store import MediaStore
from testkit.factories import claimed, make_people
from testkit.kept_items import kept_ids
from testkit.missing_extensions import needs
from testkit.samples import write
from workflow.access.projects import create_project
from workflow.annotate import submissions
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.results import leaderboard, people_rows, project_answers, score_choices, scores

pytestmark = [pytest.mark.thorough, needs("kinds", "time_span")]

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
    made = exported(project, by=None, project="p", format="jsonl", only=kept_ids(project))
    (data,) = (text for name, text in made.files.items() if name != "manifest.json")
    rows = [json.loads(line) for line in data.splitlines()]
    assert {row["id"]: row["span"] for row in rows} == {name: KEYS[name] for name in ("opens", "stirs")}


SAID = {
    "opens": "It happens from 2 to 4 s.",  # 2 of 2 seconds: 1
    "cuts": "[5.0, 5.5]",  # 0.5 of 1: 1/2, the threshold itself
    "pours": "00:01 - 00:03",  # 1 of 3: 1/3
    "stirs": "Twice, I think.",  # no span
}
FAR = {"opens": "between 4 and 6 seconds", "cuts": "frames 5 to 6"}  # it touches the key: 0; and no seconds


def told(project: Store, home: Path, tmp_path: Path) -> project_answers.ProjectAnswers:
    """What is read of two models' answers."""
    rows = [
        {"item": item, "model": model, "text": text}
        for model, said in (("near", SAID), ("far", FAR))
        for item, text in said.items()
    ]
    path = write(tmp_path / "answers.json", rows)
    import_files(project, MediaStore(home / "media"), by=None, project="p", format="predictions", path=path)
    return project_answers.read_project(project, person=None, project="p", items=Items.ALL)


def test_models_are_scored_by_their_temporal_iou(
    project: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = told(project, home, tmp_path)
    boards = [leaderboard.sliced_scores(read, each) for each in score_choices.scores_of(read)]
    assert [each.title for each in boards] == [
        "Mean temporal IoU with the key, unreadable answers count as wrong",
        *(f"R@1, IoU from {iou}, against the key, unreadable answers count as wrong" for iou in (0.3, 0.5, 0.7)),
    ]
    # near: (1 + 1/2 + 1/3 + 0) / 4; three of four reach 0.3, two 0.5, one 0.7. far: 0, and one that cannot be read
    near = [each.whole["near"] for each in boards]
    assert [each.found.value for each in near] == pytest.approx([11 / 24, 3 / 4, 2 / 4, 1 / 4])
    assert [(each.found.n_units, sum(each.unread.values())) for each in near] == [(4, 1)] * 4
    # if the unread one were wrong, or wholly right
    assert [near[0].lowest, near[0].highest] == pytest.approx([11 / 24, (11 / 6 + 1) / 4])
    assert [near[2].lowest, near[2].highest] == pytest.approx([2 / 4, 3 / 4])
    assert [each.whole["far"].found.value for each in boards] == [0] * 4
    assert all(each.found.low <= each.found.value <= each.found.high for each in near)
    assert [each.as_row()["measure"] for each in near] == [
        "mean temporal IoU", "R@1, IoU from 0.3", "R@1, IoU from 0.5", "R@1, IoU from 0.7",
    ]  # fmt: skip
    assert boards[0].cells["near", 0].found.value == pytest.approx(11 / 24)
    assert any("The mean temporal IoU lies between 0.458 (all wrong) and 0.708" in each for each in boards[0].notes)
    (gap,) = leaderboard.gaps(read, boards[0])  # on two items: 0 - 1 and 0 - 1/2
    assert gap.difference.value == pytest.approx(-0.75)

    stage = "  answering: {people: 2, criteria: [{name: said, kind: text, prompt: When?}]}\n"
    asked = load_text(
        MOMENTS.replace(
            "span, kind: time_span, max_length: 2, secret_in: [",
            "span, kind: time_span, max_length: 2, secret_in: [answering, ",
        )
        + stage,
        "",
        "moments",
    )
    answered = replace(read, schema=asked.schema_, respondents=frozenset({"near", "far"}))
    _, people = people_rows.with_people(answered, scores.score_answers(answered, score_choices.Scores("key")))
    # of each item, the mean of two IoUs; no vote, which would have 0 where people are less than exactly right
    added = people.values[len(answered.answers) :]
    assert sorted(added) == pytest.approx(sorted([(1 + 0) / 2, (1 / 2 + 0) / 2, 1 / 3, 0]))

    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    said = CliRunner().invoke(cli, ["result", "show", "p", "--items", "all", "--scores", "key"]).output
    assert "R@1, IoU from 0.7, against the key" in said
    assert "0.458" in said


def test_answers_that_cannot_be_read_may_be_left_out(home: Path, tmp_path: Path, store: Store) -> None:
    create_project(store, name="p", loaded=load_text(MOMENTS + "report: {unreadable: left_out}\n", "", "moments"))
    rows = [{"id": name, "dimension": "acts", "query": name, "span": key} for name, key in KEYS.items()]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="jsonl", path=path)
    read = told(store, home, tmp_path)
    near = leaderboard.sliced_scores(read, score_choices.Scores("key")).whole["near"]
    assert near.found.value == pytest.approx(11 / 18)  # of the three that can be read
    assert (near.found.n_units, near.left_out) == (3, {"format violation: no answer, or several answers": 1})
