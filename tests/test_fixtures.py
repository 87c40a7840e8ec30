"""The servers that other tests lean on do start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from testkit import postgres

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


@pytest.mark.postgres
def test_a_database_of_postgresql_is_lent_again_only_as_the_template_is(postgres_cluster: postgres.Cluster) -> None:
    import psycopg

    def connected(name: str) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=str(postgres_cluster.folder), user=postgres.SUPERUSER, dbname=name, autocommit=True)

    template = postgres_cluster.create()
    with connected(template) as connection:
        connection.execute("CREATE TABLE word (id serial PRIMARY KEY, said text)")
        connection.execute("CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$")
        connection.execute("CREATE TRIGGER stays BEFORE DELETE ON word FOR EACH ROW EXECUTE FUNCTION never()")
    first = postgres_cluster.lend(template)
    with connected(first) as connection:
        connection.execute("INSERT INTO word (said) VALUES ('one'), ('two')")
    postgres_cluster.give_back(first, template)

    again = postgres_cluster.lend(template)
    assert again == first
    with connected(again) as connection:
        assert connection.execute("SELECT count(*) FROM word").fetchall() == [(0,)]
        assert connection.execute("INSERT INTO word (said) VALUES ('new') RETURNING id").fetchall() == [(1,)]
        connection.execute("ALTER TABLE word DISABLE TRIGGER stays")
    postgres_cluster.give_back(again, template)

    third = postgres_cluster.lend(template)
    assert third != first, "its trigger was switched off"
    with connected(third):
        postgres_cluster.give_back(third, template)
    fourth = postgres_cluster.lend(template)
    assert fourth != third, "somebody was still connected"
    for name in (fourth, template):
        postgres_cluster.drop(name)


@pytest.mark.browser
def test_the_browser_shows_a_page(browser_page: Page) -> None:
    browser_page.set_content("<h1>hello</h1>")
    assert browser_page.get_by_role("heading").inner_text() == "hello"
    assert browser_page.viewport_size == {"width": 1280, "height": 800}
