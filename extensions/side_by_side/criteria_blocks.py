"""Criteria side by side: the grades of each model by people or by a judge, on every criterion and derived criterion.

PCA-Bench prints its scores in this form (Chen et al. 2024, Tables 1 to 3): perception, cognition and action of each
model in every domain and over all. The genuine score is next to them, so that lucky answers are visible.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain import csv_text
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.score_choices import METHODS, Scores


@dataclass(frozen=True, eq=False)
class ModelRow:
    """A model in a slice, or in all of them."""

    model: str
    part: str | None
    """The slice; None for all of them."""
    over: str
    """``answers``, or ``parts``: the mean over the slices' means."""
    lines: Mapping[str, LeaderboardLine]
    """The lines by criterion."""
    counts: Mapping[str, int]
    """The number of answers with a score of 1, by criterion, if the scores are zeros and ones."""


@dataclass(frozen=True, eq=False)
class Block:
    """The criteria as one rater scores them."""

    scores: Scores
    """The scores of the first criterion. The others differ only in their criterion."""
    criteria: Sequence[str]
    titles: Mapping[str, str]
    """The titles of slices, by label."""
    rows: Sequence[ModelRow]

    @property
    def title(self) -> str:
        """Return the name of the rater."""
        if self.scores.kind == "human":
            return "People"
        method = f", corrected by people ({METHODS[self.scores.method]})" if self.scores.method else ""
        return f"{self.scores.judge}{method}"


def blocks(boards: Sequence[SlicedScores]) -> list[Block]:
    """Return a block for each rater with two or more criteria. Scores against the key and shares of options are left
    out.
    """
    of_rater: dict[tuple[Any, ...], list[SlicedScores]] = {}
    for board in boards:
        scores = board.scores
        if scores.kind != "key" and scores.option is None:
            of_rater.setdefault((scores.kind, scores.judge, scores.method), []).append(board)
    return [_block(lot) for lot in of_rater.values() if len(lot) > 1]


def _block(boards: Sequence[SlicedScores]) -> Block:
    titles = {label: board.slicing.title(at) for board in boards for at, label in enumerate(board.slicing.labels)}
    rows = []
    for model in dict.fromkeys(model for board in boards for model in board.models):
        rows.append(_row(model, None, "answers", {_name(board): (board, board.whole.get(model)) for board in boards}))
        if any(model in board.of_parts for board in boards):
            rows.append(
                _row(model, None, "parts", {_name(board): (board, board.of_parts.get(model)) for board in boards})
            )
        for label in titles:
            cells = {
                _name(board): (board, board.cells.get((model, board.slicing.labels.index(label))))
                for board in boards
                if label in board.slicing.labels
            }
            rows.append(_row(model, label, "answers", cells))
    return Block(boards[0].scores, [_name(board) for board in boards], titles, rows)


def _name(board: SlicedScores) -> str:
    return str(board.scores.criterion)


def _row(
    model: str, part: str | None, over: str, found: Mapping[str, tuple[SlicedScores, LeaderboardLine | None]]
) -> ModelRow:
    lines = {name: line for name, (_, line) in found.items() if line is not None}
    counts = {name: n for name, line in lines.items() if (n := _count(found[name][0], line)) is not None}
    return ModelRow(model, part, over, lines, counts)


def _count(board: SlicedScores, line: LeaderboardLine) -> int | None:
    """Return the number of answers with a score of 1; None if the line does not count answers."""
    if not board.yes_no or line.over != "answers" or line.scores.kind == "corrected" or line.respondents:
        return None
    return round(line.found.value * line.found.n_units) if line.found.defined else None


# ---- files ----------------------------------------------------------------------------------------------------------


def as_rows(found: Iterable[Block]) -> list[dict[str, Any]]:
    """Return a row for each rater, model and slice, with the numbers of each criterion. None for undefined values."""
    return [
        {
            "scores": block.scores.kind,
            "judge": block.scores.judge,
            "method": METHODS[block.scores.method] if block.scores.method else None,
            "model": row.model,
            "part": row.part,
            "mean_over": row.over,
            "criteria": {name: _numbers(row, name) for name in block.criteria if name in row.lines},
        }
        for block in found
        for row in block.rows
    ]


def _numbers(row: ModelRow, name: str) -> dict[str, Any]:
    at = row.lines[name].found
    plain = {"value": at.value, "low": at.low, "high": at.high}
    return {
        "count": row.counts.get(name),
        "n": at.n_units,
        **{key: value if math.isfinite(value) else None for key, value in plain.items()},
        "left_out": at.n_left_out,
        "reason": at.reason,
    }


def as_csv(found: Iterable[Block]) -> str:
    """Return the rows as a CSV file: for every criterion its count, n, value, limits and number left out."""
    rows = as_rows(found)
    names = list(dict.fromkeys(name for row in rows for name in row["criteria"]))
    kept = ("count", "n", "value", "low", "high", "left_out")
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    first = ("scores", "judge", "method", "model", "part", "mean_over")
    writer.writerow([*first, *(f"{name}_{key}" for name in names for key in kept)])
    for row in rows:
        numbers = [row["criteria"].get(name, {}).get(key) for name in names for key in kept]
        writer.writerow([*(row[name] for name in first), *numbers])
    return out.getvalue()
