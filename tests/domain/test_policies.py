"""Keep rules as pure functions of votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_schemas.model import KeepPart
from domain.decimals import Tolerance
from domain.errors import NotAvailableError
from domain.policies import KEEP_RULES, Vote, contest, is_unanimous, item_state, verdict
from domain.states import ItemState

pytestmark = pytest.mark.thorough

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
    values: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[KeepPart, ...] = ()
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)


@dataclass(frozen=True)
class Skips:
    """What skips do as a schema states it."""

    after: int
    then: str


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


def test_a_rule_that_no_one_knows_is_refused() -> None:
    with pytest.raises(NotAvailableError, match="by_dice"):
        verdict(Rule("by_dice"), votes("yes"), raters=1, item_fields={}, adjudication=False)


VALUES = st.sampled_from(["yes", "no", None])


@given(
    st.sampled_from(["unanimous", "majority", "weighted"]),
    st.lists(VALUES, min_size=1, max_size=5),
    st.booleans(),
    st.data(),
)
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


@pytest.mark.parametrize(
    ("cast", "state"),
    [
        # 0.9 of 1.6 for yes: more than half, although two of three say no
        ([("yes", 0.9), ("no", 0.3), ("no", 0.4)], KEPT),
        # 0.3 against 0.1 + 0.2: a tie as people write numbers, though not as a machine adds them
        ([("yes", 0.3), ("no", 0.1), ("no", 0.2)], SENIOR),
        ([("no", 0.9), ("yes", 0.3), ("yes", 0.4)], OUT),
        # a skip weighs against everything: 0.5 of 1.1
        ([("yes", 0.5), (None, 0.5), ("no", 0.1)], SENIOR),
        # without a score a vote counts 1: 1 of 1.8
        ([("yes", None), ("no", 0.4), ("no", 0.4)], KEPT),
        ([("yes", None), ("no", None), ("yes", None)], KEPT),
        ([("yes", 0.0), ("yes", 0.0), ("yes", 0.0)], SENIOR),
        ([("yes", 0.0), ("yes", 0.0), ("no", 0.1)], OUT),
        # spread: 0.4 of 1.2 each
        ([("yes", 0.4), ("no", 0.4), ("maybe", 0.4)], SENIOR),
    ],
)
def test_weighed_votes(cast: list[tuple[Any, float | None]], state: ItemState) -> None:
    weighed = [Vote(str(at), {"c": value}, weight=weight) for at, (value, weight) in enumerate(cast)]
    assert verdict(Rule("weighted"), weighed, raters=3, item_fields={}, adjudication=True).state is state


def test_weighed_votes_may_be_compared_with_a_key() -> None:
    rule = Rule("weighted", key="answer", value=None)
    cast = [Vote("a", {"c": "b"}, weight=0.9), Vote("b", {"c": "a"}, weight=0.5)]
    for key, state in (("b", KEPT), ("a", OUT), (None, OUT)):
        assert verdict(rule, cast, raters=2, item_fields={"answer": key}, adjudication=True).state is state


def test_all_of_wants_of_each_criterion_its_own_value() -> None:
    rule = Rule("all_of", criterion=None, value=None, values={"image": "yes", "answer": 1})

    def state(*pairs: tuple[Any, Any]) -> ItemState:
        cast = [Vote(str(at), {"image": image, "answer": answer}) for at, (image, answer) in enumerate(pairs)]
        return verdict(rule, cast, raters=2, item_fields={}, adjudication=True).state

    assert state(("yes", 1), ("yes", 1.0)) is KEPT
    assert state(("yes", 1), ("yes", 0)) is SENIOR
    assert state(("yes", 0), ("yes", 0)) is OUT
    assert state(("yes", True), ("yes", True)) is OUT
    assert state(("no", 1), (None, 1)) is SENIOR


PARTS = Rule(
    "all_of",
    criterion=None,
    value=None,
    parts=(
        KeepPart(criterion="choice", key="answer"),
        KeepPart(criterion="fits", value="yes"),
        KeepPart(criterion="hard", at_most=3),
    ),
)


def ballot(rater: int, choice: Any, fits: Any, hard: Any) -> Vote:
    return Vote(str(rater), {"choice": choice, "fits": fits, "hard": hard})


@pytest.mark.parametrize(
    ("cast", "state", "told"),
    [
        ([("b", "yes", 1), ("b", "yes", 3)], KEPT, "satisfy the rule"),  # 1 and 3 are both at most 3
        (
            [("a", "yes", 1), ("a", "yes", 1)],
            OUT,
            "For choice (wanted: the item's answer), the votes agree on a value that does not keep the item",
        ),
        (
            [("b", "no", 1), ("b", "no", 1)],
            OUT,
            "For fits (wanted: yes), the votes agree on a value that does not keep the item",
        ),
        (
            [("b", "yes", 4), ("b", "yes", 5)],
            OUT,
            "For hard (wanted: at most 3), the votes agree on a value that does not keep the item",
        ),
        ([("b", "yes", 3), ("b", "yes", 4)], SENIOR, "differ on hard (wanted: at most 3)"),
        ([("b", "yes", None), ("b", "yes", 1)], SENIOR, "differ on hard"),
        ([("b", "no", 4), ("b", "yes", 5)], OUT, "For hard"),  # one part that is agreed on is enough to reject
        ([("b", "yes", "2"), ("b", "yes", True)], OUT, "For hard"),  # no numbers, so not within the limit
    ],
)
def test_parts_have_a_target_each(cast: list[tuple[Any, Any, Any]], state: ItemState, told: str) -> None:
    given_votes = [ballot(at, *each) for at, each in enumerate(cast)]
    found = verdict(PARTS, given_votes, raters=2, item_fields={"answer": "b"}, adjudication=True)
    assert (found.state, told in found.why) == (state, True), found.why


def test_votes_on_the_same_side_of_a_limit_say_the_same() -> None:
    low, high, out = ballot(0, "b", "yes", 1), ballot(1, "b", "yes", 3), ballot(2, "b", "yes", 5)
    right, wrong = {"answer": "b"}, {"answer": "a"}
    assert is_unanimous(PARTS, [low, high], item_fields=wrong, wanted=False)
    assert is_unanimous(PARTS, [low, high], item_fields=right, wanted=True)
    assert not is_unanimous(PARTS, [low, high], item_fields=wrong, wanted=True)
    assert not is_unanimous(PARTS, [low, out], item_fields=right, wanted=False)
    assert contest(PARTS, [low, high], item_fields=right) == 0
    assert contest(PARTS, [low, high, out], item_fields=right) == pytest.approx(2 / 9)


def test_both_limits_and_a_majority_of_votes() -> None:
    rule = Rule("majority", None, value=None, parts=(KeepPart(criterion="c", at_least=2, at_most=4.5),))
    for values, state in (([2, 4.5, 9], KEPT), ([1, 5, 3], OUT), ([1, 3, None], SENIOR)):
        assert verdict(rule, votes(*values), raters=3, item_fields={}, adjudication=True).state is state


HALF = {"c": Tolerance(absolute=Fraction(1, 2))}


@pytest.mark.parametrize(
    ("rule", "values", "key", "state"),
    [
        # each within 0.5 of the key keeps, though the outermost two are 1 apart
        ("unanimous", [9.5, 10.5], "10.0", KEPT),
        ("unanimous", [9.4, 10.5], "10.0", SENIOR),
        # one right, one wrong, and within 0.5 of each other: no agreement
        ("unanimous", [10.4, 10.8], 10, SENIOR),
        # 11, 11.2 and 11.5 are within 0.5 of each other and all wrong; 11.6 is too far from 11
        ("unanimous", [11, 11.2, 11.5], 10, OUT),
        ("unanimous", [11, 11.2, 11.6], 10, SENIOR),
        ("majority", [10.1, 9.9, 20], 10, KEPT),
        ("majority", [12, 12.5, 10], 10, OUT),
        # 11 and 12 are too far apart for the three to say one thing, and two of four are no majority
        ("majority", [11, 11.5, 12, 10], 10, SENIOR),
        ("majority", [11, 11.5, 11.2, 10], 10, OUT),
        ("majority", [10, None, 10], None, OUT),  # without a key nothing keeps; votes are equal
        ("unanimous", ["10", "10"], 10, OUT),  # text is no number that was typed
    ],
)
def test_votes_within_a_tolerance(rule: str, values: list[Any], key: Any, state: ItemState) -> None:
    asked = Rule(rule, key="answer", value=None, tolerances=HALF)
    found = verdict(asked, votes(*values), raters=len(values), item_fields={"answer": key}, adjudication=True)
    assert found.state is state


def test_a_tenth_in_any_spelling_is_the_key() -> None:
    rule = Rule("unanimous_and_key", key="answer", value=None)
    for vote, key, state in ((0.1, "0.10", KEPT), (0.1, "0.11", OUT), (True, "1", OUT), (1, "1.0", KEPT)):
        assert verdict(rule, votes(vote), raters=1, item_fields={"answer": key}, adjudication=True).state is state


def test_a_relative_tolerance_is_of_the_key() -> None:
    rule = Rule("unanimous", key="answer", value=None, tolerances={"c": Tolerance(relative=Fraction(1, 10))})
    for values, key, state in (([9, 11], 10, KEPT), ([8.9, 11], 10, SENIOR), ([0], 0, KEPT), ([0.001], 0, OUT)):
        found = verdict(rule, votes(*values), raters=len(values), item_fields={"answer": key}, adjudication=True)
        assert found.state is state
    # one tenth of 10 is 1: of three pairs only 11 and 12 are that near
    assert contest(rule, votes(9.9, 11, 12), item_fields={"answer": 10}) == pytest.approx(2 / 3)


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from([9.4, 9.5, 10, 10.4, 10.8, 11, 11.3, None]), min_size=1, max_size=5),
    st.sampled_from(["unanimous", "majority", "weighted"]),
    st.sampled_from([10, "10.5", None]),
    st.data(),
)
def test_the_order_of_votes_within_a_tolerance_does_not_matter(
    values: list[Any], rule: str, key: Any, data: st.DataObject
) -> None:
    asked = Rule(rule, key="answer", value=None, tolerances=HALF)
    found = {
        verdict(asked, votes(*order), raters=len(values), item_fields={"answer": key}, adjudication=True).state
        for order in (values, data.draw(st.permutations(values)))
    }
    assert len(found) == 1


def skip(rater: str, cause: str = "unclear") -> Vote:
    return Vote(rater, {"c": None}, {"c": cause})


def test_so_many_skips_do_what_the_policy_says_before_all_votes_are_in() -> None:
    def found(after: int, then: str, *cast: Vote) -> tuple[ItemState, str]:
        came = verdict(
            Rule("unanimous"), cast, raters=3, item_fields={}, adjudication=True, skips=Skips(after, then),
            words={"unclear": "It is unclear"},
        )  # fmt: skip
        return came.state, came.why

    yes = Vote("y", {"c": "yes"})
    assert found(2, "retire", skip("a"))[0] is IN
    assert found(2, "retire", skip("a"), yes)[0] is IN
    state, why = found(2, "retire", skip("a"), yes, skip("b", "typed by hand"))
    assert state is OUT
    assert "2 of 3 votes" in why
    assert "It is unclear (1), typed by hand (1)" in why
    assert found(1, "adjudicate", skip("a"))[0] is SENIOR
    # What was not asked, or left out where that is allowed, is no skip.
    assert found(1, "retire", Vote("a", {"c": None}))[0] is IN
    assert found(1, "retire", Vote("a", {}))[0] is IN


def test_a_senior_settles_also_what_skips_have_left_open() -> None:
    found = item_state(
        Rule("unanimous"), [skip("a")], raters=3, item_fields={}, adjudication=True, decision="accept",
        skips=Skips(1, "adjudicate"),
    )  # fmt: skip
    assert found.state is KEPT


@pytest.mark.parametrize(
    ("values", "share"),
    [
        (["yes"], 0),
        (["yes", "yes", "yes"], 0),
        (["yes", "no"], 1),
        (["yes", "yes", "no"], 2 / 3),  # of three pairs two differ
        (["yes", "no", "maybe"], 1),
        ([None, None], 1),
        (["yes", "yes", "no", "no"], 4 / 6),
    ],
)
def test_how_contested_an_item_is(values: list[Any], share: float) -> None:
    assert contest(Rule("unanimous"), votes(*values), item_fields={}) == pytest.approx(share)


# ---- the policy against a second reading of it ----------------------------------------------------------------------

CRITERIA = ("c", "d")


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    """A stage's policy and some votes on an item, from the words of the schema."""
    raters = draw(st.integers(1, 5))
    rule = draw(st.sampled_from(sorted(KEEP_RULES)))
    criteria = draw(st.sampled_from([("c",), CRITERIA]))
    answer = st.sampled_from(["yes", "no", "maybe", "skip"])
    weights = st.sampled_from([None, 0.0, 0.1, 0.2, 0.3, 0.5, 0.85, 1.0])
    return {
        "raters": raters,
        "rule": rule,
        "wanted": {name: draw(st.sampled_from(["yes", "no"])) for name in criteria},
        "key": draw(st.sampled_from(["yes", "no", None])),
        "adjudication": draw(st.booleans()),
        "skips": draw(st.none() | st.tuples(st.integers(1, raters), st.sampled_from(["retire", "adjudicate"]))),
        "cast": draw(
            st.lists(
                st.tuples(st.fixed_dictionaries({name: answer for name in criteria}), weights),
                min_size=0,
                max_size=raters,
            )
        ),
    }


def by_the_words(policy: dict[str, Any]) -> str:
    """The verdict as the documentation says it, on plain strings and decimal numbers."""
    cast, adjudication = policy["cast"], policy["adjudication"]
    if policy["skips"]:
        after, then = policy["skips"]
        if sum("skip" in answers.values() for answers, _ in cast) >= after:
            return "rejected" if then == "retire" else "in_adjudication"
    if len(cast) < policy["raters"]:
        return "in_verification"
    agreed: dict[str, str | None] = {}
    for name in policy["wanted"]:
        said = [(answers[name], Decimal("1") if weight is None else Decimal(str(weight))) for answers, weight in cast]
        if policy["rule"] in ("majority", "weighted"):
            if policy["rule"] == "majority":
                said = [(answer, Decimal("1")) for answer, _ in said]
            tally: Counter[str] = Counter()
            for answer, weight in said:
                tally[answer] += weight  # type: ignore[assignment]
            most, heavy = tally.most_common(1)[0]
            agreed[name] = most if heavy > sum(tally.values()) - heavy and most != "skip" else None
        else:
            answers_given = {answer for answer, _ in said}
            agreed[name] = said[0][0] if len(answers_given) == 1 and answers_given != {"skip"} else None
    wanted = {
        name: policy["key"] if policy["rule"] == "unanimous_and_key" else policy["wanted"][name] for name in agreed
    }
    if any(value is not None and value != wanted[name] for name, value in agreed.items()):
        return "rejected"
    if None in agreed.values():
        return "in_adjudication" if adjudication else "rejected"
    return "kept"


def by_the_code(policy: dict[str, Any], cast: list[Any]) -> str:
    rule = Rule(
        policy["rule"],
        criterion=None,
        criteria=tuple(policy["wanted"]),
        key="answer" if policy["rule"] == "unanimous_and_key" else None,
        value=None,
        values=policy["wanted"],
    )
    given_votes = [
        Vote(
            str(at),
            {name: None if answer == "skip" else answer for name, answer in answers.items()},
            {name: "unclear" for name, answer in answers.items() if answer == "skip"},
            weight,
        )
        for at, (answers, weight) in enumerate(cast)
    ]
    return verdict(
        rule,
        given_votes,
        raters=policy["raters"],
        item_fields={"answer": policy["key"]},
        adjudication=policy["adjudication"],
        skips=Skips(*policy["skips"]) if policy["skips"] else None,
    ).state.value


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["yes", "no"]), st.sampled_from([1, 3, 4, None])),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["all_of", "majority", "unanimous"]),
    st.data(),
)
def test_the_order_of_votes_does_not_matter_to_parts(cast: list[Any], rule: str, data: st.DataObject) -> None:
    parts = Rule(rule, None, value=None, parts=PARTS.parts)
    found = {
        verdict(
            parts,
            [ballot(at, *each) for at, each in enumerate(order)],
            raters=len(cast),
            item_fields={"answer": "b"},
            adjudication=True,
        ).state
        for order in (cast, data.draw(st.permutations(cast)))
    }
    assert len(found) == 1


@settings(max_examples=300)
@given(policies())
def test_the_policy_is_what_its_words_say(policy: dict[str, Any]) -> None:
    assert by_the_code(policy, policy["cast"]) == by_the_words(policy)


@given(policies(), st.data())
def test_the_order_in_which_votes_came_does_not_matter(policy: dict[str, Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(policy["cast"]))
    assert by_the_code(policy, shuffled) == by_the_code(policy, policy["cast"])


@given(policies(), st.sampled_from([0.5, 0.25, 0.125]))
def test_only_the_proportions_of_weights_matter(policy: dict[str, Any], factor: float) -> None:
    cast = [(answers, 0.8 if weight is None else weight) for answers, weight in policy["cast"]]
    scaled = [(answers, weight * factor) for answers, weight in cast]
    assert by_the_code(policy, scaled) == by_the_code(policy, cast)


@given(policies())
def test_a_vote_for_the_wanted_value_never_does_harm(policy: dict[str, Any]) -> None:
    """Anyone who changes their mind towards what keeps the item cannot bring it further from being kept."""
    if policy["rule"] == "unanimous_and_key" or len(policy["cast"]) < policy["raters"]:
        return
    order = ["rejected", "in_adjudication", "kept"]
    before = by_the_code({**policy, "skips": None, "adjudication": True}, policy["cast"])
    (answers, weight), *others = policy["cast"] or [({}, None)]
    better = [({name: policy["wanted"][name] for name in answers}, weight), *others]
    after = by_the_code({**policy, "skips": None, "adjudication": True}, better)
    assert order.index(after) >= order.index(before)
