"""The real ``touchstone`` command, as a process of its own."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakValueDictionary

from testkit import missing_media
from testkit.forked import Forked
from testkit.paths import ROOT

COMMAND = [sys.executable, "-c", "from app.cli import main; main()"]
"""``touchstone``, from this checkout, whatever is installed."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment in which a command sees ``home`` and nothing of this machine's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TOUCHSTONE_", "STREAMLIT_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # else each command would compile all of our modules
    return {**kept, "TOUCHSTONE_HOME": str(home), "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200", **more}


def touchstone(*arguments: str | Path, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; the caller looks at ``returncode``, ``stdout`` and ``stderr``."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = Forked(arguments, env=environment(home, **more), cwd=ROOT, out=out, err=err)
        try:
            status = process.wait(300)
        finally:
            process.kill()
        return subprocess.CompletedProcess(
            ["touchstone", *map(str, arguments)],
            status,
            out.read_text(encoding="utf-8"),
            err.read_text(encoding="utf-8"),
        )


def free_port() -> int:
    """A port of this machine that no one listens on just now.

    The system takes ports for connections from a range of its own. None of these: between this look and the moment at
    which a server listens, a connection might get it.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8").split()[0])
    while True:
        port = random.SystemRandom().randrange(11_000, max(lowest, 12_000))  # browsers refuse a few ports below these
        if _is_free(port):
            return port


_ports: WeakValueDictionary[int, Server] = WeakValueDictionary()
"""Who has which port."""
_known: list[int] = []
"""Ports that servers of this process have had. A browser has their code already, fetched and compiled."""


def _port_for(server: Server) -> int:
    """A port that an earlier server has left, or a new one."""
    port = next((port for port in _known if port not in _ports and _is_free(port)), None)
    if port is None:
        port = free_port()
        _known.append(port)
    _ports[port] = server
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does it
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Server:
    """``touchstone serve`` on one port and one home; it can be killed and started again."""

    def __init__(self, home: Path, *, worker: bool = False, processes: int = 1, **more: str) -> None:
        self.home, self.port, self._more = home, _port_for(self), more
        self.processes = processes
        self.database = more.get("TOUCHSTONE_DATABASE_URL")
        self.worker = worker
        self.process: Forked | None = None
        self.log = home.parent / f"serve-{self.port}.log"

    @property
    def url(self) -> str:
        """Where the server answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def start(self, *, wait_seconds: float = 180) -> Server:
        """Start the command and wait until ``/healthz`` answers. Images that no one has brought in get a small
        picture before."""
        assert self.process is None, "already running"
        missing_media.fill_home(self.home, self.database)
        self.process = Forked(
            [
                "serve",
                *("--port", str(self.port), "--worker" if self.worker else "--no-worker"),
                *(["--processes", str(self.processes)] if self.processes > 1 else []),
            ],
            env=environment(self.home, **self._more),
            cwd=ROOT,
            out=self.log,
            err=self.log,
        )
        end = time.monotonic() + wait_seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"touchstone serve ended by itself:\n{self.output()[-3000:]}")
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as reply:
                    if reply.status == 200:
                        return self
            except urllib.error.HTTPError as error:
                error.close()
            except OSError:
                pass
            time.sleep(0.03)
        raise RuntimeError(f"touchstone serve did not answer within {wait_seconds:.0f} s:\n{self.output()[-3000:]}")

    @property
    def memory(self) -> float:
        """What the web process itself, without the worker next to it, holds in memory; in megabytes."""
        assert self.process is not None
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS:"))) / 1024

    @property
    def loaded(self) -> str:
        """The libraries that the web process has loaded, by their files."""
        assert self.process is not None
        return Path(f"/proc/{self.process.pid}/maps").read_text(encoding="utf-8")

    def web_process(self, name: str) -> int:
        """The id of one of several web processes: the one that the cookie of a browser names so."""
        assert self.process is not None
        found = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and _is_child(entry, self.process.pid, f"/{name}.sock")
        ]
        assert len(found) == 1, found
        return found[0]

    def output(self) -> str:
        """Everything that the server has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def kill(self) -> None:
        """SIGKILL the server and whatever it started: nothing gets a chance to tidy up."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the server to end, as Ctrl+C does; kill it if it has not after ten seconds."""
        self._end(signal.SIGINT)

    def restart(self) -> Server:
        """Kill and start on the same port and home."""
        self.kill()
        return self.start()

    def _end(self, sign: signal.Signals) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, sign)
            process.wait(10)
        except ProcessLookupError:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def _is_child(entry: Path, parent: int, word: str) -> bool:
    try:
        stat, line = (entry / "stat").read_text(encoding="utf-8"), (entry / "cmdline").read_text(encoding="utf-8")
    except OSError:  # it has just ended
        return False
    return int(stat.rpartition(")")[2].split()[1]) == parent and word in line
