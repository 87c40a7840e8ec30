"""Coding of failures: planted codes are counted right, coders know neither the model nor each other, seniors settle."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.workbench import page
from db import files, tasks
from db.engine import Store
from domain.errors import ConflictError, NotAllowedError, NotFoundError, SchemaError
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from extensions.cases.coding import SETTLED, CodingProgress
from extensions.cases.coding_intake import CodingIntake, open_coding, preview_coding
from extensions.cases.tests.coded_answers import coded_answers
from testkit.coded_world import CODING, answer, code, code_all, schema
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from testkit.looks import look
from workflow.access.projects import access_to
from workflow.annotate import claims, grading, submissions
from workflow.files.project_check import check
from workflow.results import rater_agreement

# ---- who knows what --------------------------------------------------------------------------------------------------


def test_coders_see_item_reference_and_answer_and_nothing_that_tells_of_the_model_or_of_others(store: Store) -> None:
    loaded = schema()
    make_project(store, loaded=loaded)
    answer(store, make_items(store), "secret-model", lambda at: "blue")
    open_coding(store, by=None, project="p")
    ann, bob = make_people(store, "anna-secret", "bob-secret")
    sam = make_person(store, "sam", role=Role.SENIOR)
    submissions_before = claimed(store, ann, Stage.CODING)
    submissions.submit(
        store, person=ann, task=submissions_before.id, key="k", values={"failure": ["reasoning"]}, note="anna's note"
    )
    view = claimed(store, bob, Stage.CODING)
    assert (view.fields["question"], view.fields["answer"], view.answer) == ("Question 0?", "red", "blue")
    sent = json.dumps(page.task_part(loaded.schema_, view)) + json.dumps(dataclasses.asdict(view), default=str)
    for word in ("secret", "reasoning", "anna"):
        assert word not in sent
    submissions.submit(store, person=bob, task=view.id, key="k", values={"failure": ["format"]})
    settling = claimed(store, sam, Stage.ARBITRATION)
    assert sorted(vote.label for vote in settling.votes) == ["Coder A", "Coder B"]
    assert sorted(vote.values["failure"] for vote in settling.votes) == [["format"], ["reasoning"]]
    assert "secret" not in json.dumps(dataclasses.asdict(settling), default=str)


@pytest.mark.both_databases
def test_each_answer_has_its_coders_once_each_and_someone_else_settles_it(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    (ann,) = make_people(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    code(store, ann, ["format"])
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.CODING), NoTask)
    code(store, sam, ["reasoning"])
    assert isinstance(claims.next_task(store, person=sue, project="p", stage=Stage.CODING), NoTask)
    assert isinstance(claims.next_task(store, person=sam, project="p", stage=Stage.ARBITRATION), NoTask)
    refused = claims.next_task(store, person=ann, project="p", stage=Stage.ARBITRATION)
    assert isinstance(refused, NoTask)
    assert refused.code == "not_member"
    code(store, sue, ["format"], stage=Stage.ARBITRATION)


def test_who_looks_into_an_item_while_it_is_coded_is_not_asked_about_it(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    lea = make_person(store, "lea", role=Role.LEAD)
    sam = make_person(store, "sam", role=Role.SENIOR)
    with pytest.raises(NotAllowedError, match="may still be asked to review this item blind"):
        look(store, sam, "colour/0")
    look(store, lea, "colour/0")
    for stage in (Stage.CODING, Stage.ARBITRATION):
        assert isinstance(claims.next_task(store, person=lea, project="p", stage=stage), NoTask)
    code(store, sam, ["format"])


@pytest.mark.thorough
def test_answer_by_answer_is_coded_by_all_who_are_asked(store: Store) -> None:
    make_project(store, loaded=schema())
    lead, first, second, _ = *make_people(store, "lea", role=Role.LEAD), *make_people(store, "ann", "ben", "cas")
    answer(store, make_items(store, 30), "secret", lambda at: "blue")
    open_coding(store, by=lead, project="p")
    begun = {code(store, first, ["format"]).item for _ in range(5)}
    assert {code(store, second, ["format"]).item for _ in range(5)} == begun
    assert Counter(each.standing for each in coded_answers(store))[CodingProgress.UNANIMOUS] == 5


@pytest.mark.thorough
@pytest.mark.both_databases
def test_two_coders_who_submit_at_once_open_one_arbitration(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store, 4), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    people = make_people(store, "ann", "bob")

    def work(person: Person, given: list[str]) -> int:
        return code_all(store, person, lambda view: given)

    with ThreadPoolExecutor(2) as threads:
        done = [threads.submit(work, *each) for each in zip(people, (["format"], ["reasoning"]), strict=True)]
        assert [each.result() for each in done] == [4, 4]
    with store.read() as session:
        id = access_to(session, person=None, project="p").project_id
        waiting = tasks.unfinished(session, project_id=id, stage=Stage.ARBITRATION)
    assert len({row.unit for row in waiting}) == len(waiting) == 4
    assert check(store) == []


def test_a_correction_calls_arbitration_off_until_someone_has_settled_it(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    ann, bob = make_people(store, "ann", "bob")
    sam = make_person(store, "sam", role=Role.SENIOR)
    code(store, ann, ["format"])
    code(store, bob, ["reasoning"])
    view = submissions.undo(store, person=bob, project="p", stage=Stage.CODING)
    submissions.submit(store, person=bob, task=view.id, key="again", values={"failure": ["format"]})
    assert isinstance(claims.next_task(store, person=sam, project="p", stage=Stage.ARBITRATION), NoTask)
    view = submissions.undo(store, person=bob, project="p", stage=Stage.CODING)
    submissions.submit(store, person=bob, task=view.id, key="and again", values={"failure": ["perception"]})
    code(store, sam, ["format"], stage=Stage.ARBITRATION)
    with pytest.raises(ConflictError, match=SETTLED):
        submissions.undo(store, person=bob, project="p", stage=Stage.CODING)
    view = submissions.undo(store, person=sam, project="p", stage=Stage.ARBITRATION)
    submissions.submit(store, person=sam, task=view.id, key="third", values={"failure": ["reasoning"]})
    assert [each.values for each in coded_answers(store)] == [{"failure": ["reasoning"]}]


# ---- the settings ----------------------------------------------------------------------------------------------------


def test_a_sample_is_even_stays_and_grows(store: Store) -> None:
    make_project(store, loaded=schema(CODING.replace("of: {score: key}", "of: {score: key}\n    outputs: 6")))
    for dimension in ("colour", "shape"):
        ids = make_items(store, 5, dimension=dimension)
        for model in ("one", "two"):
            answer(store, ids, model, lambda at: "blue", dimension=dimension)
    sent = open_coding(store, by=None, project="p")
    assert (sent.wrong, sent.before, sent.opened) == (20, 0, 6)
    first = coded_answers(store)
    assert Counter(each.dimension for each in first) == {"colour": 3, "shape": 3}
    assert set(Counter((each.dimension, each.model) for each in first).values()) == {1, 2}
    again = open_coding(store, by=None, project="p")
    assert (again.before, again.opened) == (6, 0)
    assert coded_answers(store) == first
    with pytest.raises(ConflictError, match="already has 6 planned answers"):
        open_coding(store, by=None, project="p", outputs=6)
    assert open_coding(store, by=None, project="p", outputs=8).opened == 2
    more = coded_answers(store)
    assert {each.id for each in first} < {each.id for each in more}
    assert Counter((each.dimension, each.model) for each in more) == dict.fromkeys(
        [(dimension, model) for dimension in ("colour", "shape") for model in ("one", "two")], 2
    )
    assert open_coding(store, by=None, project="p").opened == 0, "what a lead has extended stays so"


def grade(store: Store, ids: Sequence[int], item_ids: Sequence[int], scores: Sequence[float]) -> None:
    """Two people give the answers these grades."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        made = [(id, item, "colour") for id, item in zip(ids, item_ids, strict=True)]
        grading.open_grading(session, access=access, predictions=made, now=store.now())
    of = {f"{'blue'} {at}": score for at, score in enumerate(scores)}
    for person in make_people(store, "gil", "gus"):
        for _ in ids:
            view = claimed(store, person, Stage.GRADING)
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": of[view.answer or ""]})


@pytest.mark.parametrize(
    ("of", "wrong", "unscored"),
    [
        ("{score: human, criterion: score}", {1, 2}, 1),
        ("{score: human, criterion: score, below: 0.5}", {2}, 1),
        ("{items: [colour/0, colour/3]}", {0, 3}, 0),
        ("{score: human, criterion: score, items: [colour/0, colour/2, nowhere]}", {2}, 0),
    ],
)
def test_which_answers_are_coded_is_what_the_schema_says(store: Store, of: str, wrong: set[int], unscored: int) -> None:
    make_project(store, loaded=schema(CODING.replace("{score: key}", of)))
    item_ids = make_items(store, 4)
    ids = answer(store, item_ids, "m", lambda at: f"blue {at}")
    grade(store, ids[:3], item_ids[:3], (1, 0.5, 0))
    before = preview_coding(store, by=None, project="p")
    sent = open_coding(store, by=None, project="p")
    assert before == sent
    assert (sent.wrong, sent.unscored) == (len(wrong), unscored)
    assert ("nowhere" in sent.sentence) == ("nowhere" in of)
    coded = coded_answers(store)
    assert {item_ids.index(each.item) for each in coded} == wrong


def test_dimensions_raters_and_arbitration_are_what_the_schema_says(store: Store) -> None:
    more = "    arbitration: false\n    dimensions: [shape]\n"
    make_project(store, loaded=schema(CODING.replace("raters: 2", "raters: 3") + more))
    answer(store, make_items(store, 1), "m", lambda at: "blue")
    answer(store, make_items(store, 1, dimension="shape"), "m", lambda at: "blue", dimension="shape")
    assert open_coding(store, by=None, project="p").opened == 1
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    sam = make_person(store, "sam", role=Role.SENIOR)
    for person, given in ((ann, ["format"]), (bob, ["format"]), (cy, ["reasoning"])):
        assert code(store, person, given).dimension == "shape"
    refused = claims.next_task(store, person=sam, project="p", stage=Stage.ARBITRATION)
    assert isinstance(refused, NoTask)
    assert refused.code == "no_stage"
    assert [each.standing for each in coded_answers(store)] == [CodingProgress.DIFFER], "it stays unsettled"


def test_a_judge_that_has_said_nothing_makes_nothing_wrong(store: Store) -> None:
    of = "{score: judge, criterion: score, judge: gpt-9}"
    make_project(store, loaded=schema(CODING.replace("{score: key}", of)))
    answer(store, make_items(store, 1), "m", lambda at: "blue")
    with pytest.raises(NotFoundError, match=r"No judge 'gpt-9' has scored score\. Judges with scores: none"):
        open_coding(store, by=None, project="p")


def test_of_several_judges_the_schema_names_one(store: Store) -> None:
    make_project(store, loaded=schema(CODING.replace("{score: key}", "{score: judge, criterion: score}")))
    answer(store, make_items(store, 3), "m", lambda at: "blue")

    def said_by(judge: str, *values: float) -> None:
        with store.write() as session:
            id, now = access_to(session, person=None, project="p").project_id, store.now()
            about = {"project_id": id, "stage": Stage.GRADING, "criterion": "score", "created_at": now}
            rows = [
                {**about, "unit": f"colour/{at} · m", "rater": judge, "value": value, "dimension": "colour"}
                for at, value in enumerate(values)
            ]
            files.add_ratings(session, rows=rows)

    said_by("one judge", 1, 0.5)
    sent = preview_coding(store, by=None, project="p")
    assert (sent.wrong, sent.unscored) == (1, 1), "what the judge has not scored is not called wrong"
    said_by("another judge", 0, 0, 0)
    with pytest.raises(
        ConflictError,
        match=r"another judge, one judge\. In the schema's `coding` stage, name one of these judges as `judge`",
    ):
        open_coding(store, by=None, project="p")


def test_in_a_sample_untouched_answers_that_count_no_more_give_way(store: Store) -> None:
    make_project(store, loaded=schema(CODING.replace("of: {score: key}", "of: {score: key}\n    outputs: 2")))
    ids = make_items(store, 4)
    answer(store, ids, "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    (ann,) = make_people(store, "ann")
    touched = code(store, ann, ["format"])
    answer(store, ids, "m", lambda at: "blue it is")  # it answers all of them again
    sent = open_coding(store, by=None, project="p")
    assert (sent.before, sent.opened) == (0, 2)
    seen = [view.answer for view in (code(store, ann, ["format"]), code(store, ann, ["format"]))]
    assert (touched.answer, seen) == ("blue", ["blue it is"] * 2)
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.CODING), NoTask)


@pytest.mark.both_databases
def test_what_is_coded_whole_has_no_sample_to_extend(store: Store) -> None:
    make_project(store, loaded=schema())
    with pytest.raises(ConflictError, match="there is no sample to extend"):
        open_coding(store, by=None, project="p", outputs=5)


@pytest.mark.both_databases
def test_answers_to_a_rejected_item_are_coded_no_more(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store, 1), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    for person in make_people(store, "vic", "val", stages=[Stage.VERIFICATION]):
        vote(store, person, "blue")  # not the key, so that the item is rejected
    (ann,) = make_people(store, "ann")
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.CODING), NoTask)
    assert coded_answers(store)[0].standing is CodingProgress.WAITING


@pytest.mark.thorough
def test_peoples_own_wrong_answers_are_coded_by_others(store: Store) -> None:
    answering = """  answering:
    people: 1
    items: all
    criteria: [{name: said, kind: option_of, field: options, prompt: "Your answer"}]
"""
    make_project(store, loaded=schema(answering + CODING))
    ids = make_items(store, 1)
    una, ann = make_people(store, "una", "ann")
    view = claimed(store, una, Stage.ANSWERING)
    submissions.submit(store, person=una, task=view.id, key="k", values={"said": "blue"})
    answer(store, ids, "m", lambda at: "blue")
    assert open_coding(store, by=None, project="p").opened == 2
    assert isinstance(claims.next_task(store, person=una, project="p", stage=Stage.CODING), NoTask)
    assert [code(store, ann, ["format"]).answer for _ in range(2)] == ["blue", "blue"]
    models = {each.model for each in coded_answers(store)}
    assert models == {"m", "respondent 1"}


def test_a_project_without_coding_sends_nothing(store: Store) -> None:
    make_project(store)
    for ask in (open_coding, preview_coding):
        with pytest.raises(ConflictError, match="has no coding stage"):
            ask(store, by=None, project="p")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("raters: 2\n    of", "raters: 0\n    of", "the number must be at least 1"),
        ("of: {score: key}", "of: {}", "`score` is missing"),
        ("of: {score: key}", "of: {score: human}", "`criterion` is missing"),
        ("of: {score: key}", "of: {score: human, criterion: scor}", "not a grading criterion with numbers.*`score`"),
        ("of: {score: key}", "of: {score: key, criterion: score}", "only scores of people and judges"),
        (
            "of: {score: key}",
            "of: {score: key, judge: m}",
            "`judge` works only with `score: judge`; add `score: judge`, or remove `judge`",
        ),
        ("of: {score: key}", "of: {items: [a], below: 1}", "below: `below` works only with `score`"),
        ("of: {score: key}", "of: {score: key}\n    outputs: 0", "the number must be at least 1"),
        ("of: {score: key}", "of: {score: key}\n    dimensions: [size]", "`size` is not a dimension"),
        ("name: failure", "name: score", "score"),
        (
            CODING[CODING.index("      - ") :],
            "      - {name: why, kind: text, prompt: Why}\n",
            "no criterion has `options`",
        ),
    ],
)
def test_what_a_schema_cannot_mean_is_told(before: str, after: str, said: str) -> None:
    assert before in CODING
    with pytest.raises(SchemaError, match=said):
        schema(CODING.replace(before, after))


def test_intake_is_told_in_words() -> None:
    assert CodingIntake("", 1, 1, 0, 0, 1).sentence == (
        "Of 1 answer, the schema selects 1 for coding. 0 of the answers are already in coding. Sending adds 1 more."
    )


# ---- agreement -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_agreement_of_coders_is_that_of_any_stage(store: Store) -> None:
    choice = CODING.replace("multi_choice", "choice").replace(", min: 1", "")
    make_project(store, loaded=schema(choice))
    answer(store, make_items(store, 4), "m", lambda at: f"blue, {at}")
    open_coding(store, by=None, project="p")
    said = {0: ("perception",) * 2, 1: ("perception",) * 2, 2: ("reasoning",) * 2, 3: ("perception", "reasoning")}
    for place, person in enumerate(make_people(store, "ann", "bob")):
        code_all(store, person, lambda view, place=place: said[int((view.answer or "")[-1])][place])
    lines = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.CODING)
    told = {each.statistic: each.value for each in lines if each.args.get("weights", "none") == "none"}
    # 3 of 4 equal; ann says perception 3 of 4 times, bob 2 of 4: by chance 3/4 * 2/4 + 1/4 * 2/4 = 1/2
    assert told["percent_agreement"] == pytest.approx(0.75)
    assert told["cohen_kappa"] == pytest.approx((0.75 - 0.5) / 0.5)
