"""For each role: every page, every route, what may be seen and called there; and no byte of a secret for the blind.

A page or a route that is added without a row here fails the first test.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.routes import routes, routes_before, work
from app.routes.moved import MOVED
from app.screens import SCREENS
from app.services import Resources
from db.engine import Store, open_store
from domain.records import Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import Stage
from media.store import MediaStore
from testkit.browser import window
from testkit.comments import write_comment
from testkit.serving import Server
from tests.app.client import Client
from tests.app.homes import PASSWORD, picture
from tests.e2e.people import Desk
from tests.frames import open_page
from workflow.access import accounts, memberships, projects, sign_in
from workflow.annotate import claims, image_pool, submissions
from workflow.files import import_files
from workflow.runs import run_grading

pytestmark = pytest.mark.essential  # `make test` asks each page and route as each role

OPEN, NOTHING, REFUSED, SIGN_IN = "open", "nothing", "refused", "sign in"
"""A page with its content; a working page that says why there is no work; a sentence; the login page."""

NOBODY, STRANGER, AUTHOR, VERIFIER, GRADER, SENIOR, LEAD, ADMIN = ROLES = (
    "nobody",
    "stranger",
    "author",
    "verifier",
    "grader",
    "senior",
    "lead",
    "admin",
)
SIGNED_IN = ROLES[1:]

FOR_LEADS = dict.fromkeys(ROLES, REFUSED) | {NOBODY: SIGN_IN, LEAD: OPEN, ADMIN: OPEN}


def working(*who: str) -> dict[str, str]:
    """A working page: open to these, and to seniors, leads and admins, who have all stages here."""
    may = dict.fromkeys((*who, SENIOR, LEAD, ADMIN), OPEN)
    return dict.fromkeys(ROLES, NOTHING) | {NOBODY: SIGN_IN, STRANGER: REFUSED} | may


NO_SUCH_STAGE = working() | dict.fromkeys((SENIOR, LEAD, ADMIN), NOTHING)
"""The page of a stage that the schema does not have."""
NOTHING_WAITS = NO_SUCH_STAGE | dict.fromkeys((LEAD, ADMIN), OPEN)
"""The page of a stage in which nothing waits: leads see a preview of it."""

PAGES: Mapping[str, Mapping[str, str]] = {
    "my_work": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN},
    "my_submissions": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN, STRANGER: REFUSED},
    "notices": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN},
    "projects": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN},
    "comments": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN, STRANGER: REFUSED},
    "triage": NO_SUCH_STAGE,
    "author": working(AUTHOR),
    "verify": working(VERIFIER),
    **{f"verify_{number}": NO_SUCH_STAGE for number in range(2, 10)},
    "qualify": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN, STRANGER: REFUSED},
    "adjudicate": NO_SUCH_STAGE,
    "refine": NOTHING_WAITS,
    "grade": working(GRADER),
    "answer": NO_SUCH_STAGE,
    "compare": NO_SUCH_STAGE,
    "code": NOTHING_WAITS,
    "settle_codes": NOTHING_WAITS,
    "preview": FOR_LEADS | {SENIOR: OPEN},
    "overview": FOR_LEADS,
    "items": FOR_LEADS | {SENIOR: OPEN},
    "gold": FOR_LEADS,
    "scorecard": FOR_LEADS,
    "guideline": FOR_LEADS,
    "schema": FOR_LEADS,
    "schedule": FOR_LEADS,
    "people": FOR_LEADS,
    "label_studio": FOR_LEADS,
    "import_": FOR_LEADS,
    "models": FOR_LEADS,
    "judges": FOR_LEADS,
    "results": FOR_LEADS,
    "preferences": FOR_LEADS,
    "variants": FOR_LEADS,
    "tables": FOR_LEADS,
    "shortcuts": FOR_LEADS,
    "goals": FOR_LEADS,
    "frames": FOR_LEADS,
    "pipelines": FOR_LEADS,
    "privacy": FOR_LEADS,
    "drafting": FOR_LEADS,
    "regression": FOR_LEADS,
    "cases": FOR_LEADS,
    "leaderboard": FOR_LEADS,
    "failures": FOR_LEADS,
    "agreement": FOR_LEADS,
    "calibration": FOR_LEADS,
    "export": FOR_LEADS,
    "release": FOR_LEADS,
    "past_releases": FOR_LEADS,
    "data_card": FOR_LEADS,
    "new_project": dict.fromkeys(ROLES, OPEN) | {NOBODY: SIGN_IN},
    "builder": FOR_LEADS,
    "project_settings": FOR_LEADS,
    "audit": FOR_LEADS,
    "more_tools": FOR_LEADS,
}

# What a request of each role is answered with. The task is the verifier's, the asset belongs to the item that they
# verify, the project is the one in which everyone but the stranger takes part.
HELD = dict.fromkeys(ROLES, 404) | {NOBODY: 401}
"""A task in someone else's hands does not exist for anyone, whatever their role."""
CREATORS = dict.fromkeys(ROLES, 403) | {NOBODY: 401, LEAD: 200, ADMIN: 200}
"""Only leads and admins build forms, because only they create projects."""
FORM = {"text": "", "guideline": ""}

ACTIONS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, int]]] = {
    "draft": ({"task": "TASK", "seq": 1, "values": {}}, HELD | {VERIFIER: 200}),
    "heartbeat": ({"task": "TASK"}, HELD | {VERIFIER: 200}),
    "submit": ({"task": "TASK", "key": "k", "values": {}}, HELD | {VERIFIER: 422}),
    "page": (
        {"project": "p", "stage": "verification", "zone": "UTC"},
        dict.fromkeys(ROLES, 200) | {NOBODY: 401, STRANGER: 404},
    ),
    "undo": ({"project": "p", "stage": "verification"}, dict.fromkeys(ROLES, 404) | {NOBODY: 401}),
    "pick": (
        {"project": "p", "dimension": "domestic_robot", "assets": ["no-such-asset"]},
        dict.fromkeys(ROLES, 404) | {NOBODY: 401, VERIFIER: 403, GRADER: 403},
    ),
    "guideline_seen": (
        {"project": "p", "number": 1},
        dict.fromkeys(ROLES, 200) | {NOBODY: 401, STRANGER: 404},
    ),
    "wording": (
        {"project": "p", "stage": "authoring", "values": {"question": "Q"}},
        dict.fromkeys(ROLES, 200) | {NOBODY: 401, STRANGER: 404, VERIFIER: 403, GRADER: 403},
    ),
    "keys": ({"stage": "verification", "keys": {}}, dict.fromkeys(ROLES, 200) | {NOBODY: 401}),
    "comments": ({"task": "TASK"}, HELD | {VERIFIER: 200}),
    "comment": ({"task": "TASK", "key": "k", "text": ""}, HELD | {VERIFIER: 422}),
    "postpone": ({"task": "TASK"}, HELD | {VERIFIER: 200}),
    "release": ({"task": "TASK"}, HELD | {VERIFIER: 200}),
    "form_check": ({**FORM, "revision": 0, "save": False}, CREATORS),
    "form_open": ({"published": "pca_bench"}, CREATORS),
    "form_list": ({}, CREATORS),
    "form_delete": ({"draft": "no-such-draft"}, CREATORS),
    "form_name": ({"title": "New form"}, CREATORS),
    "form_create": ({**FORM, "draft": "", "title": "New form", "name": ""}, CREATORS | {LEAD: 422, ADMIN: 422}),
}

GETS: Mapping[str, Mapping[str, int]] = {
    "/media/{asset}/{size}": dict.fromkeys(ROLES, 200) | {NOBODY: 401, STRANGER: 404},
    "/uncovered/{project}/{asset}": dict.fromkeys(ROLES, 403) | {NOBODY: 401, STRANGER: 404, LEAD: 200, ADMIN: 200},
    "/uncovered/{project}/{asset}/{part}": dict.fromkeys(ROLES, 403)
    | {NOBODY: 401, STRANGER: 404, LEAD: 404, ADMIN: 404},  # it is an image: tests/app/test_privacy_page.py has a clip
    "/release/{project}/{version}/{part}": dict.fromkeys(ROLES, 403)
    | {NOBODY: 303, STRANGER: 404, LEAD: 404, ADMIN: 404},
    "/frame/{project}/{set}/{stamp}/{number}/{size}": dict.fromkeys(ROLES, 403)
    | {NOBODY: 303, STRANGER: 404, LEAD: 404, ADMIN: 404},
    "/archive/{project}": dict.fromkeys(ROLES, 403) | {NOBODY: 303, STRANGER: 404, LEAD: 404, ADMIN: 404},
    "/media-link/{token}/{size}": dict.fromkeys(ROLES, 404),
    "/healthz": dict.fromkeys(ROLES, 200),
    "/login": dict.fromkeys(ROLES, 303) | {NOBODY: 200},
    "/demo": dict.fromkeys(ROLES, 303),  # this server is no demo: tests/app/test_demo_sign_in.py
    "/sessions": dict.fromkeys(ROLES, 200) | {NOBODY: 303},
    "/oidc/start": dict.fromkeys(ROLES, 404),  # this server has no provider: extensions/oidc/tests
    "/oidc/callback": dict.fromkeys(ROLES, 404),
    "/logout": dict.fromkeys(ROLES, 200) | {NOBODY: 303},
    "/link/{token}": dict.fromkeys(ROLES, 200),  # a form; what it sends is looked at when it is sent
    "/invite/{token}": dict.fromkeys(ROLES, 404),
    "/mail-off/{token}": dict.fromkeys(ROLES, 404),
    "/public/{project}": dict.fromkeys(ROLES, 404),  # no lead has made it public
    "/public/{project}/{part}": dict.fromkeys(ROLES, 404),
    **{path: dict.fromkeys(ROLES, 308) | {NOBODY: 303} for path in MOVED},
}
"""Tokens here are forged."""

FROM_OUTSIDE = {"/label-studio/hook"}
"""What other tools post, with a secret instead of a session: extensions/labelstudio/tests/test_media_link_route.py."""

OF_LEADS = {"/uncovered/{project}"}
"""What a page of leads posts: tests/app/test_privacy_page.py."""

OURS = {"/api/{rest:path}", "/assets/{name}", "/workbench/{version}/{name:path}", "/language"}
"""Files of the program itself, and the reply for what is no address."""


@dataclass(frozen=True)
class Planted:
    """Words that no one else would write, by who must not see them."""

    always: tuple[str, ...] = (
        "Zebulon Writerby",
        "login-of-the-writer",
        "Quentin Otherby",
        "login-of-the-other",
        "note-of-the-other",
        "file-name-of-the-picture",
        "name-of-the-source",
        "model-under-test-a",
        "model-under-test-b",
        "name-of-the-judge",
        "version-of-the-item",
        "question-of-the-other",
        "answer-held-back",
        "talk-between-seniors",
    )
    verification: tuple[str, ...] = ("reason-that-gives-the-key-away", "concept-that-gives-the-key-away")
    shown: tuple[str, ...] = ("Which cup is mine", "the green cup")
    """What raters do see, so that the search is known to find what is there."""


PLANTED = Planted()
HIDDEN = {
    STRANGER: (*PLANTED.always, *PLANTED.verification, *PLANTED.shown),
    VERIFIER: (*PLANTED.always, *PLANTED.verification),
    GRADER: PLANTED.always,
}
"""What no page may send, whichever someone asks for."""


@dataclass(frozen=True)
class World:
    """A served project with everything in it that someone must not see."""

    server: Server
    task: str
    asset: str
    gone: str
    """The token of someone who was deactivated after they had signed in."""
    voted: str
    """The question with a vote. The verifier's vote settles it, and then nobody can change theirs."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[World]:
    """pca_bench with written items, votes, models' answers, grades and a judge's ratings."""
    folder = tmp_path_factory.mktemp("who")
    home = folder / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    voted = _fill(store, MediaStore(home / "media"), folder)
    held = _claimed(store, "verifier", Stage.VERIFICATION)
    _talk(store, held)
    gone = _put_out(store)
    store.close()
    server = Server(home).start()
    yield World(server, held.id, held.assets[0].id, gone, voted)
    server.stop()


def _fill(store: Store, pictures: MediaStore, folder: Path) -> str:
    """Fill the project. Return the question with a vote."""
    loaded = load_schema(shipped()["pca_bench"])
    for name in ("p", "other"):
        projects.create_project(store, name=name, loaded=loaded)
    stages = {AUTHOR: [Stage.AUTHORING], VERIFIER: [Stage.VERIFICATION], GRADER: [Stage.GRADING]}
    for login in SIGNED_IN:
        role = {SENIOR: Role.SENIOR, LEAD: Role.LEAD}.get(login, Role.ANNOTATOR)
        accounts.create_person(store, login=login, name=login.title(), password=PASSWORD, is_admin=login == ADMIN)
        if login != ADMIN:
            place = "other" if login == STRANGER else "p"
            memberships.set_member(store, by=None, project=place, login=login, role=role, stages=stages.get(login))
    writer = _member(store, "login-of-the-writer", "Zebulon Writerby")
    other = _member(store, "login-of-the-other", "Quentin Otherby")
    for number in range(6):
        (folder / f"{number}.png").write_bytes(picture(number))
    files = [(f"file-name-of-the-picture-{number}.png", folder / f"{number}.png") for number in range(6)]
    image_pool.add_to_pool(store, pictures, by=None, project="p", files=files, source_of=lambda _: "name-of-the-source")
    for number, asset in enumerate(image_pool.pool(store, person=writer, project="p").assets[:4]):
        _write(store, writer, asset.id, number)
    view = _claimed(store, "login-of-the-other", Stage.VERIFICATION)
    key = {"choice": "the green cup"}
    submissions.submit(store, person=other, task=view.id, key="v", values=key, note="note-of-the-other")
    with closing(sqlite3.connect(store.engine.url.database or "")) as connection:
        names = [name for (name,) in connection.execute("SELECT external_id FROM item ORDER BY id")]
    answers = folder / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps(
                {"item": name, "model": f"model-under-test-{letter}", "text": f"I take the green cup ({letter})"}
            )
            + "\n"
            for name in names
            for letter in "ab"
        )
    )
    import_files.import_files(store, pictures, by=None, project="p", format="predictions", path=answers)
    run_grading.send_imports(store, by=None, project="p")
    graded = _claimed(store, "login-of-the-other", Stage.GRADING)
    grades = {"perception": 1, "cognition": 1, "action": 1}
    submissions.submit(store, person=other, task=graded.id, key="g", values=grades, note="note-of-the-other")
    judged = folder / "judged.csv"
    judged.write_text(f"unit,rater,criterion,value\n{names[0]}/model-under-test-a,name-of-the-judge,action,1\n")
    import_files.import_files(store, pictures, by=None, project="p", format="ratings", path=judged)
    return str(view.fields["question"])


def _talk(store: Store, held: TaskView) -> None:
    """Comments on every item, of seniors and of another rater; and an answer to the verifier that must wait."""
    boss = accounts.create_person(store, login="boss", name="Boss", password=PASSWORD)
    memberships.set_member(store, by=None, project="p", login="boss", role=Role.LEAD, stages=[])
    other = accounts.find_person(store, login="login-of-the-other")
    verifier, grader = (accounts.find_person(store, login=login) for login in (VERIFIER, GRADER))
    asked = write_comment(store, person=verifier, item=held.item, text="my own question")
    with closing(sqlite3.connect(store.engine.url.database or "")) as connection:
        items = [item for (item,) in connection.execute("SELECT public_id FROM item")]
        theirs = "SELECT item.public_id FROM task JOIN item ON item.id = task.item_id WHERE task.person_id = ?"
        held_by_other = [item for (item,) in connection.execute(theirs, (other.id,))]
    for item in held_by_other:
        write_comment(store, person=other, item=item, text="question-of-the-other @boss", to=[boss])
    for item in items:
        write_comment(store, person=boss, item=item, text="talk-between-seniors")
    to = [verifier, grader]
    write_comment(store, person=boss, item=held.item, text="answer-held-back", to=to, reply_to=asked)


def _put_out(store: Store) -> str:
    """Someone with every part in the project signs in, and is deactivated."""
    person = accounts.create_person(store, login="gone", name="Gone", password=PASSWORD, is_admin=True)
    token = sign_in.start_session(store, person=person)
    accounts.set_active(store, login="gone", active=False)
    return token


def _member(store: Store, login: str, name: str) -> Person:
    person = accounts.create_person(store, login=login, name=name, password=PASSWORD)
    memberships.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR)
    return person


def _write(store: Store, writer: Person, asset: str, number: int) -> None:
    view = image_pool.pick(store, person=writer, project="p", dimension="domestic_robot", assets=[asset])
    fields = {
        "question": f"Which cup is mine ({number})?",
        "actions": ["the red cup", "the green cup"],
        "answer": "the green cup",
        "reason": "reason-that-gives-the-key-away",
        "key_concepts": ["concept-that-gives-the-key-away"],
    }
    submissions.submit(store, person=writer, task=view.id, key=f"w{number}", values=fields)


def _claimed(store: Store, login: str, stage: Stage) -> TaskView:
    view = claims.next_task(store, person=accounts.find_person(store, login=login), project="p", stage=stage)
    assert isinstance(view, TaskView), view
    return view


def client(world: World, role: str) -> Client:
    """Someone of that role, signed in."""
    made = Client(world.server.url)
    return made if role == NOBODY else made.sign_in(role, PASSWORD)


# ---- nothing is forgotten -------------------------------------------------------------------------------------------


def test_every_page_and_every_route_has_its_row(world: World) -> None:
    assert set(PAGES) == {screen.name for screen in SCREENS.values()}
    assert set(ACTIONS) == {*work.PAGE_ACTIONS, *work.ACTIONS, *(added.name for added in work.added_actions())}
    store = open_store(None, world.server.home)
    shared = Resources(store, MediaStore(world.server.home / "media"), Settings(world.server.home, ""))
    served = {getattr(route, "path", "") for route in [*routes(shared), *routes_before(shared)]}
    store.close()
    assert set(GETS) | {f"/api/{name}" for name in ACTIONS} | FROM_OUTSIDE | OF_LEADS | OURS == served
    assert all(
        set(row) == set(ROLES) for row in [*PAGES.values(), *GETS.values(), *(row for _, row in ACTIONS.values())]
    )


# ---- pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_pages(world: World, role: str) -> None:
    person = client(world, role)
    paths = {screen.name: screen.path for screen in SCREENS.values()}
    found, sent = {}, b""
    for name in PAGES:
        reply = person.get(f"/{paths[name]}?project=p")
        if reply.status == 303:
            assert reply.headers["location"].startswith("/login")
            found[name] = SIGN_IN
            continue
        opened = open_page(world.server.url, path=paths[name], query="project=p", cookies=person.cookies)
        sent += opened.raw
        if opened.component is not None:
            found[name] = NOTHING if opened.component.get("view") == "nothing" else OPEN
        else:
            nothing = 'data-view="nothing"' in opened.html
            refusals = opened.html.count("ts-notice bad") - opened.html.count('data-part="loss-warning"')
            found[name] = REFUSED if refusals else NOTHING if nothing else OPEN
    assert found == {name: row[role] for name, row in PAGES.items()}
    assert not [word for word in HIDDEN.get(role, ()) if word.encode() in sent], "a secret was sent"
    if role in (VERIFIER, GRADER):
        assert PLANTED.shown[0].encode() in sent, "the search does not even find what is shown"


# ---- routes ---------------------------------------------------------------------------------------------------------


def addresses(world: World) -> dict[str, str]:
    """What is asked for at each of ``GETS``."""
    parts = {"asset": world.asset, "size": "display", "token": "forged", "project": "p", "part": "csv", "version": "1"}
    parts |= {"set": "none", "stamp": "0", "number": "0"}
    return {path: path.format(**parts) for path in GETS}


@pytest.mark.parametrize("role", ROLES)
def test_what_is_fetched(world: World, role: str) -> None:
    person = client(world, role)
    paths = addresses(world)
    found = {path: person.get(paths[path]).status for path in GETS}
    assert found == {path: row[role] for path, row in GETS.items()}


@pytest.mark.parametrize("role", [*(role for role in ROLES if role != VERIFIER), VERIFIER])  # who releases it is last
def test_what_is_posted(world: World, role: str) -> None:
    person = client(world, role)
    found = {
        name: person.post(
            f"/api/{name}", {key: world.task if value == "TASK" else value for key, value in body.items()}
        )
        for name, (body, _) in ACTIONS.items()
    }
    assert {name: reply.status for name, reply in found.items()} == {
        name: row[role] for name, (_, row) in ACTIONS.items()
    }
    if role not in (NOBODY, VERIFIER, LEAD, ADMIN):
        said = " ".join(reply.text for reply in found.values())
        assert not [word for word in (*PLANTED.always, *PLANTED.verification) if word in said]


def test_a_forged_link_or_invitation_lets_no_one_in(world: World) -> None:
    person = client(world, NOBODY)
    assert person.send_form("/link/forged").status == 403
    form = {"login": "new", "name": "New", "password": PASSWORD}
    assert person.send_form("/invite/forged", **form).status in (403, 404)
    assert person.get("/verify?project=p").status == 303


def test_someone_deactivated_is_no_one(world: World) -> None:
    person = Client(world.server.url, cookies={"touchstone_session": world.gone})
    for screen in SCREENS.values():
        assert person.get(f"/{screen.path}?project=p").status == 303
    paths = addresses(world)
    found = {path: person.get(paths[path]).status for path in GETS}
    assert found == {path: row[NOBODY] for path, row in GETS.items()}
    assert {name: person.post(f"/api/{name}", dict(body)).status for name, (body, _) in ACTIONS.items()} == {
        name: row[NOBODY] for name, (_, row) in ACTIONS.items()
    }
    assert "login" in person.send_form("/login", login="gone", password=PASSWORD).text


def test_who_wrote_an_item_neither_votes_on_it_nor_reads_what_is_said_of_it(world: World) -> None:
    writer = Client(world.server.url).sign_in("login-of-the-writer", PASSWORD)
    opened = open_page(world.server.url, path="verify", query="project=p", cookies=writer.cookies)
    assert opened.component is not None
    assert opened.component["view"] == "nothing"
    store = open_store(None, world.server.home)
    with closing(sqlite3.connect(store.engine.url.database or "")) as connection:
        items = [item for (item,) in connection.execute("SELECT public_id FROM item")]
    store.close()
    for item in items:
        assert writer.post("/api/comments", {"project": "p", "item": item}).status == 404
        history = open_page(world.server.url, path="items", query=f"project=p&item={item}", cookies=writer.cookies)
        assert "ts-notice bad" in history.html
        assert b"note-of-the-other" not in history.raw


def test_without_the_token_of_their_page_no_one_changes_anything(world: World) -> None:
    person = client(world, VERIFIER)
    for name, (body, _) in ACTIONS.items():
        assert person.post(f"/api/{name}", dict(body), X_Touchstone_CSRF="forged").status == 403


# ---- every byte of a blind session ----------------------------------------------------------------------------------


class Wire:
    """A way to the server that keeps every byte it sends: replies with their headers, and frames of websockets."""

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._parts: list[bytearray] = []
        self._ears = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._ears.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._ears.accept()
            except OSError:
                return  # closed
            server = socket.create_connection(self._to)
            threading.Thread(target=self._carry, args=(browser, server, None), daemon=True).start()
            self._parts.append(bytearray())
            threading.Thread(target=self._carry, args=(server, browser, self._parts[-1]), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket, kept: bytearray | None) -> None:
        with source, target:
            try:
                while chunk := source.recv(65536):
                    if kept is not None:
                        kept += chunk
                    target.sendall(chunk)
            except OSError:
                return  # the other side has hung up

    def sent(self) -> bytes:
        """All bytes so far, one connection after the other."""
        return b"\n".join(self._parts)

    def close(self) -> None:
        """Take no more connections."""
        self._ears.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("login", "page_name", "keys"), [(VERIFIER, "verify", ("1",)), (GRADER, "grade", ("1", "1", "1"))]
)
def test_no_byte_of_a_secret_reaches_the_blind(
    world: World, chromium: Browser, login: str, page_name: str, keys: tuple[str, ...]
) -> None:
    """Whatever a working page fetches; and what other pages send to someone who has answered, without a browser."""
    wire = Wire(world.server.port)
    plain = {"Accept-Encoding": "identity"}
    with window(chromium) as page:
        page.set_extra_http_headers(plain)
        desk = Desk(page, wire)
        page.goto(f"{wire.url}/login")
        page.fill("input[name=login]", login)
        page.fill("input[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="My work")).to_be_visible()
        desk.open(f"/{page_name}?project=p")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.press("g")  # the guideline
        desk.press("c")  # the comments
        expect(page.locator(".talkabout")).to_contain_text("Seniors and leads read")
        desk.press("Escape")
        if login == VERIFIER and world.voted in desk.bench.inner_text():
            desk.next_after(*keys)
        for press in (keys, "u", keys):  # answer, take back, answer again, and go on to the next
            desk.next_after(*press)
            if press == "u":  # for a second, an answer that is not changed is not sent again
                page.wait_for_function("since => Date.now() - since > 1000", arg=page.evaluate("Date.now()"))
        desk.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("submit from anywhere")
        desk.press("Escape")
    wire.close()
    sent = wire.sent()
    assert len(sent) > 100_000
    cookies = client(world, login).cookies
    for path in ("", "overview", "agreement", "results", "cases", "author", "people", "comments", "items"):
        sent += open_page(world.server.url, path=path, query="project=p", cookies=cookies).raw
    for word in PLANTED.shown:
        assert word.encode() in sent, f"the search does not even find {word!r}"
    assert not [word for word in HIDDEN[login] if word.encode() in sent], "a secret was sent"
