from __future__ import annotations

import pytest

from app.session import local_path, token_of


@pytest.mark.parametrize(
    "wanted",
    ["/", "/verify", "/verify?project=egothink&dimension=object/attribute", "/dashboard#people", "/a:b"],
)
def test_a_path_of_ours_is_returned_to(wanted: str) -> None:
    assert local_path(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        "",
        "verify",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/a\\b",
        "https://evil.example/",
        "javascript:alert(1)",
        "/\tevil",
        "/\n/evil.example",
        "/ver ify",
        "/\x7f",
        "/login?next=/login",
        "/logout",
        "/link/token",
        "/invite/token",
        "/api/submit",
        "//[::1",
    ],
)
def test_anything_else_leads_to_the_start_page(wanted: str | None) -> None:
    assert local_path(wanted) == "/"


def test_a_token_that_no_session_could_have_is_not_looked_up() -> None:
    assert token_of({"touchstone_session": "abc-123"}) == "abc-123"
    assert token_of({}) is None
    assert token_of({"touchstone_session": ""}) is None
    assert token_of({"touchstone_session": "x" * 201}) is None
    assert token_of({"touchstone_session": "é"}) is None
