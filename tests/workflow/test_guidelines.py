"""Versions of the guideline: stored with every vote, never pooled silently, told to anyone who worked under another."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow
from domain.errors import InvalidInputError, RatingsError
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_project, vote
from testkit.guidelines import new_guideline
from workflow.access import guidelines
from workflow.annotate import submissions
from workflow.files.project_check import check, remarks
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of

FIRST, SECOND = "Be exact.", "Be exact.\nName the colour of the largest part."


def put(store: Store, text: str = SECOND, why: str = "The largest part counts.") -> int:
    return new_guideline(store, project="p", text=text, why=why)


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
    with pytest.raises(InvalidInputError, match="guideline of another project"):
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
