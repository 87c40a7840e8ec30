"""A notice of comments: when they may be read, for the people they are for, and with nothing that is secret."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db import projects
from db.engine import Store
from db.tables import ItemRow
from domain.notices import Notice
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.comments import threads
from extensions.comments.notice_source import unread_comments
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema
from workflow.annotate import submissions

pytestmark = pytest.mark.both_databases


def notices(store: Store, person: Person) -> list[Notice]:
    with store.read() as session:
        mine = {row.id: row for row, _ in projects.of_person(session, person_id=person.id)}
        return list(unread_comments(session, person=person, projects=mine))


def told(store: Store, person: Person) -> list[str]:
    return [each.words for each in notices(store, person)]


def test_comments_are_told_when_they_may_be_read_and_say_nothing_else(store: Store) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    with store.read() as session:
        item = session.exec(select(ItemRow.public_id)).one()
    task, other = claimed(store, ann), claimed(store, ben)
    asked = threads.comment(store, person=ann, key="1", text="@sam Is it <b>red</b>?", task=task.id).comments[0].id
    assert told(store, sam) == ["You have a new comment."]
    assert told(store, ann) == [], "her own"
    assert told(store, ben) == [], "not for him"
    threads.comment(store, person=sam, key="1", text="It is red.", project="p", item=item, reply_to=asked)
    assert told(store, sam) == [], "he has read it"
    assert told(store, ann) == [], "held back while anyone answers blind"
    submissions.submit(store, person=ann, task=task.id, key="v", values={"choice": "red"})
    assert told(store, ann) == []
    submissions.submit(store, person=ben, task=other.id, key="v", values={"choice": "red"})
    assert told(store, ann) == ["You have a new comment."]
    everything = str(notices(store, ann)).casefold()
    assert not [word for word in ("red", "question", "sam", "blue", "kept") if word in everything]
    threads.thread(store, person=ann, project="p", item=item)
    assert told(store, ann) == [], "read on its page"
