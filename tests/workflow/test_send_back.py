"""Items go back to their authors with the reason: who reads it, who is asked meanwhile, and how it comes to an end."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AnnotationRow, CommentForRow, CommentRow, EventRow, ItemRow
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.item_filter import ItemList
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import (
    UNVERIFIED,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_project,
    vote,
)
from tests.workflow.test_authoring import write
from workflow.access import accounts
from workflow.annotate import claims, image_pool, own_submissions, project_progress, submissions
from workflow.files.project_check import check
from workflow.lead import bulk, item_list
from workflow.lead.bulk_plans import Action, BulkSelection
from workflow.lead.send_back import FROM_FILE, GONE, LONGEST_REASON, NO_SLOT, WITH_AUTHOR, Reasons

pytestmark = pytest.mark.both_databases

WHY = "2 of 3 models answer this right without the image."


def sending(lea: Person | None, names: list[str], **reasons: Any) -> dict[str, Any]:
    return {
        "by": lea,
        "project": "p",
        "action": Action.SEND_BACK,
        "chosen": BulkSelection(items=tuple(names)),
        "reasons": Reasons(**{"all": WHY, **reasons}),
    }


def done(store: Store, given: dict[str, Any]) -> int:
    return bulk.do(store, token=bulk.preview(store, **given).token, **given)


def one(store: Store) -> ItemRow:
    with store.read() as session:
        return session.exec(select(ItemRow)).one()


def back(store: Store, person: Person) -> list[str]:
    return [each.why for each in own_submissions.sent_back_to(store, person=person, project="p")]


def with_author(store: Store) -> list[str]:
    """What the table of items has behind its filter."""
    asked = ItemList.parse({"with_author": ["yes"]})
    assert ItemList.parse(asked.asked()) == asked, "and in a link"
    return list(item_list.names(store, person=None, project="p", wanted=asked.filter))


def nothing_for(store: Store, person: Person) -> bool:
    return isinstance(claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), NoTask)


def written(store: Store, ann: Person) -> str:
    (image,) = make_pool(store, 1)
    write(store, ann, image)
    return one(store).external_id


def comments_for(store: Store) -> list[tuple[int, str, int]]:
    """Who wrote each comment, what it says, and whom it is for."""
    with store.read() as session:
        wanted = select(CommentRow.person_id, CommentRow.text, CommentForRow.person_id)
        return list(session.exec(wanted.where(CommentForRow.comment_id == CommentRow.id)))


def test_an_item_comes_back_to_its_author_who_corrects_it_and_then_others_vote_anew(store: Store) -> None:
    make_project(store)
    lea, sen = make_person(store, "lea", role=Role.LEAD), make_person(store, "sen", role=Role.SENIOR)
    ann, ben, cy = make_people(store, "ann", "ben", "cy")
    name = written(store, ann)
    vote(store, ben)
    vote(store, cy)
    assert one(store).state is ItemState.KEPT
    given = sending(lea, [name, "colour/none"])
    seen = bulk.preview(store, **given)
    assert (seen.can, [each for each, _ in seen.cannot]) == ((name,), ["colour/none"])
    assert bulk.do(store, token=seen.token, **given) == 1
    with pytest.raises(ConflictError):  # pressed twice
        bulk.do(store, token=seen.token, **given)
    assert bulk.preview(store, **given).cannot[0] == (name, WITH_AUTHOR)
    assert (one(store).state, one(store).current_revision) == (ItemState.IN_VERIFICATION, 2)
    with store.read() as session:
        (event,) = session.exec(select(EventRow).where(EventRow.kind == "item.sent_back")).all()
    assert (event.person_id, event.item_id, event.data) == (lea.id, one(store).id, {"revision": 2, "why": WHY})
    # the author alone reads why; no one is asked meanwhile, and nothing is amiss
    assert (back(store, ann), back(store, ben)) == ([WHY], [])
    assert with_author(store) == [name]
    assert comments_for(store) == [(lea.id, WHY, ann.id)]
    assert all(nothing_for(store, each) for each in (ben, cy, sen))
    assert check(store) == []
    (row,) = [each for each in project_progress.dashboard(store, person=lea, project="p").rows if each.counts.written]
    assert [each.sentence for each in row.stuck if "author" in each.sentence] == [
        "1 item is with its author, sent back with a reason. Voting starts again after a correction, or when you "
        "send the items to verification."
    ]
    # votes of before do not keep the author from correcting it
    (mine,) = own_submissions.sent_back_to(store, person=ann, project="p")
    again = submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING, task=mine.row.task)
    assert again.correction
    submissions.submit(store, person=ann, task=again.id, key="again", values=make_fields(7))
    assert (one(store).current_revision, back(store, ann), with_author(store)) == (3, [], [])
    assert vote(store, ben).fields["question"] == "Question 7?"
    assert vote(store, sen).fields["question"] == "Question 7?"
    assert one(store).state is ItemState.KEPT
    assert check(store) == []
    with store.read() as session:
        assert len(session.exec(select(AnnotationRow)).all()) == 6, "2 of ann's, 2 votes of before, 2 of now"


def test_it_is_undone_by_having_it_verified_again(store: Store) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    name = written(store, ann)
    assert done(store, sending(lea, [name])) == 1
    (mine,) = own_submissions.sent_back_to(store, person=ann, project="p")
    again = {"by": lea, "project": "p", "action": Action.VERIFY_AGAIN, "chosen": BulkSelection(items=(name,))}
    assert with_author(store) == [name]
    assert done(store, again) == 1
    assert with_author(store) == []
    assert bulk.preview(store, **again).cannot == ((name, "The item is already in verification."),)
    assert (back(store, ann), check(store)) == ([], [])
    with pytest.raises(ConflictError, match="Someone has edited this item since"):
        submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING, task=mine.row.task)
    assert vote(store, ben).fields["question"] == "Question 1?"
    assert [text for _, text, _ in comments_for(store)] == [WHY], "what was said stays"


def test_what_cannot_go_back_says_why(store: Store) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, eve = make_people(store, "ann", "eve")
    first, second = make_pool(store, 2)
    write(store, ann, first)
    write(store, eve, second, 2)
    make_items(store, 1)
    make_items(store, 1, author_id=ann.id)
    with store.read() as session:
        names = [row.external_id for row in session.exec(select(ItemRow).order_by(ItemRow.id))]  # type: ignore[arg-type]
    accounts.set_active(store, by=lea, login="eve", active=False)
    seen = bulk.preview(store, **sending(lea, names))
    assert seen.can == (names[0],)
    assert dict(seen.cannot) == {names[1]: GONE, names[2]: FROM_FILE, names[3]: NO_SLOT}
    for given, sentence in (
        (sending(None, names), "Name the person who sends the item back"),
        (sending(lea, names, all=" \0 "[:1]), "Enter a reason. The author will see the reason"),
        (sending(lea, names, all="", own={names[0]: WHY}), f"{names[1]} has no reason"),
        (sending(lea, names, own={names[0]: "x" * (LONGEST_REASON + 1)}), "Shorten the reason"),
    ):
        with pytest.raises(InvalidInputError, match=sentence):
            bulk.preview(store, **given)
    with pytest.raises(NotAllowedError):
        bulk.preview(store, **sending(ann, names))
    own = {names[0]: "The key stands in the question.\0"}
    assert done(store, sending(lea, [names[0]], own=own)) == 1
    assert back(store, ann) == ["The key stands in the question.\ufffd"]


@pytest.mark.one_database
def test_it_goes_back_also_where_no_one_verifies(store: Store) -> None:
    make_project(store, loaded=load_text(UNVERIFIED, "", "plain"))
    lea, ann = make_person(store, "lea", role=Role.LEAD), make_person(store, "ann")
    (image,) = make_pool(store, 1)
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
    submissions.submit(store, person=ann, task=view.id, key="w", values={"question": "Red?"})
    assert done(store, sending(lea, [one(store).external_id])) == 1
    assert (one(store).state, back(store, ann), check(store)) == (ItemState.UNVERIFIED, [WHY], [])
