"""The key of every item, as a sheet to grade by."""

from __future__ import annotations

import io

from annotation_schemas.formats import Content, Format, Takes
from annotation_schemas.model import Schema
from domain import csv_text


def written(content: Content) -> dict[str, bytes]:
    """Return `key.csv`: `item,answer`, a line for each item."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(["item", "answer"])
    rows.writerows([item.external_id, item.fields.get("answer")] for item in content.items)
    return {"key.csv": out.getvalue().encode()}


def has_answer(schema: Schema) -> bool:
    """Return whether items have a field `answer`."""
    return any(field.name == "answer" for field in schema.item.fields)


ROWS = (
    Format("answer_sheet", "the key of every item, as CSV", Takes.ITEMS, place=90, writes=written, fits=has_answer),
)
