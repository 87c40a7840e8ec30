"""HAProxy in front of several web processes: one address, each person always at the same process, dead ones left out.

The web processes listen on Unix sockets in a folder that only this account can enter. So no port is needed, and nobody
else can reach a process and claim another client address.
"""

from __future__ import annotations

import ipaddress
import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from app.routes import plain_pages
from app.routes.replies import RETRY_SECONDS
from domain.errors import NotAvailableError, SettingsError

COOKIE = "touchstone_server"
"""The cookie that names a person's web process."""
TRUSTED = "FORWARDED_ALLOW_IPS"
"""uvicorn's variable: the proxies whose headers tell the client's address and scheme, separated by commas."""
TRUSTED_BY_DEFAULT = "127.0.0.1,::1"
PROGRAMS = {"haproxy": "haproxy", "setpriv": "util-linux"}
"""The programs that are needed, each with its package."""
ALIVE = "/assets/mark.svg"
"""An address that a process answers whatever the state of the database.

With ``/healthz``, a database that is away would take all processes out, and nobody would read why.
"""
MOST_CONNECTIONS = 20_000
_OTHER_FILES = 200

CONFIGURATION = """\
global
    maxconn {most}
defaults
    mode http
    option redispatch 1
    option forwardfor
    retries 3
    retry-on conn-failure empty-response
    timeout connect 5s
    timeout client 60s
    timeout server 10m
    timeout http-request 30s
    timeout http-keep-alive 60s
    timeout queue 30s
    timeout check 10s
    timeout tunnel 1h
    errorfile 502 {error}
    errorfile 503 {error}
    errorfile 504 {error}
frontend people
    bind {address}
{trust}    http-request disable-l7-retry unless METH_GET
    http-request set-header X-Request-ID %[uuid]
    http-request set-header X-Forwarded-Proto http unless {{ req.hdr(X-Forwarded-Proto) -m found }}
    http-request set-var(txn.scheme) req.hdr(X-Forwarded-Proto)
    http-after-response replace-header Set-Cookie ^({cookie}=.*)$ \\1;\\ Secure if {{ var(txn.scheme) -m str https }}
    default_backend touchstone
backend touchstone
    balance leastconn
    cookie {cookie} insert indirect nocache httponly attr "SameSite=Lax"
    option httpchk GET {alive}
    http-check send hdr Host 127.0.0.1
    default-server check inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}"""


def program(name: str) -> str:
    """Return the path of a needed program. Raise ``NotAvailableError`` with its package if it is not installed."""
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]))
    if found is None:
        raise NotAvailableError(
            f"Several web processes need the program {name}, which is not installed. Install the system package "
            f"{PROGRAMS[name]}, or start the server without --processes."
        )
    return found


def command(configuration: Path) -> Sequence[str]:
    """Return the command of the front server. The system ends it when the thread that started it ends."""
    return [program("setpriv"), "--pdeathsig", "TERM", program("haproxy"), "-db", "-f", str(configuration)]


def write(folder: Path, *, host: str, port: int, sockets: Sequence[Path]) -> Path:
    """Write the configuration and its error page into a folder, have HAProxy check it, and return its path.

    Raises
    ------
    SettingsError
        HAProxy refuses the configuration. The message has HAProxy's reason.
    """
    error = folder / "unavailable.http"
    error.write_bytes(_error_page())
    path = folder / "haproxy.cfg"
    path.write_text(_configuration(host, port, sockets, error, os.environ.get(TRUSTED, "")), encoding="utf-8")
    checked = subprocess.run(
        [program("haproxy"), "-c", "-f", str(path)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if checked.returncode:
        raise SettingsError(
            f"HAProxy refuses the configuration that Touchstone wrote: {checked.stderr.strip()} Install HAProxy 2.6 or "
            "newer, or start the server without --processes."
        )
    return path


def _configuration(host: str, port: int, sockets: Sequence[Path], error: Path, trusted: str) -> str:
    servers = [f"    server {path.stem} unix@{path} cookie {path.stem}\n" for path in sockets]
    return CONFIGURATION.format(
        most=_most_connections(),
        error=error,
        address=_bound(host, port),
        trust=_distrust(trusted or TRUSTED_BY_DEFAULT),
        cookie=COOKIE,
        alive=ALIVE,
        servers="".join(servers),
    )


def _most_connections() -> int:
    """Return how many clients fit this machine's limit of open files. Each needs two: its own, and one to a process."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if hard == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, (hard - _OTHER_FILES) // 2)


def _bound(host: str, port: int) -> str:
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    return f"ipv6@[{address[0]}]:{port}" if family == socket.AF_INET6 else f"ipv4@{address[0]}:{port}"


def _distrust(trusted: str) -> str:
    """Return the lines that remove the scheme that a client claims, unless the client is a trusted proxy.

    The client's address needs no line: uvicorn believes the address that HAProxy has appended.
    """
    if trusted.strip() == "*":
        return ""
    addresses = [part.strip() for part in trusted.split(",") if _is_address(part.strip())]
    known = f" unless {{ src {' '.join(addresses)} }}" if addresses else ""
    return f"    http-request del-header X-Forwarded-Proto{known}\n"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _error_page() -> bytes:
    """Return the reply while no process answers, such as in the seconds after the start."""
    body = plain_pages.page(
        "Not available now",
        plain_pages.paragraph("The server is starting. Your work is kept.")
        + plain_pages.paragraph("This page retries automatically."),
        again=RETRY_SECONDS,
    ).encode()
    head = (
        "HTTP/1.1 503 Service Unavailable",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        f"Retry-After: {RETRY_SECONDS}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'",
    )
    return "\r\n".join([*head, "", ""]).encode() + body
