"""Test replies that no Label Studio should give. ``extensions/labelstudio/tests/live`` uses a real server."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from domain.errors import ServiceError, ServiceUnreachableError
from extensions.labelstudio.client import Client
from extensions.labelstudio.front_end import OutgoingTask
from extensions.labelstudio.tests.test_tokens import LEGACY, personal
from extensions.labelstudio.tokens import Token
from testkit.serving import free_port
from tests.paths import ROOT

Answer = tuple[int, bytes]
ANNOTATION = {"id": 5, "completed_by": 2, "result": [], "updated_at": "2026-01-01T00:00:00Z", "lead_time": 1.5}


class ScriptedServer:
    """A server on loopback that answers with the next line of its script. The last line repeats."""

    def __init__(self) -> None:
        self.script: list[Answer | Callable[[BaseHTTPRequestHandler], None]] = []
        self.asked: list[tuple[str, str, str]] = []
        self.clients: list[Client] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                size = int(self.headers.get("content-length", 0))
                self.rfile.read(size)
                outer.asked.append((self.command, self.path.partition("?")[0], self.headers.get("authorization", "")))
                if self.path == "/api/token/refresh/" and not callable(outer.script[0]):
                    self.reply(200, json.dumps({"access": personal(kind="access")}).encode())
                    return
                line = outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                if callable(line):
                    line(self)
                else:
                    self.reply(*line)

            do_GET = do_POST = do_DELETE = _answer

            def reply(self, status: int, body: bytes, **headers: str) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def client(self, token: str = LEGACY, **more: Any) -> Client:
        made = Client(self.url, Token(token, whence="here"), **{"pauses": (0.01, 0.01), "seconds": 5.0, **more})
        self.clients.append(made)
        return made

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    running = ScriptedServer()
    yield running
    running.close()


def told(value: object) -> Answer:
    return 200, json.dumps(value).encode()


def page(*tasks: object, total: object = None) -> Answer:
    return told({"tasks": list(tasks), "total": len(tasks) if total is None else total})


TASK = {"id": 7, "data": {"touchstone": "k"}, "annotations": [ANNOTATION]}


@pytest.mark.parametrize(
    "reply",
    [
        (200, b"<html>an ordinary page</html>"),
        (200, b""),
        (200, b"[" * 100_000),
        told([]),
        told({"tasks": None, "total": 0}),
        told({"tasks": [], "total": None}),
        page("a task"),
        page({**TASK, "id": "7"}),
        page({**TASK, "id": True}),
        page({**TASK, "annotations": None}),
        page({**TASK, "annotations": [{**ANNOTATION, "id": None}]}),
        page({**TASK, "annotations": [{**ANNOTATION, "updated_at": 5}]}),
        page(TASK, TASK),
        page({**TASK, "id": 9}, TASK),
    ],
)
def test_what_is_not_label_studios_is_refused_with_a_sentence(scripted: ScriptedServer, reply: Answer) -> None:
    scripted.script = [reply]
    with pytest.raises(ServiceError) as refused:
        list(scripted.client().tasks(1))
    assert not isinstance(refused.value, ServiceUnreachableError)
    assert scripted.url in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        ([{"from_name": "a"}], ({"from_name": "a"},)),
        ([{"from_name": "a"}, 5], ({"from_name": "a"}, {"from_name": "", "to_name": "", "type": "", "value": 5})),
        ("text", ({"from_name": "", "to_name": "", "type": "", "value": "text"},)),
    ],
)
def test_one_odd_annotation_stops_no_one_elses(
    scripted: ScriptedServer, result: object, kept: Sequence[object]
) -> None:
    odd = {**ANNOTATION, "result": result, "lead_time": -1, "completed_by": {"id": 3}, "was_cancelled": True}
    scripted.script = [page({**TASK, "annotations": [odd, ANNOTATION]})]
    ((first, second),) = (task.annotations for task in scripted.client().tasks(1))
    assert (first.result, first.by, first.lead_seconds, first.cancelled) == (kept, 3, None, True)
    assert first.raw == odd
    assert (second.result, second.by, second.lead_seconds, second.cancelled) == ((), 2, 1.5, False)


def test_a_task_that_is_not_ours_has_no_key(scripted: ScriptedServer) -> None:
    scripted.script = [page({**TASK, "data": {"touchstone": 5}}, {**TASK, "id": 8, "data": "text"})]
    assert [task.key for task in scripted.client().tasks(1)] == ["", ""]


def test_a_huge_reply_is_not_read_to_its_end(scripted: ScriptedServer) -> None:
    scripted.script = [(200, b'{"tasks": [' + b" " * 3 * 2**20 + b'], "total": 0}')]
    with pytest.raises(ServiceError, match="larger than 1 MiB"):
        list(scripted.client(largest=2**20).tasks(1))
    assert list(scripted.client().tasks(1)) == []


def test_a_reply_that_trickles_in_ends_in_time(scripted: ScriptedServer) -> None:
    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(1000):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.05)

    scripted.script = [trickle]
    begun = time.monotonic()
    with pytest.raises(ServiceUnreachableError, match="in time"):
        scripted.client(seconds=0.5, pauses=()).users()
    assert time.monotonic() - begun < 25, "it trickles for fifty seconds"


def test_it_waits_and_asks_again_for_what_may_be_repeated(scripted: ScriptedServer) -> None:
    scripted.script = [(503, b""), (429, b""), told([{"id": 1, "email": "anna@example.org"}])]
    assert [user.email for user in scripted.client().users()] == ["anna@example.org"]
    assert len(scripted.asked) == 3
    scripted.script = [(503, b"")]
    with pytest.raises(ServiceUnreachableError, match="status 503"):
        scripted.client().users()
    assert len(scripted.asked) == 6


def test_what_may_have_arrived_is_not_sent_twice(scripted: ScriptedServer) -> None:
    scripted.script = [(502, b"")]
    with pytest.raises(ServiceUnreachableError):
        scripted.client().send(1, [OutgoingTask("k", {})])
    assert [method for method, _, _ in scripted.asked] == ["POST"]
    scripted.script = [(429, b""), told({"task_count": 1})]
    scripted.client().send(1, [OutgoingTask("k", {})])
    assert [method for method, _, _ in scripted.asked] == ["POST"] * 3


def test_a_connection_that_ends_without_an_answer_is_no_answer(scripted: ScriptedServer) -> None:
    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    scripted.script = [hang_up]
    with pytest.raises(ServiceUnreachableError, match="closed the connection"):
        scripted.client().send(1, [OutgoingTask("k", {})])
    assert len(scripted.asked) == 1


def test_a_project_whose_making_was_not_acknowledged_is_looked_for(scripted: ScriptedServer) -> None:
    found = {"count": 1, "results": [{"id": 4, "description": "Touchstone puts work here. [touchstone k/1]"}]}
    scripted.script = [(502, b""), told(found)]
    assert scripted.client().make_project("k/1", title="t", labeling="<View/>") == 4
    scripted.script = [(502, b""), told(found)]
    with pytest.raises(ServiceUnreachableError):
        scripted.client().make_project("k/2", title="t", labeling="<View/>")


def test_less_than_what_was_sent_is_said(scripted: ScriptedServer) -> None:
    scripted.script = [told({"task_count": 1})]
    with pytest.raises(ServiceError, match=r"sent 2 tasks .* confirmed 1"):
        scripted.client().send(1, [OutgoingTask("k", {}), OutgoingTask("l", {})])


def test_a_short_lived_token_that_is_not_taken_any_more_is_renewed_once(scripted: ScriptedServer) -> None:
    scripted.script = [told([]), (401, b"{}"), told([])]
    client = scripted.client(personal())
    client.users()
    client.users()
    paths = [path.removeprefix("/api/") for _, path, _ in scripted.asked]
    assert paths == ["token/refresh/", "users/", "users/", "token/refresh/", "users/"]
    scripted.script = [(401, b"{}")]
    with pytest.raises(ServiceError, match="refuses the token in here"):
        client.users()


@pytest.mark.parametrize("body", [b"{}", b'{"access": 5}', b"<html>"])
def test_nothing_useful_for_a_token_is_refused(scripted: ScriptedServer, body: bytes) -> None:
    scripted.script = [lambda handler: handler.reply(200, body)]  # type: ignore[attr-defined]
    with pytest.raises(ServiceError):
        scripted.client(personal()).users()


def test_a_redirect_is_not_followed(scripted: ScriptedServer) -> None:
    other = ScriptedServer()
    scripted.script = [lambda handler: handler.reply(302, b"", Location=f"{other.url}/api/users/")]  # type: ignore[attr-defined]
    other.script = [told([])]
    with pytest.raises(ServiceError, match="another address"):
        scripted.client().users()
    assert other.asked == []
    other.close()


@pytest.mark.parametrize("token", [LEGACY, personal()])
def test_no_token_gets_into_logs_or_sentences(
    scripted: ScriptedServer, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bearer = personal(kind="access")

    def repeats(handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/api/token/refresh/":
            handler.reply(200, json.dumps({"access": bearer}).encode())  # type: ignore[attr-defined]
            return
        body = json.dumps({"detail": f"no: {handler.headers['authorization']} {token} {bearer}"}).encode()
        handler.reply(400, body, X_Token=token)  # type: ignore[attr-defined]

    scripted.script = [repeats]
    client = scripted.client(token)
    with pytest.raises(ServiceError, match=r"\[token\]") as refused:
        client.users()
    shown = [caplog.text, repr(client), str(refused.value), repr(refused.value)]
    for secret in (token, bearer):
        assert not [text for text in shown if secret in text]


def test_a_server_that_is_not_there_is_said_so() -> None:
    client = Client(f"http://127.0.0.1:{free_port()}", Token(LEGACY, whence="here"), pauses=(0.01,))
    for ask in (client.users, lambda: client.send(1, [OutgoingTask("k", {})]), lambda: client.remove([1])):
        with pytest.raises(ServiceUnreachableError, match="does not answer"):
            ask()


@pytest.mark.parametrize("address", ["http://10.0.0.7:8080", "http://169.254.169.254", "http://0.0.0.0:8080"])
def test_private_addresses_are_the_operators_to_allow(address: str) -> None:
    token = Token(LEGACY, whence="here")
    with pytest.raises(ServiceError, match="TOUCHSTONE_ENDPOINTS"):
        Client(address, token)
    host = address.removeprefix("http://").partition(":")[0]
    assert Client(address, token, listed=[host]).address == address


def test_a_name_is_checked_by_what_it_stands_for() -> None:
    token = Token(LEGACY, whence="here")
    with pytest.raises(ServiceError, match="private network"):
        Client("https://labels.example.org", token, resolve=lambda host, port: ["192.168.1.5"])
    with pytest.raises(ServiceError, match="unencrypted"):
        Client("http://labels.example.org", token, resolve=lambda host, port: ["93.184.215.14"])

    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(ServiceUnreachableError, match="Touchstone found no address"):
        Client("https://labels.example.org", token, resolve=unknown)


def test_the_sdk_is_kept_out_of_the_collectors_sight_where_other_modules_are() -> None:
    code = """
import gc
import app.server
from extensions.labelstudio.client import Client
from extensions.labelstudio.tokens import Token
from domain.errors import ServiceUnreachableError

def ask():
    try:
        Client("http://127.0.0.1:%d", Token("0" * 40, whence="here"), pauses=()).users()
    except ServiceUnreachableError:
        pass

gc.collect()
gc.freeze()
ask()
gc.collect()
print(len(gc.get_objects()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code % free_port()], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert int(done.stdout) < 20_000  # the SDK alone is about 100,000
