"""The row of the format `prov`: the origins of a release's items as W3C PROV."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes
from extensions.provenance.documents import written

ROWS = (
    Format(
        "prov",
        "where each item comes from, W3C PROV-JSON, one document per line",
        Takes.ITEMS,
        place=65,
        releases=written,
    ),
)
