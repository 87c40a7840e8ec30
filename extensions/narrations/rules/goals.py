"""Goals of videos, and the actions that each of them takes."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from extensions.narrations.rules.narration import Narration, Narrations, Tally

LEVELS = ("goal", "overall goal", "subgoal", "secondary subgoal")
FEWEST, MOST = 4, 20
"""Smallest and largest number of actions of a goal (EgoPlan-Bench, 3.2)."""
SLACK = Decimal(1)
"""Seconds that a goal may reach beyond its parent, or beyond its video's narrations."""


@dataclass(frozen=True)
class Step:
    """An action of a goal in a file: the id of its narration, or its words with or without a time."""

    id: str = ""
    text: str = ""
    start_frame: int | None = None
    stop_frame: int | None = None
    start: Decimal | None = None
    stop: Decimal | None = None

    def unlike(self, row: Narration) -> str:
        """Return in what the step differs from the narration with its id (words or times); empty if in nothing."""
        comparisons = (
            ("words", self.text, row.text),
            ("start", self.start, row.start),
            ("stop", self.stop, row.stop),
        )
        return next((name for name, mine, its in comparisons if mine not in (None, "") and mine != its), "")


@dataclass(frozen=True)
class Goal:
    """A goal in a file: with a span of its video, with its actions, or for the whole video."""

    video: str
    text: str
    where: str
    """Its file and line, or its row."""
    level: str = LEVELS[0]
    start: Decimal | None = None
    stop: Decimal | None = None
    steps: tuple[Step, ...] | None = None
    parent: Goal | None = None

    @property
    def name(self) -> tuple[str, str]:
        """Return the identity of the goal; case and a final full stop make no difference."""
        return self.video, plain(self.text)

    def __str__(self) -> str:
        return f"{self.where}: {self.video}, {self.text!r}"


def plain(goal: str) -> str:
    """Return a goal's text in the form in which texts are compared.

    >>> plain("Wash the pan. ")
    'wash the pan'
    """
    return " ".join(goal.split()).rstrip(".").casefold()


@dataclass(frozen=True)
class Task:
    """A goal with its actions, in order."""

    goal: Goal
    actions: tuple[Narration, ...]


@dataclass(frozen=True)
class Limits:
    """Limits of goals that are kept."""

    fewest: int = FEWEST
    most: int = MOST
    slack: Decimal = SLACK

    def __str__(self) -> str:
        return f"{self.fewest} to {self.most}"


class Unknown(ValueError):
    """A goal's actions are unknown; the message is the reason that is counted."""


@dataclass
class Video:
    """The narrations of one video, with indexes."""

    rows: Sequence[Narration]
    starts: list[Decimal] = field(init=False)
    last: Decimal = field(init=False)
    """End of the last narration."""
    ids: dict[str, int] = field(init=False)
    texts: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.starts = [row.start for row in self.rows]
        self.last = max(row.stop for row in self.rows)
        self.ids = {row.id: at for at, row in enumerate(self.rows)}
        self.texts = defaultdict(list)
        for at, row in enumerate(self.rows):
            self.texts[row.text].append(at)

    def within(self, start: Decimal, stop: Decimal) -> tuple[Narration, ...]:
        """Return the narrations that begin at ``start`` or later, and before ``stop``."""
        first, end = (bisect.bisect_left(self.starts, at) for at in (start, stop))
        return tuple(self.rows[first:end])

    def named(self, steps: Sequence[Step]) -> tuple[Narration, ...]:
        """Return the narrations that steps name; a step with words alone follows the step before it."""
        places: list[int] = []
        for step in steps:
            places.append(self._place(step, places[-1] if places else None))
        return tuple(self.rows[at] for at in sorted(set(places)))

    def _place(self, step: Step, after: int | None) -> int:
        if step.id:
            if step.id not in self.ids:
                raise Unknown("one of the goal's actions is not a narration of its video")
            at = self.ids[step.id]
            if step.unlike(self.rows[at]):
                raise Unknown("one of the goal's actions differs in words or times from the narration with its ID")
            return at
        those = self.texts.get(step.text) or [self.ids[name] for name in (step.text,) if name in self.ids]
        if step.start_frame is not None:
            those = [
                at
                for at in those
                if self.rows[at].start_frame == step.start_frame and step.stop_frame in (None, self.rows[at].stop_frame)
            ]
        elif step.start is not None:
            those = [at for at in those if self.rows[at].start == step.start]
        elif after is not None:
            those = [at for at in those if at > after][:1]
        elif len(those) > 1:
            raise Unknown(
                "the goal's first action matches several narrations, because the goal gives only the words of this "
                "action"
            )
        if not those:
            raise Unknown("one of the goal's actions is not a narration of its video")
        return those[0]


def tasks(goals: Iterable[Goal], narrations: Narrations, limits: Limits, tally: Tally) -> Iterator[Task]:
    """Yield the kept goals with their actions, by video and time.

    Every other goal is counted by the reason for which it is left out.
    """
    videos: dict[str, Video] = {}
    together: dict[tuple[str, str, tuple[str, ...] | None], tuple[Goal, dict[str, Narration]]] = {}
    for goal in sorted(goals, key=lambda each: (each.video, plain(each.text), each.text, each.where)):
        tally.count("goals given")
        if goal.video not in narrations:
            tally.leave_out("the goal's video has no narrations", str(goal))
            continue
        here = videos.get(goal.video)
        if here is None:
            here = videos[goal.video] = Video(narrations[goal.video])
        if reason := wrong_times(goal, here, limits):
            tally.leave_out(reason, str(goal))
            continue
        try:
            actions = actions_of(goal, here)
        except Unknown as error:
            tally.leave_out(str(error), str(goal))
            continue
        span = None if goal.steps is not None else tuple(row.id for row in actions)
        home = together.get((*goal.name, span))
        if home is None:
            together[(*goal.name, span)] = (goal, {row.id: row for row in actions})
        else:  # a file that names a goal once for each question has its actions in several places
            tally.count("goals given again")
            home[1].update({row.id: row for row in actions})
    yield from _of_right_size(together.values(), limits, tally)


def _of_right_size(
    found: Iterable[tuple[Goal, Mapping[str, Narration]]], limits: Limits, tally: Tally
) -> Iterator[Task]:
    kept = []
    for goal, by_id in found:
        actions = tuple(sorted(by_id.values(), key=lambda row: row.place))
        if len(actions) < limits.fewest:
            tally.leave_out(f"the goal has fewer than {limits.fewest} actions", f"{goal}: {len(actions)}")
        elif len(actions) > limits.most:
            tally.leave_out(f"the goal has more than {limits.most} actions", f"{goal}: {len(actions)}")
        else:
            kept.append(Task(goal, actions))
    kept.sort(key=lambda task: (task.goal.video, task.actions[0].place, plain(task.goal.text), len(task.actions)))
    tally.count("goals kept", len(kept))
    yield from kept


def actions_of(goal: Goal, here: Video) -> tuple[Narration, ...]:
    """Return the narrations that are the goal's actions, in order; raise ``Unknown`` if they are unknown."""
    if goal.steps is not None:
        return here.named(goal.steps)
    if goal.start is None or goal.stop is None:
        return tuple(here.rows)
    return here.within(goal.start, goal.stop)


def wrong_times(goal: Goal, here: Video, limits: Limits) -> str | None:
    """Return what is wrong with the times of a goal; None if nothing, or if it has no times."""
    if goal.start is None or goal.stop is None:
        return None
    if goal.stop < goal.start:
        return "the goal stops before it starts"
    parent, slack = goal.parent, limits.slack
    while parent is not None and (parent.start is None or parent.stop is None or parent.stop < parent.start):
        parent = parent.parent
    if (
        parent is not None
        and parent.start is not None
        and parent.stop is not None
        and not parent.start - slack <= goal.start <= goal.stop <= parent.stop + slack
    ):
        return f"the goal extends beyond the {parent.level} above it"
    first, last = here.starts[0], here.last
    if not first - slack <= goal.stop or not goal.start <= last + slack:
        return "the goal lies outside the narrations of its video"
    if goal.start < first - slack or goal.stop > last + slack:
        return "the goal extends beyond the narrations of its video"
    return None
