"""Notices: one for what concerns someone, none for anything else, and nothing that the blind may not know."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, timedelta

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.qualification import Standing
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.notices import notice_list
from testkit.factories import (
    BLIND,
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_project,
    make_schema,
    vote,
)
from testkit.qualification import begin_try, make_set, needs_qualification, review_try
from tests.app.test_deadlines import set_deadlines
from workflow.access import project_care
from workflow.access.memberships import remove_member, set_member
from workflow.annotate import (
    qualification,
    submissions,
)
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection

pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def told(store: Store, person: Person) -> list[tuple[str, str, bool]]:
    """Kind, words and whether it is new."""
    found = notice_list.of_person(store, person=person)
    assert notice_list.n_unseen(store, person=person) == sum(not each.seen for each in found)
    return [(each.kind.value, each.words, not each.seen) for each in found]


def kinds(store: Store, person: Person) -> list[str]:
    return [kind for kind, _, new in told(store, person) if new]


def see(store: Store, person: Person) -> None:
    keys = [key for each in notice_list.of_person(store, person=person) for key in each.keys]
    notice_list.see_all(store, person=person, keys=keys)


def test_a_part_and_tasks_that_others_give(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    stranger = make_person(store, "sue", project=None)
    assert told(store, stranger) == []
    assert told(store, ann) == [("part", "You now take part as an annotator.", True)]
    see(store, ann)
    assert told(store, ann) == [("part", "You now take part as an annotator.", False)]
    clock.advance(minutes=1)
    set_member(store, by=lea, project="p", login="ann", role=Role.SENIOR)
    assert told(store, ann) == [("part", "You now take part as a senior annotator.", True)], "of several the last"
    assert told(store, ben) == [("part", "You now take part as an annotator.", True)], "what is for others is not"
    see(store, lea)
    set_member(store, by=lea, project="p", login="lea", role=Role.LEAD)
    assert kinds(store, lea) == [], "what one does oneself"
    see(store, ann)
    # tasks: only those that a lead gave, and as long as they are in hand
    assert claimed(store, ann)
    assert kinds(store, ann) == [], "taken by herself"
    chosen = BulkSelection(stage=Stage.VERIFICATION, items=("colour/0",))
    given = {"by": lea, "project": "p", "action": Action.ASSIGN, "chosen": chosen, "among": ("ben",)}
    see(store, ben)
    assert bulk.do(store, token=bulk.preview(store, **given).token, **given) == 1
    assert told(store, ben)[0] == ("given", "You were assigned a task in the verification.", True)
    assert kinds(store, ann) == []
    mine = claimed(store, ben)  # what he was given comes first
    submissions.submit(store, person=ben, task=mine.id, key="v", values={"choice": "red"})
    assert kinds(store, ben) == [], "it is done"
    # who left, and what is archived
    set_member(store, by=lea, project="p", login="ben", role=Role.SENIOR)
    assert kinds(store, ben) == ["part"]
    project_care.archive(store, by=lea, project="p")
    assert told(store, ben) == []
    project_care.unarchive(store, by=lea, project="p")
    assert kinds(store, ben) == ["part"]
    remove_member(store, by=lea, project="p", login="ben")
    assert told(store, ben) == []
    clock.advance(days=31)
    assert told(store, ann) == [], "after a month"


@needs_qualification
def test_what_became_of_a_qualification(store: Store, clock: Clock) -> None:
    asked = "{items: 2, reviewers: 1, pass_mark: 1.0, retry_after_hours: 0, attempts: 4}"
    text = BLIND.replace("RATERS", f"2\n    qualification: {asked}").replace("PER_SOURCE", "2")
    make_project(store, loaded=load_text(text.replace("ADJUDICATION", "none"), "Be exact.", "blind"))
    make_items(store, 4)
    make_set(store, n=2)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR)
    for each in (ann, ben, sam):
        see(store, each)

    def hand_in(choices: Sequence[str]) -> int:
        begun = begin_try(store, ann)
        for at, choice in enumerate(choices):
            task = claimed(store, ann)
            submissions.submit(store, person=ann, task=task.id, key=f"{task.id}{at}", values={"choice": choice})
        assert kinds(store, ann) == [], "seniors have said nothing yet"
        return begun

    back = hand_in(["red", "blue"])
    review_try(store, back, by=sam, state=Standing.SENT_BACK)
    words = "A senior annotator sent back your qualification for the verification and gave a reason."
    assert told(store, ann)[0] == ("sent_back", words, True)
    assert kinds(store, sam) == kinds(store, ben) == []
    see(store, ann)
    clock.advance(hours=1)
    review_try(store, hand_in(["red", "blue"]), by=sam, state=Standing.FAILED)
    assert "not passed" in told(store, ann)[0][1]
    assert kinds(store, ann) == ["sent_back"]
    see(store, ann)
    clock.advance(hours=1)
    review_try(store, hand_in(["red", "red"]), by=sam, state=Standing.PASSED)
    assert told(store, ann)[0] == ("qualified", "You have passed the qualification for the verification.", True)
    qualification.exempt(store, by=lea, project="p", login="ben", why="She made the set.")
    assert told(store, ben)[0] == ("qualified", "You may work in the verification without a qualification.", True)


def test_a_deadline_is_told_in_time_to_those_with_that_stage_while_something_is_left(
    store: Store, clock: Clock
) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben", stages=[Stage.VERIFICATION])
    cat = make_person(store, "cat", stages=[Stage.AUTHORING])

    def deadlines(person: Person) -> list[str]:
        return [words for kind, words, _ in told(store, person) if kind == "deadline"]

    due = store.now().astimezone(UTC).date() + timedelta(days=5)
    set_deadlines(store, {Stage.VERIFICATION: due})
    assert deadlines(ann) == []
    clock.advance(days=2)
    assert [said for said in deadlines(ann) if f"is due on {due}, in 3 days" in said]
    assert len(deadlines(ben)) == 1
    assert deadlines(cat) == [], "it is no stage of hers"
    see(store, ann)
    assert notice_list.n_unseen(store, person=ann) == 0
    clock.advance(days=4)
    assert [said for said in deadlines(ann) if f"was due on {due}, yesterday" in said]
    assert notice_list.n_unseen(store, person=ann) == 1, "that it is over is news"
    vote(store, ann)
    assert len(deadlines(ann)) == 1
    vote(store, ben)
    assert deadlines(ann) == [], "nothing is left"
