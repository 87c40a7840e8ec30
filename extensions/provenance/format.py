"""The row of the format `prov`: the origins of a release's items as W3C PROV."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes
from extensions.provenance.documents import written

ROWS = (
    Format(
        "prov",
        "the origin of each item, as W3C PROV-JSON with one document per line",
        Takes.ITEMS,
        place=65,
        releases=written,
    ),
)
