"""The page Variants: a lead chooses which labels pair items, and sees the numbers of the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.roles import Role
from extensions.variants import item_pairs
from media.store import MediaStore
from testkit.factories import make_person
from tests.app.screens import drawn, part, rows, until_done, words
from tests.workflow.test_results import filled
from workflow.files.import_files import import_files
from workflow.results import project_answers

pytestmark = pytest.mark.thorough


def test_a_lead_pairs_items_by_labels(store: Store, home: Path, tmp_path: Path) -> None:
    filled(store)
    make_person(store, "lea", role=Role.LEAD, stages=[])
    names = [item.name for item in project_answers.read_project(store, person=None, project="p").items.values()]
    labels = tmp_path / "labels.csv"
    lines = [f"{name},{at // 2},{('no', 'with')[at % 2]}\n" for at, name in enumerate(names)]
    labels.write_text("item,pair,marks\n" + "".join(lines), encoding="utf-8")
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="labels", path=labels)
    page = drawn(store, home, "variants", "lea", project="p", show=["scores-0", "scores-1", "scores-2"])  # type: ignore[arg-type]
    assert "Choose the field that both items of a pair share" in words(page)
    page.selectbox(key="variants.pair.p").select("pair")
    page.selectbox(key="variants.variant.p").select("marks").run()
    until_done()
    page.run()
    told = item_pairs.of_project(store, project="p", pair="pair", variant="marks")
    assert "After Holm's correction, none of 2 tested differences is significant." in part(page, "finding")
    assert part(page, "counted").startswith("Counted: ")
    assert all(title in words(page) for title in told)
    assert [row["Model"] for row in rows(page, "Variants")] == [each.model for lot in told.values() for each in lot]
    assert {row["Variants"] for row in rows(page, "Variants")} == {"with less no"}
    page.selectbox(key="variants.variant.p").select("answer").run()
    until_done()
    page.run()
    assert "no items are variants of each other" in words(page)
