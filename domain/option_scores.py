"""Scores and winners computed from the log-probabilities of each option's tokens, with warnings for readers.

Papers and programs rank options by likelihood in different ways, which often give different winners. So Touchstone
keeps the log-probabilities themselves, and computes every score from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "mean_logprob": "mean log-probability of the option's tokens",
        "sum_logprob": "sum of the log-probabilities of the option's tokens",
        "per_byte_logprob": (
            "sum of the log-probabilities, divided by the option's length in bytes; comparable across tokenizers"
        ),
        "pmi_logprob": "sum of the log-probabilities with pictures, minus the sum without pictures: the effect of "
        "the pictures",
    }
)
"""The scores by their names in the registry."""

CLOSE = 1e-5
"""The difference up to which scores are tied. The order of floating-point additions can cause such differences."""

_DIGITS = 6
"""The number of decimal places that are kept. Further digits differ between implementations."""


@dataclass(frozen=True)
class Option:
    """One option and its likelihood for the model."""

    text: str
    logprobs: tuple[float, ...]
    """Natural logarithms, one for each token, in order."""
    without_image: tuple[float, ...] | None = None
    """The same after the text without pictures; None if it was not asked."""

    @classmethod
    def of(cls, text: str, logprobs: Sequence[float], without_image: Sequence[float] | None = None) -> Option:
        """Return an option with rounded log-probabilities, so that later readers compute the same scores.

        Raises
        ------
        ValueError
            A log-probability is missing, not a number, or infinite.
        """
        for scores in (logprobs, without_image):
            if scores is not None and not (len(scores) and all(map(math.isfinite, scores))):
                raise ValueError(f"The model does not give a probability for every token of the option “{text}”.")
        rounded = None if without_image is None else tuple(round(logprob, _DIGITS) for logprob in without_image)
        return cls(text, tuple(round(logprob, _DIGITS) for logprob in logprobs), rounded)

    @property
    def bytes(self) -> int:
        """Return the length of the option's text in UTF-8."""
        return len(self.text.encode("utf-8", "surrogatepass"))

    @cached_property
    def scores(self) -> dict[str, float | None]:
        """Return the scores by name; None for scores that cannot be computed."""
        total = math.fsum(self.logprobs)
        pmi = None if self.without_image is None else total - math.fsum(self.without_image)
        return {
            "mean_logprob": total / len(self.logprobs),
            "sum_logprob": total,
            "per_byte_logprob": total / self.bytes if self.bytes else None,
            "pmi_logprob": pmi,
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Option:
        """Return the option that ``dump`` stored."""
        without = kept.get("without_image")
        return cls(kept["text"], tuple(kept["logprobs"]), None if without is None else tuple(without))

    def dump(self) -> dict[str, Any]:
        """Return the option as JSON values."""
        without = None if self.without_image is None else list(self.without_image)
        return {"text": self.text, "logprobs": list(self.logprobs), "bytes": self.bytes, "without_image": without}


@dataclass(frozen=True)
class Ranking:
    """The options of one question, ranked by every score; ``score`` names the score that counts."""

    options: tuple[Option, ...]
    score: str = "mean_logprob"

    @cached_property
    def scores(self) -> dict[str, list[float]]:
        """Return every score that all options have, in the order of the options."""
        by_name: dict[str, list[float]] = {}
        for name in MEANINGS:
            values = [score for option in self.options if (score := option.scores[name]) is not None]
            if values and len(values) == len(self.options):
                by_name[name] = values
        return by_name

    @property
    def winners(self) -> dict[str, int]:
        """Return the position of the best option under every score. The first one wins a tie."""
        return {name: values.index(max(values)) for name, values in self.scores.items()}

    @property
    def winner(self) -> Option:
        """Return the best option.

        Raises
        ------
        ValueError
            The score cannot be computed from these log-probabilities.
        """
        if self.score not in self.scores:
            raise ValueError(
                f"Touchstone cannot compute the score `{self.score}` for these options. Choose another score."
            )
        return self.options[self.winners[self.score]]

    @property
    def ties(self) -> dict[str, list[int]]:
        """Return the positions of all tied best options, for every score with a tie between different texts."""
        by_name: dict[str, list[int]] = {}
        for name, values in self.scores.items():
            best = [place for place, value in enumerate(values) if max(values) - value <= CLOSE]
            if len({self.options[place].text for place in best}) > 1:
                by_name[name] = best
        return by_name

    @property
    def warning(self) -> str:
        """Return a warning if the winner depends on the score or on a tie; otherwise an empty text."""
        texts = {name: self.options[place].text for name, place in self.winners.items()}
        sentences = []
        if len(set(texts.values())) > 1:
            by_text: dict[str, list[str]] = {}
            for name, text in texts.items():
                by_text.setdefault(text, []).append(name)
            says = "; ".join(f"“{text}” by {', '.join(names)}" for text, names in by_text.items())
            sentences.append(f"The winner depends on the score: {says}.")
        if tied := self.ties.get(self.score):
            equal = ", ".join(f"“{self.options[place].text}”" for place in tied)
            sentences.append(f"These options have the same {self.score}, so the first option wins: {equal}.")
        return " ".join(sentences)

    def dump(self, **more: Any) -> dict[str, Any]:
        """Return the ranking as JSON values, with further values to store."""
        return {
            "options": [option.dump() for option in self.options],
            "scores": {name: [round(value, _DIGITS) for value in values] for name, values in self.scores.items()},
            "winners": self.winners,
            "ties": self.ties,
            "score": self.score,
            "warning": self.warning,
            **more,
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Ranking:
        """Return the ranking that ``dump`` stored; scores and winners are computed again."""
        return cls(tuple(map(Option.read, kept["options"])), kept["score"])
