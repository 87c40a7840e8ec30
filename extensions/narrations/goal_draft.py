"""The goals of one video while someone mends them: every change a new state, and the way back through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from domain import json_text
from domain.errors import InvalidInput, Problem
from extensions.narrations.files.goal_export import goal_file
from extensions.narrations.rules import goal_edits
from extensions.narrations.rules.goal_check import Mend, check
from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Task, Video
from extensions.narrations.rules.narration import Narration
from extensions.narrations.video_goals import GoalVersion

Entries = tuple[tuple[int, Goal], ...]
"""Goals in order, each with a number that it keeps whatever becomes of it."""
NEW = "New goal"
FIRST_ACTIONS = 4
"""So many actions a goal has that someone adds."""


@dataclass(frozen=True)
class Draft:
    """What someone has made of the goals of a video."""

    video: str
    based_on: int
    """The version that it began with."""
    saved: tuple[Goal, ...]
    """What that version says."""
    entries: Entries
    past: tuple[Entries, ...] = ()
    chosen: int | None = None
    """The goal that is looked at."""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """As they stand."""
        return tuple(goal for _, goal in self.entries)

    @property
    def changed(self) -> bool:
        """Whether there is something to save."""
        return _told(self.goals) != _told(self.saved)

    @property
    def at(self) -> int:
        """The place of the chosen goal; of one that is gone, the first."""
        return next((at for at, (number, _) in enumerate(self.entries) if number == self.chosen), 0)

    def faults(self, rows: Sequence[Narration]) -> list[Mend]:
        """What is wrong with them."""
        return check(self.goals, {self.video: rows}, Limits())

    def back(self) -> Draft:
        """Without the last change."""
        return replace(self, entries=self.past[-1], past=self.past[:-1]) if self.past else self

    def onto(self, version: GoalVersion) -> Draft:
        """The same, as what comes after another version."""
        return replace(self, based_on=version.number, saved=_named(version.goals))

    def taking(self, version: GoalVersion) -> Draft:
        """The goals of a version instead; the way back leads to these."""
        first = 1 + max((number for number, _ in self.entries), default=-1)
        return self._then((first + at, goal) for at, goal in enumerate(version.goals))

    def choose(self, number: int) -> Draft:
        """Another goal is looked at."""
        return replace(self, chosen=number)

    def changing(self, number: int | None, change: Callable[[Draft], Draft]) -> Draft:
        """After a change of one goal, or of the whole; what is looked at meanwhile stays so."""
        if number is None:
            return change(self)
        if all(number != each for each, _ in self.entries):
            return self  # it is gone since it was on the page
        made = change(replace(self, chosen=number))
        return made if self.chosen in (None, number) else replace(made, chosen=self.chosen)

    # ---- changes of the chosen goal

    def renamed(self, text: str) -> Draft:
        """With other words."""
        text = " ".join(json_text.showable(text).split())
        if not text:
            raise InvalidInput([Problem("goal", "A goal has words; this one keeps those that it had. Or delete it.")])
        return self._with(replace(self._goal, text=text))

    def levelled(self, level: str) -> Draft:
        """On another level."""
        return self._with(replace(self._goal, level=level))

    def reaching(self, here: Video, first: int, last: int) -> Draft:
        """From one action of the video to another."""
        return self._with(goal_edits.reaching(self._goal, here, first, last))

    def renewed(self, here: Video) -> Draft:
        """With what the narrations say of its actions."""
        steps = goal_edits.steps_of(
            here.rows[here.ids[step.id]] for step in self._goal.steps or () if step.id in here.ids
        )
        return self._with(replace(self._goal, steps=steps)) if steps else self

    def deleted(self) -> Draft:
        """Without it; the one after it is looked at."""
        left = [*self.entries[: self.at], *self.entries[self.at + 1 :]]
        chosen = left[min(self.at, len(left) - 1)][0] if left else None
        return self._then(left, chosen)

    def split(self, at: int) -> Draft:
        """In two, the second of which is looked at."""
        one, other = goal_edits.split(self._goal, at)
        return self._with(one)._added(other, self)

    def merged(self) -> Draft:
        """With the next one of its level."""
        after = self.following
        if after is None:
            raise InvalidInput([Problem("goal", f"No {self._goal.level} comes after this one.")])
        one = goal_edits.merged(self._goal, self.entries[after][1])
        mine = self.entries[self.at][0]
        left = [
            (number, one if number == mine else goal) for at, (number, goal) in enumerate(self.entries) if at != after
        ]
        return self._then(left, mine)

    @property
    def following(self) -> int | None:
        """The place of the next goal on the level of the chosen one."""
        return goal_edits.following(self.goals, self.at)

    def added(self, rows: Sequence[Narration]) -> Draft:
        """With a goal more: of the first actions that the chosen one has, or that the video has."""
        level, steps = LEVELS[2], goal_edits.steps_of(rows[:FIRST_ACTIONS])
        if self.entries:
            level, steps = self._goal.level, (self._goal.steps or ())[:FIRST_ACTIONS]
        return self._added(Goal(self.video, NEW, "", level, steps=steps), self)

    @property
    def _goal(self) -> Goal:
        return self.entries[self.at][1]

    def _with(self, goal: Goal) -> Draft:
        mine = self.entries[self.at][0]
        return self._then(((number, goal if number == mine else each) for number, each in self.entries), mine)

    def _added(self, goal: Goal, before: Draft) -> Draft:
        number = 1 + max((number for number, _ in self.entries), default=-1)
        made = self._then([*self.entries, (number, goal)], number)
        return replace(made, past=(*before.past, before.entries))

    def _then(self, entries: Iterable[tuple[int, Goal]], chosen: int | None = None) -> Draft:
        made = _placed(entries)
        if made == self.entries:
            return replace(self, chosen=chosen)
        return replace(self, entries=made, past=(*self.past, self.entries), chosen=chosen)


def begun(video: str, version: GoalVersion) -> Draft:
    """What someone begins with."""
    return Draft(video, version.number, _named(version.goals), _placed(enumerate(version.goals)))


def as_file(goals: Iterable[Goal]) -> bytes:
    """Goals as a file, in the layout that ``touchstone narrations goals`` writes."""
    return goal_file(
        [
            Task(
                goal,
                tuple(
                    Narration(step.id, goal.video, step.start, step.stop, step.text)
                    for step in goal.steps or ()
                    if step.start is not None and step.stop is not None
                ),
            )
            for goal in goals
        ]
    )


def in_lines(goals: Iterable[Goal]) -> str:
    """A line for each goal, to compare two versions."""
    lines = []
    for goal in goals:
        first, last = goal_edits.ends(goal)
        lines.append(f"{goal.level}: {goal.text} ({len(goal.steps or ())} actions, {first.id} to {last.id})")
    return "\n".join(lines)


def _placed(entries: Iterable[tuple[int, Goal]]) -> Entries:
    there = sorted(entries, key=lambda each: goal_edits.place(each[1]))
    return tuple((number, replace(goal, where=f"Goal {at}")) for at, (number, goal) in enumerate(there, 1))


def _named(goals: Iterable[Goal]) -> tuple[Goal, ...]:
    return tuple(goal for _, goal in _placed(enumerate(goals)))


def _told(goals: Iterable[Goal]) -> list[tuple[object, ...]]:
    return [(goal.level, goal.text, goal.steps) for goal in goals]
