"""Templates that come back: replies that repeat the form they were asked for, with its placeholders, and JSON objects that
say two things under one key. Neither holds a verdict that anyone gave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

_HINT = (
    r"(?:your|you|insert|brief\w*|short|explain|explanation|assessments?|evidence|reason\w*|rationale|justif\w+|analysis|feedback|comments?|"
    r"scores?|rating|verdict|grade|judge?ment|text|string|number|value|here|fill|placeholder|describe|description|thoughts?|why|sentences?|words?|"
    r"begr\u00fcndung|bewertung|explication|justification|explicaci\u00f3n|puntuaci\u00f3n|\u8bc4\u5206|\u7406\u7531|\u5206\u6570|\u8bc4\u4f30|\u89e3\u91ca|\u8a55\u4fa1|\u7406\u7531|\u8aac\u660e|\u70b9\u6570)"
)
_BRACKETED = (
    rf"<(?=[^<>\n/]*{_HINT})(?P<tag>[^<>\n/]{{2,80}})>"
    rf"|\{{\{{?(?=[^{{}}\n\":]*{_HINT})[^{{}}\n\":]{{2,80}}\}}\}}?"
    rf"|\[(?=[^\[\]\n]{{0,12}}\b{_HINT})[^\[\]\n{{}}\":]{{2,80}}\]"
    rf"|\((?:your |the |brief |short |some )*{_HINT}\)"
)
_CHOICE = (
    r"(?:correct|incorrect|wrong|right|partially correct|partly right|yes|no|true|false|pass|fail|good|bad|match|mismatch|richtig|falsch|"
    r"correcte?|incorrecte?|vrai|faux|correcto|incorrecto|\u6b63\u786e|\u9519\u8bef|\u6b63\u3057\u3044|\u8aa4\u308a)"
)
_CHOICES = rf"(?:{_CHOICE}(?:\s?[/|]\s?| or | oder | ou | o ){_CHOICE}(?:\s?[/|]\s?{_CHOICE})*|\d(?:\.\d)?(?:\s?[/|]\s?\d(?:\.\d)?){{2,}}(?![\d/]))"
_WORDS = (
    r"(?:your (?:assessment|explanation|evidence|reason(?:ing|s)?|score|rating|verdict|analysis|answer)(?: here)?|(?:assessment|explanation|evidence|reason(?:ing)?|rationale)(?: here)?|"
    r"\.{3}|\u2026|explanation goes here|insert \w+ here|\\*x{3,}|why|string|str|text|todo|tbd|placeholder|lorem ipsum)"
)
_WHOLE = re.compile(
    rf"(?:\A|\n|[:=\uff1a])[ \t*_>#\"'`-]*(?:{_BRACKETED}|{_CHOICES})[ \t*_\"'`.,}}]*(?=\n|\Z|\"\s*[,}}])",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"\A[\s*_\"'`\\]*(?:{_BRACKETED}|{_CHOICES}|{_WORDS})[\s*_\"'`.!]*\Z", re.IGNORECASE)
"""Values that are placeholders as a whole; under a key, plain words count as placeholders."""


def placeholder(text: str) -> tuple[int, int] | None:
    """Return where a whole line, or all behind a label, is a placeholder such as ``<your assessment>``."""
    for match in _WHOLE.finditer(text):
        tag = match["tag"]
        if tag is not None and f"</{tag.split()[0]}".lower() in text[match.end() :].lower():
            continue  # a pair of tags around the text
        return match.span()
    return None


def is_placeholder(value: object) -> bool:
    """Return whether a value of a JSON object is a placeholder.

    >>> is_placeholder("<your assessment>"), is_placeholder("Correct/Incorrect"), is_placeholder("It names the cup.")
    (True, True, False)
    """
    return isinstance(value, str) and _VALUE.match(value) is not None


def repeated_key(pairs: Sequence[tuple[str, Any]]) -> str | None:
    """Return a key that an object, or one within it, holds twice with different values; None without such a key.

    >>> repeated_key([("a", 1), ("b", 2), ("a", 1)]), repeated_key([("a", 1), ("A", 2)])
    (None, 'A')
    """
    seen: dict[str, Any] = {}
    for key, value in pairs:
        name = " ".join(re.split(r"[\s_-]+", key.strip().lower()))
        if name in seen and _plain(seen[name]) != _plain(value):
            return key
        seen[name] = value
        for inner in _inner(value):
            found = repeated_key(inner)
            if found is not None:
                return found
    return None


def _plain(value: Any) -> Any:
    text = str(value).strip().casefold()
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _inner(value: Any) -> Iterator[Sequence[tuple[str, Any]]]:
    for each in value if isinstance(value, list) else [value]:
        pairs = getattr(each, "pairs", None)
        if pairs is not None:
            yield pairs
