"""Test that Label Studio's requests need no session, and that no other address is open."""

from __future__ import annotations

import pytest

from tests.app.asgi import call
from tests.app.test_gate import COOKIE, _gate


@pytest.mark.parametrize(("method", "path"), [("GET", "/media-link/x/display"), ("POST", "/label-studio/hook")])
def test_what_other_tools_ask_for_needs_no_session_and_looks_none_up(method: str, path: str) -> None:
    reply = call(_gate(), method, path, headers=COOKIE)
    assert (reply.status, reply.text) == (200, "nobody")
    assert call(_gate(), method, path, headers={"host": "evil.example"}).status == 421


def test_a_page_of_another_site_cannot_send_what_other_tools_send() -> None:
    there = {"origin": "https://evil.example"}
    assert call(_gate(), "POST", "/label-studio/hook", headers=there).status == 403


@pytest.mark.parametrize("path", ["/media-link", "/media-linked/x", "/label-studio", "/label-studio/other"])
def test_next_to_them_nothing_is_open(path: str) -> None:
    assert call(_gate(), "GET", path).status == 303
