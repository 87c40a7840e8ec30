"""An estimate of a run's requests and cost at an endpoint, without sending any.

The rule counts one token for four ASCII characters, one for every other character, and four for every message. A
picture has its pixels over 750, at least 85 and at most 3,000. Tokenizers differ, so real numbers can be up to 50 %
higher or lower. Answers count at their greatest length, so the estimated cost is rarely reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from domain.runs import Picture, Question
from inference.endpoint.budget import cost
from inference.spec import ModelSpec

RULE = (
    "Each group of four ASCII characters, and each other character, counts as one token. Each message adds four "
    "tokens. The tokens of a picture are its pixels divided by 750, but at least 85 and at most 3,000. Answers "
    "count at their maximum length."
)


@dataclass(frozen=True)
class RequestEstimate:
    """The requests and their cost if every question is asked once."""

    requests: int
    skipped: int
    """Questions that cannot be asked."""
    pictures: int
    tokens_in: int
    tokens_out: int
    """At most."""
    cost: float | None
    """The highest cost, in the currency of the price; None without a price."""
    currency: str | None
    rule: str = RULE


def estimated(questions: Iterable[Question], spec: ModelSpec, *, blind: bool = False) -> RequestEstimate:
    """Return the estimated requests and cost of these questions. ``blind`` means that options are also ranked without
    pictures.
    """
    requests = skipped = pictures = longest = 0
    tokens = 0.0
    for question in (turn for asked in questions for turn in (asked.first, asked) if turn is not None):
        if question.cannot:
            skipped += 1
            continue
        if question.options:
            for variant in (question, without_pictures(question)) if blind and question.pictures else (question,):
                texts = ["", *dict.fromkeys(question.options)]  # the prompt alone, and with each wording
                requests += len(texts)
                pictures += len(texts) * len(variant.pictures)
                tokens += len(texts) * tokens_of(variant) + sum(map(tokens_of_text, texts))
                longest += len(texts)
            continue
        requests += 1
        pictures += len(question.pictures)
        tokens += tokens_of(question)
        longest += spec.generation.max_new_tokens
    price = spec.endpoint.price if spec.endpoint else None
    return RequestEstimate(
        requests,
        skipped,
        pictures,
        round(tokens),
        longest,
        cost(price, tokens, longest),
        price.currency if price else None,
    )


def without_pictures(question: Question) -> Question:
    """Return the question with only its texts."""
    return replace(question, parts=tuple(part for part in question.parts if isinstance(part, str)))


def tokens_of(question: Question) -> float:
    """Return the estimated number of tokens of a question."""
    turns = [question.text] if question.system is None else [question.system, question.text]
    return sum(tokens_of_text(turn) + 4 for turn in turns) + sum(map(tokens_of_picture, question.pictures))


def tokens_of_text(text: str) -> float:
    """Return the estimated number of tokens of a text.

    >>> tokens_of_text("four characters!")
    4.0
    """
    # Count ASCII characters by one pass of C code, which is faster than a loop over characters.
    plain = len(text.encode("ascii", "ignore"))
    return plain / 4 + (len(text) - plain)


def tokens_of_picture(picture: Picture) -> float:
    """Return the estimated number of tokens of a picture. An unreadable picture counts as the largest."""
    from PIL import Image

    try:
        with Image.open(picture.path) as image:
            width, height = image.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return 3000.0
    return float(min(3000, max(85, math.ceil(width * height / 750))))
