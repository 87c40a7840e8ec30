"""Test the public leaderboard over HTTP: open to anyone while it is public, and cheap for people at work."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.gate import Gate
from db.engine import Store
from extensions.leaderboard import public_board as public
from extensions.leaderboard import public_page
from extensions.leaderboard.public_board import Board, Cell, Choice
from extensions.leaderboard.tests.test_entries import sent, take
from media.store import MediaStore
from testkit.egoplan import KEYS, made, record
from testkit.missing_extensions import needs
from tests.app.asgi import Reply, call
from tests.app.homes import Home
from tests.app.without_streamlit import application
from workflow.results.score_choices import Scores

pytestmark = needs("readers", "predictions")

EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
CHOICE = Choice(EVIL, f"First line\n\n{EVIL}", (Scores("key"),), entries=True, files=True)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list with a line for each request of numbers. The numbers are computed in this process."""
    asked, lines = public_page.choice_figures, []

    def counted(store: Store, settings: object, project: str, choice: Choice, *, inside: bool) -> object:
        assert not inside
        lines.append(project)
        return asked(store, settings, project, choice, inside=True)  # type: ignore[arg-type]

    monkeypatch.setattr(public_page, "choice_figures", counted)
    return lines


@pytest.fixture
def served(store: Store, tmp_path: Path, looked: list[str]) -> Iterator[Gate]:
    media = MediaStore(tmp_path / "media")
    made(store, media, tmp_path, KEYS)
    take(store, media, sent(tmp_path, KEYS[:7] + "CDC"), team=EVIL)
    return application(store, Home(tmp_path))


def get(app: Gate, path: str = "/public/p", **headers: str) -> Reply:
    return call(app, "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_it_is_there_only_while_it_is_public(store: Store, served: Gate, looked: list[str]) -> None:
    nothing = get(served)
    assert (nothing.status, "Nothing here" in nothing.text) == (404, True)
    for strange in ("no-such-project", "%00", "%ff%fe", "%C3%BC", "p%27--", "x" * 2000):
        assert get(served, f"/public/{strange}").body == nothing.body, "a stranger learns of no project"
    public.publish(store, by=None, project="p", choice=CHOICE)
    page = get(served)
    assert (page.status, page.headers["cache-control"]) == (200, "no-cache")
    assert "0.700<small>0.397 to 0.892, n 10</small>" in page.text
    assert [get(served).status for _ in range(20)] == [200] * 20
    assert get(served, if_none_match=page.headers["etag"]).status == 304
    assert call(served, "POST", "/public/p", headers={"origin": "http://127.0.0.1:8501"}).status in (401, 405)
    assert len(looked) == 1, "it is made once, however many look"
    public.withdraw(store, by=None, project="p")
    for path in ("/public/p", "/public/p/csv", "/public/p/json"):
        assert get(served, path).status == 404
        assert get(served, path, if_none_match=page.headers["etag"]).status == 404
    assert len(looked) == 1


def test_the_files_are_the_table_and_are_there_if_they_were_chosen(store: Store, served: Gate) -> None:
    public.publish(store, by=None, project="p", choice=CHOICE)
    (row,) = csv.DictReader(io.StringIO(get(served, "/public/p/csv").text))
    told = json.loads(get(served, "/public/p/json").text)
    ((number,), (column,)) = (told["rows"][0]["numbers"], told["columns"])
    assert (float(row["value"]), int(row["n"]), row["column"]) == (0.7, 10, column)
    assert (number["value"], number["n"], told["title"]) == (0.7, 10, EVIL)
    assert get(served, "/public/p/xml").status == 404
    public.publish(store, by=None, project="p", choice=replace(CHOICE, files=False))
    assert [get(served, f"/public/p/{part}").status for part in ("csv", "json")] == [404, 404]
    assert "Download" not in get(served).text


def test_every_text_is_escaped_and_nothing_else_of_the_project_is_sent(store: Store, served: Gate) -> None:
    public.publish(store, by=None, project="p", choice=CHOICE)
    replies = [get(served, f"/public/p{part}") for part in ("", "/csv", "/json")]
    assert "<img" not in replies[0].text
    assert replies[0].text.count("&lt;script&gt;alert(2)") == 4  # title twice, text, team
    assert replies[0].text.count("<script") == 1, "our own"
    item = record(3, "D")
    for reply in replies:
        for word in (item["answer"], item["question"], item["task_goal"], "golden", "P3"):
            assert word not in reply.text
        assert "set-cookie" not in reply.headers


def test_while_there_are_no_numbers_yet_the_page_says_so(
    store: Store, served: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.jobs.figure_requests import FigureState

    monkeypatch.setattr(public_page, "choice_figures", lambda *_, **__: FigureState(None, current=False))
    public.publish(store, by=None, project="p", choice=CHOICE)
    reply = get(served)
    assert (reply.status, reply.headers["retry-after"]) == (503, "5")
    assert 'http-equiv="refresh"' in reply.text


def test_two_hundred_rows() -> None:
    rows = tuple((f"model {at}", (Cell(at / 200, None, None, at), None)) for at in range(200))
    board = Board(("Accuracy", "Judge"), rows)
    page = public_page.as_html(CHOICE, board, at=datetime(2026, 5, 4, tzinfo=UTC), address="/public/p")
    assert page.count('<th scope="row">') == 200
    assert "<td>0.995<small>n 199</small></td><td>-</td>" in page
    assert len(list(csv.DictReader(io.StringIO(public_page.as_csv(board))))) == 400
