"""People answer items as models do: who may, what they see, and where their answers stand."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from annotation_schemas.loader import load_text
from app.workbench import page
from db import answers as stored_answers
from db import items as stored_items
from db import people, respondents, tasks, work_pace
from db.engine import Store
from domain.errors import ConflictError, SchemaError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.runs import Attempt, Outcome
from domain.states import Stage
from testkit.factories import BLIND, Clock, claimed, make_items, make_people, make_person, make_project, make_run, vote
from testkit.looks import look
from workflow.access.projects import access_to
from workflow.annotate import authoring, claims, grading, progress, project_progress, submissions
from workflow.files import project_check
from workflow.results import leaderboard, leaderboard_page, project_answers, rater_agreement, ratings
from workflow.results.score_choices import Scores
from workflow.runs import run_control

ANSWERING = """
  answering:
    people: PEOPLE
    items: ITEMSMORE
    criteria: [{name: said, kind: option_of, field: options, prompt: "Your answer"}]
"""
KEY = Scores("key")


def schema_text(more: str = "", *, people: int = 3, items: str = "kept", raters: int = 2) -> str:
    text = BLIND.replace("RATERS", str(raters)).replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    stage = ANSWERING.replace("PEOPLE", str(people)).replace("ITEMS", items)
    return text + stage.replace("MORE", f"\n    {more}" if more else "")


def begin(store: Store, more: str = "", **what: Any) -> None:
    make_project(store, loaded=load_text(schema_text(more, **what), "Be exact.", "blind"))


def kept(store: Store, n: int, *voters: Person, **where: Any) -> list[int]:
    """Items that two people have verified."""
    made = make_items(store, n, **where)
    for person in voters:
        for _ in made:
            vote(store, person)
    return made


def answer(store: Store, person: Person, said: str = "red", *, seconds: float = 4.0) -> TaskView:
    view = claimed(store, person, Stage.ANSWERING)
    submissions.submit(
        store, person=person, task=view.id, key=f"answer-{view.id}", values={"said": said}, seconds=seconds
    )
    return view


def what_comes(store: Store, person: Person, stage: Stage = Stage.ANSWERING) -> TaskView | NoTask:
    return claims.next_task(store, person=person, project="p", stage=stage)


def nothing_for(store: Store, person: Person, stage: Stage = Stage.ANSWERING) -> bool:
    return isinstance(what_comes(store, person, stage), NoTask)


def board(store: Store, **how: Any) -> leaderboard.SlicedScores:
    return leaderboard.sliced_scores(project_answers.read_project(store, person=None, project="p"), KEY, **how)


# ---- who answers what ------------------------------------------------------------------------------------------------


def test_a_kept_item_is_answered_by_three_who_did_nothing_else_with_it(store: Store) -> None:
    begin(store)
    ann, ben, una, vera, wim, xena = make_people(store, "ann", "ben", "una", "vera", "wim", "xena")
    make_items(store, 1)
    assert nothing_for(store, una), "no verdict yet"
    vote(store, ann)
    vote(store, ben)
    assert nothing_for(store, ann), "she has verified it"
    view = answer(store, una)
    assert view.fields == {"question": "Question 0?", "options": ["red", "blue"]}
    assert view.votes == ()
    answer(store, vera, "blue")
    assert nothing_for(store, una), "she has answered it"
    answer(store, wim)
    assert nothing_for(store, xena), "three have answered it"


def test_the_page_and_its_bytes_hold_no_key_and_no_answer_of_anyone(store: Store) -> None:
    begin(store, items="all")
    fields = {"question": "Which?", "options": ["red", "blue"], "answer": "blue", "origin": "SECRET"}
    (item,) = make_items(store, 1, fields=fields)
    make_run(store, [answered(item, "THE MODEL SAYS B")])
    una, vera = make_people(store, "una", "vera")
    answer(store, una)
    view = claimed(store, vera, Stage.ANSWERING)
    with store.read() as session:
        loaded = access_to(session, person=vera, project="p").loaded
    sent = page.task_page(
        person=vera,
        csrf="token",
        static=page.static_part(loaded, Stage.ANSWERING, project="p", title="P"),
        schema=loaded.schema_,
        task=view,
        progress=progress.progress(store, person=vera, project="p", stage=Stage.ANSWERING),
    )
    assert sent["task"]["fields"] == {"question": "Which?", "options": ["red", "blue"]}
    assert sent["task"]["options"]["said"] == [
        {"value": each, "label": each, "help": None, "reasons": []} for each in ("red", "blue")
    ]
    assert [each["name"] for each in sent["static"]["fields"]] == ["question", "options"]
    text = json.dumps(sent)
    assert text.count("blue") == 3, "among the options of the item, and those of the form (value, label)"
    assert not [each for each in ("SECRET", "MODEL SAYS", "respondent", "una") if each in text]
    assert (sent["task"]["answer"], sent["task"]["votes"], sent["task"]["draft"]) == (None, [], None)


def test_who_answered_an_item_neither_verifies_nor_grades_it(store: Store) -> None:
    begin(store, items="all")
    una, vera = make_people(store, "una", "vera")
    (item,) = make_items(store, 1)
    answer(store, una)
    assert nothing_for(store, una, Stage.VERIFICATION)
    make_run(store, [answered(item, "A")])
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        ids = [each.id for each in stored_answers.answers(session, project_id=access.project_id)]
        grading.open_grading(session, access=access, predictions=[(id, item, "colour") for id in ids], now=store.now())
    assert nothing_for(store, una, Stage.GRADING)
    assert isinstance(what_comes(store, vera, Stage.GRADING), TaskView)
    assert nothing_for(store, vera), "she has an answer to it in hand to grade"
    assert isinstance(what_comes(store, make_person(store, "wim")), TaskView)


def test_who_wrote_or_looked_into_an_item_does_not_answer_it(store: Store) -> None:
    begin(store, items="all")
    author = make_person(store, "author")
    make_items(store, 1, author_id=author.id)
    assert nothing_for(store, author)
    lead = make_person(store, "lead", role=Role.LEAD)
    look(store, lead, "colour/0")
    assert nothing_for(store, lead)


def test_an_edited_item_is_answered_anew_by_others(store: Store) -> None:
    begin(store, people=1, items="all")
    una, vera = make_people(store, "una", "vera")
    (item,) = make_items(store, 1)
    answer(store, una)
    authoring.edit_item(store, person=None, project="p", item="colour/0", fields={"question": "Another?"})
    assert nothing_for(store, una)
    assert answer(store, vera).fields["question"] == "Another?"
    rows = board(store).whole
    assert rows["People"].found.n_units == 1
    assert rows["People"].respondents == 1, "the answer to what the item was before is not in it"
    assert item


@pytest.mark.both_databases
def test_a_sample_is_drawn_by_the_seed_whatever_order_items_come_in(store: Store) -> None:
    begin(store, more="per_dimension: 3", items="all", people=1)
    make_items(store, 5)
    make_items(store, 2, dimension="shape")
    before = open_items(store)
    assert Counter(name.split("/")[0] for name in before) == {"colour": 3, "shape": 2}
    make_items(store, 40)
    later = open_items(store)
    assert Counter(name.split("/")[0] for name in later) == {"colour": 3, "shape": 2}
    # what someone has in hand stays in the sample, whatever comes later
    una = make_person(store, "una", dimensions=["colour"])
    held = what_comes(store, una)
    assert isinstance(held, TaskView)
    make_items(store, 200)
    assert len(open_items(store) - {name for name in later}) <= 2


def test_an_edit_lets_another_item_into_the_sample(store: Store) -> None:
    begin(store, more="per_dimension: 1", people=1)
    ann, ben = make_people(store, "ann", "ben")
    kept(store, 2, ann, ben)
    (first,) = open_items(store)
    authoring.edit_item(store, person=None, project="p", item=first, fields={"question": "Another?"})
    (second,) = open_items(store)
    assert second != first, "the edited item waits for votes"


@pytest.mark.both_databases
def test_only_the_dimensions_that_the_schema_names(store: Store) -> None:
    begin(store, more="dimensions: [shape]", items="all")
    make_items(store, 1)
    make_items(store, 1, dimension="shape")
    una = make_person(store, "una")
    assert answer(store, una).dimension == "shape"
    assert nothing_for(store, una)
    assert {each.dimension for each in progress.my_work(store, person=una) if each.stage is Stage.ANSWERING} == {
        "shape"
    }


@pytest.mark.both_databases
def test_the_page_shows_what_the_schema_names_in_the_order_that_it_names(store: Store) -> None:
    begin(store, more="shows: [options, origin]\n    order: oldest", items="all")
    make_items(store, 5)
    una = make_person(store, "una")
    assert [answer(store, una).fields["origin"] for _ in range(5)] == [f"origin-{n}" for n in range(5)]


def test_what_people_type_is_read_as_models_answers_are(store: Store) -> None:
    text = schema_text(items="all").replace("said, kind: option_of, field: options", "said, kind: text")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    (item,) = make_items(store, 1)
    typed = ("The answer is (A).", "red, I think", "no idea at all")
    for person, words in zip(make_people(store, "una", "vera", "wim"), typed, strict=True):
        answer(store, person, words)
    make_run(store, [answered(item, words) for words in typed[:1]], name="tiny")
    rows = board(store).whole
    values = [rows[f"respondent {n}"].found.value for n in (1, 2, 3)]
    assert values == [1.0, 1.0, 0.0], "unreadable answers count as wrong"
    assert sum(rows["respondent 3"].unread.values()) == 1
    assert rows["tiny"].found.value == values[0], "the same words from a model"
    assert rows["People"].found.value == pytest.approx(2 / 3)
    assert rows["People, vote of 3"].found.value == 1.0


@pytest.mark.thorough
@pytest.mark.both_databases
def test_three_people_at_once_fill_three_slots(store: Store) -> None:
    begin(store, items="all")
    make_items(store, 6)
    people = make_people(store, *(f"p{n}" for n in range(5)))

    def work(person: Person) -> int:
        n = 0
        while isinstance(view := what_comes(store, person), TaskView):
            submissions.submit(store, person=person, task=view.id, key=f"{person.id}-{view.id}", values={"said": "red"})
            n += 1
        return n

    with ThreadPoolExecutor(5) as threads:
        done = list(threads.map(work, people))
    assert sum(done) == 18
    found = project_answers.read_project(store, person=None, project="p")
    assert Counter(answer.item for answer in found.answers) == dict.fromkeys(found.items, 3)
    assert found.respondents == {f"respondent {n}" for n in range(1, sum(map(bool, done)) + 1)}
    assert project_check.check(store, project="p") == []


# ---- what becomes of it ----------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_an_answer_can_be_mended_for_a_while_and_the_later_one_counts(store: Store) -> None:
    store.clock = clock = Clock()
    begin(store, items="all")
    make_items(store, 1)
    una = make_person(store, "una")
    answer(store, una, "blue")
    view = submissions.undo(store, person=una, project="p", stage=Stage.ANSWERING)
    submissions.submit(store, person=una, task=view.id, key="mended", values={"said": "red"})
    found = project_answers.read_project(store, person=None, project="p")
    assert [(each.model, each.right) for each in found.answers] == [("respondent 1", 1.0)]
    with store.read() as session:
        project_id = access_to(session, person=None, project="p").project_id
        open_ = tasks.unfinished(session, project_id=project_id, stage=Stage.GRADING)
        texts = stored_answers.texts(session, ids=[row.prediction_id or 0 for row in open_])
    assert set(texts.values()) == {"red"}, "no one grades what was taken back"
    clock.advance(minutes=31)
    with pytest.raises(ConflictError, match="already counts"):
        submissions.undo(store, person=una, project="p", stage=Stage.ANSWERING)


def test_time_is_kept_and_pay_sees_it(store: Store) -> None:
    store.clock = clock = Clock()
    begin(store, items="all")
    make_items(store, 1)
    una = make_person(store, "una")
    view = claimed(store, una, Stage.ANSWERING)
    clock.advance(seconds=30)
    submissions.submit(store, person=una, task=view.id, key="k", values={"said": "red"}, seconds=12.0)
    with store.read() as session:
        project = access_to(session, person=None, project="p").project_id
        paid = work_pace.paid(session, project_id=project, since=None, until=None)
    (line,) = [each for each in paid if each.stage is Stage.ANSWERING]
    assert (line.person_id, line.n, line.seconds) == (una.id, 1, 12.0)


@pytest.mark.both_databases
def test_the_dashboard_says_where_people_are_too_few(store: Store) -> None:
    begin(store, items="all")
    make_items(store, 2)
    make_people(store, "una", "vera")
    said = [line for each in project_progress.dashboard(store, person=None, project="p").rows for line in each.blocked]
    assert any("2 items wait for answers by 3 people, but only 2 people may answer" in line for line in said)


# ---- results ---------------------------------------------------------------------------------------------------------


def answered(item: int, text: str) -> Attempt:
    return Attempt(unit_id=item, outcome=Outcome.ANSWERED, text=text)


def open_items(store: Store) -> set[str]:
    """The items that someone could answer now."""
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        rows = tasks.unfinished(session, project_id=access.project_id, stage=Stage.ANSWERING)
        return {stored_items.by_id(session, id=row.item_id or 0).external_id for row in rows}


PLANTED = {
    "una": "rrrrrrrrrb",
    "wanda": "rrrrrrrbbb",
    "wim": "rrrrrbbbrb",
}
"""Red is right: who says what of items 0 to 9."""


def planted(store: Store, **what: Any) -> None:
    """Three people of known accuracy answer ten items, and a model that has six of them right."""
    begin(store, items="all", **what)
    made = make_items(store, 10)
    for person in make_people(store, *PLANTED):
        for _ in range(10):
            view = claimed(store, person, Stage.ANSWERING)
            at = int(view.fields["question"].removeprefix("Question ").removesuffix("?"))
            said = {"r": "red", "b": "blue"}[PLANTED[person.login][at]]
            submissions.submit(store, person=person, task=view.id, key=f"k{view.id}", values={"said": said})
    make_run(store, [answered(item, "A" if at < 6 else "B") for at, item in enumerate(made)], name="tiny")


@pytest.mark.thorough
def test_every_figure_of_people_of_planted_accuracy(store: Store) -> None:
    planted(store)
    cut = board(store)
    value = {name: line.found.value for name, line in cut.whole.items()}
    # by hand: 9, 7 and 6 of 10; of each item the share of three, then the mean: 22/30
    assert value["respondent 1"] == pytest.approx(0.9)
    assert value["respondent 2"] == pytest.approx(0.7)
    assert value["respondent 3"] == pytest.approx(0.6)
    assert value["tiny"] == pytest.approx(0.6)
    shares = [Fraction(sum(said[at] == "r" for said in PLANTED.values()), 3) for at in range(10)]
    assert value["People"] == pytest.approx(float(sum(shares) / 10)) == pytest.approx(22 / 30)
    # items 0 to 6 and 8 have a majority for red: 8 of 10
    assert [share > Fraction(1, 2) for share in shares].count(True) == 8
    assert value["People, vote of 3"] == pytest.approx(0.8)
    people, votes = cut.whole["People"], cut.whole["People, vote of 3"]
    assert (people.found.n_units, people.respondents, people.given) == (10, 3, 30)
    assert (votes.found.n_units, votes.respondents, votes.given) == (10, 3, 30)
    # Student's interval of ten means, from first principles: sd / sqrt(n) * t(9, 0.975)
    mean = float(sum(shares) / 10)
    sd = math.sqrt(sum((float(each) - mean) ** 2 for each in shares) / 9)
    half = 2.2621571628540993 * sd / math.sqrt(10)
    assert (people.found.low, people.found.high) == pytest.approx((mean - half, min(mean + half, 1)), abs=0.02)
    # Wilson's interval of 8 in 10
    assert (votes.found.low, votes.found.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert any("People (10 items, 3 people, 30 answers)" in note for note in cut.notes)
    assert any("0 ties" in note for note in cut.notes)
    assert cut.whole["tiny"].as_row() == model_alone(store).as_row(), "what people do changes no model's line"


def model_alone(store: Store) -> Any:
    """The line of the model in a project in which no person has answered."""
    make_project(store, name="q", loaded=load_text(schema_text(items="all"), "Be exact.", "blind"))
    made = make_items(store, 10, project="q")
    attempts = [answered(item, "A" if at < 6 else "B") for at, item in enumerate(made)]
    make_run(store, attempts, name="tiny", project="q")
    found = project_answers.read_project(store, person=None, project="q")
    cut = leaderboard.sliced_scores(found, KEY)
    assert list(cut.whole) == ["tiny"]
    assert "respondents" not in leaderboard.as_csv(cut.lines())
    return cut.whole["tiny"]


@pytest.mark.thorough
def test_a_tie_counts_the_share_of_the_tied_answers_that_is_right(store: Store) -> None:
    begin(store, items="all", people=2)
    make_items(store, 4)
    una, vera, wim = make_people(store, "una", "vera", "wim")
    say = {"Question 0?": ("red", "red"), "Question 1?": ("red", "blue"), "Question 2?": ("blue", "blue")}
    for at, person in enumerate((una, vera)):
        for _ in range(4):
            view = claimed(store, person, Stage.ANSWERING)
            question = view.fields["question"]
            if question in say:
                given = {"said": say[question][at]}
                submissions.submit(store, person=person, task=view.id, key=view.id, values=given)
            elif person is una:
                submissions.submit(store, person=person, task=view.id, key=view.id, values={"said": "red"})
            else:
                claims.release(store, person=person, task=view.id)
    line = board(store).whole["People, vote of 2"]
    assert line.found.value == pytest.approx((1 + 0.5 + 0) / 3)
    assert line.left_out == {"answered by fewer than 2 people": 1}
    assert wim


@pytest.mark.thorough
def test_files_pages_and_agreement_have_the_rows_and_no_names(store: Store) -> None:
    planted(store)
    found = leaderboard_page.leaderboards(store, project="p")
    cut = found.of[KEY].board
    assert set(cut.models) == {
        "tiny", "People", "People, vote of 3", "respondent 1", "respondent 2", "respondent 3",
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(leaderboard.as_csv(cut.lines()))))
    pooled = next(row for row in rows if row["model"] == "People" and row["part"] == "")
    assert (pooled["n"], pooled["unit"], pooled["respondents"], pooled["answers_of_respondents"]) == (
        "10", "item", "3", "30",
    )  # fmt: skip
    told = json.dumps(leaderboard.as_json(found, [cut]))
    assert not [name for name in PLANTED if name in told]
    assert {gap.model for gap in found.of[KEY].gaps} == set(cut.models) - {cut.models[0]}
    assert found.overview["People", KEY].found.value == pytest.approx(22 / 30)
    _they_agree_as_planted(store)
    said = ratings.ratings_of(store, project="p", stage=Stage.ANSWERING, pseudonyms=True)
    assert len(said) == 30
    assert not {each.rater for each in said} & PLANTED.keys()


def _they_agree_as_planted(store: Store) -> None:
    found = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.ANSWERING)
    (said,) = [each for each in found if each.statistic == "percent_agreement" and "pair" not in each.args]
    pairs = [(one[at], other[at]) for at in range(10) for one, other in combinations(PLANTED.values(), 2)]
    share = sum(one == other for one, other in pairs) / 30
    assert (said.criterion, said.n_units, said.n_raters) == ("said", 10, 3)
    assert said.value == pytest.approx(share)


def test_common_items_are_those_of_models(store: Store) -> None:
    begin(store, items="all")
    made = make_items(store, 4)
    make_run(store, [answered(item, "A") for item in made], name="tiny")
    answer(store, make_person(store, "una"))
    assert board(store, common=True).whole["tiny"].found.n_units == 4


@pytest.mark.thorough
def test_a_withdrawn_person_counts_nowhere(store: Store) -> None:
    planted(store)
    with store.read() as session:
        project_id = access_to(session, person=None, project="p").project_id
        una = people.by_login(session, login="una")
        assert una is not None
        run = respondents.run_of(session, project_id=project_id, person_id=una.id)
        assert run is not None
    run_control.withdraw(store, by=None, run=run.public_id, reason="asleep")
    rows = board(store).whole
    assert run.name not in rows
    assert rows["People"].found.value == pytest.approx(13 / 20), "wanda and wim: 7 and 6 of 10"
    assert rows["People, vote of 3"].found.n_units == 0


def test_people_s_answers_are_graded_blind_like_models(store: Store) -> None:
    begin(store, items="all")
    make_items(store, 1)
    una, vera = make_people(store, "una", "vera")
    answer(store, una, "blue")
    view = claimed(store, vera, Stage.GRADING)
    assert view.answer == "blue"
    assert "respondent" not in str(view)
    assert nothing_for(store, una, Stage.GRADING)


# ---- the schema ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("people: 3", "people: 0", "the number must be at least 1"),
        ("people: 3", "people: 3\n    per_dimension: 0", "the number must be at least 1"),
        ("people: 3", "people: 3\n    shows: [answer]", "`answer` reveals the right answer"),
        ("people: 3", "people: 3\n    shows: [questoin]", "is not a field of the item"),
        ("people: 3", "people: 3\n    dimensions: [size]", "size"),
        ("said, kind: option_of", "said, kind: multi_choice", "answers of this kind cannot be compared"),
        ('prompt: "Your answer"}', 'prompt: "Your answer", skip: {label: Skip}}',
         "people answer every item, as models do"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(old: str, new: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        load_text(schema_text().replace(old, new), "Be exact.", "blind")


def test_answers_that_nothing_would_score_are_refused() -> None:
    text = """
name: plain
version: 1
title: Plain
dimensions: [{id: colour, title: Colour}]
item: {fields: [{name: question, kind: text}]}
stages: {answering: {people: 1, criteria: [{name: said, kind: text, prompt: "Your answer"}]}}
"""
    with pytest.raises(SchemaError, match="answers would get no scores"):
        load_text(text, "", "plain")
