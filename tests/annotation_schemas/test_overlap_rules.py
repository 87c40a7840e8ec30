"""Schemas whose keep rules compare votes by overlap: what can never be is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas.loader import examine
from domain.errors import SchemaError
from testkit.missing_extensions import needs

KEPT_BY_OVERLAP = """
name: timed
version: 1
title: Timed
guideline: timed.md
dimensions: [{id: acts, title: Acts}]
item:
  assets: [{role: view, kind: image}, {role: other, kind: clip}, {role: clip, kind: clip}]
  fields:
    - {name: question, kind: text}
    - {name: span, kind: time_span, role: clip, secret_in: [verification]}
    - {name: frames, kind: time_span, role: clip, unit: frames, secret_in: [verification]}
    - {name: elsewhere, kind: time_span, secret_in: [verification]}
    - {name: words, kind: text, secret_in: [verification]}
    - {name: things, kind: boxes, options: [cup], secret_in: [verification]}
    - {name: plain, kind: boxes, secret_in: [verification]}
stages:
  verification:
    raters: 3
    criteria:
      - {name: when, kind: time_span, role: clip, prompt: When, min: 1, tolerance: {iou: 0.5}}
      - {name: where, kind: boxes, options: [cup], prompt: Where, min: 1, tolerance: {iou: 0.5}}
      - {name: fits, kind: choice, prompt: Fits, options: ["yes", "no"]}
    keep: KEEP
  adjudication: {reasons: [unclear]}
"""


@needs("kinds", "time_span")
def test_too_many_people_for_a_majority_by_overlap(tmp_path: Path) -> None:
    (tmp_path / "timed.md").write_text("# Timed\n")
    path = tmp_path / "timed.yaml"
    many = KEPT_BY_OVERLAP.replace("KEEP", "{rule: majority, criterion: when, key: span}")
    path.write_text(many.replace("raters: 3", "raters: 26"))
    with pytest.raises(SchemaError, match="at most 25 votes; ask fewer people, or use `unanimous`"):
        examine(path)
