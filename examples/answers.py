"""What three imaginary models answer to the scenes, and how three imaginary people and two imaginary judges grade them.

None of these models and judges exists. How often each is right is decided beforehand, so whatever the demo project
shows about them can be held against it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from examples.scenes import Scene

MODELS: dict[str, float] = {"imaginary-large": 0.9, "imaginary-medium": 0.6, "imaginary-small": 0.3}
"""Model -> the part of its answers that is right."""
PARTLY = 0.4
"""The part of the remaining answers that is half right."""

_OPENINGS = ("", "", "", "I think this is it: ", "Looking at the image: ", "As far as I can see: ")


@dataclass(frozen=True)
class Answer:
    """A model's answer to a scene's question, and the grade that it deserves: 0, 0.5 or 1."""

    model: str
    scene: str
    text: str
    grade: float


def answers_of(model: str, scenes: Sequence[Scene]) -> list[Answer]:
    """A model's answers to these scenes: exactly its share of them is right, which ones is decided by its name."""
    random = np.random.default_rng(zlib.crc32(model.encode()))
    n_right = round(MODELS[model] * len(scenes))
    n_partly = round(PARTLY * (len(scenes) - n_right))
    grades = [1.0] * n_right + [0.5] * n_partly + [0.0] * (len(scenes) - n_right - n_partly)
    random.shuffle(grades)
    return [_answer(model, scene, grade, random) for scene, grade in zip(scenes, grades, strict=True)]


def _answer(model: str, scene: Scene, grade: float, random: np.random.Generator) -> Answer:
    said = {1.0: (scene.answer, *scene.also), 0.5: (scene.partly,), 0.0: scene.wrong}[grade]
    text = said[random.integers(len(said))]
    opening = _OPENINGS[random.integers(len(_OPENINGS))] if scene.dimension != "assistance" else ""
    if opening:
        text = opening + (text if text.startswith("I ") else text[0].lower() + text[1:])
    return Answer(model, scene.name, text, grade)


@dataclass(frozen=True)
class Habit:
    """How a person grades: how often the grade is off by one step, and whether it then is lower rather than higher."""

    slips: float
    strict: float


HABITS: dict[str, Habit] = {
    "demo-jonas": Habit(slips=0.04, strict=0.5),
    "demo-kavya": Habit(slips=0.12, strict=0.5),
    "demo-luis": Habit(slips=0.22, strict=0.85),
}
"""Grader's login -> habit."""


JUDGES: dict[str, Habit] = {
    "imaginary-judge-careful": Habit(slips=0.1, strict=0.5),
    "imaginary-judge-kind": Habit(slips=0.35, strict=0.1),
}
"""Two judges that do not exist: one that grades as people do, one that is too kind."""


def graded(rater: str, answer: Answer) -> float:
    """The grade that a person or a judge gives to an answer: the one that it deserves, or by habit another."""
    habit = (HABITS | JUDGES)[rater]
    random = np.random.default_rng(zlib.crc32(f"{rater}/{answer.model}/{answer.scene}".encode()))
    if random.random() >= habit.slips:
        return answer.grade
    step = -0.5 if random.random() < habit.strict else 0.5
    other = answer.grade + step
    return other if 0 <= other <= 1 else answer.grade - step
