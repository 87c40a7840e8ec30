"""A search for the item of a row in another harness's log: by an item's id, or by the text of its question."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from domain.records import BadRow, PredictionRecord

_LABEL = re.compile(r"(?:question|q)\s*[:.]\s*", re.IGNORECASE)
_MEDIA_MARK = re.compile(r"<\|?/?(?:image|video|audio|img)[^<>]{0,40}>", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W_]+")
_MOST_LINES = 60
"""The largest number of prompt lines for which runs of several lines are compared. In a longer prompt, only single
lines.
"""
_SHOWN = 3
_SEVERAL = re.compile(r", is the question of [\d,]+ items \(")


class QuestionMatch:
    """A search for items by the content of logs.

    Two questions are equal if they differ only in white space. In a longer prompt, a run of whole lines
    may be the question. If several items fit, none is returned. An id counts unless its question is different.

    Parameters
    ----------
    by_name
        The items' ids by their external ids.
    asked
        Every item's question, by its id.
    dimension_of
        Every item's dimension, by its id.
    before
        A function that returns the questions of an item before its edits.
    """

    def __init__(
        self,
        by_name: Mapping[str, int],
        asked: Mapping[int, str],
        dimension_of: Mapping[int, str],
        before: Callable[[int], Iterable[str]] = lambda id: (),
    ) -> None:
        self._by_name, self._asked, self._dimension_of, self._before = by_name, asked, dimension_of, before
        self._names = {id: name for name, id in by_name.items()}
        self._by_question: dict[bytes, list[int]] = defaultdict(list)
        for id, question in asked.items():
            self._by_question[question_hash(question)].append(id)

    def __call__(self, answer: PredictionRecord) -> tuple[int | None, str]:
        """Return the item's id, or None and the reason."""
        for name in answer.ids:
            if name in self._by_name:
                why = self.contradiction(self._by_name[name], answer)
                return (None, why) if why else (self._by_name[name], "")
        named = f"there is no item {answer.ids[0]!r} in this project" if answer.ids else "the answer has no item id"
        if not (answer.question or "").strip():
            return None, f"{named}, and the answer has no question"
        ids = self._with_question(answer)
        if len(ids) == 1:
            return ids[0], ""
        if not ids:
            where = f" of {answer.dimension}" if answer.dimension else ""
            return None, f"{named}, and no item{where} has the answer's question, {_opening(answer.question or '')!r}"
        names = ", ".join(self._names[id] for id in ids[:_SHOWN])
        return None, (
            f"{named}, and the answer's question, {_opening(self._asked[ids[0]])!r}, is the question of "
            f"{len(ids):,} items ({names}{', ...' if len(ids) > _SHOWN else ''})"
        )

    def contradiction(self, id: int, answer: PredictionRecord) -> str:
        """Return the reason why an answer cannot belong to the item of its id, whose question differs. Empty where it
        can.

        White space, case, marks and a longer prompt around a question make no difference, and neither does a question
        that the item had before. An answer without words of a question contradicts nothing. A prompt that asks another
        item's question, and not that of the item, contradicts it whatever stands next to it.
        """
        ours = _letters(self._asked.get(id, ""))
        theirs = [letters for text in (answer.question, answer.prompt) if (letters := _letters(text or ""))]
        if not ours or not theirs:
            return ""
        others = self._by_letters.get(theirs[0], [])
        fits = ours == theirs[0]
        if not fits and not others:
            had = [ours, *(_letters(text) for text in self._before(id))]
            fits = any(one in their or their in one for one in filter(None, had) for their in theirs)
        named, asked = f"the answer names the item {self._names[id]!r}, but the answer's", _opening(self._asked[id])
        if not fits:
            return (
                f"{named} question, {_opening(answer.question or answer.prompt)!r}, is not the item's question: "
                f"{asked!r}"
            ) + (f"; {self._names[others[0]]!r} has this question" if others else "")
        if (other := self._asked_instead(id, ours, answer)) is None:
            return ""
        return (
            f"{named} prompt asks {_opening(self._asked[other])!r}, the question of {self._names[other]!r}, not "
            f"the item's question: {asked!r}"
        )

    def _asked_instead(self, id: int, ours: str, answer: PredictionRecord) -> int | None:
        """Return the item whose question a prompt has in whole lines, where the prompt does not have that of ``id``."""
        prompt = _letters(answer.prompt or "") if (answer.question or "").strip() else ""
        if not prompt or ours in prompt or any(had in prompt for had in map(_letters, self._before(id)) if had):
            return None
        for _, _, run in _runs(answer.prompt or ""):
            others = self._by_letters.get(_letters(run), [])
            if others and id not in others:
                return others[0]
        return None

    @cached_property
    def _by_letters(self) -> Mapping[str, list[int]]:
        by_letters: dict[str, list[int]] = defaultdict(list)
        for id, question in self._asked.items():
            by_letters[_letters(question)].append(id)
        return dict(by_letters)

    def _with_question(self, answer: PredictionRecord) -> list[int]:
        hits = [
            (begin, end, ids)
            for begin, end, text in _runs(answer.question or "")
            if (ids := self._by_question.get(question_hash(text)))
        ]
        within = [
            (begin, end)
            for begin, end, _ in hits
            if any(first <= begin and end <= last and (first, last) != (begin, end) for first, last, _ in hits)
        ]  # "Why?" may be an item's question, and a line of another's
        candidates = {id for begin, end, ids in hits if (begin, end) not in within for id in ids}
        return sorted(id for id in candidates if answer.dimension in {None, self._dimension_of[id]})


def several(bad: Iterable[BadRow]) -> str | None:
    """Return a sentence with the number of rows whose question several items have; None for no such row."""
    n = sum(_SEVERAL.search(row.reason) is not None for row in bad)
    rows = f"{n:,} rows have" if n > 1 else "1 row has"
    return f"{rows} no item id, and a question that several items share." if n else None


def question_hash(text: str) -> bytes:
    """Return a hash of a question that ignores differences in white space."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).digest()


def _runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the runs of whole lines of a text, the longest first, with their first and last line.

    Each run that begins with ``Question:`` is also yielded without it.
    """
    lines = [line for raw_line in text.splitlines() if (line := " ".join(raw_line.split()))]
    longest = len(lines) if len(lines) <= _MOST_LINES else 1
    if longest < len(lines):
        yield 0, len(lines), " ".join(lines)
    for length in range(longest, 0, -1):
        for begin in range(len(lines) - length + 1):
            run = " ".join(lines[begin : begin + length])
            yield begin, begin + length, run
            if label := _LABEL.match(run):
                yield begin, begin + length, run[label.end() :]


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without media marks such as ``<image>``, white space, case and
    punctuation.
    """
    bare = unicodedata.normalize("NFKC", _MEDIA_MARK.sub(" ", text)).casefold()
    return _NO_WORD.sub("", bare)


def _opening(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else f"{words[:80]}..."
