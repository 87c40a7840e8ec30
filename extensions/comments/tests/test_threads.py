"""Threads on items: seniors and leads read them, the blind only what is theirs, and nothing too early."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from db.engine import Store
from db.tables import PersonRow
from domain.errors import InvalidInputError, NotAllowedError, NotFoundError
from domain.records import Person
from extensions.comments import threads as comments
from extensions.comments.rules import Thread
from testkit.factories import claimed, make_person, vote
from testkit.looks import look
from tests.workflow.test_visibility import item_of, people
from workflow.annotate import submissions

__all__ = ["people"]  # a fixture


def texts(thread: Thread) -> list[str]:
    return [comment.text for comment in thread.comments]


def write(store: Store, person: Person, text: str, **more: object) -> Thread:
    return comments.comment(store, person=person, key=text[:90], text=text, project="p", item=item_of(store), **more)  # type: ignore[arg-type]


def at(store: Store, person: Person) -> Thread:
    return comments.thread(store, person=person, project="p", item=item_of(store))


@pytest.mark.both_databases
def test_the_blind_see_their_own_words_and_answers_only_after_the_verdict(
    store: Store, people: dict[str, Person]
) -> None:
    ann, ben, sam, lea = people["ann"], people["ben"], people["sam"], people["lea"]
    task = claimed(store, ann)
    asked = comments.comment(store, person=ann, key="1", text="Is the left one meant? @sam", task=task.id)
    other = claimed(store, ben)
    assert texts(comments.comment(store, person=ben, key="1", text="Mine is odd.", task=other.id)) == ["Mine is odd."]
    assert comments.mentions(store, person=sam, project="p").unread == 1
    assert comments.mentions(store, person=lea, project="p").unanswered == 1, "one item"
    seen = at(store, sam)
    assert texts(seen) == ["Is the left one meant? @sam", "Mine is odd."]
    assert {comment.by for comment in seen.comments} == {"someone"}, "seniors do not learn who votes"
    assert {comment.name for comment in seen.comments} == {"someone"}
    assert comments.mentions(store, person=sam, project="p").unread == 0
    after = write(store, sam, "Yes, the left one.", reply_to=asked.comments[0].id)
    assert after.comments[-1].held
    assert texts(comments.thread(store, person=ann, task=task.id)) == ["Is the left one meant? @sam"], "held back"
    assert comments.mentions(store, person=ann, project="p").unread == 0
    submissions.submit(store, person=ann, task=task.id, key="v", values={"choice": "red"})
    assert texts(at(store, ann)) == ["Is the left one meant? @sam"], "the vote can still be taken back"
    submissions.submit(store, person=ben, task=other.id, key="v", values={"choice": "red"})
    assert comments.mentions(store, person=ann, project="p").unread == 1
    assert texts(at(store, ann)) == ["Is the left one meant? @sam", "Yes, the left one."]
    assert at(store, ann).comments[-1].by == "sam"
    assert texts(at(store, ben)) == ["Mine is odd."], "what is for others stays theirs"
    assert comments.mentions(store, person=ann, project="p").unread == 0
    assert {comment.by for comment in at(store, sam).comments} == {"ann", "ben", "sam"}, "it is settled"
    with store.write() as session:  # two people of one name
        for row in session.exec(select(PersonRow).where(col(PersonRow.login).in_(["ann", "sam"]))):
            row.name = "Robin"
    told = at(store, lea)
    assert {comment.name for comment in told.comments} == {"Robin (ann)", "Ben", "Robin (sam)"}
    assert {**told.names}["ann"] == "Robin (ann)"
    assert set(told.names) == set(told.people)
    mine = at(store, ann)
    assert "ben" not in mine.names, "names of those alone whom one may mention"
    assert {comment.name for comment in mine.comments} <= {"Robin (ann)", "Robin (sam)"}


@pytest.mark.both_databases
def test_a_senior_may_answer_at_once_if_it_gives_nothing_away(store: Store, people: dict[str, Person]) -> None:
    ann, sam = people["ann"], people["sam"]
    task = claimed(store, ann)
    asked = comments.comment(store, person=ann, key="1", text="May I use a ruler?", task=task.id).comments[0].id
    with pytest.raises(InvalidInputError, match="answer"):
        write(store, sam, "The key is Red.", reply_to=asked, early=True)
    write(store, sam, "Yes, you may.", reply_to=asked, early=True)
    assert texts(comments.thread(store, person=ann, task=task.id)) == ["May I use a ruler?", "Yes, you may."]
    with pytest.raises(InvalidInputError, match="senior or lead"):
        comments.comment(store, person=ann, key="2", text="Thanks", task=task.id, early=True)


def test_raters_mention_seniors_and_leads_and_no_one_else(store: Store, people: dict[str, Person]) -> None:
    task = claimed(store, people["ann"])
    assert set(comments.thread(store, person=people["ann"], task=task.id).people) == {"sam", "lea"}
    with pytest.raises(InvalidInputError, match="You cannot mention @ben in this comment"):
        comments.comment(store, person=people["ann"], key="1", text="@ben what did you say?", task=task.id)
    assert "ben" not in at(store, people["sam"]).people, "while names are hidden"
    assert "ben" in at(store, people["lea"]).people
    write(store, people["lea"], "@ben please look again")
    assert comments.mentions(store, person=people["ben"], project="p").unread == 0, "held back"


def test_strangers_and_those_without_a_part_in_it_find_nothing(store: Store, people: dict[str, Person]) -> None:
    write(store, people["lea"], "For seniors.")
    with pytest.raises(NotFoundError):
        at(store, people["ann"])
    with pytest.raises(NotFoundError):
        write(store, people["ann"], "Guess.")
    outside = make_person(store, "olu", project=None)
    with pytest.raises(NotFoundError):
        at(store, outside)
    with pytest.raises(NotAllowedError):
        look(store, people["ann"], item_of(store))


def test_the_same_key_writes_once(store: Store, people: dict[str, Person]) -> None:
    task = claimed(store, people["ann"])
    for _ in range(2):
        thread = comments.comment(store, person=people["ann"], key="1", text="Once.", task=task.id)
    assert texts(thread) == ["Once."]
    with pytest.raises(InvalidInputError, match="Write something"):
        comments.comment(store, person=people["ann"], key="2", text="  ", task=task.id)


def test_who_votes_looks_into_nothing_until_it_is_settled(store: Store, people: dict[str, Person]) -> None:
    lea, ann, ben = people["lea"], people["ann"], people["ben"]
    comments.comment(store, person=ann, key="1", text="From a rater.", task=claimed(store, ann).id)
    vote(store, lea, "red")
    with pytest.raises(NotAllowedError, match="blind"):
        look(store, lea, item_of(store))
    write(store, lea, "Mine.")
    assert texts(at(store, lea)) == ["Mine."]
    vote(store, ann, "red")
    assert not look(store, lea, item_of(store)).open, "it is settled"
    assert texts(at(store, lea)) == ["From a rater.", "Mine."]
    assert ben.login == "ben"


@pytest.mark.both_databases
def test_the_list_of_threads_costs_no_one_their_blindness(store: Store, people: dict[str, Person]) -> None:
    lea, ann = people["lea"], people["ann"]
    comments.comment(store, person=ann, key="1", text="From a rater.", task=claimed(store, ann).id)
    (listed,) = comments.inbox(store, person=lea, project="p")
    assert listed.closed
    assert not listed.comments
    assert comments.mentions(store, person=lea, project="p").unanswered == 1, "that there is a question may be known"
    assert claimed(store, lea).item == listed.item, "and lea can still vote"
    (told,) = comments.inbox(store, person=people["sam"], project="p")
    assert texts(told) == ["From a rater."], "sam has no part in verification"
