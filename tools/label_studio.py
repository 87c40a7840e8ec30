"""A local Label Studio (community edition) in an environment of its own, for trying, for tests and for benchmarks.

make label-studio
"""

from __future__ import annotations

import argparse
import fcntl
import http.cookiejar
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.environments import environment  # noqa: E402

VERSION = "1.23.2"
FOLDER = ROOT / ".cache" / f"label-studio-{VERSION}"
"""Where it is installed: about 1 GB."""
CONSTRAINTS = ROOT / "tools" / "label_studio.txt"
ADMIN = "admin@example.org"

QUIET = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "true",
    "DEBUG": "false",
    "LOG_LEVEL": "WARNING",
}
"""It asks no one outside for anything."""
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ")
"""All that it sees of the environment of the person who starts it: it also reads names as plain as HOST and
PASSWORD."""
DATABASE = "label_studio.sqlite3"


def program() -> Path:
    """Its command; the environment is made on first use."""
    return environment(FOLDER, f"label-studio=={VERSION}", constraints=CONSTRAINTS) / "label-studio"


def migrated() -> Path:
    """An empty database with all migrations applied, made once: they take a minute, and a copy takes nothing."""
    command = program()
    path = command.parent.parent / "migrated.sqlite3"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            print("making an empty database (once, about a minute)", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as home:
                seen = _environment(Path(home), {"SECRET_KEY": secrets.token_hex(32)})
                done = subprocess.run(
                    [str(command), "version"],
                    cwd=home,
                    env=seen,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                )
                if done.returncode:
                    errors = done.stderr.decode(errors="replace")
                    raise RuntimeError(f"Label Studio could not make its database:\n{errors[-2000:]}")
                part = path.with_suffix(".part")
                shutil.copyfile(Path(home, "data", DATABASE), part)
                part.replace(path)
    return path


def _environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    return {**kept, **QUIET, "HOME": str(home), "LABEL_STUDIO_BASE_DATA_DIR": str(home / "data"), **more}


@dataclass(frozen=True)
class Account:
    """Someone with an account there, and what only they know."""

    address: str
    id: int
    email: str
    password: str
    token: str
    """Of the legacy kind."""
    personal: str
    """A personal access token, which is exchanged for short-lived ones."""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request to the server's API in their name; ``urllib.error.HTTPError`` if it is refused."""
        return call(self.address, method, path, body, token=self.token)


def call(address: str, method: str, path: str, body: Any = None, *, token: str) -> Any:
    """One request with a legacy token; what the server answers as JSON, None if nothing."""
    request = urllib.request.Request(
        address + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Token {token}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=300) as reply:
        text = reply.read()
    return json.loads(text) if text else None


class LabelStudio:
    """A stock server on loopback with its data in one folder; it can be killed and started again."""

    def __init__(self, folder: Path, port: int, **settings: str) -> None:
        self.folder, self.port, self._settings = folder, port, settings
        self.process: subprocess.Popen[bytes] | None = None
        self._secrets: dict[str, str] = {}
        self._admin: Account | None = None

    @property
    def url(self) -> str:
        """Where it answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def admin(self) -> Account:
        """Anyone who may do everything there."""
        if self._admin is None:
            token = self._secrets["token"]
            reply = call(self.url, "GET", "/api/current-user/whoami", token=token)
            personal = self._kept("personal", lambda: self._personal(token))
            self._admin = Account(self.url, reply["id"], ADMIN, self._secrets["password"], token, personal)
        return self._admin

    def start(self, *, wait_seconds: float = 240) -> LabelStudio:
        """Start it, wait until it is healthy, and make the admin on the first start."""
        assert self.process is None, "already running"
        if not free(self.port):  # it would take the next port without a word
            raise RuntimeError(f"Port {self.port} of this machine is in use; choose another one.")
        (self.folder / "data").mkdir(parents=True, exist_ok=True)
        database = self.folder / "data" / DATABASE
        if not database.exists():
            shutil.copyfile(migrated(), database)
        made = {
            "SECRET_KEY": self._kept("secret", lambda: secrets.token_hex(32)),
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_USERNAME": ADMIN,
            "LABEL_STUDIO_PASSWORD": self._kept("password", lambda: secrets.token_urlsafe(12)),
            "LABEL_STUDIO_USER_TOKEN": self._kept("token", lambda: secrets.token_hex(20)),
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(str(program()), "start", "--internal-host", "127.0.0.1", "--port", str(self.port)),
                    *("--no-browser", "--log-level", "WARNING"),
                ],
                cwd=self.folder,
                env=_environment(self.folder, {**made, **self._settings}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + wait_seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    return self
            except OSError:
                time.sleep(0.2)
        self.kill()
        raise RuntimeError(f"Label Studio did not start:\n{self.output()[-2000:]}")

    @property
    def log(self) -> Path:
        """What it prints."""
        return self.folder / "server.log"

    def output(self) -> str:
        """Everything that it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def kill(self) -> None:
        """SIGKILL: nothing gets a chance to tidy up."""
        process, self.process = self.process, None
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)

    def sign_up(self, email: str) -> Account:
        """Let someone make an account by the invitation, as they would in a browser."""
        address = self.url + self.admin.call("GET", "/api/invite")["invite_url"]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        page = browser.open(address, timeout=60).read().decode()
        match = re.search(r'csrfmiddlewaretoken" value="([^"]+)', page)
        password = secrets.token_urlsafe(12)
        form = {"csrfmiddlewaretoken": match.group(1) if match else "", "email": email, "password": password}
        sent = urllib.request.Request(address, urllib.parse.urlencode(form).encode(), {"Referer": address})
        browser.open(sent, timeout=60).read()
        token = str(json.loads(browser.open(f"{self.url}/api/current-user/token", timeout=60).read())["token"])
        number = int(call(self.url, "GET", "/api/current-user/whoami", token=token)["id"])
        return Account(self.url, number, email, password, token, self._personal(token))

    def _personal(self, token: str) -> str:
        return str(call(self.url, "POST", "/api/token/", {}, token=token)["token"])

    def _kept(self, name: str, make: Any) -> str:
        """A secret of this server, made at random when it is first needed, and readable for its owner only."""
        path = self.folder / "secrets.json"
        if not self._secrets and path.exists():
            self._secrets = json.loads(path.read_text(encoding="utf-8"))
        if name not in self._secrets:
            self._secrets[name] = make()
            path.touch(mode=0o600)
            path.write_text(json.dumps(self._secrets), encoding="utf-8")
        return self._secrets[name]


def free(port: int) -> bool:
    """No one listens on this port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def accounts(server: LabelStudio, emails: Sequence[str]) -> list[Account]:
    """The accounts of these people; those who have none yet sign up."""
    path = server.folder / "people.json"
    known = (
        {account["email"]: account for account in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else {}
    )
    for email in emails:
        if email not in known:
            known[email] = asdict(server.sign_up(email))
            path.touch(mode=0o600)
            path.write_text(json.dumps(list(known.values())), encoding="utf-8")
    return [Account(**{**cast("dict[str, Any]", known[email]), "address": server.url}) for email in emails]


def main() -> int:
    """Start it, say who can sign in and with what, and run it until Ctrl+C."""
    parser = argparse.ArgumentParser(description="A local Label Studio for trying; Ctrl+C ends it.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--folder", type=Path, default=ROOT / "data" / "label-studio", help="its data; kept")
    parser.add_argument("--people", default="anna@example.org,ben@example.org,clara@example.org", help="who signs up")
    chosen = parser.parse_args()
    server = LabelStudio(chosen.folder.resolve(), chosen.port)
    try:
        server.start()
        people = accounts(server, [email.strip() for email in chosen.people.split(",") if email.strip()])
        print(f"Label Studio {VERSION} answers on {server.url} (data and passwords in {server.folder})\n")
        for account in (server.admin, *people):
            print(f"  {account.email:<24} password {account.password}")
        print("\nTouchstone reaches it with the admin's token:\n")
        print(f"  export TOUCHSTONE_LABEL_STUDIO_URL={server.url}")
        print(f"  export TOUCHSTONE_LABEL_STUDIO_TOKEN={server.admin.personal}\n\nCtrl+C ends it.", flush=True)
        assert server.process is not None
        return server.process.wait()
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        server.kill()


if __name__ == "__main__":
    sys.exit(main())
