"""Several web processes behind HAProxy: addresses that nobody can make up, ends that leave nothing, and connections."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

from app.reruns.lost_fragments import redraw_lost_fragments
from app.serving import front_server, shared_uploads
from app.serving.connection_shares import SPARE, shares
from domain.errors import NotAvailableError
from testkit import postgres
from testkit.serving import Server, free_port, touchstone
from tests.paths import ROOT

STRANGER = "203.0.113.9"
NAMED = "198.51.100.7"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("several") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home, processes=2).start()
    yield server
    server.stop()


def _sign_in(server: Server, **headers: str) -> Mapping[str, list[str]]:
    """Try a wrong password; the headers of the reply."""
    request = urllib.request.Request(
        f"{server.url}/login",
        data=b"login=nobody&password=wrong",
        headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    with closing(refused.value) as reply:
        return {name.lower(): reply.headers.get_all(name) or [] for name in reply.headers}


def _origins(server: Server) -> list[str]:
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        rows = connection.execute("SELECT login FROM failed_login WHERE login <> '' ORDER BY id")
        return [key.rpartition(" ")[2] for (key,) in rows]


def test_the_address_of_a_client_is_the_last_one_that_no_trusted_proxy_has(serving: Server) -> None:
    """This machine is trusted by default, as an HTTPS proxy on it: of two addresses the later one counts."""
    before = len(_origins(serving))
    _sign_in(serving)
    _sign_in(serving, **{"X-Forwarded-For": STRANGER})
    _sign_in(serving, **{"X-Forwarded-For": f"{NAMED}, {STRANGER}"})
    assert _origins(serving)[before:] == ["127.0.0.1", STRANGER, STRANGER]


def test_cookies_are_secure_behind_https_only(serving: Server) -> None:
    def sticky(**headers: str) -> str:
        found = _sign_in(serving, **headers)["set-cookie"]
        return next(each for each in found if each.startswith(f"{front_server.COOKIE}="))

    assert re.fullmatch(r"touchstone_server=web[12]; path=/; HttpOnly; SameSite=Lax", sticky())
    assert sticky(**{"X-Forwarded-Proto": "https"}).endswith("; SameSite=Lax; Secure")


def test_the_address_and_scheme_of_strangers_are_not_believed(tmp_path: Path, sqlite_template: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home, processes=2, FORWARDED_ALLOW_IPS="192.0.2.1").start()
    try:
        headers = _sign_in(server, **{"X-Forwarded-For": STRANGER, "X-Forwarded-Proto": "https"})
        assert _origins(server) == ["127.0.0.1"]
        assert not any("Secure" in cookie for cookie in headers["set-cookie"])
    finally:
        server.stop()


def _left(server: Server, pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}/stat").exists() and _state(pid) != "Z"]


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def _children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True)
    return [int(line) for line in found.stdout.split()]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_the_server_ends(sign: signal.Signals, tmp_path: Path, sqlite_template: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home, processes=2, worker=True).start()
    try:
        assert server.process is not None
        children = _children(server.process.pid)
        assert len(children) == 4, "two web processes, the front server and a worker"
        os.kill(server.process.pid, sign)
        until = time.monotonic() + 60
        while _left(server, children) and time.monotonic() < until:
            time.sleep(0.1)
        assert _left(server, children) == []
    finally:
        server.kill()
    if sign == signal.SIGTERM:
        assert "restarts" not in server.output()


def test_a_dead_process_and_a_dead_front_server_are_started_again(serving: Server) -> None:
    assert serving.process is not None
    (front,) = [
        pid
        for pid in _children(serving.process.pid)
        if "haproxy" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    ]
    for pid, title in ((serving.web_process("web1"), "Web process 1"), (front, "The front server (HAProxy)")):
        os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 60
        while f"{title} ended with status -9. Touchstone restarts the process in 1 s." not in serving.output():
            assert time.monotonic() < until
            time.sleep(0.05)
    while len(_children(serving.process.pid)) < 3 or not _answers(serving):
        assert time.monotonic() < until
        time.sleep(0.1)


def _answers(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.url}/healthz", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def test_a_missing_program_is_named_before_anything_starts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_server.shutil, "which", lambda name, path: None)
    with pytest.raises(NotAvailableError, match="Install the system package util-linux"):
        front_server.program("setpriv")
    with pytest.raises(NotAvailableError, match=r"need the program haproxy.*Install the system package haproxy"):
        front_server.program("haproxy")


def test_connections_of_all_processes_fit_the_limit() -> None:
    """100 of PostgreSQL less 3 reserved ones. Four web processes with two job processes each, of 4 connections; a
    worker with 10 and two job processes: 8 x 4 + 10 + 2 x 4 = 50. Of 97, 5 stay free: 42 for four is 10 each."""
    four = shares(97, processes=4, worker=True)
    assert (four.of_web, four.total, four.problem) == (10, 90, None)
    assert four.total + SPARE <= 97
    one = shares(97, processes=1, worker=True)  # five job processes and the worker's two: 7 x 4 + 10 = 38
    assert (one.of_web, one.total) == (54, 92)
    assert shares(1000, processes=2, worker=False).of_web == 60


def test_too_many_processes_are_refused_with_the_numbers() -> None:
    """16 web processes at the least, 8 each: 128, with 32 job processes of 4 and no worker 256 in all."""
    many = shares(97, processes=16, worker=False)
    assert (many.of_web, many.total) == (8, 256)
    assert many.problem is not None
    assert many.problem.startswith("PostgreSQL allows 97 connections, but 16 web processes with 8 each")
    assert "Set max_connections of PostgreSQL to at least 264, or start fewer processes." in many.problem
    assert shares(97, processes=4, worker=True, wanted=12).problem is not None, "4 x 12 + 50 > 92"


def test_the_first_request_of_a_session_draws_the_whole_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later requests name what is to be drawn anew."""
    asked: list[str] = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda self, state: asked.append(state.fragment_id))
    redraw_lost_fragments()
    session: Any = SimpleNamespace()
    for _ in range(2):
        AppSession.request_rerun(session, ClientState(fragment_id="part"))
    assert asked == ["", "part"]


def test_an_upload_of_another_process_is_found_and_removed(tmp_path: Path) -> None:
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

    folder = tmp_path / "uploads"
    folder.mkdir()
    one, other = (shared_uploads.SharedUploads("/upload", folder=folder) for _ in range(2))
    file = UploadedFileRec("0b9f4a4e-6c53-4f8e-9d4e-2f1f6f1c7a11", "Items, 2.csv", "text/csv", b"a\n\x00b\n")
    one.add_file("s", file)
    one.add_file("s", UploadedFileRec("../x", "x", "", b""))
    assert other.get_files("t", [file.file_id, "../x", "unknown"]) == [file]
    assert [path.stat().st_mode & 0o777 for path in tmp_path.rglob("*") if path.is_file()] == [0o600]
    other.remove_file("t", file.file_id)
    assert list(folder.iterdir()) == []
    assert other.get_files("t", [file.file_id]) == []


@pytest.mark.postgres
def test_postgres_states_its_limit(postgres_cluster: postgres.Cluster, tmp_path: Path) -> None:
    url = postgres_cluster.url(postgres_cluster.create())
    done = touchstone(
        *("serve", "--processes", "32", "--no-worker"), home=tmp_path / "home", TOUCHSTONE_DATABASE_URL=url
    )
    assert done.returncode == 1
    assert "PostgreSQL allows 197 connections, but 32 web processes with 8 each" in done.stderr
    assert not (tmp_path / "home" / "media-links.key").exists()


EXAMPLES = ROOT / "examples" / "front_servers"
CHECKS = {"haproxy.cfg": ["haproxy", "-c", "-f"], "nginx.conf": ["nginx", "-t", "-c"]}
STARTS = {"haproxy.cfg": ["haproxy", "-db", "-f"], "nginx.conf": ["nginx", "-g", "daemon off;", "-c"]}


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[list[Server]]:
    """Two servers of one database, as on two machines."""
    home = tmp_path_factory.mktemp("machines") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    servers = [Server(home).start() for _ in range(2)]
    yield servers
    for server in servers:
        server.stop()


@pytest.mark.parametrize("name", CHECKS)
def test_the_example_for_several_machines_works(name: str, two_servers: list[Server], tmp_path: Path) -> None:
    """The real program takes the file, serves HTTPS, and moves people away from a server that has died."""
    port = free_port()
    pem = tmp_path / "annotate.example.org.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run([*made, "-keyout", str(pem), "-out", str(tmp_path / "crt")], check=True, capture_output=True)
    pem.write_bytes(pem.read_bytes() + (tmp_path / "crt").read_bytes())
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for server, address in zip(two_servers, ("10.0.0.11:8501", "10.0.0.12:8501"), strict=True):
        text = text.replace(address, server.url.removeprefix("http://"))
    text = re.sub(r"(bind |listen )[:\w]*443", rf"\g<1>127.0.0.1:{port}", text)
    text = re.sub(r"/etc/\w+/annotate.example.org.pem", str(pem), text)
    path = tmp_path / name
    path.write_text((f"pid {tmp_path / 'pid'};\n" if name == "nginx.conf" else "") + text, encoding="utf-8")
    checked = subprocess.run([*CHECKS[name], str(path)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    front = subprocess.Popen([*STARTS[name], str(path)])
    try:
        places = set()
        for _ in range(20):
            places.add(_place_over_https(port, None))
        assert len(places) > 1, "people are spread over the servers"
        if name == "haproxy.cfg":
            assert places == {"one", "two"}
        two_servers[0].kill()
        for place in places:
            _place_over_https(port, place)
    finally:
        front.terminate()
        front.wait(30)
        if two_servers[0].process is None:
            two_servers[0].start()


def _place_over_https(port: int, place: str | None) -> str:
    """Open the sign-in page; the cookie that names the server of this person."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    headers = {"Cookie": f"{front_server.COOKIE}={place}"} if place else {}
    until = time.monotonic() + 30
    while True:
        try:
            request = urllib.request.Request(f"https://127.0.0.1:{port}/login", headers=headers)
            with urllib.request.urlopen(request, timeout=30, context=trusting) as reply:
                assert reply.status == 200
                cookies = reply.headers.get_all("Set-Cookie")
                break
        except urllib.error.HTTPError:
            raise
        except OSError:  # it has only just been started
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    (sticky,) = [cookie for cookie in cookies if cookie.startswith(front_server.COOKIE)] or [f"={place};Secure"]
    assert "Secure" in sticky
    return str(sticky.partition("=")[2].partition(";")[0])
