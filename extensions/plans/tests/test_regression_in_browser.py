"""A lead reads the page Regression in a real browser: charts, tables, and another choice of what is a unit."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from extensions.plans.tests.test_regression_command import PLAN, filled
from testkit.factories import make_person
from testkit.serving import Server
from tests.e2e.people import at_desk, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_lead_reads_the_regressions_and_chooses_another_unit(server: Server, chromium: Browser) -> None:
    with opened(server) as store:
        store.upgrade()
        filled(store, server.home)
        make_person(store, "lea", project="etp", role=Role.LEAD)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/regression?project=etp&show=numbers&show=units")
        page = lea.page
        page.get_by_text("Settings · success").click()
        linear = page.locator("section#linear")
        expect(linear.locator("tbody tr").nth(1)).to_contain_text("1.000")  # worked out in test_regression_command
        expect(page.locator("section#logistic")).to_contain_text("(separation)")
        charts = page.locator(".st-key-chart-aspects svg.marks")
        expect(charts).to_be_visible()
        expect(page.locator(".st-key-chart-units svg.marks")).to_be_visible()
        aspects = page.get_by_role("combobox", name="Aspects")
        aspects.scroll_into_view_if_needed()
        lea.settled()
        aspects.fill("Type")
        lea.press("Enter", "Escape")
        lea.settled(held_ms=1500)  # other figures are worked out, and the choice is not forgotten
        expect(page.locator("[data-testid=stMultiSelect] [data-tag]")).to_have_text(["Type"])
        page.get_by_role("combobox", name="Unit").scroll_into_view_if_needed()
        lea.settled()
        page.get_by_role("combobox", name="Unit").click()
        page.get_by_role("option", name="Models", exact=True).click()
        expect(linear).to_contain_text("1 complete unit is too few for 2 coefficients.")
        expect(charts).to_have_count(0)
        page.get_by_role("combobox", name="Unit").click()
        page.get_by_role("option", name="Plans, by task").click()
        expect(charts).to_be_visible()
        success = page.get_by_role("combobox", name="Success")
        success.scroll_into_view_if_needed()  # a list that opens while the page moves closes again
        lea.settled(held_ms=1000)
        success.click()
        page.get_by_role("option", name="A file").click()
        rows = "".join(f"{PLAN}/{2 * number + 1},{won}\n" for number, won in enumerate((0, 0, 1, 0, 1, 1)))
        ran = {"name": "ran.csv", "mimeType": "text/csv", "buffer": f"item,success\n{rows}x,1\n".encode()}
        page.locator("input[type=file]").set_input_files([ran])  # type: ignore[list-item]
        expect(linear.locator("tbody tr").nth(1)).to_contain_text("-1.000")  # each success is a failure now
        expect(page.get_by_text("Left out, rows of ran.csv with an unknown item: 1.")).to_be_visible()
