"""What an endpoint can do, and what a run over it would cost: found out and worked out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from domain.runs import Picture, Question
from inference.endpoint.estimate import estimated, tokens_of_picture, tokens_of_text
from inference.opening import open_answerer
from inference.spec import Endpoint, Generation, ModelSpec, Price
from testkit.scripted import Asked, Reply, ScriptedServer, as_json, chat, closed, error, html
from tests.paths import ROOT


def spec_of(url: str, *, modality: Any = "images", **more: Any) -> ModelSpec:
    return ModelSpec(
        name="scripted",
        adapter="endpoint",
        model="scripted",
        modality=modality,
        generation=Generation(max_new_tokens=100),
        endpoint=Endpoint(base_url=url, **more),
    )


def probed(server: ScriptedServer, **more: Any) -> dict[str, Any]:
    answerer = open_answerer(spec_of(server.url, **more), strategy="generate")
    try:
        json.dumps(dict(answerer.about))
        found: dict[str, Any] = answerer.about["probe"]
        return found
    finally:
        answerer.close()


def able(asked: Asked, number: int) -> Reply:
    """A server that does all that it is asked."""
    text = '{"seen": true}' if "response_format" in asked.body else "Yes."
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    if asked.body.get("logprobs"):
        choice["logprobs"] = {"content": [{"token": "Yes", "logprob": -0.1}]}
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    return as_json({"choices": [choice] * asked.body.get("n", 1), "usage": usage})


def has_picture(asked: Asked) -> bool:
    return isinstance(asked.body["messages"][-1]["content"], list)


def test_a_server_that_can_do_everything_is_asked_once() -> None:
    with ScriptedServer(able) as server:
        found = probed(server)
        assert len(server.asked) == 1
        body = server.asked[0].body
    assert found == {
        "n": "works",
        "json_schema": "works",
        "logprobs": "works",
        "images": "accepted",
        "usage": "works",
        "listed": True,
        "context": None,
        "requests": 1,
        "error": "",
    }
    assert body["max_tokens"] == 32
    assert body["temperature"] == 0.0


def test_what_is_accepted_and_ignored() -> None:
    """As `transformers serve` does."""
    with ScriptedServer([chat("Yes", usage=None)], models=["another"]) as server:
        found = probed(server)
    assert [found[name] for name in ("n", "json_schema", "logprobs", "usage")] == ["ignored"] * 4
    assert found["listed"] is False


def test_what_is_refused_is_found_one_by_one() -> None:
    def script(asked: Asked, number: int) -> Reply:
        if "response_format" in asked.body or has_picture(asked):
            return error(400, "not supported")
        return able(asked, number)

    with ScriptedServer(script) as server:
        found = probed(server)
        assert len(server.asked) == found["requests"] == 6
    assert {name: found[name] for name in ("n", "json_schema", "logprobs", "images")} == {
        "n": "works",
        "json_schema": "refused",
        "logprobs": "works",
        "images": "refused",
    }


def test_a_text_model_is_shown_no_picture() -> None:
    with ScriptedServer(able) as server:
        found = probed(server, modality="text")
        assert not has_picture(server.asked[0])
    assert found["images"] == "unknown"


@pytest.mark.parametrize(
    "reply", [error(401, "who?"), error(429), error(404), closed()], ids=["401", "429", "404", "-"]
)
def test_a_server_that_does_not_answer_leaves_everything_unknown(reply: Reply) -> None:
    with ScriptedServer([reply], models=html()) as server:
        found = probed(server)
        assert len(server.asked) == 1
    assert found["error"]
    assert found["listed"] is None
    assert {found[name] for name in ("n", "json_schema", "logprobs", "images", "usage")} == {"unknown"}


@pytest.mark.parametrize("reply", [html(), as_json([]), as_json({"choices": [None]})])
def test_replies_that_make_no_sense_raise_nothing(reply: Reply) -> None:
    with ScriptedServer([reply], models=as_json({"data": [{"id": "scripted", "max_model_len": 4096}, 7]})) as server:
        found = probed(server)
    assert found["n"] == "unknown"
    assert (found["listed"], found["context"]) == (True, 4096)


@pytest.mark.parametrize("more", [{"probe": False}, {"max_calls": 10}])
def test_it_can_be_left_out(more: dict[str, Any]) -> None:
    with ScriptedServer([chat()]) as server:
        answerer = open_answerer(spec_of(server.url, **more), strategy="generate")
        assert "probe" not in answerer.about
        answerer.close()
        assert server.asked == []


def test_an_estimate_by_the_rule_sends_nothing(tmp_path: Path) -> None:
    """Two questions of 400 characters with a picture of 600 x 500, and one that cannot be asked."""
    path = tmp_path / "a.png"
    Image.new("RGB", (600, 500)).save(path)
    picture = Picture(path, "0" * 64)
    asked = [Question(unit, "", "", ("x" * 400, picture), system="y" * 40) for unit in range(2)]
    price = Price(input=10.0, output=30.0, date="2026-11-01", currency="EUR")
    spec = spec_of("http://nobody.invalid/v1", price=price)
    found = estimated([*asked, Question(9, "", "", ("?",), cannot="No image.")], spec)
    each = 100 + 4 + 10 + 4 + 400
    assert (found.requests, found.skipped, found.pictures) == (2, 1, 2)
    assert (found.tokens_in, found.tokens_out) == (2 * each, 200)
    assert found.cost == pytest.approx((2 * each * 10 + 200 * 30) / 1e6)
    assert found.currency == "EUR"
    assert estimated(asked, spec_of("http://nobody.invalid/v1")).cost is None


def test_an_estimate_of_ranking_counts_the_prompt_and_each_wording(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("RGB", (600, 500)).save(path)
    asked = [Question(1, "", "", ("x" * 400, Picture(path, "0" * 64)), options=("y" * 40, "z" * 80, "y" * 40))]
    found = estimated(asked, spec_of("http://nobody.invalid/v1"))
    # The prompt of 100 + 4 and the picture's 400 three times, and the wordings' 10 and 20.
    assert (found.requests, found.pictures, found.tokens_in, found.tokens_out) == (3, 3, 3 * 504 + 30, 3)
    found = estimated(asked, spec_of("http://nobody.invalid/v1"), blind=True)
    assert (found.requests, found.pictures, found.tokens_in, found.tokens_out) == (6, 3, 3 * 504 + 3 * 104 + 60, 6)


def test_tokens_of_texts_and_pictures(tmp_path: Path) -> None:
    assert tokens_of_text("") == 0
    assert tokens_of_text("cups") == 1
    assert tokens_of_text("杯子") == 2
    for size, tokens in (((10, 10), 85), ((750, 100), 100), ((4000, 4000), 3000)):
        path = tmp_path / "a.png"
        Image.new("RGB", size).save(path)
        assert tokens_of_picture(Picture(path, "")) == tokens
    assert tokens_of_picture(Picture(tmp_path / "gone.png", "")) == 3000


def test_estimates_and_checks_load_neither_clients_nor_models() -> None:
    """The page that starts a run works them out in the web process."""
    code = (
        "import sys, workflow.runs.model_runs, inference.endpoint.estimate, inference.endpoint.answerer;"
        "print([name for name in ('openai', 'httpx2', 'torch', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "[]"
