"""None of these, and cannot tell: from the vote to the verdict, agreement, prompts, and people who answer as models."""

from __future__ import annotations

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.prompts import load_prompt_set
from db.engine import Store
from db.tables import ItemRow, PredictionRow
from domain.states import Items, ItemState, Stage
from inference.spec import ModelSpec
from testkit.factories import claimed, make_items, make_people, make_project
from workflow.annotate import submissions
from workflow.files.project_check import check
from workflow.results import leaderboard, project_answers, rater_agreement, score_choices
from workflow.runs.model_plans import plan_for
from workflow.runs.prompt_texts import PromptFiller
from workflow.runs.question_items import AskedItem

pytestmark = pytest.mark.thorough

TEXT = """
name: besides
version: 1
title: Besides
dimensions: [{id: colour, title: Colour}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options, none: None of these, secret_in: [verification]}
stages:
  verification:
    raters: 2
    shuffle: [options]
    criteria:
      - {name: pick, kind: option_of, field: options, prompt: Which?, none: None of these, cannot_tell: Cannot tell}
    keep: {rule: unanimous_and_key, criterion: pick, key: answer}
  answering:
    people: 1
    items: all
    criteria: [{name: told, kind: option_of, field: options, prompt: Which?, none: None of these}]
models: {strategy: generate, prompts: plain}
"""
OPTIONS = [["red", "blue"], ["cup", "jug", "pan"], ["left", "right"]]
KEYS = ["none_of_these", "none_of_these", "left"]


def made(store: Store) -> None:
    make_project(store, loaded=load_text(TEXT, "", "besides"))
    for at, (options, key) in enumerate(zip(OPTIONS, KEYS, strict=True)):
        make_items(store, fields={"question": f"{at}?", "options": options, "answer": key})


def test_votes_verdicts_and_agreement(store: Store) -> None:
    made(store)
    # "none" is one category although it stands third in one list and fourth in another
    ways = [("none_of_these", "none_of_these"), ("none_of_these", "none_of_these"), ("cannot_tell", "left")]
    for at, person in enumerate(make_people(store, "ann", "bob")):
        for _ in OPTIONS:
            view = claimed(store, person)
            values = {"pick": ways[int(view.fields["question"][0])][at]}
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values)
    with store.read() as session:
        states = session.exec(select(ItemRow.state).order_by(ItemRow.id)).all()  # type: ignore[arg-type]
    assert states == [ItemState.KEPT, ItemState.KEPT, ItemState.REJECTED]
    assert check(store) == []
    found = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    kappa = {each.statistic: each.value for each in found if each.args.get("weights", "none") == "none"}
    # p_o = 2/3; none 2/3 and 2/3, cannot tell 1/3 and 0, the first option 0 and 1/3: p_e = 4/9
    assert kappa["cohen_kappa"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_people_answer_it_and_models_are_offered_it(store: Store) -> None:
    made(store)
    (ann,) = make_people(store, "ann")
    said = ["none_of_these", "cup", "none_of_these"]
    for _ in said:
        view = claimed(store, ann, Stage.ANSWERING)
        values = {"told": said[int(view.fields["question"][0])]}
        submissions.submit(store, person=ann, task=view.id, key=view.id, values=values)
    with store.read() as session:
        texts = session.exec(select(PredictionRow.text).order_by(PredictionRow.item_id)).all()
    assert list(texts) == ["None of these", "cup", "None of these"]
    read = project_answers.read_project(store, person=None, project="p", items=Items.ALL)
    lines = leaderboard.sliced_scores(read, score_choices.Scores("key")).whole.values()
    # the first is right; of the second it is the key, and of the third not
    assert {round(line.found.value, 6) for line in lines} == {round(1 / 3, 6)}

    schema = load_text(TEXT, "", "besides").schema_
    plan = plan_for(schema, ModelSpec(name="m", adapter="chat", model="m"))
    writer = PromptFiller(schema, plan, None, load_prompt_set("plain"))
    fields = {"question": "Which?", "options": ["red", "blue"], "answer": "red"}
    _, parts = writer.parts(AskedItem(1, "i", "colour", fields, []), [])
    assert "A. red\nB. blue\nC. None of these" in "".join(map(str, parts))
