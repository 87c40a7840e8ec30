"""What people are called where several of them are named together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def apart(names: Mapping[str, str], beside: Iterable[str] = ()) -> dict[str, str]:
    """What to call people, by login: by name, and where another of them, or something named ``beside`` them, has the
    same one, with the login in brackets.

    >>> apart({"ada": "Ada L.", "ann": "Ann", "ann2": "ann"})
    {'ada': 'Ada L.', 'ann': 'Ann (ann)', 'ann2': 'ann (ann2)'}
    >>> apart({"ada": "GPT"}, beside=["gpt"])
    {'ada': 'GPT (ada)'}
    """
    there = Counter(map(_same, names.values())) + Counter(map(_same, beside))
    return {login: name if there[_same(name)] == 1 else f"{name} ({login})" for login, name in names.items()}


def _same(name: str) -> str:
    return " ".join(name.split()).casefold()
