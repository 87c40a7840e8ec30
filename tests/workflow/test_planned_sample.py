"""Whom people grade is planned: what a plan draws, what it costs, how it opens, and how it is extended."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

import pytest
import yaml
from sqlalchemy import event
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db import files
from db.engine import Store
from db.tables import EventRow, ItemRow, PredictionRow, ProjectRow, RunRow, TaskRow
from domain.errors import ConflictError
from domain.order import stratified_sample
from domain.rated_units import unit_of
from domain.records import NoTask, Person, TaskView
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome
from domain.states import Purpose, Stage, TaskState
from testkit import factories
from workflow.access.projects import access_to
from workflow.annotate import claims, grading, submissions
from workflow.annotate.authoring import NewItem, add_items
from workflow.annotate.project_progress import dashboard
from workflow.annotate.sample_standing import SampleProgress
from workflow.files.project_check import check
from workflow.results import leaderboard, project_answers, rater_agreement, score_choices
from workflow.runs import run_control, run_grading

pytestmark = pytest.mark.thorough

PLANNED = yaml.safe_load(
    """
name: planned
version: 1
title: Planned
dimensions:
  - {id: d1, title: D1, group: g1}
  - {id: d2, title: D2, group: g1}
  - {id: d3, title: D3, group: g2}
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text}, {name: answer, kind: text}, {name: topology, kind: text, required: false}]
stages:
  grading:
    raters: 3
    criteria: [{name: score, kind: scale, prompt: "?", values: [0, 1]}]
"""
)
VOTED = yaml.safe_load(
    """
raters: 1
criteria: [{name: ok, kind: choice, prompt: "?", options: [{value: yes_, label: "Yes"}, {value: no_, label: "No"}]}]
keep: {rule: unanimous, criterion: ok, value: yes_}
"""
)


def planned(sample: Mapping[str, Any], *, verified: bool = False, **grading: Any) -> LoadedSchema:
    whole = yaml.safe_load(yaml.safe_dump(PLANNED))
    whole["stages"]["grading"] |= {"sample": dict(sample), **grading}
    if verified:
        whole["stages"]["verification"] = VOTED
    return load_text(yaml.safe_dump(whole, sort_keys=False), "g", "planned")


def made(store: Store, sample: Mapping[str, Any], sizes: Mapping[str, int], *, seed: int = 5, **more: Any) -> None:
    """A project with so many items in each dimension, called ``d1/0`` and so on."""
    factories.make_project(store, loaded=planned(sample, **more))
    with store.write() as session:
        session.exec(select(ProjectRow).where(ProjectRow.name == "p")).one().seed = seed
    add(store, sizes)


def add(store: Store, sizes: Mapping[str, int], *, begin: int = 0) -> None:
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = [
            NewItem(f"{d}/{at}", d, {"question": "?", "answer": "x", "topology": "chain" if at % 4 else "graph"})
            for d, n in sizes.items()
            for at in range(begin, begin + n)
        ]
        add_items(session, access=access, new=new, now=store.now())


def answer(store: Store, *models: str, but: Collection[str] = (), only: Collection[str] | None = None) -> str:
    """The answers of models to all items but some, passed on to people as an import does; the run's id."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name="/".join(models), created_at=store.now())
        session.add(run)
        session.flush()
        rows = [
            (item.dimension, PredictionRow(
                project_id=access.project_id, item_id=item.id, run_id=run.id, model=model, text="x",
                created_at=store.now(),
            ))
            for item in session.exec(
                select(ItemRow).where(ItemRow.project_id == access.project_id).order_by(col(ItemRow.id))
            )
            if item.external_id not in but and (only is None or item.external_id in only)
            for model in models
        ]  # fmt: skip
        session.add_all([row for _, row in rows])
        session.flush()
        made = [(row.id, row.item_id, dimension) for dimension, row in rows]
        grading.open_grading(session, access=access, predictions=made, now=store.now())
        return run.public_id


def slots(store: Store) -> dict[tuple[str, str], Counter[TaskState]]:
    """Item and model of every answer that has slots, with their states."""
    with store.read() as session:
        rows = session.exec(
            select(ItemRow.external_id, PredictionRow.model, TaskRow.state)
            .join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
            .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
            .where(TaskRow.stage == Stage.GRADING, TaskRow.purpose == Purpose.LIVE)
        )
        found: dict[tuple[str, str], Counter[TaskState]] = {}
        for item, model, state in rows:
            found.setdefault((item, model), Counter())[state] += 1
        return found


def opened(store: Store) -> set[tuple[str, str]]:
    """Item and model of the answers that people can grade or have graded."""
    return {place for place, states in slots(store).items() if set(states) != {TaskState.WITHDRAWN}}


def standing(store: Store, outputs: int | None = None) -> SampleProgress:
    found = run_grading.planned_sample(store, by=None, project="p", outputs=outputs)
    assert found is not None
    return found


def grade(store: Store, person: Person) -> tuple[str, str] | None:
    """Claim and grade the next answer: item and model."""
    view = claims.next_task(store, person=person, project="p", stage=Stage.GRADING)
    if isinstance(view, NoTask):
        return None
    submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": 1})
    return about(store, view)


def about(store: Store, view: TaskView) -> tuple[str, str]:
    with store.read() as session:
        return session.exec(
            select(ItemRow.external_id, PredictionRow.model)
            .join(PredictionRow, col(PredictionRow.item_id) == ItemRow.id)
            .join(TaskRow, col(TaskRow.prediction_id) == PredictionRow.id)
            .where(TaskRow.public_id == view.id)
        ).one()


def settle(store: Store, person: Person, verdicts: Mapping[str, str]) -> None:
    """Vote on all items; those that are not named are kept."""
    while not isinstance(view := claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), NoTask):
        with store.read() as session:
            item = session.exec(
                select(ItemRow.external_id)
                .join(TaskRow, col(TaskRow.item_id) == ItemRow.id)
                .where(TaskRow.public_id == view.id)
            ).one()
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"ok": verdicts.get(item, "yes_")})


def dimension_of(places: set[tuple[str, str]]) -> Counter[str]:
    return Counter(item.partition("/")[0] for item, _ in places)


# ---- what it costs, before anything opens ----------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_plan_says_what_it_costs_and_opens_when_a_lead_says_so(store: Store) -> None:
    made(store, {"outputs": 30, "strata": ["dimension"]}, {"d1": 20, "d2": 20, "d3": 4})
    answer(store, "a", "b")
    assert slots(store) == {}  # nothing opens by itself
    ann = factories.make_person(store, "ann")
    nothing = claims.next_task(store, person=ann, project="p", stage=Stage.GRADING)
    assert isinstance(nothing, NoTask)
    assert nothing.sentence == "No answers to grade yet. A lead must open the planned sample first."
    found = standing(store)
    # (20 + 20 + 4) items x 2 models; d3 has 8 answers, all of them, and 22 are left for the other two, 11 each
    assert (found.passed_on, found.drawn, found.slots, found.missing_slots, found.short) == (88, 30, 90, 90, 0)
    by_dimension = Counter[str]()
    for line in found.lines:
        by_dimension[line.strata[0]] += line.drawn
    assert by_dimension == {"d1": 11, "d2": 11, "d3": 8}
    assert found.cost == "30 answers x 3 people = 90 slots; 90 slots can be opened now."
    assert (
        found.sentence
        == "A planned sample of 30 of 88 answers. No answers are open to people yet. A lead can open the sample."
    )
    assert found.remarks == ["The sample has up to 11 answers per dimension, but fewer answers exist for d3 (8)."]
    assert dashboard(store, person=None, project="p").sample == found.sentence
    with store.read() as session:
        assert session.exec(select(EventRow).where(col(EventRow.kind).startswith("grading."))).all() == []
    assert run_grading.draw_sample(store, by=None, project="p") == 90
    assert run_grading.draw_sample(store, by=None, project="p") == 0  # a second press opens nothing
    assert dimension_of(opened(store)) == {"d1": 11, "d2": 11, "d3": 8}
    assert len(slots(store)) == 30  # answers beyond the sample have no slots at all
    assert all(states == {TaskState.OPEN: 3} for states in slots(store).values())
    after = standing(store)
    assert (after.total("untouched"), after.missing_slots, after.done) == (30, 0, False)
    assert check(store) == []


def test_models_and_dimensions_of_the_plan_are_the_only_ones(store: Store) -> None:
    made(store, {"models": ["b", "c"], "dimensions": ["d1", "d3"], "outputs": 16}, {"d1": 6, "d2": 6, "d3": 6})
    answer(store, "a", "b", "c")
    run_grading.draw_sample(store, by=None, project="p")
    assert standing(store).remarks == []
    found = Counter((item.partition("/")[0], model) for item, model in opened(store))
    assert found == {("d1", "b"): 4, ("d1", "c"): 4, ("d3", "b"): 4, ("d3", "c"): 4}


def test_without_a_number_all_answers_of_the_plan_are_graded(store: Store) -> None:
    made(store, {"models": ["b"], "dimensions": ["d1", "d3"]}, {"d1": 5, "d2": 5})
    answer(store, "a", "b", but=["d1/4"])
    assert (
        standing(store).sentence
        == "A planned sample: all 5 answers. No answers are open to people yet. A lead can open the sample."
    )
    assert standing(store).remarks == [
        "There are no items to draw in d3.",
        "b has not answered 1 of 5 items that the plan may draw.",
    ]
    assert run_grading.draw_sample(store, by=None, project="p") == 12
    assert opened(store) == {(f"d1/{at}", "b") for at in range(4)}
    answer(store, "b", only=["d1/4"])  # its place was in the sample all along
    assert opened(store) == {(f"d1/{at}", "b") for at in range(5)}
    with pytest.raises(ConflictError, match="the sample cannot grow"):
        run_grading.draw_sample(store, by=None, project="p", outputs=9)


def test_named_items_are_graded_and_no_others(store: Store) -> None:
    made(store, {"models": ["a", "b"], "items": ["d2/3", "d1/0"]}, {"d1": 5, "d2": 5})
    answer(store, "a", "b", "c")
    run_grading.draw_sample(store, by=None, project="p")
    assert opened(store) == {("d2/3", "a"), ("d2/3", "b"), ("d1/0", "a"), ("d1/0", "b")}


def test_strata_may_be_fields_and_groups(store: Store) -> None:
    # of 24 items each in d1 and d2 (group g1) and d3 (g2), a quarter has the topology graph: 12 of g1, 6 of g2
    made(store, {"outputs": 20, "strata": ["topology", "group"]}, {"d1": 24, "d2": 24, "d3": 24})
    answer(store, "a")
    run_grading.draw_sample(store, by=None, project="p")
    places = [item.split("/") for item, _ in opened(store)]
    found = Counter(("chain" if int(at) % 4 else "graph", "g2" if d == "d3" else "g1") for d, at in places)
    assert found == dict.fromkeys([("chain", "g1"), ("chain", "g2"), ("graph", "g1"), ("graph", "g2")], 5)


# ---- no bias ---------------------------------------------------------------------------------------------------------


def test_over_many_seeds_every_answer_of_a_stratum_is_equally_likely() -> None:
    places = [(f"d{at % 3}", model, str(at)) for at in range(30) for model in "ab"]  # 20 in each; 15 are drawn
    times: Counter[tuple[str, str, str]] = Counter()
    rounds, both = 1_000, 0
    for seed in range(rounds):
        drawn = stratified_sample(places, 15, seed=seed, name=lambda each: each[1:], strata=lambda each: each[:1])
        assert Counter(each[0] for each in drawn) == {"d0": 5, "d1": 5, "d2": 5}
        times.update(drawn)
        both += {("d0", "a", "0"), ("d0", "a", "3")} <= set(drawn)
    # binomial with p = 1/4: mean 250, standard deviation 13.7; six of them for the largest of 60
    assert len(times) == 60
    assert all(abs(n - rounds / 4) < 82 for n in times.values())
    # two of the same stratum: 5/20 x 4/19 = 0.0526, mean 53, standard deviation 7
    assert 11 < both < 95


@pytest.mark.parametrize("n", [1, 7, 40, 41, 59, 60, 61, 100])
def test_the_draw_hangs_on_no_order_and_a_part_of_it_can_be_taken_before(n: int) -> None:
    pick = Random(n)
    places = [(d, m, str(at)) for d in "abc" for m in "xyz" for at in range(pick.randint(1, 14))]

    def draw(lot: Sequence[tuple[str, str, str]], n: int, already: Sequence[tuple[str, str, str]] = ()) -> list[Any]:
        return stratified_sample(
            lot, n, seed=3, name=lambda e: e, strata=lambda e: e[:2], already=[each[:2] for each in already]
        )

    whole = draw(places, n)
    assert len(whole) == len(set(whole)) == min(n, len(places))
    for _ in range(5):
        other = pick.sample(places, len(places))
        assert draw(other, n) == whole
        before = pick.sample(whole, pick.randint(0, len(whole)))
        rest = draw([each for each in other if each not in before], n - len(before), before)
        assert {*before, *rest} == set(whole)
        assert set(whole) <= set(draw(other, n + pick.randint(0, 20)))


def test_the_order_in_which_answers_come_changes_nothing(store: Store) -> None:
    plan = {"models": ["a", "b"], "outputs": 14, "seed": 11}
    made(store, plan, {"d1": 12, "d2": 12})
    answer(store, "a", "b")
    run_grading.draw_sample(store, by=None, project="p")
    wanted = opened(store)
    assert len(wanted) == 14
    with store.write() as session:  # as another project would be, in which all came in another order
        session.exec(select(ProjectRow)).one().name = "first"
    made(store, plan, {"d2": 12}, seed=99)
    add(store, {"d1": 12})
    for lot in (["d1/3", "d2/7"], ["d1/9", "d1/1", "d2/2"]):
        answer(store, "b", only=lot)
    answer(store, "a", only=["d1/0"])
    run_grading.draw_sample(store, by=None, project="p")
    here = opened_in(store, "p")
    assert here == {place for place in wanted if place in answered(store)}
    ann = factories.make_person(store, "ann")
    grade(store, ann)
    answer(store, "a", but=["d1/0"])
    answer(store, "b", but=["d1/3", "d2/7", "d1/9", "d1/1", "d2/2"])
    assert opened_in(store, "p") == wanted


def opened_in(store: Store, project: str) -> set[tuple[str, str]]:
    with store.read() as session:
        rows = session.exec(
            select(ItemRow.external_id, PredictionRow.model)
            .join(PredictionRow, col(PredictionRow.item_id) == ItemRow.id)
            .join(TaskRow, col(TaskRow.prediction_id) == PredictionRow.id)
            .join(ProjectRow, col(ProjectRow.id) == TaskRow.project_id)
            .where(ProjectRow.name == project, TaskRow.state != TaskState.WITHDRAWN)
        )
        return set(rows.all())


def answered(store: Store) -> set[tuple[str, str]]:
    with store.read() as session:
        rows = session.exec(
            select(ItemRow.external_id, PredictionRow.model)
            .join(PredictionRow, col(PredictionRow.item_id) == ItemRow.id)
            .join(ProjectRow, col(ProjectRow.id) == ItemRow.project_id)
            .where(ProjectRow.name == "p")
        )
        return set(rows.all())


def test_a_model_that_comes_late_enters_a_plan_that_names_none(store: Store) -> None:
    made(store, {"outputs": 12}, {"d1": 10, "d2": 10})
    answer(store, "late")
    run_grading.draw_sample(store, by=None, project="p")
    first = opened(store)
    answer(store, "early")
    both = opened(store)
    assert Counter((item[:2], model) for item, model in both) == dict.fromkeys(
        [("d1", "late"), ("d2", "late"), ("d1", "early"), ("d2", "early")], 3
    )
    assert {place for place in both if place[1] == "late"} < first


def test_verdicts_that_come_late_draw_as_if_they_had_been_there(store: Store) -> None:
    made(store, {"outputs": 6, "strata": ["dimension"], "seed": 2}, {"d1": 12, "d2": 12}, verified=True)
    answer(store, "a")
    every = {f"{d}/{at}": "a" for d in ("d1", "d2") for at in range(12)}
    rejected = {f"d1/{at}" for at in range(0, 12, 2)} | {"d2/5"}
    run_grading.draw_sample(store, by=None, project="p")
    assert len(opened(store)) == 6  # no verdicts yet: answers to all items
    val = factories.make_person(store, "val", stages=[Stage.VERIFICATION])
    settle(store, val, dict.fromkeys(rejected, "no_"))
    run_grading.draw_sample(store, by=None, project="p")
    kept = [(item[:2], "a", item) for item in every if item not in rejected]
    wanted = stratified_sample(kept, 6, seed=2, name=lambda e: (e[1], e[2]), strata=lambda e: e[:1])
    assert opened(store) == {(item, "a") for _, _, item in wanted}
    assert dimension_of(opened(store)) == {"d1": 3, "d2": 3}


def test_what_was_drawn_and_has_no_verdict_yet_waits(store: Store) -> None:
    made(store, {"outputs": 4, "strata": []}, {"d1": 4, "d2": 4}, verified=True)
    answer(store, "a")
    val = factories.make_person(store, "val", stages=[Stage.VERIFICATION])
    view = factories.claimed(store, val)
    submissions.submit(store, person=val, task=view.id, key="v", values={"ok": "yes_"})
    run_grading.draw_sample(store, by=None, project="p")
    found = standing(store)
    assert found.total("untouched") + found.total("undecided") == 4
    assert len(opened(store)) == found.total("untouched") <= 1
    settle(store, val, {})
    assert standing(store).total("closed") == found.total("undecided")
    run_grading.draw_sample(store, by=None, project="p")
    assert len(opened(store)) == 4


# ---- later -----------------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_larger_number_keeps_what_was_drawn_and_adds_to_it(store: Store) -> None:
    made(store, {"outputs": 13}, {"d1": 10, "d2": 10, "d3": 10})
    answer(store, "a", "b")
    run_grading.draw_sample(store, by=None, project="p")
    ann = factories.make_person(store, "ann")
    graded = [grade(store, ann) for _ in range(5)]
    before = opened(store)
    preview = standing(store, outputs=31)
    assert (preview.drawn, preview.missing_slots) == (31, 3 * 18)
    assert opened(store) == before  # a look changes nothing
    assert run_grading.draw_sample(store, by=None, project="p", outputs=31) == 3 * 18
    after = opened(store)
    assert before < after
    assert len(after) == 31
    assert set(graded) <= after
    assert max(dimension_of(after).values()) - min(dimension_of(after).values()) <= 1
    for n, why in ((30, "cannot become smaller"), (61, "The plan can draw at most 60 answers, not 61")):
        with pytest.raises(ConflictError, match=why):
            run_grading.draw_sample(store, by=None, project="p", outputs=n)
        with pytest.raises(ConflictError, match=why):
            standing(store, outputs=n)
    assert opened(store) == after
    fresh = stratified_sample(
        [(item[:2], model, item) for item, model in answered(store)],
        31,
        seed=5,
        name=lambda e: (e[1], e[2]),
        strata=lambda e: e[:2],
    )
    assert after == {(item, model) for _, model, item in fresh}  # as if 31 had been planned from the beginning


def test_what_someone_has_graded_stays_when_its_plan_changes_around_it(store: Store) -> None:
    made(store, {"outputs": 4, "strata": ["model"]}, {"d1": 8})
    answer(store, "a")
    run_grading.draw_sample(store, by=None, project="p")
    ann = factories.make_person(store, "ann")
    graded = {grade(store, ann) for _ in range(3)}
    answer(store, "b")
    assert graded < opened(store)
    assert Counter(model for _, model in opened(store)) == {"a": 3, "b": 1}
    run_grading.draw_sample(store, by=None, project="p", outputs=8)
    assert Counter(model for _, model in opened(store)) == {"a": 4, "b": 4}


def test_a_withdrawn_run_leaves_its_places_waiting(store: Store) -> None:
    made(store, {"models": ["a", "b"], "outputs": 8, "strata": ["model"]}, {"d1": 8})
    answer(store, "a")
    run = answer(store, "b")
    run_grading.draw_sample(store, by=None, project="p")
    before = opened(store)
    run_control.withdraw(store, by=None, run=run, reason="wrong prompt")
    assert opened(store) == {place for place in before if place[1] == "a"}
    assert standing(store).total("unanswered") == 4
    run_control.take_back(store, by=None, run=run)
    assert opened(store) == before


def test_answers_of_a_run_are_sent_by_the_plan_alone(store: Store) -> None:
    made(store, {"models": ["a", "little-model"], "outputs": 6, "strata": ["model"]}, {"d1": 9})
    answer(store, "a")
    with store.read() as session:
        ids = list(session.exec(select(ItemRow.id).order_by(col(ItemRow.id))))
    attempts = [Attempt(id, Outcome.ANSWERED, "x") for id in ids if id is not None]
    run = factories.make_run(store, attempts, name="little-model")
    assert run_grading.slots_of(store, by=None, run=run) == {}
    assert run_grading.send_to_grading(store, by=None, run=run) == 0  # nothing is open yet
    assert slots(store) == {}
    run_grading.draw_sample(store, by=None, project="p")
    assert Counter(model for _, model in opened(store)) == {"a": 3, "little-model": 3}
    add(store, {"d1": 9}, begin=9)
    with store.read() as session:
        late = [id for id in session.exec(select(ItemRow.id).order_by(col(ItemRow.id))) if id not in ids]
    answer(store, "a", only=[f"d1/{at}" for at in range(9, 18)])
    run = factories.make_run(store, [Attempt(id, Outcome.ANSWERED, "x") for id in late if id], name="little-model")
    closed = standing(store).total("closed")
    assert run_grading.slots_of(store, by=None, run=run) == ({"d1": 3 * closed} if closed else {})
    assert run_grading.send_to_grading(store, by=None, run=run) == 3 * closed
    assert Counter(model for _, model in opened(store)) == {"a": 3, "little-model": 3}


@pytest.mark.both_databases
def test_leads_who_open_at_once_open_once(store: Store) -> None:
    made(store, {"outputs": 20}, {"d1": 15, "d2": 15})
    answer(store, "a", "b")
    n: list[int | BaseException] = []

    def press() -> None:
        try:
            n.append(run_grading.draw_sample(store, by=None, project="p"))
        except BaseException as error:
            n.append(error)

    threads = [threading.Thread(target=press) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, n)) == ["0", "0", "60"]
    assert Counter(state for states in slots(store).values() for state in states.elements()) == {TaskState.OPEN: 60}
    with store.read() as session:
        assert len(session.exec(select(EventRow).where(EventRow.kind == "grading.sample_opened")).all()) == 1


def test_a_plan_of_many_answers_asks_no_more_questions_than_one_of_few(store: Store) -> None:
    made(store, {"outputs": 300, "strata": ["dimension", "topology", "model"]}, {"d1": 10, "d2": 10, "d3": 10})
    answer(store, *"abcde")
    few = statements_of_a_look(store)
    add(store, {"d1": 990, "d2": 990, "d3": 990}, begin=10)
    answer(store, *"abcde", only={f"{d}/{at}" for d in ("d1", "d2", "d3") for at in range(10, 1000)})
    assert statements_of_a_look(store) == few <= 12
    found = standing(store)
    # three dimensions, two topologies (chain three times as often as graph), five models: 30 strata, 10 of each
    assert (found.passed_on, found.drawn, found.missing_slots, len(found.lines)) == (15_000, 300, 900, 30)
    assert {line.drawn for line in found.lines} == {10}
    assert {line.there for line in found.lines} == {750, 250}
    assert run_grading.draw_sample(store, by=None, project="p") == 900
    assert len(slots(store)) == 300


def statements_of_a_look(store: Store) -> int:
    asked: list[str] = []

    def note(*given: Any) -> None:
        asked.append(given[2])

    event.listen(store.engine, "before_cursor_execute", note)
    standing(store)
    event.remove(store.engine, "before_cursor_execute", note)
    return len(asked)


def test_many_answers_are_opened_a_lot_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made(store, {"outputs": 25}, {"d1": 15, "d2": 15})
    answer(store, "a")
    sizes: list[int] = []
    draw = grading.draw

    def counted(*given: Any, **named: Any) -> int:
        sizes.append(draw(*given, **named))
        return sizes[-1]

    monkeypatch.setattr(run_grading, "SENT_AT_ONCE", 10)
    monkeypatch.setattr(grading, "draw", counted)
    assert run_grading.draw_sample(store, by=None, project="p") == 75
    assert sizes == [30, 30, 15, 0]  # ten answers of three slots each
    assert len(opened(store)) == 25


# ---- answer by answer ------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.parametrize("order", ["random", "oldest", "priority"])
def test_answers_that_have_grades_come_before_untouched_ones(store: Store, order: str) -> None:
    made(store, {"outputs": 30}, {"d1": 12, "d2": 12}, order=order)
    answer(store, "a", "b")
    run_grading.draw_sample(store, by=None, project="p")
    people = factories.make_people(store, "ann", "bob", "cy", "di")
    pick = Random(4)
    by: dict[tuple[str, str], set[str]] = {}
    done = 0
    for _ in range(50):
        person = pick.choice(people)
        mine = grade(store, person)
        if mine is None:
            continue
        begun = {place for place, who in by.items() if len(who) < 3 and person.login not in who}
        assert mine in begun or not begun, "an untouched answer came before one that waits for this person's grade"
        assert person.login not in by.get(mine, set())
        by.setdefault(mine, set()).add(person.login)
        done += 1
    assert max(map(len, by.values())) == 3  # never a fourth grade
    assert done == sum(map(len, by.values()))


@pytest.mark.both_databases
def test_people_who_work_at_once_make_majorities_and_no_fourth_grade(store: Store) -> None:
    made(store, {"outputs": 20}, {"d1": 12, "d2": 12})
    answer(store, "a", "b")
    run_grading.draw_sample(store, by=None, project="p")
    people = factories.make_people(store, "ann", "bob", "cy")
    failures: list[BaseException] = []

    def work(person: Person) -> None:
        try:
            while grade(store, person) is not None:
                pass
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    # a slot that another one offered just as this person looked is found on their next lap
    deadline = time.monotonic() + 300
    while not standing(store).done and time.monotonic() < deadline:
        for person in people:
            grade(store, person)
    assert all(states == {TaskState.DONE: 3} for states in slots(store).values())
    nothing = claims.next_task(store, person=people[0], project="p", stage=Stage.GRADING)
    assert isinstance(nothing, NoTask)
    assert nothing.sentence == "All open answers in the planned sample are graded. Thank you."
    found = standing(store)
    assert found.done
    assert found.sentence == "A planned sample of 20 of 48 answers is done: 3 people graded every answer."
    assert dashboard(store, person=None, project="p").sample == found.sentence
    assert check(store) == []


def test_numbers_say_what_they_rest_on(store: Store) -> None:
    made(store, {"outputs": 4, "strata": ["dimension"], "seed": 3}, {"d1": 3, "d2": 3})
    answer(store, "a")
    run_grading.draw_sample(store, by=None, project="p")
    for person in factories.make_people(store, "ann", "bob", "cy"):
        for _ in range(4):
            grade(store, person)
    wanted = (
        "People grade a planned sample. A planned sample of 4 of 6 answers is done: 3 people graded every answer. "
        "Drawn evenly over dimension, with seed 3."
    )
    results = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.GRADING)
    assert {each.args["sample"] for each in results} == {wanted}
    read = project_answers.read_project(store, person=None, project="p")
    assert read.counting is not None
    assert read.counting.whole_sentence.endswith(wanted)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        rows = [
            {"unit": unit_of(item, model), "rater": "judge", "criterion": "score", "value": 1, "stage": Stage.GRADING}
            for item, model in opened(store)
        ]
        files.add_ratings(session, rows=[{**row, "project_id": access.project_id, "dimension": None,
                                          "created_at": store.now()} for row in rows])  # fmt: skip
    board = leaderboard.sliced_scores(read, score_choices.Scores("human", "score"))
    assert wanted in board.notes


# ---- wrong plans -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ({"models": ["a", "bb"], "outputs": 3}, "names models without answers: bb. Models with answers: a."),
        ({"items": ["d1/0", "d1/77"]}, "names unknown items: d1/77."),
    ],
)
def test_a_plan_that_fits_nothing_is_not_opened(store: Store, sample: dict[str, Any], why: str) -> None:
    made(store, sample, {"d1": 5})
    answer(store, "a")
    assert any(why in each for each in standing(store).troubles)
    with pytest.raises(ConflictError, match="Nothing was opened"):
        run_grading.draw_sample(store, by=None, project="p")
    assert slots(store) == {}


def test_a_plan_without_answers_is_not_opened_and_a_short_one_says_so(store: Store) -> None:
    made(store, {"outputs": 9}, {"d1": 5})
    assert (standing(store).sentence, standing(store).cost) == (
        "A sample is planned, but no answers are available for the sample yet.",
        "",
    )
    with pytest.raises(ConflictError, match="No answers are available for the plan yet"):
        run_grading.draw_sample(store, by=None, project="p")
    answer(store, "a")
    assert standing(store).sentence == (
        "A planned sample of 5 of 5 answers. No answers are open to people yet. A lead can open the sample."
        " The sample has 4 fewer answers than planned, because no more answers exist."
    )
    run_grading.draw_sample(store, by=None, project="p")
    assert len(opened(store)) == 5
    add(store, {"d1": 6}, begin=5)
    answer(store, "a", but=[f"d1/{at}" for at in range(5)])
    assert len(opened(store)) == 9
