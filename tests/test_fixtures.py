"""The servers that other tests lean on do start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import postgres

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.postgres
def test_postgresql_gives_each_test_a_database(postgres_cluster: postgres.Cluster) -> None:
    import psycopg

    first = postgres_cluster.create()
    with psycopg.connect(host=str(postgres_cluster.folder), user=postgres.SUPERUSER, dbname=first) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('ß')")
    copy = postgres_cluster.create(template=first)
    with psycopg.connect(host=str(postgres_cluster.folder), user=postgres.SUPERUSER, dbname=copy) as connection:
        assert connection.execute("SELECT word FROM kept").fetchall() == [("ß",)]
    postgres_cluster.drop(copy)
    postgres_cluster.drop(first)


@pytest.mark.browser
def test_the_browser_shows_a_page(browser_page: Page) -> None:
    browser_page.set_content("<h1>hello</h1>")
    assert browser_page.get_by_role("heading").inner_text() == "hello"
    assert browser_page.viewport_size == {"width": 1280, "height": 800}
