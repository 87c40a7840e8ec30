"""Real judges' replies from files: read by us, counted as their authors counted them, and compared with people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.judge_templates import parse_template, shipped
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from domain.errors import InvalidFileError
from domain.judging import JudgePlan, ReplyOutcome
from domain.run_kinds import RunKind
from domain.states import Stage
from extensions.rating_files.import_judgements import import_judgements
from media.store import MediaStore
from testkit.factories import make_predictions, make_project
from tests.agreement.published import llmbar, pandalm, write_csv
from tests.paths import ROOT, shared
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.files.import_files import import_files
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import raters_of, ratings_of
from workflow.runs import judge_plans, judge_readings, run_views

SCHEMA = """
name: pairs
version: 1
title: Pairs
dimensions: [{id: pair, title: Pair, definition: "Two answers."}]
item:
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 3
    criteria: [{name: preference, kind: choice, prompt: "Which?", options: [OPTIONS]}]
    keep: {rule: unanimous, criterion: preference, value: FIRST}
  grading:
    raters: 3
    criteria: [{name: verdict, kind: choice, prompt: "Against the reference?", options: [OPTIONS]}]
"""
TEMPLATE = """---
id: pairs_judge
version: 1
meaning: which is better
variables: [question]
parser: PARSER
values: [VALUES]
mirror: {MIRROR}
---
{question}
"""


def project(store: Store, names: Sequence[str], *values: str) -> None:
    options = ", ".join(f'{{value: "{value}", label: "{value}"}}' for value in values)
    text = SCHEMA.replace("OPTIONS", options).replace("FIRST", f'"{values[0]}"')
    make_project(store, loaded=load_text(text, "", "pairs.yaml"))
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = [
            authoring.NewItem(external_id=name, dimension="pair", fields={"question": f"q {name}"}) for name in names
        ]
        authoring.add_items(session, access=access, new=new, now=store.now())


def plan(store: Store, parser: str, *values: str, criterion: str = "preference", mirror: str = "") -> JudgePlan:
    listed = ", ".join(f'"{value}"' for value in values)
    text = TEMPLATE.replace("PARSER", parser).replace("VALUES", listed).replace("MIRROR", mirror)
    template = parse_template(text, name="t")
    return judge_plans.plan_of_project(
        store, by=None, project="p", template=template, criteria={"score": criterion}, asked_here=False
    )


def lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def counted(store: Store) -> dict[str, dict[ReplyOutcome, int]]:
    found = run_views.runs_of(store, by=None, project="p", kind=RunKind.JUDGE)
    return {
        view.name: dict(counts)
        for view in found
        for counts in judge_readings.verdicts_of(store, by=None, run=view.id).values()
    }


@pytest.mark.thorough
def test_wildvision_from_its_own_files(store: Store, tmp_path: Path) -> None:
    path = shared(
        "data", "wildvision", "model_judgements", "judge_gpt-4o_reference_claude-3-sonnet-20240229", "aria.jsonl"
    )
    answers = shared("data", "wildvision", "model_answers", "aria.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in answers]
    scale = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
    project(store, [record["question_id"] for record in told], *scale)
    predictions = lines(
        tmp_path / "answers.jsonl",
        [{"item": record["question_id"], "model": record["model"], "text": record["output"]} for record in told],
    )
    media = MediaStore(tmp_path / "media")
    import_files(store, media, by=None, project="p", format="predictions", path=predictions)
    asked = plan(store, "double_brackets", *scale, criterion="verdict")
    done = import_judgements(store, by=None, project="p", path=path, plan=asked)
    assert (done.replies, done.repeated) == (499, 0)
    assert counted(store) == {"gpt-4o": {ReplyOutcome.SCORED: 493, ReplyOutcome.UNPARSEABLE: 6}}
    rated = Counter(row.value for row in ratings_of(store, project="p", stage=Stage.GRADING))
    assert rated == {"B>>A": 88, "B>A": 252, "A=B": 41, "A>B": 85, "A>>B": 27}  # its README; nulls are no ties
    again = import_judgements(store, by=None, project="p", path=path, plan=asked)
    assert (again.replies, again.repeated) == (0, 499)
    with pytest.raises(InvalidFileError, match="with another prompt or parser"):
        import_judgements(store, by=None, project="p", path=path, plan=replace(asked, template_hash="another"))


@pytest.mark.thorough
def test_pandalm_next_to_its_three_people(store: Store, tmp_path: Path) -> None:
    told = json.loads(shared("data", "pandalm", "gpt-3.5-turbo-testset-v1.json").read_text(encoding="utf-8"))
    values = ("0", "1", "2")
    project(store, [str(record["idx"]) for record in told], *values)
    people = write_csv([replace(row, value=str(row.value)) for row in pandalm()], tmp_path / "people.csv")
    import_files(store, MediaStore(tmp_path / "media"), by=None, project="p", format="ratings", path=people)
    replies = lines(
        tmp_path / "gpt.jsonl",
        [
            {
                "idx": record["idx"],
                "judge": "gpt-3.5",
                "text": {"Tie": "0"}.get(record["gpt_result"], record["gpt_result"]),
            }
            for record in told
        ],
    )
    import_judgements(store, by=None, project="p", path=replies, plan=plan(store, "last_line", *values))
    assert counted(store) == {"gpt-3.5": {ReplyOutcome.SCORED: 974, ReplyOutcome.UNPARSEABLE: 25}}
    raters = raters_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    assert (list(raters.judges), list(raters.from_files)) == (["gpt-3.5"], ["annotator1", "annotator2", "annotator3"])
    measured = agreement_of(
        store,
        person=None,
        project="p",
        stage=Stage.VERIFICATION,
        raters=["annotator1", "annotator2"],
    )
    kappa = next(each for each in measured if each.statistic == "cohen_kappa")
    assert round(kappa.value or 0, 3) == 0.852  # its README
    with_judge = agreement_of(
        store, person=None, project="p", stage=Stage.VERIFICATION, raters=["annotator1", "gpt-3.5"]
    )
    kappa = next(each for each in with_judge if each.statistic == "cohen_kappa")
    assert (kappa.n_units, kappa.n_left_out) == (974, 25)


def test_llmbar_in_both_orders(store: Store, tmp_path: Path) -> None:
    folder = shared("data", "llmbar", "Natural", "evaluators")
    project(store, [str(at) for at in range(100)], "a", "b")
    for judge in ("GPT-4/CoT", "Falcon/CoT", "GPT-4/Metrics_Reference"):
        told = json.loads((folder / judge / "result.json").read_text(encoding="utf-8"))
        replies = [
            {"item": str(at), "judge": judge, "text": pair["results"][-1][key]["completion"][0], "swapped": swapped}
            for at, pair in enumerate(told)
            for key, swapped in (("swap = False", False), ("swap = True", True))
        ]
        asked = plan(store, "better_output", "a", "b", mirror='a: "b", b: "a"')
        import_judgements(store, by=None, project="p", path=lines(tmp_path / "replies.jsonl", replies), plan=asked)
    # Three of Falcon's replies say of both outputs that they are better; their authors took the first that is named.
    assert counted(store) == {
        "GPT-4/CoT": {ReplyOutcome.SCORED: 200},
        "GPT-4/Metrics_Reference": {ReplyOutcome.SCORED: 200},
        "Falcon/CoT": {ReplyOutcome.SCORED: 197, ReplyOutcome.CONTRADICTORY: 3},
    }
    published = {(row.unit, row.rater): {"1": "a", "2": "b"}[row.value] for row in llmbar()}
    rated = [row for row in ratings_of(store, project="p", stage=Stage.VERIFICATION)]
    differing = [row for row in rated if published[row.unit, row.rater.replace(", swapped", " swapped")] != row.value]
    assert (len(rated), differing) == (597, [])
    first = Counter(row.value for row in rated if row.rater == "Falcon/CoT")
    second = Counter(row.value for row in rated if row.rater == "Falcon/CoT, swapped")
    assert (first, second["a"]) == ({"a": 91, "b": 7}, 7)  # 93 and 7 as its README counts, less two of them


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"judge": "j", "text": "[[1]]"}, "the row names no item"),
        ({"item": "1", "text": "[[1]]"}, "the row names no judge"),
        ({"item": "1", "judge": "j"}, "the reply has no text"),
        ({"item": "nowhere", "judge": "j", "text": ""}, "there is no item 'nowhere'"),
        ({"item": "1", "judge": "j", "text": "x", "model": "m"}, "m has no answer to 1"),
        ({"item": "1", "judge": "j", "text": "x", "swapped": 1}, "`swapped` must be true or false"),
        ({"item": "1", "judge": "j", "text": "x", "sample": -1}, "`sample` must be a whole number"),
        ({"item": "1", "judge": "j", "games": [{}, {}]}, "must contain exactly one game"),
    ],
)
def test_rows_that_do_not_fit_are_named_and_nothing_is_taken(
    store: Store, tmp_path: Path, record: dict[str, Any], said: str
) -> None:
    project(store, ["1"], "a", "b")
    path = lines(tmp_path / "replies.jsonl", [{"item": "1", "judge": "j", "text": "Output (a)"}, record])
    asked = plan(store, "better_output", "a", "b")
    with pytest.raises(InvalidFileError, match=r"replies\.jsonl, row 2: .*Nothing was imported") as caught:
        import_judgements(store, by=None, project="p", path=path, plan=asked)
    assert said in str(caught.value)
    assert counted(store) == {}
    done = import_judgements(store, by=None, project="p", path=path, plan=asked, skip_bad=True)
    assert (done.replies, len(done.bad)) == (1, 1)


def test_an_empty_reply_is_empty_and_no_score(store: Store, tmp_path: Path) -> None:
    project(store, ["1", "2"], "a", "b")
    path = lines(
        tmp_path / "r.jsonl",
        [{"item": "1", "judge": "j", "text": ""}, {"item": "2", "judge": "j", "text": "Output (b)"}],
    )
    import_judgements(store, by=None, project="p", path=path, plan=plan(store, "better_output", "a", "b"))
    assert counted(store) == {"j": {ReplyOutcome.EMPTY: 1, ReplyOutcome.SCORED: 1}}


@pytest.mark.both_databases
def test_egothinks_own_judgements_by_dimension(store: Store, tmp_path: Path) -> None:
    """`data/<dimension>/model_judgment/<judge>_single.jsonl`, positions from 0, a score of -1 where none was read."""
    make_project(store, loaded=load_schema(ROOT / "annotation_schemas" / "egothink.yaml"))
    folders = {"activity": "Activity", "spatial": "Localization/spatial"}
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        assert {each.id: each.folder for each in access.schema.dimensions if each.id in folders} == folders
        new = [
            authoring.NewItem(
                external_id=f"{folder}/{at}", dimension=id, fields={"question": "q", "answer": f"{id} {at}"}
            )
            for id, folder in folders.items()
            for at in range(3)
        ]
        ids = authoring.add_items(session, access=access, new=new, now=store.now())
    make_predictions(store, ids, models=["fish"], dimension="activity")
    replies = [("Good. Rating: [[1]]", 1), ("Half. Rating: [[0.5]]", 0), ("I cannot rate this.", -1)]
    for folder in folders.values():
        place = tmp_path / "data" / folder / "model_judgment"
        place.mkdir(parents=True)
        (place.parent / "question.jsonl").write_text('{"question_id": 0, "turns": ["q"]}\n')
        lines(
            place / "gpt-4_single.jsonl",
            [
                {
                    "question_id": at,
                    "model": "fish",
                    "judge": ["gpt-4", "single-math-v2"],
                    "user_prompt": "[Instruction] Rating: [[0]]",
                    "judgment": text,
                    "score": score,
                    "turn": 1,
                    "tstamp": 1700000000.5,
                }
                for at, (text, score) in enumerate(replies)
            ],
        )
    asked = judge_plans.plan_of_project(
        store, by=None, project="p", template=shipped()["egothink_single"], asked_here=False
    )
    done = import_judgements(store, by=None, project="p", path=tmp_path / "data", plan=asked)
    assert (done.replies, done.judges, done.same) == (6, ("gpt-4 by single-math-v2",), 4)
    assert done.differ == (
        "gpt-4 by single-math-v2 on 1 in activity, fish: the file has the score 0, but the parser reads 0.5.",
        "gpt-4 by single-math-v2 on 1 in spatial, fish: the file has the score 0, but the parser reads 0.5.",
    )
    rated = {row.unit: row.value for row in ratings_of(store, project="p", stage=Stage.GRADING)}
    assert rated == {f"{folder}/{at} · fish": value for folder in folders.values() for at, value in enumerate((1, 0.5))}
    assert import_judgements(store, by=None, project="p", path=tmp_path / "data", plan=asked).repeated == 6
    lost = tmp_path / "gpt-4_single.jsonl"
    lost.write_bytes((tmp_path / "data" / "Activity" / "model_judgment" / "gpt-4_single.jsonl").read_bytes())
    with pytest.raises(InvalidFileError, match="the dimension of position 0 is unknown"):
        import_judgements(store, by=None, project="p", path=lost, plan=asked)
