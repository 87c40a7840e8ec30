"""Options come in an order of their own for each person, which can be made again and is stored with the answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AnnotationRow, ItemRow, ProjectRow
from tests.factories import BLIND, claimed, make_items, make_people, make_project, vote
from workflow import claim, submit

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
    submit.submit(store, person=ann, task=view.id, key="k", values={"choice": "blue"})
    claim.next_task(store, person=ann, project="p", stage=view.stage)
    with store.read() as session:
        assert session.exec(select(AnnotationRow.shown)).one() is None
