"""A refused change leaves one line in the log, however often it is sent again; and names are no Markdown."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from app import markup
from app.routes import replies
from app.routes.replies import Refusals
from domain.errors import BadRequestError, ConflictError, DatabaseUnavailableError
from tests.app.asgi import call_all
from tests.app.homes import make_home
from tests.app.without_streamlit import application, session


def test_the_same_refusal_again_is_counted_and_not_written(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    refusals = Refusals(clock=lambda: now[0])
    for _ in range(100):
        refusals.note("/api/submit", 7, DatabaseUnavailableError("The disk\nof the database is full."))
    refusals.note("/api/submit", 7, ConflictError("You have submitted this task already."))
    refusals.note("/api/submit", 8, ConflictError("You have submitted this task already."))
    now[0] = 61.0
    refusals.note("/api/submit", 7, DatabaseUnavailableError("The disk of the database is full."))
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 4
    assert lines[0] == "Refused /api/submit of person 7 with 503: 'The disk\\nof the database is full.'"
    assert lines[3].endswith("(refused before: 99)")
    bounded = Refusals(most=10)
    for person in range(1000):
        bounded.note("/api/submit", person, BadRequestError("No."))
    assert len(bounded._seen) <= 10


def test_a_refused_request_is_in_the_log(
    tmp_path: Path, sqlite_template: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "REFUSALS", Refusals())  # what other tests were refused is not counted here
    home = make_home(tmp_path, sqlite_template, pictures=0)
    store = home.store()
    headers = session(store, "ana")
    with caplog.at_level(logging.WARNING, "touchstone"):
        call_all(application(store, home), "POST", "/api/heartbeat", [b"[]"] * 5, headers=headers)
        call_all(application(store, home), "GET", "/media/x/original", [b""], headers=headers)
    assert [record.getMessage().split(" of ")[0] for record in caplog.records] == ["Refused /api/heartbeat"]
    store.close()


@pytest.mark.parametrize(
    "name", ["**bold**", "[x](http://evil)", "$x$ :red[y] <b>", "`a` _b_ ~c~ # d", "1. e", "![i](/x)"]
)
def test_a_name_is_shown_as_it_is_written(name: str) -> None:
    """Every sign that Markdown reads stands behind a backslash, and nothing else is changed."""
    label = markup.label(name)
    assert label.replace("\\", "") == name
    assert all(label[at - 1] == "\\" for at, sign in enumerate(label) if sign in "*_`[]()#!$:<~.")
