"""Comparing published questions with the narrations that they were made from: segments, options, progress, observation.

A published question names its answer by words alone. Two rules find the narration: ``nearest`` takes the one with
these words that begins nearest to half a second after the observation, which explains but does not predict. ``next``
takes the first one with these words after the last action of the progress, which needs no frame number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from extensions.narrations.rules.narration import Narration, Narrations

SECOND = 60
"""Frames per second in EPIC-KITCHENS' frame numbers."""
_EXAMPLES = 5


@dataclass(frozen=True)
class PublishedQuestion:
    """A published question; frames are numbered as in its file."""

    id: str
    video: str
    goal: str
    answer: str
    options: tuple[str, ...]
    observation: int
    progress: tuple[tuple[str, int, int], ...]
    """Words, first frame and last frame of each action so far."""


@dataclass
class Comparison:
    """Counts by statement, and the questions for which a statement is false."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each statement, the number of questions for which it holds, and of all."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Number of questions by the kind of their observation frame."""
    exceptions: dict[str, list[str]] = field(default_factory=dict)

    def one(self, what: str, holds: bool, published: PublishedQuestion | None = None) -> bool:
        """Count one more question for which a statement holds or not, and return whether it holds."""
        n, of = self.counts.get(what, (0, 0))
        self.counts[what] = (n + holds, of + 1)
        if not holds and published is not None:
            self.exceptions.setdefault(what, []).append(published.id)
        return holds

    def examples(self, what: str) -> list[str]:
        """Return the first few questions for which a statement is false."""
        return self.exceptions.get(what, [])[:_EXAMPLES]


@dataclass(frozen=True)
class _Frames:
    """Frames of one question: the start of its answer, and the ends of the actions so far."""

    start: int
    stops: tuple[int, ...]
    gap: int

    def half_second(self) -> int:
        return self.start - self.gap

    def last(self) -> int:
        return max([self.start - self.gap, *self.stops[-1:]])

    def ended(self) -> int:
        return max([self.start - self.gap, *(stop for stop in self.stops if stop <= self.start)])


RULES: Mapping[str, tuple[str, Callable[[_Frames], int]]] = {
    "gap": ("half a second before the answer begins", _Frames.half_second),
    "last": (
        ("half a second before the answer begins, or the end of the last action in the progress, whichever is later"),
        _Frames.last,
    ),
    "ended": (
        (
            "half a second before the answer begins, or the end of an action in the progress that has ended "
            "by then, whichever is later"
        ),
        _Frames.ended,
    ),
}
"""The rules of ``questions.RULES``, in frames."""


def compare(
    narrations: Narrations, published: Iterable[PublishedQuestion], *, rates: Mapping[str, Fraction] | None = None
) -> Comparison:
    """Compare published questions with the narrations of their videos, without questions of other videos.

    ``rates`` are the frame rates of the videos; they give the number of frames in half a second.
    """
    comparison = Comparison()
    questions = [
        question
        for question in published
        if comparison.one("questions about the narrated videos", question.video in narrations)
    ]
    spoken = {video: _Video(rows) for video, rows in narrations.items()}
    actions = _goals(questions, spoken)
    for question in questions:
        here = spoken[question.video]
        gap = _gap((rates or {}).get(question.video))
        _segments(comparison, question, here)
        _progress(comparison, question, here, actions[question.video, question.goal])
        _rebuilt(comparison, question, here, actions[question.video, question.goal], gap)
        answer = here.nearest(question, gap)
        if comparison.one("answers with a narration", answer is not None, question) and answer is not None:
            _observed(comparison, question, answer, gap)
    return comparison


def _gap(rate: Fraction | None) -> int:
    """Return half a second as a whole number of frames."""
    return SECOND // 2 if rate is None else round(rate / 2)


@dataclass
class _Video:
    rows: Sequence[Narration]
    frames: dict[tuple[str, int | None, int | None], int] = field(init=False)
    texts: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.frames, self.texts = {}, defaultdict(list)
        for at, row in enumerate(self.rows):
            self.frames.setdefault((row.text, row.start_frame, row.stop_frame), at)
            self.texts[row.text].append(at)

    def places(self, published: PublishedQuestion) -> list[int | None]:
        """Return the position of each action of the progress among the narrations."""
        return [self.frames.get(segment) for segment in published.progress]

    def nearest(self, published: PublishedQuestion, gap: int) -> Narration | None:
        wanted = published.observation + gap
        those = [self.rows[at] for at in self.texts.get(published.answer, ())]
        return min(those, key=lambda row: (abs((row.start_frame or 0) - wanted), row.place), default=None)

    def next(self, published: PublishedQuestion) -> int | None:
        """Return the position of the first narration with the answer's words after the progress."""
        there = [at for at in self.places(published) if at is not None]
        if not there:
            return None
        return next((at for at in self.texts.get(published.answer, ()) if at > max(there)), None)


def _goals(published: Sequence[PublishedQuestion], spoken: Mapping[str, _Video]) -> dict[tuple[str, str], set[int]]:
    """Return the positions of each goal's actions, from all its published questions."""
    places_of: dict[tuple[str, str], set[int]] = defaultdict(set)
    for question in published:
        here = spoken[question.video]
        answer = here.nearest(question, SECOND // 2)
        places = [*here.places(question), here.rows.index(answer) if answer is not None else None]
        places_of[question.video, question.goal].update(at for at in places if at is not None)
    return places_of


def _segments(comparison: Comparison, question: PublishedQuestion, here: _Video) -> None:
    for place in here.places(question):
        comparison.one("segments found verbatim in the narrations", place is not None, question)
    for option in question.options:
        comparison.one("options that are narrations of the video", option in here.texts, question)


def _progress(comparison: Comparison, question: PublishedQuestion, here: _Video, goal: set[int]) -> None:
    """Count whether the progress follows from the goal's actions, and from the narrations alone."""
    places = here.places(question)
    if not comparison.one("questions with progress", bool(places), question):
        return
    answer = here.next(question)
    nearest = here.nearest(question, SECOND // 2)
    same = answer is not None and nearest is not None and here.rows[answer] == nearest
    comparison.one("the next narration with the answer's words is also the nearest", same, question)
    end = here.rows.index(nearest) if nearest is not None else 0
    before = sorted(at for at in goal if at < end)
    comparison.one("the progress is all actions of the goal before the answer, in order", before == places, question)
    first = min((at for at in places if at is not None), default=end)
    comparison.one(
        "the progress is every narration from the first action to the answer", [*range(first, end)] == places, question
    )
    comparison.one(
        "the answer's words already occur in the progress",
        question.answer in {text for text, _, _ in question.progress},
    )


def _rebuilt(comparison: Comparison, question: PublishedQuestion, here: _Video, goal: set[int], gap: int) -> None:
    """Count whether the goal's actions and the narrations give the question again, without its frames.

    Then the progress is all actions of the goal before the answer, and the answer is the next narration with its words.
    """
    answer = here.next(question)
    if not question.progress:
        return
    rows = [here.rows[at] for at in sorted(goal) if answer is not None and at < answer]
    progress = tuple((row.text, row.start_frame or 0, row.stop_frame or 0) for row in rows)
    start = (here.rows[answer].start_frame or 0) if answer is not None else 0
    frames = _Frames(start, tuple(stop for _, _, stop in progress), gap)
    for name, (_, rule) in RULES.items():
        same = progress == question.progress and rule(frames) == question.observation
        comparison.one(f"progress and observation reproduced by the rule {name}", same, question)


def _observed(comparison: Comparison, question: PublishedQuestion, answer: Narration, gap: int) -> None:
    frames = _Frames(answer.start_frame or 0, tuple(stop for _, _, stop in question.progress), gap)
    for name, (words, rule) in RULES.items():
        comparison.one(f"observation by the rule {name}: {words}", rule(frames) == question.observation, question)
    kind = _kind(question, frames)
    comparison.kinds[kind] = comparison.kinds.get(kind, 0) + 1
    if question.progress:
        running = frames.stops[-1] > question.observation
        comparison.one("the last action in the progress has ended by the observation", not running, question)
        late = any(start >= question.observation for _, start, _ in question.progress)
        comparison.one("every action in the progress has begun before the observation", not late, question)


def _kind(question: PublishedQuestion, frames: _Frames) -> str:
    """Return the kind of the observation frame."""
    if question.observation == frames.half_second():
        return f"{frames.gap} frames before the answer's narration begins"
    if frames.stops and question.observation == frames.stops[-1]:
        return "the end of the last action in the progress"
    if question.observation in frames.stops:
        return "the end of an earlier action in the progress"
    before = frames.start - question.observation
    return f"{before} frames before the answer's narration begins" if 0 < before < SECOND else "none of these"


def spread(comparison: Comparison) -> list[tuple[str, int]]:
    """Return the kinds of observation frames, most frequent first."""
    return Counter(comparison.kinds).most_common()
