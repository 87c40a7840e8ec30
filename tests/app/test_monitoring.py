"""What the operator sees: metrics that agree with the database, and a log in JSON without anything people typed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from app.jobs.figures import FIGURES
from db import jobs
from domain.states import Stage
from testkit.serving import Server, environment, touchstone
from tests.app.client import Client, Reply
from tests.app.homes import PASSWORD, Home, make_home
from workflow.access import accounts
from workflow.annotate import claims, image_pool
from workflow.jobs import desk

TOKEN = "0123456789abcdef-scraper"
ITEM = {"question": "Zebra-question in my right hand?", "answer": "Zebra-answer."}
SECRETS = ("Zebra", "wrong-password-7", PASSWORD, TOKEN)
"""What people typed. The log must contain none of it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("monitored"), sqlite_template, pictures=6)


@pytest.fixture(scope="module")
def running(home: Home) -> Iterator[Server]:
    server = Server(home.path, TOUCHSTONE_LOG="json", TOUCHSTONE_COMMENTS_PER_MINUTE="2").start()
    yield server
    server.stop()


def _scrape(server: Server, **headers: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """The samples as the reference parser of OpenMetrics reads them, by name and values of labels in their order."""
    reply = Client(server.url).get("/metrics", **headers)
    assert reply.status == 200, reply.text
    assert reply.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    return _samples(reply.text)


def _samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    families = text_string_to_metric_families(text)
    return {(s.name, tuple(s.labels.values())): s.value for family in families for s in family.samples}


def _pick(client: Client, home: Home) -> str:
    store = home.store()
    free = image_pool.pool(store, person=accounts.find_person(store, login="ana"), project="tiny").assets
    store.close()
    reply = client.post("/api/pick", {"project": "tiny", "dimension": "counting", "assets": [free[0].id]})
    assert reply.status == 200, reply.text
    return str(reply.data["task"])


def _submit(client: Client, task: str, key: str, values: Any = ITEM) -> Reply:
    return client.post("/api/submit", {"task": task, "key": key, "values": values, "note": "Zebra-note"})


def _sql(home: Home, query: str) -> Any:
    with closing(sqlite3.connect(home.path / "touchstone.db")) as connection:
        return connection.execute(query).fetchone()[0]


def test_each_count_agrees_with_the_database_after_known_work(home: Home, running: Server) -> None:
    ana = Client(running.url).sign_in("ana", PASSWORD)
    first, second = _pick(ana, home), _pick(ana, home)
    assert _submit(ana, first, "one").data["repeated"] is False
    assert _submit(ana, first, "one").data["repeated"] is True
    assert _submit(ana, second, "two", {"question": "", "answer": ""}).status == 422
    assert _submit(ana, "no-such-task", "three").status == 404
    store = home.store()
    bo = accounts.find_person(store, login="bo")
    claims.next_task(store, person=bo, project="tiny", stage=Stage.VERIFICATION)
    picture = image_pool.pool(store, person=bo, project="tiny").assets[0].id
    with store.write() as session:
        now = store.now()
        due = now - timedelta(seconds=100)
        about: Any = {
            "project_id": None,
            "project": None,
            "person_id": None,
            "origin": None,
            "input": None,
            "files": {},
        }
        jobs.add(session, kind="of-no-one", slot="s", due_at=due, now=now, **about)
    store.close()
    seen = ana.get(f"/media/{picture}/original")
    assert seen.status == 200
    time.sleep(5.1)  # the counts of an earlier test's scrape are kept for five seconds
    found = _scrape(running)
    assert found["touchstone_submissions_total", ("acknowledged", "authoring")] == 1
    assert _sql(home, "SELECT count(*) FROM annotation WHERE stage = 'authoring'") == 1
    assert found["touchstone_submissions_total", ("repeated", "authoring")] == 1
    assert found["touchstone_submissions_total", ("refused", "authoring")] == 1
    assert found["touchstone_submissions_total", ("refused", "unknown")] == 1
    assert found["touchstone_http_requests_total", ("/api/submit", "200")] == 2
    assert found["touchstone_http_requests_total", ("/api/submit", "422")] == 1
    assert found["touchstone_http_request_seconds_count", ("/api/submit",)] == 4
    assert found["touchstone_http_sent_bytes_total", ("/media/{asset}/{size}",)] == len(seen.body)
    held = "SELECT count(*) FROM task WHERE state = 'claimed' AND stage = '{}'"
    assert found["touchstone_claims_open", ("authoring",)] == _sql(home, held.format("authoring")) == 1
    assert found["touchstone_claims_open", ("verification",)] == _sql(home, held.format("verification")) == 1
    assert found["touchstone_jobs", ("waiting",)] == 1
    assert 100 <= found["touchstone_job_oldest_waiting_seconds", ()] < 160
    assert found["touchstone_exposures_total", ()] == _sql(home, "SELECT count(*) FROM exposure") > 0
    assert found["touchstone_exposed_bytes_total", ()] == _sql(home, "SELECT sum(bytes) FROM exposure")
    assert found["touchstone_media_stored_bytes", ()] == _sql(home, "SELECT sum(bytes) FROM media_object")
    assert found["touchstone_database_up", ()] == 1
    assert found["touchstone_websockets_open", ()] == 0
    assert ("touchstone_last_backup_age_seconds", ()) not in found, "no backup was made"
    done = touchstone("backup", home.path.parent / "kept.tar", home=home.path)
    assert done.returncode == 0, done.stderr
    time.sleep(5.1)
    assert 5 <= _scrape(running)["touchstone_last_backup_age_seconds", ()] < 120


def test_the_process_is_measured_as_the_system_sees_it(running: Server) -> None:
    found = _scrape(running)
    assert running.process is not None
    folder = Path(f"/proc/{running.process.pid}")
    assert found["process_resident_memory_bytes", ()] / 2**20 == pytest.approx(running.memory, rel=0.2)
    assert abs(found["process_open_fds", ()] - len(list((folder / "fd").iterdir()))) <= 3
    limits = (folder / "limits").read_text()
    assert f" {found['process_max_fds', ()]:.0f} " in next(x for x in limits.splitlines() if "open files" in x)


def test_labels_hold_no_project_person_or_text(running: Server) -> None:
    text = Client(running.url).get("/metrics").text
    assert not [word for word in ("tiny", "ana", 'other"} ', *SECRETS) if word in text.replace('route="other"', "")]


def test_only_this_machine_reads_metrics_unless_a_token_is_set(running: Server, home: Home) -> None:
    client = Client(running.url)
    assert client.get("/metrics", X_Forwarded_For="203.0.113.9").status == 404
    assert client.get("/metrics", Host="annotate.example.org").status == 421
    server = Server(home.path, TOUCHSTONE_METRICS_TOKEN=TOKEN).start()
    try:
        client = Client(server.url)
        assert client.get("/metrics").status == client.get("/metrics", Authorization="Bearer 0").status == 401
        assert TOKEN not in client.get("/metrics").text
        assert _scrape(server, Authorization=f"Bearer {TOKEN}", X_Forwarded_For="203.0.113.9")
    finally:
        server.stop()


def _lines(server: Server) -> list[dict[str, Any]]:
    """The lines of the log; whatever else the server prints at its start is a sentence."""
    lines = server.output().splitlines()
    assert not [line for line in lines if not line.startswith(("{", "Touchstone "))]
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_the_log_has_no_text_of_people_and_an_error_page_names_its_request(home: Home, running: Server) -> None:
    made = touchstone("person", "link", "chi", "--address", running.url, home=home.path)
    link = made.stdout.strip().split(running.url)[1]
    made = touchstone("person", "invite", "tiny", "--role", "annotator", "--address", running.url, home=home.path)
    invitation = made.stdout.strip().split(running.url)[1]
    client = Client(running.url)
    client.send_form("/login", login="ana", password="wrong-password-7")
    client.get("/login?next=/Zebra-address")
    client.get("/Zebra-address", X_Request_ID="Zebra-id")
    client.get("/metrics", Authorization=f"Bearer {TOKEN}")
    client.get(invitation)
    assert client.send_form(invitation, login="Zebra", name="Zebra", password="short").status == 422
    chi = Client(running.url)
    assert chi.send_form(link).status == 303
    chi.csrf = chi.read_csrf()
    task = _pick(chi, home)
    chi.post("/api/draft", {"task": task, "seq": 1, "values": {"values": {"question": "Zebra-draft"}}})
    chi.post("/api/submit", {"task": task, "key": "k", "values": {**ITEM, "Zebra-field": "Zebra-value"}})
    chi.post("/api/submit", raw=b'{"task": "Zebra')
    assert _submit(chi, task, "k2").status == 200
    for n, status in enumerate((200, 200, 429)):
        reply = chi.post("/api/comment", {"task": task, "key": f"c{n}", "text": f"Zebra-comment {n}"})
        assert reply.status == status, reply.text
    assert "at most 2 comments a minute" in reply.text
    assert "TOUCHSTONE_COMMENTS_PER_MINUTE" in reply.text
    task = _pick(chi, home)
    with closing(sqlite3.connect(home.path / "touchstone.db")) as connection, connection:
        connection.execute("ALTER TABLE draft RENAME TO draft_away")
    broken = chi.post("/api/draft", {"task": task, "seq": 2, "values": {"values": {"question": "Zebra-draft 2"}}})
    with closing(sqlite3.connect(home.path / "touchstone.db")) as connection, connection:
        connection.execute("ALTER TABLE draft_away RENAME TO draft")
    assert broken.status == 500
    number = broken.headers["x-request-id"]
    assert number in broken.text
    (line,) = [line for line in _lines(running) if line["request"] == number and "traceback" in line]
    assert (line["level"], line["error"]) == ("error", "OperationalError")
    assert "no such table: draft" in line["traceback"]
    (line,) = [line for line in _lines(running) if line["request"] == number and "status" in line]
    assert (line["route"], line["method"], line["status"]) == ("/api/draft", "POST", 500)
    store = home.store()
    assert line["person"] == accounts.find_person(store, login="chi").id
    store.close()
    typed = [*SECRETS, link.split("/")[-1], invitation.split("/")[-1], chi.csrf, chi.cookies["touchstone_session"]]
    assert not [secret for secret in typed if secret in running.output()]


def test_the_id_of_a_trusted_front_server_is_kept_and_no_other(running: Server) -> None:
    client = Client(running.url)
    behind = {"X_Forwarded_For": "203.0.113.9"}
    assert client.get("/healthz", X_Request_ID="lab-7", **behind).headers["x-request-id"] == "lab-7"
    assert client.get("/healthz", X_Request_ID="lab 7", **behind).headers["x-request-id"] != "lab 7"
    assert client.get("/healthz", X_Request_ID="lab-7").headers["x-request-id"] != "lab-7"


def test_a_job_and_its_person_are_in_the_log(home: Home, running: Server) -> None:
    """A process of the server's takes the job within seconds, and fails because there is no such figure."""
    store = home.store()
    lea = accounts.find_person(store, login="lea")
    job = desk.begin(store, kind=FIGURES.name, slot="no-figure", by=lea, input={"Zebra": "Zebra-input"})
    store.close()
    end = time.monotonic() + 120
    lines: list[dict[str, Any]] = []
    while not any("state" in line for line in lines) and time.monotonic() < end:
        time.sleep(0.3)
        lines = [line for line in _lines(running) if line.get("job") == job.id]
    assert {line["person"] for line in lines} == {lea.id}
    assert (lines[-1]["state"], lines[-1]["kind"], lines[-1]["ms"] >= 0) == ("failed", FIGURES.name, True)
    assert "Zebra" not in running.output()


_COUNTING = """
import sys
from pathlib import Path
from app.serving.metrics import Metrics
from db.engine import open_store
home = Path(sys.argv[1])
metrics = Metrics(open_store(None, home), home)
metrics.opened()
metrics.ended(route="/x", status=200, seconds=0.2, sent=10, facts={})
for _ in sys.stdin:
    print(metrics.text().decode(), flush=True)
"""


def test_one_of_several_processes_answers_for_all(home: Home, tmp_path: Path) -> None:
    """Two processes count into one folder, as the web processes of one server do. One is killed."""
    env = environment(home.path, PROMETHEUS_MULTIPROC_DIR=str(tmp_path))
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": env}
    first, second = (subprocess.Popen([sys.executable, "-c", _COUNTING, str(home.path)], **pipes) for _ in range(2))

    def ask(process: subprocess.Popen[str]) -> dict[tuple[str, tuple[str, ...]], float]:
        assert process.stdin is not None
        assert process.stdout is not None
        print("", file=process.stdin, flush=True)
        text = "".join(iter(process.stdout.readline, "# EOF\n")) + "# EOF\n"
        process.stdout.readline()
        return _samples(text)

    try:
        ask(second)
        found = ask(first)
        assert found["touchstone_http_requests_total", ("/x", "200")] == 2
        assert found["touchstone_http_request_seconds_sum", ("/x",)] == pytest.approx(0.4)
        assert found["touchstone_websockets_open", ()] == found["touchstone_web_processes", ()] == 2
        second.kill()
        second.wait()
        found = ask(first)
        assert found["touchstone_http_requests_total", ("/x", "200")] == 2, "counters stay"
        assert found["touchstone_websockets_open", ()] == found["touchstone_web_processes", ()] == 1
    finally:
        for process in (first, second):
            process.kill()
            process.communicate()
