"""What a working page sends, against the real server: it is kept, once, by its owner only, and refused in words."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from db.tables import ExposureRow, ItemRow, TaskRow
from domain.records import TaskView
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import UNVERIFIED
from testkit.pictures import video
from testkit.serving import Server
from tests.app.client import Client, Reply
from tests.app.homes import PASSWORD, Home, make_home
from workflow.access import accounts, memberships, projects
from workflow.annotate import claims, image_pool

ITEM = {"question": "What am I holding in my right hand?", "answer": "A red cup."}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("work"), sqlite_template, pictures=40)


@pytest.fixture(scope="module")
def running(home: Home) -> Iterator[Server]:
    server = Server(home.path).start()
    yield server
    server.stop()


@pytest.fixture
def ana(running: Server) -> Client:
    return Client(running.url).sign_in("ana", PASSWORD)


@pytest.fixture
def bo(running: Server) -> Client:
    return Client(running.url).sign_in("bo", PASSWORD)


def _free(home: Home, project: str = "tiny") -> list[str]:
    store = home.store()
    person = accounts.find_person(store, login="ana" if project == "tiny" else "olu")
    page = image_pool.pool(store, person=person, project=project)
    store.close()
    return [asset.id for asset in page.assets]


def _pick(client: Client, home: Home) -> str:
    reply = client.post("/api/pick", {"project": "tiny", "dimension": "counting", "assets": _free(home)[:1]})
    assert reply.status == 200, reply.text
    return str(reply.data["task"])


def _next(home: Home, login: str, stage: Stage) -> TaskView:
    store = home.store()
    task = claims.next_task(store, person=accounts.find_person(store, login=login), project="tiny", stage=stage)
    store.close()
    assert isinstance(task, TaskView), task
    return task


def _submit(client: Client, task: str, key: str, **more: object) -> Reply:
    return client.post("/api/submit", {"task": task, "key": key, "values": ITEM, **more})


def test_from_the_pool_to_a_verdict(home: Home, ana: Client, bo: Client, running: Server) -> None:
    task = _pick(ana, home)
    draft = ana.post("/api/draft", {"task": task, "seq": 1, "values": {"values": {"question": "What am"}}})
    assert (draft.status, draft.data["seq"]) == (200, 1)
    assert draft.headers["cache-control"] == "no-store"
    beat = ana.post("/api/heartbeat", {"task": task})
    assert (beat.status, "lease_until" in beat.data) == (200, True)
    written = _submit(ana, task, "write-1", seconds=41.5)
    assert (written.status, written.data["repeated"], written.data["state"]) == (200, False, "in_verification")
    item = written.data["item"]
    for voter, login in ((bo, "bo"), (Client(running.url).sign_in("chi", PASSWORD), "chi")):
        vote = voter.post(
            "/api/submit",
            {"task": _next(home, login, Stage.VERIFICATION).id, "key": f"vote-{login}", "values": {"fits": "yes"}},
        )
        assert (vote.status, vote.data["item"], vote.data["state"]) == (200, item, None)
    store = home.store()
    with store.read() as session:
        assert session.exec(select(ItemRow.state).where(ItemRow.public_id == item)).one() is ItemState.KEPT
    store.close()


def test_the_same_key_twice_is_one_submission(home: Home, ana: Client) -> None:
    task = _pick(ana, home)
    first, second = _submit(ana, task, "twice"), _submit(ana, task, "twice")
    assert (first.data["repeated"], second.data["repeated"]) == (False, True)
    assert first.data["item"] == second.data["item"]
    assert first.data["saved_at"] == second.data["saved_at"]


def test_an_older_draft_never_overwrites_a_newer_one(home: Home, ana: Client) -> None:
    task = _pick(ana, home)
    for seq, words in ((1, "a"), (3, "abc"), (2, "ab")):
        reply = ana.post("/api/draft", {"task": task, "seq": seq, "values": {"values": {"question": words}}})
    assert reply.data["seq"] == 3
    ana.post("/api/release", {"task": task})


def test_what_is_wrong_with_a_form_comes_back_field_by_field(home: Home, ana: Client) -> None:
    task = _pick(ana, home)
    reply = ana.post("/api/submit", {"task": task, "key": "bad-1", "values": {"question": "", "answer": ""}})
    assert reply.status == 422
    assert {problem["name"] for problem in reply.data["problems"]} == {"question", "answer"}
    assert reply.data["error"]
    assert ana.post("/api/release", {"task": task}).status == 200


def test_undo_brings_the_task_back(home: Home, ana: Client) -> None:
    task = _pick(ana, home)
    assert _submit(ana, task, "undo-1").status == 200
    reply = ana.post("/api/undo", {"project": "tiny", "stage": "authoring"})
    assert (reply.status, reply.data["task"]) == (200, task)
    assert _submit(ana, task, "undo-2").status == 200


def test_an_image_is_picked_once(home: Home, ana: Client, bo: Client) -> None:
    wanted = _free(home)[:1]
    first = ana.post("/api/pick", {"project": "tiny", "dimension": "counting", "assets": wanted})
    second = bo.post("/api/pick", {"project": "tiny", "dimension": "counting", "assets": wanted})
    assert (first.status, second.status) == (200, 409)
    ana.post("/api/release", {"task": first.data["task"]})


def test_someone_elses_task_does_not_exist(home: Home, ana: Client, bo: Client) -> None:
    task = _pick(ana, home)
    for path, more in (
        ("/api/draft", {"seq": 9, "values": {}}),
        ("/api/submit", {"key": "steal", "values": ITEM}),
        ("/api/release", {}),
        ("/api/postpone", {}),
        ("/api/heartbeat", {}),
    ):
        assert bo.post(path, {"task": task, **more}).status == 404, path
    assert bo.post("/api/draft", {"task": "nonsense", "seq": 1, "values": {}}).status == 404
    ana.post("/api/release", {"task": task})


def test_the_wording_of_texts_is_looked_at_while_someone_types(home: Home, ana: Client, bo: Client) -> None:
    store = home.store()
    rules = "wording: {ends_with: '?', words: {most: 3}, stops: [ends_with]}}"
    loaded = load_text(UNVERIFIED.replace("kind: text}", f"kind: text, {rules}"), "", "plain")
    projects.create_project(store, name="worded", loaded=loaded)
    memberships.set_member(store, by=None, project="worded", login="ana", role=Role.ANNOTATOR)
    store.close()
    about = {"project": "worded", "stage": "authoring"}
    seen = ana.post("/api/wording", {**about, "values": {"question": "What is in there", "unknown": [1]}})
    sentences = {
        "words": {"sentence": "The text has 4 words. Write at most 3.", "stops": False, "later": False},
        "ends_with": {"sentence": "End the text with \u201c?\u201d.", "stops": True, "later": True},
    }
    told = [{"field": "question", "rule": rule, **rest} for rule, rest in sentences.items()]
    assert (seen.status, seen.data) == (200, {"wording": told})
    assert ana.post("/api/wording", {**about, "values": {"question": {"a": []}}}).data == {"wording": []}
    for status, body in (
        (400, {**about}),
        (400, {**about, "values": []}),
        (400, {**about, "stage": "writing", "values": {}}),
        (403, {**about, "stage": "verification", "values": {}}),
        (404, {**about, "project": "other", "values": {}}),
        (413, {**about, "values": {"question": "a " * 50_000}}),
    ):
        assert ana.post("/api/wording", body).status == status, body
    assert bo.post("/api/wording", {**about, "values": {}}).status == 404


def test_another_project_s_images_and_pool_do_not_exist(home: Home, ana: Client) -> None:
    asset = _free(home, "other")[0]
    for size in ("thumb", "display", "original"):
        assert ana.get(f"/media/{asset}/{size}").status == 404
    assert ana.post("/api/pick", {"project": "other", "dimension": "counting", "assets": [asset]}).status == 404
    assert ana.post("/api/pick", {"project": "tiny", "dimension": "counting", "assets": [asset]}).status in (
        404,
        409,
        422,
    )
    assert ana.post("/api/undo", {"project": "other", "stage": "authoring"}).status == 404


@pytest.mark.parametrize("path", ["draft", "submit", "undo", "release", "postpone", "pick", "heartbeat"])
def test_every_change_needs_the_page_s_token_and_a_page_of_ours(running: Server, ana: Client, path: str) -> None:
    for reply in (
        ana.post(f"/api/{path}", {}, X_Touchstone_CSRF=None),
        ana.post(f"/api/{path}", {}, X_Touchstone_CSRF="wrong"),
        ana.post(f"/api/{path}", {}, Origin="https://evil.example"),
        ana.post(f"/api/{path}", {}, Sec_Fetch_Site="cross-site"),
    ):
        assert reply.status == 403
        assert reply.data["error"].endswith(".")
    assert Client(running.url).post(f"/api/{path}", {}).status == 401
    assert ana.get(f"/api/{path}").status == 404


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"null", 400),
        (b'"text"', 400),
        (b'{"task": "t", "seq": NaN, "values": {}}', 400),
        (b'{"task": "\\ud800", "seq": 1, "values": {}}', 400),
        (b'{"task": "t", "seq": 1, "values": {"a": "\\u0000"}}', 400),
        (b'{"task": 5, "seq": 1, "values": {}}', 400),
        (b'{"task": "t", "seq": true, "values": {}}', 400),
        (b'{"task": "t", "seq": -1, "values": {}}', 400),
        (b'{"task": "t", "seq": 99999999999999999999, "values": {}}', 400),
        (b'{"task": "t", "seq": 1, "values": []}', 400),
        (b'{"seq": 1, "values": {}}', 400),
        (b"\xff\xfe\x00", 400),
        (b'{"a":' * 100_000, 400),
        (b'{"task": "' + b"x" * 1_100_000 + b'"}', 413),
    ],
)
def test_malformed_requests_get_a_sentence(ana: Client, raw: bytes, status: int) -> None:
    reply = ana.post("/api/draft", raw=raw)
    assert reply.status == status, reply.text
    assert reply.data["error"].endswith(".")
    assert "Traceback" not in reply.text


def test_a_body_without_a_declared_length_is_cut_off_too(ana: Client) -> None:
    host, port = ana.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    headers = {
        "Cookie": f"touchstone_session={ana.cookies['touchstone_session']}",
        "X-Touchstone-CSRF": ana.csrf,
        "Content-Type": "application/json",
    }
    chunks = (b'"' + b"x" * 65_536 for _ in range(40))
    try:
        connection.request("POST", "/api/draft", body=chunks, headers=headers, encode_chunked=True)
        assert connection.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        connection.close()


def test_a_form_is_no_json(ana: Client) -> None:
    assert ana.post("/api/draft", raw=b"{}", Content_Type="text/plain").status == 400


def test_a_picture_comes_with_its_type_and_is_asked_for_once(home: Home, ana: Client) -> None:
    asset = _free(home)[0]
    thumb, original = ana.get(f"/media/{asset}/thumb"), ana.get(f"/media/{asset}/original")
    assert (thumb.status, thumb.headers["content-type"]) == (200, "image/webp")
    assert thumb.body[:4] + thumb.body[8:12] == b"RIFFWEBP"
    assert (original.status, original.headers["content-type"]) == (200, "image/png")
    assert original.body.startswith(b"\x89PNG")
    for reply in (thumb, original):
        assert reply.headers["cache-control"].startswith("private, max-age=")
        assert reply.headers["content-disposition"] == "inline"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in reply.headers["content-security-policy"]
    again = ana.get(f"/media/{asset}/thumb", If_None_Match=thumb.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert thumb.headers["etag"] != original.headers["etag"]


def test_a_reply_is_whole_and_says_by_hash_what_it_holds_and_not_since_when(home: Home, ana: Client) -> None:
    """The copy of an original is written when someone first opens it."""
    asset = _free(home)[0]
    for size in ("thumb", "display", "original"):
        reply = ana.get(f"/media/{asset}/{size}")
        assert "last-modified" not in reply.headers
        assert reply.headers["etag"] == f'"{hashlib.sha256(reply.body).hexdigest()}"'
        part = ana.get(f"/media/{asset}/{size}", Range="bytes=2-9", If_Range=reply.headers["etag"])
        assert (part.status, part.body) == (206, reply.body[2:10])
        assert ana.get(f"/media/{asset}/{size}", Range="bytes=2-9", If_Range='"other"').body == reply.body
        for path in (home.path / "media").glob(f"??/*/{size}.*"):
            path.write_bytes(path.read_bytes()[:-20])
        again = ana.get(f"/media/{asset}/{size}")
        assert (again.status, again.body) == (200, reply.body)


def test_a_clip_is_played_from_anywhere_and_shown_as_a_still(home: Home, running: Server, tmp_path: Path) -> None:
    clip = video(tmp_path / "clip.webm", [number / 10 for number in range(10)])
    store = home.store()
    projects.create_project(store, name="clips", loaded=load_schema(shipped()["tour"]))
    image_pool.add_to_pool(store, home.media(), by=None, project="clips", files=[("clip.webm", clip)])
    memberships.set_member(store, by=None, project="clips", login="olu", role=Role.LEAD)
    olu = accounts.find_person(store, login="olu")
    (asset,) = image_pool.pool(store, person=olu, project="clips").assets
    store.close()
    client = Client(running.url).sign_in("olu", PASSWORD)
    whole = client.get(f"/media/{asset.id}/original")
    assert (whole.status, whole.headers["content-type"]) == (200, "video/webm")
    assert whole.headers["accept-ranges"] == "bytes"
    end = client.get(f"/media/{asset.id}/original", Range="bytes=-10")
    assert (end.status, end.body) == (206, whole.body[-10:])
    for size in ("thumb", "display"):
        assert client.get(f"/media/{asset.id}/{size}").headers["content-type"] == "image/webp"


def test_a_part_of_a_file_can_be_asked_for(home: Home, ana: Client) -> None:
    asset = _free(home)[0]
    whole = ana.get(f"/media/{asset}/original")
    part = ana.get(f"/media/{asset}/original", Range="bytes=1-3")
    assert (part.status, part.body) == (206, b"PNG")
    assert part.headers["content-range"] == f"bytes 1-3/{len(whole.body)}"
    assert ana.get(f"/media/{asset}/original", Range="bytes=999999-").status == 416


@pytest.mark.parametrize(
    "path",
    [
        "/media/nonsense/thumb",
        "/media/nonsense/original",
        "/media/{asset}/huge",
        "/media/{asset}/..%2f..%2ftouchstone.db",
        "/media/..%2f..%2ftouchstone.db/original",
        "/media/{asset}/original/../../../touchstone.db",
    ],
)
def test_no_other_path_below_media_leads_to_a_file(home: Home, ana: Client, path: str) -> None:
    reply = ana.get(path.format(asset=_free(home)[0]))
    assert reply.status in (400, 404)
    assert b"SQLite" not in reply.body


def test_pictures_are_for_people_who_are_signed_in(home: Home, running: Server) -> None:
    assert Client(running.url).get(f"/media/{_free(home)[0]}/thumb").status == 401


def test_the_server_killed_while_typing_has_the_draft_afterwards(home: Home, ana: Client, running: Server) -> None:
    task = _pick(ana, home)
    words = "What am I hol"
    assert ana.post("/api/draft", {"task": task, "seq": 7, "values": {"values": {"question": words}}}).status == 200
    running.kill()
    running.start()
    assert ana.post("/api/draft", {"task": task, "seq": 6, "values": {"values": {"question": "W"}}}).data["seq"] == 7
    kept = _next(home, "ana", Stage.AUTHORING)
    assert kept.id == task
    assert kept.draft is not None
    assert kept.draft.values == {"values": {"question": words}}
    ana.post("/api/release", {"task": task})


def test_the_server_killed_while_submitting_has_each_submission_once(home: Home, ana: Client, running: Server) -> None:
    """Kill at several moments around a submit; the page sends the same key again until it is answered."""
    for round_number, wait in enumerate((0.0, 0.002, 0.005, 0.01, 0.03)):
        task, key = _pick(ana, home), f"killed-{round_number}"
        sent: list[Reply] = []

        def send(task: str = task, key: str = key, sent: list[Reply] = sent) -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):  # the connection dies: that is the point
                sent.append(_submit(ana, task, key))

        sender = threading.Thread(target=send)
        sender.start()
        time.sleep(wait)
        running.kill()
        sender.join(60)
        running.start()
        after = _submit(ana, task, key)
        assert after.status == 200, after.text
        if sent and sent[0].status == 200:
            assert after.data["repeated"] is True
        assert _submit(ana, task, key).data["repeated"] is True
        assert _annotations(home, key) == 1


def _annotations(home: Home, key: str) -> int:
    with sqlite3.connect(home.path / "touchstone.db") as database:
        columns = [row[1] for row in database.execute("pragma table_info(annotation)")]
        column = next(name for name in columns if "key" in name)
        found: int = database.execute(f"select count(*) from annotation where {column} = ?", (key,)).fetchone()[0]
        return found


def test_healthz_needs_no_one(running: Server) -> None:
    reply = Client(running.url).get("/healthz")
    assert (reply.status, json.loads(reply.text)["status"]) == (200, "ok")


def test_the_next_page_comes_with_the_answer_and_is_in_the_ledger(home: Home, ana: Client, bo: Client) -> None:
    for number in range(2):
        assert _submit(ana, _pick(ana, home), f"page-{number}").status == 200
    wish = {"project": "tiny", "stage": "verification", "have": None, "n": 7, "submitted": True, "again": 1}
    first = _next(home, "bo", Stage.VERIFICATION)
    body = {"task": first.id, "key": "with-page", "values": {"fits": "yes"}}
    reply = bo.post("/api/submit", {**body, "next": wish})
    page = reply.data["page"]
    assert (reply.status, page["view"], page["n"]) == (200, "task", 7)
    assert page["task"]["id"] != first.id
    again = bo.post("/api/page", {**wish, "n": 8}).data  # the same task once more
    assert (again["task"]["id"], again["n"]) == (page["task"]["id"], 8)
    store = home.store()
    with store.read() as session:
        ids = select(TaskRow.id).where(TaskRow.public_id == page["task"]["id"])
        sent = list(session.exec(select(ExposureRow.sha256).where(ExposureRow.task_id == ids.scalar_subquery())))
    store.close()
    assert sent == [hashlib.sha256(json.dumps(each).encode()).hexdigest() for each in (page, again)]
    lost = bo.post("/api/submit", {**body, "next": wish})  # the reply had not come: the same key once more
    assert (lost.data["repeated"], lost.data["page"]["task"]["id"]) == (True, page["task"]["id"])


def test_an_answer_is_stored_although_no_page_can_follow(home: Home, ana: Client, bo: Client) -> None:
    task = _pick(ana, home)
    stored = _submit(ana, task, "no-page", next={"project": "elsewhere", "stage": "verification"})
    assert (stored.status, stored.data["repeated"], stored.data["page"]) == (200, False, None)
    assert _submit(ana, task, "no-page").data["submission"] == stored.data["submission"]
    for wrong in ({"project": "tiny", "stage": "nonsense"}, {"stage": "verification"}):
        assert bo.post("/api/page", wrong).status == 400
    assert bo.post("/api/page", {"project": "elsewhere", "stage": "verification"}).status == 404
