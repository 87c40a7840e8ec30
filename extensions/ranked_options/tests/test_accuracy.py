"""The accuracy of ranked options under each score of their likelihoods."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.option_scores import Option, Ranking
from domain.runs import Attempt, Outcome, RunPlan
from extensions.ranked_options import accuracy
from testkit import factories
from tests.workflow.test_results import KEY, filled, made
from workflow.results import leaderboard as numbers
from workflow.results import project_answers
from workflow.results.project_answers import ProjectAnswers
from workflow.results.slices import Item


def test_the_order_of_models_may_depend_on_the_score() -> None:
    found = made([(at, model, 1.0) for at in range(2) for model in "ab"])
    keyed = {id: Item(f"i{id}", f"n{id}", "near", None, {"answer": "x"}) for id in range(2)}
    found = ProjectAnswers(found.project, found.title, found.schema, (), keyed, found.answers, {}, {}, {})
    kept = {
        ("a", 0): {"won": {"mean_logprob": "x", "sum_logprob": "y"}, "score": "mean_logprob"},
        ("a", 1): {"won": {"mean_logprob": "x", "sum_logprob": "y"}, "score": "mean_logprob"},
        ("b", 0): {"won": {"mean_logprob": "y", "sum_logprob": "x"}, "score": "mean_logprob"},
        ("b", 1): {"won": {"mean_logprob": "x", "sum_logprob": "x"}, "score": "mean_logprob"},
    }
    ranked = accuracy.accuracy_by_score(found, kept)
    assert ranked is not None
    values = {place: line.found.value for place, line in ranked.by_score.items()}
    assert values == {
        ("a", "mean_logprob"): 1.0,
        ("a", "sum_logprob"): 0.0,
        ("b", "mean_logprob"): 0.5,
        ("b", "sum_logprob"): 1.0,
    }
    assert ranked.depends == {"a": (2, 2), "b": (1, 2)}
    assert ranked.warnings[0] == (
        "The order of the models depends on the score: a > b by mean_logprob; b > a by sum_logprob."
    )
    assert "b: on 1 of 2 items, the chosen option depends on the score" in ranked.warnings[2]


def test_a_run_that_has_failed_counts_with_what_it_ranked(store: Store) -> None:
    filled(store)
    found = project_answers.read_project(store, person=None, project="p")
    ranked = accuracy.rank_options(store, found, person=None)
    assert ranked is not None
    assert {name: each.found.value for (_, name), each in ranked.by_score.items()} == {
        "mean_logprob": 1.0,
        "sum_logprob": 0.0,
    }


@pytest.mark.both_databases
def test_options_that_a_run_ranked_are_scored_in_each_way(store: Store) -> None:
    factories.make_project(store)
    lea = factories.make_person(store, "lea", role=factories.Role.LEAD, stages=[])
    items = factories.make_items(store, 3)
    # by token the short "red" wins, by the sum too; for the second item the longer "blue" wins by token only
    first = Ranking((Option("red", (-1.0,)), Option("blue", (-2.0, -2.0))))
    second = Ranking((Option("red", (-3.0,)), Option("blue", (-2.0, -2.0))))
    attempts = [
        Attempt(id, Outcome.ANSWERED, ranking.winner.text, detail=ranking.dump(way="test"))
        for id, ranking in zip(items, (first, second), strict=False)
    ]
    failed = Attempt(items[2], Outcome.SKIPPED, error="The picture is missing.")
    plan = RunPlan(strategy="rank_options")
    factories.make_run(store, [*attempts, failed], name="ranker", plan=plan)
    found = project_answers.read_project(store, person=lea, project="p")
    ranked = accuracy.rank_options(store, found, person=lea)
    assert ranked is not None
    assert {name: line.found.value for (_, name), line in ranked.by_score.items()} == {
        "mean_logprob": 0.5,
        "sum_logprob": 1.0,
        "per_byte_logprob": 1.0,  # -3 / 3 bytes against -4 / 4: as good, and the first, "red", is taken
    }
    assert ranked.depends == {"ranker": (1, 2)}
    assert ranked.used == {"ranker": "mean_logprob"}
    line = numbers.sliced_scores(found, KEY).whole["ranker"]
    assert (line.found.value, line.asked, dict(line.left_out)) == (
        0.5,
        3,
        {"Touchstone did not ask the model, because a part of the question was missing": 1},
    )
