"""Sign in and out, sign-in links, invitations: plain forms that need no scripts."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import parse_qs, urlencode

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes import plain_pages, sign_in_ways, welcome_page
from app.routes.plain_pages import Field
from app.routes.replies import read_body, report, status_of
from app.services import Resources
from app.serving import demo_people, signing_key
from app.serving.devices import device_of
from app.serving.open_files import CROWDED, none_left
from app.session import COOKIE, COOKIE_SECONDS, local_path, token_of
from domain.errors import BadRequestError, NotAllowedError, NotFoundError, TooManyRequestsError, TouchstoneError
from domain.language import _, marked
from domain.records import Person, SignedIn
from domain.roles import Role, role_name
from workflow.access import accounts, passwords, sign_in

Form = Mapping[str, str]

HASHERS = 2
"""Passwords hashed at the same time. Each takes 64 MiB and a core, so many guesses at once only delay each other."""
WAITING_OF_ONE = 16
"""Passwords of one origin that may wait for hashing: as many as a team behind one address sends in the morning.

A person behind them waits for about two seconds.
"""
WAITING_OF_ALL = 40
KNOWN = "touchstone_known"
"""The cookie of a browser that has signed in before. Its attempts at that login are counted separately."""
KNOWN_SECONDS = 365 * 24 * 60 * 60
NO_PASSWORDS = marked("This server does not accept passwords. Use the other button on this page to sign in.")
TOO_MANY = marked("Too many people are signing in at the same time. Wait a few seconds, then try again.")


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the routes: each page has a GET that shows a form and a POST that accepts it."""
    pages = Pages(resources)
    return [
        Route("/login", calmly(pages.show_sign_in), methods=["GET"]),
        Route("/login", calmly(pages.sign_in), methods=["POST"]),
        Route("/demo", calmly(pages.show_demo), methods=["GET"]),
        Route("/demo", calmly(pages.sign_in_to_demo), methods=["POST"]),
        Route("/logout", calmly(pages.show_sign_out), methods=["GET"]),
        Route("/logout", calmly(pages.sign_out), methods=["POST"]),
        Route("/link/{token}", calmly(pages.show_link), methods=["GET"]),
        Route("/link/{token}", calmly(pages.use_link), methods=["POST"]),
        Route("/invite/{token}", calmly(pages.show_invitation), methods=["GET"]),
        Route("/invite/{token}", calmly(pages.accept_invitation), methods=["POST"]),
        Route("/assets/{name}", asset, methods=["GET"]),
    ]


class Pages:
    """The handlers, sharing one store."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.store = resources.store
        self.has_passwords = sign_in_ways.has_passwords(resources.settings)
        self.home = resources.settings.home
        self.hashers = anyio.CapacityLimiter(HASHERS)
        self.waiting: Counter[str] = Counter()

    async def _hashing(self, use_case: Callable[..., Person], place: str, **given: str) -> Person:
        """Run a use case that hashes a password in a thread.

        The number at a time is limited, in total and for each place.
        """
        if self.waiting[place] >= WAITING_OF_ONE or self.waiting.total() >= WAITING_OF_ALL:
            raise TooManyRequestsError(_(TOO_MANY))
        self.waiting[place] += 1
        try:
            return await anyio.to_thread.run_sync(partial(use_case, self.store, **given), limiter=self.hashers)
        finally:
            self.waiting[place] -= 1
            if not self.waiting[place]:
                del self.waiting[place]

    def _origin(self, request: Request, login: str) -> str:
        """Return the origin of an attempt: a browser that this login has used before, or the address."""
        number, _, signed = request.cookies.get(KNOWN, "").partition(".")
        if number.isascii() and number.isalnum() and hmac.compare_digest(signed.encode(), self._signed(number, login)):
            return f"browser:{number}"
        return _address(request)

    def _signed(self, number: str, login: str) -> bytes:
        key = signing_key.key_of(self.home)
        message = f"known browser\0{number}\0{accounts.normal_login(login)}"
        return hmac.digest(key, message.encode(errors="replace"), hashlib.sha256).hex().encode()

    async def show_sign_in(self, request: Request) -> Response:
        """Return the sign-in form. A person who is signed in is redirected."""
        onward = local_path(request.query_params.get("next"))
        if _current(request):
            return _go(onward)
        return await self._welcome_page(request, onward)

    async def sign_in(self, request: Request) -> Response:
        """Check name and password, and open a session."""
        form = await read_form(request)
        onward = local_path(form.get("next"))
        login, password = form.get("login", ""), form.get("password", "")
        try:
            self._require_passwords()
            origin = await run_in_threadpool(self._origin, request, login)
            person = await self._hashing(sign_in.authenticate, origin, login=login, password=password, origin=origin)
        except TouchstoneError as error:
            status = 401 if isinstance(error, NotAllowedError) else status_of(error)
            return await self._welcome_page(request, onward, login=login, error=str(error), status=status)
        return await self.welcome(request, person, onward)

    async def show_demo(self, request: Request) -> Response:
        """Return the sign-in page of the demo, also to a visitor who wants to be someone else now."""
        if demo_people.offered(request) is None:
            return _go("/login")
        return await self._welcome_page(request, "/")

    async def sign_in_to_demo(self, request: Request) -> Response:
        """Sign a visitor on this machine in as a person of the demo, as often as the visitor wants."""
        demo = demo_people.offered(request)
        if demo is None:
            raise NotFoundError(_("This server has no demo. Sign in with your account."))
        form = await read_form(request)
        person = await run_in_threadpool(
            sign_in.demo_person, self.store, login=form.get("login", ""), logins=demo.logins
        )
        return await self.welcome(request, person, local_path(form.get("next")), demo=True)

    async def _welcome_page(
        self, request: Request, onward: str, *, login: str = "", error: str = "", status: int = 200
    ) -> Response:
        demo, session = demo_people.offered(request), _current(request)
        people = await run_in_threadpool(demo_people.people, self.store, demo) if demo else []
        name = session.person.name if session else ""
        form = _sign_in_form(onward, login=login, focus=not people) if self.has_passwords else ""
        ways = sign_in_ways.buttons(self.resources.settings, onward=onward)
        form += "".join(plain_pages.button(way.href, way.label) for way in ways)
        text = welcome_page.page(form, error=error, people=people, signed_in=name, onward=onward)
        return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})

    def _require_passwords(self) -> None:
        if not self.has_passwords:
            raise NotAllowedError(_(NO_PASSWORDS))

    async def show_sign_out(self, request: Request) -> Response:
        """Return a page that signs out by a POST: automatically after a link of ours, otherwise on request.

        The GET changes nothing, so that no picture, prefetch or link of another site can sign a person out.
        """
        session = _current(request)
        if session is None:
            return _go("/login")
        headers = request.headers
        ours = headers.get("sec-fetch-site") == "same-origin" and headers.get("sec-fetch-dest") == "document"
        return _page(
            _("Sign out?"),
            plain_pages.paragraph(_("You are signed in as {name}.").format(name=session.person.name))
            + plain_pages.form("/logout", _("Sign out"), hidden={"csrf": session.csrf}, at_once=ours),
            plain_pages.link("/", _("Stay signed in")),
        )

    async def sign_out(self, request: Request) -> Response:
        """End the session in the browser and in the database."""
        session = _current(request)
        form = await read_form(request)
        if session and not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
            raise NotAllowedError(
                _("This page is from an earlier session. Go back, reload the page, and sign out again.")
            )
        return await self._goodbye(request)

    async def show_link(self, request: Request) -> Response:
        """Return a page that uses the link automatically, unless someone is already signed in."""
        session = _current(request)
        action = f"/link/{request.path_params['token']}"
        if session is None:
            return _page(
                _("Signing in"),
                plain_pages.paragraph(_("You can use this link to sign in once."))
                + plain_pages.form(action, _("Sign in"), at_once=True),
            )
        return _page(
            _("Sign in with this link?"),
            plain_pages.paragraph(
                _("You are signed in as {name}. The link may be for someone else.").format(name=session.person.name)
            )
            + plain_pages.form(action, _("Use the link")),
            plain_pages.link("/", _("Stay signed in as {name}").format(name=session.person.name)),
        )

    async def use_link(self, request: Request) -> Response:
        """Sign in with the link, which works only once."""
        await read_body(request)
        token = request.path_params["token"]
        try:
            person = await run_in_threadpool(sign_in.use_sign_in_link, self.store, token=token)
        except TouchstoneError as error:
            return _page(
                _("This link is not valid"),
                plain_pages.paragraph(str(error), style="bad"),
                plain_pages.link("/login", _("Sign in")),
                status=status_of(error) if isinstance(error, NotAllowedError) else 404,
            )
        return await self.welcome(request, person, "/")

    async def show_invitation(self, request: Request) -> Response:
        """Return the form in which an invited person creates an account."""
        token = request.path_params["token"]
        invitation = await run_in_threadpool(accounts.invitation, self.store, token=token)
        if invitation is None:
            return _no_invitation()
        return _page(_("Welcome"), *self._invitation_form(token, invitation.title, invitation.role))

    async def accept_invitation(self, request: Request) -> Response:
        """Create the account and sign in."""
        token = request.path_params["token"]
        form = await read_form(request)
        invitation = await run_in_threadpool(accounts.invitation, self.store, token=token)
        if invitation is None:
            return _no_invitation()
        try:
            self._require_passwords()
            person = await self._hashing(
                accounts.accept_invitation,
                _address(request),
                token=token,
                login=form.get("login", ""),
                name=form.get("name", ""),
                password=form.get("password", ""),
            )
        except TouchstoneError as error:
            body = self._invitation_form(token, invitation.title, invitation.role, form=form, error=str(error))
            return _page(_("Welcome"), *body, status=status_of(error))
        return await self.welcome(request, person, "/")

    async def welcome(self, request: Request, person: Person, onward: str, *, demo: bool = False) -> Response:
        """Sign a person in, and go to the page ``onward``."""
        before = token_of(request.cookies)
        if before:
            await run_in_threadpool(sign_in.end_session, self.store, token=before)
        token = await run_in_threadpool(
            sign_in.start_session, self.store, person=person, demo=demo, device=device_of(_agent(request))
        )
        response = _go(onward)
        number = secrets.token_hex(8)
        signed = await run_in_threadpool(self._signed, number, person.login)
        response.set_cookie(
            KNOWN,
            f"{number}.{signed.decode()}",
            max_age=KNOWN_SECONDS,
            path="/login",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        response.set_cookie(
            COOKIE,
            token,
            max_age=COOKIE_SECONDS,
            path="/",
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    async def _goodbye(self, request: Request) -> Response:
        token = token_of(request.cookies)
        if token:
            await run_in_threadpool(sign_in.end_session, self.store, token=token)
        address = await run_in_threadpool(sign_in_ways.sign_out_address, self.resources, request)
        response = _go("/login") if address is None else _signed_out(address)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
        return response

    def _invitation_form(
        self, token: str, project: str, role: str, *, form: Form | None = None, error: str = ""
    ) -> tuple[str, str]:
        greeting = plain_pages.paragraph(
            _("You are invited to {project} as {role}. Create an account to start.").format(
                project=project, role=role_name(Role(role))
            )
        )
        complaint = plain_pages.paragraph(error, style="bad") if error else ""
        own = _new_account_form(token, form or {}) if self.has_passwords else ""
        ways = sign_in_ways.buttons(self.resources.settings, invitation=token)
        return (
            greeting + complaint + own + "".join(plain_pages.button(way.href, way.label) for way in ways),
            plain_pages.link("/login", _("I already have an account")),
        )


def calmly(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint whose errors become a page with a sentence."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except TouchstoneError as error:
            message, status = str(error), status_of(error)
        except Exception as error:  # the frame around a page: a general message, and the full error in the log
            if none_left(error):
                message, status = CROWDED, 503
            else:
                message, status = report(error), 500
        return _page(
            _("The request failed"),
            plain_pages.paragraph(message, style="bad"),
            plain_pages.link("/", _("Start page")),
            status=status,
        )

    return answer


_ASSETS = {
    "plain.css": (plain_pages.STYLE + welcome_page.STYLE, "text/css"),
    "plain.js": (plain_pages.SCRIPT, "text/javascript"),
    "mark.svg": (plain_pages.MARK, "image/svg+xml"),
}
_PICTURES = {"verifying-light.webp": "light", "verifying-dark.webp": "dark"}


async def asset(request: Request) -> Response:
    """Return the style, script, logo or picture of the plain pages."""
    name = request.path_params["name"]
    scheme = _PICTURES.get(name)
    file = _ASSETS.get(name) if scheme is None else (welcome_page.picture(scheme), "image/webp")
    if file is None:
        return PlainTextResponse("This file does not exist. Check the address.", status_code=404)
    return Response(file[0], media_type=file[1], headers={"Cache-Control": "public, max-age=3600"})


def _address(request: Request) -> str:
    """Return the client's address. For IPv6, return the network that one household or company gets."""
    host = request.client.host if request.client else ""
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        if address.version == 6:
            return str(ipaddress.ip_network((address.packed, 64), strict=False))
    return host


def _current(request: Request) -> SignedIn | None:
    identity: SignedIn | None = getattr(request.state, "signed_in", None)
    return identity


async def read_form(request: Request) -> Form:
    """Return the fields of a form that a page of ours has sent. Raise ``BadRequestError`` for any other request."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/x-www-form-urlencoded":
        raise BadRequestError(
            _("This form did not come from a page of this server. Open the form on this server, then try again.")
        )
    try:
        text = (await read_body(request)).decode()
        fields = parse_qs(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=20, errors="strict")
    except ValueError:
        raise BadRequestError(
            _("Touchstone could not read this form. Go back, reload the page, and try again.")
        ) from None
    form = {name: values[-1] for name, values in fields.items()}
    if any("\0" in value for value in form.values()):
        raise BadRequestError(_("The form contains a null character. Go back and type the text again."))
    return form


def _agent(request: Request) -> str:
    return request.headers.get("user-agent", "")[:1000]


def _signed_out(address: str) -> Response:
    """Return a page that goes on to another server's sign-out. A redirect after a form may not leave this server."""
    body = plain_pages.paragraph(_("You are signed out of Touchstone. Your other session is ending, too."))
    page = plain_pages.page(
        _("Signed out"), body, plain_pages.link(address, _("End the other session")), again=0, onward=address
    )
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


def _go(path: str) -> Response:
    return RedirectResponse(path, status_code=303, headers={"Cache-Control": "no-store"})


def _page(title: str, *body: str, status: int = 200) -> Response:
    return HTMLResponse(plain_pages.page(title, *body), status_code=status, headers={"Cache-Control": "no-store"})


def _sign_in_form(onward: str, *, login: str = "", focus: bool = True) -> str:
    fields = (
        Field("login", _("Login"), autocomplete="username", value=login),
        Field("password", _("Password"), kind="password", autocomplete="current-password"),
    )
    hidden = {} if onward == "/" else {"next": onward}
    action = "/login" if onward == "/" else "/login?" + urlencode({"next": onward})
    return plain_pages.form(action, _("Sign in"), *fields, hidden=hidden, focus=focus)


def _new_account_form(token: str, given: Form) -> str:
    fields = (
        Field(
            "name", _("Your name"), autocomplete="name", value=given.get("name", ""), hint=_("as your team knows you")
        ),
        Field("login", _("Login"), autocomplete="username", value=given.get("login", "")),
        Field(
            "password",
            _("Password"),
            kind="password",
            autocomplete="new-password",
            hint=_("at least {n} characters").format(n=passwords.SHORTEST),
        ),
    )
    return plain_pages.form(f"/invite/{token}", _("Create account"), *fields)


def _no_invitation() -> Response:
    return _page(
        _("This invitation is not valid"),
        plain_pages.paragraph(
            _("The invitation was already used or has expired. Ask your project's lead for a new invitation.")
        ),
        plain_pages.link("/login", _("Sign in")),
        status=404,
    )
