"""The language of a person, and the texts in it. English is in the code; other languages are in ``domain/catalogs/``.

``tools/catalogs.py`` collects the texts and compiles the catalogs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any

CATALOGS = Path(__file__).with_name("catalogs")
ENGLISH = "en"
NAMES = {ENGLISH: "English", "zh_CN": "简体中文"}
"""The languages with a catalog, each by its own name."""
COOKIE = "touchstone_language"

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language of the person for whom the code runs."""
    return _language.get()


@contextmanager
def speaking(code: str | None) -> Iterator[None]:
    """Set the language of all texts inside. An unknown language is English."""
    token = _language.set(code if code in NAMES else ENGLISH)
    try:
        yield
    finally:
        _language.reset(token)


def _(text: str) -> str:
    """Return a text in the person's language."""
    return _catalog(_language.get()).gettext(text)


def ngettext(one: str, many: str, n: int) -> str:
    """Return a text about ``n`` things in the person's language."""
    return _catalog(_language.get()).ngettext(one, many, n)


def marked(text: str) -> str:
    """Return the text unchanged: it is in the catalogs, and ``_`` translates it where it is used."""
    return text


@cache
def _catalog(code: str) -> NullTranslations:
    if code == ENGLISH:
        return NullTranslations()
    with (CATALOGS / f"{code}.mo").open("rb") as file:
        return GNUTranslations(file)


@cache
def of_scripts(code: str) -> Mapping[str, Any]:
    """Return the texts of the pages' JavaScript in a language. Empty for English."""
    if code == ENGLISH:
        return {}
    texts: Mapping[str, Any] = json.loads((CATALOGS / f"{code}.json").read_text(encoding="utf-8"))
    return texts


def wanted_by(accepted: str | None) -> str:
    """Return the first language of an ``Accept-Language`` header that has a catalog, by the header's weights.

    >>> wanted_by("fr, zh-Hans-CN;q=0.8, en;q=0.5"), wanted_by("en-US, zh;q=0.4"), wanted_by("zh-TW"), wanted_by(None)
    ('zh_CN', 'en', 'en', 'en')
    """
    weighed: list[tuple[float, str]] = []
    for part in (accepted or "").split(","):
        tag, _sign, weight = part.strip().partition(";q=")
        try:
            weighed.append((-float(weight or 1), tag.strip().lower()))
        except ValueError:
            continue
    for _weight, tag in sorted(weighed, key=lambda each: each[0]):
        if tag.startswith("en"):
            return ENGLISH
        if tag in ("zh", "zh-cn", "zh-sg") or tag.startswith("zh-hans"):
            return "zh_CN"
    return ENGLISH
