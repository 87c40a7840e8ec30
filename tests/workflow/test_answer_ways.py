"""Ranked models and models that write stand in one table, each with how its answers came about."""

from __future__ import annotations

import csv
import io
from typing import Any

from annotation_schemas import HOME
from annotation_schemas.loader import load_schema
from app.commands.results import table
from app.results import table as page
from db.engine import Store
from domain.records import ProjectView
from domain.roles import Role
from domain.runs import Attempt, Outcome, RunPlan
from testkit import factories
from workflow.results import leaderboard as numbers
from workflow.results import project_answers
from workflow.results.score_choices import Scores

OPTIONS = ["take plate", "take cup", "fold napkin", "close drawer"]
PAPER = {"recent_segments": 4, "frames_per_segment": 8, "observation_frames": 1}


def asked(store: Store) -> list[int]:
    """EgoPlan questions whose right answer is B."""
    factories.make_project(store, loaded=load_schema(HOME / "egoplan.yaml"))
    fields = {"task_goal": "Lay the table", "question": "What next?", "options": OPTIONS, "answer": "take cup"}
    return factories.make_items(store, 4, dimension="next_action", fields=fields)


def said(item: int, text: str, outcome: Outcome = Outcome.ANSWERED, **detail: Any) -> Attempt:
    return Attempt(item, outcome, text=text, detail=detail)


def lines(store: Store) -> dict[str, dict[str, str]]:
    found = project_answers.read_project(store, person=None, project="p")
    rows = csv.DictReader(io.StringIO(numbers.as_csv(numbers.sliced_scores(found, Scores("key")).whole.values())))
    return {row["model"]: row for row in rows}


def test_each_number_says_how_its_answers_came_about_and_over_which_frames(store: Store) -> None:
    items = asked(store)
    few = {**PAPER, "recent_segments": 0}
    for name, plan, attempts in [
        (
            "ranker",
            RunPlan(strategy="rank_options", score="sum_logprob", clips=PAPER),
            [said(item, "take cup") for item in items[:3]] + [said(items[3], "take plate")],
        ),
        (
            "writer",
            RunPlan(prompt_set="egoplan", clips=few),
            [
                said(items[0], "Answer: B"),
                said(items[1], "Answer: A"),
                said(items[2], "Well, who knows."),
                said(items[3], "", Outcome.REFUSED),
            ],
        ),
        (
            "blind",
            RunPlan(prompt_set="egoplan_explain", text_only=True, clips=PAPER),
            [said(items[0], "I cannot help with that request.")],
        ),
    ]:
        factories.make_run(store, attempts, name=name, plan=plan)
    factories.make_predictions(store, items[:1], models=["filed"], dimension="next_action")
    found = lines(store)
    told = {
        name: [row[key] for key in ("answers_by", "frames", "value", "n", "asked", "unread", "refused")]
        for name, row in found.items()
    }
    # Of the writer's four, one is right, one wrong, one not read and one refused; these two count as wrong.
    assert told == {
        "ranker": ["options ranked by sum_logprob", "4 x 8 + 1", "0.75", "4", "4", "0", "0"],
        "writer": ["free text, read by rules", "0 + 1", "0.25", "4", "4", "2", "1"],
        "blind": ["free text (prompts egoplan_explain)", "none", "0.0", "1", "1", "1", "1"],
        "filed": ["imported from a file", "", "0.0", "1", "1", "1", "0"],
    }
    read = project_answers.read_project(store, person=None, project="p")
    cut = numbers.sliced_scores(read, Scores("key"))
    command = "\n".join(table(read, [cut]))
    assert "  ranker: options ranked by sum_logprob, frames 4 x 8 + 1\n" in command
    assert "  writer: free text, read by rules, frames 0 + 1, 1 refused\n" in command
    view = ProjectView("p", "P", False, None, Role.LEAD)
    drawn = str(page.leaderboard(view, cut, sort="mean", common=False, bins=4))
    assert drawn.count("Frames") == 1
    assert "options ranked by sum_logprob" in drawn
    assert "4 x 8 + 1" in drawn


def test_a_model_whose_answers_came_in_two_ways_says_how_many_came_in_each(store: Store) -> None:
    items = asked(store)
    factories.make_run(store, [said(item, "take cup") for item in items[:3]], plan=RunPlan(strategy="rank_options"))
    factories.make_run(store, [said(items[3], "B")], plan=RunPlan(prompt_set="egoplan"))
    (row,) = lines(store).values()
    assert row["answers_by"] == ("options ranked by mean_logprob (3); free text, read by rules (1)")


def test_a_model_without_an_answer_says_how_it_was_asked(store: Store) -> None:
    items = asked(store)
    factories.make_run(store, [said(items[0], "", Outcome.FAILED)], plan=RunPlan(strategy="rank_options", clips=PAPER))
    (row,) = lines(store).values()
    assert (row["answers_by"], row["frames"], row["value"]) == ("options ranked by mean_logprob", "4 x 8 + 1", "")
