"""Values in rating files: which cells are missing, how decimals are written, and which spellings are one label."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns import Column
from domain.english import with_noun
from domain.errors import RatingsError
from domain.spelling import narrow, normal, spelling, typed

MISSING_WORDS = (
    "NA",
    "N/A",
    "#N/A",
    "#NA",
    "#N/A N/A",
    "#NV",
    "#N/D",
    "<NA>",
    "n.a.",
    "NaN",
    "-NaN",
    "NaT",
    "1.#IND",
    "-1.#IND",
    "1.#QNAN",
    "-1.#QNAN",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#NUM!",
    "#NAME?",
    "#NULL!",
    r"\N",
    "None",
    "null",
    "nil",
    "-",
    "--",
    "\N{EN DASH}",
    "\N{EM DASH}",
    ".",
)
"""The texts of programs for a missing rating, and for a formula without a result. An empty cell is always missing."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")
_DECIMAL_COMMA = re.compile(r"-?(?:0|[1-9][0-9]{0,15}),[0-9]+")
_DECIMAL_POINT = re.compile(r"-?(?:0|[1-9][0-9]{0,15})\.[0-9]+")
_THOUSANDS = re.compile(
    r"-?[0-9]{1,3}(?:(?:\.[0-9]{3})+,[0-9]+|(?:,[0-9]{3})+\.[0-9]+|(?:['\u2019 \u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?)"
)


def missing_words(text: str | None) -> tuple[str, ...]:
    """Return the words of ``--missing``, separated by commas; without the option the usual ones.

    >>> missing_words("NA, skipped")
    ('NA', 'skipped')
    >>> missing_words("")
    ()
    """
    if text is None:
        return MISSING_WORDS
    return tuple(word.strip() for word in text.split(",") if word.strip())


_TRUE_AND_FALSE = (
    ("wahr", "falsch"),
    ("vrai", "faux"),
    ("verdadero", "falso"),
    ("vero", "falso"),
    ("verdadeiro", "falso"),
    ("waar", "onwaar"),
    ("prawda", "fałsz"),
    ("doğru", "yanl\u0131\u015f"),
    ("doğru", "yanli\u015f"),
    ("tosi", "epätosi"),
    ("sand", "falsk"),
    ("sann", "usann"),
    ("sant", "falskt"),
    ("igaz", "hamis"),
    ("pravda", "nepravda"),
    ("истина", "ложь"),
    ("真", "假"),
    ("真", "偽"),
    ("참", "거짓"),
)
"""The words of spreadsheets in other languages for TRUE and FALSE."""
_TRUE_OR_FALSE = {
    normal(word): says for pair in _TRUE_AND_FALSE for word, says in zip(pair, ("true", "false"), strict=True)
}


def comparable_label(value: Any) -> str:
    """Return the form in which labels are compared: without case, width of letters, repeated blanks, invisible
    characters and the shapes of quotation marks and hyphens.

    >>> comparable_label("Good   job"), comparable_label("m²")
    ('good job', 'm²')
    """
    return typed(normal(str(value))).casefold()


class MissingWords:
    """Tells which values are missing, whatever their case."""

    def __init__(self, words: Iterable[str] = MISSING_WORDS) -> None:
        self._words = frozenset(map(spelling, words))

    def __contains__(self, value: Any) -> bool:
        if value is None:
            return True
        if isinstance(value, float):
            return value != value
        return isinstance(value, str) and (not value.strip() or spelling(value) in self._words)


def number_or_text(cell: str, *, decimal_comma: bool = False) -> Any:
    """Return the number that a cell of a table states, or its text in NFC."""
    cell = normal(cell)
    if decimal_comma and _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    return json.loads(cell) if _NUMBER.fullmatch(cell) else cell


def is_decimal_comma(cell: str) -> bool:
    """Tell whether a cell may be a number with a decimal comma."""
    return _DECIMAL_COMMA.fullmatch(cell.strip()) is not None


def has_thousands(cell: str) -> bool:
    """Tell whether a cell may be a number with a mark between thousands, which is read as text."""
    return _THOUSANDS.fullmatch(cell.strip()) is not None


def has_decimal_commas(cells: Sequence[str]) -> bool:
    """Tell whether the cells of a column write 0,5 for a half.

    Raises
    ------
    RatingsError
        Some cells have a decimal comma and others a decimal point.
    """
    comma = next((cell for cell in cells if is_decimal_comma(cell)), None)
    point = next((cell for cell in cells if _DECIMAL_POINT.fullmatch(cell.strip())), None)
    if comma is not None and point is not None:
        raise RatingsError(
            f"The column `value` uses both {comma.strip()} and {point.strip()}. Use the same decimal separator "
            "in the whole file"
        )
    return comma is not None


def merge_spellings(values: Column) -> tuple[Column, list[str]]:
    """Return the column with one label for all its spellings, and a sentence for each merged label.

    Spellings differ by case, blanks or the width of letters. Where a column has TRUE or FALSE, the same words of other
    languages are spellings, too. The most frequent spelling stays; of equally frequent ones the first. Numbers are
    never merged.
    """
    counts = np.bincount(values.places[values.there], minlength=len(values.names))
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(values.names):
        if isinstance(name, str | bool):
            groups[comparable_label(name)].append(place)
    if "true" in groups or "false" in groups:
        for word in [word for word in groups if word in _TRUE_OR_FALSE]:
            groups[_TRUE_OR_FALSE[word]] += groups.pop(word)
    new: dict[int, Any] = {}
    notes = []
    for places in groups.values():
        if len(places) < 2:
            continue
        places.sort()
        kept = max(places, key=lambda place: counts[place])
        others = [place for place in places if place != kept]
        new |= {place: values.names[kept] for place in others}
        written = ", ".join(f"{counts[place]:,} {_shown(values.names[place])}" for place in others)
        why = _difference([values.names[place] for place in places])
        notes.append(f"{written} counted as {_shown(values.names[kept])}, which {why}")
    if not new:
        return values, []
    names = iter(range(len(values.names)))
    return values.renamed(lambda name: new.get(next(names), name)), notes


def _difference(labels: Sequence[Any]) -> str:
    """Return how the spellings of one label differ, in words."""
    if len({comparable_label(label) for label in labels}) > 1:
        return "means the same"
    if len({narrow(normal(str(label))).casefold() for label in labels}) > 1:
        return "differs only in quotation marks, hyphens or invisible characters"
    if len({spelling(label) for label in labels}) > 1:
        return "differs only in spaces, case or character width"
    return "differs only in case"


_OF_TWO = {**dict.fromkeys(("true", "t", "1", "1.0"), True), **dict.fromkeys(("false", "f", "0", "0.0"), False)}
"""The texts of programs for true and false, in lower case."""


def merge_true_and_false(criterion: Column, value: Column) -> tuple[Column, list[str]]:
    """Return the values with 1 and 0, T and F merged into true and false, and a sentence for each merged label.

    Only criteria that have true or false and no other label are changed. Programs write a tick in each of these ways.
    """
    plain = [_TRUE_OR_FALSE.get(word, word) for word in map(comparable_label, value.names)]
    means = [_OF_TWO.get(word) for word in plain]
    is_word = [word in ("true", "false") for word in plain]
    places, notes = value.places.copy(), []
    for at, name in enumerate(criterion.names):
        rows = np.flatnonzero((criterion.places == at) & value.there)
        counter = Counter(places[rows].tolist())
        if not any(is_word[place] for place in counter) or any(means[place] is None for place in counter):
            continue
        for says in (True, False):
            words = [place for place in counter if means[place] is says and is_word[place]]
            others = [place for place in counter if means[place] is says and not is_word[place]]
            if words and others:
                kept = max(words, key=lambda place: counter[place])
                places[rows[np.isin(places[rows], others)]] = kept
                written = ", ".join(
                    f"{_shown(value.names[place])} ({with_noun(counter[place], 'rating')})" for place in others
                )
                notes.append(
                    f"{name}: {written} counted as {_shown(value.names[kept])}, because both labels mean the same"
                )
    return Column(value.names, places) if notes else value, notes


def apart_sentences(
    criterion: Column, rater: Column, value: Column, times: NDArray[np.int64] | None = None
) -> list[str]:
    """Return a sentence for each rater whose labels no other rater of a criterion uses, although each label recurs:
    spellings may differ that no rule here knows.

    ``times`` is how often each row occurs, if more than once.
    """
    notes = []
    is_text = np.array([isinstance(name, str | bool) for name in value.names], bool)
    for at, name in enumerate(criterion.names):
        rows = np.flatnonzero((criterion.places == at) & value.there)
        if not len(rows) or not is_text[value.places[rows]].all():
            continue
        both = np.stack([rater.places[rows], value.places[rows]], axis=1)
        pairs, place = np.unique(both, axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=None if times is None else times[rows])
        users = np.bincount(pairs[:, 1], minlength=len(value.names))
        for one in np.unique(pairs[:, 0]).tolist():
            of_rater = pairs[:, 0] == one
            labels = pairs[of_rater, 1]
            recur = counts[of_rater].sum() >= 2 * len(labels)
            if 2 <= len(labels) < len(np.unique(pairs[:, 1])) and recur and (users[labels] == 1).all():
                listed = ", ".join(_shown(value.names[place]) for place in labels[:3].tolist())
                notes.append(
                    f"{name}: no other rater uses any label of {rater.names[one]} ({listed}). If these labels mean "
                    "the same as other raters' labels, use the same spelling."
                )
    return notes


def missing_sentence(found: Counter[str]) -> str | None:
    """Return how many ratings are missing and how the file writes them.

    >>> missing_sentence(Counter({"NA": 3, "": 1}))
    '4 ratings are missing: 3 NA, 1 empty.'
    """
    if not found:
        return None
    words = ", ".join(f"{count:,} {word or 'empty'}" for word, count in found.most_common())
    total = sum(found.values())
    return f"{total:,} {'rating is' if total == 1 else 'ratings are'} missing: {words}."


def number_sentences(cells: Sequence[str], *, decimal_comma: bool = False) -> list[str]:
    """Return a sentence for each way of writing numbers that is read as text."""
    notes = []
    if not decimal_comma and any(map(is_decimal_comma, cells)):  # 1,2 may be two choices
        notes.append(
            "Touchstone reads values such as 0,5 as text. If these values are numbers, use a decimal point, or "
            "separate the cells with semicolons."
        )
    if (long := next(filter(has_thousands, cells), None)) is not None:
        notes.append(
            f"Touchstone reads values such as {long.strip()} as text. If these values are numbers, remove the "
            "thousands separators."
        )
    return notes


def mixed_sentences(criterion: Column, value: Column, times: NDArray[np.int64] | None = None) -> list[str]:
    """Return a sentence for each criterion whose values are partly numbers and partly text.

    ``times`` is how often each row occurs, if more than once.
    """
    is_number = np.array([isinstance(name, int | float) and not isinstance(name, bool) for name in value.names], bool)
    if not is_number.any() or is_number.all():
        return []
    notes = []
    for place, name in enumerate(criterion.names):
        rows = criterion.places == place
        weights = None if times is None else times[rows]
        counts = np.bincount(value.places[rows], weights=weights, minlength=len(value.names)).astype(int)
        n, n_texts = int(counts.sum()), int(counts[~is_number].sum())
        if 0 < n_texts < n:
            words = Counter({_shown(value.names[at]): int(counts[at]) for at in np.flatnonzero(counts * ~is_number)})
            listed = ", ".join(word for word, _ in words.most_common(3))
            notes.append(
                f"{name}: {with_noun(n - n_texts, 'value is a number', 'values are numbers')} and "
                f"{n_texts:,} {'is' if n_texts == 1 else 'are'} text ({listed}). If the text marks a missing "
                "rating, add the text to the words for missing ratings, or empty these cells."
            )
    return notes


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
