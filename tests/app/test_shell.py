"""What becomes of errors, and of text that looks like markup, wherever it is shown."""

from __future__ import annotations

import json
import logging
import re
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from streamlit.testing.v1 import AppTest

from app import markup
from app.reruns import messages, session_values
from app.routes import plain_pages
from app.routes.auth import calmly
from app.routes.replies import STATUS, answering, status_of
from domain import errors
from domain.errors import (
    InvalidInputError,
    InvalidRowsError,
    LeaseLostError,
    NotAllowedError,
    NotFoundError,
    Problem,
    SignInRequiredError,
    TouchstoneError,
)
from tests.app.asgi import call

NASTY = "<script>alert('x')</script><img src=x onerror=\"alert(1)\">"


def test_an_unexpected_error_on_a_screen_is_told_calmly_and_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    def screen() -> None:
        from app import shell

        with shell.guard():
            raise RuntimeError("the password is swordfish")

    with caplog.at_level(logging.ERROR, logger="touchstone"):
        test = AppTest.from_function(screen, default_timeout=120).run()
    assert not test.exception
    page = test.get("html")[0].proto.body
    number = re.search(r"the number ([0-9a-f]{12})", page)
    assert number
    assert "swordfish" not in page
    assert number[1] in caplog.text
    assert "swordfish" in caplog.text
    assert "Traceback" in caplog.text


def test_an_error_that_someone_can_mend_is_told_in_its_own_words() -> None:
    def screen() -> None:
        from app import shell
        from domain.errors import InvalidFileError

        with shell.guard():
            raise InvalidFileError("items.csv <b>line 3</b> has no answer.")

    page = AppTest.from_function(screen, default_timeout=120).run().get("html")[0].proto.body
    assert "items.csv &lt;b&gt;line 3&lt;/b&gt; has no answer." in page


def _answer(error: Exception, frame: object = answering) -> tuple[int, str]:
    async def endpoint(_request: Request) -> Response:
        raise error

    app = Router([Route("/x", frame(endpoint))])  # type: ignore[operator]
    reply = call(app, "GET", "/x")
    return reply.status, reply.text


def test_an_unexpected_error_of_a_route_is_told_calmly_too(caplog: pytest.LogCaptureFixture) -> None:
    for frame in (answering, calmly):
        status, text = _answer(RuntimeError("swordfish"), frame)
        assert status == 500
        assert "swordfish" not in text
        number = re.search(r"error number ([0-9a-f]{12})", text)
        assert number
        assert number[1] in caplog.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SignInRequiredError("s."), 401),
        (NotAllowedError("s."), 403),
        (NotFoundError("s."), 404),
        (LeaseLostError("s."), 409),
        (InvalidInputError([Problem("answer", "Give an answer.")]), 422),
        (TouchstoneError("s."), 400),
    ],
)
def test_each_error_has_its_status_and_keeps_its_sentence(error: TouchstoneError, status: int) -> None:
    assert _answer(error)[0] == status
    assert json.loads(_answer(error)[1])["error"] == str(error)


def test_every_error_of_ours_has_a_status() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TouchstoneError)]
    assert len(kinds) > 10
    made = {InvalidInputError: InvalidInputError([]), InvalidRowsError: InvalidRowsError(["s."], n=1, end="")}
    for kind in kinds:
        assert status_of(made.get(kind) or kind("s.")) in {status for _, status in STATUS}


def test_what_is_wrong_with_a_form_is_listed() -> None:
    problems = [Problem("question", "Write a question."), Problem("answer", "Give an answer.")]
    assert json.loads(_answer(InvalidInputError(problems))[1])["problems"] == [
        {"name": "question", "message": "Write a question."},
        {"name": "answer", "message": "Give an answer."},
    ]


def test_numbers_and_ids_have_one_way_of_being_written() -> None:
    assert [markup.decimal(value) for value in (-0.004, 0.0, -0.006, 0.126)] == ["0.00", "0.00", "-0.01", "0.13"]
    assert markup.number(12345) == "12,345"
    assert 'class="ts-mono short"' in markup.mono("2999"), "an id of four digits is not broken over two lines"
    assert 'class="ts-mono"' in markup.mono("kitchen/" * 9)


def test_text_never_becomes_markup() -> None:
    pieces = [
        markup.text(NASTY),
        markup.quiet(NASTY),
        markup.paragraph(NASTY),
        markup.notice(NASTY, style="bad"),
        markup.tag("a", markup.text(NASTY), href=NASTY, style=NASTY),
        markup.bar([("kept", NASTY, 1)], total=2),
        markup.keys_of_bar([("kept", NASTY)]),
        markup.table([(NASTY, "")], [[markup.text(NASTY)]]),
        plain_pages.page(NASTY, plain_pages.paragraph(NASTY), plain_pages.link(NASTY, NASTY)),
        plain_pages.form(NASTY, NASTY, plain_pages.Field(NASTY, NASTY, value=NASTY, hint=NASTY), hidden={NASTY: NASTY}),
    ]
    for piece in pieces:
        assert "<script>alert" not in piece
        assert "<img" not in piece
        assert not re.search(r'="[^"]*"[^\s>/]', piece), piece


def test_a_bar_is_as_long_as_what_it_shows() -> None:
    widths = re.findall(r"width:([\d.]+)%", markup.bar([("kept", "kept", 3), ("rejected", "rejected", 1)], total=8))
    assert [float(width) for width in widths] == [37.5, 12.5]
    assert "width" not in markup.bar([("kept", "kept", 0)], total=0)


def test_an_interval_is_drawn_in_its_place() -> None:
    drawn = markup.interval(0.5, 0.25, 0.75, ends=(0.0, 1.0))
    assert "left:25.00%;width:50.00%" in drawn
    assert "left:50.00%" in drawn
    assert "zero" not in drawn
    assert 'class="zero" style="left:50.00%"' in markup.interval(None, None, None, ends=(-1.0, 1.0))


def test_a_reply_of_a_route_is_never_kept_by_a_browser() -> None:
    async def endpoint(_request: Request) -> Response:
        return JSONResponse({})

    reply = call(Router([Route("/x", answering(endpoint))]), "GET", "/x")
    assert reply.headers["cache-control"] == "no-store"


def test_what_came_of_a_press_is_told_also_by_the_run_that_takes_the_place_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, kept = [100.0], dict[str, object]()
    monkeypatch.setattr(messages, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(session_values.st, "session_state", kept)
    messages.keep("people.said", "Saved.")
    now[0] += 60  # nothing was drawn meanwhile
    assert [messages.kept_message("people.said"), messages.kept_message("people.said")] == ["Saved.", "Saved."]
    now[0] += messages.STANDS_SECONDS + 1
    assert messages.kept_message("people.said") is None
    assert kept == {"touchstone.kept": {}}, "nothing of it stays"
