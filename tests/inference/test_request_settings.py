"""Extra fields and headers of requests: what a server really gets, what is recorded, and that no secret is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import loader
from domain.errors import InvalidInputError, ModelError, SchemaError
from domain.request_settings import read_headers, read_json_object
from inference.endpoint.client import Client
from inference.opening import open_answerer
from inference.spec import Endpoint, Generation, ModelSpec, spec_as_yaml, spec_of
from testkit.scripted import Asked, ScriptedServer, chat
from tests.inference.test_endpoint import CANARY, opened, questions
from tests.inference.test_endpoint import spec_of as endpoint_spec

BODY = {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": False}, "thinking": None}


def sent(url: str, server: ScriptedServer, **more: Any) -> tuple[Asked, dict[str, Any]]:
    """The first request, and what the run keeps of it."""
    with opened(url, **more) as answerer:
        answerer.answer(questions(1), tell=lambda _: None, stop=lambda: False)
        return server.asked[0], dict(answerer.about)


def test_extra_fields_are_sent_and_recorded_and_hashed() -> None:
    with ScriptedServer([chat()]) as server:
        request, about = sent(server.url, server, generation=Generation(extra_body=BODY))
    assert {name: request.body[name] for name in BODY} == BODY
    assert {name: about["parameters"][name] for name in BODY} == BODY
    plain, with_fields = (
        endpoint_spec("http://a/v1"),
        endpoint_spec("http://a/v1", generation=Generation(extra_body=BODY)),
    )
    assert with_fields.dump()["generation"]["extra_body"] == BODY
    assert plain.hash != with_fields.hash
    assert "extra_body" not in json.dumps(plain.dump())
    assert spec_of(spec_as_yaml(with_fields), name="x") == with_fields


def test_headers_are_sent_and_recorded_and_hashed() -> None:
    headers = {"X-Routing": "fast", "OpenAI-Organization": "org-1"}
    with ScriptedServer([chat()]) as server:
        request, about = sent(server.url, server, headers=headers)
    assert (request.headers["x-routing"], request.headers["openai-organization"]) == ("fast", "org-1")
    assert about["headers"] == headers
    plain, with_headers = endpoint_spec("http://a/v1"), endpoint_spec("http://a/v1", headers=headers)
    assert with_headers.dump()["endpoint"]["headers"] == headers
    assert plain.hash != with_headers.hash
    assert "headers" not in json.dumps(plain.dump())


def test_a_secret_header_comes_from_the_environment_and_is_seen_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", CANARY)
    headers = {"api-key": "env:LAB_API_KEY"}
    told = []
    script = [chat(f"your key is {CANARY}", headers={"x-request-id": CANARY}, model=CANARY)]
    with ScriptedServer(script) as server, opened(server.url, headers=headers) as answerer:
        answerer.answer(questions(1), tell=told.append, stop=lambda: False)
        assert server.asked[0].headers["api-key"] == CANARY
        assert "authorization" not in server.asked[0].headers
        kept = repr([told, dict(answerer.about), vars(answerer), endpoint_spec(server.url, headers=headers).dump()])
    assert CANARY not in kept
    assert told[0].text == "your key is [key]"


def test_a_secret_header_is_held_to_the_rules_for_keys() -> None:
    def client(url: str, environment: dict[str, str]) -> Client:
        endpoint = Endpoint(base_url=url, headers={"api-key": "env:LAB_API_KEY"})
        return Client(endpoint, "m", environment=environment, resolve=lambda host, port: ["93.184.215.14"])

    with pytest.raises(ModelError, match="The worker has no environment variable LAB_API_KEY"):
        client("https://example.org/v1", {})
    with pytest.raises(ModelError, match=r"cannot send the key in LAB_API_KEY to example\.org"):
        client("https://example.org/v1", {"LAB_API_KEY": CANARY, "LAB_API_KEY_HOSTS": "lab.example"})
    with pytest.raises(ModelError, match="unencrypted"):
        client("http://example.org/v1", {"LAB_API_KEY": CANARY})


REFUSED: list[tuple[str, str]] = [
    ("headers: {X-Api-Key: abcdef}", "X-Api-Key looks like a secret"),
    ("headers: {Cookie: session-1}", "Cookie looks like a secret"),
    (f"headers: {{X-Routing: {CANARY}}}", "X-Routing looks like a secret"),
    ("headers: {X-Routing: Bearer 12345}", "X-Routing looks like a secret"),
    ("headers: {X-Routing: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b}", "X-Routing looks like a secret"),
    ("headers: {Authorization: none}", "set `key` to the name of the environment variable that has the API key"),
    ("headers: {Host: a.b}", "set `base_url`"),
    ('headers: {"X Routing": fast}', "not a valid HTTP header name"),
    ('headers: {X-Routing: "a\\nb"}', "must be at most 1,000 printable ASCII characters"),
    ("headers: {X-Routing: a, x-routing: b}", "twice"),
    ('headers: {X-Api-Key: "env:DATABASE_URL"}', "uses an unsupported environment variable"),
    ("extra_body: {temperature: 1}", "set `temperature` under `generation`"),
    ("extra_body: {stream: true}", "reads only complete replies"),
    ("extra_body: {n: 3}", "you would pay for several"),
    (f"extra_body: {{a: {{b: [{CANARY}]}}}}", "looks like a secret"),
    ("extra_body: {provider: {api_key: abc}}", "api_key looks like a secret"),
]


@pytest.mark.parametrize(("line", "says"), REFUSED, ids=[row[0].replace(CANARY, "KEY") for row in REFUSED])
def test_what_cannot_be_sent_or_holds_a_secret_is_refused_without_repeating_it(line: str, says: str) -> None:
    where = (
        "endpoint: {base_url: http://a/v1, " + line + "}" if line.startswith("headers") else f"generation: {{{line}}}"
    )
    more = "" if line.startswith("headers") else "endpoint: {base_url: http://a/v1}\n"
    with pytest.raises(ModelError) as refused:
        spec_of(f"name: m\nadapter: endpoint\nmodel: m\n{where}\n{more}", name="m.yaml")
    assert says in str(refused.value)
    assert CANARY not in str(refused.value)
    schema = f"models: {{strategy: generate, {line}}}\n"
    with pytest.raises(SchemaError) as also:
        loader.load_text("name: a\ntitle: A\nversion: 1.0.0\n" + schema, "", "s.yaml")
    assert says in str(also.value)
    assert CANARY not in str(also.value)


def test_what_is_no_secret_is_sent() -> None:
    """Ids with hyphens, names of models, and limits of tokens are ordinary values."""
    organization = "123e4567-e89b-12d3-a456-426614174000"
    body = {"max_reasoning_tokens": 100, "provider": {"order": ["a/b"]}, "thinking": {"budget_tokens": 5}}
    Generation(extra_body=body)
    Endpoint(base_url="http://a/v1", headers={"X-Org": organization, "HTTP-Referer": "https://example.org/a?b=1"})


def test_a_field_that_the_description_sets_is_not_set_twice() -> None:
    generation = Generation(extra_body={"top_k": 5}, top_k=5)
    with pytest.raises(ModelError, match="`extra_body` cannot set top_k"):
        open_answerer(
            endpoint_spec("http://127.0.0.1:9/v1", generation=generation, also=("top_k",)), strategy="generate"
        )


def test_a_local_model_takes_no_extra_fields(tmp_path: Path) -> None:
    spec = ModelSpec(name="m", adapter="chat", model=str(tmp_path), generation=Generation(extra_body={"a": 1}))
    with pytest.raises(ModelError, match="so `extra_body` has no effect"):
        open_answerer(spec, strategy="generate")


def test_a_schema_gives_what_the_description_leaves_open() -> None:
    own = endpoint_spec(
        "http://a/v1", generation=Generation(extra_body={"reasoning_effort": "high"}), headers={"x-routing": "slow"}
    )
    found = own.with_defaults(
        temperature=None,
        max_tokens=None,
        extra_body={"reasoning_effort": "low", "service_tier": "flex"},
        headers={"X-Routing": "fast", "X-Org": "one"},
    )
    assert found.generation.extra_body == {"reasoning_effort": "high", "service_tier": "flex"}
    assert found.endpoint is not None
    assert found.endpoint.headers == {"X-Org": "one", "x-routing": "slow"}
    given = own.with_request(extra_body={"reasoning_effort": "none"}, headers={"X-Routing": "fast"})
    assert given.generation.extra_body == {"reasoning_effort": "none"}
    assert given.endpoint is not None
    assert given.endpoint.headers == {"X-Routing": "fast"}
    with pytest.raises(ModelError, match="looks like a secret"):
        own.with_request(extra_body={}, headers={"X-Api-Key": "abcdef"})


def test_what_someone_typed_is_read_or_refused_without_repeating_it() -> None:
    assert read_json_object('{"a": {"b": null}}', "Fields") == {"a": {"b": None}}
    assert read_json_object(" ", "Fields") == {}
    assert read_headers(["X-A: b: c", "", "X-D:e"], ":", "Headers") == {"X-A": "b: c", "X-D": "e"}
    for wrong in (CANARY, f'["{CANARY}"]'):
        with pytest.raises(InvalidInputError) as refused:
            read_json_object(wrong, "Fields")
        assert CANARY not in str(refused.value)
    with pytest.raises(InvalidInputError, match="line 2") as also:
        read_headers(["X-A: b", CANARY], ":", "Headers")
    assert CANARY not in str(also.value)
