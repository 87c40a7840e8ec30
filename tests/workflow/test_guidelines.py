"""Versions of the guideline: stored with every vote, never pooled silently, told to anyone who worked under another."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError, RatingsError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from workflow.access import guidelines
from workflow.annotate import submissions
from workflow.files.project_check import check, remarks
from workflow.lead import adjudication_reasons
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of

FIRST, SECOND = "Be exact.", "Be exact.\nName the colour of the largest part."


def put(store: Store, text: str = SECOND, why: str = "The largest part counts.", **more: object) -> int:
    return guidelines.publish_version(store, by=None, project="p", text=text, why=why, **more).number  # type: ignore[arg-type]


def hashes(store: Store) -> list[str]:
    with store.read() as session:
        return list(session.exec(select(AnnotationRow.guideline_hash).order_by("id")))  # type: ignore[arg-type]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.both_databases
def test_every_later_vote_is_stored_under_the_new_version(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    (ann,) = make_people(store, "ann")
    vote(store, ann)
    assert put(store) == 2
    vote(store, ann)
    assert hashes(store) == [digest(FIRST), digest(SECOND)]
    first, second = guidelines.versions(store, by=None, project="p")
    assert (first.number, first.text, first.submissions) == (1, FIRST, {"verification": 1})
    assert (second.number, second.text, second.submissions) == (2, SECOND, {"verification": 1})
    assert second.why == "The largest part counts."
    assert guidelines.show(store, by=None, project="p").text == SECOND
    assert guidelines.show(store, by=None, project="p", number=1).text == FIRST
    with pytest.raises(NotFoundError, match="1 to 2"):
        guidelines.show(store, by=None, project="p", number=3)
    assert check(store) == []


def test_a_page_of_before_is_stored_under_what_its_rater_saw(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    (ann,) = make_people(store, "ann")
    opened = claimed(store, ann)
    put(store)
    given = {"values": {"choice": "red"}, "guideline": opened.guideline}
    submissions.submit(store, person=ann, task=opened.id, key="k", **given)  # type: ignore[arg-type]
    assert hashes(store) == [digest(FIRST)]
    other = claimed(store, ann)
    assert other.guideline == digest(SECOND)
    with pytest.raises(InvalidInputError, match="not this project's"):
        submissions.submit(
            store, person=ann, task=other.id, key="l", values={"choice": "red"}, guideline=digest("mine")
        )
    assert len(hashes(store)) == 1


@pytest.mark.both_databases
def test_who_worked_under_another_version_is_told_until_they_open_it(store: Store) -> None:
    make_project(store)
    make_items(store, 4)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann)
    put(store)
    news = claimed(store, ann).news
    assert news is not None
    assert (news.number, news.why) == (2, "The largest part counts.")
    assert news.changes == ((" ", "Be exact."), ("+", "Name the colour of the largest part."))
    assert claimed(store, bob).news is None  # new here: nothing has changed for him
    vote(store, bob)
    vote(store, ann)
    assert claimed(store, ann).news == news  # working on does not count as reading
    guidelines.record_opening(store, person=ann, project="p", number=1)
    assert claimed(store, ann).news is not None
    guidelines.record_opening(store, person=ann, project="p", number=2)
    assert claimed(store, ann).news is None
    put(store, "Be kind.", "New tone.")
    put(store, "Be kind.\nBe exact.", "Exactness is back.")
    assert claimed(store, bob).news is not None
    heard = claimed(store, ann).news
    assert heard is not None
    assert heard.why == "New tone. Exactness is back."
    assert ("-", "Name the colour of the largest part.") in heard.changes


def test_old_words_come_back_under_their_old_number(store: Store) -> None:
    make_project(store)
    make_items(store)
    assert [put(store), put(store, FIRST, "Back again."), put(store, "Other.", "Other.")] == [2, 1, 3]


def test_two_leads_do_not_write_over_each_other(store: Store) -> None:
    make_project(store)
    put(store, based_on=1)
    with pytest.raises(ConflictError, match="Version 2 came into force"):
        put(store, "Mine.", "Mine.", based_on=1)
    assert put(store, "Mine.", "Mine.", based_on=2) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [(FIRST, "Nothing."), ("", "Emptied."), (" \n", "Emptied."), (SECOND, ""), (SECOND, " "), ("x" * 300_000, "Long.")],
)
def test_a_version_that_does_not_fit_is_refused(store: Store, text: str, why: str) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError):
        put(store, text, why)
    assert len(guidelines.versions(store, by=None, project="p")) == 1


def test_only_leads_change_it(store: Store) -> None:
    make_project(store)
    for role in (Role.ANNOTATOR, Role.SENIOR):
        person = make_person(store, role.value, role=role)
        with pytest.raises(NotAllowedError):
            guidelines.publish_version(store, by=person, project="p", text=SECOND, why="Mine.")
        with pytest.raises(NotAllowedError):
            guidelines.versions(store, by=person, project="p")
        with pytest.raises(NotAllowedError):
            adjudication_reasons.reasons(store, by=person, project="p")
        with pytest.raises(NotAllowedError):
            guidelines.answer(store, by=person, project="p", reason="wrong_key", dimension="colour", why="No.")


def test_votes_under_different_versions_are_measured_apart(store: Store) -> None:
    """Four items before the change (two agreements), two after it (two)."""
    make_project(store)
    make_items(store, 4)
    ann, bob = make_people(store, "ann", "bob")
    for number in range(4):
        view = vote(store, ann)
        again = claimed(store, bob)
        del view
        choice = "red" if number % 2 else "blue"
        submissions.submit(store, person=bob, task=again.id, key=again.id, values={"choice": choice})
    # Both have now voted on the four; ann always red.
    put(store)
    make_items(store, 2)
    for _ in range(2):
        vote(store, ann)
        vote(store, bob)

    def percent(**asked: bool) -> dict[str | None, tuple[float | None, int]]:
        lines = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, **asked)  # type: ignore[arg-type]
        return {
            line.args.get("guideline"): (line.value, line.n_units)
            for line in lines
            if line.statistic == "percent_agreement"
        }

    assert percent() == {"1": (pytest.approx(2 / 4), 4), "2": (pytest.approx(2 / 2), 2)}
    assert percent(pool_guidelines=True) == {"1 and 2, pooled": (pytest.approx(4 / 6), 6)}
    versions = [rating.guideline for rating in ratings_of(store, project="p", stage=Stage.VERIFICATION)]
    assert sorted(versions, key=str) == [1] * 8 + [2] * 4
    with pytest.raises(RatingsError):
        agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, criteria=["none"])


def test_one_item_voted_on_under_two_versions_is_worth_knowing(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann)
    assert remarks(store) == []
    put(store)
    vote(store, bob)
    assert check(store) == []
    (remark,) = remarks(store, project="p")
    assert "1 item has votes under versions 1 and 2" in remark


# ---- the list of reasons ---------------------------------------------------------------------------------------------


def settle(store: Store, senior: Person, cause: str = "wrong_key", note: str = "") -> str:
    """The next contested item is rejected; its question."""
    view = claimed(store, senior, Stage.ADJUDICATION)
    values = {"decision": "reject", "cause": cause}
    submissions.submit(store, person=senior, task=view.id, key=view.id, values=values, note=note)
    return str(view.fields["question"])


def contested(store: Store, n: int, dimension: str = "colour") -> None:
    make_items(store, n, dimension=dimension)
    for login, choice in (("ann", "red"), ("bob", "blue")):
        person = Person(id=LOGINS[login], login=login, name=login)
        for _ in range(n):
            vote(store, person, choice, dimension=dimension)


LOGINS: dict[str, int] = {}


@pytest.fixture
def senior(store: Store) -> Person:
    """A project with two voters and a senior."""
    make_project(store)
    for person in make_people(store, "ann", "bob"):
        LOGINS[person.login] = person.id
    return make_person(store, "sue", role=Role.SENIOR)


@pytest.mark.thorough
@pytest.mark.both_databases
def test_causes_add_up_and_are_answered(store: Store, senior: Person) -> None:
    contested(store, 3)
    contested(store, 1, "shape")
    for _ in range(4):
        settle(store, senior, note="See the handle.")
    lines = adjudication_reasons.reasons(store, by=None, project="p")
    assert [(line.reason, line.label, line.dimension, line.open) for line in lines] == [
        ("wrong_key", "Wrong key", "colour", 3),
        ("wrong_key", "Wrong key", "shape", 1),
    ]
    assert {case.item for case in lines[0].cases} == {"colour/0", "colour/1", "colour/2"}
    assert {case.note for line in lines for case in line.cases} == {"See the handle."}

    done = guidelines.publish_version(
        store, by=None, project="p", text=SECOND, why="So.", answers=[("wrong_key", "colour")]
    )
    assert (done.number, done.answers) == (2, 3)
    assert guidelines.answer(
        store, by=None, project="p", reason="wrong_key", dimension="shape", why="A slip of the pen."
    ) == 1  # fmt: skip
    contested(store, 1)
    settle(store, senior)
    colour, shape = adjudication_reasons.reasons(store, by=None, project="p")
    assert (colour.dimension, colour.open, len(colour.cases)) == ("colour", 1, 4)
    assert [case.answered_by for case in colour.cases] == [2, 2, 2, None]
    assert [case.guideline for case in colour.cases] == [1, 1, 1, 2]
    assert [(case.answered_by, case.answer) for case in shape.cases] == [(2, "A slip of the pen.")]
    with pytest.raises(InvalidInputError, match="No open decision"):
        guidelines.publish_version(store, by=None, project="p", text="x", why="y", answers=[("wrong_key", "shape")])
    assert len(guidelines.versions(store, by=None, project="p")) == 2, "nothing is half done"

    assert check(store) == []


LINES = st.lists(st.sampled_from(["a", "b", "c", "-x", "+y", "@@ z", ""]), max_size=8)


@given(LINES, LINES)
def test_both_texts_can_be_read_off_the_changes(before: list[str], after: list[str]) -> None:
    found = guidelines.changes("\n".join(before), "\n".join(after), around=None)
    if before == after:
        assert found == []
        return
    kept = "\n".join(before).splitlines(), "\n".join(after).splitlines()
    if kept[0] == kept[1]:
        return
    assert [text for sign, text in found if sign in " -"] == kept[0]
    assert [text for sign, text in found if sign in " +"] == kept[1]
