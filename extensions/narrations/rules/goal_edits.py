"""Goals as people mend them: each with its actions by id, words and times, and every change a new goal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from extensions.narrations.rules.goals import (
    LEVELS,
    SLACK,
    Goal,
    Limits,
    Step,
    Unknown,
    Video,
    actions_of,
    plain,
    wrong_times,
)
from extensions.narrations.rules.narration import Narration, Narrations


def steps_of(rows: Iterable[Narration]) -> tuple[Step, ...]:
    """Narrations as the actions of a goal."""
    return tuple(Step(row.id, row.text, start=row.start, stop=row.stop) for row in rows)


class UnplacedGoal(NamedTuple):
    """A goal whose actions cannot be told, and why."""

    goal: Goal
    why: str


def placed(goals: Iterable[Goal], narrations: Narrations) -> tuple[dict[str, list[Goal]], list[UnplacedGoal]]:
    """Goals of files with the actions that they take, by video; and those of which no one can say which.

    A file of questions names a goal once for each: goals that say no level, but actions, are one if they have the same
    words.
    """
    looks: dict[str, Video] = {}
    found: dict[str, list[Goal]] = {}
    together: dict[tuple[str, str], int] = {}
    out = []
    for goal in goals:
        if goal.video not in narrations:
            out.append(UnplacedGoal(goal, "its video has no narrations here"))
            continue
        here = looks.setdefault(goal.video, Video(narrations[goal.video]))
        try:
            why = wrong_times(goal, here, Limits(slack=SLACK))
            rows = () if why else actions_of(goal, here)
        except Unknown as error:
            why, rows = str(error), ()
        if why or not rows:
            out.append(UnplacedGoal(goal, why or "no action begins in it"))
            continue
        those = found.setdefault(goal.video, [])
        at = together.get(goal.name) if goal.steps is not None and goal.level == LEVELS[0] else None
        if at is not None:
            known = {step.id for step in those[at].steps or ()} | {row.id for row in rows}
            rows = tuple(row for row in here.rows if row.id in known)
            those[at] = replace(those[at], steps=steps_of(rows))
            continue
        if goal.steps is not None and goal.level == LEVELS[0]:
            together[goal.name] = len(those)
        those.append(Goal(goal.video, goal.text, goal.where, goal.level, steps=steps_of(rows)))
    return {video: in_order(those) for video, those in found.items()}, out


def in_order(goals: Iterable[Goal]) -> list[Goal]:
    """By time, each before those within it."""
    return sorted(goals, key=place)


def place(goal: Goal) -> tuple[object, ...]:
    """Where a goal with actions stands among those of its video."""
    first, last = ends(goal)
    return (first.start or 0, -(last.start or 0), LEVELS.index(goal.level), plain(goal.text))


def ends(goal: Goal) -> tuple[Step, Step]:
    """The first and the last action of a goal that has some."""
    assert goal.steps
    return goal.steps[0], goal.steps[-1]


def reaching(goal: Goal, here: Video, first: int, last: int) -> Goal:
    """The goal from one action of its video to another (places from 0), the earlier one first.

    It takes what lies between its old ends and the new ones, and loses what lies beyond; what it had left out between
    its ends stays out.
    """
    first, last = min(first, last), max(first, last)
    mine = [here.ids[step.id] for step in goal.steps or () if step.id in here.ids]
    low, high = (mine[0], mine[-1]) if mine else (len(here.rows), -1)
    taken = [at for at in range(first, last + 1) if at in set(mine) or not low <= at <= high]
    return replace(goal, steps=steps_of(here.rows[at] for at in taken or [first]))


def split(goal: Goal, at: int) -> tuple[Goal, Goal]:
    """Two goals of the same words and level; the second begins with the action at this place (from 1 on)."""
    steps = goal.steps or ()
    if not 0 < at < len(steps):
        raise ValueError(f"a goal of {len(steps)} actions cannot be split before its action {at + 1}")
    return replace(goal, steps=steps[:at]), replace(goal, steps=steps[at:])


def merged(one: Goal, other: Goal) -> Goal:
    """One goal with the actions of both, and the words and level of the first."""
    steps = {step.id: step for step in (*(one.steps or ()), *(other.steps or ()))}
    key = sorted(steps.values(), key=lambda step: (step.start or 0, step.stop or 0, step.text, step.id))
    return replace(one, steps=tuple(key))


def following(goals: Sequence[Goal], at: int) -> int | None:
    """Which goal comes after another one on its level, in goals that are in order; None: none does."""
    return next((n for n in range(at + 1, len(goals)) if goals[n].level == goals[at].level), None)
