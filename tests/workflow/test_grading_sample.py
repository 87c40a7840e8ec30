"""People grade a planned sample of models' answers, and fill it answer by answer."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from db.tables import ItemRow, PredictionRow, ProjectRow, RunRow, TaskRow
from domain.errors import ConflictError
from domain.order import spread
from domain.records import NoTask, Person
from domain.run_kinds import RunKind
from domain.states import Stage, TaskState
from testkit import factories
from workflow.access.projects import access_to
from workflow.annotate import claims, grading, submissions
from workflow.annotate.project_progress import dashboard
from workflow.files.project_check import check
from workflow.runs import run_grading

pytestmark = pytest.mark.thorough

SAMPLED = """
name: sampled
version: 1
title: Sampled
dimensions:
  - {id: d1, title: D1, definition: "x"}
  - {id: d2, title: D2, definition: "x"}
  - {id: d3, title: D3, definition: "x"}
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  VERIFICATION
  grading:
    raters: 3
    outputs: OUTPUTS
    order: ORDER
    SHUFFLE
    criteria: [{name: score, kind: scale, prompt: "?", values: [0, 1]}]
"""

VERIFICATION = """verification:
    raters: 1
    criteria: [{name: ok, kind: choice, prompt: "?", options: [{value: yes_, label: "Yes"}, {value: no_, label: "No"}]}]
    keep: {rule: unanimous, criterion: ok, value: yes_}"""


def sampled(outputs: int, *, order: str = "random", shuffle: bool = False, verified: bool = False) -> LoadedSchema:
    text = SAMPLED.replace("OUTPUTS", str(outputs)).replace("ORDER", order)
    text = text.replace("SHUFFLE", "shuffle: [predictions]" if shuffle else "")
    return load_text(text.replace("VERIFICATION", VERIFICATION if verified else ""), "g", "sampled")


def items_of(store: Store, sizes: dict[str, int]) -> dict[str, list[int]]:
    fields = {"question": "?", "answer": "x"}
    return {
        dimension: factories.make_items(store, n, dimension=dimension, fields=fields) for dimension, n in sizes.items()
    }


def passed_on(store: Store, of: dict[str, list[int]], models: Sequence[str]) -> int:
    """The answers of some models to these items, passed on to people at once; how many slots opened."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        run = RunRow(project_id=access.project_id, kind=RunKind.IMPORT, name="answers", created_at=store.now())
        session.add(run)
        session.flush()
        made = []
        for dimension, ids in of.items():
            rows = [
                PredictionRow(
                    project_id=access.project_id,
                    item_id=id,
                    run_id=run.id,
                    model=model,
                    text="x",
                    created_at=store.now(),
                )
                for id in ids
                for model in models
            ]
            session.add_all(rows)
            session.flush()
            made += [(row.id, row.item_id, dimension) for row in rows]
        return grading.open_grading(session, access=access, predictions=made, now=store.now())


def open_answers(store: Store) -> dict[int, tuple[str, str, int, list[TaskState]]]:
    """Of each answer with a slot that is wanted: dimension, model, item and the states of its slots."""
    with store.read() as session:
        rows = session.exec(
            select(TaskRow, PredictionRow.model)
            .join(PredictionRow, PredictionRow.id == TaskRow.prediction_id)  # type: ignore[arg-type]
            .where(TaskRow.state != TaskState.WITHDRAWN)
        )
        found: dict[int, tuple[str, str, int, list[TaskState]]] = {}
        for row, model in rows:
            found.setdefault(row.prediction_id or 0, (row.dimension, model, row.item_id or 0, []))[3].append(row.state)
        return found


def graded_once(store: Store, person: Person) -> int | None:
    """Claim and grade the next answer; its item."""
    view = claims.next_task(store, person=person, project="p", stage=Stage.GRADING)
    if isinstance(view, NoTask):
        return None
    submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": 1})
    with store.read() as session:
        return session.exec(select(TaskRow.prediction_id).where(TaskRow.public_id == view.id)).one()


# ---- the draw -------------------------------------------------------------------------------------------------------


def test_a_draw_is_even_over_both_levels_and_a_smaller_one_is_part_of_a_larger() -> None:
    pick = Random(1)
    lots = [(d, m, n) for d in "abc" for m in "xyz" for n in range(pick.randint(0, 30))]
    whole = Counter((d, m) for d, m, _ in lots)
    drawn = [spread(lots, n, seed=7, of=lambda each: each[:2]) for n in range(len(lots) + 2)]
    for n, lot in enumerate(drawn):
        assert len(lot) == len(set(lot)) == min(n, len(lots))
        by = Counter({d: sum(e == d for e, _, _ in lot) for d in "abc"})
        for d in "abc":  # no dimension has two more than another that still has some left
            left = sum(whole[d, m] for m in "xyz") - by[d]
            assert not left or by[d] >= max(by.values()) - 1
            inside = Counter({m: sum((e, f) == (d, m) for e, f, _ in lot) for m in "xyz"})
            for m in "xyz":
                assert whole[d, m] == inside[m] or inside[m] >= max(inside.values()) - 1
    assert all(set(one) <= set(two) for one, two in pairwise(drawn))
    assert spread(lots, 9, seed=7, of=lambda each: each[:2]) == drawn[9]
    assert set(spread(lots, 9, seed=8, of=lambda each: each[:2])) != set(drawn[9])
    more = spread([("b", "x", 1), ("a", "x", 1)], 1, seed=1, of=lambda each: each[:2], already=[("a", "x")])
    assert more == [("b", "x", 1)]


def test_600_answers_open_a_sample_of_300_even_over_domains_and_models(store: Store) -> None:
    factories.make_project(store, loaded=sampled(300))
    of = items_of(store, {"d1": 120, "d2": 50, "d3": 30})
    assert passed_on(store, of, ["a", "b", "c"]) == 900  # 300 answers, three slots each
    found = open_answers(store)
    assert len(found) == 300
    # d3 has 90 answers, all of them; the other 210 are halved
    assert Counter(d for d, *_ in found.values()) == {"d1": 105, "d2": 105, "d3": 90}
    assert set(Counter((d, m) for d, m, *_ in found.values()).values()) == {35, 30}
    assert all(states == [TaskState.OPEN] * 3 for *_, states in found.values())
    sample = run_grading.sample_of(store, by=None, project="p")
    assert sample is not None
    assert (sample.planned, sample.passed_on, sample.drawn, sample.untouched) == (300, 600, 300, 300)
    with store.write() as session:  # passing on again opens nothing
        assert grading.draw(session, access=access_to(session, person=None, project="p"), now=store.now()) == 0
    assert open_answers(store) == found
    assert "Open to people: 300; " in dashboard(store, person=None, project="p").sample
    assert check(store) == []


def test_a_sample_makes_room_for_models_that_come_later_and_can_be_extended(store: Store) -> None:
    factories.make_project(store, loaded=sampled(12))
    of = items_of(store, {"d1": 10, "d2": 10})
    ann = factories.make_person(store, "ann")
    assert passed_on(store, of, ["a"]) == 36
    done = {graded_once(store, ann) for _ in range(2)}
    passed_on(store, of, ["b"])
    found = open_answers(store)
    assert done <= set(found)
    assert Counter((d, m) for d, m, *_ in found.values()) == dict.fromkeys(
        [("d1", "a"), ("d1", "b"), ("d2", "a"), ("d2", "b")], 3
    )
    with pytest.raises(ConflictError, match="cannot become smaller"):
        run_grading.draw_sample(store, by=None, project="p", outputs=11)
    assert run_grading.draw_sample(store, by=None, project="p", outputs=20) == 24
    assert set(found) < set(open_answers(store))
    assert run_grading.draw_sample(store, by=None, project="p") == 0
    sample = run_grading.sample_of(store, by=None, project="p")
    assert sample is not None
    assert (sample.planned, sample.drawn, sample.begun, sample.graded, sample.untouched) == (20, 20, 2, 0, 18)


@pytest.mark.both_databases
def test_two_leads_who_pass_on_at_once_do_not_overfill(store: Store) -> None:
    factories.make_project(store, loaded=sampled(20))
    of = items_of(store, {"d1": 30, "d2": 30})
    ann = factories.make_person(store, "ann")
    passed_on(store, of, ["first"])
    failures: list[BaseException] = []

    def guarded(work: object, *given: object) -> None:
        try:
            work(*given)  # type: ignore[operator]
        except BaseException as error:
            failures.append(error)

    def grades() -> None:
        for _ in range(6):
            graded_once(store, ann)

    threads = [threading.Thread(target=guarded, args=(passed_on, store, of, [name])) for name in ("second", "third")]
    threads.append(threading.Thread(target=guarded, args=(grades,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    found = open_answers(store)
    assert len(found) == 20
    assert all(len(states) == 3 for *_, states in found.values())  # never a part of an answer
    assert Counter(state for *_, states in found.values() for state in states)[TaskState.DONE] == 6
    assert check(store) == []


# ---- answer by answer -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.both_databases
@pytest.mark.parametrize(("order", "shuffle"), [("random", False), ("random", True), ("priority", False)])
def test_grades_of_three_people_make_majorities_early(store: Store, order: str, shuffle: bool) -> None:
    factories.make_project(store, loaded=sampled(150, order=order, shuffle=shuffle))
    with store.write() as session:
        session.exec(select(ProjectRow)).one().seed = 2  # how early is a matter of chance
    passed_on(store, items_of(store, {"d1": 34, "d2": 33, "d3": 33}), ["a", "b", "c"])
    people = factories.make_people(store, "ann", "bob", "cy")
    pick = Random(3)
    given: Counter[int] = Counter()
    first: dict[str, list[int]] = {person.login: [] for person in people}
    for _ in range(48):
        person = pick.choice(people)
        answer = graded_once(store, person)
        assert answer is not None
        given[answer] += 1
        first[person.login].append(answer)
    # at random, 48 grades fall on about 42 of 150 answers, of which hardly one has three; at best on 16
    assert len(given) <= 24
    assert sum(n == 3 for n in given.values()) >= 9
    if order == "random":
        assert first["ann"] != first["bob"]
    assert set(given) <= set(open_answers(store))


def test_a_lone_person_goes_through_the_sample_in_an_order_of_their_own(store: Store) -> None:
    factories.make_project(store, loaded=sampled(15))
    passed_on(store, items_of(store, {"d1": 20}), ["a", "b"])
    ann, bob = factories.make_people(store, "ann", "bob")
    orders = []
    for person in (ann, bob):
        mine = []
        while (answer := graded_once(store, person)) is not None:
            mine.append(answer)
        orders.append(mine)
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(open_answers(store))
    assert orders[0] != orders[1]


# ---- items and their verdicts ---------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_answers_to_rejected_items_are_not_handed_out_and_those_to_items_kept_later_are(store: Store) -> None:
    factories.make_project(store, loaded=sampled(1000, verified=True).model_copy(update={}))
    of = items_of(store, {"d1": 6})
    val = factories.make_person(store, "val", stages=[Stage.VERIFICATION])
    ann = factories.make_person(store, "ann", stages=[Stage.GRADING])
    assert passed_on(store, of, ["a"]) == 18  # no verdicts yet: all of them

    def settle(answer: str) -> int:
        view = factories.claimed(store, val, stage=Stage.VERIFICATION)
        submissions.submit(store, person=val, task=view.id, key=view.id, values={"ok": answer})
        with store.read() as session:
            return session.exec(select(TaskRow.item_id).where(TaskRow.public_id == view.id)).one() or 0

    dropped, kept = settle("no_"), settle("yes_")
    assert {item for _, _, item, _ in open_answers(store).values()} == set(of["d1"]) - {dropped}
    passed_on(store, of, ["b"])  # now there are verdicts, so answers to kept items are what is graded
    assert {(item, model) for _, model, item, _ in open_answers(store).values()} == {(kept, "a"), (kept, "b")}
    later = settle("yes_")
    assert run_grading.draw_sample(store, by=None, project="p") == 6
    assert {item for _, _, item, _ in open_answers(store).values()} == {kept, later}
    seen = set()
    while (answer := graded_once(store, ann)) is not None:
        seen.add(answer)
    assert len(seen) == 4
    with store.read() as session:
        states = {row.id: row.state.value for row in session.exec(select(ItemRow))}
    assert states[dropped] == "rejected"
