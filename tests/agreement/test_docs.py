"""Every statistic has its section in the documentation, and nothing else has."""

from __future__ import annotations

import re

from annotation_schemas import registry
from domain.statistics import summarised
from tests.paths import ROOT
from workflow.results.leaderboard import STATISTICS

PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_every_statistic_has_a_section() -> None:
    assert re.findall(r"^## `(\w+)`$", PAGE, flags=re.MULTILINE) == [*summarised(), *STATISTICS]


def test_a_schema_can_ask_for_what_is_computed() -> None:
    named = {row.name for row in registry.rows("statistic") if row.available}
    assert named == {*summarised(), *STATISTICS}


def test_the_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(code, "docs/statistics.md", "exec"), {})
