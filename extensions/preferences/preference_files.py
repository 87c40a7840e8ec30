"""People's preferences as files and as text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import Any

from agreement import Statistic
from domain import csv_text
from domain.english import with_noun
from extensions.preferences.judges_of_pairs import JudgeOfPairs
from extensions.preferences.preference_figures import CriterionPreferences, OfCriterion, PreferenceFigures
from extensions.preferences.strengths import elo

COLUMNS = (
    *("criterion", "slice", "model", "against", "votes", "wins", "ties", "losses", "win_rate", "low", "high"),
    *("strength", "strength_low", "strength_high", "elo_like", "reason"),
)
ELO_LIKE = "1000 + 400 / ln 10 x strength"
"""The formula of the Elo-like number, from a strength."""


def rows(found: PreferenceFigures) -> list[dict[str, Any]]:
    """Return a row for each model against all others and against each other, by criterion and slice.

    None replaces a missing number. A row against a single model has no strength.
    """
    return [row for criterion in found.criteria for part in criterion.parts for row in _rows(criterion.criterion, part)]


def _rows(criterion: str, part: CriterionPreferences) -> Iterator[dict[str, Any]]:
    for rate in part.rates:
        row = {
            "criterion": criterion,
            "slice": part.label,
            "model": rate.name,
            "against": rate.against,
            "votes": rate.rate.n_units,
            "wins": rate.wins,
            "ties": rate.ties,
            "losses": rate.losses,
            "win_rate": rate.rate.value,
            "low": _plain(rate.rate.low),
            "high": _plain(rate.rate.high),
            "strength": None,
            "strength_low": None,
            "strength_high": None,
            "elo_like": None,
            "reason": rate.rate.reason,
        }
        if rate.against is None:
            own = part.strengths.of[rate.name]
            row |= {
                "strength": _plain(own.value),
                "strength_low": _plain(own.low),
                "strength_high": _plain(own.high),
                "elo_like": _plain(elo(own.value)),
                "reason": "; ".join(filter(None, (rate.rate.reason, own.reason))) or None,
            }
        yield row


def as_csv(found: PreferenceFigures) -> str:
    """Return the rows as a CSV file, which always has its header."""
    out = io.StringIO(newline="")
    writer = csv_text.DictWriter(out, COLUMNS)
    writer.writeheader()
    for row in rows(found):
        writer.writedict(row)
    return out.getvalue()


def as_json(found: PreferenceFigures) -> dict[str, Any]:
    """Return the figures as JSON values."""
    return {
        "project": found.project,
        "counted": found.counting.sentence if found.counting else None,
        "standing": found.standing,
        "left_out": found.left_out or None,
        "models": list(found.models),
        "cut_by": found.by,
        "drawn_together": found.together,
        "strengths": f"Davidson's model, log strengths with mean 0; elo_like is {ELO_LIKE}",
        "criteria": [_criterion(criterion) for criterion in found.criteria],
        "rows": rows(found),
        "of_each_answer": [
            {
                "criterion": mark.criterion,
                "model": mark.model,
                "value": mark.value,
                "n": mark.n,
                "of": mark.share.n_units,
                **_number("share", mark.share),
            }
            for mark in found.marks
        ],
    }


def _criterion(each: OfCriterion) -> dict[str, Any]:
    return {
        "criterion": each.criterion,
        "title": each.title,
        "parts": [
            {
                "slice": part.label,
                "items": part.items,
                "pairs": part.pairs,
                "raters": part.raters,
                "votes": part.votes,
                "ties": part.ties,
                "both_bad": part.both_bad,
                "cannot_tell": part.cannot_tell,
                "same_answers": part.same,
                **_number("nu", part.strengths.ties),
            }
            for part in each.parts
        ],
        "left_preferred": {
            "n": each.left.n_units,
            **_number("share", each.left),
            "p": each.left.test.p_value if each.left.test else None,
        },
        "agreement": [line.as_json() for line in each.agreement],
        "raters_alone": list(each.alone),
        "judges": [
            {
                "judge": judge.judge,
                "pairs": judge.pairs,
                "by_place": judge.by_place,
                "without_verdict": judge.without_verdict,
                "not_asked": judge.not_asked,
                "same": _number("share", judge.same),
                "kappa": _number("kappa", judge.kappa),
                "same_where_both_prefer_one": {"n": judge.decided.n_units, **_number("share", judge.decided)},
            }
            for judge in each.judges
        ],
    }


def _number(name: str, at: Statistic) -> dict[str, Any]:
    return {name: _plain(at.value), "low": _plain(at.low), "high": _plain(at.high), "reason": at.reason}


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


# ---- as text ---------------------------------------------------------------------------------------------------------


def as_text(found: PreferenceFigures) -> Iterator[str]:
    """Yield the figures as lines of text."""
    if found.counting is not None:
        yield found.counting.sentence
    yield " ".join(filter(None, (found.standing, found.left_out)))
    for criterion in found.criteria:
        for part in criterion.parts:
            yield ""
            yield (
                f"{criterion.criterion}: {criterion.title}"
                if part is criterion.whole
                else f"{criterion.criterion}, {found.by}: {part.title}"
            )
            yield from _part(part)
            if part is criterion.whole:
                yield from (f"  {line}" for line in _of_whole(criterion))
    if found.marks:
        yield ""
        yield "Of each answer"
        heads = ("", "", "", "share", "95 % interval", "n", "of")
        yield from _lined(
            heads,
            [
                (mark.criterion, mark.model, mark.value, *figures(mark.share), str(mark.n), str(mark.share.n_units))
                for mark in found.marks
            ],
        )
    together = "items" if found.together == "none" else f"units with the same {found.together}"
    yield ""
    yield f"Intervals of 95 %: {together} drawn anew. Ties count half. Strengths: Davidson's model, mean 0."


def _of_whole(each: OfCriterion) -> Iterator[str]:
    yield from sentences(each)
    if each.alone:
        yield f"{NOT_OF}{', '.join(each.alone)}{ALONE}"
    yield from (of_judge(judge) for judge in each.judges)


def _part(part: CriterionPreferences) -> Iterator[str]:
    yield f"  {part.sentence}"
    if not part.rates:
        return
    rows = []
    for rate in part.rates:
        own = part.strengths.of[rate.name] if rate.against is None else None
        strength = (*figures(own, signed=True), f"{elo(own.value):.0f}") if own and own.defined else ("", "", "")
        rows.append(
            (
                rate.name,
                "all others" if rate.against is None else rate.against,
                *(str(n) for n in (rate.wins, rate.ties, rate.losses)),
                *figures(rate.rate),
                *strength,
            )
        )
    heads = ("", "against", "won", "ties", "lost", "rate", "95 % interval", "strength", "95 % interval", "Elo-like")
    yield from _lined(heads, rows)
    yield from (f"  {line}" for line in of_strengths(part))


NOT_OF, ALONE = "Agreement is unknown for ", ", because nobody else compared any of their pairs."
"""Around the names of raters who share no pair with another one."""


def sentences(each: OfCriterion) -> Iterator[str]:
    """Yield a sentence about the left position, and one about the agreement of raters."""
    at = each.left
    if at.test is not None:
        value, limits = figures(at)
        yield (
            f"Votes that are not ties: {at.n_units:,}. The left answer won {round(at.value * at.n_units):,} of these "
            f"votes: {value} ({limits}). Exact binomial test against one half: p = {at.test.p_value:.3f}."
        )
    for line in each.agreement:
        figure = "-" if line.value is None else f"{line.value:.3f}"
        limits = "" if line.low is None or line.high is None else f" ({line.low:.3f} to {line.high:.3f})"
        why = f" {line.reason}" if line.value is None else ""
        yield f"{line.title}: {figure}{limits}, {with_noun(line.n_units, 'pair')}, {line.n_raters} people.{why}"


def of_judge(judge: JudgeOfPairs) -> str:
    """Return a sentence about a judge next to people."""
    left_out = [
        f"{n:,} {words}"
        for n, words in (
            (judge.by_place, "chosen by position, counted as ties"),
            (judge.without_verdict, "without two verdicts, excluded"),
            (judge.not_asked, "not sent to the judge, excluded"),
        )
        if n
    ]
    pairs = f"{judge.pairs:,} {'pair' if judge.pairs == 1 else 'pairs'}"
    line = f"{judge.judge} compared with the majority of people: {'; '.join([pairs, *left_out])}."
    if not judge.same.defined:
        return f"{line} {judge.same.reason}"
    return (
        f"{line} Agreement {_words(judge.same)}, kappa {_words(judge.kappa)}. Agreement without ties: "
        f"{_words(judge.decided)} (n = {judge.decided.n_units:,})."
    )


def of_strengths(part: CriterionPreferences) -> list[str]:
    """Return the reasons for missing strengths or missing intervals."""
    if part.strengths.reason:
        return [f"No strengths: {part.strengths.reason}"]
    return [
        f"Strengths: {why}" for why in dict.fromkeys(strength.reason for strength in part.strengths.of.values()) if why
    ]


def _words(at: Statistic) -> str:
    value, limits = figures(at)
    return f"{value} ({limits})" if limits else value if at.defined else f"undefined ({at.reason})"


def figures(at: Statistic, *, signed: bool = False) -> tuple[str, str]:
    """Return a number and its limits as text; empty for missing limits."""
    form = "+.3f" if signed else ".3f"
    value = format(at.value, form) if at.defined else "-"
    return value, "" if math.isnan(at.low) else f"{format(at.low, form)} to {format(at.high, form)}"


def _lined(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    for row in [heads, *rows]:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
