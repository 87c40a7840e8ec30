"""Choose a language: a plain page, for people who are signed in and for those who are not yet."""

from __future__ import annotations

import hmac
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes import plain_pages
from app.routes.replies import read_body
from app.services import Resources
from app.session import local_path
from domain.errors import NotAllowedError
from domain.language import COOKIE, NAMES, _
from domain.records import SignedIn
from workflow.access import own_settings

YEAR = 365 * 24 * 60 * 60


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the page with a button for each language, and the route that stores the choice."""

    async def choose(request: Request) -> Response:
        form = {
            name: values[-1] for name, values in parse_qs((await read_body(request)).decode(errors="replace")).items()
        }
        session: SignedIn | None = getattr(request.state, "signed_in", None)
        code = form.get("language", "")
        if code not in NAMES:
            return RedirectResponse("/language", 303)
        if session is not None:
            if not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
                raise NotAllowedError(_("This page is from an earlier session. Reload the page. Your text is kept."))
            await run_in_threadpool(own_settings.set_language, resources.store, person=session.person, language=code)
        reply = RedirectResponse(local_path(form.get("next")), 303)
        reply.set_cookie(COOKIE, code, max_age=YEAR, path="/", samesite="lax")
        return reply

    return [Route("/language", _show, methods=["GET"]), Route("/language", choose, methods=["POST"])]


async def _show(request: Request) -> HTMLResponse:
    session: SignedIn | None = getattr(request.state, "signed_in", None)
    hidden = {"next": local_path(request.query_params.get("next")), "csrf": session.csrf if session else ""}
    forms = [
        plain_pages.form("/language", name, hidden={**hidden, "language": code}, focus=False)
        for code, name in NAMES.items()
    ]
    about = plain_pages.paragraph(_("Pages for annotators are in this language. Pages for leads are in English."))
    return HTMLResponse(plain_pages.page(_("Language"), about + "".join(forms)), headers={"Cache-Control": "no-store"})
