"""``/mail-off/{token}``: the link in each mail that turns mails off, without signing in.

A GET only shows a question, because programs open links for previews. A POST turns mails off; a mail program's own
button also sends one.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from app.routes import plain_pages
from app.routes.auth import calmly
from app.routes.replies import read_body
from app.services import Resources
from domain.errors import NotFoundError
from domain.language import _, marked
from extensions.notices import notice_mails

PUBLIC = ("/mail-off/",)
NO_LINK = marked(
    "This link is not valid, so your email settings did not change. You can change these settings on the Notices page."
)


def routes(resources: Resources) -> list[BaseRoute]:
    """Return the routes of the question and of its button."""
    store = resources.store

    async def ask(request: Request) -> Response:
        token = request.path_params["token"]
        if not await run_in_threadpool(notice_mails.is_link, store, token=token):
            return _page(_("No such link"), plain_pages.paragraph(_(NO_LINK)), status=404)
        return _page(
            _("No more emails?"),
            plain_pages.paragraph(
                _(
                    "If you turn off emails, Touchstone no longer sends you notices by email. You can "
                    "still read notices on the Notices page."
                )
            ),
            plain_pages.form(f"/mail-off/{token}", _("Turn off emails")),
        )

    async def do(request: Request) -> Response:
        await read_body(request)
        try:
            await run_in_threadpool(notice_mails.turn_off, store, token=request.path_params["token"])
        except NotFoundError:
            return _page(_("No such link"), plain_pages.paragraph(_(NO_LINK)), status=404)
        words = _("Touchstone no longer sends you emails. You can turn on emails again on the Notices page.")
        return _page(_("No more emails"), plain_pages.paragraph(words), plain_pages.link("/notices", _("Notices")))

    return [
        Route("/mail-off/{token}", calmly(ask), methods=["GET"]),
        Route("/mail-off/{token}", calmly(do), methods=["POST"]),
    ]


def _page(title: str, *body: str, status: int = 200) -> Response:
    return HTMLResponse(plain_pages.page(title, *body), status_code=status, headers={"Cache-Control": "no-store"})
