"""Single votes, drafts and names of a running project, after changes of its schema and after they are taken back."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db import answers, item_revisions, reworded
from db.engine import Store
from db.tables import AnnotationRow, DraftRow, GoldRow, ItemRow, TaskRow
from domain.errors import InvalidInputError
from domain.records import TaskView
from domain.states import Stage
from extensions.schema_migration import in_force, migration
from extensions.schema_migration.changes import AffectedCounts, Decisions
from extensions.schema_migration.tests.minds import (
    CAST,
    CLEAR,
    EASY,
    FIRST,
    MINDS,
    Rule,
    answer,
    change,
    counted,
    named,
    person,
    schema,
    states,
    take,
    take_and_say,
)
from testkit.factories import make_items, make_people, make_project
from testkit.missing_extensions import needs
from workflow.access.projects import access_to
from workflow.annotate import claims, drafts, submissions
from workflow.files.project_check import check


def slot_of(store: Store, login: str, item: str) -> str:
    with store.read() as session:
        wanted = select(TaskRow.public_id).join(ItemRow).where(ItemRow.external_id == item)
        return session.exec(wanted.where(TaskRow.person_id == person(store, login).id)).one()


MAYBE = {"unsure]": "unsure, maybe]"}


def test_a_vote_that_only_a_later_schema_knows_is_asked_again_when_two_changes_are_taken_back(copied: Store) -> None:
    """Given under the third schema, it fits the second one, and not the first."""
    migration.migrate(copied, by=None, project="p", loaded=schema(2, MAYBE))
    migration.migrate(copied, by=None, project="p", loaded=schema(3, {**MAYBE, "title: Shape": "title: Form"}))
    name = take_and_say(copied, "cid", "maybe")
    migration.undo(copied, by=None, project="p")
    assert "maybe" in counted(copied, "fits")[name]
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 1
    assert counted(copied, "fits")[name] == sorted(value for value in CAST[name] if value)
    assert states(copied) == {name: Rule().state(said, len(said)) for name, said in CAST.items()}
    assert check(copied) == []


def test_a_vote_that_says_more_than_is_asked_counts_when_the_further_question_is_taken_back(copied: Store) -> None:
    change(copied, "a criterion more, from now on")
    cid = person(copied, "cid")
    view = take(copied, cid)
    name = named(copied, view)
    answer(copied, cid, view, "yes", clear="no")
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 0
    assert counted(copied, "fits")[name] == sorted([*(value for value in CAST[name] if value), "yes"])
    assert check(copied) == []


def test_votes_about_an_earlier_revision_are_not_among_those_that_count(copied: Store) -> None:
    sue = person(copied, "sue")
    view = claims.next_task(copied, person=sue, project="p", stage=Stage.ADJUDICATION)
    assert isinstance(view, TaskView)
    edited = {"decision": "edit", "cause": "hard", "fields": {"question": "What is it now?"}}
    submissions.submit(copied, person=sue, task=view.id, key="edit", values=edited)
    said = {name: cast for name, cast in CAST.items() if name != named(copied, view)}
    seen = migration.preview(copied, by=None, project="p", loaded=schema(2, {EASY: CLEAR}))
    assert seen.votes == sum(map(len, said.values())) < sum(map(len, CAST.values()))
    assert [each.used for each in seen.comparison.missing] == [
        AffectedCounts(votes=seen.votes, items=sum(bool(cast) for cast in said.values()))
    ]


def test_a_vote_by_the_later_name_of_an_option_stays_when_the_name_is_taken_back(copied: Store) -> None:
    change(copied, "a misspelt option")
    name = take_and_say(copied, "cid", "not_sure")
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 0
    assert counted(copied, "fits")[name] == sorted([*(value for value in CAST[name] if value), "unsure"])


def test_a_name_is_taken_over_from_what_is_no_longer_asked(copied: Store) -> None:
    """The first schema asks fits and easy; then easy goes, and then fits is called easy."""
    before = counted(copied, "fits")
    gone = {EASY: ""}
    retired = Decisions.parse({"retire": ["easy"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, gone), decisions=retired)
    new = schema(3, {**gone, "name: fits": "name: easy", "criterion: fits": "criterion: easy"})
    renamed = Decisions.parse({"rename_criterion": ["fits=easy"]})
    migration.migrate(copied, by=None, project="p", loaded=new, decisions=renamed)
    assert counted(copied, "easy") == before
    assert check(copied) == []


def test_a_name_that_comes_back_for_something_else_is_refused(copied: Store) -> None:
    """What was said of easy would count as what is said of pretty; as the question of then it may come back."""
    before = counted(copied, "easy")
    gone = {EASY: "", "    - {name: remark, kind: text, required: false}\n": ""}
    retired = Decisions.parse({"retire": ["easy", "remark"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, gone), decisions=retired)
    new = Decisions.parse({"new_votes_only": ["easy"]})
    other = {"Is it easy?": "Is it pretty?", "{name: remark, kind: text,": "{name: remark, kind: integer,"}
    with pytest.raises(InvalidInputError, match="version 1 had another easy") as told:
        migration.migrate(copied, by=None, project="p", loaded=schema(3, other), decisions=new)
    assert "item.fields.remark: version 1 had another remark" in str(told.value)
    migration.migrate(copied, by=None, project="p", loaded=schema(3), decisions=new)
    assert counted(copied, "easy") == before
    assert check(copied) == []


def test_an_option_that_gold_expects_is_not_asked_again(copied: Store) -> None:
    with copied.write() as session:
        item = session.exec(select(ItemRow).where(ItemRow.external_id == "colour/0")).one()
        about = {"project_id": item.project_id, "item_id": item.id, "revision": 1, "dimension": "colour"}
        row = GoldRow(stage=Stage.VERIFICATION, answers={"fits": "unsure"}, created_at=copied.now(), **about)
        session.add(row)
    with pytest.raises(
        InvalidInputError, match="1 gold check says that fits is unsure, but this answer is no longer possible"
    ):
        change(copied, "an option less, asked again")
    with copied.write() as session:
        session.exec(select(GoldRow)).one().withdrawn_at = copied.now()
    change(copied, "an option less, asked again")


def test_a_slip_is_mended_though_more_are_asked_now(copied: Store) -> None:
    """A vote that is corrected is one of now: with it alone the item waits for the third, and someone is asked."""
    bob = person(copied, "bob")
    slot = slot_of(copied, "bob", "colour/0")
    change(copied, "three raters, from now on")
    assert states(copied)["colour/0"] == "kept"
    submissions.undo(copied, person=bob, project="p", stage=Stage.VERIFICATION, task=slot)
    submissions.submit(copied, person=bob, task=slot, key="mended", values={"fits": "yes", "easy": "no"})
    assert states(copied)["colour/0"] == "in_verification"
    assert check(copied) == []


def test_what_is_written_in_place_of_a_vote_outlives_that_it_is_asked_again(copied: Store) -> None:
    bob = person(copied, "bob")
    slot = slot_of(copied, "bob", "colour/1")
    view = submissions.undo(copied, person=bob, project="p", stage=Stage.VERIFICATION, task=slot)
    assert view.draft is not None
    written = {"values": {"fits": "no"}, "reasons": {}, "note": "a second thought"}
    drafts.save_draft(copied, person=bob, task=slot, seq=view.draft.seq + 1, values=written)
    change(copied, "an option less, asked again")
    with copied.read() as session:
        wanted = select(DraftRow).join(TaskRow).where(TaskRow.public_id == slot, DraftRow.person_id == bob.id)
        assert session.exec(wanted).one().content == written
    assert check(copied) == []


@needs("pages", "cases")
def test_what_items_got_is_found_and_results_are_made_anew(copied: Store) -> None:
    def mark() -> tuple[int, ...]:
        with copied.read() as session:
            return answers.mark(session, project_id=access_to(session, person=None, project="p").project_id)

    def with_text() -> list[int]:
        with copied.read() as session:
            contents = {id: item_revisions.revisions(session, item_id=id)[-1].content for id in session.exec(ids)}
            return [id for id, content in contents.items() if "the archive" in content.values()]

    ids = select(ItemRow.id).order_by(col(ItemRow.id))

    marks = [mark()]
    added = {"required: false}": "required: false}\n    - {name: source, kind: text}"}
    filled = Decisions.parse({"fill": ["source=the archive"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, added), decisions=filled)
    marks.append(mark())
    assert len(with_text()) == len(CAST)
    migration.undo(copied, by=None, project="p")
    marks.append(mark())
    assert with_text() == []
    assert len(set(marks)) == 3


def test_a_change_that_someone_else_brings_to_its_end_is_left_alone(
    copied: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands still for a while; someone brings it to its end, and begins another one."""
    monkeypatch.setattr(in_force, "AT_ONCE", 3)
    mind = next(each for each in MINDS if each.name == "an option less, asked again")
    steps: list[int] = []

    def overtaken(done: int, n: int) -> None:
        steps.append(done)
        migration.finish(copied, by=None, project="p")
        migration.undo(copied, by=None, project="p")

    before = states(copied)
    migration.migrate(
        copied,
        by=None,
        project="p",
        loaded=schema(2, mind.edits),
        decisions=Decisions.parse(mind.decided),
        progress=overtaken,
    )
    assert steps == [3]
    assert states(copied) == before
    assert check(copied) == []


def test_an_option_that_a_part_of_an_answer_names_is_one_that_is_used(store: Store) -> None:
    """Passages with tags: a tag that goes is told with the votes that give it, mapped, and asked again."""
    text = FIRST.replace(
        EASY, EASY + "      - {name: marks, kind: spans, prompt: Where?, of: question, options: [a, b]}\n"
    )
    make_project(store, loaded=load_text(text, "Be exact.", "minds"))
    make_items(store, 1, fields={"question": "What is it?"})
    (ann,) = make_people(store, "ann")
    passages = [{"start": 0, "end": 4, "tag": "b"}]
    answer(store, ann, take(store, ann), "yes", marks=passages)
    new = load_text(text.replace("version: 1", "version: 2").replace("[a, b]", "[a]"), "Be exact.", "minds")
    seen = migration.preview(store, by=None, project="p", loaded=new)
    assert [(each.short, each.used and each.used.votes) for each in seen.comparison.missing] == [("marks:b", 1)]
    again = migration.preview(
        store, by=None, project="p", loaded=new, decisions=Decisions.parse({"ask_again": ["marks:b"]})
    )
    assert again.asked_again == 1
    mapped = Decisions.parse({"map": ["marks:b=a"]})
    migration.migrate(store, by=None, project="p", loaded=new, decisions=mapped)
    with store.read() as session:
        said = reworded.query(session, select(AnnotationRow))[0].answers["marks"]
    assert said == [{"start": 0, "end": 4, "tag": "a"}]


def test_who_has_it_in_hand_votes_though_enough_have_by_then(store: Store) -> None:
    """Three were asked, and two are; Bob and Cid have it in hand, and Bob's vote is the second."""
    make_project(store, loaded=schema(1, {"raters: 2": "raters: 3"}))
    make_items(store, 1, fields={"question": "What is it?"})
    ann, bob, cid = make_people(store, "ann", "bob", "cid")
    answer(store, ann, take(store, ann), "yes")
    held = [(bob, take(store, bob)), (cid, take(store, cid))]
    fewer = Decisions.parse({"recompute": ["verification"]})
    migration.migrate(store, by=None, project="p", loaded=schema(2), decisions=fewer)
    for (someone, view), state in zip(held, ("kept", "in_adjudication"), strict=True):
        answer(store, someone, view, "yes" if someone is bob else "no")
        assert states(store) == {"colour/0": state}
        assert check(store) == []


def test_what_is_chosen_in_a_draft_stays_where_it_is_offered_again(copied: Store) -> None:
    """An option went and is back: a draft that names it may have been written with either form."""
    change(copied, "an option less, mapped")
    migration.migrate(copied, by=None, project="p", loaded=schema(3))
    cid = person(copied, "cid")
    written = {"values": {"fits": "unsure"}}
    drafts.save_draft(copied, person=cid, task=take(copied, cid).id, seq=5, values=written)
    again = take(copied, cid).draft
    assert again is not None
    assert again.values == written
