"""The reason why an item was sent back is a comment that its author alone reads."""

from __future__ import annotations

from db.engine import Store
from domain.roles import Role
from extensions.comments import threads
from testkit.factories import make_people, make_person, make_project, vote
from tests.workflow.test_send_back import WHY, done, sending, written


def test_the_author_alone_reads_why_an_item_was_sent_back(store: Store) -> None:
    make_project(store)
    lea, sen = make_person(store, "lea", role=Role.LEAD), make_person(store, "sen", role=Role.SENIOR)
    ann, ben, cy = make_people(store, "ann", "ben", "cy")
    name = written(store, ann)
    vote(store, ben)
    vote(store, cy)
    assert done(store, sending(lea, [name])) == 1
    assert threads.mentions(store, person=ann, project="p").unread == 1
    (thread,) = threads.inbox(store, person=ann, project="p")
    assert [(each.by, each.text, each.unread) for each in thread.comments] == [("lea", WHY, True)]
    for blind in (ben, sen):  # who are asked about it once it is back
        assert threads.inbox(store, person=blind, project="p") == []
