"""What a judge's reply may come to is a row: what docs/contributing.md shows is in every list without another edit."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from domain.judging import ReplyOutcome
from domain.runs import Outcome
from tests.paths import ROOT
from tests.planting import example

ASKED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from app.judging import shown
from domain.judging import ReplyOutcome, ReplyReading
from tools import reference
new = ReplyOutcome("abstained")
print(json.dumps({
    "keys": str(shown.keys({ReplyOutcome.SCORED: 3, new: 2})),
    "bar": str(shown.bar({ReplyOutcome.SCORED: 3, new: 2}, total=5)),
    "style": shown.STYLE,
    "failure": not ReplyReading(new).scored,
    "words": new.words,
    "reference": list(reference.outcomes()),
}))
"""


@pytest.mark.slow
def test_a_new_row_is_in_bars_filters_counts_and_reference(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "domain", tmp_path / "domain", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "domain" / "judging.py"
    before = "\n    SKIPPED = "
    there = file.read_text(encoding="utf-8")
    assert there.count(before) == 1
    file.write_text(there.replace(before, f"\n{example('domain/judging.py')}{before}"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ASKED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert "abstained 2" in told["keys"]
    assert "v-abstained" in told["bar"]
    assert ".v-abstained { background: #3d5a9e; }" in told["style"]
    assert told["failure"]
    assert told["words"] == "no score: abstained"
    assert "| `abstained` | The judge says that it will not choose. |" in told["reference"]


def test_what_asking_came_to_without_a_text_to_read_is_one_failure_each() -> None:
    come = {
        outcome.value: ReplyOutcome.of_asking(outcome).value for outcome in Outcome if outcome is not Outcome.ANSWERED
    }
    no_reply = ("called", "step", "unreadable", "transport_error", "no_tool_result", "tool_failed", "too_many_turns")
    assert come == {
        **dict.fromkeys((*no_reply, "failed"), "transport_error"),
        **{same: same for same in ("truncated", "empty", "only_reasoning", "refused", "skipped")},
    }
