"""Reference metrics: the overlap of a reference answer with a model's answer, as a number from 0 to 1.

They are compared with people as judges are, but do not know the meaning of texts: "left" instead of "right" costs one
word of many. The libraries are imported when a metric is created, and come with the extra ``metrics``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from domain.errors import InvalidInputError, NotAvailableError, Problem
from domain.installation import install_hint

Measure = Callable[[str, str], "float | str"]
"""A function of (reference, answer). It returns a number from 0 to 1, or a sentence with the reason for a missing
one.
"""


Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Metric:
    """A metric with everything that its numbers depend on."""

    name: str
    meaning: str
    version: int
    """Counts from 1; raised when the same texts give another number for a reason of ours."""
    settings: Settings
    library: str | None = None
    """The distribution that computes the metric; None for our own code."""
    library_version: str | None = None
    measure: Measure = field(repr=False, compare=False, default=lambda reference, answer: "")

    def dump(self) -> dict[str, Any]:
        """Return the metric as JSON values, to be stored with a run."""
        return {
            "name": self.name,
            "version": self.version,
            "library": self.library,
            "library_version": self.library_version,
            "settings": dict(self.settings),
        }


class _Scorer(Protocol):
    def score(self, target: str, prediction: str) -> Mapping[str, Any]: ...


MEANINGS: Mapping[str, str] = {
    "rouge_l": "longest common subsequence of words, F1 of its precision and recall (rouge-score)",
    "rouge_1": "words in common, F1 (rouge-score)",
    "rouge_2": "pairs of neighboring words in common, F1 (rouge-score)",
    "bleu": "smoothed precision of word n-grams of length 1 to 4, for a single sentence (sacrebleu)",
    "chrf": "F2 of character n-grams of length 1 to 6 (sacrebleu)",
    "token_f1": "words in common in any script, F1",
    "exact_match": "1 if the texts are equal except for case, white space or a final period",
}
"""The metrics that there are."""

EXTRA = "metrics"


def metric(name: str) -> Metric:
    """Return the metric with this name, ready to measure.

    Raises
    ------
    InvalidInputError
        The name is unknown.
    NotAvailableError
        The metric's library is not installed.
    """
    if name not in MEANINGS:
        raise InvalidInputError([Problem("metric", f"Unknown metric {name!r}. Choose one of {', '.join(MEANINGS)}.")])
    try:
        if name.startswith("rouge"):
            return _rouge(name)
        if name in ("bleu", "chrf"):
            return _sacrebleu(name)
    except ImportError as error:
        package = "rouge-score" if name.startswith("rouge") else "sacrebleu"
        raise NotAvailableError(
            f"The metric {name} needs the package {package}, which is not installed. {install_hint(EXTRA)}"
        ) from error
    own: Mapping[str, tuple[Measure, Settings]] = {
        "token_f1": (_token_f1, {"words": r"runs of letters, digits and underscores, case folded, NFC"}),
        "exact_match": (_exact, {"ignores": "case, white space, full stops at the end; NFC"}),
    }
    measure, settings = own[name]
    return Metric(name, MEANINGS[name], 1, settings, measure=measure)


# ---- of libraries ---------------------------------------------------------------------------------------------------

_ROUGE = {"rouge_l": "rougeL", "rouge_1": "rouge1", "rouge_2": "rouge2"}
_READ_BY_ROUGE = re.compile("[a-z0-9]")


def _rouge(name: str) -> Metric:
    from importlib.metadata import version

    from rouge_score.rouge_scorer import RougeScorer

    kind = _ROUGE[name]
    scorer: _Scorer = RougeScorer([kind], use_stemmer=False)

    def measure(reference: str, answer: str) -> float | str:
        for text, what in ((reference, "reference"), (answer, "answer")):
            # its tokens are Latin letters and digits; other scripts vanish, and would look like a wrong answer
            if not _READ_BY_ROUGE.search(text.lower()) and any(letter.isalnum() for letter in text):
                return f"The {what} has no Latin letters or digits, and {name} cannot read other characters."
        return float(scorer.score(reference, answer)[kind].fmeasure)

    settings: Settings = {"type": kind, "use_stemmer": False, "of": "fmeasure", "words": "[a-z0-9]+, lower case"}
    return Metric(name, MEANINGS[name], 1, settings, "rouge-score", version("rouge-score"), measure)


def _sacrebleu(name: str) -> Metric:
    from importlib.metadata import version

    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scorer = BLEU(effective_order=True) if name == "bleu" else CHRF()

    def measure(reference: str, answer: str) -> float | str:
        return float(scorer.sentence_score(answer, [reference]).score) / 100

    measure("one two three four", "one two three four")  # the signature knows how many references there were
    settings: Settings = {"signature": scorer.get_signature().format(), "divided_by": 100}
    return Metric(name, MEANINGS[name], 1, settings, "sacrebleu", version("sacrebleu"), measure)


# ---- our own --------------------------------------------------------------------------------------------------------

_WORDS = re.compile(r"\w+")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _exact(reference: str, answer: str) -> float:
    """Return 1.0 if both texts are equal apart from case, white space and a final full stop, otherwise 0.0.

    >>> _exact("The cup.", "the  cup"), _exact("cup", "a cup")
    (1.0, 0.0)
    """
    one, other = (" ".join(_folded(text).split()).rstrip(".").rstrip() for text in (reference, answer))
    return float(one == other)


def _token_f1(reference: str, answer: str) -> float | str:
    """Return the F1 of the words that both texts share, or a sentence if the reference has no words.

    >>> round(_token_f1("the cup on the table", "a cup is on the table"), 4)
    0.7273
    """
    one, other = (Counter(_WORDS.findall(_folded(text))) for text in (reference, answer))
    if not one:
        return "The reference has no words."
    common = (one & other).total()
    return 2 * common / (one.total() + other.total())
