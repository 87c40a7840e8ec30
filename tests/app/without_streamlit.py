"""Everything of ours that answers requests, gate and all, without Streamlit behind it."""

from __future__ import annotations

from starlette.responses import PlainTextResponse
from starlette.routing import Router

from app.gate import Gate, Hosts, OwnRoutes, content_policy
from app.routes import auth, health, routes_before
from app.services import Resources
from app.serving import demo_people
from db.engine import Store
from domain.records import SignedIn
from domain.settings import settings_from
from tests.app.homes import Home
from workflow.access import accounts, sign_in


def application(store: Store, home: Home, **settings: str) -> Gate:
    """Everything of ours that answers, without Streamlit behind it."""
    given = {"TOUCHSTONE_HOME": str(home.path), **settings}
    resources = Resources(store, home.media(), settings_from(given, home.path))
    inside = OwnRoutes(
        Router([*auth.routes(resources), *health.routes(resources)], default=PlainTextResponse("a page")),
        routes=routes_before(resources),
    )

    def signed_in(token: str) -> SignedIn | None:
        return demo_people.signed_in(store, token=token)

    return Gate(inside, signed_in=signed_in, hosts=Hosts.of("127.0.0.1"), policy=content_policy())


def session(store: Store, login: str) -> dict[str, str]:
    """The headers of someone's page."""
    token = sign_in.start_session(store, person=accounts.find_person(store, login=login))
    found = sign_in.signed_in(store, token=token)
    assert found is not None
    return {
        "cookie": f"touchstone_session={token}",
        "x-touchstone-csrf": found.csrf,
        "content-type": "application/json",
        "origin": "http://127.0.0.1:8501",
    }
