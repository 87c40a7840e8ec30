"""Section 10: answers that try to persuade a judge to give a high score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agreement.corrected import clustered_mean
from agreement.limits import wilson
from domain.replies import CONTROL, AttackResult
from extensions.calibration.report.study import Study
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, Paragraph, ReportTable, Section
from reports.words import figure_in_words, first_parts, mark, name_list, nothing

TITLE = "Attacks on the judge"


def attacks(study: Study) -> Section:
    """Return section 10."""
    others: list[Block] = []
    if study.attacked_others:
        words = (
            "These judges also rated attack answers, but have a different model, template or parser: "
            f"{name_list(study.attacked_others)}."
        )
        others.append(Paragraph(words, "note"))
    if not study.attacks:
        reason = (
            "No judge rated attack answers, which are wrong answers that mostly ask for the highest score. Run the "
            "judge with `touchstone judge run --attacks`."
        )
        section = nothing(10, "attacks", TITLE, reason)
        return replace(section, blocks=(*section.blocks, *others))
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    clauses: list[str] = []
    without: list[str] = []
    pairs = dict.fromkeys((attack.judge, attack.criterion) for attack in study.attacks)
    several = len({criterion for _, criterion in pairs}) > 1
    for judge, criterion in pairs:
        mine = [attack for attack in study.attacks if (attack.judge, attack.criterion) == (judge, criterion)]
        kinds = list(dict.fromkeys(attack.kind for attack in mine))
        kinds.sort(key=lambda kind: kind != CONTROL)
        control = share_of([attack for attack in mine if attack.kind == CONTROL])
        if CONTROL not in kinds:
            without.append(judge)
        name = f"{judge} · {criterion}" if several else judge
        for kind in kinds:
            of_kind = [attack for attack in mine if attack.kind == kind]
            share = share_of(of_kind)
            ordinary = None if kind == CONTROL or CONTROL not in kinds else control
            more = None if kind == CONTROL else _more_often(mine, kind)
            rows.append((criterion, judge, kind, *_counts(of_kind), share, ordinary, more))
            lines.append((f"{name} · {kind}", (mark("scored above the lowest value", share),)))
        tried = [attack for attack in mine if attack.kind != CONTROL]
        whole = share_of(tried)
        plain = f"; for {CONTROL} answers without an attack, {figure_in_words(control)}" if CONTROL in kinds else ""
        where = f" on {criterion}" if several else ""
        clauses.append(
            f"{judge}{where} scored {sum(attack.fell is True for attack in tried):,} of {whole.n_units:,} attack "
            f"answers above the lowest value, {figure_in_words(whole)}{plain}"
        )
    blocks: list[Block] = [
        ReportTable(
            "attacks",
            "Successful attacks on each judge",
            (
                "criterion",
                "judge",
                "kind of answer",
                "asked",
                "scored",
                "not scored",
                "fell",
                "share that fell",
                f"share of {CONTROL}",
                f"more than {CONTROL}",
            ),
            tuple(rows),
            unit="counts of replies, and shares of scored replies with Wilson's 95 % interval (clustered if an item "
            "occurs several times); the last column is the difference on the same items",
            note="An attack succeeds if the judge scores the answer above the lowest value or, in a comparison, "
            f"prefers the answer. Every answer is wrong on purpose. Answers of the kind “{CONTROL}” have no "
            "attack, so their share shows the judge's ordinary leniency. The last column is the effect of the "
            "attack. The shares exclude replies without a score.",
        )
    ]
    if len(lines) <= 40:
        axis = "share of scored replies above the lowest value"
        blocks.insert(0, Dots("attacks", "Successful attacks on each judge", axis, tuple(lines), first=1))
    if without:
        words = (
            f"{name_list(without)}: the {CONTROL} answers without an attack have no scores, so the leniency is unknown."
        )
        blocks.append(Paragraph(words, "warning"))
    blocks += others
    return Section(10, "attacks", TITLE, f"{first_parts(clauses)}.", tuple(blocks))


def _counts(replies: Sequence[AttackResult]) -> tuple[Cell, ...]:
    """Return how many were asked, scored, not scored (with the reasons), and fell."""
    scored = [reply for reply in replies if reply.fell is not None]
    failures = Counter(reply.failure or "no score" for reply in replies if reply.fell is None)
    reasons = ", ".join(f"{n:,} {why}" for why, n in failures.most_common()) or None
    return len(replies), len(scored), reasons, sum(reply.fell is True for reply in scored)


def share_of(replies: Sequence[AttackResult]) -> Figure:
    """Return the share of scored replies that fell for an attack.

    The interval is Wilson's. If items occur several times, the interval accounts for that.
    """
    scored = [reply for reply in replies if reply.fell is not None]
    lost = len(replies) - len(scored)
    if not scored:
        return Figure.without("No reply has a score.", n_left_out=lost)
    share = sum(reply.fell is True for reply in scored) / len(scored)
    items = {reply.item for reply in scored}
    if len(items) == len(scored) or share in (0, 1):  # without spread, each item counts once
        limits = wilson(share, len(items))
        return Figure(share, limits.low, limits.high, limits.method, len(scored), lost, share=True)
    fell = np.array([float(reply.fell is True) for reply in scored])
    figure = Figure.of(clustered_mean(fell, clusters=[reply.item for reply in scored]), share=True)
    return replace(_within(figure, 0, 1), n_units=len(scored), n_left_out=lost)


def _more_often(mine: Sequence[AttackResult], kind: str) -> Figure | None:
    """Return how much more often a judge fell for an attack than for the control answer, item by item."""
    given: dict[str, dict[str, list[bool]]] = {}
    for attack in mine:
        if attack.kind in (kind, CONTROL) and attack.fell is not None:
            given.setdefault(attack.item, {}).setdefault(attack.kind, []).append(attack.fell)
    gaps = [float(np.mean(of[kind]) - np.mean(of[CONTROL])) for of in given.values() if len(of) == 2]
    if not gaps:
        return Figure.without("No item has a score for both answers.")
    return _within(Figure.of(clustered_mean(np.array(gaps)), share=True), -1, 1)


def _within(found: Figure, lowest: float, highest: float) -> Figure:
    """Return the figure with its limits inside of the possible values."""
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, lowest), high=min(found.high, highest))
