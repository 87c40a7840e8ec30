"""Streamlit's own connections: what is for developers does nothing; uploads are for leads, and bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from app.serving import stream_filter
from app.serving.stream_filter import Streams
from domain.records import Person, SignedIn
from domain.settings import settings_from
from tests.app.asgi import _scope

LEAD, ANA = (SignedIn(Person(number, name, name.title()), csrf="c") for number, name in ((1, "lead"), (2, "ana")))


class Behind:
    """What stands behind: it notes what reaches it, reads bodies, and keeps uploads by session."""

    def __init__(self) -> None:
        self.reached: list[Any] = []
        self.kept: dict[str, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            self.reached.append(message)
            if message["type"] in ("websocket.disconnect", "http.disconnect") or "body" in message:
                break
        if scope["type"] == "http":
            self.kept[scope["path"].split("/")[3]] = len(message["body"])
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    def guarded(self, **limits: str) -> Streams:
        return Streams(
            self,
            may_upload=lambda person: person.login == "lead",
            held=lambda: self.kept,
            forget=lambda session: self.kept.pop(session) and None,
            settings=settings_from({"TOUCHSTONE_HOME": "/", **limits}, Path("/")),
        )


def _run(work: Awaitable[Any]) -> Any:
    async def whole() -> Any:
        return await work

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(whole())).result(30)


async def _visit(app: Streams, kind: str, who: SignedIn, messages: list[dict[str, Any]], **more: Any) -> list[Any]:
    sent: list[Any] = []
    scope = _scope(kind, more.pop("path", "/_stcore/stream"), more.pop("headers", None), **more)
    scope["state"] = {"signed_in": who}

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": f"{kind}.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def _message(**part: Any) -> dict[str, Any]:
    message = BackMsg()
    for name, value in part.items():
        if isinstance(value, bool):
            setattr(message, name, value)
        else:
            getattr(message, name).SetInParent()
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def test_what_is_for_developers_reaches_no_one() -> None:
    behind = Behind()
    dropped = [_message(clear_cache=True), _message(set_run_on_save=True), _message(load_git_info=True)]
    kept = [
        _message(rerun_script=None),
        _message(stop_script=True),
        {"type": "websocket.receive", "bytes": b"\xff\xff"},
    ]
    _run(_visit(behind.guarded(), "websocket", ANA, [dropped[0], kept[0], dropped[1], kept[1], dropped[2], kept[2]]))
    assert behind.reached[:-1] == kept


def test_a_file_that_is_made_when_it_is_fetched_is_asked_for() -> None:
    """What else a page can ask for this way, such as installing something, is for developers."""
    behind = Behind()
    asked, dropped = BackMsg(), BackMsg()
    asked.backend_operation_request.deferred_file.SetInParent()
    dropped.backend_operation_request.install_skills.SetInParent()
    sent = [{"type": "websocket.receive", "bytes": each.SerializeToString()} for each in (dropped, asked)]
    _run(_visit(behind.guarded(), "websocket", ANA, list(sent)))
    assert behind.reached[:-1] == sent[1:]


def _upload(app: Streams, who: SignedIn, size: int, **headers: str) -> Any:
    given = {"content-length": str(size), **headers}
    body = [{"type": "http.request", "body": b"x" * min(size, 100)}]
    return _visit(
        app, "http", who, body, path=f"/_stcore/upload_file/of-{who.person.login}/f", method="PUT", headers=given
    )


@pytest.mark.parametrize(
    ("who", "size", "headers", "status"),
    [
        (LEAD, 50, {}, 204),
        (ANA, 50, {}, 403),
        (LEAD, 2**40, {}, 413),
        (LEAD, 50, {"content-length": "many"}, 411),
        (LEAD, 50, {"content-length": ""}, 411),
    ],
)
def test_an_upload_that_is_not_taken_is_not_read(
    who: SignedIn, size: int, headers: dict[str, str], status: int
) -> None:
    behind = Behind()
    sent = _run(_upload(behind.guarded(), who, size, **headers))
    assert sent[0]["status"] == status
    assert bool(behind.reached) is (status == 204)


MB = 2**20


@pytest.mark.parametrize(
    ("limits", "in_memory", "size", "status", "told"),
    [
        ({}, {}, 1024 * MB, 204, ""),
        ({}, {}, 1025 * MB, 413, "A file can have at most 1,024 MB (TOUCHSTONE_UPLOAD_MB)"),
        ({"TOUCHSTONE_UPLOAD_MB": "3"}, {}, 4 * MB, 413, "at most 3 MB (TOUCHSTONE_UPLOAD_MB)"),
        ({"TOUCHSTONE_UPLOADS_MB": "5"}, {"of-other": 2 * MB}, 3 * MB, 204, ""),
        ({"TOUCHSTONE_UPLOADS_MB": "5"}, {"of-other": 2 * MB}, 3 * MB + 1, 413, "at most 5 MB (TOUCHSTONE_UPLOADS_MB)"),
        ({"TOUCHSTONE_PERSON_UPLOADS_MB": "5"}, {"of-other": 9 * MB}, 5 * MB, 204, ""),
        ({"TOUCHSTONE_PERSON_UPLOADS_MB": "5"}, {"of-lead": 2 * MB}, 4 * MB, 413, "(TOUCHSTONE_PERSON_UPLOADS_MB)"),
        (
            {"TOUCHSTONE_FREE_DISK_MB": "999999999"},
            {},
            1,
            507,
            "must leave 999,999,999 MB free (TOUCHSTONE_FREE_DISK_MB)",
        ),
    ],
)
def test_a_setting_moves_the_limit_of_uploads_and_the_refusal_names_both(
    limits: dict[str, str],
    in_memory: dict[str, int],
    size: int,
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    behind = Behind()
    app = behind.guarded(**limits)
    app.sessions[LEAD.person.id] = {"of-lead"}
    behind.kept.update(in_memory)
    if "TOUCHSTONE_FREE_DISK_MB" not in limits:
        monkeypatch.setattr(stream_filter.shutil, "disk_usage", lambda path: SimpleNamespace(free=2**50))
    sent = _run(_upload(app, LEAD, size))
    assert sent[0]["status"] == status
    assert told in sent[-1].get("body", b"").decode()


def test_uploads_are_forgotten_when_the_last_page_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_filter, "FORGET_SECONDS", 0.0)
    behind = Behind()
    app = behind.guarded()

    async def whole() -> list[dict[str, int]]:
        await _upload(app, LEAD, 50)
        seen = []
        app.open[LEAD.person.id] += 1  # another page of theirs is open
        await _visit(app, "websocket", LEAD, [])
        await asyncio.sleep(0)
        seen.append(dict(behind.kept))
        app.open[LEAD.person.id] -= 1
        await _visit(app, "websocket", LEAD, [])
        await asyncio.sleep(0.01)
        return [*seen, dict(behind.kept)]

    assert _run(whole()) == [{"of-lead": 50}, {}]
