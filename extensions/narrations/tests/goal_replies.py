"""Replies about goals for tests, as a model would write them of narrations that are two seconds apart."""

from __future__ import annotations

import json
from typing import Any

from extensions.narrations.rules.narration import Narration
from extensions.narrations.tests.rows import narrations

Node = dict[str, Any]


def video(name: str, n: int) -> list[Narration]:
    """Action ``k`` of ``n`` lasts from ``2 k`` to ``2 k + 1.5`` seconds."""
    return narrations(*((str(2 * k), str(2 * k + 1.5), f"do {k}") for k in range(1, n + 1)), video=name)


def node(goal: str, first: int, last: int, **below: list[Node]) -> Node:
    """A goal from one action of such a video to another."""
    return {"goal": goal, "first": first, "last": last, "start": 2 * first, "stop": 2 * last + 1.5, **below}


def sub(goal: str, first: int, last: int, *below: Node) -> Node:
    return node(goal, first, last, secondary_subgoals=list(below))


def reply(goal: str, first: int, last: int, *below: Node) -> str:
    return json.dumps({"overall_goal": node(goal, first, last, subgoals=list(below))})


def right(n: int = 12) -> str:
    """Of twelve actions: the overall goal, two subgoals of six and four, and below the first two of four and two."""
    return reply(
        "make breakfast", 1, n, sub("brew coffee", 1, 6, node("heat water", 1, 4), node("pour it", 5, 6)),
        sub("toast bread", 8, 11),
    )  # fmt: skip
