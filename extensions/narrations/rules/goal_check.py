"""Checking edited goals against the narrations: a sentence for every fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.english import with_noun
from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Task, Unknown, Video, actions_of, plain, wrong_times
from extensions.narrations.rules.narration import Narrations

_STEPPED = LEVELS[1:]
"""Levels on which an action has at most one goal; goals without a level may share actions."""


@dataclass(frozen=True)
class Mend:
    """One fault: where it is, what is wrong, and how to correct it."""

    where: str
    what: str
    todo: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.todo}."


def check(goals: Sequence[Goal], narrations: Narrations, limits: Limits) -> list[Mend]:
    """Return every fault: first of each goal in the order of the file, then between goals."""
    mends: list[Mend] = []
    looks: dict[str, Video] = {}
    tasks: list[Task] = []
    for goal in goals:
        if goal.video not in narrations:
            todo = "Correct the goal's video, or give the narrations of this video"
            mends.append(Mend(str(goal), "the goal's video has no narrations", todo))
            continue
        here = looks.get(goal.video) or looks.setdefault(goal.video, Video(narrations[goal.video]))
        own = [*_of_steps(goal, here), *_of_span(goal, here, limits)]
        mends += own
        if own:
            continue
        try:
            actions = actions_of(goal, here)
        except Unknown as error:
            mends.append(Mend(str(goal), str(error), "Identify the goal's actions by the IDs of their narrations"))
            continue
        n = len(actions)
        if not limits.fewest <= n <= limits.most:
            todo = "Add actions, or delete the goal" if n < limits.fewest else "Split or delete the goal"
            mends.append(Mend(str(goal), f"the goal's number of actions is {n:,}, but a goal needs {limits}", todo))
        if actions:
            tasks.append(Task(goal, actions))
    return [*mends, *_same_words(tasks), *_between(tasks)]


def _of_steps(goal: Goal, here: Video) -> Iterator[Mend]:
    before = -1
    for number, step in enumerate(goal.steps or (), 1):
        if not step.id:
            continue
        where = f"{goal}, action {number} ({step.id})"
        at = here.ids.get(step.id)
        if at is None:
            yield Mend(where, f"no narration of {goal.video} has this ID", "Use an ID from the narrations file")
            continue
        row = here.rows[at]
        mine, its = {
            "words": (step.text, row.text),
            "start": (step.start, row.start),
            "stop": (step.stop, row.stop),
            "": ("", ""),
        }[unlike := step.unlike(row)]
        if unlike:
            todo = "Use the words and times of the narration, or the ID of the right action"
            has = f"{'has' if unlike == 'words' else f'{unlike}s at'} {str(mine)[:80]!r}"
            yield Mend(where, f"the action {has}, unlike its narration ({str(its)[:80]!r})", todo)
        if at == before:
            yield Mend(where, "it occurs twice", "Delete one of the two actions")
        elif at < before:
            yield Mend(where, "the action begins before the action above it", "Sort the actions by time")
        before = max(before, at)


def _of_span(goal: Goal, here: Video, limits: Limits) -> Iterator[Mend]:
    if reason := wrong_times(goal, here, limits):
        reach = f"{here.starts[0]:f} s to {here.last:f} s"
        yield Mend(
            str(goal), reason, (f"Set the goal's times within the times of the goal above it, and within {reach}")
        )


def _same_words(tasks: Sequence[Task]) -> Iterator[Mend]:
    met: dict[tuple[str, str], Goal] = {}
    for task in tasks:
        first = met.setdefault((task.goal.video, plain(task.goal.text)), task.goal)
        if first is not task.goal:
            yield Mend(
                str(task.goal), f"the goal has the same words as {first.where}", "Rephrase or delete one of the goals"
            )


def _between(tasks: Sequence[Task]) -> Iterator[Mend]:
    """Yield the faults of goals that share actions on one level, or that cross the end of a higher goal."""
    of_video: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        of_video[task.goal.video].append(task)
    for those in of_video.values():
        at = {id(task): frozenset(row.id for row in task.actions) for task in those}
        for number, task in enumerate(those):
            for other in those[:number]:
                shared = at[id(task)] & at[id(other)]
                levels = [_STEPPED.index(side.goal.level) for side in (task, other) if side.goal.level in _STEPPED]
                if not shared or len(levels) < 2:
                    continue
                first = next(row.id for row in task.actions if row.id in shared)
                if levels[0] == levels[1]:
                    n = with_noun(len(shared), "action")
                    what = f"the goal shares {n} with {other.goal.where}, such as {first}"
                    todo = (
                        f"An action can belong to only one {task.goal.level}. Remove the action from one goal, "
                        "or change a goal's level"
                    )
                    yield Mend(str(task.goal), what, todo)
                    continue
                lower, upper = (task, other) if levels[0] > levels[1] else (other, task)
                if not at[id(lower)] <= at[id(upper)]:
                    what = f"only some of the goal's actions are in the {upper.goal.level} of {upper.goal.where}"
                    yield Mend(
                        str(lower.goal),
                        what,
                        f"Add the other actions to this {upper.goal.level}, or remove these actions from the goal",
                    )
