"""``/sessions``: where a person is signed in, and buttons that end sessions. Admins also open other people's list."""

from __future__ import annotations

import hmac
from html import escape
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from app.markup import moment
from app.routes import plain_pages
from app.routes.auth import calmly, read_form
from app.services import Resources
from app.session import token_of
from domain.errors import NotAllowedError, NotFoundError
from domain.language import _, marked
from domain.records import OpenSession, SignedIn
from workflow.access import sessions

EARLIER = marked("This page is from an earlier session. Reload the page, and try again.")


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the page and the route of its buttons."""

    async def show(request: Request) -> Response:
        session, login = _asked(request)
        found = await run_in_threadpool(
            sessions.list_sessions,
            resources.store,
            by=session.person,
            login=login,
            token=token_of(request.cookies),
        )
        own = login == session.person.login
        title = _("Your sessions") if own else _("Sessions of {login}").format(login=login)
        page = plain_pages.page(title, _body(session, login, found), plain_pages.link("/", _("Start page")), wide=True)
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    async def end(request: Request) -> Response:
        session, login = _asked(request)
        form = await read_form(request)
        if not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
            raise NotAllowedError(_(EARLIER))
        id = form.get("id", "")
        if id and not (id.isascii() and id.isdigit() and len(id) <= 18):
            raise NotFoundError(_("This session has already ended. Reload the list."))
        await run_in_threadpool(
            sessions.revoke_sessions,
            resources.store,
            by=session.person,
            login=login,
            id=int(id) if id else None,
            keep=None if id else token_of(request.cookies),
        )
        return RedirectResponse(_address(session, login), 303)

    return [
        Route("/sessions", calmly(show), methods=["GET"]),
        Route("/sessions", calmly(end), methods=["POST"]),
    ]


def _asked(request: Request) -> tuple[SignedIn, str]:
    session: SignedIn = request.state.signed_in  # the gate lets nobody else in
    return session, request.query_params.get("login") or session.person.login


def _address(session: SignedIn, login: str) -> str:
    return "/sessions" if login == session.person.login else f"/sessions?{urlencode({'login': login})}"


def _body(session: SignedIn, login: str, found: list[OpenSession]) -> str:
    action = _address(session, login)
    heads = "".join(f"<th>{escape(head)}</th>" for head in (_("Device"), _("Signed in"), _("Last used"), ""))
    rows = "".join(_row(session, action, each) for each in found)
    about = plain_pages.paragraph(
        _("A session ends 30 days after the sign-in. If you do not recognize a device, end its session.")
    )
    table = f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    others = [each for each in found if not each.is_this]
    if not others:
        return about + (table if found else plain_pages.paragraph(_("There are no open sessions.")))
    words = _("End all other sessions") if len(others) < len(found) else _("End all sessions")
    return about + table + "<br>" + plain_pages.form(action, words, hidden={"csrf": session.csrf}, focus=False)


def _row(session: SignedIn, action: str, each: OpenSession) -> str:
    device = escape(each.device or _("unknown device"))
    end = (
        escape(_("this session"))
        if each.is_this
        else plain_pages.form(action, _("End"), hidden={"csrf": session.csrf, "id": str(each.id)}, focus=False)
    )
    times = "".join(f'<td dir="ltr">{escape(moment(at))}</td>' for at in (each.began_at, each.used_at))
    return f"<tr><th>{device}</th>{times}<td>{end}</td></tr>"
