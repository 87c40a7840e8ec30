"""The servers that other tests lean on do start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from testkit import browser, postgres

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


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
    assert fourth != third, "someone was still connected"
    for name in (fourth, template):
        postgres_cluster.drop(name)


@pytest.mark.browser
def test_a_browser_that_no_module_uses_leaves_the_thread_to_others(
    kept_chromium: Callable[[], AbstractContextManager[Browser]],
) -> None:
    async def word() -> str:
        return "said"

    for _ in range(2):
        assert asyncio.run(word()) == "said"
        with kept_chromium() as running, browser.window(running) as page:
            page.set_content("<h1>hello</h1>")
            assert page.get_by_role("heading").inner_text() == "hello"


@pytest.mark.browser
def test_the_browser_shows_a_page(browser_page: Page) -> None:
    browser_page.set_content("<h1>hello</h1>")
    assert browser_page.get_by_role("heading").inner_text() == "hello"
    assert browser_page.viewport_size == {"width": 1280, "height": 800}


@pytest.mark.browser
def test_a_picture_of_someone_who_has_left_is_asked_for_again(chromium: Browser) -> None:
    asked: list[str] = []

    class Pictures(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            for name, value in {"Cache-Control": "private, max-age=999, immutable", "Vary": "Cookie"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Pictures) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            for who in ("ann", "bob"):
                with browser.window(chromium) as page:
                    url = f"http://127.0.0.1:{server.server_port}/"
                    page.context.add_cookies([{"name": "touchstone_session", "value": who, "url": url}])
                    for _ in range(2):
                        page.goto(f"{url}media")
                        page.goto("about:blank")
        finally:
            server.shutdown()
    assert asked.count("/media") == 2, "each of them asked once, and then had it"


@pytest.mark.browser
def test_a_window_that_was_someones_knows_nothing_of_them(chromium: Browser) -> None:
    address = "http://127.0.0.1:9/"

    def visited(page: Page) -> Page:
        page.route(address, lambda route: route.fulfill(body="<p>hello</p>", content_type="text/html"))
        page.goto(address)
        return page

    left = """async () => [
        document.cookie, localStorage.length, sessionStorage.length, (await indexedDB.databases()).length,
        navigator.onLine, matchMedia('(prefers-color-scheme: dark)').matches,
    ]"""
    with browser.window(chromium, scheme="dark") as page:
        visited(page).evaluate(
            """() => { document.cookie = "name=ann"; localStorage.setItem("a", 1); sessionStorage.setItem("b", 1);
                       return new Promise(made => { indexedDB.open("c").onsuccess = made; }).then(() => null); }"""
        )
        first = page.context
        assert page.evaluate(left) == ["name=ann", 1, 1, 1, True, True]
        first.new_page()
        first.set_offline(True)
    with browser.window(chromium) as page, browser.window(chromium) as another:
        assert page.context is first
        assert another.context is not first
        assert visited(page).evaluate(left) == ["", 0, 0, 0, True, False]
        assert page.viewport_size == {"width": 1280, "height": 800}
        page.clock.install()
    with browser.window(chromium) as page, browser.window(chromium) as another:
        assert first not in (page.context, another.context), "its clock is not that of the world any more"


@pytest.mark.browser
def test_the_page_of_a_window_stays_unless_something_stays_on_it(chromium: Browser) -> None:
    def visited(page: Page, address: str = "http://127.0.0.1:9/") -> Page:
        page.route(f"{address}**", lambda route: route.fulfill(body="<p>hello</p>", content_type="text/html"))
        page.goto(address)
        return page

    def hello(page: Page) -> None:
        visited(page).evaluate("window.hello = 'from before'")

    def storing(page: Page) -> None:
        visited(page).evaluate("sessionStorage.setItem('mine', 1)")

    def at_two_sites(page: Page) -> None:
        storing(page)
        visited(page, "http://127.0.0.1:10/")

    def left(page: Page) -> None:
        storing(page)
        page.goto("about:blank")

    lasting: list[Callable[[Page], object]] = [
        lambda page: page.add_init_script("window.hello = 'from before'"),
        lambda page: page.expose_function("hello", lambda: None),
        lambda page: page.set_extra_http_headers({"X-Mine": "1"}),
        lambda page: page.emulate_media(color_scheme="dark"),
        lambda page: page.on("request", lambda _: None),
        lambda page: page.close(),
        at_two_sites,
        left,
    ]
    fleeting: list[Callable[[Page], object]] = [
        hello,
        storing,
        lambda page: visited(page).set_viewport_size({"width": 400, "height": 400}),
        lambda page: visited(page).set_default_timeout(1),
    ]
    for alter in (*lasting, *fleeting):
        with browser.window(chromium) as page:
            alter(page)
        with browser.window(chromium) as another:
            assert (another is page) == (alter in fleeting)
            told = visited(another).evaluate("[window.hello ?? '', sessionStorage.length, innerWidth]")
            assert told == ["", 0, 1280]
