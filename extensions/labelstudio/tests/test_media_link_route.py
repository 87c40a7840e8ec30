"""Test media for another tool's pages on the real server: only while a task is out, and only for its person."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PIL import Image
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.serving.signing_key import KEY_FILE, key_of
from db import tasks
from db.engine import Store
from db.tables import BridgePersonRow, BridgeProjectRow, BridgeRow, BridgeTaskRow, TaskRow
from domain.bridge import BridgeState
from domain.records import AssetView, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from extensions.labelstudio.serving.media_links import Links, token
from testkit.pictures import frames, video
from testkit.serving import Server
from tests.app.client import Client, Reply
from tests.app.homes import PASSWORD, Home, make_home, picture
from workflow.access import accounts, memberships, projects
from workflow.annotate import claims, image_pool, submissions
from workflow.lead.hand_over import hand_over

HOOK = "hook-secret-0123456789"
NOW = datetime.now(UTC)


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Home:
    return make_home(tmp_path, sqlite_template, pictures=3)


@pytest.fixture
def running(home: Home) -> Iterator[Server]:
    server = Server(
        home.path, TOUCHSTONE_LABEL_STUDIO_HOOK=HOOK, TOUCHSTONE_PUBLIC_URL="http://touchstone.test"
    ).start()
    yield server
    server.stop()


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    yield store
    store.close()


def who(store: Store, login: str) -> Person:
    return accounts.find_person(store, login=login)


def written(store: Store) -> None:
    """Let Ana write an item about a picture of the pool."""
    image = image_pool.pool(store, person=who(store, "ana"), project="tiny").assets[0].id
    task = image_pool.pick(store, person=who(store, "ana"), project="tiny", dimension="counting", assets=[image])
    item = {"question": "How many cups?", "answer": "Two."}
    submissions.submit(store, person=who(store, "ana"), task=task.id, key="w", values=item)


def sent(store: Store, task: str, key: str = "key-of-the-task", state: BridgeState = BridgeState.OUT) -> str:
    """Record that a claimed task is out on a server, as a push does. Return its key there."""
    with store.write() as session:
        row = session.exec(select(TaskRow).where(TaskRow.public_id == task)).one()
        bridge = session.exec(select(BridgeRow)).first() or BridgeRow(
            project_id=row.project_id, address="http://ls.test", created_at=NOW
        )
        session.add(bridge)
        session.flush()
        session.add(
            BridgePersonRow(bridge_id=bridge.id, person_id=row.person_id or 0, email="a@b.test", created_at=NOW)
        )
        there = BridgeProjectRow(
            bridge_id=bridge.id,
            person_id=row.person_id or 0,
            stage=row.stage,
            labeling_hash="h",
            outside_user=1,
            created_at=NOW,
        )
        session.add(there)
        session.flush()
        session.add(
            BridgeTaskRow(
                bridge_project_id=there.id,
                task_id=row.id,
                person_id=row.person_id or 0,
                key=key,
                state=state,
                created_at=NOW,
            )
        )
    return key


def stands(store: Store, key: str, state: BridgeState) -> None:
    with store.write() as session:
        row = session.exec(select(BridgeTaskRow).where(BridgeTaskRow.key == key)).one()
        row.state = state
        session.add(row)


@pytest.fixture
def task(store: Store) -> TaskView:
    """Return Bo's verification, which is out."""
    written(store)
    view = claims.next_task(store, person=who(store, "bo"), project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    sent(store, view.id)
    return view


def path_of(home: Home, asset: AssetView, key: str = "key-of-the-task") -> str:
    links = Links("http://touchstone.test", key_of(home.path))
    return links.link(key, asset, datetime.now(UTC) + timedelta(hours=1)).removeprefix("http://touchstone.test")


def ask(running: Server, path: str, **headers: str) -> Reply:
    """Send a request as a page of Label Studio does: from another origin, without a cookie."""
    from_there = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "image", "Referer": "http://ls.test/"}
    return Client(running.url).get(path, **from_there, **headers)


def test_a_page_elsewhere_shows_the_picture_of_a_task_that_is_out(home: Home, running: Server, task: TaskView) -> None:
    path = path_of(home, task.assets[0])
    reply = ask(running, path)
    assert (reply.status, reply.headers["content-type"]) == (200, "image/webp")
    assert reply.body[:4] + reply.body[8:12] == b"RIFFWEBP"
    assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in reply.headers["content-security-policy"]
    assert "immutable" not in reply.headers["cache-control"]
    assert reply.headers["cache-control"].startswith("private, max-age=")
    assert "set-cookie" not in reply.headers
    again = ask(running, path, If_None_Match=reply.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["cross-origin-resource-policy"] == "cross-origin"
    original = ask(running, path.replace("/display", "/original"))
    assert original.body.startswith(b"\x89PNG")
    assert ask(running, path, Host="touchstone.test").status == 200
    assert ask(running, path, Host="evil.example").status == 421
    assert Client(running.url).ask("POST", path).status == 405


def test_everything_that_is_wrong_looks_the_same(home: Home, running: Server, store: Store, task: TaskView) -> None:
    asset = task.assets[0]
    good = path_of(home, asset)
    assert ask(running, good).status == 200
    pooled = image_pool.pool(store, person=who(store, "ana"), project="tiny").assets[0]
    olu = who(store, "olu")
    other = image_pool.pool(store, person=olu, project="other").assets[0]
    key = key_of(home.path)
    late = token(key, task="key-of-the-task", asset=asset.id, until=store.now() - timedelta(seconds=1))
    wrong = {
        "its time is over": f"/media-link/{late}/display",
        "changed": good.replace("/media-link/", "/media-link/A"),
        "a forged one": "/media-link/forged/display",
        "another key": path_of(home, asset, key="key-of-another-task"),
        "the task's id instead of its key": path_of(home, asset, key=task.id),
        "a free picture of the pool": path_of(home, pooled),
        "a picture of another project": path_of(home, other),
        "no picture at all": path_of(home, AssetView("no-such-asset", "image", "image")),
        "no size": good.replace("/display", "/huge"),
        "the frames of a clip": good.replace("/display", "/frames"),
    }
    replies = {why: ask(running, path) for why, path in wrong.items()}
    assert {why: reply.status for why, reply in replies.items()} == dict.fromkeys(wrong, 404)
    told = {(reply.body, tuple(sorted(_steady(reply).items()))) for reply in replies.values()}
    assert len(told) == 1
    assert b"SQLite" not in ask(running, good.replace("/display", "/..%2f..%2ftouchstone.db")).body


def _steady(reply: Reply) -> dict[str, str]:
    return {name: value for name, value in reply.headers.items() if name not in ("date", "x-request-id")}


@pytest.mark.parametrize("state", [BridgeState.STORED, BridgeState.REMOVING, BridgeState.OVER])
def test_a_task_that_came_back_shows_nothing(
    home: Home, running: Server, store: Store, task: TaskView, state: BridgeState
) -> None:
    path = path_of(home, task.assets[0])
    assert ask(running, path).status == 200
    stands(store, "key-of-the-task", state)
    assert ask(running, path).status == 404
    stands(store, "key-of-the-task", BridgeState.SENDING)
    assert ask(running, path).status == 200


def test_a_link_ends_with_what_its_person_may_see(home: Home, running: Server, store: Store, task: TaskView) -> None:
    path = path_of(home, task.assets[0])

    def seen() -> int:
        return ask(running, path).status

    assert seen() == 200
    part = memberships.list_members(store, person=None, project="tiny")
    bo = next(member for member in part if member.person.login == "bo")
    memberships.set_member(store, by=None, project="tiny", login="bo", role=bo.role, stages=[Stage.GRADING])
    assert seen() == 404
    memberships.set_member(store, by=None, project="tiny", login="bo", role=bo.role)
    assert seen() == 200
    memberships.remove_member(store, by=None, project="tiny", login="bo")
    assert seen() == 404


def test_a_link_ends_with_the_account(home: Home, running: Server, store: Store, task: TaskView) -> None:
    path = path_of(home, task.assets[0])
    assert ask(running, path).status == 200
    accounts.set_active(store, login="bo", active=False)
    assert ask(running, path).status == 404


def test_a_link_ends_with_the_claim(home: Home, running: Server, store: Store, task: TaskView) -> None:
    path = path_of(home, task.assets[0])
    submissions.submit(store, person=who(store, "bo"), task=task.id, key="v", values={"fits": "yes"})
    assert ask(running, path).status == 404


def test_a_link_is_of_the_person_to_whom_the_task_was_sent(
    home: Home, running: Server, store: Store, task: TaskView
) -> None:
    """A lead gives the task to someone else while it is still there. The old link then shows nothing to anyone."""
    path = path_of(home, task.assets[0])
    assert ask(running, path).status == 200
    with store.write() as session:
        row = tasks.by_public_id(session, public_id=task.id)
        assert row is not None
        hand_over(session, row, to=who(store, "chi").id, by=who(store, "lea"), now=store.now())
    assert ask(running, path).status == 404


def test_a_new_key_ends_every_link(home: Home, running: Server, task: TaskView) -> None:
    path = path_of(home, task.assets[0])
    assert ask(running, path).status == 200
    (home.path / KEY_FILE).unlink()
    assert ask(running, path).status == 404
    assert ask(running, path_of(home, task.assets[0])).status == 200


def test_a_link_opens_nothing_else(home: Home, running: Server, task: TaskView) -> None:
    text = path_of(home, task.assets[0]).split("/")[2]
    signed = Client(running.url, cookies={"touchstone_session": text})
    assert signed.get(f"/media/{task.assets[0].id}/display").status == 401
    assert signed.get("/verify?project=tiny").status == 303
    assert signed.get(f"/link/{text}").status == 200  # a form; its content is checked
    assert signed.send_form(f"/link/{text}").status == 403
    client = Client(running.url).sign_in("bo", PASSWORD)
    assert client.get(f"/media/{text}/display").status == 404


def test_a_clip_is_fetched_in_parts(home: Home, running: Server, store: Store, tmp_path: Path) -> None:
    clip = video(tmp_path / "clip.webm", [number / 10 for number in range(10)])
    (tmp_path / "still.png").write_bytes(picture(99))
    projects.create_project(store, name="tour", loaded=load_schema(shipped()["tour"]))
    memberships.set_member(store, by=None, project="tour", login="ana", role=Role.ANNOTATOR)
    files = [("clip.webm", clip), ("still.png", tmp_path / "still.png")]
    image_pool.add_to_pool(store, home.media(), by=None, project="tour", files=files)
    ana = who(store, "ana")
    free = image_pool.pool(store, person=ana, project="tour").assets
    task = image_pool.pick(store, person=ana, project="tour", dimension="pointing", assets=[asset.id for asset in free])
    asset = next(asset for asset in task.assets if asset.kind == "clip")
    sent(store, task.id, key="key-of-the-clip")
    path = path_of(home, asset, key="key-of-the-clip")
    assert path.endswith("/original")
    whole = ask(running, path)
    (tmp_path / "back.webm").write_bytes(whole.body)
    assert (whole.status, whole.headers["content-type"]) == (200, "video/webm")
    assert list(frames(tmp_path / "back.webm")) == list(frames(clip))
    assert (b"Lavf" in clip.read_bytes(), b"Lavf" in whole.body) == (True, False)
    assert whole.headers["accept-ranges"] == "bytes"
    part = ask(running, path, Range="bytes=5-14")
    assert (part.status, part.body) == (206, whole.body[5:15])
    assert part.headers["cross-origin-resource-policy"] == "cross-origin"
    assert ask(running, path, Range="bytes=9999999-").status == 416


def test_what_an_item_points_at_is_drawn_into_its_picture(
    home: Home, running: Server, store: Store, tmp_path: Path
) -> None:
    grey = tmp_path / "grey.png"
    Image.new("RGB", (200, 100), (90, 90, 90)).save(grey)
    projects.create_project(store, name="tour", loaded=load_schema(shipped()["tour"]))
    for login in ("ana", "bo"):
        memberships.set_member(store, by=None, project="tour", login=login, role=Role.ANNOTATOR)
    image_pool.add_to_pool(store, home.media(), by=None, project="tour", files=[("grey.png", grey)])
    ana = who(store, "ana")
    free = image_pool.pool(store, person=ana, project="tour").assets
    task = image_pool.pick(store, person=ana, project="tour", dimension="pointing", assets=[free[0].id])
    box = {"image": 1, "x": 0.25, "y": 0.2, "w": 0.5, "h": 0.6, "label": "A"}
    item = {"question": "What is in A?", "answer": "Nothing.", "pointed": [box]}
    submissions.submit(store, person=ana, task=task.id, key="w", values=item)
    view = claims.next_task(store, person=who(store, "bo"), project="tour", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    sent(store, view.id)
    for size in ("display", "original"):
        reply = ask(running, path_of(home, view.assets[0]).replace("/display", f"/{size}"))
        assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
        seen = Image.open(io.BytesIO(reply.body)).convert("RGB")
        assert seen.size == (200, 100)
        # The left edge of the box is at a quarter of 200, halfway down. The picture's own gray is inside and outside.
        assert [seen.getpixel((x, 55)) for x in (20, 50, 100)] == [(90, 90, 90), (230, 0, 0), (90, 90, 90)]


def test_the_webhook_wants_the_secret_and_believes_nothing_else(home: Home, running: Server, store: Store) -> None:
    client = Client(running.url)

    def post(secret: str | None, body: bytes = b"{}", **more: str) -> Reply:
        headers = {"Content-Type": "application/json", **({} if secret is None else {"X-Touchstone-Hook": secret})}
        return client.ask("POST", "/label-studio/hook", body, {**headers, **more})

    assert (post(HOOK).status, post(HOOK).body) == (204, b"")
    for wrong in (None, "", "wrong", HOOK[:-1], HOOK + "x", HOOK.upper()):
        assert post(wrong).status == 403
    assert post("ü".encode().decode("latin-1")).status == 403
    assert post(HOOK, b"no json at all").status == 204
    assert post(HOOK, Origin="https://evil.example").status == 403
    assert client.get("/label-studio/hook").status == 405
    assert HOOK not in running.output()


def test_without_a_secret_there_is_no_webhook(home: Home) -> None:
    server = Server(home.path).start()
    try:
        reply = Client(server.url).ask("POST", "/label-studio/hook", b"{}", {"X-Touchstone-Hook": ""})
        assert (reply.status, "TOUCHSTONE_LABEL_STUDIO_HOOK" in reply.text) == (404, True)
    finally:
        server.stop()
