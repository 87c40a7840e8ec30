"""Write losses, and agreement with its losses, as CSV files."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from agreement.losses import ROW, Losses
from agreement.summary import Result
from domain import csv_text
from workflow.results.losses import StageLosses

_COLUMNS = (
    "criterion",
    "dimension",
    "statistic",
    "name",
    "raters",
    "value",
    "low",
    "high",
    "method",
    "n_units",
    "n_raters",
    "n_left_out",
    "reason",
    "caution",
    "loss_warning",
)


def losses_as_csv(losses: Sequence[Losses], grades_left_out: int = 0) -> str:
    """Return losses with bounds, by model, dimension and value, and a row for grades left out."""
    rows = [row for loss in losses if loss.lost for row in loss.rows()]
    if grades_left_out:
        about = "imported grades of empty, missing or replaced answers"
        rows.append({**dict.fromkeys(ROW), "about": about, "by": "all", "not_readable": grades_left_out})
    return _csv(ROW, rows)


def agreement_as_csv(results: Sequence[Result], losses: StageLosses) -> str:
    """Return agreement as an unrounded CSV file with a row for each coefficient. An undefined value has a reason.

    ``loss_warning`` has the warnings of the judges whose ratings the row compares.
    """
    rows: list[dict[str, Any]] = []
    for result in results:
        args = dict(result.args)
        raters = args.pop("pair", ())
        judge = args.pop("judge", None)
        compared = [judge] if judge is not None else raters or None
        record = result.as_json()
        rows.append(
            {
                **{name: record.get(name) for name in _COLUMNS},
                "name": result.name,
                "raters": " and ".join(raters) if raters else judge,
                "loss_warning": losses.warning(result.criterion, compared) or None,
                **{name: value if isinstance(value, str) else _written(value) for name, value in args.items()},
            }
        )
    return _csv(tuple(dict.fromkeys([*_COLUMNS, *(name for row in rows for name in row)])), rows)


def _written(value: Any) -> Any:
    """Return the value of a cell. Numbers and booleans stay unchanged; other values become JSON."""
    return value if value is None or isinstance(value, int | float) else json.dumps(value, ensure_ascii=False)


def _csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv_text.DictWriter(out, columns)
    writer.writeheader()
    for row in rows:
        writer.writedict(dict.fromkeys(columns) | row)
    return out.getvalue()
