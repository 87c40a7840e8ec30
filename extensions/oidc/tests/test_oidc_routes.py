"""From the sign-in page to the provider and back: what signs in, and what is refused, on which page."""

from __future__ import annotations

import base64
import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlmodel import select

from app.gate import Gate, Hosts, OwnRoutes, content_policy
from app.routes import auth
from app.services import Resources
from db.engine import Store
from db.tables import EventRow, IdentityRow, PersonRow, SessionRow
from domain.settings import Settings
from extensions.oidc import oidc_routes, provider
from extensions.oidc.settings import OidcSettings
from extensions.oidc.tests.scripted_provider import OTHER_KEY, SECRET, ScriptedProvider, running
from media.store import MediaStore
from tests.app.asgi import Reply, call
from workflow.access import accounts, sign_in

pytestmark = pytest.mark.thorough


@pytest.fixture
def scripted() -> Iterator[ScriptedProvider]:
    with running() as made:
        yield made


def _resources(store: Store, home: Path, scripted: ScriptedProvider, **more: str) -> Resources:
    own = OidcSettings(
        **{
            "oidc_issuer": scripted.url,
            "oidc_client_id": "touchstone",
            "oidc_client_secret": SECRET,
            "oidc_accounts": "all",
            **more,
        }
    )
    own.check()
    settings = Settings(home=home, database_url="sqlite:///x", of_extensions={OidcSettings: own})
    return Resources(store, MediaStore(home / "media"), settings)


class Site:
    """The routes of one web process, and a browser with its cookies."""

    def __init__(self, resources: Resources) -> None:
        async def nothing(scope: Any, receive: Any, send: Any) -> None:
            raise AssertionError(f"no route for {scope['path']}")

        self.cookies: dict[str, str] = {}
        self.app = Gate(
            OwnRoutes(nothing, routes=[*oidc_routes.routes(resources), *auth.routes(resources)]),
            signed_in=lambda token: sign_in.signed_in(resources.store, token=token),
            hosts=Hosts.of("127.0.0.1"),
            policy=content_policy(),
            is_there=lambda scope: True,
        )

    def ask(self, method: str, address: str, body: str = "") -> Reply:
        headers = {
            "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "content-type": "application/x-www-form-urlencoded",
        }
        reply = call(self.app, method, address, body=body.encode(), headers=headers)
        for line in reply.headers.get("set-cookie", "").splitlines():
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0]
            if "Max-Age=0" in line or value in ("", '""'):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return reply

    def begin(self, scripted: ScriptedProvider, query: str = "") -> str:
        """Begin a sign-in. Returns the address to which the provider would send the browser back."""
        sent = self.ask("GET", f"/oidc/start{query}")
        assert sent.status == 303, sent.text
        asked = {name: values[0] for name, values in parse_qs(urlsplit(sent.headers["location"]).query).items()}
        scripted.nonce = asked["nonce"]
        self.asked = asked
        return f"/oidc/callback?code=c0de&state={asked['state']}"


@pytest.fixture
def site(store: Store, tmp_path: Path, scripted: ScriptedProvider) -> Site:
    return Site(_resources(store, tmp_path, scripted))


def _stored(store: Store) -> tuple[int, int, int, int]:
    with store.read() as session:
        return tuple(  # type: ignore[return-value]
            len(session.exec(select(table)).all()) for table in (PersonRow, IdentityRow, SessionRow, EventRow)
        )


def test_a_sign_in_makes_an_account_and_opens_the_page_that_was_asked_for(
    store: Store, site: Site, scripted: ScriptedProvider
) -> None:
    page = site.ask("GET", "/login?next=/verify%3Fproject%3Dtiny")
    assert 'href="/oidc/start?next=%2Fverify%3Fproject%3Dtiny"' in page.text
    back = site.begin(scripted, "?next=/verify%3Fproject%3Dtiny")
    done = site.ask("GET", back)
    assert (done.status, done.headers["location"]) == (303, "/verify?project=tiny")
    signed_in = sign_in.signed_in(store, token=site.cookies["touchstone_session"])
    assert signed_in is not None
    assert (signed_in.person.login, signed_in.person.name) == ("anna", "Anna")
    # RFC 7636: the challenge is the SHA-256 of the verifier, which only the token request carries.
    (_, form, authorization) = scripted.asked[0]
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == site.asked["code_challenge"]
    assert site.asked["code_challenge_method"] == "S256"
    assert base64.b64decode(authorization.removeprefix("Basic ")).decode() == f"touchstone:{SECRET}"
    assert form["redirect_uri"] == site.asked["redirect_uri"] == "http://127.0.0.1:8501/oidc/callback"
    # The same person again: the same account.
    site.ask("GET", site.begin(scripted))
    assert _stored(store)[:2] == (1, 1)


def test_the_secret_is_sent_in_the_body_where_the_provider_takes_no_header(
    store: Store, tmp_path: Path, scripted: ScriptedProvider
) -> None:
    scripted.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    site = Site(_resources(store, tmp_path, scripted))
    assert site.ask("GET", site.begin(scripted)).status == 303
    (_, form, authorization) = scripted.asked[0]
    assert (form["client_secret"], authorization) == (SECRET, "")


def test_another_process_answers_the_callback(store: Store, tmp_path: Path, scripted: ScriptedProvider) -> None:
    first, second = (Site(_resources(store, tmp_path, scripted)) for _ in range(2))
    back = first.begin(scripted)
    second.cookies = first.cookies
    assert second.ask("GET", back).status == 303


def test_the_same_person_in_two_tabs(site: Site, scripted: ScriptedProvider) -> None:
    first = site.begin(scripted)
    nonce = scripted.nonce
    second = site.begin(scripted)
    assert site.ask("GET", second).status == 303
    scripted.nonce = nonce
    assert site.ask("GET", first).status == 303


def _late(claims: dict[str, Any]) -> Callable[[ScriptedProvider], None]:
    return lambda scripted: scripted.claims.update(claims)


def _answers(path: str, answer: Any) -> Callable[[ScriptedProvider], None]:
    return lambda scripted: scripted.answers.update({path: answer})


FAULTS: dict[str, tuple[Callable[[ScriptedProvider], None], str]] = {
    "wrong audience": (_late({"aud": "another"}), "aud"),
    "another audience and our azp": (_late({"aud": "another", "azp": "touchstone"}), "aud"),
    "wrong issuer": (_late({"iss": "https://evil.example"}), "iss"),
    "wrong nonce": (_late({"nonce": "old"}), "nonce"),
    "no nonce": (_late({"nonce": None}), "nonce"),
    "expired": (lambda s: s.claims.update(exp=int(time.time()) - 180), "clocks"),
    "clock far ahead": (lambda s: s.claims.update(iat=int(time.time()) + 600), "clocks"),
    "no subject": (_late({"sub": None}), "sub"),
    "subject is a number": (_late({"sub": 7}), "sub"),
    "another key": (lambda s: setattr(s, "key", OTHER_KEY), "signature"),
    "no signature": (lambda s: setattr(s, "alg", "none"), "signature"),
    "token is text": (_answers("/token", b'{"access_token": "x", "id_token": "nonsense"}'), "signature"),
    "no id token": (_answers("/token", b'{"access_token": "x"}'), "no ID token"),
    "token is garbage": (_answers("/token", b"<html>"), "not an answer"),
    "token is a list": (_answers("/token", b"[]"), "not an answer"),
    "code was used": (_answers("/token", lambda: (400, b'{"error": "invalid_grant"}')), "already used"),
    "provider fails": (_answers("/token", lambda: (500, b"oops")), "not an answer"),
    "provider redirects": (_answers("/token", lambda: (302, b"")), "redirects"),
    "keys are garbage": (_answers("/jwks", b"[1"), "not JSON"),
    "keys are empty": (_answers("/jwks", b"{}"), "signature"),
    "keys are gone": (_answers("/jwks", lambda: (404, b"")), "404"),
    "answer is too large": (_answers("/token", b"x" * 2**21), "larger than"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_provider_is_a_page_with_a_way_back_and_stores_nothing(
    store: Store, site: Site, scripted: ScriptedProvider, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    plant, words = FAULTS[fault]
    back = site.begin(scripted)
    plant(scripted)
    with caplog.at_level(logging.DEBUG):
        reply = site.ask("GET", back)
    assert reply.status == 502
    assert words in reply.text
    assert 'href="/login"' in reply.text
    assert "touchstone_session" not in site.cookies
    assert _stored(store) == (0, 0, 0, 0)
    assert SECRET not in reply.text + caplog.text


@pytest.mark.parametrize("seconds", [-115, 115])
def test_clocks_may_differ_by_two_minutes(site: Site, scripted: ScriptedProvider, seconds: int) -> None:
    now = int(time.time()) + seconds
    back = site.begin(scripted)
    scripted.claims |= {"iat": now, "exp": now + 1}
    assert site.ask("GET", back).status == 303


DISCOVERY = "/.well-known/openid-configuration"


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (_answers(DISCOVERY, b"nonsense"), "not JSON"),
        (_answers(DISCOVERY, b"[]"), "not a JSON object"),
        (_answers(DISCOVERY, b"{}"), "TOUCHSTONE_OIDC_ISSUER"),
        (_answers(DISCOVERY, lambda: (503, b"")), "503"),
        (lambda s: s.metadata.update(issuer="https://evil.example"), "TOUCHSTONE_OIDC_ISSUER"),
        (lambda s: s.metadata.update(token_endpoint="file:///etc/passwd"), "lacks an address"),
    ],
)
def test_a_provider_that_cannot_be_discovered_is_named(
    store: Store, site: Site, scripted: ScriptedProvider, plant: Any, words: str
) -> None:
    plant(scripted)
    reply = site.ask("GET", "/oidc/start")
    assert reply.status == 502
    assert words in reply.text
    assert 'href="/login"' in reply.text


def test_a_provider_that_is_down_or_slow_is_named(
    store: Store, tmp_path: Path, scripted: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "SECONDS", 0.3)
    down = Site(_resources(store, tmp_path, scripted, oidc_issuer="http://127.0.0.1:1"))
    assert down.ask("GET", "/oidc/start").status == 502
    scripted.answers[DISCOVERY] = lambda: (time.sleep(1), (200, b"{}"))[1]
    slow = Site(_resources(store, tmp_path, scripted)).ask("GET", "/oidc/start")
    assert slow.status == 502
    assert "within 0.3 seconds" in slow.text


def test_a_provider_in_a_private_network_must_be_listed(
    store: Store, tmp_path: Path, scripted: ScriptedProvider
) -> None:
    site = Site(_resources(store, tmp_path, scripted, oidc_issuer="http://10.0.0.7"))
    assert "TOUCHSTONE_ENDPOINTS=10.0.0.7" in site.ask("GET", "/oidc/start").text


def test_a_callback_counts_once_and_only_in_its_browser(store: Store, site: Site, scripted: ScriptedProvider) -> None:
    back = site.begin(scripted)
    mine = dict(site.cookies)
    site.cookies = {}
    stranger = site.ask("GET", back)
    assert stranger.status == 400
    assert "another browser" in stranger.text
    site.cookies = mine
    assert site.ask("GET", back).status == 303
    sessions = _stored(store)[2]
    again = site.ask("GET", back)
    assert again.status == 400
    assert 'href="/login"' in again.text
    assert _stored(store)[2] == sessions
    assert len(scripted.asked) == 1


@pytest.mark.parametrize("query", ["", "?state=x", "?code=c", "?state=%00&code=%ff", "?state=" + "x" * 9000])
def test_a_callback_that_nobody_began_asks_the_provider_nothing(
    site: Site, scripted: ScriptedProvider, query: str
) -> None:
    reply = site.ask("GET", f"/oidc/callback{query}")
    assert reply.status == 400
    assert scripted.requests == 0


def test_a_cookie_that_is_not_ours_or_too_old_is_refused(
    site: Site, scripted: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = site.begin(scripted)
    name = next(name for name in site.cookies if name.startswith(oidc_routes.COOKIE))
    good = site.cookies[name]
    site.cookies[name] = good[:-2] + ("aa" if good[-2:] != "aa" else "bb")
    assert site.ask("GET", back).status == 400
    site.cookies[name] = good
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 60 * oidc_routes.MINUTES + 2)
    assert site.ask("GET", back).status == 400


def test_a_cookie_of_another_sign_in_is_refused(site: Site, scripted: ScriptedProvider) -> None:
    first = site.begin(scripted)
    mine = site.cookies.pop(next(name for name in site.cookies if name.startswith(oidc_routes.COOKIE)))
    site.begin(scripted)
    theirs = next(name for name in site.cookies if name.startswith(oidc_routes.COOKIE))
    back = site.asked["state"]
    site.cookies[theirs] = mine
    assert site.ask("GET", first.replace(first.partition("state=")[2], back)).status == 400
    assert not scripted.asked


def test_a_person_who_cancels_reads_that(store: Store, site: Site, scripted: ScriptedProvider) -> None:
    back = site.begin(scripted)
    reply = site.ask("GET", f"{back}&error=access_denied")
    assert reply.status == 403
    assert "You canceled the sign-in" in reply.text
    other = site.ask("GET", site.begin(scripted) + "&error=%3Cscript%3E")
    assert "&lt;script&gt;" in other.text
    assert _stored(store) == (0, 0, 0, 0)


def test_without_passwords_only_the_provider_signs_in(store: Store, tmp_path: Path, scripted: ScriptedProvider) -> None:
    accounts.create_person(store, login="ana", name="Ana", password="correct horse battery")
    site = Site(_resources(store, tmp_path, scripted, oidc_passwords="off", oidc_label="Lab <login>"))
    page = site.ask("GET", "/login").text
    assert 'name="password"' not in page
    assert "Lab &lt;login&gt;" in page
    refused = site.ask("POST", "/login", "login=ana&password=correct+horse+battery")
    assert refused.status == 401
    assert "does not accept passwords" in refused.text
    # The way in that stays: a sign-in link, which the command on the server prints.
    link = sign_in.make_sign_in_link(store, person=accounts.find_person(store, login="ana"))
    assert site.ask("POST", f"/link/{link}").status == 303


def test_signing_out_leads_on_to_the_provider(store: Store, tmp_path: Path, scripted: ScriptedProvider) -> None:
    scripted.metadata = {"end_session_endpoint": f"{scripted.url}/end"}
    site = Site(_resources(store, tmp_path, scripted))
    site.ask("GET", site.begin(scripted))
    token = site.cookies["touchstone_session"]
    session = sign_in.signed_in(store, token=token)
    assert session is not None
    reply = site.ask("POST", "/logout", f"csrf={session.csrf}")
    wanted = (
        f"{scripted.url}/end?client_id=touchstone&amp;post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A8501%2Flogin"
    )
    assert f'content="0; url={wanted}"' in reply.text
    assert sign_in.signed_in(store, token=token) is None
