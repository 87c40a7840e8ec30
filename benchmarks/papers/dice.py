"""What scripted models, judges and people say, in the manners of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmarks import manners_answers

LETTERS = "ABCDEFGH"

LETTER = (
    "{letter}",
    "({letter})",
    "{letter}.",
    "Answer: {letter}",
    "Option {letter}",
    "{letter}. {text}",
    "The best action is {letter}. {text}",
    "The goal is not reached yet, and what is needed for it is in view.\n\nSo the answer is {letter}.",
    "<think>First I look at what is in my hands. Maybe it is the other one? No.</think>\nThe answer is {letter}.",
)
"""Manners in which a model says an option."""
SAYS_NOTHING = (
    "I'm sorry, but I can't help with that.",
    "There is not enough information in the video to tell.",
    "lorem ipsum dolor",
    "the the the the",
)
"""Refusals and nonsense, which state no option."""
OPEN = (
    "{text}",
    "You can see {text}.",
    "Based on the image, it looks like {text}, although the lower part is hidden.",
    "{text}. This is what the picture shows most clearly.",
    *SAYS_NOTHING,
)
"""Manners of answers in free text."""


def option(dice: Random, options: Sequence[str], right: int, quality: float, silent: float) -> tuple[str, bool, bool]:
    """Return a model's answer to a question with options, whether it is right, and whether it states an option."""
    other_manners = manners_answers.can_say(options) and dice.random() < 0.5
    if dice.random() < silent:
        return (
            (manners_answers.states_nothing(dice, options) if other_manners else dice.choice(SAYS_NOTHING)),
            False,
            False,
        )
    others = [at for at, text in enumerate(options) if text != options[right]]
    at = right if dice.random() < quality or not others else dice.choice(others)
    if other_manners:
        return manners_answers.states(dice, options, at), options[at] == options[right], True
    return dice.choice(LETTER).format(letter=LETTERS[at], text=options[at]), options[at] == options[right], True


@dataclass(frozen=True)
class Rater:
    """A judge or a person of known quality."""

    name: str
    right: float
    """How often it gives what an answer is worth; else any other value."""
    silent: float = 0.0
    """How often its reply holds no score."""

    def gives(self, dice: Random, worth: float, values: Sequence[float]) -> float:
        """Its grade of an answer."""
        if dice.random() < self.right:
            return worth
        return dice.choice([value for value in values if value != worth])


def some_number(dice: Random, value: float) -> str:
    """A grade as replies spell it."""
    return dice.choice([f"{value:g}", f"{value:.1f}"])
