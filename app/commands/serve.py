"""``touchstone serve``: start the web server."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from app.commands.groups import Panel
from domain.errors import SettingsError
from domain.settings import JSON_LOG, STORED_IN, Settings, settings_from

if TYPE_CHECKING:
    from app.services import Resources

LOOPBACK = "127.0.0.1"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("serve", rich_help_panel=Panel.START)(serve)


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. To let other machines connect, use 0.0.0.0 behind an HTTPS proxy."
        ),
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8501,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name that people use to reach this server, such as bench.example.org. Repeat the option "
            "for more names."
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            help="The number of web processes behind the address. More than one needs the program HAProxy.",
        ),
    ] = 1,
    worker: Annotated[
        bool,
        typer.Option(
            "--worker/--no-worker",
            help="Also start a worker, which runs models and judges. Use --no-worker if workers run elsewhere.",
        ),
    ] = True,
) -> None:
    """Start the server. Open the address that it prints in your browser.

    The first start creates the database and prints a password for the first admin.

    Example: touchstone serve --port 8600
    """
    from app.gate import is_loopback
    from app.routes import sign_in_ways
    from app.services import resources
    from app.serving import front_server, process_group
    from workflow.access import accounts

    check_free(host, port)
    if processes > 1:
        for program in front_server.PROGRAMS:
            front_server.program(program)
    share_connections(processes, worker)
    shared = resources()
    shared.store.upgrade()
    typer.echo(f"{STORED_IN} {shared.settings.home}")
    password = accounts.ensure_first_admin(shared.store)
    if not sign_in_ways.has_passwords(shared.settings):
        typer.echo("This server accepts no passwords. Admins can always sign in with: touchstone person link LOGIN")
    elif password and shared.settings.log == JSON_LOG:  # a log that others may read
        typer.echo(
            "Touchstone created the account admin. To get a link that signs you in, run: touchstone person link admin"
        )
    elif password:
        typer.echo(f"First admin: sign in as admin with this password, which Touchstone shows only once: {password}")
    if not is_loopback(host):
        typer.echo(
            "Other machines can reach this server. Put an HTTPS proxy in front of the server, and set the "
            "proxy's host name with --name."
        )
    names = _names(shared.settings, name or ())
    if processes == 1:
        run(shared, host=host, port=port, names=names, worker=worker)
        return
    from app.serving import shared_uploads
    from app.serving.exit_signals import exiting_on_signals

    shared.store.close()
    shared_uploads.remove_old(shared.settings.home)
    tell_address(host, port)
    with exiting_on_signals():
        process_group.serve(host=host, port=port, names=names, processes=processes, worker=worker)


def share_connections(processes: int, worker: bool) -> None:
    """Choose how many PostgreSQL connections each process may open. Call this before any process opens its store.

    Raise ``SettingsError`` if several processes do not fit PostgreSQL's limit. A single one only prints a warning.
    """
    from app.serving import connection_shares

    settings = settings_from(os.environ, Path.cwd())
    shares = connection_shares.ask(settings, processes=processes, worker=worker)
    if shares is None:
        return
    if shares.problem and processes > 1:
        raise SettingsError(shares.problem)
    if shares.problem:
        typer.echo(f"touchstone: {shares.problem}", err=True)
    os.environ.update(shares.environment())


def tell_address(host: str, port: int) -> None:
    """Print the address of the server."""
    typer.echo(f"Touchstone is running at http://{shown(host)}:{port} (press Ctrl+C to stop the server)")


def run(shared: Resources, *, host: str, port: int, names: Sequence[str] = (), worker: bool = True) -> None:
    """Print the address, and serve until the process is stopped."""
    from contextlib import nullcontext

    from app import server, supervisor
    from app.jobs import processes
    from app.serving.exit_signals import exiting_on_signals

    tell_address(host, port)
    watching = processes.watching(shared.store, shared.settings.home)
    with exiting_on_signals(), watching, supervisor.worker() if worker else nullcontext():
        server.serve(shared, host=host, port=port, names=names)


def _names(settings: Settings, given: Sequence[str]) -> list[str]:
    """Return the host names of the server: the given names, and the host of its public address."""
    public = urlsplit(settings.public_url or "").hostname
    return [*given, *filter(None, [public])]


def shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def check_free(host: str, port: int) -> None:
    """Raise ``SettingsError`` if the port is taken or the host is not an address of this machine."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise SettingsError(
            f"{host} is not an address of this machine. Choose another --host, such as 127.0.0.1."
        ) from None
    family, kind, protocol, _, address = addresses[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise SettingsError(
                    f"Port {port} is in use, possibly by another Touchstone server. Stop that server, or choose "
                    "another port with --port."
                ) from None
            raise SettingsError(
                f"Touchstone cannot listen on {host}, port {port}: {error.strerror}. Choose another --host or --port."
            ) from None
