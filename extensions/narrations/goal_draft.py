"""The goals of one video while a lead edits them. Every change is a new state; undo goes back through all states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from domain import json_text
from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from extensions.narrations.files.goal_export import goal_file
from extensions.narrations.rules import goal_edits
from extensions.narrations.rules.goal_check import Mend, check
from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Task, Video
from extensions.narrations.rules.narration import Narration
from extensions.narrations.video_goals import GoalVersion

Entries = tuple[tuple[int, Goal], ...]
"""Goals in order, each with a number that never changes."""
NEW = "New goal"
FIRST_ACTIONS = 4
"""Number of actions of an added goal."""


@dataclass(frozen=True)
class Draft:
    """The edited goals of a video."""

    video: str
    based_on: int
    """Number of the version on which the draft is based."""
    saved: tuple[Goal, ...]
    """The goals of that version."""
    entries: Entries
    past: tuple[Entries, ...] = ()
    chosen: int | None = None
    """Number of the selected goal."""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Return the goals in order."""
        return tuple(goal for _, goal in self.entries)

    @property
    def changed(self) -> bool:
        """Tell whether the goals differ from the saved ones."""
        return _told(self.goals) != _told(self.saved)

    @property
    def at(self) -> int:
        """Return the position of the selected goal, or the first position if that goal is gone."""
        return next((at for at, (number, _) in enumerate(self.entries) if number == self.chosen), 0)

    def faults(self, rows: Sequence[Narration]) -> list[Mend]:
        """Return the faults of the goals."""
        return check(self.goals, {self.video: rows}, Limits())

    def back(self) -> Draft:
        """Return the draft without the last change."""
        return replace(self, entries=self.past[-1], past=self.past[:-1]) if self.past else self

    def onto(self, version: GoalVersion) -> Draft:
        """Return the same goals, based on another version."""
        return replace(self, based_on=version.number, saved=_named(version.goals))

    def taking(self, version: GoalVersion) -> Draft:
        """Return a draft with the goals of a version; undo leads back to these goals."""
        first = 1 + max((number for number, _ in self.entries), default=-1)
        return self._then((first + at, goal) for at, goal in enumerate(version.goals))

    def choose(self, number: int) -> Draft:
        """Return the draft with another goal selected."""
        return replace(self, chosen=number)

    def changing(self, number: int | None, change: Callable[[Draft], Draft]) -> Draft:
        """Return the draft after a change of one goal, or of all; the selection stays."""
        if number is None:
            return change(self)
        if all(number != entry_number for entry_number, _ in self.entries):
            return self  # it is gone since it was on the page
        made = change(replace(self, chosen=number))
        return made if self.chosen in (None, number) else replace(made, chosen=self.chosen)

    # ---- changes of the chosen goal

    def renamed(self, text: str) -> Draft:
        """Return the draft with other words of the selected goal."""
        text = " ".join(json_text.showable(text).split())
        if not text:
            raise InvalidInputError(
                [
                    Problem(
                        "goal",
                        "A goal needs words, so Touchstone kept the old words. Enter new words, or delete the goal.",
                    )
                ]
            )
        return self._with(replace(self._goal, text=text))

    def levelled(self, level: str) -> Draft:
        """Return the draft with the selected goal on another level."""
        return self._with(replace(self._goal, level=level))

    def reaching(self, here: Video, first: int, last: int) -> Draft:
        """Return the draft with the selected goal from one action of the video to another."""
        return self._with(goal_edits.reaching(self._goal, here, first, last))

    def renewed(self, here: Video) -> Draft:
        """Return the draft with the narrations' words and times in the actions of the selected goal."""
        steps = goal_edits.steps_of(
            here.rows[here.ids[step.id]] for step in self._goal.steps or () if step.id in here.ids
        )
        return self._with(replace(self._goal, steps=steps)) if steps else self

    def deleted(self) -> Draft:
        """Return the draft without the selected goal, and select the next goal."""
        left = [*self.entries[: self.at], *self.entries[self.at + 1 :]]
        chosen = left[min(self.at, len(left) - 1)][0] if left else None
        return self._then(left, chosen)

    def split(self, at: int) -> Draft:
        """Return the draft with the selected goal split in two, and select the second part."""
        one, other = goal_edits.split(self._goal, at)
        return self._with(one)._added(other, self)

    def merged(self) -> Draft:
        """Return the draft with the selected goal and the next goal of its level merged."""
        after = self.following
        if after is None:
            raise InvalidInputError(
                [
                    Problem(
                        "goal",
                        f"This is the last {self._goal.level}, so there is no next goal to merge. Choose an "
                        f"earlier goal.",
                    )
                ]
            )
        one = goal_edits.merged(self._goal, self.entries[after][1])
        mine = self.entries[self.at][0]
        left = [
            (number, one if number == mine else goal) for at, (number, goal) in enumerate(self.entries) if at != after
        ]
        return self._then(left, mine)

    @property
    def following(self) -> int | None:
        """Return the position of the next goal on the level of the selected goal."""
        return goal_edits.following(self.goals, self.at)

    def added(self, rows: Sequence[Narration]) -> Draft:
        """Return the draft with one more goal, which has the first actions of the selected goal or of the video."""
        level, steps = LEVELS[2], goal_edits.steps_of(rows[:FIRST_ACTIONS])
        if self.entries:
            level, steps = self._goal.level, (self._goal.steps or ())[:FIRST_ACTIONS]
        return self._added(Goal(self.video, NEW, "", level, steps=steps), self)

    @property
    def _goal(self) -> Goal:
        return self.entries[self.at][1]

    def _with(self, goal: Goal) -> Draft:
        mine = self.entries[self.at][0]
        return self._then(
            ((number, goal if number == mine else other_goal) for number, other_goal in self.entries), mine
        )

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
    """Return a draft without changes."""
    return Draft(video, version.number, _named(version.goals), _placed(enumerate(version.goals)))


def as_file(goals: Iterable[Goal]) -> bytes:
    """Return goals as a file in the layout of ``touchstone goal create``."""
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
    """Return a line for each goal, to compare two versions."""
    lines = []
    for goal in goals:
        first, last = goal_edits.ends(goal)
        lines.append(
            f"{goal.level}: {goal.text} ({with_noun(len(goal.steps or ()), 'action')}, {first.id} to {last.id})"
        )
    return "\n".join(lines)


def _placed(entries: Iterable[tuple[int, Goal]]) -> Entries:
    there = sorted(entries, key=lambda each: goal_edits.place(each[1]))
    return tuple((number, replace(goal, where=f"Goal {at}")) for at, (number, goal) in enumerate(there, 1))


def _named(goals: Iterable[Goal]) -> tuple[Goal, ...]:
    return tuple(goal for _, goal in _placed(enumerate(goals)))


def _told(goals: Iterable[Goal]) -> list[tuple[object, ...]]:
    return [(goal.level, goal.text, goal.steps) for goal in goals]
