"""My work, and the lead's dashboard: figures counted by hand."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import InsightRow
from domain.errors import NotAllowedError
from domain.records import DimensionProgress, Person, StageWork
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import (
    BLIND,
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_predictions,
    make_project,
    vote,
)
from workflow.access.memberships import set_member
from workflow.annotate import image_pool, submissions
from workflow.annotate.progress import my_work
from workflow.annotate.project_progress import dashboard


def lines(store: Store, person: Person) -> dict[tuple[Stage, str], StageWork]:
    return {(line.stage, line.dimension): line for line in my_work(store, person=person)}


@pytest.mark.both_databases
def _in_adjudication(store: Store) -> list[DimensionProgress]:
    rows = dashboard(store, person=None, project="p").rows
    return [row for row in rows if row.counts.in_state(ItemState.IN_ADJUDICATION)]


def test_my_work_lists_what_i_can_do_and_says_why_not(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    make_pool(store, 2)
    ann = make_person(store, "ann", dimensions=["colour"])
    vote(store, ann)
    claimed(store, ann)
    mine = lines(store, ann)
    assert set(mine) == {(stage, "colour") for stage in (Stage.AUTHORING, Stage.VERIFICATION, Stage.GRADING)}
    to_verify = mine[Stage.VERIFICATION, "colour"]
    assert (to_verify.waiting, to_verify.mine_done, to_verify.available, to_verify.why) == (2, 1, True, "")
    assert mine[Stage.AUTHORING, "colour"].waiting == 1  # 4 are wanted, 3 are there, 2 images are free
    assert not mine[Stage.GRADING, "colour"].available
    assert mine[Stage.GRADING, "colour"].why


def test_authors_write_no_more_than_is_wanted(store: Store) -> None:
    make_project(store)
    make_items(store, 4)
    make_pool(store, 2)
    ann = make_person(store, "ann")
    mine = lines(store, ann)
    assert (mine[Stage.AUTHORING, "colour"].waiting, mine[Stage.AUTHORING, "shape"].waiting) == (0, 2)
    assert "All planned items" in mine[Stage.AUTHORING, "colour"].why


def test_every_item_is_in_one_column_of_the_dashboard(store: Store) -> None:
    make_project(store)
    item_ids = make_items(store, 4)
    make_items(store, 1, dimension="shape")
    make_predictions(store, item_ids[:1], models=["m"])
    ann, bob = make_people(store, "ann", "bob")
    lee = make_person(store, "lee", role=Role.LEAD)
    for choices in (("red", "red"), ("blue", "blue"), ("red", "blue")):
        view = vote(store, ann, choices[0], dimension="colour")
        while (theirs := claimed(store, bob, dimension="colour")).item != view.item:
            submissions.submit(store, person=bob, task=theirs.id, key=theirs.id, values={"choice": "red"})
        submissions.submit(store, person=bob, task=theirs.id, key=theirs.id, values={"choice": choices[1]})
        break
    graded = claimed(store, ann, Stage.GRADING)
    submissions.submit(store, person=ann, task=graded.id, key=graded.id, values={"score": 1})
    board = dashboard(store, person=lee, project="p")
    colour, shape = board.rows
    assert (colour.counts.wanted, colour.counts.written, colour.counts.kept) == (4, 4, 1)
    for row in (colour, shape):
        assert sum(row.counts.states.values()) == row.counts.written
    assert shape.counts.states[ItemState.IN_VERIFICATION] == 1
    assert (board.graded, board.to_grade) == (1, 2)


def test_the_dashboard_says_what_is_blocked(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann", dimensions=["colour"])
    lee = make_person(store, "lee", role=Role.LEAD, stages=[])
    make_items(store, 2, author_id=ann.id)
    make_items(store, 1, dimension="shape")
    colour, shape = dashboard(store, person=lee, project="p").rows
    assert any("2 items wait for 2 votes" in why and "1 person" in why for why in colour.blocked)
    assert any("1 item waits" in why for why in shape.blocked)
    assert any("2 items are left to write" in why and "0 free images" in why for why in colour.blocked)
    make_people(store, "bob", "cy")
    make_pool(store, 2)
    colour, shape = dashboard(store, person=lee, project="p").rows
    assert colour.blocked == shape.blocked == ()


def test_the_dashboard_says_that_no_one_is_left_for_an_item_or_for_models_answers(store: Store) -> None:
    make_project(store)
    (item,) = make_items(store)
    make_predictions(store, [item], models=["m", "n"])
    ann, bob = make_people(store, "ann", "bob", stages=[Stage.VERIFICATION])
    make_person(store, "cy", stages=[Stage.GRADING])
    colour = dashboard(store, person=None, project="p").rows[0]
    assert [why for why in colour.blocked if "model" in why] == [
        "2 model answers wait for grading by 2 people each, but only 1 person may do this work."
    ]
    assert not any("votes" in why for why in colour.blocked)
    vote(store, ann)
    with store.write() as session:  # bob has looked into it, so he is not asked about it blind any more
        session.add(InsightRow(item_id=item, person_id=bob.id, created_at=store.now()))
    colour = dashboard(store, person=None, project="p").rows[0]
    (why,) = [why for why in colour.blocked if "votes" in why]
    assert why.startswith("1 item waits for 2 votes, but only 2 people may vote. People cannot vote")


def test_the_dashboard_says_that_a_senior_is_missing(store: Store) -> None:
    make_project(store)
    make_pool(store, 9)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    make_person(store, "cy")
    vote(store, ann, "red")
    vote(store, bob, "blue")
    colour, _ = dashboard(store, person=None, project="p").rows
    assert any("senior" in why for why in colour.blocked)
    make_person(store, "sue", role=Role.SENIOR)
    colour, _ = dashboard(store, person=None, project="p").rows
    assert colour.blocked == ()


def test_the_dashboard_is_for_leads(store: Store) -> None:
    make_project(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowedError):
        dashboard(store, person=sue, project="p")


def test_an_item_being_written_is_mine_to_go_on_with(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    (image,) = make_pool(store, 1)
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
    mine = lines(store, ann)[Stage.AUTHORING, "colour"]
    assert (mine.available, mine.begun) == (True, 1)
    submissions.submit(store, person=ann, task=view.id, key="k", values=make_fields())
    mine = lines(store, ann)[Stage.AUTHORING, "colour"]
    assert (mine.available, mine.begun) == (False, 0)


@pytest.mark.both_databases
def test_an_item_that_its_senior_has_edited_names_who_is_needed(store: Store) -> None:
    """A senior edits a contested item; the votes differ again, and no one else may settle it."""
    make_project(store)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    sue = make_person(store, "sue", role=Role.SENIOR)
    vote(store, ann, "red")
    vote(store, bob, "blue")
    view = claimed(store, sue, Stage.ADJUDICATION)
    values = {"decision": "edit", "cause": "wrong_key", "fields": {"question": "Which one now?"}}
    submissions.submit(store, person=sue, task=view.id, key="k", values=values)
    vote(store, ann, "red")
    vote(store, bob, "blue")
    blocked, _ = _in_adjudication(store)[0].blocked
    assert blocked == (
        "1 item waits for another senior (colour/0): Sue has edited it. Give another person the role senior."
    )
    set_member(store, by=None, project="p", login="sue", role=Role.ANNOTATOR)
    blocked, _ = _in_adjudication(store)[0].blocked
    assert blocked == "1 item waits for a senior, but this project has none."
    make_person(store, "tom", role=Role.SENIOR)
    (row,) = _in_adjudication(store)
    assert not any("senior" in sentence for sentence in row.blocked)


@pytest.mark.both_databases
def test_the_dashboard_says_where_more_people_write_than_the_schema_has(store: Store) -> None:
    text = BLIND.replace("RATERS", "2").replace("ADJUDICATION", "none").replace("per_source: PER_SOURCE", AUTHORS)
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    make_person(store, "ann", dimensions=["colour", "shape"])
    make_person(store, "ben", dimensions=["colour"])
    make_person(store, "cal")  # may write everywhere, and was given nothing in particular
    make_person(store, "dee", dimensions=["colour"], stages=[Stage.GRADING])
    colour, shape = dashboard(store, person=None, project="p").rows
    assert [why for why in colour.blocked if "plans" in why] == [
        "2 people write in this project. The schema plans 1.",
        "2 people write in one dimension. The schema plans 1.",
        "1 person writes in more dimensions than the 1 that the schema plans for each person.",
    ]
    assert [why for why in shape.blocked if "plans" in why] == [
        "1 person writes in more dimensions than the 1 that the schema plans for each person."
    ]


AUTHORS = "people: 1, dimensions_per_person: 1, people_per_dimension: 1"
