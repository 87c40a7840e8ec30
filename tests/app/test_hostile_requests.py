"""Requests that no page of ours sends: every address answers them with a sentence and a status below 500."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.routes.work import ACTIONS, added_actions
from db.engine import Store
from domain.records import TaskView
from domain.states import Stage
from tests.app.asgi import Reply, call_all
from tests.app.homes import Home, make_home
from tests.app.without_streamlit import application, session
from workflow.access import accounts
from workflow.annotate import claims, image_pool, submissions

pytestmark = pytest.mark.thorough

DEEP = "@deep@"
HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**399, float("inf"), 1e308, "", "a", "9" * 400, "\u202e\ud7ff\uffff", "x" * 20_000,
    [], [[]], ["a", 1, None, {}], {}, {"a": {"b": []}}, {"": None}, [{}] * 50, DEEP,
)  # fmt: skip
"""Instead of a value. Infinity is written as 1e999, JSON that reads as no number; DEEP as 900 lists in lists."""

SENT: Mapping[str, Mapping[str, Any]] = {
    "comments": {"task": "TASK"},
    "comment": {"task": "TASK", "key": "k", "text": "words", "reply_to": None, "early": False},
    "draft": {"task": "TASK", "seq": 1, "values": {"values": {}}},
    "submit": {
        "task": "TASK", "key": "k", "values": {"question": "?", "answer": "!"}, "reasons": {}, "note": "",
        "seconds": 1.0, "field_seconds": {"question": 1.0}, "guideline": None,
    },
    "undo": {"project": "tiny", "stage": "authoring"},
    "release": {"task": "TASK"},
    "postpone": {"task": "TASK"},
    "pick": {"project": "tiny", "dimension": "counting", "assets": ["nonsense"]},
    "heartbeat": {"task": "TASK"},
    "keys": {"stage": "authoring", "keys": {"1": "y"}},
    "guideline_seen": {"project": "tiny", "number": 1},
    "wording": {"project": "tiny", "stage": "authoring", "values": {"question": "?", "answer": "!"}},
    "form_check": {"text": "name: x", "guideline": "", "revision": 0, "save": False, "draft": "", "edits": []},
    "form_open": {"published": "pca_bench"},
    "form_list": {"project": "tiny"},
    "form_delete": {"draft": "no-such-draft"},
    "form_name": {"title": "New form"},
    "form_create": {"text": "name: x", "guideline": "", "draft": "", "title": "New form", "name": ""},
}  # fmt: skip
"""What a page sends to each address, so that one part of it at a time can be something else."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("hostile"), sqlite_template, pictures=3)


@pytest.fixture(scope="module")
def store(home: Home) -> Iterator[Store]:
    found = home.store()
    yield found
    found.close()


def written(value: Any) -> bytes:
    """A body, as someone would write it who does not keep to what Python's own writer knows."""
    text = json.dumps(value).replace("Infinity", "1e999")
    return text.replace(f'"{DEEP}"', "[" * 900 + "]" * 900).encode()


def changed(sent: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """``sent`` without each of its parts, and with each replaced, down to the values of the answers."""
    for name, value in sent.items():
        yield {key: sent[key] for key in sent if key != name}
        for wrong in HOSTILE:
            yield {**sent, name: wrong}
        if isinstance(value, dict) and value:
            yield from ({**sent, name: inner} for inner in changed(value))


@pytest.fixture(scope="module")
def tasks(store: Store) -> dict[str, str]:
    """A task of authoring that Ana has, and one of verification that Bo has."""
    people = {login: accounts.find_person(store, login=login) for login in ("ana", "bo")}
    for number in range(2):
        asset = image_pool.pool(store, person=people["ana"], project="tiny").assets[0].id
        task = image_pool.pick(store, person=people["ana"], project="tiny", dimension="counting", assets=[asset])
        if number == 0:
            submissions.submit(
                store, person=people["ana"], task=task.id, key="first", values={"question": "How many?", "answer": "2"}
            )
    vote = claims.next_task(store, person=people["bo"], project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(vote, TaskView)
    return {"ana": task.id, "bo": vote.id}


@pytest.mark.parametrize("action", sorted({*ACTIONS, *(added.name for added in added_actions())} - {"submit"}))
def test_no_body_makes_an_address_fail(action: str, store: Store, home: Home, tasks: dict[str, str]) -> None:
    """Ana authors, Bo votes: whatever stands for any part of what they send is taken or refused in words."""
    app = application(store, home)
    for login, task in tasks.items():
        sent = {name: task if value == "TASK" else value for name, value in SENT[action].items()}
        bodies = [written(body) for body in changed(sent)]
        replies = call_all(app, "POST", f"/api/{action}", bodies, headers=session(store, login))
        for body, reply in zip(bodies, replies, strict=True):
            told(reply, body)


@pytest.mark.parametrize(
    ("login", "values", "reasons"),
    [("ana", {"question": "How many?", "answer": "2"}, {}), ("bo", {"fits": "yes"}, {"fits": ""})],
)
def test_no_submission_makes_the_server_fail(
    login: str, values: dict[str, Any], reasons: dict[str, Any], store: Store, home: Home, tasks: dict[str, str]
) -> None:
    """What is taken is reopened, so that each body meets a task that waits for an answer."""
    app, headers = application(store, home), session(store, login)
    person = accounts.find_person(store, login=login)
    stage = Stage.AUTHORING if login == "ana" else Stage.VERIFICATION
    taken = 0
    for number, body in enumerate(
        changed({**SENT["submit"], "task": tasks[login], "values": values, "reasons": reasons})
    ):
        keyed = {**body, "key": f"{login}-{number}"} if body.get("key") == "k" else body
        reply = call_all(app, "POST", "/api/submit", [written(keyed)], headers=headers)[0]
        told(reply, written(keyed))
        if reply.status == 200:
            taken += 1
            submissions.undo(store, person=person, project="tiny", stage=stage)
    assert taken > 5


def told(reply: Reply, body: bytes) -> None:
    """Taken, or refused with a sentence."""
    assert reply.status < 500, (body[:300], reply.text)
    if reply.status >= 400:
        sentence = json.loads(reply.text)["error"]
        assert sentence.strip().endswith((".", "?")), (body[:300], sentence)


SUBMISSIONS = [b'{"task": "t", "key": "k", "values": {}, "seconds": ' + text + b"}" for text in (
    b'"a"', b"9" * 400, b"9" * 5000, b"1e999", b"-1e999", b"NaN", b"Infinity", b"true", b"[1]",
)]  # fmt: skip


@pytest.mark.parametrize("body", SUBMISSIONS, ids=range(len(SUBMISSIONS)))
def test_the_time_spent_has_to_be_a_number(body: bytes, store: Store, home: Home) -> None:
    reply = call_all(application(store, home), "POST", "/api/submit", [body], headers=session(store, "ana"))[0]
    assert reply.status in (400, 404, 422), reply.text
    assert json.loads(reply.text)["error"].endswith(".")


PATHS = (
    "/media/{}/original", "/media/{}/frames", "/media/x/{}", "/media-link/{}/display", "/media-link/{}/{}", "/link/{}",
    "/invite/{}", "/login?next={}", "/assets/{}", "/api/{}", "/healthz?{}",
    "/uncovered/tiny/{}", "/uncovered/{}/{}", "/uncovered/tiny/{}/{}",
)  # fmt: skip
NAMES = (
    "%00", "%ff%fe", "%ed%a0%80", "..%2f..%2fetc%2fpasswd", "x" * 3000, "a.b", "%F0%9F%98%80", "1e999", "-1", "'--",
    "W10.W10", "bnVsbA.bnVsbA",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_no_address_makes_the_server_fail(path: str, store: Store, home: Home) -> None:
    app = application(store, home)
    for headers in ({}, session(store, "ana")):
        for name in NAMES:
            reply = call_all(app, "GET", path.format(name, name), [b""], headers=headers)[0]
            assert reply.status < 500, (name, reply.text)
            assert reply.headers["x-frame-options"] == "DENY"


FORMS = (
    b"", b"login", b"login=a", b"login=a&password=b&next=//evil", b"login=%00&password=x", b"login=%ff&password=%ff",
    b"login=" + b"a" * 9000 + b"&password=" + b"b" * 9000, b"&" * 500, b"a=b&" * 50, b"login[]=a&password[]=b",
    b"login=%ED%A0%80&password=x", b"login=\xed\xa0\x80", b"name=%0a&login=%0a&password=%0a%0a%0a%0a%0a%0a%0a%0a%0a",
)  # fmt: skip


@pytest.mark.parametrize("path", ["/login", "/logout", "/link/x", "/invite/x", "/label-studio/hook"])
def test_no_form_makes_the_server_fail(path: str, store: Store, home: Home) -> None:
    app = application(store, home, TOUCHSTONE_LABEL_STUDIO_HOOK="a secret of enough letters")
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "application/json", ""):
        headers = {"content-type": kind, "origin": "http://127.0.0.1:8501"}
        for reply in call_all(app, "POST", path, FORMS, headers=headers):
            assert reply.status < 500, reply.text
