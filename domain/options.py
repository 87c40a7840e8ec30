"""Which of an item's options a text means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

_LETTER = re.compile(r"\(?([A-Za-z])(?:[.):]+\s*(.*))?", re.DOTALL)


def option_meant(text: str, options: Sequence[str]) -> int | None:
    """The place of the option that an answer is: its text, its letter, or both, and nothing more; None if it is none.

    A letter somewhere in a sentence is no answer ("Close the drawer" is not C), and nothing is guessed. Of options with
    the same text the first is meant.
    """
    plain = [_plain(option) for option in options]
    answer = _plain(text)
    if answer in plain:
        return plain.index(answer)
    match = _LETTER.fullmatch(text.strip())
    place = ascii_uppercase.index(match[1].upper()) if match else len(options)
    if match is None or place >= len(options) or _plain(match[2] or "") not in ("", plain[place]):
        return None
    return place


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" .\"'").casefold()
