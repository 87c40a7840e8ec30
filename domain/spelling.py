"""Normalization of texts that look alike: invisible characters, wide letters, shapes of quotation marks and hyphens."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

INVISIBLE = "\u200b\u2060\ufeff\u00ad"
"""Invisible characters: spaces without width, byte order marks, soft hyphens."""
_BESIDE = re.compile(rf"[\s{INVISIBLE}]+")
_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>")
"""Decompositions that change the meaning of a character: m² is not m2."""
_UNSEEN = dict.fromkeys(map(ord, INVISIBLE))
_SHAPES = {
    **dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f")),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b`\u00b4\u02bc\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
}
"""Typographic quotation marks, hyphens and joiners that programs put in place of the typed characters."""
_AS_TEXT = re.compile(r'="(.*)"', re.DOTALL)
"""The form in which programs write a text that spreadsheets should not convert."""


def stripped(text: str) -> str:
    """Return the text in NFC without white space and invisible characters around it."""
    match = _BESIDE.match(text)
    begin = match.end() if match else 0
    end = len(text)
    while end > begin and _BESIDE.fullmatch(text[end - 1]):
        end -= 1
    return unicodedata.normalize("NFC", text[begin:end])


def visible(text: str) -> str:
    """Return the visible part of a text: in NFC, without invisible characters, with single spaces for white space.

    >>> visible("a\\u200b  cup\\u00a0")
    'a cup'
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(_UNSEEN)).split())


def narrow(text: str) -> str:
    """Return the visible text with plain letters for wide ones.

    >>> narrow("\\uff21\\uff22"), narrow("m²")
    ('AB', 'm²')
    """
    return " ".join(
        "".join(
            char if unicodedata.decomposition(char).startswith(_KEPT_FORMS) else unicodedata.normalize("NFKC", char)
            for char in unicodedata.normalize("NFC", text)
        ).split()
    )


def typed(text: str) -> str:
    """Return the visible text as it is typed: with plain letters, quotation marks and hyphens.

    >>> typed("don\\u2019t"), typed("yes\\u200b")
    ("don't", 'yes')
    """
    return visible(narrow(text).translate(_SHAPES))


def normal(text: str) -> str:
    """Return the text in NFC without white space and invisible characters around it, so that equal words are equal
    labels.

    Of ``="yes"``, only the text in the quotation marks is returned.
    """
    text = stripped(text)
    as_text = _AS_TEXT.fullmatch(text)
    return as_text[1].replace('""', '"') if as_text else text


def spelling(value: Any) -> str:
    """Return a key that is equal for spellings of one label: TRUE, True and true are one, and so is JSON's ``true``."""
    return normal(str(value)).casefold()
