"""Editing goals: each has its actions by id, words and times, and every change makes a new goal."""

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
    """Return narrations as the actions of a goal."""
    return tuple(Step(row.id, row.text, start=row.start, stop=row.stop) for row in rows)


class UnplacedGoal(NamedTuple):
    """A goal whose actions are unknown, and why."""

    goal: Goal
    why: str


def goals_with_actions(
    goals: Iterable[Goal], narrations: Narrations
) -> tuple[dict[str, list[Goal]], list[UnplacedGoal]]:
    """Return the goals of files with their actions, by video, and the goals whose actions are unknown.

    A file of questions names a goal with each question. So goals without a level but with actions become one goal
    if they have the same words.
    """
    looks: dict[str, Video] = {}
    goals_by_video: dict[str, list[Goal]] = {}
    together: dict[tuple[str, str], int] = {}
    out = []
    for goal in goals:
        if goal.video not in narrations:
            out.append(UnplacedGoal(goal, "the goal's video has no narrations"))
            continue
        here = looks.setdefault(goal.video, Video(narrations[goal.video]))
        try:
            why = wrong_times(goal, here, Limits(slack=SLACK))
            rows = () if why else actions_of(goal, here)
        except Unknown as error:
            why, rows = str(error), ()
        if why or not rows:
            out.append(UnplacedGoal(goal, why or "no action begins within the goal"))
            continue
        those = goals_by_video.setdefault(goal.video, [])
        at = together.get(goal.name) if goal.steps is not None and goal.level == LEVELS[0] else None
        if at is not None:
            known = {step.id for step in those[at].steps or ()} | {row.id for row in rows}
            rows = tuple(row for row in here.rows if row.id in known)
            those[at] = replace(those[at], steps=steps_of(rows))
            continue
        if goal.steps is not None and goal.level == LEVELS[0]:
            together[goal.name] = len(those)
        those.append(Goal(goal.video, goal.text, goal.where, goal.level, steps=steps_of(rows)))
    return {video: in_order(those) for video, those in goals_by_video.items()}, out


def in_order(goals: Iterable[Goal]) -> list[Goal]:
    """Return goals by time, each before the goals within it."""
    return sorted(goals, key=place)


def place(goal: Goal) -> tuple[object, ...]:
    """Return the sort key of a goal with actions."""
    first, last = ends(goal)
    return (first.start or 0, -(last.start or 0), LEVELS.index(goal.level), plain(goal.text))


def ends(goal: Goal) -> tuple[Step, Step]:
    """Return the first and the last action of a goal with actions."""
    assert goal.steps
    return goal.steps[0], goal.steps[-1]


def reaching(goal: Goal, here: Video, first: int, last: int) -> Goal:
    """Return the goal with actions from one position of its video to another, counted from 0.

    The goal gains the actions between its old and its new ends, and loses those outside. Actions that it left out
    between its ends stay out.
    """
    first, last = min(first, last), max(first, last)
    mine = [here.ids[step.id] for step in goal.steps or () if step.id in here.ids]
    low, high = (mine[0], mine[-1]) if mine else (len(here.rows), -1)
    taken = [at for at in range(first, last + 1) if at in set(mine) or not low <= at <= high]
    return replace(goal, steps=steps_of(here.rows[at] for at in taken or [first]))


def split(goal: Goal, at: int) -> tuple[Goal, Goal]:
    """Return two goals with the same words and level; the second begins with the action at this position."""
    steps = goal.steps or ()
    if not 0 < at < len(steps):
        raise ValueError(f"a goal of {len(steps)} actions cannot be split before its action {at + 1}")
    return replace(goal, steps=steps[:at]), replace(goal, steps=steps[at:])


def merged(one: Goal, other: Goal) -> Goal:
    """Return one goal with the actions of both, and the words and level of the first."""
    steps = {step.id: step for step in (*(one.steps or ()), *(other.steps or ()))}
    key = sorted(steps.values(), key=lambda step: (step.start or 0, step.stop or 0, step.text, step.id))
    return replace(one, steps=tuple(key))


def following(goals: Sequence[Goal], at: int) -> int | None:
    """Return the position of the next goal on the same level, or None."""
    return next((n for n in range(at + 1, len(goals)) if goals[n].level == goals[at].level), None)
