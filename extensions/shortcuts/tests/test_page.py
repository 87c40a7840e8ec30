"""The page Shortcuts: figures out of a process of their own, rules next to limits, a long list turned and filtered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from app.cli import cli
from app.jobs import figure_requests, processes
from app.services import resources
from db.engine import Store
from domain.roles import Role
from extensions.shortcuts.key_places import places_of
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.tests.rooms import Rooms
from extensions.shortcuts.tests.test_text_check import kept, limited
from extensions.shortcuts.text_check import TextMeasurement
from extensions.shortcuts.text_classifier import ItemScore
from extensions.shortcuts.text_shortcuts import TextShortcuts
from reports.content import Figure
from testkit.factories import make_person
from tests.app.screens import drawn, part, rows, text, until_done, words
from tests.workflow.shortcut_world import BLIND, LETTERS, N, always_b, reader, served, spec_of
from workflow.releases import set_items
from workflow.releases.text_rules import Choice
from workflow.runs import attempt_keeper, run_start
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import work

pytestmark = pytest.mark.thorough

FOLDS: Any = ["rules", "items", "models", "models-items"]
"""All folded sections of the page."""


@pytest.fixture(autouse=True)
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    monkeypatch.setattr(figure_requests, "PATIENCE_SECONDS", 0.0)
    yield
    until_done()
    processes.close()


def lead(store: Store, limits: str) -> None:
    kept(store, limited(limits), longest=True)
    make_person(store, "lea", role=Role.LEAD)


def put(store: Store, home: Path, n: int) -> None:
    """What was found, as if it had been worked out: of ``n`` items every tenth is flagged, the first ones likeliest."""
    items = []
    for at in range(n):
        choice = Choice(("a cup", "a pan"), at % 2, f"Which {at}?", f"i{at}", ("what", "where")[at % 2])
        flagged = at % 10 == 0
        reasons = ("“cup” (+1.5)",) if flagged else ()
        items.append(ItemScore(choice, 0, 1 - at / (2 * n), at % 2 if flagged else 1 - at % 2, 0.1, flagged, reasons))
    half = Figure(0.5, 0.45, 0.55, "", n, share=True)
    rules = [("Always place 1", half), *((title, half) for name, title in TITLES.items() if name != "constant")]
    places = places_of([each.choice for each in items], {})
    found = TextShortcuts("K", f"All {n:,} items.", rules, [("All", half)], 0.5, items, (), 0, places)
    place = figure_requests._slot(store, "shortcuts", {"project": "p", "items": None})
    state = set_items.mark(store, by=None, project="p")
    figure_requests._remember(place, figure_requests.Figure(TextMeasurement(found), state, datetime.now(UTC), 1.0))


def address_in(page: AppTest, name: str) -> str:
    """Where the link in a part of the page leads."""
    (link,) = re.findall(rf'data-part="{name}">.*?href="([^"]+)"', words(page))
    return str(link)


def items_on(page: AppTest) -> list[str]:
    return [row["Item"] for row in rows(page, "Probability of key")]


def test_the_page_fills_from_a_process_of_its_own_which_the_command_shares(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead(store, "{}")
    assert "being computed and will appear on this page" in words(
        drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    )
    assert processes.at_work()
    waiting = {row["What"]: row for row in rows(drawn(store, home, "release", "lea", project="p"), "How it stands")}
    assert (waiting["Shortcuts"]["State"], waiting["Shortcuts"]["How it stands"]) == ("Checking", "Not computed yet.")
    until_done()
    page = drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    assert "not within: Longest option 100.0 %" in part(page, "gate")
    rules = {row["Rule"]: row for row in rows(page, "Random choice")}
    assert set(rules) == set(TITLES.values())
    longest = rules["Longest option"]
    assert (longest["Right"], longest["Random choice"]) == ("100.0 %", "50.0 %")
    assert (longest["At most"], longest["How it stands"]) == ("55.0 %", "not within")
    assert rules["Shortest option"]["How it stands"] == "within"
    # six items of each dimension, of which the one has its right options in the first place, the other in the second
    assert [(row["Position 1"], row["Position 2"]) for row in rows(page, "Position 1")] == [
        ("6", "0"),
        ("0", "6"),
        ("6", "6"),
    ]
    assert "longest option" in rows(page, "Probability of key")[0]["Why"]
    line = {row["What"]: row for row in rows(drawn(store, home, "release", "lea", project="p"), "How it stands")}
    assert line["Shortcuts"]["How it stands"].startswith("Not within: Longest option 100.0 %")
    # nothing is worked out again for the command
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", store.engine.url.render_as_string(hide_password=False))
    monkeypatch.setattr(figure_requests, "worked_out", lambda *given: pytest.fail("it is kept"))
    resources.cache_clear()
    done = CliRunner().invoke(cli, ["shortcut", "check", "p"], catch_exceptions=False)
    resources.cache_clear()
    assert "Limits: not within: Longest option 100.0 %" in done.stdout


def test_a_list_of_three_thousand_is_turned_and_filtered_and_leads_to_items(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead(store, "")
    monkeypatch.setattr(figure_requests, "_begin", pytest.fail)
    put(store, home, 3000)
    page = drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    assert "The schema sets no limits" in part(page, "gate")
    assert [each.label.partition(" · ")[0] for each in page.expander] == ["**Rules**", "**Items**"]
    assert "No model has answered without images" in part(page, "no-models")
    assert part(page, "flagged").startswith("300 items of 3,000 flagged.")
    assert part(page, "count") == "1 to 50 of 300 items"
    assert items_on(page)[:2] == ["Which 0?i0", "Which 10?i10"]
    assert rows(page, "Probability of key")[1]["Why"].startswith("texts alone: “cup” (+1.5)")
    page.selectbox(key="shortcuts.show.p.True").select("every item").run()
    page.button(key="shortcuts.pager.last").click().run()
    assert part(page, "count") == "2,951 to 3,000 of 3,000 items"
    assert items_on(page)[-1] == "Which 2999?i2999"
    assert part(page, "to-items").startswith("The 50 items on this page on Items")
    page.selectbox(key="shortcuts.dimension.p").select("where").run()
    assert part(page, "count") == "1 to 50 of 1,500 items", "another list begins at its beginning"
    page.text_input(key="shortcuts.text.p").input("which 2999").run()
    assert items_on(page) == ["Which 2999?i2999"]
    assert part(page, "to-items").startswith("This item on Items")
    link = address_in(page, "to-items")
    assert parse_qs(urlsplit(link.replace("&amp;", "&")).query) == {"project": ["p"], "ids": ["i2999"]}
    page.text_input(key="shortcuts.text.p").input("zebra").run()
    assert "No item matches" in words(page)


def test_without_scikit_learn_the_page_says_what_to_install(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lead(store, "{}")
    (tmp_path / "sklearn.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    until_done()
    page = drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    assert "pip install 'scikit-learn>=1.9.1'" in text(words(page))
    line = {row["What"]: row for row in rows(drawn(store, home, "release", "lea", project="p"), "How it stands")}
    assert line["Shortcuts"]["How it stands"].startswith("Cannot be computed: ")


def arguing(number: int, options: list[str], sees: bool) -> str:
    """Knows every item with its picture, but names the same wrong option of item 7 wherever it stands."""
    return LETTERS[options.index("wrong 7 y" if number == 7 else f"right {number}")]


def test_what_models_get_right_without_images_stands_there_with_the_items(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader knows 3 of 12 items by their texts, whatever the order, and all with pictures; b names one letter."""
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(figure_requests, "_begin", lambda *given: None)  # the classifier has nothing to do with it
    rooms = Rooms(store, home, export="export:\n  shortcuts: {without_images: 0.2}\n")
    make_person(store, "lea", role=Role.LEAD)
    make_person(store, "sam", role=Role.SENIOR)
    for name, mind in (("reader", reader), ("b", always_b)):
        with served(mind) as server:
            rooms.ask(spec := spec_of(server, name), text_only=True, orders=4)
            if name == "reader":
                run = run_start.start(store, by=None, project="p", spec=spec, plan=plan_for(rooms.loaded.schema_, spec))
                work(store, run, means=rooms.means)
    assert "reader" not in words(drawn(store, home, "shortcuts", "sam", project="p"))
    page = drawn(store, home, "shortcuts", "lea", project="p", show=FOLDS)
    shown = {(row["Model"], row["Shown"]): row for row in rows(page, "Right in all orders")}
    assert list(shown) == [("reader", "with images"), ("reader", "without images"), ("b", "without images")]
    blind, letter = shown["reader", "without images"], shown["b", "without images"]
    # 0.25 ** 4 = 0.4 %; three of twelve without images, all of them with: 75 % more
    assert blind["How often right"].startswith("25.0 %")
    assert blind["Right in all orders"].startswith("25.0 %")
    assert blind["More with images"].startswith("75.0 %")
    assert (blind["Items"], blind["Orders"], blind["By chance"], blind["No reply"]) == ("12", "4", "0.4 %", "0")
    assert letter["How often right"].startswith("25.0 %")
    assert letter["Right in all orders"].startswith("0.0 %")
    assert letter["More with images"] == "no item was shown both with and without images."
    assert shown["reader", "with images"]["How often right"].startswith("100.0 %")
    assert part(page, "models-flagged").startswith(
        "3 of 12 items are answered correctly without images in every tested order of options (at least 3 orders)"
    )
    gate = (
        "not within: 3 of 12 items (25.0 %) are answered correctly without images in all orders by one model, "
        "at most 20.0 %"
    )
    assert part(page, "models-gate") == f"Release limit: {gate}."
    line = {row["What"]: row for row in rows(drawn(store, home, "release", "lea", project="p"), "How it stands")}
    found = line["Right without images"]
    assert (found["State"], found["How it stands"]) == ("Blocking", f"N{gate[1:]}.")
    known = [f"Number {at}?colour/{at}" for at in sorted(BLIND)]
    listed = rows(page, "Reason for listing")
    assert [(row["Item"], row["By chance"]) for row in listed] == [(each, "0.4 %") for each in known]
    assert listed[0]["Reason for listing"] == "reader is right without images in all 4 orders of options"
    # a reply more is another state: the page that is drawn next has it
    with served(arguing) as server:
        rooms.ask(spec_of(server, "strong"), orders=4)
    page.run()
    (strong,) = [row for row in rows(page, "Right in all orders") if row["Model"] == "strong"]
    assert strong["How often right"].startswith(f"{100 * (N - 1) / N:.1f} %")
    page.selectbox(key="shortcuts.models.list.p").select("for a second look").run()
    assert "No item is listed for a second look with these models." in words(page), "b knows none of them"
    page.multiselect(key="shortcuts.models.chosen.p").select("reader").run()
    assert [row["Item"] for row in rows(page, "Reason for listing")] == known
    page.multiselect(key="shortcuts.models.strong.p").select("strong").run()
    listed = rows(page, "Reason for listing")
    assert [row["Item"] for row in listed] == [known[0], known[1], "Number 7?colour/7", known[2]]
    said = listed[2]["Reason for listing"]
    assert "in all 4 orders of options: “wrong 7 y”What strong wroteIt saw: 1. " in said
    seen = re.findall(r"\d\. (right 7|wrong 7 \w)", said.replace("; ", ";"))
    assert seen[LETTERS.index(said[-1])] == "wrong 7 y", "the letter that it wrote is of the order that it saw"
    assert part(page, "models-to-items").startswith("These 4 items on Items")
    link = address_in(page, "models-to-items")
    named = parse_qs(urlsplit(link.replace("&amp;", "&")).query)["ids"]
    assert sorted(named) == [f"colour/{at}" for at in (1, 4, 7, 9)]
