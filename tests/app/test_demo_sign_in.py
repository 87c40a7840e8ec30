"""The demo's people sign in without a password: on this machine, in a demo, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.markup import count
from app.serving import demo_people
from app.serving.demo_people import DemoOffer, DemoRole
from db.engine import Store, open_store
from domain.roles import Role
from domain.states import Stage
from tests.app.asgi import Reply, at_once
from tests.app.homes import Home
from tests.app.without_streamlit import application
from workflow.access import accounts, memberships, projects

VERIFIER = DemoRole(
    "vera", "Verifier", "Decide", "/verify", Stage.VERIFICATION, lambda n: count(n, "item waits", "items wait")
)
LEAD = DemoRole("lea", "Lead", "Release", "/dashboard", None, lambda n: count(n, "item kept", "items kept"))
OFFER = DemoOffer("tiny", [VERIFIER, LEAD], frozenset({"vera", "lea"}))
FORM = {"content-type": "application/x-www-form-urlencoded", "origin": "http://127.0.0.1:8501"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A made-up project with a verifier and a lead, who have no password."""
    store = open_store(None, tmp_path)
    store.upgrade()
    projects.create_project(store, name="tiny", loaded=load_schema(shipped()["demo"]), made_up=True)
    for login, role in (("vera", Role.ANNOTATOR), ("lea", Role.LEAD)):
        accounts.create_person(store, login=login, name=login.title())
        memberships.set_member(store, by=None, project="tiny", login=login, role=role)
    yield store
    store.close()


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_people, "_offers", [OFFER])


def ask(
    store: Store, method: str, address: str, *, login: str = "", client: str = "127.0.0.1", **headers: str
) -> Reply:
    sent = {**(FORM if method == "POST" else {}), **{name.replace("_", "-"): text for name, text in headers.items()}}
    app = application(store, Home(Path(store.engine.url.database or "").parent))
    (reply,) = at_once(app, [(method, address, f"login={login}&next=/verify".encode(), sent, client)])
    return reply


@pytest.mark.usefixtures("offered")
def test_each_person_signs_in_as_often_as_wanted(store: Store) -> None:
    shown = ask(store, "GET", "/login").text
    assert "0 items wait" in shown
    assert "0 items kept" in shown
    cookie = ""
    for login in ("vera", "lea", "vera"):  # each time out of the session before
        reply = ask(store, "POST", "/demo", login=login, cookie=cookie)
        assert (reply.status, reply.headers["location"]) == (303, "/verify")
        cookie = next(line for line in reply.headers["set-cookie"].split("\n") if line.startswith("touchstone_session"))
        cookie = cookie.partition(";")[0]
        assert f"Stay signed in as {login.title()}" in ask(store, "GET", "/demo", cookie=cookie).text


def test_a_demo_session_does_not_work_on_another_server_of_the_same_folder(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_people, "_offers", [OFFER])
    reply = ask(store, "POST", "/demo", login="lea")
    cookie = next(line for line in reply.headers["set-cookie"].split("\n") if line.startswith("touchstone_session"))
    cookie = cookie.partition(";")[0]
    assert ask(store, "GET", "/login", cookie=cookie).status == 303
    monkeypatch.setattr(demo_people, "_offers", [])
    for sent in (cookie, cookie.replace("demo.", "")):
        assert ask(store, "GET", "/login", cookie=sent).status == 200
        assert ask(store, "GET", "/logout", cookie=sent).headers["location"] == "/login"


def test_a_server_without_a_demo_offers_no_one(store: Store) -> None:
    assert "Vera" not in ask(store, "GET", "/login").text
    assert ask(store, "GET", "/demo").headers["location"] == "/login"
    assert ask(store, "POST", "/demo", login="vera").status == 404


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize(
    ("client", "headers"),
    [
        ("192.0.2.7", {}),
        ("127.0.0.1", {"x_forwarded_for": "192.0.2.7"}),
        ("127.0.0.1", {"x_forwarded_for": "127.0.0.1"}),
        ("127.0.0.1", {"x_forwarded_host": "annotate.example.org"}),
        ("127.0.0.1", {"forwarded": "for=192.0.2.7"}),
        ("127.0.0.1", {"x_envoy_external_address": "192.0.2.7"}),
        ("127.0.0.1", {"x_real_ip": "192.0.2.7"}),
        ("127.0.0.1", {"via": "1.1 proxy"}),
        ("127.0.0.1", {"cf_connecting_ip": "192.0.2.7"}),
    ],
)
def test_a_request_of_another_machine_is_offered_no_one(store: Store, client: str, headers: dict[str, str]) -> None:
    assert "Vera" not in ask(store, "GET", "/login", client=client, **headers).text
    reply = ask(store, "POST", "/demo", login="vera", client=client, **headers)
    assert reply.status == 404
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    ("version", "host", "is_ours"),
    [
        ("1.1", b"127.0.0.1:8501", True),
        ("1.1", b"localhost:8501", True),
        ("1.1", b"[::1]:8501", True),
        ("1.1", b"annotate.example.org", False),
        ("1.0", b"127.0.0.1:8501", False),  # as nginx forwards by default, without a header of its own
    ],
)
def test_a_proxy_without_headers_of_its_own_is_told_apart(version: str, host: bytes, is_ours: bool) -> None:
    scope = {"type": "http", "http_version": version, "client": ("127.0.0.1", 5), "headers": [(b"host", host)]}
    assert demo_people.is_from_this_machine(HTTPConnection(scope)) == is_ours


@pytest.mark.usefixtures("offered")
def test_only_the_demos_people_sign_in_this_way(store: Store) -> None:
    loaded = load_schema(shipped()["demo"])
    accounts.create_person(store, login="real", name="Real")
    assert ask(store, "POST", "/demo", login="real").status == 403
    projects.create_project(store, name="own", loaded=loaded, by=accounts.find_person(store, login="lea"))
    assert ask(store, "POST", "/demo", login="lea").status == 303, "a visitor's own project takes nobody away"
    memberships.set_member(store, by=None, project="own", login="real", role=Role.ANNOTATOR)
    assert ask(store, "POST", "/demo", login="lea").status == 403, "she would see what others made"
    assert "as Lea" not in ask(store, "GET", "/login").text
    accounts.set_password(store, login="vera", password="correct horse battery")
    assert ask(store, "POST", "/demo", login="vera").status == 403, "an account of someone"


@pytest.mark.usefixtures("offered")
def test_a_form_of_another_site_signs_no_one_in(store: Store) -> None:
    assert ask(store, "POST", "/demo", login="vera", origin="https://evil.example").status == 403
    assert ask(store, "POST", "/demo", login="vera", sec_fetch_site="cross-site").status == 403
