"""A keep rule is a row: what docs/contributing.md shows holds in schemas, verdicts and lists without another edit."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from annotation_schemas import registry, shipped
from annotation_schemas.json_schema import json_schema_text
from annotation_schemas.loader import examine
from annotation_schemas.model import Keep
from domain import policies
from domain.policies import Vote, verdict
from domain.states import ItemState
from tests.planting import example
from tools import reference


@pytest.fixture
def two_thirds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example stands in the table until the test ends."""
    there: dict[str, Any] = dict(vars(policies))
    exec(compile(example("domain/policies.py"), "docs/contributing.md", "exec"), there)
    monkeypatch.setitem(policies.KEEP_RULES, "two_thirds", there["TWO_THIRDS"])  # type: ignore[arg-type]


def come_to(*values: str | None) -> ItemState:
    """Three votes on one item under the rule of two thirds."""
    votes = [Vote(rater=str(at), values={"fits": value}) for at, value in enumerate(values)]
    rule = Keep(rule="two_thirds", criterion="fits", value="yes")
    return verdict(rule, votes, raters=3, item_fields=MappingProxyType({}), adjudication=True).state


@pytest.mark.thorough
@pytest.mark.usefixtures("two_thirds")
def test_a_new_rule_is_in_schemas_verdicts_and_reference(tmp_path: Path) -> None:
    meaning = "kept if at least two thirds of the raters give the value"
    row = registry.find("keep_rule", "two_thirds")
    assert row is not None
    assert row.meaning == meaning
    assert '"two_thirds"' in json_schema_text()
    assert f"| `two_thirds` | {meaning} |" in reference.written()
    text = shipped()["egothink"].read_text(encoding="utf-8").replace("rule: unanimous,", "rule: two_thirds,")
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    shutil.copytree(shipped()["egothink"].parent / "guidelines", tmp_path / "guidelines")
    stage = examine(tmp_path / "study.yaml").loaded.schema_.stages.verification  # it is played through, too
    assert stage is not None
    assert stage.keep.rule == "two_thirds"

    assert come_to("yes", "no", "yes") is ItemState.KEPT
    assert come_to("no", "no", "yes") is ItemState.REJECTED
    assert come_to("yes", "no", None) is ItemState.IN_ADJUDICATION
    assert come_to("yes", None, "yes") is ItemState.KEPT
