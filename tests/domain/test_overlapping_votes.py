"""Votes that are spans of time or boxes: verdicts against a short script of the rule over small steps of time."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from annotation_schemas.model import KeepPart
from domain.overlap import Overlap, time_iou
from domain.policies import Vote, contest, is_unanimous, verdict
from domain.states import ItemState

STEP = 0.05
"""Spans are drawn with ends at whole steps."""
STATES = {"keep": ItemState.KEPT, "drop": ItemState.REJECTED, "split": ItemState.IN_ADJUDICATION}


@dataclass(frozen=True)
class Rule:
    """A keep rule as a schema states it."""

    rule: str
    tolerances: Mapping[str, Overlap]
    criterion: str | None = "when"
    key: str | None = "span"
    value: Any = None
    criteria: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[KeepPart, ...] = ()


def rule_of(name: str, iou: str = "0.5") -> Rule:
    return Rule(name, {"when": Overlap(Fraction(iou))})


def state_of(rule: Rule, values: Sequence[Any], key: Any) -> ItemState:
    votes = [Vote(str(at), {"when": value}) for at, value in enumerate(values)]
    return verdict(rule, votes, raters=len(votes), item_fields={"span": key}, adjudication=True).state


# ---- the rule once more, over steps that are counted


def steps(spans: Sequence[tuple[int, int]]) -> set[int]:
    return {step for begins, ends in spans for step in range(begins, ends)}


def near(one: set[int], other: set[int], iou: Fraction) -> bool:
    return Fraction(len(one & other), len(one | other)) >= iou if one | other else True


def played(rule: str, votes: Sequence[set[int]], key: set[int], iou: Fraction) -> str:
    right = [near(vote, key, iou) for vote in votes]
    wrong = [vote for vote, met in zip(votes, right, strict=True) if not met]
    needed = len(votes) if rule == "unanimous" else len(votes) // 2 + 1
    if sum(right) >= needed:
        return "keep"
    groups = (group for n in range(needed, len(wrong) + 1) for group in combinations(wrong, n))
    agreed = any(all(near(one, other, iou) for one, other in combinations(group, 2)) for group in groups)
    return "drop" if agreed else "split"


def drawn(dice: random.Random) -> list[tuple[int, int]]:
    """One span or two around a few places, so that many overlap; sometimes none."""
    found = []
    for _ in range(dice.choice([0, 1, 1, 1, 1, 1, 2])):
        begins = dice.choice([20, 22, 24, 60]) + dice.randint(-4, 4)
        found.append((begins, begins + dice.choice([10, 12, 15, 20])))
    return sorted(set(found))


def test_verdicts_on_drawn_spans_are_those_of_the_rule() -> None:
    dice = random.Random(7)
    seen = set()
    for _ in range(400):
        rule, iou = dice.choice(["unanimous", "majority"]), dice.choice(["0.3", "0.5", "0.7"])
        key, *votes = (drawn(dice) for _ in range(dice.choice([2, 3, 4, 6])))
        key = key or [(20, 30)]
        wanted = played(rule, [steps(each) for each in votes], steps(key), Fraction(iou))
        values = [[{"start": a * STEP, "end": b * STEP} for a, b in each] for each in (key, *votes)]
        rounded = [[{name: round(moment, 2) for name, moment in span.items()} for span in each] for each in values]
        found = state_of(rule_of(rule, iou), rounded[1:], rounded[0])
        one, other = steps(key), steps(votes[0])
        assert time_iou(rounded[0], rounded[1]) == pytest.approx(len(one & other) / len(one | other))
        assert found is STATES[wanted], (rule, iou, key, votes)
        frames = [[{"first": a + 1, "last": b} for a, b in each] for each in (key, *votes)]
        assert state_of(rule_of(rule, iou), frames[1:], frames[0]) is found, "frames say the same as seconds"
        seen.add((rule, wanted))
    assert len(seen) == 6


def span(start: float, end: float) -> list[dict[str, float]]:
    return [{"start": start, "end": end}]


@pytest.mark.parametrize(
    ("rule", "values", "key", "state"),
    [
        ("unanimous", [span(2, 4), span(2, 3)], span(2, 4), "keep"),  # 1 and 1/2, the threshold itself
        # 0.1 to 0.3 shares 0.1 of 0.2 s with 0.1 to 0.2; in floats that is a little less than a half
        ("unanimous", [span(0.1, 0.2)], span(0.1, 0.3), "keep"),
        ("unanimous", [span(4, 6), span(4, 6)], span(2, 4), "drop"),  # they touch: nothing is shared
        ("unanimous", [span(2, 4), span(4, 6)], span(2, 4), "split"),
        # each shares 8 of 12 with the next, and the first and the last 6 of 14: nearness is not passed on
        ("unanimous", [span(20, 30), span(22, 32), span(24, 34)], span(0, 10), "split"),
        ("majority", [span(20, 30), span(22, 32), span(24, 34)], span(0, 10), "drop"),  # two of three is enough
        ("majority", [span(20, 30), span(24, 34), span(0, 10), None], span(0, 10), "split"),
        ("majority", [span(1, 2), span(1, 2), []], [], "drop"),
        ("unanimous", [[], []], span(2, 4), "drop"),  # both say that it does not happen
        ("unanimous", [None, span(2, 4)], span(2, 4), "split"),
        ("unanimous", [span(2, 4)], None, "drop"),  # without a key nothing keeps
        ("unanimous", [span(2, 4)], "2 to 4 s", "drop"),
        ("unanimous", [[{"first": 3, "last": 4}]], span(2, 4), "drop"),  # frames are no seconds
    ],
)
def test_verdicts_by_hand(rule: str, values: list[Any], key: Any, state: str) -> None:
    assert state_of(rule_of(rule), values, key) is STATES[state]


def test_how_contested_and_how_unanimous() -> None:
    votes = [Vote(str(at), {"when": value}) for at, value in enumerate([span(20, 30), span(22, 32), span(24, 34)])]
    rule = rule_of("unanimous")
    assert contest(rule, votes, item_fields={"span": span(0, 1)}) == pytest.approx(1 / 3)  # the first and the last
    assert not is_unanimous(rule, votes, item_fields={"span": span(0, 1)}, wanted=False)
    assert is_unanimous(rule, votes[:2], item_fields={"span": span(0, 1)}, wanted=False)
    assert is_unanimous(rule, votes[:2], item_fields={"span": span(21, 31)}, wanted=True)


def box(x: float, label: str = "cup", **more: Any) -> dict[str, Any]:
    return {"label": label, "x": x, "y": 0.0, "w": 0.4, "h": 0.4, **more}


@pytest.mark.parametrize(
    ("vote", "key", "state"),
    [
        ([box(0.5), box(0.0)], [box(0.0), box(0.5)], "keep"),  # in any order
        ([box(0.1)], [box(0.0)], "keep"),  # 0.3 of 0.5: 3/5
        ([box(0.2)], [box(0.0)], "drop"),  # 0.2 of 0.6: 1/3
        ([box(0.0), box(0.0)], [box(0.0)], "drop"),  # one too many
        ([box(0.0, "plate")], [box(0.0)], "drop"),
        ([box(0.0, image=2)], [box(0.0)], "drop"),
        # the middle one may go with either, and the first only with the middle one
        ([box(0.1), box(0.0)], [box(0.0), box(0.2)], "keep"),
        ([], [], "keep"),
    ],
)
def test_boxes_agree_where_each_has_a_partner(vote: Any, key: Any, state: str) -> None:
    assert state_of(rule_of("unanimous"), [vote], key) is STATES[state]
