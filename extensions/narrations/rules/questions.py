"""Questions about the next action: the progress so far, the question, the observation time and the wrong options."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from extensions.narrations.rules.frame_rates import as_text, first_frame_from, frame_at
from extensions.narrations.rules.goals import Task, plain
from extensions.narrations.rules.narration import Narration, Tally
from extensions.narrations.rules.phrases import Sameness

GAP = Decimal("0.5")
"""Seconds between the end of the clip and the action (EgoPlan-Bench, 3.3)."""
N_NEGATIVES = 3


@dataclass(frozen=True)
class Rule:
    """A rule for the observation time of an action that begins at ``start`` after ``progress``."""

    name: str
    meaning: str
    moment: Callable[[Decimal, Sequence[Narration], Decimal], Decimal]


def _gap(start: Decimal, progress: Sequence[Narration], gap: Decimal) -> Decimal:
    return start - gap


def _last(start: Decimal, progress: Sequence[Narration], gap: Decimal) -> Decimal:
    return max([start - gap, *(row.stop for row in progress[-1:])])


def _ended(start: Decimal, progress: Sequence[Narration], gap: Decimal) -> Decimal:
    return max([start - gap, *(row.stop for row in progress if row.stop <= start)])


RULES = {
    rule.name: rule
    for rule in (
        Rule("gap", "a fixed time before the action begins, even during other actions", _gap),
        Rule(
            "ended",
            (
                "a fixed time before the action begins, or the end of an action in the progress that has "
                "ended, whichever is later"
            ),
            _ended,
        ),
        Rule(
            "last",
            (
                "a fixed time before the action begins, or the end of the last action in the progress, "
                "whichever is later"
            ),
            _last,
        ),
    )
}
"""The rules for the time of the observation."""

ASKED = (
    "The video shows what I have done so far, and its last frame is what I see now. "
    "Which action should come next {towards}?"
)
"""Our wording; ``{towards}`` is ``in order to wash the pan`` or ``for washing the pan``, ``{goal}`` the goal."""


@dataclass(frozen=True)
class Settings:
    """Settings for making questions."""

    seed: int = 0
    gap: Decimal = GAP
    rule: str = "gap"
    question: str = ASKED
    rate: Fraction | None = None
    """Frame rate of videos that are not in ``rates``."""
    rates: Mapping[str, Fraction] = field(default_factory=dict)

    def rate_of(self, video: str) -> Fraction | None:
        """Return the frame rate of a video."""
        return self.rates.get(video, self.rate)


@dataclass(frozen=True)
class Segment:
    """An action of the progress, in frames of its video."""

    text: str
    start_frame: int
    stop_frame: int


@dataclass(frozen=True)
class Question:
    """One question, and how it was made."""

    task: Task
    answer: Narration
    progress: tuple[Narration, ...]
    options: tuple[Narration, ...]
    key: int
    """Position of the answer among the options."""
    observed: Decimal
    """Time of the observation, in seconds."""
    rate: Fraction
    observation_frame: int
    action_frame: int
    """The first frame of the action."""
    segments: tuple[Segment, ...]
    text: str
    settings: Settings

    @property
    def construction(self) -> dict[str, object]:
        """Return how the question was made, for its record."""
        goal = self.task.goal
        span = {} if goal.start is None or goal.stop is None else {"start": str(goal.start), "stop": str(goal.stop)}
        return {
            "goal": {"text": goal.text, "level": goal.level, "where": goal.where, **span},
            "actions": [row.id for row in self.task.actions],
            "answer": self.answer.id,
            "progress": [row.id for row in self.progress],
            "negatives": [row.id for at, row in enumerate(self.options) if at != self.key],
            "rule": {"observation": self.settings.rule, "gap": str(self.settings.gap)},
            "observation": str(self.observed),
            "action": {"start": str(self.answer.start), "frame": self.action_frame},
            "rate": as_text(self.rate),
            "seed": self.settings.seed,
        }


def towards(goal: str) -> str:
    """Return a goal as the end of a question.

    >>> towards("Wash the pan."), towards("Washing the pan"), towards("TV dinner")
    ('in order to wash the pan', 'for washing the pan', 'in order to TV dinner')
    """
    text = " ".join(goal.split()).rstrip(".").rstrip()
    first = text.split(" ", 1)[0]
    if not first[1:].isupper():
        text = text[:1].lower() + text[1:]
    return f"for {text}" if _is_gerund(first.lower()) else f"in order to {text}"


_NO_GERUNDS = frozenset(
    {"bring", "swing", "string", "ring", "sing", "sling", "wring", "fling", "spring", "cling", "ding", "ping", "wing"}
)


def _is_gerund(word: str) -> bool:
    return word.endswith("ing") and len(word) > 4 and word not in _NO_GERUNDS


def question_words(template: str, goal: str) -> str:
    """Return the words of the question about a goal."""
    return template.replace("{towards}", towards(goal)).replace("{goal}", " ".join(goal.split()))


def questions(tasks: Iterable[Task], settings: Settings, sameness: Sameness, tally: Tally) -> Iterator[Question]:
    """Yield a question for each action of each goal, in order.

    An action that cannot be asked for is counted by the reason.
    """
    for task in tasks:
        rate = settings.rate_of(task.goal.video)
        if rate is None:
            tally.leave_out("goals of a video whose frame rate is unknown", str(task.goal))
            continue
        groups = sameness.groups(task.actions)
        segments = tuple(Segment(row.text, frame_at(row.start, rate), frame_at(row.stop, rate)) for row in task.actions)
        home = {row.id: at for at, group in enumerate(groups) for row in group}
        for at, answer in enumerate(task.actions):
            tally.count("actions of kept goals")
            others = [group for number, group in enumerate(groups) if number != home[answer.id]]
            made = _question(task, at, segments[:at], rate, others, settings)
            if isinstance(made, str):
                tally.leave_out(made, f"{task.goal}: {answer.text!r} at {answer.start} s")
            else:
                tally.count("questions")
                yield made


def _question(
    task: Task,
    at: int,
    segments: tuple[Segment, ...],
    rate: Fraction,
    others: Sequence[Sequence[Narration]],
    settings: Settings,
) -> Question | str:
    """Return the question for one action of a goal, or the reason why there is none."""
    answer, progress = task.actions[at], task.actions[:at]
    if len(others) < N_NEGATIVES:
        return f"the goal has fewer than {N_NEGATIVES} other actions that differ in more than wording"
    observed = RULES[settings.rule].moment(answer.start, progress, settings.gap)
    if observed < 0:
        return "the observation would be before the video begins"
    frame = frame_at(observed, rate)
    if any(segment.start_frame >= frame for segment in segments):
        return "another action of the goal begins between the observation and the action"
    dice = _dice(settings.seed, task, answer)
    drawn = dice.sample(sorted(others, key=_first_place), N_NEGATIVES)
    negatives = [dice.choice(sorted({row.text: row for row in group}.values(), key=_place)) for group in drawn]
    key = dice.randrange(N_NEGATIVES + 1)
    return Question(
        task=task,
        answer=answer,
        progress=progress,
        options=(*negatives[:key], answer, *negatives[key:]),
        key=key,
        observed=observed,
        rate=rate,
        observation_frame=frame,
        action_frame=first_frame_from(answer.start, rate),
        segments=segments,
        text=question_words(settings.question, task.goal.text),
        settings=settings,
    )


def _dice(seed: int, task: Task, answer: Narration) -> random.Random:
    """Return the random numbers of a question.

    They depend on the seed and the question, not on the order of rows or on other questions.
    """
    name = [str(seed), task.goal.video, plain(task.goal.text), str(answer.start), str(answer.stop), answer.text]
    return random.Random(hashlib.sha256("\x1f".join(name).encode("utf-8", "replace")).digest())


def _place(row: Narration) -> tuple[Decimal, Decimal, str, str]:
    return row.place


def _first_place(group: Sequence[Narration]) -> tuple[Decimal, Decimal, str, str]:
    return min(map(_place, group))
