"""Options, and models' answers, come in an order of their own for each person, which can be made again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AnnotationRow, ItemRow, ProjectRow
from domain.states import Stage
from testkit.factories import BLIND, claimed, make_items, make_people, make_predictions, make_project, vote
from workflow.annotate import claims, submissions

pytestmark = pytest.mark.thorough

OPTIONS = ["red", "blue", "green"]


def project(store: Store, shuffle: str) -> None:
    """A project of which the schema says so, or nothing, about shuffling."""
    text = BLIND.replace("RATERS", f"2\n    {shuffle}").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text.replace("length: 2", "length: 3"), "Be exact.", "blind"))
    for n in range(40):
        make_items(store, 1, fields={"question": f"Question {n}?", "options": OPTIONS, "answer": "red"})


def ranked(options: Sequence[str], *about: object) -> list[str]:
    """The order by hand: positions by the SHA-256 of what they are about."""
    name = "/".join(str(part) for part in about)
    ranks = [hashlib.sha256(f"{name}/{at}".encode()).digest() for at in range(len(options))]
    return [option for _, option in sorted(zip(ranks, options, strict=True))]


def test_each_person_has_an_order_that_follows_from_the_recorded_seed(store: Store) -> None:
    project(store, "shuffle: [options]")
    seen: dict[tuple[int, str], list[str]] = {}
    people = make_people(store, "ann", "ben")
    for person in people:
        for _ in range(40):
            view = claimed(store, person)
            again = claimed(store, person)  # a page that is loaded again
            assert again.fields == view.fields
            seen[person.id, str(view.item)] = view.fields["options"]
            vote(store, person, "red")
    with store.read() as session:
        seed = session.exec(select(ProjectRow.seed)).one()
        rows = session.exec(
            select(AnnotationRow, ItemRow.public_id).join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        ).all()
        assert len(rows) == 80
        for row, item in rows:
            expected = ranked(OPTIONS, seed, "options", row.person_id, row.item_id, "options")
            assert seen[row.person_id, item] == expected
            assert row.shown == {"options": expected}
            assert row.answers == {"choice": "red"}, "answers are values, whatever the order"
    ann, ben = (person.id for person in people)
    differ = sum(seen[ann, item] != seen[ben, item] for (person, item) in seen if person == ann)
    assert differ > 20, "two people see one item alike in a sixth of the cases"
    first = Counter(order[0] for order in seen.values())
    assert all(first[option] > 10 for option in OPTIONS)


def test_without_the_word_in_the_schema_nothing_is_shuffled(store: Store) -> None:
    project(store, "")
    (ann,) = make_people(store, "ann")
    view = claimed(store, ann)
    assert view.fields["options"] == OPTIONS
    submissions.submit(store, person=ann, task=view.id, key="k", values={"choice": "blue"})
    claims.next_task(store, person=ann, project="p", stage=view.stage)
    with store.read() as session:
        assert session.exec(select(AnnotationRow.shown)).one() is None


MODELS = ["m1", "m2", "m3", "m4"]
GRADERS = 6


def graded(store: Store, shuffle: str) -> dict[int, list[tuple[int, int]]]:
    """Item and prediction by id in the order in which each of six graders got them, one item after the other."""
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace("raters: 2\n    shows", f"raters: {GRADERS}\n    order: oldest\n    {shuffle}\n    shows")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_predictions(store, make_items(store, 5), models=MODELS)
    people = make_people(store, *(f"g{number}" for number in range(GRADERS)))
    for _ in range(5 * len(MODELS)):
        for person in people:
            view = claimed(store, person, Stage.GRADING)
            assert claimed(store, person, Stage.GRADING).id == view.id
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": 1})
    with store.read() as session:
        rows = session.exec(select(AnnotationRow).order_by(col(AnnotationRow.id))).all()
        return {
            person.id: [(row.item_id, row.prediction_id or 0) for row in rows if row.person_id == person.id]
            for person in people
        }


def test_the_answers_to_an_item_come_in_an_order_of_their_own_for_each_person(store: Store) -> None:
    found = graded(store, "shuffle: [predictions]")
    with store.read() as session:
        seed = session.exec(select(ProjectRow.seed)).one()
        kept = session.exec(select(AnnotationRow).order_by(col(AnnotationRow.id))).all()
    n = len(MODELS)
    for person in found:
        places = [row.shown for row in kept if row.person_id == person]
        assert places == [{"prediction": [place, n]} for place in range(1, n + 1)] * 5, "as told on the page"
    orders = set()
    for person, rows in found.items():
        assert [item for item, _ in rows] == sorted(item for item, _ in rows), "one item after the other"
        for item in {item for item, _ in rows}:
            order = [prediction for of, prediction in rows if of == item]

            def rank(prediction: int, person: int = person) -> int:
                name = f"{seed}/predictions/{person}/grading/prediction/{prediction}/0"
                return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 2**31

            assert order == sorted(order, key=rank)
            orders.add(tuple(sorted(range(len(order)), key=order.__getitem__)))
    assert len(orders) > 10, "of the 24 orders that there are, in 30 cases"
