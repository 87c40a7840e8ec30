"""Distinct display names for people who are listed together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def distinct_names(names: Mapping[str, str], others: Iterable[str] = ()) -> dict[str, str]:
    """Return a display name for each login. If another person, or an entry of ``others``, has the same name, add the
    login.

    >>> distinct_names({"ada": "Ada L.", "ann": "Ann", "ann2": "ann"})
    {'ada': 'Ada L.', 'ann': 'Ann (ann)', 'ann2': 'ann (ann2)'}
    >>> distinct_names({"ada": "GPT"}, others=["gpt"])
    {'ada': 'GPT (ada)'}
    """
    there = Counter(map(_same, names.values())) + Counter(map(_same, others))
    return {login: name if there[_same(name)] == 1 else f"{name} ({login})" for login, name in names.items()}


def _same(name: str) -> str:
    return " ".join(name.split()).casefold()
