"""Notices: one for what concerns someone, none for anything else, and nothing that the blind may not know."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import ItemRow
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import BLIND, Clock, claimed, make_items, make_people, make_person, make_project, make_schema
from workflow.access import project_care
from workflow.access.projects import remove_member, set_member
from workflow.annotate import (
    comments,
    notices,
    qualification,
    qualification_sets,
    qualification_tries,
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
    found = notices.of_person(store, person=person)
    assert notices.n_unseen(store, person=person) == sum(not each.seen for each in found)
    return [(each.kind.value, each.words, not each.seen) for each in found]


def kinds(store: Store, person: Person) -> list[str]:
    return [kind for kind, _, new in told(store, person) if new]


def see(store: Store, person: Person) -> None:
    keys = [key for each in notices.of_person(store, person=person) for key in each.keys]
    notices.see_all(store, person=person, keys=keys)


def test_a_part_and_tasks_that_others_give(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    stranger = make_person(store, "sue", project=None)
    assert told(store, stranger) == []
    assert told(store, ann) == [("part", "You take part as an annotator now.", True)]
    see(store, ann)
    assert told(store, ann) == [("part", "You take part as an annotator now.", False)]
    clock.advance(minutes=1)
    set_member(store, by=lea, project="p", login="ann", role=Role.SENIOR)
    assert told(store, ann) == [("part", "You take part as a senior annotator now.", True)], "of several the last"
    assert told(store, ben) == [("part", "You take part as an annotator now.", True)], "what is for others is not"
    see(store, lea)
    set_member(store, by=lea, project="p", login="lea", role=Role.LEAD)
    assert kinds(store, lea) == [], "what one does oneself"
    see(store, ann)
    # tasks: only those that a lead gave, and as long as they are in hand
    assert claimed(store, ann)
    assert kinds(store, ann) == [], "taken by herself"
    given = {"by": lea, "project": "p", "action": Action.REASSIGN, "chosen": BulkSelection(person="ann"), "to": "ben"}
    see(store, ben)
    assert bulk.do(store, token=bulk.preview(store, **given).token, **given) == 1
    assert told(store, ben)[0] == ("given", "A task of the verification was given to you.", True)
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


def test_comments_are_told_when_they_may_be_read_and_say_nothing_else(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    for each in (ann, ben, sam):
        see(store, each)
    with store.read() as session:
        item = session.exec(select(ItemRow.public_id)).one()
    task, other = claimed(store, ann), claimed(store, ben)
    asked = comments.comment(store, person=ann, key="1", text="@sam Is it <b>red</b>?", task=task.id).comments[0].id
    assert told(store, sam)[0] == ("comment", "A comment is for you.", True)
    assert kinds(store, ann) == [], "her own"
    assert kinds(store, ben) == [], "not for him"
    see(store, sam)
    assert kinds(store, sam) == []
    assert ("comment", "A comment is for you.", False) in told(store, sam), "not read yet, but seen here"
    comments.comment(store, person=sam, key="1", text="It is red.", project="p", item=item, reply_to=asked)
    assert not [each for each in told(store, sam) if each[0] == "comment"], "he has read it"
    assert kinds(store, ann) == [], "held back while anyone answers blind"
    submissions.submit(store, person=ann, task=task.id, key="v", values={"choice": "red"})
    assert kinds(store, ann) == []
    submissions.submit(store, person=ben, task=other.id, key="v", values={"choice": "red"})
    assert kinds(store, ann) == ["comment"]
    everything = str([notices.of_person(store, person=each) for each in (ann, ben, sam)]).casefold()
    assert not [word for word in ("red", "question", "sam", "blue", "kept") if word in everything]
    comments.thread(store, person=ann, project="p", item=item)
    assert kinds(store, ann) == [], "read on its page"


def test_what_became_of_a_qualification(store: Store, clock: Clock) -> None:
    asked = "{items: 2, reviewers: 1, pass_mark: 1.0, retry_after_hours: 0, attempts: 4}"
    text = BLIND.replace("RATERS", f"2\n    qualification: {asked}").replace("PER_SOURCE", "2")
    make_project(store, loaded=load_text(text.replace("ADJUDICATION", "none"), "Be exact.", "blind"))
    make_items(store, 4)
    qualification_sets.make_set(store, by=None, project="p")
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR)
    for each in (ann, ben, sam):
        see(store, each)

    def hand_in(choices: Sequence[str]) -> str:
        qualification_tries.begin(store, person=ann, project="p")
        for at, choice in enumerate(choices):
            task = claimed(store, ann)
            submissions.submit(store, person=ann, task=task.id, key=f"{task.id}{at}", values={"choice": choice})
        assert kinds(store, ann) == [], "seniors have said nothing yet"
        return qualification_tries.own_tries(store, person=ann, project="p")[-1].id

    back = hand_in(["red", "blue"])
    qualification_tries.review(store, by=sam, qualification=back, signs=False, comments={"colour/0": "Look again."})
    words = "A senior sent your qualification for the verification back and said why."
    assert told(store, ann)[0] == ("sent_back", words, True)
    assert kinds(store, sam) == kinds(store, ben) == []
    see(store, ann)
    clock.advance(hours=1)
    qualification_tries.review(store, by=sam, qualification=hand_in(["red", "blue"]), signs=True)
    assert "not passed" in told(store, ann)[0][1]
    assert kinds(store, ann) == ["sent_back"]
    see(store, ann)
    clock.advance(hours=1)
    qualification_tries.review(store, by=sam, qualification=hand_in(["red", "red"]), signs=True)
    assert told(store, ann)[0] == ("qualified", "You have passed the qualification for the verification.", True)
    qualification.exempt(store, by=lea, project="p", login="ben", why="She made the set.")
    assert told(store, ben)[0] == ("qualified", "You may work in the verification without a qualification.", True)
