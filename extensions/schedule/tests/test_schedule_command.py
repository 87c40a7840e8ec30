"""``touchstone project schedule``: stages by their ids, or by what the project calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from app.services import Resources
from db.engine import Store
from domain.errors import SettingsError
from domain.settings import Settings
from media.store import MediaStore
from testkit.factories import BLIND, make_project


def test_stages_are_named_by_id_or_title(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = BLIND.replace("RATERS", '2\n    title: "Blind vote, 1 = A"').replace("PER_SOURCE", "2")
    make_project(store, loaded=load_text(text.replace("ADJUDICATION", "none"), "", "blind"))
    shared = Resources(store, MediaStore(tmp_path / "media"), Settings(tmp_path, ""))
    monkeypatch.setattr("app.services.resources", lambda: shared)

    def run(*given: str) -> str:
        said = CliRunner().invoke(cli, ["project", "schedule", "p", *given], catch_exceptions=False)
        assert said.exit_code == 0, said.output
        return said.output

    said = run("--due", "blind vote, 1 = A=2026-12-30", "--due", "Grading=2026-12-31")
    assert "verification: 2026-12-30\ngrading: 2026-12-31\n" in said
    assert "No stage has a deadline." in run("--due", "verification=none", "--due", "grading=none")
    assert "Offered first: grading, verification" in run("--order", "Grading, verification")
    for given, told in (
        (("--due", "Voting=2026-12-30"), r"no stage 'Voting'. Choose one of .*verification \(Blind vote, 1 = A\)"),
        (("--due", "verification"), "has no date"),
    ):
        with pytest.raises(SettingsError, match=told):
            run(*given)
