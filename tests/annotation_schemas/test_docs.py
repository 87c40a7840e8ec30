"""The page about schemas: its examples fit, and it speaks of every stage and top-level key."""

from __future__ import annotations

import re

from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema, Stages
from domain.states import VERIFICATIONS
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")


def test_the_examples_fit() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert examples
    for example in examples:
        load_text(example, "a guideline", "docs/schemas.md")


def test_every_part_of_a_schema_is_explained() -> None:
    for name in set(Schema.model_fields) - {"name", "version", "title", "guideline"}:
        assert f"**`{name}`**" in PAGE
    assert f"up to `{VERIFICATIONS[-1]}`" in PAGE
    for stage in set(Stages.model_fields) - {*VERIFICATIONS[2:]}:
        assert f"- *{stage}*:" in PAGE
