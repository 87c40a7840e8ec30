"""The guard around httpx passes the tests of the guard."""

from __future__ import annotations

from typing import Any

import pytest

from extensions.labelstudio import httpx_client
from net.guard import Guard, Traffic
from tests.net.test_guard import *  # noqa: F403


def over_httpx(guard: Guard, traffic: Traffic, url: str, *, seconds: float = 30.0, **more: Any) -> bytes:
    with httpx_client.client(guard, traffic, seconds=seconds) as client:
        return client.get(url, **more).content


@pytest.fixture
def ask() -> Any:
    """One request over httpx."""
    return over_httpx
