"""Ids as the database gives them to the world."""

from __future__ import annotations

import secrets

import pytest

from db.types import public_id


def test_an_id_begins_with_no_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-LNLFLmISAUjgvmg", "-", "wBKo0ak4CXa7H-4L"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda n: next(drawn))
    assert public_id() == "wBKo0ak4CXa7H-4L"
