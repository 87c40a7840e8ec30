"""Signing in and out against the real server: the cookie, the forms, what is refused and in which words."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Store, open_store
from domain.roles import Role
from testkit.postgres import Cluster
from testkit.serving import Server, touchstone
from tests.app.client import Client
from workflow.access import accounts, memberships, projects, sign_in

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server for the module; Ana has an account, project ``tiny`` follows the demo's schema."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import load_schema

    home = tmp_path_factory.mktemp("sign_in") / "home"
    home.mkdir()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    accounts.create_person(store, login="ana", name="Ana <b>Reyes</b>", password=PASSWORD)
    projects.create_project(store, name="tiny", loaded=load_schema(shipped()["demo"]), title="Tiny & <small>")
    memberships.set_member(store, by=None, project="tiny", login="ana", role=Role.ANNOTATOR)
    store.close()
    server = Server(home).start()
    yield server
    server.stop()


@pytest.fixture
def client(running: Server) -> Client:
    return Client(running.url)


def _store(server: Server) -> Store:
    return open_store(None, server.home)


def test_the_start_says_where_things_are_and_the_first_admin_s_password_once(running: Server) -> None:
    said = running.output()
    assert f"Touchstone is running at {running.url}" in said
    assert str(running.home) in said
    assert "First admin: sign in as admin with this password" in said


def test_the_first_admin_can_sign_in_with_what_was_printed(running: Server) -> None:
    password = running.output().split("which Touchstone shows only once: ")[1].split()[0]
    assert len(password) >= 16
    assert Client(running.url).sign_in("admin", password).get("/").status == 200


def test_a_page_leads_through_the_form_and_back(client: Client) -> None:
    reply = client.get("/verify?project=tiny")
    assert (reply.status, reply.headers["location"]) == (303, "/login?next=/verify%3Fproject%3Dtiny")
    form = client.get(reply.headers["location"])
    assert 'name="next" value="/verify?project=tiny"' in form.text
    done = client.send_form("/login", login="ana", password=PASSWORD, next="/verify?project=tiny")
    assert (done.status, done.headers["location"]) == (303, "/verify?project=tiny")
    assert client.get("/verify?project=tiny").status == 200


def test_the_cookie_is_for_the_server_only(client: Client) -> None:
    cookie = client.send_form("/login", login="ana", password=PASSWORD).headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert cookie.startswith("touchstone_session=")
    assert {"httponly", "samesite=lax", "path=/"} <= parts


@pytest.mark.parametrize(
    "onward", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(client: Client, onward: str) -> None:
    assert client.send_form("/login", login="ana", password=PASSWORD, next=onward).headers["location"] == "/"


def test_a_wrong_password_and_an_unknown_login_are_refused_in_the_same_words(client: Client) -> None:
    wrong = client.send_form("/login", login="ana", password="not this one")
    unknown = client.send_form("/login", login="nobody", password=PASSWORD)
    assert (wrong.status, unknown.status) == (401, 401)
    assert "The login or the password is wrong" in wrong.text
    assert wrong.text.replace("ana", "nobody") == unknown.text
    assert client.cookies == {}


def test_what_someone_typed_comes_back_as_text(client: Client) -> None:
    reply = client.send_form("/login", login='"><script>alert(1)</script>', password="x")
    assert reply.status == 401
    assert "<script>alert" not in reply.text


def test_a_forged_cookie_is_worth_nothing(running: Server) -> None:
    for value in ("forged", "0" * 43, "x" * 5000, "../../etc", "%00"):
        forged = Client(running.url, cookies={"touchstone_session": value})
        assert forged.get("/").status == 303
        reply = forged.post("/api/draft", {"task": "x", "seq": 1, "values": {}})
        assert reply.status == 401
        assert "Sign in" in reply.data["error"]
        assert forged.get("/_stcore/host-config").status == 401


def test_signing_out_ends_the_session_on_the_server_too(running: Server, client: Client) -> None:
    client.sign_in("ana", PASSWORD)
    before = dict(client.cookies)
    assert client.send_form("/logout", csrf="wrong").status == 403
    assert client.send_form("/logout", csrf=client.csrf).headers["location"] == "/login"
    assert "touchstone_session" not in client.cookies
    assert Client(running.url, cookies=before).get("/").status == 303


@pytest.mark.parametrize(
    ("site", "dest", "by_itself"),
    [
        ("same-origin", "document", True),
        ("same-origin", "image", False),
        ("same-origin", "empty", False),
        ("same-origin", "iframe", False),
        ("cross-site", "document", False),
        ("none", "document", False),
        (None, None, False),
    ],
)
def test_no_get_signs_anyone_out(client: Client, site: str | None, dest: str | None, by_itself: bool) -> None:
    """As a picture in a text would be asked for, or a link; a link of ours gets a form that is sent by itself."""
    client.sign_in("ana", PASSWORD)
    headers = {"Sec_Fetch_Site": site, "Sec_Fetch_Dest": dest}
    reply = client.get("/logout", **{name: value for name, value in headers.items() if value is not None})
    assert reply.status == 200
    assert ("data-at-once" in reply.text) == by_itself
    assert client.get("/logout").status == 200, "still signed in"
    other = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"}
    assert client.ask("POST", "/logout", f"csrf={client.csrf}".encode(), other).status == 403
    assert client.get("/logout").status == 200


def test_a_form_of_another_site_is_refused(running: Server, client: Client) -> None:
    body = b"login=ana&password=x"
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"}
    assert client.ask("POST", "/login", body, headers).status == 403


def test_a_name_pointed_at_this_server_by_someone_else_is_not_answered(client: Client) -> None:
    assert client.get("/login", Host="evil.example:8501").status == 421


def test_a_sign_in_link_works_once_and_looking_at_it_uses_nothing_up(running: Server, client: Client) -> None:
    made = touchstone("person", "link", "ana", "--address", running.url, home=running.home)
    assert made.returncode == 0, made.stderr
    path = made.stdout.strip().split(running.url)[1]
    assert client.get(path).status == client.get(path).status == 200
    assert client.send_form(path).headers["location"] == "/"
    assert client.get("/").status == 200
    again = Client(running.url).send_form(path)
    assert again.status == 403
    assert "has already been used" in again.text
    assert Client(running.url).send_form("/link/forged").status == 403


def test_an_invitation_makes_one_account_that_takes_part(running: Server, client: Client) -> None:
    made = touchstone(
        "person",
        "invite",
        "tiny",
        "--role",
        "senior",
        "--dimension",
        "counting",
        "--address",
        running.url,
        home=running.home,
    )
    assert made.returncode == 0, made.stderr
    path = made.stdout.strip().removeprefix(running.url)
    form = client.get(path).text
    assert "Tiny &amp; &lt;small&gt;" in form
    short = client.send_form(path, login="eve", name="Eve", password="short")
    assert short.status == 422
    assert "at least" in short.text
    taken = client.send_form(path, login="ana", name="Eve", password=PASSWORD)
    assert taken.status == 409
    done = client.send_form(path, login="eve", name="Eve", password=PASSWORD)
    assert (done.status, done.headers["location"]) == (303, "/")
    assert client.get("/").status == 200
    assert Client(running.url).get(path).status == 404
    store = _store(running)
    eve = next(
        member
        for member in memberships.list_members(store, person=None, project="tiny")
        if member.person.login == "eve"
    )
    store.close()
    assert (eve.role, eve.dimensions) == (Role.SENIOR, ("counting",))


def test_people_are_made_and_listed_by_command(running: Server) -> None:
    made = touchstone(
        "person", "create", "bo", "--name", "Bo", "--project", "tiny", "--role", "lead", home=running.home
    )
    assert made.returncode == 0, made.stderr
    assert "/link/" in made.stdout
    listed = touchstone("person", "list", home=running.home)
    assert "bo" in listed.stdout
    assert "admin" in listed.stdout
    again = touchstone("person", "create", "bo", home=running.home)
    assert again.returncode == 1
    assert "is already in use" in again.stderr
    assert touchstone("person", "link", "nobody", home=running.home).returncode == 1


def test_a_session_survives_a_restart_and_a_killed_server(running: Server, client: Client) -> None:
    client.sign_in("ana", PASSWORD)
    running.restart()
    assert client.get("/").status == 200


def test_a_taken_port_is_said_in_a_sentence(running: Server) -> None:
    second = touchstone("serve", "--port", str(running.port), home=running.home)
    assert second.returncode == 1
    assert "is in use" in second.stderr
    assert "Traceback" not in second.stderr


def test_malformed_forms_get_a_sentence(client: Client) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": client.url}
    for body in (b"login", b"login=%00&password=x", b"\xff\xfe", b"&".join(b"a=%d" % n for n in range(30))):
        reply = client.ask("POST", "/login", body, headers)
        assert reply.status in (400, 401), (body, reply.status)
        assert "Traceback" not in reply.text
    assert client.ask("POST", "/login", b"{}", {**headers, "Content-Type": "application/json"}).status == 400
    assert client.ask("POST", "/login", b"x=" + b"y" * 2_000_000, headers).status == 413


@pytest.mark.postgres
def test_the_server_works_on_postgresql(postgres_cluster: Cluster, tmp_path: Path) -> None:
    name = postgres_cluster.create()
    home = tmp_path / "home"
    url = postgres_cluster.url(name)
    server = Server(home, TOUCHSTONE_DATABASE_URL=url).start()
    try:
        password = server.output().split("which Touchstone shows only once: ")[1].split()[0]
        client = Client(server.url).sign_in("admin", password)
        assert client.get("/").status == 200
        assert client.get("/healthz").data["database"] == "ok"
        assert not (home / "touchstone.db").exists()
        server.restart()
        assert client.get("/").status == 200
    finally:
        server.stop()
        postgres_cluster.drop(name)


def test_the_page_of_sessions_ends_other_sessions(running: Server, client: Client) -> None:
    store = _store(running)
    accounts.create_person(store, login="sam", name="Sam", password=PASSWORD)
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    client.sign_in("sam", PASSWORD)
    others = [Client(running.url).sign_in("sam", PASSWORD) for _ in range(2)]
    link = sign_in.make_sign_in_link(store, person=accounts.find_person(store, login="sam"))
    fox = Client(running.url)
    fox.ask("POST", f"/link/{link}", b"", {"Origin": running.url, "User-Agent": firefox})
    page = client.get("/sessions")
    assert page.text.count("this session") == 1
    assert page.text.count("unknown device") == 3
    ids = re.findall(r'name="id" value="(\d+)"', page.text)
    assert len(ids) == 3
    assert client.send_form("/sessions", csrf="wrong", id=ids[0]).status == 403
    assert client.send_form("/sessions", csrf=client.csrf, id="x").status == 404
    gone = client.send_form("/sessions", csrf=client.csrf, id=ids[0])  # the newest one: the browser with the link
    assert (gone.status, gone.headers["location"]) == (303, "/sessions")
    assert "Firefox on Linux" in page.text
    assert [each.get("/sessions").status for each in (fox, *others, client)] == [303, 200, 200, 200]
    client.send_form("/sessions", csrf=client.csrf)
    assert [each.get("/sessions").status for each in (*others, client)] == [303, 303, 200]
    assert client.get("/sessions?login=ana").status == 403
    assert client.post("/sessions", {}).status == 400
    store.close()


def test_the_command_lists_and_revokes_sessions(running: Server) -> None:
    store = _store(running)
    tim = accounts.create_person(store, login="tim", name="Tim")
    tokens = [sign_in.start_session(store, person=tim, device=device) for device in ("Safari on iPhone", "")]
    listed = touchstone("session", "list", "tim", home=running.home).stdout
    assert re.findall(r"tim +(\S.*?)  ", listed) == ["unknown device", "Safari on iPhone"]
    wrong = touchstone("session", "revoke", "tim", home=running.home)
    assert wrong.returncode == 1
    assert "--all" in wrong.stderr
    id = listed.splitlines()[1].split()[0]
    assert touchstone("session", "revoke", "tim", "--id", id, home=running.home).stdout == "Ended sessions: 1.\n"
    again = touchstone("session", "revoke", "tim", "--id", id, home=running.home)
    assert (again.returncode, "already ended" in again.stderr) == (1, True)
    assert [sign_in.signed_in(store, token=token) is None for token in tokens] == [True, False]
    touchstone("session", "revoke", "tim", "--all", home=running.home)
    assert touchstone("session", "list", "tim", home=running.home).stdout == "There are no open sessions.\n"
    store.close()
