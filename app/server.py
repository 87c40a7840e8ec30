"""The ASGI application: Streamlit's, with our routes and our gate in front; and the server process."""

from __future__ import annotations

import logging
import os.path
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

import streamlit
from starlette.middleware import Middleware
from starlette.routing import Match
from starlette.types import Scope
from streamlit import file_util
from streamlit.runtime import Runtime
from streamlit.web import bootstrap

from app.gate import Gate, Hosts, OwnRoutes, content_policy
from app.reruns import theme_cache
from app.reruns.lost_fragments import redraw_lost_fragments
from app.reruns.script_loops import spare_loops
from app.routes import drawn, metrics, page_shell, routes, routes_before
from app.services import Resources
from app.serving import demo_people, logs
from app.serving.client_address import behind_front_server
from app.serving.metrics import Metrics
from app.serving.open_files import Calm, OpenFiles, raise_limit
from app.serving.request_records import RequestRecords
from app.serving.steady_cookie import SteadyCookie
from app.serving.stream_filter import Streams
from domain.records import Person, SignedIn
from domain.settings import Settings
from workflow.access import accounts

MAIN = Path(__file__).resolve().with_name("main.py")

OPTIONS: dict[str, Any] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "client.disableDataExport": True,
    "global.developmentMode": False,
    "logger.level": "warning",
    "runner.magicEnabled": False,
    "runner.postScriptGC": False,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.runOnSave": False,
    "server.disconnectedSessionTTL": 900,
    "theme.baseRadius": "small",
    "theme.primaryColor": "#0f6e84",
    "theme.light.primaryColor": "#0f6e84",
    "theme.light.backgroundColor": "#fbfbfa",
    "theme.light.secondaryBackgroundColor": "#f0f1ef",
    "theme.light.textColor": "#1d2327",
    "theme.dark.primaryColor": "#4fb3c9",
    "theme.dark.backgroundColor": "#14181a",
    "theme.dark.secondaryBackgroundColor": "#1e2427",
    "theme.dark.textColor": "#e6e9ea",
}
"""Streamlit's options, set as flags so that they apply in every folder, whatever configuration files exist there."""


def is_streamlits_file(path: str) -> bool:
    """Tell whether the path belongs to one of Streamlit's own files.

    A name that the machine cannot look up does not.
    """
    names = PurePosixPath(path).parts[1:]
    return ".." not in names and os.path.isfile(Path(file_util.get_static_dir(), *names))


def build(resources: Resources, *, hosts: Hosts, files: OpenFiles | None = None) -> streamlit.App:
    """Return the application over one store. Call ``configure`` before, to set Streamlit's options."""

    def signed_in(token: str) -> SignedIn | None:
        return demo_people.signed_in(resources.store, token=token)

    def may_upload(person: Person) -> bool:
        return accounts.leads_any(resources.store, person=person)

    page = page_shell.html()
    counted = Metrics(resources.store, resources.settings.home)
    before = [*metrics.routes(counted, resources.settings.metrics_token), *routes_before(resources)]
    inside = routes(resources)

    def is_there(scope: Scope) -> bool:
        return is_streamlits_file(scope["path"]) or any(
            route.matches(scope)[0] is not Match.NONE for route in (*before, *inside)
        )

    policy = content_policy(page)
    records = Middleware(RequestRecords, recorder=counted)
    gate = Middleware(Gate, signed_in=signed_in, hosts=hosts, policy=policy, is_there=is_there, files=files)
    own_routes = Middleware(OwnRoutes, routes=[*before, *page_shell.routes(page)])
    streams = Middleware(
        Streams, may_upload=may_upload, held=held_uploads, forget=forget_uploads, settings=resources.settings
    )
    return streamlit.App(MAIN, routes=inside, middleware=[records, gate, streams, own_routes, Middleware(SteadyCookie)])


def held_uploads() -> dict[str, int]:
    """Return the bytes of the uploads that Streamlit keeps in memory, by session."""
    held = Runtime.instance()._uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return {session: sum(len(file.data) for file in list(files.values())) for session, files in list(held.items())}


def forget_uploads(session: str) -> None:
    """Free the memory of a session's uploads."""
    Runtime.instance()._uploaded_file_mgr.remove_session_files(session)


def configure(*, host: str, port: int, upload_mb: int = Settings.upload_mb) -> None:
    """Set Streamlit's options for this process."""
    of_process = {"server.address": host, "server.port": port, "server.maxUploadSize": upload_mb}
    bootstrap.load_config_options({**OPTIONS, **of_process})
    theme_cache.compose_once()
    spare_loops()
    redraw_lost_fragments()


def serve(resources: Resources, *, host: str, port: int, names: Iterable[str] = (), socket: str | None = None) -> None:
    """Serve until stopped. Uvicorn ends on SIGINT and SIGTERM. SIGKILL loses no acknowledged data.

    ``socket`` is the path of the Unix socket to listen on, behind our front server at ``host`` and ``port``.
    """
    import uvicorn

    configure(host=host, port=port, upload_mb=resources.settings.upload_mb)
    logs.configure(resources.settings)
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).addFilter(Calm())
    files = OpenFiles(raise_limit())
    application: Any = build(resources, hosts=Hosts.of(host, names), files=files)
    try:
        uvicorn.run(
            application if socket is None else behind_front_server(application),
            host=host,
            port=port,
            uds=socket,
            proxy_headers=socket is None,
            timeout_keep_alive=5 if socket is None else 75,  # the front server closes idle connections first
            ws="websockets-sansio",
            ws_max_size=32 * 1024 * 1024,
            ws_ping_interval=30,
            ws_ping_timeout=30,
            ws_per_message_deflate=False,
            access_log=False,
            log_level="warning",
            use_colors=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    finally:
        drawn.forget()
