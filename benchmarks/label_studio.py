"""Label Studio (community edition) as a peer: its stock server, a project of pictures and one choice, and its queue.

It is installed into an environment of its own and only ever spoken to over its own addresses.
"""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import environment
from tests.serving import free_port

VERSION = "1.23.2"
ADMIN_TOKEN = "a" * 40
PASSWORD = "not-a-secret-1"

LABELING = """<View><Image name="picture" value="$picture"/><Header value="$question"/>
<Choices name="verdict" toName="picture" choice="single" required="true">
<Choice value="yes"/><Choice value="no"/></Choices></View>"""

QUIET = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "true",
    "DEBUG": "false",
    "LOG_LEVEL": "WARNING",
}
LOT = 1000
"""How many tasks are imported with one request."""


class LabelStudio:
    """A server on a project made for the occasion."""

    def __init__(self, folder: Path, questions: Sequence[str], *, overlap: int) -> None:
        self.folder, self.port, self.questions, self.overlap = folder, free_port(), questions, overlap
        self.process: subprocess.Popen[bytes] | None = None
        self.project = 0

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> LabelStudio:
        """Start the stock server, wait until it is healthy, and make the project."""
        program = environment(f"label-studio-{VERSION}", f"label-studio=={VERSION}") / "label-studio"
        self.folder.mkdir(parents=True)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("LABEL_STUDIO", "LS_", "SENTRY"))
        }
        made = {
            "HOME": str(self.folder),
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.folder / "data"),
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_USERNAME": "admin@localhost.test",
            "LABEL_STUDIO_PASSWORD": PASSWORD,
            "LABEL_STUDIO_USER_TOKEN": ADMIN_TOKEN,
            "SECRET_KEY": "benchmark-" + "x" * 40,
        }
        with (self.folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *(str(program), "start", "--internal-host", "127.0.0.1", "--port", str(self.port)),
                    *("--no-browser", "--log-level", "WARNING"),
                ],
                cwd=self.folder,
                env={**kept, **QUIET, **made},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + 240
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    break
            except OSError:
                time.sleep(0.25)
        else:
            text = (self.folder / "server.log").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"Label Studio did not start:\n{text}")
        self._make_project()
        return self

    def stop(self) -> None:
        """End the server."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.process = None

    def call(self, method: str, path: str, body: Any = None, *, token: str = ADMIN_TOKEN) -> Any:
        """One request to its API."""
        request = urllib.request.Request(
            self.url + path,
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Token {token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=300) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def people(self, count: int) -> list[str]:
        """Let so many people sign up over the invitation; their tokens."""
        invitation = self.call("GET", "/api/invite")["invite_url"]
        return [self._sign_up(invitation, f"person{number}@localhost.test") for number in range(count)]

    def stored(self) -> int:
        """How many answers the project holds."""
        return int(self.call("GET", f"/api/projects/{self.project}")["total_annotations_number"])

    def _make_project(self) -> None:
        made = {"title": "queue", "label_config": LABELING, "maximum_annotations": self.overlap}
        self.project = self.call("POST", "/api/projects", made)["id"]
        for begin in range(0, len(self.questions), LOT):
            lot = [
                {"data": {"picture": f"/static/icons/none-{begin + number}.png", "question": question}}
                for number, question in enumerate(self.questions[begin : begin + LOT])
            ]
            self.call("POST", f"/api/projects/{self.project}/import", lot)

    def _sign_up(self, invitation: str, email: str) -> str:
        jar = http.cookiejar.CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        address = self.url + invitation
        page = browser.open(address, timeout=60).read().decode()
        found = re.search(r'csrfmiddlewaretoken" value="([^"]+)', page)
        form = {"csrfmiddlewaretoken": found.group(1) if found else "", "email": email, "password": PASSWORD}
        sent = urllib.request.Request(address, urllib.parse.urlencode(form).encode(), {"Referer": address})
        browser.open(sent, timeout=60).read()
        reply = browser.open(f"{self.url}/api/current-user/token", timeout=60).read()
        return str(json.loads(reply)["token"])
