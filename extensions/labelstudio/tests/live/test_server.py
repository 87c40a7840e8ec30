"""Test that the shared server is an unchanged Label Studio with the accounts that the tests need."""

from __future__ import annotations

import json
import re
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.labelstudio.client import Client
from extensions.labelstudio.tests.live import server
from extensions.labelstudio.tokens import Token
from testkit.serving import free_port
from tests.paths import ROOT
from tools.label_studio import VERSION, Account, LabelStudio, free

pytestmark = pytest.mark.slow  # it starts that server, and sets it up the first time


def test_it_is_the_pinned_version_and_all_by_itself(label_studio: LabelStudio) -> None:
    assert label_studio.admin.call("GET", "/api/version")["release"] == VERSION == "1.23.2"
    assert label_studio.url.startswith("http://127.0.0.1:")
    assert stat.S_IMODE((label_studio.folder / "secrets.json").stat().st_mode) == 0o600


def test_people_sign_up_by_the_invitation_and_have_tokens_of_both_kinds(
    label_studio: LabelStudio, label_studio_person: Callable[[str], Account]
) -> None:
    anna = label_studio_person("anna.server@example.org")
    told = {user["id"]: user["email"] for user in label_studio.admin.call("GET", "/api/users")}
    assert told[anna.id] == anna.email
    bearer = server.short_lived(anna)
    me = urllib.request.Request(
        f"{label_studio.url}/api/current-user/whoami", headers={"Authorization": f"Bearer {bearer}"}
    )
    with urllib.request.urlopen(me, timeout=60) as reply:
        assert json.loads(reply.read())["id"] == anna.id


def test_people_work_there(label_studio: LabelStudio, label_studio_person: Callable[[str], Account]) -> None:
    anna = label_studio_person("anna.server@example.org")
    number = server.project(label_studio.admin, "people work there")
    server.put(label_studio.admin, number, [{"data": {"question": "One?"}}, {"data": {"question": "Two?"}}])
    first, second = server.tasks(anna, number)
    made = server.annotate(anna, first["id"], [server.choice("A")], seconds=2.5)
    assert server.upcoming(anna, number)["id"] == second["id"]
    server.change(anna, made, [server.choice("B")])
    server.skip(anna, second["id"])
    (kept,), (skipped,) = (task["annotations"] for task in server.tasks(anna, number))
    assert kept["result"][0]["value"] == {"choices": ["B"]}
    assert (kept["lead_time"], kept["was_cancelled"], skipped["was_cancelled"]) == (2.5, False, True)
    server.delete(anna, made)
    assert server.tasks(anna, number)[0]["annotations"] == []


def test_the_script_says_who_can_sign_in_and_which_token_to_use(tmp_path: Path) -> None:
    port, out = free_port(), tmp_path / "out"
    command = [sys.executable, "tools/label_studio.py", "--port", str(port), "--folder", str(tmp_path / "data")]
    with out.open("w") as file:
        process = subprocess.Popen(
            [*command, "--people", "anna@example.org"],
            cwd=ROOT,
            stdout=file,
            # if the tests run in the background of a shell, all processes that they start ignore Ctrl+C
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    end = time.monotonic() + 240
    while "Ctrl+C" not in out.read_text() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
    said = out.read_text()
    (token,) = re.findall(r"TOUCHSTONE_LABEL_STUDIO_TOKEN=(\S+)", said)
    assert re.findall(r"(\S+@\S+) +password \S{16}\n", said) == ["admin@example.org", "anna@example.org"]
    with Client(f"http://127.0.0.1:{port}", Token(token, whence="here")) as client:
        assert {user.email for user in client.users()} == {"admin@example.org", "anna@example.org"}
    with pytest.raises(RuntimeError, match=f"Port {port} of this machine is in use"):
        LabelStudio(tmp_path / "other", port).start()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert free(port)
