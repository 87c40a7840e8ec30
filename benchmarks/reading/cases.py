"""Answers with a known truth: a wording, an item, and where its key stands; and what a reader makes of them."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.reading.items import OPTIONS, ORDINALS, REASONS, YES_NO
from domain.reading.answers import AnswerKind, ExpectedAnswer, Reading, ReadOutcome, read_answer

LETTERS = "ABCDEF"
NONE = "none"
"""The truth of a text that states no answer, or not one."""
LAST = "key, or nothing"
"""The truth of a text that corrects itself: a reader may return its last answer, and no other value."""


@dataclass(frozen=True)
class Wording:
    """A text with places for the item's letters and words, and whether it states the key."""

    manner: str
    text: str
    truth: str = "key"
    kind: AnswerKind = AnswerKind.OPTION
    language: str = "en"
    adversarial: bool = False
    each: tuple[str, str] | None = None
    """A line about a wrong option and one about a right one, for ``{each}``; ``{l}`` and ``{o}`` are its letter and text."""
    finish_reason: str | None = None
    numbers: tuple[tuple[str, float], ...] = ()
    """For numbers: how ``{n}`` may be written, and what it is."""
    unit: str | None = None
    size: int | None = None
    """For several options: how many are right."""
    fits: Callable[[Sequence[str]], bool] = lambda options: True


@dataclass(frozen=True)
class Case:
    """An answer, its question, and the values that a reader may return."""

    wording: Wording
    asked: ExpectedAnswer
    text: str
    truth: Any
    """The value that a reader may return; None if it must return no value."""
    may_be_lost: bool
    at: int
    """The key's place."""


@dataclass
class Rates:
    """Counts of a group of cases."""

    cases: int = 0
    silently_wrong: int = 0
    lost: int = 0
    by_manner: Counter[tuple[str, str]] = field(default_factory=Counter)

    def shares(self) -> dict[str, float]:
        """Per cent of the cases."""
        of = max(self.cases, 1)
        return {
            "cases": self.cases,
            "silently_wrong_percent": round(100 * self.silently_wrong / of, 2),
            "lost_percent": round(100 * self.lost / of, 2),
        }


def cases(wordings: Sequence[Wording], *, seed: int, repeat: int) -> Iterator[Case]:
    """Yield the answers of each wording: ``repeat`` items, each with its key at every place in turn.

    A wording's answers are drawn from its own text and the seed: a new wording changes no other one's.
    """
    for wording in wordings:
        draw = random.Random(zlib.crc32(wording.text.encode()) ^ seed)
        make = {AnswerKind.NUMBER: _of_number, AnswerKind.YES_NO: _of_yes_no}.get(wording.kind, _of_options)
        for _ in range(repeat):
            yield from make(wording, draw)


def judge(case: Case, reading: Reading) -> str:
    """Return ``right``, ``silently wrong`` or ``lost``."""
    if reading.outcome is not ReadOutcome.READ:
        return "right" if case.truth is None or case.may_be_lost else "lost"
    value = reading.value
    if isinstance(value, tuple) and case.asked.kind is AnswerKind.MULTI:
        value = tuple(sorted(map(str, value)))
    return "right" if case.truth is not None and value == case.truth else "silently wrong"


def measure(
    wordings: Sequence[Wording], *, seed: int, repeat: int
) -> tuple[dict[str, Rates], list[tuple[Case, Reading, str]]]:
    """Read all cases; the rates of ordinary and adversarial ones, and every case that is not right."""
    rates = {"ordinary": Rates(), "adversarial": Rates()}
    failed = []
    for case in cases(wordings, seed=seed, repeat=repeat):
        reading = read_answer(case.text, case.asked, finish_reason=case.wording.finish_reason)
        verdict = judge(case, reading)
        group = rates["adversarial" if case.wording.adversarial else "ordinary"]
        group.cases += 1
        group.silently_wrong += verdict == "silently wrong"
        group.lost += verdict == "lost"
        if verdict != "right":
            group.by_manner[case.wording.manner, verdict] += 1
            failed.append((case, reading, verdict))
    return rates, failed


def asymmetric(wordings: Sequence[Wording], *, seed: int) -> list[str]:
    """The wordings that the reader finds for one place of the key but not for another, all other parts being equal."""
    found = []
    for wording in wordings:
        if wording.kind is not AnswerKind.OPTION:
            continue
        draw = random.Random(zlib.crc32(wording.text.encode()) ^ seed)
        fit = [options for options in OPTIONS[wording.language] if len(options) == 4 and wording.fits(options)]
        options = draw.choice(fit)
        said = {
            judge(case, read_answer(case.text, case.asked, finish_reason=wording.finish_reason))
            for turn in range(4)
            for case in [option_case(wording, options[turn:] + options[:turn], (-turn) % 4, random.Random(3))]
        }
        if len(said) > 1:
            found.append(wording.text)
    return found


# ---- making ---------------------------------------------------------------------------------------------------------


def _of_options(wording: Wording, draw: random.Random) -> Iterator[Case]:
    fit = [options for options in OPTIONS[wording.language] if wording.fits(options)]
    options = list(draw.choice(fit))
    draw.shuffle(options)
    for at in range(min(4, len(options))):
        if wording.kind is AnswerKind.OPTION:
            yield option_case(wording, tuple(options), at, draw)
        elif wording.kind is AnswerKind.MULTI:
            yield _several_case(wording, tuple(options), at, draw)
        else:
            yield _order_case(wording, tuple(options), at, draw)


def option_case(wording: Wording, options: tuple[str, ...], at: int, draw: random.Random) -> Case:
    others = [n for n in range(len(options)) if n != at]
    draw.shuffle(others)
    words = _common(options, draw, wording.language)
    words |= _of_one("L", "T", options, at) | {"N": str(at + 1), "nth": ORDINALS[at]}
    for (letter, text), other in zip((("X", "x"), ("Y", "y"), ("Z", "z")), (others * 3)[:3], strict=True):
        words |= _of_one(letter, text, options, other)
    words["others"] = _joined([LETTERS[n] for n in sorted(others)], "and")
    words["others_or"] = _joined([LETTERS[n] for n in sorted(others)], "or")
    words["each"] = _each(wording, options, {at})
    truth = None if wording.truth == NONE else options[at]
    return Case(
        wording,
        ExpectedAnswer(AnswerKind.OPTION, options),
        wording.text.format(**words),
        truth,
        wording.truth == LAST,
        at,
    )


def _several_case(wording: Wording, options: tuple[str, ...], at: int, draw: random.Random) -> Case:
    size = wording.size or draw.choice((2, 2, 3)[: len(options) - 1])
    chosen = sorted({at, *draw.sample([n for n in range(len(options)) if n != at], size - 1)})
    letters, texts = [LETTERS[n] for n in chosen], [options[n].rstrip(".") for n in chosen]
    rest = [LETTERS[n] for n in range(len(options)) if n not in chosen]
    words = _common(options, draw, wording.language) | {
        "S": _joined(letters, "and"), "Sund": _joined(letters, "und"), "Set": _joined(letters, "et"), "Sy": _joined(letters, "y"),
        "Sc": ", ".join(letters), "Ss": "/".join(letters), "Sj": "".join(letters), "Sp": "+".join(letters), "Szh": "、".join(letters), "Sw": "와 ".join(letters),
        "Sq": ", ".join(f'"{letter}"' for letter in letters), "Sb": "\n".join(f"- {letter}" for letter in letters),
        "Sor": _joined(letters, "or"), "rest": _joined(rest, "and") or "nothing else", "R": rest[0] if rest else "F", "l0": letters[0],
        "ST": "\n".join(f"{letter}. {text}" for letter, text in zip(letters, texts, strict=True)),
        "STb": "\n".join(f"- **{letter}**: {text}" for letter, text in zip(letters, texts, strict=True)),
        "T": ", ".join(texts), "Tand": _joined(texts, "and"), "t0": texts[0],
        "each": _each(wording, options, set(chosen)),
    }  # fmt: skip
    truth = None if wording.truth == NONE else tuple(sorted(options[n] for n in chosen))
    return Case(
        wording,
        ExpectedAnswer(AnswerKind.MULTI, options),
        wording.text.format(**words),
        truth,
        wording.truth == LAST,
        at,
    )


def _order_case(wording: Wording, options: tuple[str, ...], at: int, draw: random.Random) -> Case:
    rest = [n for n in range(len(options)) if n != at]
    draw.shuffle(rest)
    order = [at, *rest]
    if order == sorted(order):
        order = order[::-1]
    letters = [LETTERS[n] for n in order]
    words = _common(options, draw, wording.language) | {
        "Oc": ", ".join(letters), "Oa": " -> ".join(letters), "Ou": " → ".join(letters), "Oj": "".join(letters), "Od": "-".join(letters), "Og": " > ".join(letters),
        "On": ", ".join(str(n + 1) for n in order), "Ol": "\n".join(f"{n}. {letter}" for n, letter in enumerate(letters, 1)),
        "Ot": "\n".join(f"{n}. {options[place]}" for n, place in enumerate(order, 1)), "Othen": ", then ".join(letters),
        "Oq": ", ".join(f'"{letter}"' for letter in letters), "O1": ", ".join(letters[:-1]), "Orev": ", ".join(letters[::-1]),
    }  # fmt: skip
    truth = None if wording.truth == NONE else tuple(options[n] for n in order)
    return Case(
        wording,
        ExpectedAnswer(AnswerKind.ORDER, options),
        wording.text.format(**words),
        truth,
        wording.truth == LAST,
        at,
    )


def _of_number(wording: Wording, draw: random.Random) -> Iterator[Case]:
    for at, (written, value) in enumerate(draw.sample(list(wording.numbers), min(4, len(wording.numbers)))):
        other = str(draw.randint(13, 29))
        text = wording.text.format(n=written, m=other, why=draw.choice(REASONS[wording.language]))
        truth = None if wording.truth == NONE else float(value)
        yield Case(
            wording, ExpectedAnswer(AnswerKind.NUMBER, unit=wording.unit), text, truth, wording.truth == LAST, at
        )


def _of_yes_no(wording: Wording, draw: random.Random) -> Iterator[Case]:
    words = YES_NO[wording.language]
    for at, value in enumerate(("yes", "no")):
        said = {"V": words[at], "v": words[at].lower(), "W": words[1 - at], "w": words[1 - at].lower()}
        text = wording.text.format(**said, why=draw.choice(REASONS[wording.language]))
        truth = None if wording.truth == NONE else value
        yield Case(wording, ExpectedAnswer(AnswerKind.YES_NO), text, truth, wording.truth == LAST, at)


def _common(options: tuple[str, ...], draw: random.Random, language: str) -> dict[str, str]:
    letters = LETTERS[: len(options)]
    listed = [f"{letter}. {text}" for letter, text in zip(letters, options, strict=True)]
    return {
        "why": draw.choice(REASONS[language]),
        "list": "\n".join(listed),
        "inline": " ".join(f"({letter}) {text}" for letter, text in zip(letters, options, strict=True)),
        "letters": ", ".join(letters),
        "all_and": _joined(list(letters), "and"),
        "all_or": _joined(list(letters), "or"),
    }


def _of_one(letter: str, text: str, options: tuple[str, ...], at: int) -> dict[str, str]:
    words = options[at].rstrip(".")
    return {
        letter: LETTERS[at],
        text: words,
        f"{text}low": words[:1].lower() + words[1:],
        f"{letter}low": LETTERS[at].lower(),
    }


def _each(wording: Wording, options: tuple[str, ...], right: set[int]) -> str:
    if wording.each is None:
        return ""
    lines = [
        wording.each[n in right].format(l=LETTERS[n], o=text.rstrip("."), n=n + 1) for n, text in enumerate(options)
    ]
    return "\n".join(lines)


def _joined(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
