"""Numbers of metrics and judges of pairs, in the report on judges: by commands, as other extensions make them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from testkit.factories import make_fields, make_items, make_predictions, make_project
from testkit.missing_extensions import needs
from workflow.results.ratings_from_files import import_ratings

pytestmark = pytest.mark.thorough


@needs("readers", "ratings")
@needs("commands", "metric")
def test_numbers_of_a_metric_have_a_scale_of_their_own(of_commands: Path) -> None:
    """The schema's scale of the criterion is ordinal: 0, 0.5, 1."""
    store = resources().store
    make_project(store)
    ids = make_items(store, 4, fields=make_fields(options=["the red cup", "blue"], answer="the red cup"))
    make_predictions(store, ids, models=["m"])
    path = of_commands / "people.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["unit", "rater", "criterion", "value"])
        rows.writerows([f"colour/{at} · m", who, "score", at % 2] for at in range(4) for who in ("ann", "bob"))
    import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)
    out = of_commands / "report"
    metric = ["metric", "run", "p", "--metric", "rouge_l"]
    report = ["calibration", "run", "--project", "p", "--human", "ann,bob", "--vouch", "ann,bob", "--out", str(out)]
    for command in (metric, [*report, "--judge", "rouge_l against answer"]):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert told["judges"] == ["rouge_l against answer"]
    assert told["settings"]["scales"]["score"][0] == "interval"
