"""`touchstone item list --only-ids`, and the commands that take what it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import opened, resources
from db.engine import Store
from domain import extensions
from domain.roles import Role
from testkit.factories import make_items, make_people, make_person, make_project
from testkit.missing_extensions import needs
from workflow.lead import item_views

pytestmark = pytest.mark.thorough


@pytest.fixture
def store(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    monkeypatch.delenv("TOUCHSTONE_DB", raising=False)
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    resources.cache_clear()
    yield opened().store
    resources.cache_clear()


@needs("commands", "bulk")
def test_ids_go_from_the_list_to_what_is_done_to_them(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 4)
    make_items(store, 2, dimension="shape")
    make_people(store, "ann", "ben")
    run = CliRunner()

    def said(*given: str, ids: str | None = None) -> str:
        done = run.invoke(cli, [*given], input=ids)
        return done.stdout if done.exit_code == 0 else f"{done.exception}"

    ids = said("item", "list", "p", "--dimension", "colour", "--only-ids", "--size", "25")
    assert ids == "colour/0\ncolour/1\ncolour/2\ncolour/3\n"
    assign = ("item", "assign", "p", "--items", "-", "--to", "ann", "--to", "ben")
    seen = said(*assign, ids=ids + "gone/9\r\ncolour/0\n")
    assert seen.splitlines()[-4:] == [
        "gone/9: No selected item has this ID.", "ann: 2", "ben: 2",
        "Preview: items that would change: 4. Items that would not change: 1. To apply the change, add --yes.",
    ]  # fmt: skip
    assert said("item", "list", "p", "--only-ids", "--voter", "ann") == ""
    assert said(*assign, "--yes", ids=ids).splitlines()[-1] == "Items changed: 4. Items not changed: 0."
    assert said(*assign, "--yes", ids=ids).splitlines()[-1] == "Items changed: 0. Items not changed: 4."
    file = tmp_path / "ids.txt"
    file.write_text(said("item", "list", "p", "--dimension", "shape", "--only-ids"), encoding="utf-8")
    priority = ("item", "prioritize", "p", "--items", str(file), "-n", "5", "--yes")
    assert said(*priority).splitlines()[-1] == "Items changed: 2. Items not changed: 0."
    assert (
        said("item", "return", "--to", "verification", "p", "--items", str(file), "--yes").splitlines()[-1]
        == "Items changed: 0. Items not changed: 2."
    )
    for text, sentence in (
        (b"", "has no item IDs. Write one ID per line."),
        (b"\xff\xfe\x00", "Use a UTF-8 text file."),
    ):
        file.write_bytes(text)
        assert sentence in said(*priority)
    assert "The standard input has no item IDs" in said(*assign, ids="")
    lea = make_person(store, "lea", role=Role.LEAD)
    make_person(store, "sen", role=Role.SENIOR)
    saved = said("item", "list", "p", "--dimension", "shape", "--size", "25", "--save-view", "Shapes", "--for-everyone")
    (link,) = (each for each in item_views.views(store, person=lea, project="p") if each.name == "Shapes")
    assert saved == f"Saved as “Shapes”: http://127.0.0.1:8501/items?project=p&view={link.id}\n"
    assert said("item", "list", "p", "--view", "shapes", "--only-ids") == "shape/4\nshape/5\n"
    assert said("item", "list", "p", "--view", link.id, "--dimension", "colour", "--only-ids") == ids
    said("item", "list", "p", "--with-author", "yes", "--save-view", "Back", "--for-everyone")
    assert said("item", "list", "p", "--view", "back", "--only-ids") == ""
    assert (
        said("item", "list", "p", "--view", "back", "--with-author", "no", "--dimension", "colour", "--only-ids") == ids
    )
    said("view", "delete", "p", "back")
    said("item", "list", "p", "--voter", "ann", "--save-view", "Ann's", "--as", "lea")
    assert link.id in said("view", "list", "p", "--as", "sen")
    assert "Ann's" in said("view", "list", "p", "--as", "lea")
    assert "Ann's" not in said("view", "list", "p") + said("view", "list", "p", "--as", "sen")
    for given, sentence in (
        (("items", "p", "--save-view", "Mine"), "Name the owner of the view with --as LOGIN"),
        (
            ("items", "p", "--save-view", "X", "--for-everyone", "--as", "sen"),
            "Only leads can save a view for everyone",
        ),
        (("items", "p", "--view", "Ann's"), 'There is no saved view "Ann\'s"'),
        (("items", "p", "--as", "ann"), "Only seniors and leads see the table of items"),
        (("views", "delete", "p", "Shapes", "--as", "sen"), "Only leads and the owner may change a shared view"),
    ):
        assert sentence in said(*given)
    assert said("view", "delete", "p", "Shapes") == "Deleted the view “Shapes”.\n"
    assert [each.name for each in item_views.views(store, person=lea, project="p")] == ["Ann's"]
    out = tmp_path / "part"
    told = said("item", "export", "p", "jsonl", "--items", "-", "--out", str(out), ids="shape/4\ncolour/3\n")
    part = "Partial export: 2 of the project's 6 items, selected for this export."
    assert told.splitlines()[-2:] == [f"Wrote 2 items in 2 files to {out}.", part]
    assert {path.name for path in out.iterdir()} == {"items.chosen-2-of-6.jsonl", "manifest.json"}
    assert "does not have these items: gone/9" in said(
        "item", "export", "p", "jsonl", "--items", "-", "--out", "x", ids="gone/9"
    )
    if not extensions.missing("commands", "gold"):
        assert "has no `gold` in its verification" in said("gold", "create", "p", "--items", "-", ids=ids)
