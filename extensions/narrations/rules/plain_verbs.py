"""English verbs in their plain form."""

from __future__ import annotations

from domain.english import without_s

_IRREGULAR = {
    "has": "have",
    "does": "do",
    "goes": "go",
    "is": "be",
    "was": "be",
    "lies": "lie",
    "ties": "tie",
    "dies": "die",
}


def plain_verb(verb: str) -> str:
    """A verb without the ending of the third person.

    >>> [plain_verb(verb) for verb in ("picks", "washes", "carries", "squeezes", "closes", "presses", "has", "wash")]
    ['pick', 'wash', 'carry', 'squeeze', 'close', 'press', 'have', 'wash']
    """
    return _IRREGULAR[verb] if verb in _IRREGULAR else without_s(verb, shortest=3)
