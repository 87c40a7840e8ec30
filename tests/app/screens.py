"""Screens without a browser, drawn as the frame draws them: errors become words."""

from __future__ import annotations

import html
import re
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.jobs import processes
from app.services import Services
from db.engine import Store
from domain.settings import Settings
from media.store import MediaStore
from workflow.access import accounts


def drawn(
    store: Store, home: Path, name: str, login: str, *, settings: Settings | None = None, **query: str
) -> AppTest:
    """A screen as someone sees it at an address with such a query."""

    def screen(name, services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view(name, services)

    person = accounts.find_person(store, login=login)
    services = Services(store, MediaStore(home / "media"), settings or Settings(home, ""), person, "csrf")
    test = AppTest.from_function(screen, args=(name, services), default_timeout=120)
    for key, value in query.items():
        test.query_params[key] = value
    return test.run()


def until_done() -> None:
    """Wait until no process computes a figure and none is about to start in place of one that died."""
    while any(each.busy for each in processes._processes.there):
        time.sleep(0.02)


def words(test: AppTest) -> str:
    """All markup of ours on the page."""
    assert not test.exception
    return "\n".join(element.proto.body for element in test.get("html"))


def part(test: AppTest, name: str, **more: str) -> str:
    """What a part of the page says."""
    wanted = " ".join(f'data-{key}="{value}"' for key, value in {"part": name, **more}.items())
    found = re.search(rf"<(\w+)[^>]* {wanted}[^>]*>(.*?)</\1>", words(test), re.DOTALL)
    assert found, f"{wanted} is not on the page"
    return text(found[2])


def rows(test: AppTest, head: str) -> list[dict[str, str]]:
    """The lines of the table that has such a column, by the heads of its columns."""
    for table in re.findall(r"<table.*?</table>", words(test), re.DOTALL):
        heads = [text(each) for each in re.findall(r"<th\b[^>]*>(.*?)</th>", table, re.DOTALL)]
        if head in heads:
            lines = (re.findall(r"<td\b[^>]*>(.*?)</td>", line, re.DOTALL) for line in table.split("<tr")[1:])
            return [dict(zip(heads, map(text, line), strict=True)) for line in lines if line]
    raise AssertionError(f"no table has a column {head}")


def text(markup: str) -> str:
    """Markup as it reads."""
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).strip()
