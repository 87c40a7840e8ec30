"""Keep rules as pure functions of votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import NotAvailable
from domain.policies import KEEP_RULES, Vote, item_state, verdict
from domain.states import ItemState

IN, SENIOR, KEPT, OUT = (
    ItemState.IN_VERIFICATION,
    ItemState.IN_ADJUDICATION,
    ItemState.KEPT,
    ItemState.REJECTED,
)


@dataclass(frozen=True)
class Rule:
    """A keep rule as a schema states it."""

    rule: str
    criterion: str | None = "c"
    criteria: tuple[str, ...] = ()
    key: str | None = None
    value: Any = "yes"


def votes(*values: Any) -> list[Vote]:
    """Votes on the criterion ``c``."""
    return [Vote(rater=str(at), values={"c": value}) for at, value in enumerate(values)]


@pytest.mark.parametrize(
    ("rule", "values", "with_senior", "without"),
    [
        ("unanimous", ["yes", "yes", "yes"], KEPT, KEPT),
        ("unanimous", ["no", "no", "no"], OUT, OUT),
        ("unanimous", ["yes", "yes", "no"], SENIOR, OUT),
        ("unanimous", ["yes", "yes", None], SENIOR, OUT),
        ("unanimous", [None, None, None], SENIOR, OUT),
        ("unanimous", ["yes", "yes"], IN, IN),
        ("unanimous", [], IN, IN),
        ("majority", ["yes", "yes", "no"], KEPT, KEPT),
        ("majority", ["no", "yes", "no"], OUT, OUT),
        ("majority", ["yes", "no", None], SENIOR, OUT),
        ("majority", ["yes", None, None], SENIOR, OUT),
    ],
)
def test_what_votes_come_to(rule: str, values: list[Any], with_senior: ItemState, without: ItemState) -> None:
    for adjudication, state in ((True, with_senior), (False, without)):
        found = verdict(Rule(rule), votes(*values), raters=3, item_fields={}, adjudication=adjudication)
        assert found.state is state
        assert found.why


@pytest.mark.parametrize(
    ("values", "key", "state"),
    [
        (["b", "b"], "b", KEPT),
        (["a", "a"], "b", OUT),
        (["a", "b"], "b", SENIOR),
        ([None, "b"], "b", SENIOR),
        (["b", "b"], None, OUT),
        ([1, 1], True, OUT),
        ([1.0, 1], 1, KEPT),
    ],
)
def test_agreeing_with_the_key(values: list[Any], key: Any, state: ItemState) -> None:
    rule = Rule("unanimous_and_key", key="answer", value=None)
    found = verdict(rule, votes(*values), raters=2, item_fields={"answer": key}, adjudication=True)
    assert found.state is state


def test_with_several_criteria_each_must_keep() -> None:
    rule = Rule("unanimous", criterion=None, criteria=("image", "text"))

    def state(*pairs: tuple[str | None, str | None]) -> ItemState:
        cast = [Vote(str(at), {"image": image, "text": text}) for at, (image, text) in enumerate(pairs)]
        return verdict(rule, cast, raters=2, item_fields={}, adjudication=True).state

    assert state(("yes", "yes"), ("yes", "yes")) is KEPT
    assert state(("yes", "no"), ("yes", "yes")) is SENIOR
    assert state(("no", "no"), ("no", "yes")) is OUT
    assert state(("no", None), ("no", None)) is OUT


def test_a_rule_that_is_not_built_yet_is_refused() -> None:
    (name,) = [row.name for row in KEEP_RULES.values() if not row.available]
    with pytest.raises(NotAvailable, match=name):
        verdict(Rule(name), votes("yes"), raters=1, item_fields={}, adjudication=False)


VALUES = st.sampled_from(["yes", "no", None])


@given(st.sampled_from(["unanimous", "majority"]), st.lists(VALUES, min_size=1, max_size=5), st.booleans(), st.data())
def test_neither_order_nor_names_of_raters_matter(
    rule: str, values: list[Any], adjudication: bool, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(values))
    states = {
        verdict(Rule(rule), votes(*given_values), raters=len(values), item_fields={}, adjudication=adjudication).state
        for given_values in (values, shuffled)
    }
    assert len(states) == 1


@given(st.lists(VALUES, min_size=2, max_size=5), st.booleans())
def test_unanimous_keeps_exactly_what_all_want(values: list[Any], adjudication: bool) -> None:
    found = verdict(Rule("unanimous"), votes(*values), raters=len(values), item_fields={}, adjudication=adjudication)
    assert (found.state is KEPT) == (set(values) == {"yes"})
    assert found.state is not IN
    assert (found.state is SENIOR) <= adjudication


@pytest.mark.parametrize(("decision", "state"), [("accept", KEPT), ("reject", OUT), (None, SENIOR)])
def test_a_senior_decides_what_votes_leave_open(decision: str | None, state: ItemState) -> None:
    found = item_state(
        Rule("unanimous"),
        votes("yes", "no"),
        raters=2,
        item_fields={},
        adjudication=True,
        decision=decision,
    )
    assert found.state is state


def test_without_verification_there_is_no_verdict() -> None:
    found = item_state(None, [], raters=0, item_fields={}, adjudication=False)
    assert found.state is ItemState.UNVERIFIED
