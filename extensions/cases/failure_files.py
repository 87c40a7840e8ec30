"""The codes of models' answers as rows and as CSV files: the counts, and every coded answer."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

from domain import csv_text
from extensions.cases.coding import code_criteria
from extensions.cases.failures import Failures, codes_in

COLUMNS = ("criterion", "code", "model", "dimension", "n", "of", "share", "low", "high")


def rows(found: Failures) -> list[dict[str, Any]]:
    """Return the counts as plain values. None replaces a missing number, and the dimension of a total."""

    def plain(value: float) -> float | None:
        return None if math.isnan(value) else value

    return [
        {
            "criterion": count.criterion,
            "code": count.code,
            "model": count.model,
            "dimension": count.dimension,
            "n": count.n,
            "of": count.of,
            "share": plain(count.share),
            "low": plain(count.low),
            "high": plain(count.high),
        }
        for count in found.counts
    ]


def as_csv(found: Failures) -> str:
    """Return the counts as a CSV file with one row each."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([["" if row[name] is None else row[name] for name in COLUMNS] for row in rows(found)])
    return out.getvalue()


def answers_csv(found: Failures) -> str:
    """Return a CSV file of every coded answer: item, model, dimension, state, settled values, and each coder's codes.

    Coders have pseudonyms. Several codes are joined by `|`.
    """
    names = [criterion.name for criterion in code_criteria(found.schema)]
    coders = sorted({who for answer in found.answers for who, _, _ in answer.coders})
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    heads = [f"{name} of {who}" for who in coders for name in names]
    writer.writerow(["item", "model", "dimension", "standing", *names, *heads])
    for answer in found.answers:
        by = {who: codes for who, codes, _ in answer.coders}
        settled = [_cell(answer.values, name) for name in names]
        codes = [_cell(by.get(who, {}), name) for who in coders for name in names]
        writer.writerow([answer.name, answer.model, answer.dimension, answer.standing.value, *settled, *codes])
    return out.getvalue()


def _cell(values: Mapping[str, Any], name: str) -> str:
    return "" if name not in values else "|".join(code or "none" for code in codes_in(values[name]))
