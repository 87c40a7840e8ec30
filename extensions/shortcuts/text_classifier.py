"""A classifier that reads question and options only, and the items whose texts reveal the key.

The classifier learns from the keys of other sources which option is right. For each item it gives every option a
probability. A key whose probability is higher than chance explains is revealed by the texts.

The classifier needs scikit-learn, and minutes for a large set. So nothing here runs in the process that serves pages.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from domain.errors import InvalidInputError, NotAvailableError, Problem
from domain.installation import install_hint
from workflow.releases.plain_texts import OTHER, plain_words, type_of
from workflow.releases.text_rules import Choice, shared_words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 5
"""The number of folds. The items of each fold are scored by a classifier that learned from the other folds."""
REFITS = 20
"""The number of times that random keys are drawn, to measure how probable keys are by chance."""
SEED = 20240229
FALSE_FLAGS = 0.05
"""The maximum expected share of false flags."""
PENALTY = 1.0
"""The inverse regularization strength, scikit-learn's ``C``."""
WEIGHT = 0.3
"""The weight of length and similar features, relative to words."""
MOST_OPTIONS = 1_000_000
FAR = 1.5
"""The factor from which on an option counts as much longer than all others."""
_TIE = 1e-9


@dataclass(frozen=True)
class ItemScore:
    """The classifier's result for an item."""

    choice: Choice
    fold: int
    p_key: float
    """The probability of the right option."""
    picks: int
    """The position of the most probable option, from 0; the first one if several are equal."""
    p_value: float
    """The share of random keys, of items with as many options, with at least this probability."""
    flagged: bool = False
    reasons: Sequence[str] = ()
    """The strongest evidence for the right option, if it is picked or the item is flagged."""

    @property
    def right(self) -> bool:
        """Return whether the classifier picks the right option."""
        return self.picks == self.choice.key


def folds_of(sources: Sequence[Hashable], *, folds: int = FOLDS) -> Ints:
    """Return the fold of each item, from 0. Items of one source are in the same fold.

    Raises ``InvalidInputError`` where there are fewer than two sources: nothing would be left to learn from.
    """
    group_k_fold = _scikit_learn().GroupKFold
    number = {name: at for at, name in enumerate(dict.fromkeys(sources))}
    if len(number) < 2:
        raise InvalidInputError(
            [
                Problem(
                    "sources",
                    "all items with options come from one source, but the classifier needs several sources; give "
                    "the source of each item, such as its video",
                )
            ]
        )
    groups = [number[name] for name in sources]
    fold_numbers = np.zeros(len(groups), dtype=np.int64)
    splitter = group_k_fold(min(folds, len(number)), shuffle=True, random_state=SEED)
    parts = splitter.split(np.zeros(len(groups)), groups=groups)
    for fold, (_, own) in enumerate(parts):
        fold_numbers[own] = fold
    return fold_numbers


def scores_of(choices: Sequence[Choice], fold_of: Ints, *, refits: int = REFITS, seed: int = SEED) -> list[ItemScore]:
    """Return the score of every item, in order. Items beyond chance are flagged."""
    if sum(len(choice.options) for choice in choices) > MOST_OPTIONS:
        raise InvalidInputError([Problem("items", f"there are more than {MOST_OPTIONS:,} options; use fewer items")])
    texts = _Texts(choices, fold_of)
    keys = np.array([choice.key for choice in choices], dtype=np.int64)
    p, weights_by_fold = texts.learnt(keys, telling=True)
    p_key = p[texts.starts + keys]
    drawn = np.random.default_rng(seed)
    by_chance = np.empty((refits, len(choices)))
    for at in range(refits):
        anew = drawn.integers(0, texts.sizes)
        by_chance[at] = texts.learnt(anew)[0][texts.starts + anew]
    p_values = _p_values(p_key, by_chance, texts.sizes)
    flagged = _adjusted(p_values) <= FALSE_FLAGS
    picks = [_likeliest(p[start : start + size]) for start, size in zip(texts.starts, texts.sizes, strict=True)]
    return [
        ItemScore(
            choice,
            int(fold_of[at]),
            float(p_key[at]),
            picks[at],
            float(p_values[at]),
            bool(flagged[at]),
            tuple(weights_by_fold[int(fold_of[at])].reasons(at)) if flagged[at] or picks[at] == choice.key else (),
        )
        for at, choice in enumerate(choices)
    ]


def _likeliest(p: Floats) -> int:
    return int(np.flatnonzero(p >= p.max() - _TIE)[0])


def _p_values(p_key: Floats, by_chance: Floats, sizes: Ints) -> Floats:
    """Return for each item the share of random keys with at least its key's probability; never 0."""
    p_values = np.ones(len(p_key))
    for size in np.unique(sizes):
        own = sizes == size
        pool = np.sort(by_chance[:, own].ravel())
        as_high = len(pool) - np.searchsorted(pool, p_key[own] - _TIE, side="left")
        p_values[own] = (1 + as_high) / (1 + len(pool))
    return p_values


def _adjusted(p_values: Floats) -> Floats:
    from scipy import stats

    return np.asarray(stats.false_discovery_control(p_values, method="bh")) if len(p_values) else p_values


# ---- what is learnt --------------------------------------------------------------------------------------------------


def words_of(pair: tuple[str, str]) -> Iterator[str]:
    """Return the features of an option with its question: words, word pairs, and words after the question's first word.

    >>> list(words_of(("How many cups?", "Two cups.")))
    ['two', 'cups', 'two cups', 'how … two', 'how … cups']
    """
    question, option = pair
    words = list(plain_words(option))
    yield from words
    yield from (f"{one} {other}" for one, other in pairwise(words))
    kind = type_of(question)
    if kind != OTHER:
        yield from (f"{kind} … {word}" for word in words)


SHAPES = ("its length", "at least 1.5 times as long as any other option", "words shared with the question")
"""The features of an option apart from its words and position."""


def shape_of(choice: Choice) -> Floats:
    """Return the features of each option apart from its words: relative length, and words of the question."""
    lengths = np.array([len(option) for option in choice.options], dtype=float)
    shared = np.array([shared_words(option, choice.question) for option in choice.options], dtype=float)
    mean = lengths.mean() or 1.0
    far = [bool(length > FAR * np.delete(lengths, at).max(initial=0)) for at, length in enumerate(lengths)]
    return np.column_stack([lengths / mean - 1, far, shared])


class _Texts:
    """The features of all options, for each fold with the vocabulary of the other folds."""

    def __init__(self, choices: Sequence[Choice], fold_of: Ints) -> None:
        self.sizes = np.array([len(choice.options) for choice in choices], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.item = np.repeat(np.arange(len(choices)), self.sizes)
        self.fold_of = fold_of
        pairs = [(choice.question, option) for choice in choices for option in choice.options]
        shapes = np.concatenate([shape_of(choice) for choice in choices])
        most = int(self.sizes.max())
        places = np.eye(most)[np.arange(len(self.item)) - self.starts[self.item]]
        rest = sparse.csr_array(WEIGHT * np.hstack([shapes, places]))
        names = [*SHAPES, *(f"place {at + 1}" for at in range(most))]
        self.folds = {int(fold): self._fold(int(fold), pairs, rest, names) for fold in np.unique(fold_of)}

    def _fold(
        self, fold: int, pairs: Sequence[tuple[str, str]], rest: sparse.csr_array, names: Sequence[str]
    ) -> tuple[sparse.csr_array, list[str]]:
        """Return the features of all options, with the words that occur outside of this fold."""
        known = [pairs[at] for at in np.flatnonzero(self.fold_of[self.item] != fold)]
        vectorizer = _scikit_learn().TfidfVectorizer(analyzer=words_of)
        try:
            vectorizer.fit(known)
        except ValueError:  # no option has a word
            return rest, list(names)
        table = sparse.csr_array(sparse.hstack([vectorizer.transform(pairs), rest]))
        return table, [*(f"“{word}”" for word in vectorizer.get_feature_names_out()), *names]

    def learnt(self, keys: Ints, *, telling: bool = False) -> tuple[Floats, dict[int, _FoldWeights]]:
        """Return the probability of each option, learned from these keys in the other folds."""
        chances = np.zeros(len(self.item))
        weights_by_fold = {}
        for fold, (table, names) in self.folds.items():
            weights = self._weights(table, keys, self.fold_of != fold)
            own = np.flatnonzero(self.fold_of[self.item] == fold)
            chances[own] = table[own] @ weights
            if telling:
                weights_by_fold[fold] = _FoldWeights(self, table, weights, names, keys)
        tops = np.maximum.reduceat(chances, self.starts)
        chances = np.exp(chances - tops[self.item])
        return chances / np.add.reduceat(chances, self.starts)[self.item], weights_by_fold

    def _weights(self, table: sparse.csr_array, keys: Ints, known: NDArray[np.bool_]) -> Floats:
        """Return the weights of the features: the right option of an item is compared with each other option."""
        right = np.zeros(len(self.item), dtype=bool)
        right[self.starts + keys] = True
        others = np.flatnonzero(~right & known[self.item])
        if len(others) < 2:
            return np.zeros(table.shape[1])
        signs = np.where(np.arange(len(others)) % 2, -1.0, 1.0)
        apart = table[(self.starts + keys)[self.item[others]]] - table[others]
        model = _scikit_learn().LogisticRegression(C=PENALTY, fit_intercept=False, max_iter=1000)
        model.fit(sparse.diags_array(signs) @ apart, signs)
        return np.asarray(model.coef_, dtype=float).ravel()


@dataclass(frozen=True, eq=False)
class _FoldWeights:
    """The weights that were learned for a fold, to explain the probability of a key."""

    texts: _Texts
    table: sparse.csr_array
    weights: Floats
    names: Sequence[str]
    keys: Ints

    def reasons(self, at: int, *, most: int = 3) -> Iterator[str]:
        """Yield the strongest evidence for the right option, relative to the mean of the others."""
        start, size = int(self.texts.starts[at]), int(self.texts.sizes[at])
        rows = self.table[start : start + size].toarray()
        key = int(self.keys[at])
        others = np.delete(rows, key, axis=0)
        if not len(others):
            return
        speaks = (rows[key] - others.mean(axis=0)) * self.weights
        for place in np.argsort(-speaks, kind="stable")[:most]:
            if speaks[place] > _LEAST:
                yield f"{self.names[place]} (+{speaks[place]:.1f})"


_LEAST = 0.1
"""The minimum evidence in log odds that is listed."""


@dataclass(frozen=True)
class _SklearnClasses:
    GroupKFold: Any
    LogisticRegression: Any
    TfidfVectorizer: Any


def _scikit_learn() -> _SklearnClasses:
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GroupKFold
    except ImportError as error:
        raise NotAvailableError(
            "The text-only classifier needs the package scikit-learn, which is not installed. "
            f"{install_hint('shortcuts')}"
        ) from error
    return _SklearnClasses(GroupKFold, LogisticRegression, TfidfVectorizer)
