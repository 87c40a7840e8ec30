"""The studies of the papers, small: every cell of every table is what the dice say; and a wrong one is seen."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.papers.run import run
from benchmarks.studies import PAPERS, study

pytestmark = pytest.mark.thorough


def home(folder: Path, template: Path, paper: str) -> Path:
    """A home with an empty database, so that its tables need not be made."""
    made = folder / paper / "home"
    made.mkdir(parents=True)
    shutil.copyfile(template, made / "touchstone.db")
    return made


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cell_of_a_papers_tables(paper: str, tmp_path: Path, sqlite_template: Path) -> None:
    home(tmp_path, sqlite_template, paper)
    found, losses = study(paper, tmp_path, shared=None, quick=True)
    assert losses == 0
    assert [words for table in found for words in table.wrong] == []
    assert sum(table.cells for table in found) > 0


def test_a_cell_that_the_dice_do_not_say_is_wrong(tmp_path: Path, sqlite_template: Path) -> None:
    place = home(tmp_path, sqlite_template, "egoplan")
    made = import_module("benchmarks.papers.egoplan").study(tmp_path / "egoplan", shared=None, quick=True)
    models, *_, progress = made.tables
    at = next(cell for cell in models.cells if cell[1] == ("", "Acc%"))
    models.cells[at] = "0.01" if models.cells[at] != "0.01" else "0.02"
    made.tables.remove(progress)  # of which then nothing says what stands there
    wrong = [words for table in run(made, place) for words in table.wrong]
    assert len(wrong) == 2
    assert "instead of 0.0" in wrong[0]
    assert wrong[1].startswith("progress: nothing says what stands there")
