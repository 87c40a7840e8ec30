"""Models in groups by what is said of them: means by hand, who is in no group, and files of attributes and labels."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from db.engine import Store
from domain.errors import InvalidFileError, InvalidInputError, NotAllowedError
from inference.spec import spec_of
from media.store import MediaStore
from testkit import factories
from tests.workflow.test_results import KEY, made
from workflow.annotate.project_progress import dashboard
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.results import attributes, leaderboard, leaderboard_page, project_answers
from workflow.results.model_groups import grouped, parse_grouping
from workflow.results.project_answers import ProjectAnswers
from workflow.runs import identities

# who was right on items 0 to 3; 0 and 1 are near, 2 and 3 far
RIGHT = {"a7": (1, 1, 0, 0), "a13": (1, 1, 1, 0), "b7": (0, 1, 0, 0), "b13": (1, 0, 1, 1), "api": (1, 1, 1, 1)}
SAID = {
    "a7": {"family": "A", "size": "7B", "parameters": 6.9},
    "a13": {"family": "A", "size": "13B", "parameters": 13},
    "b7": {"family": "B", "size": "7B", "parameters": 7.1},
    "b13": {"family": "B", "size": "13B", "parameters": 12.2},
}


def found(*, without: tuple[str, int] | None = None) -> ProjectAnswers:
    answers = [
        (item, model, float(right))
        for model, row in RIGHT.items()
        for item, right in enumerate(row)
        if (model, item) != without
    ]
    items = {0: "near", 1: "near", 2: "far", 3: "far"}
    return replace(made(answers, items=items), attributes=SAID)


def test_every_model_of_a_group_counts_alike() -> None:
    read = found()
    board = leaderboard.sliced_scores(read, KEY)
    both = grouped(read, board, parse_grouping(read, "size"))
    assert [(each.label, each.whole.models) for each in both.groups] == [("7B", ("a7", "b7")), ("13B", ("a13", "b13"))]
    # 7B: a7 2/4, b7 1/4 -> 3/8; 13B: 3/4 and 3/4 -> 3/4. Near: 7B (1 + 1/2)/2, far: 0
    assert [each.whole.found.value for each in both.groups] == [0.375, 0.75]
    near, far = board.slicing.labels.index("near"), board.slicing.labels.index("far")
    assert (both.groups[0].cells[near].found.value, both.groups[0].cells[far].found.value) == (0.75, 0.0)
    assert both.groups[0].of_parts is not None
    assert both.groups[0].of_parts.found.value == 0.375
    # item by item 13B less 7B: (1+1)/2 - (1+0)/2 = .5; (1+0)/2 - 1 = -.5; 1 - 0; .5 - 0
    (gap,) = both.gaps
    apart = np.array([0.5, -0.5, 1.0, 0.5])
    assert (gap.group, gap.first, gap.left_out, gap.difference.value) == ("13B", "7B", 0, apart.mean())
    assert gap.difference.se == pytest.approx(apart.std(ddof=1) / math.sqrt(4))
    assert both.notes == ["In no group, as nothing is said of their size: api."]


def test_the_interval_is_over_items_which_models_share() -> None:
    read = found()
    whole = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "size")).groups[0].whole.found
    # of each item the two models' deviations from their own means, averaged: items are drawn, models are not
    off = (np.array(RIGHT["a7"]) - 0.5 + np.array(RIGHT["b7"]) - 0.25) / 2
    assert whole.se == pytest.approx(math.sqrt((off**2).sum() / 4 / 3))
    twins = replace(read, attributes={"a7": {"size": 7}, "api": {"size": 7}})
    # a model that is right on everything adds nothing to the spread, but halves that of the other one
    alone = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "family/size"))
    pair = grouped(twins, leaderboard.sliced_scores(twins, KEY), parse_grouping(twins, "size")).groups[0].whole.found
    a7 = np.array(RIGHT["a7"]) - 0.5
    assert pair.se == pytest.approx(math.sqrt((a7**2).sum() / 4 / 3) / 2)
    assert [each.label for each in alone.groups] == ["A · 7B", "A · 13B", "B · 7B", "B · 13B"]
    assert [(each.group, each.first) for each in alone.gaps] == [("A · 13B", "A · 7B"), ("B · 13B", "B · 7B")]
    board = leaderboard.sliced_scores(read, KEY)
    assert alone.groups[0].whole.found == board.whole["a7"].found, "a group of one is that model"


def test_numbers_are_cut_at_limits_and_mistakes_are_named() -> None:
    read = found()
    board = leaderboard.sliced_scores(read, KEY)
    cut = grouped(read, board, parse_grouping(read, "parameters:7, 13"))
    assert [(each.label, each.whole.models) for each in cut.groups] == [
        ("below 7", ("a7",)),
        ("7 to below 13", ("b13", "b7")),  # as on the leaderboard: the higher mean first
        ("13 and more", ("a13",)),
    ]
    assert grouped(read, board, parse_grouping(read, "family:3")).groups == [], "a name is no number"
    with pytest.raises(InvalidInputError, match="an attribute 'sise'; those that are said: family, size, parameters"):
        parse_grouping(read, "sise")
    with pytest.raises(InvalidInputError, match="'big' is no number such as 10 or 10B"):
        parse_grouping(read, "size:big")


def test_a_missing_answer_leaves_its_item_out_of_the_difference_alone() -> None:
    read = found(without=("b7", 0))
    both = grouped(read, leaderboard.sliced_scores(read, KEY), parse_grouping(read, "size"))
    # a7 2/4, b7 1/3 of what it answered; the difference is over items 1 to 3
    assert both.groups[0].whole.found.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (both.gaps[0].difference.n_units, both.gaps[0].left_out) == (3, 1)
    assert both.gaps[0].difference.value == pytest.approx((-0.5 + 1.0 + 0.5) / 3)


# ---- files -----------------------------------------------------------------------------------------------------------


def bring(store: Store, folder: Path, format: str, text: str, **how: bool):  # type: ignore[no-untyped-def]
    path = folder / f"{format}.csv"
    path.write_text(text, encoding="utf-8")
    return import_files(store, MediaStore(folder / "m"), by=None, project="p", format=format, path=path, **how)


def test_attributes_of_models_from_a_file(store: Store, tmp_path: Path) -> None:
    factories.make_project(store)
    factories.make_items(store, 2)
    names = [each.name for each in project_answers.read_project(store, person=None, project="p").items.values()]
    said = [{"item": name, "model": model, "text": "red"} for name in names for model in ("small", "large")]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    about = {"by": None, "project": "p", "format": "predictions", "path": tmp_path / "said.jsonl"}
    import_files(store, MediaStore(tmp_path / "m"), **about)
    with pytest.raises(InvalidFileError, match="no model 'Small' has answered; there are large, small"):
        bring(store, tmp_path, "models", "model,size\nSmall,7B\n")
    with pytest.raises(InvalidFileError, match=r"the column model .* model is missing"):
        bring(store, tmp_path, "models", "name,size\nsmall,7B\n")
    with pytest.raises(InvalidFileError, match="stands in an earlier row already"):
        bring(store, tmp_path, "models", "model,size\nsmall,7B\nsmall,8B\n")
    before = leaderboard_page.mark(store, person=None, project="p")
    done = bring(store, tmp_path, "models", "model,Size,Base LLM\nsmall,7B,Vicuna\nlarge,13B,\n")
    assert (done.described, done.repeated) == (2, 0)
    assert leaderboard_page.mark(store, person=None, project="p") != before, "results are worked out anew"
    assert bring(store, tmp_path, "models", "model,size\nsmall,7B\nlarge,13B\n").repeated == 2
    assert bring(store, tmp_path, "models", "model,size\nlarge,14B\n").described == 1
    read = project_answers.read_project(store, person=None, project="p")
    assert read.attributes == {"small": {"size": "7B", "base_llm": "Vicuna"}, "large": {"size": "14B"}}
    made_ = exported(store, by=None, project="p", format="models")
    rows = list(csv.reader(io.StringIO(made_.files["models.csv"].decode())))
    assert rows == [["model", "size", "base_llm"], ["large", "14B", ""], ["small", "7B", "Vicuna"]]
    with pytest.raises(NotAllowedError):
        attributes.names_in(store, person=factories.make_person(store, "ann"), project="p")


def test_a_description_says_what_a_model_is_and_that_makes_no_other_model_of_it() -> None:
    text = "name: m\nadapter: file\n"
    plain, told = spec_of(text, name="f"), spec_of(text + "attributes: {size: 7B, tuned: 'yes', frames: 8}\n", name="f")
    assert told.dump()["attributes"] == {"size": "7B", "tuned": "yes", "frames": 8}
    assert "attributes" not in plain.dump(), "earlier descriptions keep their hash"
    assert identities.description(plain.dump()) == identities.description(told.dump())


def test_labels_cut_results_and_leave_every_vote(store: Store, tmp_path: Path) -> None:
    factories.make_project(store)
    items = factories.make_items(store, 4)
    ann, bob = factories.make_people(store, "ann", "bob")
    factories.vote(store, ann)
    factories.vote(store, bob)
    factories.make_predictions(store, items, models=["m"])
    read = project_answers.read_project(store, person=None, project="p", items="all")
    names = [each.name for each in read.items.values()]
    before = dashboard(store, person=None, project="p")
    with pytest.raises(InvalidFileError, match="there is no item 'nothing' in this project"):
        bring(store, tmp_path, "labels", "item,scene\nnothing,kitchen\n")
    with pytest.raises(InvalidFileError, match="answer is part of the item"):
        bring(store, tmp_path, "labels", f"item,answer\n{names[0]},red\n")
    text = "item,scene,people\n" + "".join(
        f"{name},{'kitchen' if at < 3 else 'street'},{at}\n" for at, name in enumerate(names)
    )
    assert bring(store, tmp_path, "labels", text).labelled == 4
    assert dashboard(store, person=None, project="p") == before
    read = project_answers.read_project(store, person=None, project="p", items="all")
    cut = leaderboard.sliced_scores(read, KEY, by="scene")
    assert cut.slicing.labels == ("kitchen", "street")
    assert [cut.cells["m", at].asked for at in (0, 1)] == [3, 1]
    assert leaderboard.sliced_scores(read, KEY, by="people", bins=2).slicing.labels == ("0 to 1", "2 to 3")
    assert (
        exported(store, by=None, project="p", format="labels")
        .files["labels.csv"]
        .decode()
        .startswith("item,scene,people\n")
    )
