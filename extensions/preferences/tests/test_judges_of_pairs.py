"""From votes on pairs, and a judge that is asked about the same ones, to numbers: by command, and on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from annotation_schemas.judge_templates import shipped
from app.cli import cli
from app.screens import SCREENS
from app.services import Services, resources
from db.engine import Store, open_store
from domain.errors import InvalidInputError
from domain.judging import JudgePlan
from domain.records import TaskView
from domain.roles import Role
from domain.runs import RunState
from domain.settings import Settings
from domain.states import Stage
from extensions.preferences.pair_intake import open_pairs
from extensions.preferences.report_section import pairs_section
from media.store import MediaStore
from reports.content import ReportTable
from testkit.compared_world import COMPARISON, answer, compare_all, schema
from testkit.factories import make_items, make_people, make_person, make_project
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.test_judge_runs import World, means
from workflow.runs import judge_plans


@pytest.fixture
def store(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield store
    store.close()
    resources.cache_clear()
    st.cache_resource.clear()


GRADING = """  grading:
    raters: 1
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 1]}]
"""


class Pairs(World):
    """A project in which people compare the answers of three models to five items."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        make_project(store, loaded=schema(COMPARISON + GRADING))
        self.items = make_items(store, 5, fields={"question": "What is it?"})
        for model in ("m1", "m2", "m3"):
            answer(store, self.items, model, lambda id, model=model: f"Item {id}, by {model}.")  # type: ignore[misc]
        self.means = means(store, MediaStore(folder / "media"), folder / "prepared")

    def judge(self, **chosen: object) -> JudgePlan:
        chosen = {"chosen": "compared", "pictures": False, **chosen}
        template = shipped()["better_of_two"]
        return judge_plans.plan_of_project(self.store, by=None, project="p", template=template, **chosen)


def read(text: str) -> list[tuple[int, int]]:
    """The item and the number of the model of each answer in a text, in their order."""
    return [(int(item), int(model)) for item, model in re.findall(r"Item (\d+), by m(\d)\.", text)]


def says(items: list[int]) -> object:
    """A judge that prefers the model with the smaller number; on the first item always what is shown first, and of the
    second item it has no verdict where m1 is shown first."""

    def reply(asked: Asked, number: int) -> Reply:
        (item, first), (_, second) = read(asked.text)
        if item == items[0]:
            return chat("[[A]]")
        if item == items[1] and first == 1:
            return chat("Who knows.")
        return chat("[[A]]" if first < second else "[[B]]")

    return reply


@pytest.mark.thorough
def test_people_and_a_judge_on_the_same_pairs(store: Store, tmp_path: Path) -> None:
    world = Pairs(store, tmp_path)
    make_person(store, "lea", role=Role.LEAD)
    ann, bob = make_people(store, "ann", "bob")
    assert open_pairs(store, by=None, project="p").opened == 15

    def ann_says(view: TaskView) -> dict[str, str]:
        """The smaller number; of the last item that it is a tie."""
        (item, left), (_, right) = read(" ".join(view.answers or ()))
        return {"better": "tie" if item == world.items[4] else "left" if left < right else "right"}

    def bob_says(view: TaskView) -> dict[str, str]:
        """As ann, but m3 before m2, and of the first item they cannot tell."""
        (item, left), (_, right) = read(" ".join(view.answers or ()))
        if item == world.items[0]:
            return {"better": "cannot_tell"}
        place = (1, 3, 2)
        return {"better": "left" if place[left - 1] < place[right - 1] else "right"}

    assert [compare_all(store, ann, ann_says), compare_all(store, bob, bob_says)] == [15, 15]
    with ScriptedServer(says(world.items)) as server:  # type: ignore[arg-type]
        run = world.run(server.url, world.judge(), attempts=1)
        assert world.work(run) is RunState.DONE
        assert len(server.asked) == 2 * 15

    told = json.loads(
        CliRunner().invoke(cli, ["preference", "show", "p", "--format", "json"], catch_exceptions=False).stdout
    )
    better = told["criteria"][0]
    whole = better["parts"][0]
    assert (whole["votes"], whole["pairs"], whole["raters"]) == (30, 15, 2)
    assert (whole["ties"], whole["cannot_tell"]) == (3, 3)  # ann's on the last item, bob's on the first one
    rates = {(row["model"], row["against"]): row for row in told["rows"] if row["slice"] is None}
    # m1 with m2: ann 4 won and 1 even, bob 4 won; m2 with m3: ann 4 won and 1 even, bob 4 lost
    assert [rates["m1", "m2"][name] for name in ("wins", "ties", "losses")] == [8, 1, 0]
    assert [rates["m2", "m3"][name] for name in ("wins", "ties", "losses")] == [4, 1, 4]
    assert rates["m1", None]["win_rate"] == pytest.approx((16 + 2 / 2) / 18)
    # m1 lost no vote: its strength rests on the ties of one item, which a third of all draws lack: (4/5)^5
    draws = re.fullmatch(
        r"No interval: the statistic is undefined in (\d+) of 2000 bootstrap draws of clusters\.",
        rates["m1", None]["reason"],
    )
    assert draws is not None
    assert int(draws[1]) == pytest.approx(2000 * 0.8**5, abs=4 * (2000 * 0.8**5 * (1 - 0.8**5)) ** 0.5)
    # both decided on items 2 to 5; of these 12 pairs they say the same of m1's, on 2 to 4: 6
    (share,) = (line for line in better["agreement"] if line["statistic"] == "percent_agreement")
    assert (share["value"], share["n_units"]) == (pytest.approx(6 / 12), 12)
    # Most people: item 1 as ann; items 2 to 4 m1 wins twice, and m2 with m3 is one against one; item 5 as bob (ann's
    # ties weigh nothing). The judge: item 1 by place in all 3; item 2 without a verdict on m1's 2 pairs, and m2; items
    # 3 to 5 m1, m1, m2. The same: 0 of 3 on item 1; of item 2 0 of 1 (tie); of items 3 and 4 2 of 3; of item 5 2 of 3.
    (judge,) = better["judges"]
    assert (judge["pairs"], judge["by_place"], judge["without_verdict"], judge["not_asked"]) == (13, 3, 2, 0)
    assert judge["same"]["share"] == pytest.approx(6 / 13)
    # both prefer one: 2 pairs on each of items 3 and 4, and 3 on item 5, of which one is another
    decided = judge["same_where_both_prefer_one"]
    assert (decided["n"], decided["share"]) == (7, pytest.approx(6 / 7))
    assert in_a_report(store) == [
        ("better", judge["judge"], 13, pytest.approx(6 / 13), pytest.approx(judge["kappa"]["kappa"]), 3, 2, 0)
    ]
    table = CliRunner().invoke(cli, ["preference", "show", "p"], catch_exceptions=False).stdout
    assert re.search(r"m1 +all others +16 +2 +0 +0\.944 ", table)
    assert "  Strengths: No interval: the statistic is undefined in" in table

    if "calibration" in SCREENS:
        assert 'href="/preferences?project=p"' in shown(store, tmp_path, "calibration")
    # m1 before m2, m1 before m3 and m2 before m3, on four items in both orders but for two replies without a verdict;
    # on the first item once each
    told = shown(store, tmp_path, "judges", run=run)
    assert "the first model in alphabetical order is better: 25" in told
    assert "the other model is better: 3" in told
    page = shown(store, tmp_path, "preferences", show="downloads")
    assert {"Rates and strengths as CSV", "All numbers as JSON"} <= set(re.findall(r"<download>(.*?)<", page))
    page = shown(store, tmp_path, "preferences", show="better")
    for part, cells in (("strengths", 3), ("matrix", 6), ("judges", 3)):
        (drawn,) = re.findall(rf'data-part="{part}".*?</table>', page, flags=re.DOTALL)
        assert drawn.count("ts-heat") == cells
    assert "30 votes on 15 pairs of 5 items by 2 people" in page
    assert "Strengths: No interval: the statistic is undefined in" in page


def in_a_report(store: Store) -> list[tuple[object, ...]]:
    """What a calibration report about grades has in its section about pairs."""
    section = pairs_section(store, person=None, project="p", stage=Stage.GRADING, items=None)
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, ReportTable)
    return [
        (criterion, judge, n, same.value, kappa.value, *counts)  # type: ignore[union-attr]
        for criterion, judge, n, same, kappa, _, *counts in table.rows
    ]


def shown(store: Store, home: Path, name: str, **query: str) -> str:
    """A page as a lead sees it, with its files."""
    from workflow.access import accounts

    def screen(name, services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view(name, services)

    lea = accounts.find_person(store, login="lea")
    services = Services(store, MediaStore(home / "media"), Settings(home, ""), lea, "csrf")
    test = AppTest.from_function(screen, args=(name, services), default_timeout=120)
    for key, value in {"project": "p", **query}.items():
        test.query_params[key] = value
    test.run()
    assert not test.exception
    drawn = "\n".join(element.proto.body for element in test.get("html"))
    assert "An internal error occurred" not in drawn
    return drawn + "".join(f"<download>{button.proto.label}<" for button in test.get("download_button"))


def test_what_does_not_fit_is_said_before_anyone_is_asked(store: Store, tmp_path: Path) -> None:
    world = Pairs(store, tmp_path)
    for chosen, why in (
        ({"baseline": "m1"}, "The schema sets the models that people compare"),
        ({"models": ("m1",)}, "The schema sets the models that people compare"),
        ({"criteria": {"score": "better"}}, "stored as `preference`"),
        ({"chosen": "all"}, "or judge the pairs that people compare"),
    ):
        with pytest.raises(InvalidInputError, match=re.escape(why)):
            world.judge(**chosen)
    make_project(store, name="plain")
    done = CliRunner().invoke(cli, ["preference", "show", "plain"])
    assert "has no stage `comparison`" in str(done.exception)
