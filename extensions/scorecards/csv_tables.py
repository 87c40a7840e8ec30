"""Scorecards and pay sheets as CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from domain import csv_text
from extensions.scorecards.cards import Card, Share
from extensions.scorecards.pay_sheet import Pay


def as_csv(cards: Sequence[Card]) -> str:
    """Return scorecards as a table: a line for each person and stage (``window`` 0), and one for each window.

    A missing number is empty. Each share has its n.
    """
    rows = []
    for card in cards:
        for window, score in enumerate((card.score, *card.windows)):
            row: dict[str, object] = {"login": card.login, "name": card.name, "stage": card.stage.value}
            row |= {"window": window, "submissions": score.submissions, "corrections": score.corrections}
            row |= {"active_minutes": round(score.active_minutes, 2), "untimed": score.untimed}
            row |= {"tasks_per_active_hour": _number(score.per_hour)}
            for name, share in (("peers", score.peers), ("settled", score.settled), ("skips", score.skips)):
                low, high = share.limits
                row |= {f"{name}_n": share.n, name: _number(share.value)}
                row |= {f"{name}_low": _number(low), f"{name}_high": _number(high)}
            mine = card.gold if window == 0 else Share()
            low, high = mine.limits
            row |= {"gold_n": mine.n, "gold": _number(mine.value)}
            row |= {"gold_low": _number(low), "gold_high": _number(high)}
            row |= {"qualification": "" if card.qualification is None else _number(card.qualification)}
            row |= {"last": score.last.isoformat() if score.last else ""}
            row |= {"drift": "; ".join(card.drift) if window == 0 else ""}
            rows.append(row)
    return _table(rows)


def pay_csv(lines: Sequence[Pay]) -> str:
    """Return the pay sheet as a table."""
    return _table([asdict(line) for line in lines], [*Pay.__dataclass_fields__])


def _number(value: float) -> object:
    return "" if math.isnan(value) else round(value, 4)


def _table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> str:
    out = io.StringIO(newline="")
    writer = csv_text.DictWriter(out, columns or (list(rows[0]) if rows else ["login"]))
    writer.writeheader()
    for row in rows:
        writer.writedict(row)
    return out.getvalue()
