"""Cases: exactly those behind a number, everything that was said, and nothing for anyone who is asked blind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from annotation_schemas.loader import load_text
from db import events
from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.exposure import Route
from domain.item_counts import COUNTS
from domain.item_filter import ItemList
from domain.judging import ReplyOutcome
from domain.option_scores import Option, Ranking
from domain.reading.answers import ReadOutcome
from domain.records import Person
from domain.roles import Role
from domain.runs import Attempt, Outcome, RunPlan
from domain.states import Stage
from extensions.cases import case_content, case_list
from extensions.cases.case_list import CaseFilter, Show
from testkit import factories
from testkit.scripted import ScriptedServer
from tests.workflow.test_counted_items import CHOICE, project_with_verdicts
from tests.workflow.test_exposure import faults_after_a_look
from tests.workflow.test_file_raters import GRADES as IN_FILES
from tests.workflow.test_file_raters import TRIO, bring
from tests.workflow.test_judge_runs import SCRIPT, World, by_item
from tests.workflow.test_results import NAN, filled, made
from tests.workflow.test_temporal_grounding import told as read_answers
from workflow.access import audit, item_counts
from workflow.annotate import submissions
from workflow.lead import item_list
from workflow.results import leaderboard as numbers
from workflow.results import project_answers, score_choices
from workflow.results.project_answers import NOT_ASKED
from workflow.results.score_choices import Scores
from workflow.runs import run_views

KEY = Scores("key")
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
                ids = case_list.matching_cases(found, wanted)
                if line.found.defined and scores.kind != "corrected":
                    assert len(ids) == line.found.n_units, (scores, model, label)
                elif scores.kind != "corrected":
                    assert ids == []
    assert case_list.matching_cases(found, CaseFilter(model="a", scores=Scores("key"), by="dimension", part="far")) == [
        1
    ]
    assert case_list.matching_cases(found, CaseFilter(model="b", scores=Scores("judge", "score", "gpt"))) == [1]


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
    assert case_list.matching_cases(example(), wanted) == expected


def test_behind_what_was_not_read_are_exactly_those_cases(store: Store) -> None:
    factories.make_project(store)
    items = factories.make_items(store, 4)
    texts = ["A", "nothing of the kind", "I'm sorry, I cannot help with that."]
    attempts = [Attempt(item, Outcome.ANSWERED, text) for item, text in zip(items, texts, strict=False)]
    factories.make_run(store, [*attempts, Attempt(items[3], Outcome.REFUSED)], name="m")
    found = project_answers.read_project(store, person=None, project="p")
    line = numbers.sliced_scores(found, KEY).whole["m"]
    assert sum(line.unread.values()) == 3
    for why, n in line.unread.items():
        wanted = CaseFilter(model="m", show=Show.UNREAD, outcome=why)
        assert len(case_list.matching_cases(found, wanted)) == n, why
    assert case_list.matching_cases(found, CaseFilter(model="m", show=Show.UNREAD)) == items[1:]
    assert case_list.matching_cases(found, CaseFilter(model="m", show=Show.WRONG)) == []
    assert len(case_list.matching_cases(found, CaseFilter(model="m", scores=KEY))) == line.found.n_units == 4


def test_what_has_no_key_is_neither_wrong_nor_unread() -> None:
    gone = {3: "refused", 4: "the model sent an empty answer", 5: NOT_ASKED}
    found = made(
        [(at, "m", 1.0) for at in range(3)],
        items=dict.fromkeys(range(6), "near"),
        unanswered={"m": gone},
        keys=dict.fromkeys(gone, ""),
    )
    assert case_list.matching_cases(found, CaseFilter(model="m", scores=KEY)) == [0, 1, 2]
    assert case_list.matching_cases(found, CaseFilter(model="m", show=Show.UNREAD)) == []
    assert case_list.unread_words(found) == []


def test_a_span_that_is_less_than_half_the_key_is_wrong(project: Store, home: Path, tmp_path: Path) -> None:
    read = read_answers(project, home, tmp_path)

    def names(show: Show) -> set[str]:
        return {read.items[id].name for id in case_list.matching_cases(read, CaseFilter(show=show))}

    assert names(Show.WRONG) == {"opens", "pours"}  # far's 0 and near's 1/3, but not its 1/2
    assert names(Show.UNREAD) == {"stirs", "cuts"}


def test_only_items_that_count_are_listed(store: Store) -> None:
    project_with_verdicts(store)
    for items, n in ((None, 20), ("all", 30)):
        found = project_answers.read_project(store, person=None, project="p", items=items)
        assert len(case_list.matching_cases(found, CaseFilter())) == n


def test_text_is_found_in_ids_contents_and_answers_and_is_no_pattern(store: Store) -> None:
    items = filled(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD)

    def hits(text: str) -> frozenset[int]:
        return case_list.with_text(store, person=lea, project="p", text=text)

    assert hits("QUESTION 2?") == {items[2]}
    assert hits("answer 0 of") == set(items[:3])
    assert hits("colour/3") == {items[3]}
    assert hits("%") == hits("_____") == hits("nothing like it") == set()


@pytest.mark.both_databases
def test_a_listing_says_what_there_is_and_what_was_asked_for(store: Store) -> None:
    items = filled(store)
    told = case_list.listing(
        store, project="p", wanted=CaseFilter(model="filed"), scores=("key", None, None, None), text="answer 0 of"
    )
    assert told.ids == items[:3]
    assert (told.models, told.dimensions, told.scores) == (("filed", "ran"), {"colour"}, Scores("key"))
    assert told.title == "Accuracy against the key, unreadable answers count as wrong"
    assert set(told.unread) == {"format violation: no answer, or several answers", "refused"}
    none = case_list.listing(store, project="p", scores=("judge", "score", "nobody", None))
    assert (none.scores, none.title) == (None, ""), "there is no such number"
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    (line,) = case_list.page(store, person=lea, project="p", ids=none.ids[:1])
    assert line.item == none.publics[0]
    assert [(each.model, each.text) for each in line.answers] == [("filed", "Red."), ("ran", "red")]
    quo = factories.make_person(store, "quo", project=factories.make_project(store, name="q"), role=Role.LEAD)
    assert case_list.page(store, person=quo, project="q", ids=none.ids) == [], "nothing of another project's items"


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
    told = case_content.case(store, person=lea, project="p", item="colour/0")
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
    failed = case_content.case(store, person=lea, project="p", item="colour/2").failures
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
        case_content.case(store, person=lea, project="p", item=task.item)
    with pytest.raises(NotAllowedError):
        case_content.case(store, person=sen, project="p", item=task.item)
    with pytest.raises(NotFoundError, match="no item 'zzz'"):
        case_content.case(store, person=lea, project="p", item="zzz")
    found = project_answers.read_project(store, person=lea, project="p")
    lines = case_list.page(store, person=lea, project="p", ids=case_list.matching_cases(found, CaseFilter()))
    assert {line.item for line in lines if line.closed} == {task.item}
    assert all(not line.answers for line in lines if line.asked or line.closed)
    listing = case_list.listing(store, project="p")
    hidden, counts = item_counts.hidden_from(store, person=lea, project="p")
    assert set(listing.publics) - set(listing.without(hidden).publics) == {task.item}
    assert counts == item_list.listing(store, person=lea, project="p", asked=ItemList()).counts, "as on the page Items"
    assert COUNTS["hidden"].number(counts) == len(hidden) == 1
    other = next(line.item for line in lines if not line.closed)
    assert next(line for line in lines if line.item == other).asked
    for _ in range(2):
        case_content.case(store, person=lea, project="p", item=other)
    lines = case_list.page(store, person=lea, project="p", ids=case_list.matching_cases(found, CaseFilter()))
    assert next(line for line in lines if line.item == other).answers, "after looking they are not asked any more"
    assert len(audit.entries(store, by=None, project="p", kinds=[events.LOOKED])) == 1


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
        ids = case_list.matching_cases(found, CaseFilter(show=Show.UNREAD))
        case_content.case(store, person=lea, project="p", item="colour/0")  # what a case tells is noted first
        with asked(store) as statements:
            case_list.page(store, person=lea, project="p", ids=ids[:20])
            page = len(statements)
            case_content.case(store, person=lea, project="p", item=f"colour/{len(ids) - 1}")
            whole = len(statements)
        costs.append((page, whole - page))
    assert costs[0] == costs[1]
    assert costs[0][0] <= 60
    assert costs[0][1] <= 30


def test_a_case_has_the_options_as_a_run_ranked_them(store: Store) -> None:
    factories.make_project(store)
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    item, other = factories.make_items(store, 2)
    ranking = Ranking((Option("red", (-3.0,)), Option("blue", (-2.0, -2.0))))
    attempts = [
        Attempt(item, Outcome.ANSWERED, ranking.winner.text, detail=ranking.dump(way="test")),
        Attempt(other, Outcome.SKIPPED, error="The picture is missing."),
    ]
    factories.make_run(store, attempts, name="ranker", plan=RunPlan(strategy="rank_options"))
    told = case_content.case(store, person=lea, project="p", item="colour/0").answers[0]
    assert told.ranked == ranking
    assert (told.right, told.key) == (0.0, "red")
    (missing,) = case_content.case(store, person=lea, project="p", item="colour/1").failures
    assert missing.error == "The picture is missing."


def test_grades_of_files_stand_with_the_answer_and_say_whose_they_are(rated: Store) -> None:
    lea = factories.make_person(rated, "lea", role=Role.LEAD)
    (answer,) = case_content.case(rated, person=lea, project="p", item="colour/0").answers
    assert {each.who: each.person for each in answer.grades} == dict.fromkeys(TRIO, True) | {"gpt": False}
    assert answer.combined == {"score": 0}  # all say so of the first


def test_a_person_s_own_grade_replaces_theirs_of_a_file(store: Store, tmp_path: Path) -> None:
    factories.make_project(store)
    factories.make_predictions(store, factories.make_items(store, 2), models=["m"])
    (bob,) = factories.make_people(store, "bob")
    task = factories.claimed(store, bob, Stage.GRADING)
    own = 0.5
    assert own not in [IN_FILES["bob"][at] for at in range(2)]
    submissions.submit(store, person=bob, task=task.id, key=task.id, values={"score": own})
    bring(store, tmp_path, ("bob", "gpt"), n=2)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    found = [case_content.case(store, person=lea, project="p", item=f"colour/{at}") for at in range(2)]
    for at, told in enumerate(found):
        wanted = own if told.item == task.item else IN_FILES["bob"][at]
        (answer,) = told.answers
        assert [each.values["score"] for each in answer.grades if each.person] == [wanted]


def test_three_different_names_have_no_majority(store: Store) -> None:
    loaded = load_text(CHOICE.replace("COMBINE", "majority"), "g", "choice")
    factories.make_project(store, loaded=loaded)
    items = factories.make_items(store, 1, dimension="d1", fields={"question": "?"})
    factories.make_predictions(store, items, models=["a"], dimension="d1")
    for person, given in zip(factories.make_people(store, "ann", "bob", "cy"), ("good", "fair", "bad"), strict=True):
        task = factories.claimed(store, person, Stage.GRADING)
        values = {"quality": given, "number": int(given != "good")}
        submissions.submit(store, person=person, task=task.id, key=task.id, values=values)
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    (answer,) = case_content.case(store, person=lea, project="p", item="d1/0").answers
    assert answer.combined == {"quality": None, "number": 1.0}


@pytest.mark.thorough
def test_a_judge_s_replies_without_a_score_are_named(world: World) -> None:
    with ScriptedServer(lambda asked, number: SCRIPT[by_item(asked)][0]) as server:
        run = world.run(server.url, world.plan())
        world.work(run)
        replies = Counter(by_item(each) for each in {each.text: each for each in server.asked}.values())
    name = run_views.view(world.store, by=None, run=run).name
    lea = factories.make_person(world.store, "lea", role=Role.LEAD, stages=[])
    told = [
        grade
        for at in range(len(world.items))
        for answer in case_content.case(world.store, person=lea, project="p", item=f"colour/{at}").answers
        for grade in answer.grades
    ]
    assert {(grade.who, grade.person) for grade in told} == {(name, False)}
    said = Counter(str(grade.values["score"]) for grade in told)
    assert sum(said.values()) == 20
    assert said[ReplyOutcome.OUT_OF_RANGE.words] == replies[2]


@pytest.mark.thorough
@pytest.mark.both_databases
def test_a_lead_who_looked_at_a_case_was_sent_what_voters_must_not_know(store: Store) -> None:
    assert {fault.route for fault in faults_after_a_look(store, case_content.case)} == {Route.CASES}


@pytest.mark.thorough
@pytest.mark.both_databases
def test_a_lead_who_saw_a_case_in_the_list_was_sent_its_key(store: Store) -> None:
    def look(store: Store, *, person: Person, project: str, item: str) -> None:
        found = project_answers.read_project(store, person=person, project=project)
        ids = [id for id, each in found.items.items() if each.name == item]
        lines = case_list.page(store, person=person, project=project, ids=ids)
        case_list.record_page(store, person=person, project=project, lines=lines)

    assert {fault.route for fault in faults_after_a_look(store, look)} == {Route.CASES}


def test_the_list_shows_grades_once_everyone_has_graded(store: Store) -> None:
    factories.make_project(store)
    factories.make_predictions(store, factories.make_items(store, 1), models=["m"])
    graders = factories.make_people(store, "ann", "bea", stages=[Stage.GRADING])
    for voter in factories.make_people(store, "vic", "wil", stages=[Stage.VERIFICATION]):
        factories.vote(store, voter)
    lea = factories.make_person(store, "lea", role=Role.LEAD, stages=[])
    found = project_answers.read_project(store, person=lea, project="p")
    ids = case_list.matching_cases(found, CaseFilter())
    shown = []
    for grader in graders:
        task = factories.claimed(store, grader, Stage.GRADING)
        submissions.submit(store, person=grader, task=task.id, key=grader.login, values={"score": 1})
        (line,) = case_list.page(store, person=lea, project="p", ids=ids)
        shown.append([(grade.who, grade.values["score"]) for answer in line.answers for grade in answer.grades])
    assert shown == [[], [("ann", 1), ("bea", 1)]]
