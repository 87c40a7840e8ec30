"""A guideline explains what its schema names."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema


def test_every_dimension_is_explained() -> None:
    for path in shipped().values():
        loaded = load_schema(path)
        part = loaded.guideline_text.partition("\n## Dimensions\n")[2].partition("\n## ")[0]
        for dimension in loaded.schema_.dimensions:
            assert f"### {dimension.title}\n" in part or f"**{dimension.title}**" in part, dimension.title
