"""Reading a model's reply about the goals of a video: its required form, and every kind of fault.

A reply has three levels, as in EgoPlan-Bench (3.2): an overall goal, its subgoals, and their subgoals. A goal is all
actions from its first to its last one. A reply names both by number and again by time, which reveals invented numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from domain import json_text
from domain.english import with_noun
from domain.strict_json import Fault, formless, read_object
from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Step, Task, plain
from extensions.narrations.rules.narration import Narration

LONGEST_GOAL = 200
"""Largest number of characters of a goal."""
TOLD = 20
"""Number of faults of a reply that are reported."""

FORM = """{"overall_goal": {"goal": "...", "first": 1, "last": 9, "start": 0.5, "stop": 31.2, "subgoals": [
  {"goal": "...", "first": 1, "last": 6, "start": 0.5, "stop": 20.75, "secondary_subgoals": [
    {"goal": "...", "first": 1, "last": 4, "start": 0.5, "stop": 12}
  ]}
]}}
Every key is needed. "first" and "last" are numbers of actions, "start" is when the first one begins, "stop" is when the
last one ends. Either list may be empty."""
"""The form in words, for prompts."""

UNKNOWN, BACKWARDS, TIMES = (
    "a goal names an action that does not exist",
    "a goal ends before it begins",
    "a goal's time differs from the action's time",
)
OUTSIDE, OVERLAP, DISORDER = (
    "a goal extends beyond the goal above it",
    "two goals on the same level share actions",
    "goals on the same level are not in chronological order",
)
WORDLESS, SAME_WORDS = ("a goal has no words", "two goals have the same words")
TOO_FEW, TOO_MANY = ("too few actions", "too many actions")
NONE_LEFT = "none of the goals has the right number of actions"


def _seconds(value: Any) -> Any:
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


Seconds = Annotated[Decimal, BeforeValidator(_seconds), WithJsonSchema({"type": "number"})]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SecondarySubgoal(_Form):
    """A goal of the lowest level; goals of other levels have the same keys, and the goals below them."""

    goal: str = Field(max_length=LONGEST_GOAL)
    first: int
    last: int
    start: Seconds
    stop: Seconds

    def below(self) -> Sequence[SecondarySubgoal]:
        """Return the goals one level down."""
        return ()


class Subgoal(SecondarySubgoal):
    """A part of the overall goal."""

    secondary_subgoals: list[SecondarySubgoal]

    def below(self) -> Sequence[SecondarySubgoal]:
        """The goals one level down."""
        return self.secondary_subgoals


class OverallGoal(SecondarySubgoal):
    """The overall goal of a video."""

    subgoals: list[Subgoal]

    def below(self) -> Sequence[SecondarySubgoal]:
        """The goals one level down."""
        return self.subgoals


class GoalReply(_Form):
    """A whole reply."""

    overall_goal: OverallGoal


def json_schema() -> dict[str, Any]:
    """Return the form as JSON Schema, for servers that enforce it."""
    return GoalReply.model_json_schema()


@dataclass(frozen=True)
class ReplyGoals:
    """The goals of a reply, or its faults; a reply with a fault has no goals."""

    tasks: tuple[Task, ...] = ()
    faults: tuple[Fault, ...] = ()
    left_out: tuple[Fault, ...] = ()
    """Goals with too few or too many actions; the other goals are kept."""


def read_reply(text: str, rows: Sequence[Narration], limits: Limits) -> ReplyGoals:
    """Read a reply about a video, whose actions are given in order."""
    value, fault = read_object(text)
    if fault is not None:
        return ReplyGoals(faults=(fault,))
    try:
        reply = GoalReply.model_validate(value, strict=True)
    except ValidationError as error:
        return ReplyGoals(faults=tuple(formless(detail["loc"], detail["msg"]) for detail in error.errors()[:TOLD]))
    nodes = list(_nodes(reply.overall_goal, 1, None))
    faults = tuple([*_of_each(nodes, rows), *_of_levels(nodes), *_of_words(nodes)][:TOLD])
    if faults:
        return ReplyGoals(faults=faults)
    kept, left_out = [], []
    for node in nodes:
        n = node.said.last - node.said.first + 1
        if limits.fewest <= n <= limits.most:
            kept.append(_task(node, rows))
        else:
            kind = TOO_FEW if n < limits.fewest else TOO_MANY
            left_out.append(Fault(kind, f"{node} has {with_noun(n, 'action')}, but a goal needs {limits}."))
    if not kept:
        goals = with_noun(len(nodes), "goal has", "goals have")
        problem = f"A goal needs {limits} actions, but the reply's {goals} fewer or more."
        return ReplyGoals(faults=(Fault(NONE_LEFT, problem),), left_out=tuple(left_out))
    return ReplyGoals(tuple(kept), left_out=tuple(left_out))


# ---- what the goals say ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Node:
    said: SecondarySubgoal
    depth: int
    above: _Node | None

    @property
    def text(self) -> str:
        return " ".join(json_text.showable(self.said.goal).split())

    def __str__(self) -> str:
        return f"The {LEVELS[self.depth]} {json.dumps(self.text[:60], ensure_ascii=False)}"


def _nodes(goal: SecondarySubgoal, depth: int, above: _Node | None) -> Iterator[_Node]:
    node = _Node(goal, depth, above)
    yield node
    for part in goal.below():
        yield from _nodes(part, depth + 1, node)


def _of_each(nodes: Sequence[_Node], rows: Sequence[Narration]) -> Iterator[Fault]:
    for node in nodes:
        goal, above = node.said, node.above
        strange = [number for number in (goal.first, goal.last) if not 1 <= number <= len(rows)]
        if strange:
            yield Fault(
                UNKNOWN, f"{node} names the action {str(strange[0])[:20]}, but the actions are 1 to {len(rows):,}."
            )
            continue
        if goal.last < goal.first:
            yield Fault(
                BACKWARDS, f"{node} begins with action {goal.first} and ends with action {goal.last}, which is earlier."
            )
            continue
        begins, ends = rows[goal.first - 1].start, rows[goal.last - 1].stop
        if goal.start != begins:
            yield Fault(TIMES, f"{node} starts at {_short(goal.start)}, but action {goal.first} begins at {begins:f}.")
        if goal.stop != ends:
            yield Fault(TIMES, f"{node} stops at {_short(goal.stop)}, but action {goal.last} ends at {ends:f}.")
        if above is not None and not above.said.first <= goal.first <= goal.last <= above.said.last:
            reach = f"{_short(above.said.first)} to {_short(above.said.last)}"
            yield Fault(
                OUTSIDE, f"{node} has the actions {goal.first} to {goal.last}, but the goal above it has {reach}."
            )


def _of_levels(nodes: Sequence[_Node]) -> Iterator[Fault]:
    for depth in sorted({node.depth for node in nodes}):
        level = [node for node in nodes if node.depth == depth]
        in_order = sorted(level, key=lambda node: (node.said.first, node.said.last))
        furthest = in_order[0]
        shared = False
        for node in in_order[1:]:
            if node.said.first <= furthest.said.last:
                shared = True
                yield Fault(OVERLAP, f"{node} shares the action {_short(node.said.first)} with {_named(furthest)}.")
            furthest = max(furthest, node, key=lambda each: each.said.last)
        if not shared and in_order != level:
            odd = next(node for node, there in zip(level, in_order, strict=True) if node is not there)
            yield Fault(DISORDER, f"{odd} is not in chronological order among the {LEVELS[depth]}s.")


def _of_words(nodes: Sequence[_Node]) -> Iterator[Fault]:
    met: dict[str, _Node] = {}
    for node in nodes:
        if not plain(node.text) or "\ufffd" in node.text:
            reach = f"{_short(node.said.first)} to {_short(node.said.last)}"
            yield Fault(WORDLESS, f"{node} of the actions {reach} has no words, or contains invalid characters.")
        elif (same := met.setdefault(plain(node.text), node)) is not node:
            yield Fault(SAME_WORDS, f"{node} has the same words as {_named(same)}.")


def _named(node: _Node) -> str:
    return f"{str(node)[:1].lower()}{str(node)[1:]}"


def _short(number: Decimal | int) -> str:
    return str(number)[:20]


def _task(node: _Node, rows: Sequence[Narration]) -> Task:
    actions = tuple(rows[node.said.first - 1 : node.said.last])
    steps = tuple(Step(row.id, row.text, start=row.start, stop=row.stop) for row in actions)
    return Task(Goal(actions[0].video, node.text, "a reply", LEVELS[node.depth], steps=steps), actions)
