"""Unused keys and columns of a file. Every import names them, and warns if they look like votes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from domain.spelling import typed

SHOWN = 20
"""Number of keys that a sentence names."""
_VOTES = re.compile(
    r"(?:^|[^a-z])(?:responses?|annotat[a-z]*|votes?|voted|voters?|labels?|labell?ers?|ratings?|raters?|rated|scores?"
    r"|scored|scorers?|grades?|graded|graders?|grading|judges?|judg?e?ments?|verdicts?|suggestions?|suggested"
    r"|workers?|reviewers?|agreement|accept|reject)(?:$|[^a-z])"
)
_SECOND = re.compile(r"\.\d{1,2}$")
"""The suffix that pandas adds to a repeated column name."""
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_VOTES = re.compile(r"(?:^|[^a-z])labels?[ _.-]?(?:map|names?|set|studio|type)")


class ReadKeys:
    """The keys of records that a reader takes; it remembers the others that it was asked about."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = frozenset(wanted)
        self.unread: dict[str, None] = {}

    def __contains__(self, name: object) -> bool:
        if name in self._wanted or self.also(str(name)):
            return True
        self.unread[str(name)] = None
        return False

    def also(self, name: str) -> bool:
        """Tell whether a key is read that is not among the wanted ones."""
        return False


def looks_like_votes(name: str) -> bool:
    """Return whether a key or column may hold votes of people or judges.

    >>> [looks_like_votes(each) for each in ("correct.responses", "annotator_1", "workerId", "scene", "underscore")]
    [True, True, True, False, False]
    """
    bare = _HUMPS.sub("_", name).casefold()
    bare = re.sub(r"(?<=[a-z])\d+", "", bare)
    return _VOTES.search(bare) is not None and _NO_VOTES.search(bare) is None


def vote_warnings(place: str, names: Iterable[str], *, what: str = "key") -> list[str]:
    """Return a warning where some of these unread keys or columns look like votes."""
    votes = [name for name in names if looks_like_votes(name)]
    if not votes:
        return []
    one = len(votes) == 1
    return [
        f"{place}: the {what}{'' if one else 's'} {quoted_names(votes)} {'looks' if one else 'look'} like votes, "
        f"grades or labels, and {'is' if one else 'are'} not imported. To import votes, use a file of ratings "
        "(`unit,rater,criterion,value`), or the format of the tool that exported the votes."
    ]


def twin_warnings(place: str, names: Iterable[str], known: Collection[str], *, what: str = "key") -> list[str]:
    """Return a warning where an unread key is another spelling of one that is read, or a second column of its name."""
    spelled = {typed(name).casefold(): name for name in known}
    twins = [(name, spelled[same]) for name in names if (same := _same_name(name)) in spelled]
    return [
        f"{place}: Touchstone imports {read!r} and ignores the {what} {name!r}. If the values of the two names "
        "differ, keep only the right name."
        for name, read in twins[:SHOWN]
    ]


def _same_name(name: str) -> str:
    return _SECOND.sub("", typed(name).casefold())


def unread_note(names: Sequence[str], *, what: str = "column", end: str) -> str:
    """Return the sentence that names unused keys or columns. ``end`` is the end of the sentence."""
    return f"Unused {what}{'s' if len(names) > 1 else ''}: {quoted_names(names)} ({end})."


def quoted_names(names: Sequence[Any]) -> str:
    """Return names in quotes, the first of many."""
    shown = ", ".join(repr(name) for name in names[:SHOWN] if name)
    return shown + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
