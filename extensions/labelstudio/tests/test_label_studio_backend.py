"""Test our models behind Label Studio's protocol for predictions: over HTTP, with a scripted model."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from PIL import Image

from db import projects, tasks
from db.engine import Store
from db.tables import BridgeProjectRow, BridgeRow, BridgeTaskRow
from domain.bridge import BridgeState
from domain.errors import BadRequestError, InvalidMediaError
from domain.records import Person
from domain.runs import Attempt, Outcome, Picture, Question
from domain.states import Stage
from extensions.labelstudio.controls import configuration
from extensions.labelstudio.exchange.draft_models import SentOut, task_behind
from extensions.labelstudio.serving import backend as module
from extensions.labelstudio.serving.backend import Backend, application
from extensions.labelstudio.serving.pictures import PictureFinder
from inference.opening import open_answerer
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit import tiny
from testkit.factories import claimed, make_items, make_person, make_project
from testkit.scripted import Asked, Reply, ScriptedServer, chat, error, hang, html

CONFIG = """<View>
  <Image name="picture" value="$image"/>
  <Text name="asked" value="$question"/>
  <Header value="What is it?"/>
  <TextArea name="words" toName="picture"/>
  <Header value="Does it fit?"/>
  <Choices name="fits" toName="picture" choice="single"><Choice value="Yes" alias="yes"/><Choice value="No"/></Choices>
  <Header value="What can be seen?"/>
  <Choices name="shown" toName="picture" choice="multiple"><Choice value="cup"/><Choice value="tap"/></Choices>
  <Header value="How clear is it?"/>
  <Rating name="clear" toName="picture" maxRating="4"/>
  <Header value="How many?"/>
  <Number name="count" toName="picture" min="0" max="9"/>
  <RectangleLabels name="boxes" toName="picture"><Label value="cup"/></RectangleLabels>
</View>"""
MANY = "<View>" + '<TextArea name="a" toName="b"/>' * 11 + "</View>"
SECRET = "open-sesame-93"


def task(number: int = 1, **data: Any) -> dict[str, Any]:
    return {"id": number, "project": 1, "data": {"question": "What is in the sink?", **data}}


def spec(url: str, **endpoint: Any) -> ModelSpec:
    quick = {"longest_wait_seconds": 0.05, "timeout_seconds": 5.0, "probe": False, "attempts": 1}
    return ModelSpec(
        name="scripted",
        adapter="endpoint",
        model="scripted",
        modality="images",
        endpoint=Endpoint(base_url=url, **{**quick, **endpoint}),
    )


def no_picture(value: str) -> Picture:
    raise InvalidMediaError(f"there is no file {value}. Touchstone does not download files.")


def sent_out(key: str) -> SentOut | None:
    return {
        "blind": SentOut(Stage.VERIFICATION),
        "settling": SentOut(Stage.ADJUDICATION),
        "open": SentOut(Stage.AUTHORING),
    }.get(key)


class BackendClient:
    """A backend on loopback, and requests to it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(
        self, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None, secret: str | None = None
    ) -> tuple[int, Any]:
        told = {"Content-Type": "application/json", **(headers or {})}
        if secret is not None:
            told["Authorization"] = "Basic " + base64.b64encode(f"any:{secret}".encode()).decode()
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, told)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read())

    def predict(self, *tasks: Mapping[str, Any], config: str = CONFIG) -> dict[str, Any]:
        """Send a request as a server does. The answer must have a list for each task."""
        params = {"login": None, "password": None, "context": None}
        body = {"tasks": tasks, "project": "1.1700000000", "label_config": config, "params": params}
        status, told = self("/predict", body)
        assert status == 200
        assert len(told["results"]) == len(tasks)
        found: dict[str, Any] = told
        return found


@contextmanager
def serving(backend: Backend, *, secret: str | None = None) -> Iterator[BackendClient]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(application(backend, secret=secret), log_level="critical", log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < end
        time.sleep(0.01)
    try:
        yield BackendClient(f"http://127.0.0.1:{listening.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


@contextmanager
def asked(
    script: Sequence[Reply] | Callable[[Asked, int], Reply], *, secret: str | None = None, **more: Any
) -> Iterator[tuple[BackendClient, ScriptedServer]]:
    """Yield a backend over an endpoint with scripted answers."""
    with ScriptedServer(script) as server:
        answerer = open_answerer(spec(server.url), strategy="generate")
        options = {"find": sent_out, "fetch": no_picture, **more}
        try:
            with serving(Backend(answerer, "scripted 1", **options), secret=secret) as asking:
                yield asking, server
        finally:
            answerer.close()


def by_question(replies: Mapping[str, str]) -> Callable[[Asked, int], Reply]:
    """Return a script that answers by the text above a control."""

    def script(request: Asked, number: int) -> Reply:
        return chat(next(reply for above, reply in replies.items() if above in request.text))

    return script


GOOD = {
    "What is it?": "A cup.",
    "Does it fit?": "yes",
    "What can be seen?": "- tap\n- cup",
    "How clear is it?": "3",
    "How many?": "2.",
}


def test_every_control_that_a_model_can_answer_gets_its_result() -> None:
    with asked(by_question(GOOD)) as (asking, server):
        told = asking.predict(task())
        [[prediction]] = told["results"]
        assert "errors" not in told
    assert prediction["model_version"] == "scripted 1"
    assert prediction["score"] is None
    assert {part["from_name"]: (part["type"], part["to_name"], part["value"]) for part in prediction["result"]} == {
        "words": ("textarea", "picture", {"text": ["A cup."]}),
        "fits": ("choices", "picture", {"choices": ["yes"]}),
        "shown": ("choices", "picture", {"choices": ["cup", "tap"]}),
        "clear": ("rating", "picture", {"rating": 3}),
        "count": ("number", "picture", {"number": 2}),
    }
    assert len(server.asked) == 5
    assert all("What is in the sink?" in request.text for request in server.asked)


def test_a_reply_that_no_control_can_hold_is_left_out_and_told() -> None:
    bad = {**GOOD, "Does it fit?": "perhaps", "How clear is it?": "5", "How many?": "a few"}
    with asked(by_question(bad)) as (asking, _):
        told = asking.predict(task())
    [[prediction]] = told["results"]
    assert [part["from_name"] for part in prediction["result"]] == ["words", "shown"]
    assert [line.split(":")[0] for line in told["errors"]] == ["Task 1, fits", "Task 1, clear", "Task 1, count"]


def test_choices_may_come_with_the_task() -> None:
    config = '<View><Text name="t" value="$question"/><Choices name="c" toName="t" value="$options"/></View>'
    with asked([chat("B")]) as (asking, _):
        told = asking.predict(task(options=[{"value": "a pan"}, {"value": "a lid"}]), task(2), config=config)
    assert [part["value"] for part in told["results"][0][0]["result"]] == [{"choices": ["a lid"]}]
    assert told["results"][1] == []
    assert "c has no choices in this task" in told["errors"][0]


WORDS = '<View><Image name="i" value="$image"/><TextArea name="w" toName="i"/></View>'


def test_the_picture_that_a_task_names_is_shown_to_the_model(tmp_path: Path) -> None:
    Image.new("RGB", (8, 6), (200, 0, 0)).save(tmp_path / "cup.png")
    ours = MediaStore(tmp_path / "ours")
    with (
        PictureFinder(ours, tmp_path / "cache", tmp_path) as found,
        asked([chat("a red thing")], fetch=found.named) as (asking, server),
    ):
        told = asking.predict(task(image="/data/upload/1/5d48d83e-cup.png"), task(2, image="none.png"), config=WORDS)
    assert told["results"][0][0]["result"][0]["value"] == {"text": ["a red thing"]}
    assert told["results"][1] == []
    assert "Touchstone does not download files" in told["errors"][0]
    assert len(server.asked) == 1
    parts = server.asked[0].body["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["image_url", "text"]


def test_tasks_of_blind_stages_get_no_prediction_and_no_question() -> None:
    with asked([chat("A cup.")]) as (asking, server):
        asked_about = [task(at, touchstone=key) for at, key in enumerate(("blind", "unknown", "open", "settling"), 1)]
        told = asking.predict(*asked_about, config=WORDS)
    assert told["results"][0] == []
    assert told["results"][1] == []
    assert len(told["results"][2]) == 1
    assert told["results"][3] == []
    assert "predictions are not available in the stage verification" in told["errors"][0]
    assert "is not a key of this project" in told["errors"][1]
    assert "predictions are not available in the stage adjudication" in told["errors"][2]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (html(), "Task 1, w"),
        (error(500), "Task 1, w"),
        (chat(""), "Task 1, w"),
        (error(401, "no such key"), "key"),
    ],
)
def test_a_model_that_fails_gives_empty_predictions_with_a_reason(reply: Reply, sentence: str) -> None:
    with asked([reply]) as (asking, _):
        told = asking.predict(task(), task(2), config=WORDS)
    assert told["results"] == [[], []]
    assert sentence in " ".join(told["errors"])


def test_a_model_that_cannot_be_asked_is_left_alone_for_a_while() -> None:
    now = [0.0]
    with asked([error(401), chat("A cup.")], clock=lambda: now[0]) as (asking, server):
        assert asking.predict(task(), config=WORDS)["results"] == [[]]
        now[0] = module.PAUSE - 1
        assert asking.predict(task(), config=WORDS)["results"] == [[]]
        assert len(server.asked) == 1
        now[0] = module.PAUSE + 1
        assert len(asking.predict(task(), config=WORDS)["results"][0]) == 1


class Raising:
    """A model that raises an error."""

    about: Mapping[str, Any] = {}

    def answer(self, questions: Sequence[Question], *, tell: Any, stop: Any) -> None:
        tell(Attempt(questions[0].unit_id, Outcome.ANSWERED, "A cup."))
        raise RuntimeError("out of memory")

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def test_what_was_answered_before_a_model_broke_is_given() -> None:
    with serving(Backend(Raising(), "broken 1", sent_out, no_picture)) as asking:
        told = asking.predict(task(), task(2), config=WORDS)
    assert [len(each) for each in told["results"]] == [1, 0]
    assert told["errors"] == ["The model failed: RuntimeError: out of memory"]


def test_a_request_ends_in_time_and_says_what_is_missing() -> None:
    with asked([hang(60)], seconds=0.5) as (asking, _):
        begun = time.monotonic()
        told = asking.predict(task(), config=WORDS)
        assert time.monotonic() - begun < 45
    assert told["results"] == [[]]
    assert told["errors"]


def test_health_setup_and_webhook() -> None:
    with asked([chat()]) as (asking, _):
        assert asking("/health") == (200, {"status": "UP", "model_class": "Touchstone", "model_version": "scripted 1"})
        setup = {"project": "1.1", "schema": CONFIG, "hostname": "http://x", "access_token": "t", "extra_params": None}
        assert asking("/setup", setup) == (200, {"model_version": "scripted 1"})
        status, told = asking("/webhook", {"action": "START_TRAINING"})
        assert (status, told["status"]) == (200, "ok")
        assert asking("/versions") == (200, {"versions": ["scripted 1"]})


def test_with_a_secret_nothing_is_told_without_it() -> None:
    with asked([chat()], secret=SECRET) as (asking, server):
        for path, body in (("/health", None), ("/setup", {}), ("/predict", {"tasks": []}), ("/webhook", {})):
            assert asking(path, body)[0] == 401
            assert asking(path, body, secret="wrong")[0] == 401
            assert asking(path, body, headers={"Authorization": "Basic %%%"})[0] == 401
        assert asking("/health", secret=SECRET)[0] == 200
        assert not server.asked


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"{", 400, "not valid JSON"),
        ([1], 400, "A request for predictions must have this form"),
        ({"tasks": [{"id": 1}], "label_config": CONFIG}, 400, "each with its `data`"),
        ({"tasks": [], "label_config": 1}, 400, "`label_config`"),
        ({"tasks": [], "label_config": "<View>"}, 400, "not XML"),
        ({"tasks": [], "label_config": '<!DOCTYPE a [<!ENTITY b "c">]><View>&b;</View>'}, 400, "entities"),
        ({"tasks": [], "label_config": "<View>" * 60 + "</View>" * 60}, 400, "too deep"),
        ({"tasks": [task()] * 1001, "label_config": CONFIG}, 413, "Send fewer tasks"),
        ({"tasks": [task()] * 1000, "label_config": MANY}, 413, "Send fewer tasks"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (b'"' + b"x" * 20_000_001 + b'"', 413, "20 MB"),
    ],
)
def test_hostile_requests_are_refused_in_words(body: Any, status: int, sentence: str) -> None:
    with asked([chat()]) as (asking, server):
        found, told = asking("/predict", body)
        assert (found, sentence in told["error"]) == (status, True)
        assert asking("/health")[0] == 200
        assert not server.asked


def test_another_name_for_this_machine_is_none_of_its_own() -> None:
    """A page in a browser may point a name of its own at this machine."""
    with asked([chat()]) as (asking, _):
        assert asking("/health", headers={"Host": "evil.example:9090"})[0] == 403
        assert asking("/health", headers={"Host": "localhost:9090"})[0] == 200


def test_what_is_shown_entry_by_entry_is_read_too() -> None:
    config = """<View><Repeater on="$shown"><View><Header value="$shown[{{idx}}].title"/>
    <Text name="s-{{idx}}" value="$shown[{{idx}}].text"/></View></Repeater>
    <TextArea name="question" toName="s-0"/><TextArea name="question-words" toName="s-0"/></View>"""
    with asked([chat("Which cup?")]) as (asking, server):
        told = asking.predict(task(touchstone="open", shown=[{"title": "Goal", "text": "Tea"}]), config=config)
    assert [part["from_name"] for part in told["results"][0][0]["result"]] == ["question"]
    assert "Goal" in server.asked[0].text
    assert "Tea" in server.asked[0].text


def test_a_form_of_a_page_in_someones_browser_is_refused() -> None:
    with asked([chat()]) as (asking, _):
        assert asking("/predict", {"tasks": []}, headers={"Content-Type": "text/plain"})[0] == 400


def test_a_configuration_that_asks_nothing_a_model_can_answer_is_told() -> None:
    config = '<View><Image name="i" value="$image"/><RectangleLabels name="b" toName="i"/></View>'
    with asked([chat()]) as (asking, _):
        told = asking.predict(task(), config=config)
    assert "Use TextArea, Choices, Rating or Number" in told["errors"][0]


def test_choices_are_ranked_by_a_model_on_this_machine(tiny_models: tiny.Shelf, tmp_path: Path) -> None:
    """The score is the winner's share of the options' likelihoods.

    Between two options, it is between a half and one.
    """
    Image.new("RGB", (60, 60), (200, 0, 0)).save(tmp_path / "cup.png")
    spec = ModelSpec(name="here", adapter="chat", model=str(tiny_models.folder("llava")), modality="images")
    answerer = open_answerer(spec, strategy="rank_options")
    with PictureFinder(MediaStore(tmp_path / "ours"), tmp_path / "cache", tmp_path) as found:
        backend = Backend(answerer, "tiny 1", sent_out, found.named, ranks=True)
        told = backend.predict({"tasks": [task(image="cup.png")], "label_config": CONFIG})
    [[prediction]] = told["results"]
    [result] = prediction["result"]
    assert (result["from_name"], result["type"]) == ("fits", "choices")
    assert result["value"]["choices"][0] in ("yes", "No")
    assert 0.5 <= prediction["score"] <= 1


# ---- tasks sent out -------------------------------------------------------------------------------------------------


def out(store: Store, task: str, person: Person) -> str:
    """Record that a claimed task is on a server, and return its key there."""
    with store.write() as session:
        project = projects.by_name(session, name="p")
        row = tasks.by_public_id(session, public_id=task)
        assert project is not None
        assert row is not None
        at = store.now()
        bridge = BridgeRow(project_id=project.id, address="http://127.0.0.1:9", created_at=at)
        session.add(bridge)
        session.flush()
        place = BridgeProjectRow(
            bridge_id=bridge.id, person_id=person.id, outside_user=1, stage=row.stage, labeling_hash="x", created_at=at
        )
        session.add(place)
        session.flush()
        made = BridgeTaskRow(
            bridge_project_id=place.id, task_id=row.id, person_id=person.id, state=BridgeState.OUT, created_at=at
        )
        session.add(made)
        session.flush()
        return made.key


def shown(sha256: str, role: str) -> Picture:
    return Picture(Path("/nowhere"), sha256, role=role)


def test_a_task_in_a_blind_stage_is_known_and_nothing_of_it_is_shown(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    key = out(store, claimed(store, ann).id, ann)
    assert task_behind(store, project="p", key=key, picture=shown) == SentOut(Stage.VERIFICATION)
    assert task_behind(store, project="p", key="another", picture=shown) is None
    make_project(store, name="q")
    assert task_behind(store, project="q", key=key, picture=shown) is None


def test_a_zero_character_of_a_model_is_shown_as_one() -> None:
    [control] = configuration('<View><TextArea name="w" toName="t"/></View>').controls
    assert control.result("a\x00b", {}) == {
        "from_name": "w",
        "to_name": "t",
        "type": "textarea",
        "value": {"text": ["a\ufffdb"]},
    }


def test_comments_are_no_entities() -> None:
    assert configuration("<View><!-- a note --><TextArea name='a' toName='b'/></View>").controls[0].name == "a"
    with pytest.raises(BadRequestError):
        configuration("")
