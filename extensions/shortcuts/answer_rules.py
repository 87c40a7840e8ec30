"""Rules that choose an option without the image: those that learn from other items, and the rules that pick a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extensions.shortcuts.schema_limits import TITLES
from workflow.releases.plain_texts import same_text
from workflow.releases.text_rules import Choice, longest, most_shared, shortest


def rules_that_pick(choice: Choice) -> list[str]:
    """Return the rules that choose the right option of an item, by the names for sentences."""
    picks = {
        "longest": longest(choice.options),
        "shortest": shortest(choice.options),
        "overlap": most_shared(choice.options, choice.question),
    }
    return [TITLES[name].lower() for name, at in picks.items() if at == choice.key]


@dataclass(frozen=True)
class LearnedRules:
    """Rules that learn from the keys of other items."""

    places: Counter[int]
    answers: Counter[str]

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> LearnedRules:
        """Return the rules that learned from these items."""
        return cls(
            Counter(choice.key for choice in choices),
            Counter(same_text(choice.options[choice.key]) for choice in choices),
        )

    def place(self, texts: Sequence[str]) -> int:
        """Return the position that was right most often."""
        return max(range(len(texts)), key=lambda at: self.places[at])

    def answer(self, texts: Sequence[str]) -> int:
        """Return the position of the text that was right most often."""
        return max(range(len(texts)), key=lambda at: self.answers[same_text(texts[at])])
