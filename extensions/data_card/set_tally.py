"""The counts of a data set: texts, questions, answers, media, goals, and the places of right answers.

Texts are counted by 64 bits of their hash, so that a set of a hundred thousand items takes little memory.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from statistics import median_low
from typing import Any

from workflow.releases.plain_texts import plain_words, same_text, type_of
from workflow.releases.set_items import Member, Roles, field_of, label_of, said_of, video_of
from workflow.releases.text_rules import longest, options_of

_KITCHEN = re.compile(r"(P\d{2})_\d{2,3}")
_EPIC = "EpicKitchens"


@dataclass
class Lengths:
    """A distribution of text lengths in words."""

    counts: Counter[int] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Add a text. Words are separated by spaces."""
        self.counts[len(text.split())] += 1

    @property
    def n(self) -> int:
        """Return the number of texts."""
        return self.counts.total()

    @property
    def mean(self) -> float | None:
        """The mean length; None without texts."""
        return sum(length * n for length, n in self.counts.items()) / self.n if self.n else None

    @property
    def median(self) -> float | None:
        """The middle one; of an even number the mean of the middle two."""
        if not self.n:
            return None
        at = ((self.n - 1) // 2, self.n // 2)
        return (self._at(at[0]) + self._at(at[1])) / 2

    def _at(self, place: int) -> int:
        for length in sorted(self.counts):
            place -= self.counts[length]
            if place < 0:
                return length
        raise IndexError(place)

    @property
    def least(self) -> int | None:
        """Return the length of the shortest text."""
        return min(self.counts, default=None)

    @property
    def most(self) -> int | None:
        """Return the length of the longest text."""
        return max(self.counts, default=None)


@dataclass
class SetTally:
    """The counts over some items."""

    roles: Roles
    items: int = 0
    images: set[int] = field(default_factory=set)
    clips: set[int] = field(default_factory=set)
    clip_seconds: float = 0.0
    clips_timed: int = 0
    videos: set[int] = field(default_factory=set)
    scenes: set[int] = field(default_factory=set)
    concepts: set[int] = field(default_factory=set)
    in_fields: dict[str, set[int]] = field(default_factory=dict)
    """The values that item fields give for `concept`, `scene` and `video`, by name."""
    in_labels: dict[str, set[int]] = field(default_factory=dict)
    """The values that imported labels give for the same names."""
    question_words: Lengths = field(default_factory=Lengths)
    answer_words: Lengths = field(default_factory=Lengths)
    words: set[int] = field(default_factory=set)
    pairs: set[int] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    goals: Counter[int] = field(default_factory=Counter)
    """Questions of each goal."""
    goal_actions: dict[int, set[int]] = field(default_factory=dict)
    actions: set[int] = field(default_factory=set)
    first_words: set[int] = field(default_factory=set)
    rests: set[int] = field(default_factory=set)
    places: Counter[int] = field(default_factory=Counter)
    """The place of the right option, from 1."""
    offered: Counter[int] = field(default_factory=Counter)
    """The number of options."""
    longest: list[bool] = field(default_factory=list)
    """Of every item with one right option, whether that option is the first of the longest."""
    longest_of: list[int] = field(default_factory=list)
    """The cluster of each of these items: its video, or the item alone."""
    no_option: int = 0
    """The number of items with options but without a single right one."""

    def add(self, item: Member) -> None:
        """Count one more item."""
        self.items += 1
        video = video_of(item, self.roles)
        self._see(item, video)
        self._read(item)
        self._choose(item, video)
        self._plan(item)

    def _see(self, item: Member, video: str | None) -> None:
        for medium in item.media:
            seen, name = (self.clips if medium.kind == "clip" else self.images), _bits(medium.name)
            if medium.kind == "clip" and name not in seen and medium.seconds is not None:
                self.clip_seconds += medium.seconds
                self.clips_timed += 1
            seen.add(name)
        if video is not None:
            self.videos.add(_bits(video))
        if scene := _scene_of(item, self.roles, video):
            self.scenes.add(_bits(same_text(scene)))
        if concept := said_of(item, self.roles.concept, "concept"):
            self.concepts.add(_bits(same_text(concept)))
        roles = (("concept", self.roles.concept), ("scene", self.roles.scene), ("video", self.roles.video))
        for label, own in roles:
            for seen_in, value in ((self.in_fields, field_of(item, own)), (self.in_labels, label_of(item, label))):
                if value is not None:
                    seen_in.setdefault(label, set()).add(_bits(value if label == "video" else same_text(value)))

    def is_told_twice(self, name: str) -> bool:
        """Return whether both item fields and imported labels give this value."""
        return bool(self.in_fields.get(name)) and bool(self.in_labels.get(name))

    def _read(self, item: Member) -> None:
        question = item.fields.get(self.roles.question or "")
        if isinstance(question, str) and question.strip():
            self.question_words.add(question)
            type, words, pairs = _of_question(question)
            self.types[type] += 1
            self.words.update(words)
            self.pairs.update(pairs)
        for answer in _texts(item.fields.get(self.roles.answer or "")):
            self.answer_words.add(answer)
            self.answers[_bits(same_text(answer))] += 1

    def _choose(self, item: Member, video: str | None) -> None:
        if not item.fields.get(self.roles.options or ""):
            return
        offered = options_of(item.fields, options=self.roles.options, answer=self.roles.answer)
        if offered is None:
            self.no_option += 1
            return
        texts, key = offered
        self.offered[len(texts)] += 1
        self.places[key + 1] += 1
        self.longest.append(longest(texts) == key)
        self.longest_of.append(_bits(f"video {video}") if video is not None else self.items)

    def _plan(self, item: Member) -> None:
        goal = item.fields.get(self.roles.goal or "")
        if not isinstance(goal, str) or not goal.strip():
            return
        name = _bits(same_text(goal))
        self.goals[name] += 1
        own = self.goal_actions.setdefault(name, set())
        for text in _texts(item.fields.get(self.roles.options or "")):
            action = same_text(text)
            first, _, rest = action.partition(" ")
            own.add(_bits(action))
            self.actions.add(_bits(action))
            self.first_words.add(_bits(first))
            if rest:
                self.rests.add(_bits(rest))


def tallies(items: Iterable[Member], roles: Roles) -> tuple[SetTally, dict[str, SetTally]]:
    """Return the counts over all items, and over each dimension that has items."""
    whole, parts = SetTally(roles), dict[str, SetTally]()
    for item in items:
        whole.add(item)
        parts.setdefault(item.dimension, SetTally(roles)).add(item)
    return whole, parts


# ---- texts -----------------------------------------------------------------------------------------------------------


def middle(values: Iterable[int]) -> int | None:
    """Return the median (the lower of two middle values); None without values."""
    numbers = list(values)
    return median_low(numbers) if numbers else None


def _texts(value: Any) -> list[str]:
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, list | tuple):
        return [text for text in value if isinstance(text, str) and text.strip()]
    text = str(value)
    return [text] if isinstance(value, str | int | float) and text.strip() else []


def _scene_of(item: Member, roles: Roles, video: str | None) -> str | None:
    """Return the scene that a field or label gives; otherwise the scene that follows from the video.

    For EPIC-KITCHENS the scene is the participant, because each participant has one kitchen. For other collections
    whose items name their video, the scene is the video.
    """
    if scene := said_of(item, roles.scene, "scene"):
        return scene
    if roles.video is None or video is None:
        return None
    kitchen = _KITCHEN.fullmatch(video)
    of_epic = roles.origin is None or item.fields.get(roles.origin) == _EPIC
    return kitchen[1] if kitchen and of_epic else video


@lru_cache(16)  # all items are counted, and those of their dimension: each question is read once for both
def _of_question(question: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return the type of a question, its words, and its pairs of words."""
    words = list(plain_words(question))
    pairs = [_bits(f"{one} {other}") for one, other in pairwise(words)]
    return type_of(question), [_bits(word) for word in words], pairs


@lru_cache(20_000)  # words come again and again
def _bits(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
