"""Judges that write their scores in many manners, and a count of the replies that hold a score and were lost.

The manner of a reply is drawn without a look at its scores, so a reader that prefers some scores shifts every table.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

from testkit.judge_manners import CARRIERS, MANNERS


def write_reply(dice: Random, parser: str, scores: Sequence[float], scale: Sequence[float]) -> str:
    """Return a reply with these scores: three for ``six_lines`` (action, perception, cognition), one for others."""
    low, high = min(scale), max(scale)
    carrier = dice.choice([each for each in CARRIERS if each.parser == parser])
    manner = dice.choice(MANNERS)
    spelling = dice.choice(["{:g}", "{:.1f}"])
    text = carrier.text
    for score in scores:
        said = manner.say(carrier.score.format(v=spelling.format(score)), (score - low) / (high - low), f"{high:g}")
        text = text.replace("@", said.replace("\\", "\\\\") if parser == "assessment_json" else said, 1)
    return text


def count_losses(home: Path, readable: Iterable[str]) -> int:
    """Return how many of the replies that hold a score were stored in a home without one."""
    with sqlite3.connect(home / "touchstone.db") as database:
        scored = Counter(
            text
            for (text,) in database.execute(
                "SELECT text FROM attempt WHERE id IN (SELECT attempt_id FROM judgement WHERE verdict = 'scored')"
            )
        )
    return sum((Counter(readable) - scored).values())


def readable_of(rows: Sequence[Mapping[str, object]], silent: Iterable[str]) -> list[str]:
    """Return the texts of the replies that hold a score: all but the silent ones."""
    nothing = set(silent)
    return [str(row["text"]) for row in rows if row["text"] not in nothing]
