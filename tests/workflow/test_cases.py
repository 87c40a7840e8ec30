"""Cases: exactly those behind a number, everything that was said, and nothing for anyone who is asked blind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.option_scores import Option, Ranking
from domain.reading.answers import ReadOutcome
from domain.roles import Role
from domain.runs import Attempt, Outcome, RunPlan
from domain.states import Stage
from testkit import factories
from tests.workflow.test_results import NAN, filled, made
from workflow.annotate import submissions
from workflow.lead import item_history
from workflow.results import case_page, cases, project_answers, ranked_options, score_choices
from workflow.results import leaderboard as numbers
from workflow.results.cases import CaseFilter, Show
from workflow.results.project_answers import NOT_ASKED
from workflow.results.score_choices import Scores

JUDGED = {("score", "gpt"): {0: 1.0, 1: 0.5, 2: 0.0, 4: 1.0}}
GRADES = {"score": {0: [1, 1, 0], 1: [0, 0, 0.5], 2: [0, 0], 3: [1]}}


def example() -> project_answers.ProjectAnswers:
    """Three items for a, two for b (answers 3 and 4), of which one is missing."""
    answers = [(0, "a", 1.0), (1, "a", 0.0), (2, "a", NAN), (0, "b", 0.0), (1, "b", 1.0)]
    return made(
        answers,
        items={0: "near", 1: "far", 2: "far", 3: "far"},
        grades=GRADES,
        judged=JUDGED,
        unanswered={"b": {2: "refused", 3: NOT_ASKED}},
    )


# ---- which cases -----------------------------------------------------------------------------------------------------


def test_behind_a_number_are_exactly_the_items_that_it_rests_on() -> None:
    found = example()
    for scores in score_choices.scores_of(found):
        cut = numbers.sliced_scores(found, scores)
        for model in found.models:
            for at, label in enumerate(cut.slicing.labels):
                line = cut.cells[model, at]
                wanted = CaseFilter(model=model, scores=scores, by="dimension", part=label)
                ids = cases.matching_cases(found, wanted)
                if line.found.defined and scores.kind != "corrected":
                    assert len(ids) == line.found.n_units, (scores, model, label)
                elif scores.kind != "corrected":
                    assert ids == []
    assert cases.matching_cases(found, CaseFilter(model="a", scores=Scores("key"), by="dimension", part="far")) == [1]
    assert cases.matching_cases(found, CaseFilter(model="b", scores=Scores("judge", "score", "gpt"))) == [1]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (CaseFilter(), [0, 1, 2, 3]),
        (CaseFilter(dimension="near"), [0]),
        (CaseFilter(model="a"), [0, 1, 2]),
        (CaseFilter(show=Show.WRONG), [0, 1]),
        (CaseFilter(show=Show.WRONG, model="a"), [1]),
        (CaseFilter(show=Show.LOW), [1, 2]),
        (CaseFilter(show=Show.LOW, model="b"), []),
        (CaseFilter(show=Show.DIFFER), [1]),
        (CaseFilter(show=Show.DIFFER, model="b"), []),
        (CaseFilter(show=Show.UNANSWERED), [2, 3]),
        (CaseFilter(show=Show.UNANSWERED, model="a"), []),
        (CaseFilter(common=True), [0, 1]),
        (CaseFilter(ids=frozenset({3, 1})), [1, 3]),
        (CaseFilter(model="nobody"), []),
        (CaseFilter(by="dimension", part="nowhere"), []),
    ],
)
def test_filters(wanted: CaseFilter, expected: list[int]) -> None:
    assert cases.matching_cases(example(), wanted) == expected


def test_text_is_found_in_ids_contents_and_answers_and_is_no_pattern(store: Store) -> None:
    items = filled(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)

    def hits(text: str) -> frozenset[int]:
        return cases.with_text(store, person=lea, project="p", text=text)

    assert hits("QUESTION 2?") == {items[2]}
    assert hits("answer 0 of") == set(items[:3])
    assert hits("colour/3") == {items[3]}
    assert hits("%") == hits("_____") == hits("nothing like it") == set()


@pytest.mark.both_databases
def test_a_listing_says_what_there_is_and_what_was_asked_for(store: Store) -> None:
    items = filled(store)
    told = cases.listing(
        store, project="p", wanted=CaseFilter(model="filed"), scores=("key", None, None, None), text="answer 0 of"
    )
    assert told.ids == items[:3]
    assert (told.models, told.dimensions, told.scores) == (("filed", "ran"), {"colour"}, Scores("key"))
    assert told.title == "Accuracy against the key, what cannot be read counts as wrong"
    assert set(told.unread) == {"format violation: states none, or not one", "refused"}
    none = cases.listing(store, project="p", scores=("judge", "score", "nobody", None))
    assert (none.scores, none.title) == (None, ""), "there is no such number"
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    (line,) = cases.page(store, person=lea, project="p", ids=none.ids[:1])
    assert (line.item, line.answers) == (none.publics[0], [("filed", "Red."), ("ran", "red")])
    quo = factories.make_person(store, "quo", project=factories.make_project(store, name="q"), role=Role.LEAD)
    assert cases.page(store, person=quo, project="q", ids=none.ids) == [], "nothing of another project's items"


# ---- one case --------------------------------------------------------------------------------------------------------


def test_a_case_has_everything_that_was_said_of_every_answer(store: Store) -> None:
    items = filled(store)
    ann = factories.make_person(store, "ann", stages=[Stage.GRADING])
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    seen = {}
    for at, score in enumerate((1, 0.5, 0)):
        task = factories.claimed(store, ann, Stage.GRADING)
        submissions.submit(store, person=ann, task=task.id, key=str(at), values={"score": score}, note=f"note {score}")
        seen[task.item] = score
    told = case_page.case(store, person=lea, project="p", item="colour/0")
    assert (told.key, told.fields["answer"]) == ("answer", "red")
    assert [(each.model, each.text, each.latest) for each in told.answers] == [
        ("filed", "Red.", True),
        ("filed", f"Answer 0 of {items[0]}", False),
        ("ran", "red", True),
    ]
    assert [each.right for each in told.answers if each.latest] == [1.0, 1.0]
    readings = [each.reading for each in told.answers]
    assert [
        each and (each.outcome, each.value, each.words(of.text))
        for each, of in zip(readings, told.answers, strict=True)
    ] == [
        (ReadOutcome.READ, "red", ["Red"]),
        (ReadOutcome.UNREADABLE, None, []),
        (ReadOutcome.READ, "red", ["red"]),
    ]
    assert [bool(each and each.rule) for each in readings] == [True, False, True]
    grades = told.answers[1].grades
    assert [(each.who, each.values["score"], each.note) for each in grades] == [
        ("ann", seen[told.item], f"note {seen[told.item]:g}")
    ]
    assert told.answers[1].combined == {"score": None}, "one of two graders is no majority"
    assert told.failures == []
    failed = case_page.case(store, person=lea, project="p", item="colour/2").failures
    assert [(each.model, each.outcome, each.attempts) for each in failed] == [("ran", "the model raised an error", 2)]


@pytest.mark.both_databases
def test_who_is_asked_about_it_blind_does_not_see_it_and_who_looks_is_noted(store: Store) -> None:
    filled(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    factories.make_people(store, "ann", stages=[Stage.GRADING])
    sen = factories.make_person(store, "sen", role=Role.SENIOR)
    task = factories.claimed(store, lea, Stage.GRADING)
    assert task.item is not None
    with pytest.raises(NotAllowedError, match="blind"):
        case_page.case(store, person=lea, project="p", item=task.item)
    with pytest.raises(NotAllowedError):
        case_page.case(store, person=sen, project="p", item=task.item)
    with pytest.raises(NotFoundError, match="no item 'zzz'"):
        case_page.case(store, person=lea, project="p", item="zzz")
    found = project_answers.read_project(store, person=lea, project="p")
    lines = cases.page(store, person=lea, project="p", ids=cases.matching_cases(found, CaseFilter()))
    assert {line.item for line in lines if line.closed} == {task.item}
    assert all(not line.answers for line in lines if line.asked or line.closed)
    other = next(line.item for line in lines if not line.closed)
    assert next(line for line in lines if line.item == other).asked
    for _ in range(2):
        case_page.case(store, person=lea, project="p", item=other)
    lines = cases.page(store, person=lea, project="p", ids=cases.matching_cases(found, CaseFilter()))
    assert next(line for line in lines if line.item == other).answers, "after looking they are not asked any more"
    told = item_history.history(store, person=lea, project="p", item=other)
    assert sum("looked at the history" in step.words for step in told.steps) == 2  # once here, once there


@contextmanager
def asked(store: Store) -> Iterator[list[str]]:
    """The statements that the database is asked."""
    said: list[str] = []

    def listen(*given: object) -> None:
        said.append(str(given[2]))

    event.listen(store.engine, "before_cursor_execute", listen)
    yield said
    event.remove(store.engine, "before_cursor_execute", listen)


@pytest.mark.thorough
def test_a_page_and_a_case_cost_the_same_in_a_large_project(store: Store) -> None:
    factories.make_project(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    costs = []
    for n in (20, 200):
        items = factories.make_items(store, n)
        factories.make_predictions(store, items, models=["a", "b", "c"])
        found = project_answers.current(store, person=lea, project="p")
        ids = cases.matching_cases(found, CaseFilter(show=Show.UNREAD))
        case_page.case(store, person=lea, project="p", item="colour/0")  # what a case tells is noted first
        with asked(store) as statements:
            cases.page(store, person=lea, project="p", ids=ids[:20])
            page = len(statements)
            case_page.case(store, person=lea, project="p", item=f"colour/{len(ids) - 1}")
            whole = len(statements)
        costs.append((page, whole - page))
    assert costs[0] == costs[1]
    assert costs[0][0] <= 60
    assert costs[0][1] <= 30


def test_what_was_read_is_kept_until_something_is_new(store: Store) -> None:
    items = filled(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    first = project_answers.current(store, person=lea, project="p")
    assert project_answers.current(store, person=lea, project="p") is first
    factories.make_predictions(store, items[3:], models=["new"])
    assert "new" in project_answers.current(store, person=lea, project="p").models
    with pytest.raises(NotFoundError):
        project_answers.current(store, person=factories.make_person(store, "olu", project=None), project="p")


@pytest.mark.both_databases
def test_options_that_a_run_ranked_are_read_as_they_were_kept(store: Store) -> None:
    factories.make_project(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
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
    told = case_page.case(store, person=lea, project="p", item="colour/1").answers[0]
    assert told.ranked == second
    assert (told.right, told.key) == (0.0, "red")
    found = project_answers.read_project(store, person=lea, project="p")
    ranked = ranked_options.rank_options(store, found, person=lea)
    assert ranked is not None
    assert {name: line.found.value for (_, name), line in ranked.by_score.items()} == {
        "mean_logprob": 0.5,
        "sum_logprob": 1.0,
        "per_byte_logprob": 1.0,  # -3 / 3 bytes against -4 / 4: as good, and the first, "red", is taken
    }
    assert ranked.depends == {"ranker": (1, 2)}
    assert ranked.used == {"ranker": "mean_logprob"}
    line = numbers.sliced_scores(found, Scores("key")).whole["ranker"]
    assert (line.found.value, line.asked, dict(line.left_out)) == (
        0.5,
        3,
        {"it was not asked, as something was missing": 1},
    )
    (missing,) = case_page.case(store, person=lea, project="p", item="colour/2").failures
    assert missing.error == "The picture is missing."
