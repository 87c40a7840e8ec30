"""Answers over HTTP: every reply that a server can give, against a real server that gives it by a script."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import io
import json
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from domain.errors import ModelError, RunStoppedError
from domain.runs import ANSWERS, Attempt, BudgetedAnswerer, Outcome, Picture, Question
from inference.endpoint import client as client_module
from inference.endpoint import replies
from inference.endpoint.answerer import EndpointAnswerer
from inference.endpoint.client import Client, key_of, place_of
from inference.opening import open_answerer
from inference.spec import Endpoint, Generation, ModelPermissions, ModelSpec, Price
from net import guard
from testkit.missing_extensions import needs
from testkit.scripted import (
    Asked,
    Reply,
    ScriptedServer,
    as_json,
    chat,
    closed,
    cut,
    error,
    hang,
    html,
    raw,
    trickle,
)
from testkit.serving import free_port
from tests.net.test_guard import Raw, drip

CANARY = "sk-canary-0123456789abcdef"
QUICK: dict[str, Any] = {"longest_wait_seconds": 0.05, "timeout_seconds": 5.0, "probe": False}


def spec_of(url: str, *, generation: Generation | None = None, modality: Any = "images", **endpoint: Any) -> ModelSpec:
    return ModelSpec(
        name="scripted",
        adapter="endpoint",
        model="scripted",
        modality=modality,
        generation=generation or Generation(),
        endpoint=Endpoint(base_url=url, **{**QUICK, **endpoint}),
    )


def questions(number: int) -> list[Question]:
    return [Question(unit, f"item-{unit}", "objects", (f"question {unit}",)) for unit in range(number)]


@contextmanager
def opened(url: str, **more: Any) -> Iterator[EndpointAnswerer]:
    answerer = open_answerer(spec_of(url, **more), strategy="generate")
    assert isinstance(answerer, EndpointAnswerer)
    try:
        yield answerer
    finally:
        answerer.close()


def asked(
    url: str,
    wanted: Sequence[Question] | int = 1,
    *,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Attempt], None] | None = None,
    **more: Any,
) -> list[Attempt]:
    """All attempts, in the order in which they were told; a stopped run's too."""
    found: list[Attempt] = []
    with opened(url, **more) as answerer:
        answerer.answer(questions(wanted) if isinstance(wanted, int) else wanted, tell=tell or found.append, stop=stop)
    return found


ONE_REPLY: list[tuple[str, Reply, Outcome, int, str]] = [
    # what comes, the reply, what it counts as, attempts out of three, what the sentence says
    ("good", chat("a cup"), Outcome.ANSWERED, 1, ""),
    ("in parts", chat(None, message={"content": [{"type": "text", "text": "a cup"}]}), Outcome.ANSWERED, 1, ""),
    ("no finish_reason", chat("a cup", finish=None), Outcome.ANSWERED, 1, ""),
    ("truncated", chat("a cu", finish="length"), Outcome.TRUNCATED, 1, ""),
    ("truncated to nothing", chat("  ", finish="length"), Outcome.EMPTY, 1, "Raise max_new_tokens"),
    ("null", chat(None), Outcome.EMPTY, 1, "returned an empty answer"),
    ("empty", chat(""), Outcome.EMPTY, 1, "returned an empty answer"),
    ("blank", chat(" \n\t"), Outcome.EMPTY, 1, "returned an empty answer"),
    ("a tool call", chat(None, finish="tool_calls"), Outcome.EMPTY, 1, "requested a tool"),
    ("content filter", chat("", finish="content_filter"), Outcome.REFUSED, 1, "content filter"),
    ("content filter, half an answer", chat("a c", finish="content_filter"), Outcome.REFUSED, 1, "content filter"),
    ("a refusal", chat(None, message={"refusal": "I cannot help with that."}), Outcome.REFUSED, 1, "refused"),
    ("filter as 400", error(400, "filtered", code="content_filter"), Outcome.REFUSED, 1, "400"),
    ("an unknown reason", chat("a cup", finish="tired"), Outcome.UNREADABLE, 1, "tired"),
    ("broken off", chat("a c", finish="abort", usage=None), Outcome.TRANSPORT_ERROR, 3, "abort"),
    ("broken off and paid", chat("a c", finish="abort"), Outcome.TRANSPORT_ERROR, 1, "abort"),
    ("a page", html(), Outcome.UNREADABLE, 3, "web page"),
    ("broken JSON", raw(b'{"choices": [{"mess'), Outcome.UNREADABLE, 3, "not JSON"),
    ("nothing at all", raw(b""), Outcome.UNREADABLE, 3, "no body"),
    ("other JSON", as_json({"result": "a cup"}), Outcome.UNREADABLE, 3, "choices"),
    ("a list", as_json(["a cup"]), Outcome.UNREADABLE, 3, "choices"),
    ("a number", as_json(7), Outcome.UNREADABLE, 3, "choices"),
    ("no choices", as_json({"choices": []}), Outcome.UNREADABLE, 3, "choices"),
    ("null choices", as_json({"choices": None}), Outcome.UNREADABLE, 3, "choices"),
    ("no message", as_json({"choices": [{"finish_reason": "stop"}]}), Outcome.UNREADABLE, 3, "no message"),
    ("content is a number", chat(None, message={"content": 5}), Outcome.UNREADABLE, 1, "the answer is not text"),
    ("an error with 200", as_json({"error": {"message": "busy"}}), Outcome.UNREADABLE, 3, "busy"),
    ("a 502 with 200", as_json({"error": {"message": "up", "code": 502}}), Outcome.TRANSPORT_ERROR, 3, "502: up"),
    ("deep JSON", raw(b"[" * 100_000), Outcome.UNREADABLE, 3, "not JSON"),
    ("400", error(400, "bad image"), Outcome.TRANSPORT_ERROR, 1, "400: bad image."),
    ("422", as_json({"detail": "no"}, status=422), Outcome.TRANSPORT_ERROR, 1, "422: no."),
    (
        "too long",
        error(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded"),
        Outcome.FAILED,
        1,
        "too long for the model",
    ),
    (
        "too long, as vLLM says it",
        as_json({"object": "error", "message": "The prompt is longer than the maximum model length"}, status=400),
        Outcome.FAILED,
        1,
        "too long for the model",
    ),
    ("too large", error(413), Outcome.FAILED, 1, "too long"),
    ("429", error(429, "slower"), Outcome.TRANSPORT_ERROR, 3, "429: slower."),
    ("500", error(500, "oh"), Outcome.TRANSPORT_ERROR, 3, "500: oh."),
    ("503 as a page", html(503), Outcome.TRANSPORT_ERROR, 3, "503"),
    ("closed", closed(), Outcome.TRANSPORT_ERROR, 3, "closed the connection"),
    ("cut", cut(), Outcome.TRANSPORT_ERROR, 3, "closed the connection"),
]


@pytest.mark.parametrize(
    ("reply", "outcome", "attempts", "says"), [row[1:] for row in ONE_REPLY], ids=[row[0] for row in ONE_REPLY]
)
def test_every_reply_is_told_as_what_it_is(reply: Reply, outcome: Outcome, attempts: int, says: str) -> None:
    with ScriptedServer([reply]) as server:
        told = asked(server.url, attempts=3)
        assert len(server.asked) == len(told) == attempts
    assert {attempt.outcome for attempt in told} == {outcome}
    assert [attempt.final for attempt in told] == [False] * (attempts - 1) + [True]
    last = told[-1]
    assert says in last.error
    assert last.text.strip() or last.outcome not in ANSWERS
    if reply.body and reply.kind not in ("cut",):
        assert last.status == reply.status
        assert reply.body.decode().startswith(last.detail["raw"])
        # What was kept can be read again, and says the same.
        again = replies.read_response(reply.status, dict(reply.headers), last.detail["raw"])
        assert (again.outcome, again.text, again.error) == (last.outcome, last.text, last.error)


@pytest.mark.parametrize(("reply", "longest"), [(hang(30), 0.5), (trickle(0.1), 0.5)], ids=["hang", "trickle"])
def test_a_reply_that_does_not_come_to_an_end(reply: Reply, longest: float) -> None:
    with ScriptedServer([reply, chat("a cup")]) as server:
        begun = time.monotonic()
        first, *_, last = asked(server.url, timeout_seconds=longest, attempts=9)  # a busy machine is late more often
        assert time.monotonic() - begun < 25, "the one would be 30 seconds, the other has no end"
    assert (first.outcome, first.final, first.status) == (Outcome.TRANSPORT_ERROR, False, None)
    assert first.error == "No complete reply arrived within 0.5 seconds."
    assert first.seconds >= 0.5
    assert (last.outcome, last.text) == (Outcome.ANSWERED, "a cup")


def test_what_an_attempt_says() -> None:
    with ScriptedServer([chat("a cup", usage=(1200, 300), headers={"x-request-id": "req-7"}, after=0.1)]) as server:
        price = Price(input=2.0, output=8.0, date="2026-11-01")
        (attempt,) = asked(server.url, price=price)
    assert attempt.text == "a cup"
    assert attempt.finish_reason == "stop"
    assert (attempt.tokens_in, attempt.tokens_out) == (1200, 300)
    assert attempt.cost == pytest.approx(0.0024 + 0.0024)
    assert attempt.request_id == "req-7"
    assert attempt.seconds is not None
    assert 0.1 <= attempt.seconds < 3
    assert attempt.waited == 0
    assert attempt.prompt_hash == questions(1)[0].prompt_hash
    assert json.loads(attempt.detail["raw"])["choices"][0]["message"]["content"] == "a cup"


def test_usage_that_is_missing_is_unknown_and_not_nothing() -> None:
    odd = [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "12", "completion_tokens": True}, {"prompt_tokens": -1}]
    script = [chat("a cup", usage=None)]
    script += [as_json({**json.loads(script[0].body), "usage": value}) for value in odd]
    price = Price(input=2.0, output=8.0, date="2026-11-01")
    with ScriptedServer(script) as server:
        told = asked(server.url, len(script), concurrency=1, price=price)
    assert [(one.tokens_in, one.tokens_out, one.cost) for one in told] == [(None, None, None)] * len(script)


def test_characters_that_no_database_takes() -> None:
    with ScriptedServer([raw(json.dumps({"choices": [{"message": {"content": "a\0b\ud800c"}}]}).encode())]) as server:
        (attempt,) = asked(server.url)
    assert attempt.text == "a\ufffdb\ufffdc"
    attempt.text.encode()
    assert (
        attempt.error
        == "The database cannot store some characters of the reply. Touchstone replaced these characters with U+FFFD."
    )
    assert "\0" not in attempt.detail["raw"]


def test_a_long_reply_is_kept_in_part_and_says_how_long_it_was() -> None:
    with ScriptedServer([chat("x" * 200_000)]) as server:
        (attempt,) = asked(server.url)
        length = len(chat("x" * 200_000).body)
    assert len(attempt.text) == 200_000
    assert len(attempt.detail["raw"]) == 65_536
    assert attempt.detail["raw_characters"] == length


def test_a_reply_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "LARGEST_REPLY", 2**20)
    with ScriptedServer([chat("x" * 2**21)]) as server:
        (attempt,) = asked(server.url)
    assert (attempt.outcome, attempt.text) == (Outcome.UNREADABLE, "")
    assert attempt.error == "The reply is larger than 1 MiB."


def test_a_reply_that_is_compressed_although_no_one_asked() -> None:
    packed = Reply("gzip", gzip.compress(chat().body), 200, {"content-encoding": "gzip"})
    with ScriptedServer([packed]) as server:
        (attempt,) = asked(server.url)
        assert server.asked[0].headers["accept-encoding"] == "identity"
    assert attempt.outcome is Outcome.UNREADABLE
    assert "compressed" in attempt.error


# Many at once.

FATES: list[list[tuple[Reply, Outcome]]] = [
    [(chat("a cup"), Outcome.ANSWERED)],
    [(error(429, headers={"retry-after": "0"}), Outcome.TRANSPORT_ERROR), (chat("a cup"), Outcome.ANSWERED)],
    [(html(), Outcome.UNREADABLE), (closed(), Outcome.TRANSPORT_ERROR), (chat("a cup"), Outcome.ANSWERED)],
    [(error(500), Outcome.TRANSPORT_ERROR), (chat(None, kind="null"), Outcome.EMPTY)],
    [(error(503), Outcome.TRANSPORT_ERROR)] * 4,
    [(error(400), Outcome.TRANSPORT_ERROR)],
    [(chat("a c", finish="length", kind="length"), Outcome.TRUNCATED)],
    [(cut(), Outcome.TRANSPORT_ERROR), (chat("", finish="content_filter", kind="filter"), Outcome.REFUSED)],
    [(hang(20), Outcome.TRANSPORT_ERROR), (chat("a cup"), Outcome.ANSWERED)],
    [(raw(b"{"), Outcome.UNREADABLE)] * 4,
]
"""What becomes of an item whose number ends with 0, 1, ..."""


def test_every_outcome_of_a_storm_is_told_once_and_counts_are_the_scripts() -> None:
    tried: Counter[int] = Counter()

    def script(request: Asked, number: int) -> Reply:
        unit = int(request.text.removeprefix("question "))
        tried[unit] += 1
        return FATES[unit % 10][tried[unit] - 1][0]

    with ScriptedServer(script) as server:
        told = asked(server.url, 60, concurrency=32, timeout_seconds=5.0)
        counts = server.counts
    expected = [(unit, outcome) for unit in range(60) for _, outcome in FATES[unit % 10]]
    assert Counter((one.unit_id, one.outcome) for one in told) == Counter(expected)
    assert counts == Counter(reply.kind for unit in range(60) for reply, _ in FATES[unit % 10])
    for unit in range(60):
        finals = [one.final for one in told if one.unit_id == unit]
        assert finals == [False] * (len(FATES[unit % 10]) - 1) + [True]
    assert all(bool(one.text.strip()) for one in told if one.outcome in ANSWERS)


def test_as_many_under_way_as_the_description_says() -> None:
    with ScriptedServer([chat()], together=32) as server:
        told = asked(server.url, 64, concurrency=32)
        assert server.at_once == 32
    assert len(told) == 64


def test_a_429_holds_all_back_as_long_as_it_says() -> None:
    with ScriptedServer([error(429, headers={"retry-after": "1"}), chat()]) as server:
        told = asked(server.url, 3, concurrency=3, longest_wait_seconds=10.0)
        first, *rest = sorted(server.asked, key=lambda request: request.at)
    (again_at,) = [request.at for request in rest if request.text == first.text]
    assert again_at - first.at > 0.95, "the one that was refused comes back, but not before its time"
    again = [one for one in told if one.waited > 0.9]
    assert len(again) >= 1


def test_requests_per_minute_are_kept_to() -> None:
    """600 a minute are ten a second; a hundred go out at once, so 110 take a second."""
    with ScriptedServer([chat()]) as server:
        begun = time.monotonic()
        asked(server.url, 110, concurrency=16, requests_per_minute=600)
        assert time.monotonic() - begun > 0.9


def test_attempts_are_told_in_the_thread_that_asked_one_at_a_time() -> None:
    threads, inside, most = set(), 0, 0

    def tell(attempt: Attempt) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threads.add(threading.get_ident())
        time.sleep(0.005)
        inside -= 1

    with ScriptedServer([chat()]) as server:
        asked(server.url, 40, concurrency=16, tell=tell)
    assert threads == {threading.get_ident()}
    assert most == 1


def test_no_place_is_given_away_before_its_attempt_is_told() -> None:
    """What a killed process loses is what was under way, not a heap of answers that no one has written down."""
    told: list[Attempt] = []
    ahead = []

    with ScriptedServer([chat()]) as server:

        def tell(attempt: Attempt) -> None:
            time.sleep(0.01)
            told.append(attempt)
            ahead.append(len(server.asked) - len(told))

        asked(server.url, 60, concurrency=4, tell=tell)
    assert max(ahead) <= 4


def test_anyone_who_listens_and_fails_ends_it() -> None:
    def tell(attempt: Attempt) -> None:
        raise OSError("disk full")

    with ScriptedServer([chat()]) as server:
        with pytest.raises(OSError, match="disk full"):
            asked(server.url, 200, concurrency=4, tell=tell)
        assert len(server.asked) <= 8


# Stopping.


def test_a_stop_lets_what_is_under_way_end_and_leaves_the_rest() -> None:
    told: list[Attempt] = []
    asked_to_stop = threading.Event()
    with ScriptedServer([chat(after=0.4)]) as server:

        def tell(attempt: Attempt) -> None:
            told.append(attempt)
            asked_to_stop.set()

        begun = time.monotonic()
        asked(server.url, 1000, concurrency=4, stop=asked_to_stop.is_set, tell=tell)
        assert time.monotonic() - begun < 50, "all of them are a hundred seconds"
        assert len(server.asked) == len(told) < 20
    assert {one.outcome for one in told} == {Outcome.ANSWERED}


def test_a_stop_does_not_wait_for_pauses() -> None:
    stopping = threading.Event()
    with ScriptedServer([error(429, headers={"retry-after": "60"})]) as server:
        told: list[Attempt] = []

        def tell(attempt: Attempt) -> None:
            told.append(attempt)
            stopping.set()

        begun = time.monotonic()
        asked(server.url, 5, concurrency=2, longest_wait_seconds=60.0, stop=stopping.is_set, tell=tell)
        assert time.monotonic() - begun < 30, "the pause is a minute"
    assert all(not one.final for one in told), "they are still to be asked"


def test_a_stop_breaks_off_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = threading.Event()
    told: list[Attempt] = []
    with ScriptedServer([hang(60)]) as server, opened(server.url, timeout_seconds=60.0, concurrency=2) as answerer:
        answerer._asking._grace = 0.3
        begun = time.monotonic()
        answerer.answer(questions(5), tell=told.append, stop=lambda: stopping.is_set() or len(server.asked) == 2)
        stopping.set()
        assert time.monotonic() - begun < 30, "it hangs for a minute"
        assert len(server.asked) == 2
        assert [(one.outcome, one.final) for one in told] == [(Outcome.TRANSPORT_ERROR, False)] * 2
        # The same connections go on.
        stopping.clear()


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(401, "Incorrect API key"), "The key is missing, is wrong, or has no access to this model"),
        (error(403, "no access"), "The key is missing, is wrong, or has no access to this model"),
        (error(402, "pay first"), "quota is used up"),
        (error(429, "You exceeded your quota", code="insufficient_quota"), "quota is used up"),
        (error(404, "The model `x` does not exist", code="model_not_found"), "does not offer this model"),
        (html(404), "base_url is wrong"),
        (
            as_json(
                {"error": {"message": "no temperature", "code": "unsupported_value", "param": "temperature"}},
                status=400,
            ),
            "Add the parameter to `omit`",
        ),
        (Reply("moved", b"", 302, {"location": "http://127.0.0.1:9/v1"}), "does not follow redirects"),
    ],
    ids=["401", "403", "402", "quota", "404", "404 page", "parameter", "302"],
)
def test_the_whole_run_stops_at_once_with_one_sentence(reply: Reply, says: str) -> None:
    told: list[Attempt] = []
    with ScriptedServer([chat(), chat(), reply]) as server:
        with pytest.raises(RunStoppedError) as stopped:
            asked(server.url, 100, concurrency=1, tell=told.append)
        assert len(server.asked) == 3
    assert says in str(stopped.value)
    assert [one.outcome for one in told] == [Outcome.ANSWERED, Outcome.ANSWERED, Outcome.TRANSPORT_ERROR]
    assert told[-1].status == reply.status
    assert not told[-1].final, "a resumed run asks it again"


def test_what_is_under_way_when_a_run_stops_is_told_too() -> None:
    def script(request: Asked, number: int) -> Reply:
        return error(401) if number == 3 else chat(after=0.3)

    told: list[Attempt] = []
    with ScriptedServer(script) as server:
        with pytest.raises(RunStoppedError):
            asked(server.url, 100, concurrency=8, tell=told.append)
        assert len(server.asked) == len(told) <= 9
    assert Counter(one.outcome for one in told)[Outcome.TRANSPORT_ERROR] == 1


def test_a_redirect_is_not_followed() -> None:
    with ScriptedServer([chat()]) as other:
        away = Reply("moved", b"", 307, {"location": f"{other.url}/chat/completions"})
        with ScriptedServer([away]) as server, pytest.raises(RunStoppedError, match="does not follow redirects"):
            asked(server.url)
        assert other.asked == []


def test_no_one_there() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    told: list[Attempt] = []
    with pytest.raises(
        RunStoppedError, match=r"10 questions in a row got no answer, each after 2 attempts.*resume the run"
    ):
        asked(url, 50, concurrency=1, attempts=2, tell=told.append, longest_wait_seconds=0.01)
    assert len(told) == 20
    assert {(one.outcome, one.status) for one in told} == {(Outcome.TRANSPORT_ERROR, None)}
    assert all("Touchstone cannot connect to 127.0.0.1:" in one.error for one in told)


@pytest.mark.parametrize("reply", [html(), error(429), error(500), closed()], ids=["page", "429", "500", "closed"])
def test_what_would_eat_up_all_items_stops_the_run_early(reply: Reply) -> None:
    told: list[Attempt] = []
    with ScriptedServer([reply]) as server:
        with pytest.raises(RunStoppedError, match="10 questions in a row got no answer") as stopped:
            asked(server.url, 500, concurrency=1, attempts=2, tell=told.append, longest_wait_seconds=0.01)
        assert len(server.asked) == len(told) == 20
    assert told[-1].error in str(stopped.value)


def test_answers_in_between_keep_a_bad_server_going() -> None:
    def script(request: Asked, number: int) -> Reply:
        return chat() if int(request.text.removeprefix("question ")) % 5 == 0 else error(500)

    with ScriptedServer(script) as server:
        told = asked(server.url, 50, concurrency=1, attempts=1)
    assert Counter(one.outcome for one in told) == {Outcome.ANSWERED: 10, Outcome.TRANSPORT_ERROR: 40}


# Budgets.


@pytest.mark.parametrize("concurrency", [1, 32])
def test_a_budget_of_ten_calls_makes_exactly_ten(concurrency: int) -> None:
    told: list[Attempt] = []
    with ScriptedServer([chat(), error(500), chat(after=0.05)]) as server:
        with pytest.raises(RunStoppedError, match="10 requests"):
            asked(server.url, 100, concurrency=concurrency, max_calls=10, tell=told.append)
        assert len(server.asked) == 10
    assert len(told) == 10


def test_a_budget_that_is_just_enough_stops_nothing() -> None:
    with ScriptedServer([chat()]) as server:
        assert len(asked(server.url, 10, concurrency=4, max_calls=10)) == 10


def test_what_was_spent_before_counts() -> None:
    with ScriptedServer([chat()]) as server, opened(server.url, max_calls=10) as answerer:
        assert isinstance(answerer, BudgetedAnswerer)
        answerer.spent(7, 0.0)
        with pytest.raises(RunStoppedError):
            answerer.answer(questions(100), tell=lambda _: None, stop=lambda: False)
        assert len(server.asked) == 3


@pytest.mark.parametrize("usage", [(1000, 100), None], ids=["usage told", "usage unknown"])
def test_a_run_never_costs_more_than_it_may(usage: tuple[int, int] | None) -> None:
    """A request costs 1000 * 10 / 10^6 + 100 * 100 / 10^6 = 0.02 at most, so 0.1 is enough for five."""
    question = Question(1, "item", "objects", ("x" * 4 * 996,))
    price = Price(input=10.0, output=100.0, date="2026-11-01")
    told: list[Attempt] = []
    with ScriptedServer([chat(usage=usage, after=0.05)]) as server:
        with pytest.raises(RunStoppedError, match="max_cost"):
            asked(
                server.url,
                [question] * 50,
                concurrency=32,
                price=price,
                max_cost=0.1,
                generation=Generation(max_new_tokens=100),
                tell=told.append,
            )
        assert len(server.asked) == 5
    assert sum(one.cost or 0 for one in told) == pytest.approx(0.1 if usage else 0)


def test_answers_that_are_shorter_than_allowed_leave_money_for_more() -> None:
    """Each turns out at 0.01 + 0.001; so eight cost 0.088, and a ninth could end at 0.108."""
    question = Question(1, "item", "objects", ("x" * 4 * 996,))
    price = Price(input=10.0, output=100.0, date="2026-11-01")
    with ScriptedServer([chat(usage=(1000, 10))]) as server:
        with pytest.raises(RunStoppedError, match=r"0\.0880 USD"):
            asked(
                server.url,
                [question] * 50,
                concurrency=4,
                price=price,
                max_cost=0.1,
                generation=Generation(max_new_tokens=100),
            )
        assert len(server.asked) == 8


def test_a_limit_of_money_needs_prices() -> None:
    with pytest.raises(ValueError, match="`max_cost` requires `price`"):
        Endpoint(base_url="http://127.0.0.1/v1", max_cost=1.0)


# Keys.


def test_a_key_goes_to_the_endpoint_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server repeats the key wherever it can."""
    monkeypatch.setenv("LAB_API_KEY", f" {CANARY}\n")
    caplog.set_level(logging.DEBUG)
    script = [
        chat(f"my key is {CANARY}", headers={"x-request-id": CANARY}),
        error(500, f"key {CANARY} crashed", headers={"x-request-id": CANARY}),
        error(400, f"bad {CANARY}"),
        raw(f"oh {CANARY}".encode()),
        closed(),
        chat(None, message={"refusal": CANARY}),
        chat("x", finish=CANARY),
        error(401, f"Incorrect API key provided: {CANARY}"),
    ]
    told: list[Attempt] = []
    with ScriptedServer(script) as server, opened(server.url, key="LAB_API_KEY", concurrency=1) as answerer:
        with pytest.raises(RunStoppedError) as stopped:
            answerer.answer(questions(20), tell=told.append, stop=lambda: False)
        assert all(request.headers["authorization"] == f"Bearer {CANARY}" for request in server.asked)
        assert len(server.asked) == len(script)
        seen = [repr(told), json.dumps(dict(answerer.about)), str(stopped.value), caplog.text, repr(vars(answerer))]
    assert not [text for text in seen if CANARY in text]
    assert not [text for record in caplog.records for text in map(str, vars(record).values()) if CANARY in text]
    assert told[0].text == "my key is [key]"


def test_nothing_of_the_environment_goes_out_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"x-secret: {CANARY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedServer([chat()]) as server:
        assert asked(server.url)[0].outcome is Outcome.ANSWERED
        assert set(server.asked[0].headers) <= {
            "host",
            "accept",
            "accept-encoding",
            "user-agent",
            "content-type",
            "content-length",
        }


@pytest.mark.parametrize(
    ("name", "environment", "says"),
    [
        ("LAB_API_KEY", {}, "The worker has no environment variable LAB_API_KEY"),
        ("LAB_API_KEY", {"LAB_API_KEY": "  "}, "The worker has no environment variable LAB_API_KEY"),
        ("DATABASE_URL", {"DATABASE_URL": CANARY}, "ends with _API_KEY or _API_TOKEN"),
        ("TOUCHSTONE_API_KEY", {"TOUCHSTONE_API_KEY": CANARY}, "ends with _API_KEY or _API_TOKEN"),
        (CANARY, {CANARY: "x"}, "ends with _API_KEY or _API_TOKEN"),
        ("LAB_API_KEY", {"LAB_API_KEY": f"{CANARY}\r\nx: y"}, "has no valid key"),
        (
            "LAB_API_KEY",
            {"LAB_API_KEY": CANARY, "LAB_API_KEY_HOSTS": "vllm.lab, other.lab"},
            "Touchstone cannot send the key in LAB_API_KEY to 127.0.0.1",
        ),
        (
            "LAB_API_KEY",
            {"LAB_API_KEY": CANARY, "LAB_API_KEY_HOSTS": ""},
            "Touchstone cannot send the key in LAB_API_KEY to 127.0.0.1",
        ),
    ],
)
def test_keys_that_are_not_sent(name: str, environment: dict[str, str], says: str) -> None:
    endpoint = Endpoint(base_url="http://127.0.0.1:8000/v1", key=name)
    with pytest.raises(ModelError) as refused:
        key_of(endpoint, place_of(endpoint), environment)
    assert says in str(refused.value)
    assert CANARY not in str(refused.value)


def test_a_key_that_is_tied_to_its_servers() -> None:
    endpoint = Endpoint(base_url="https://VLLM.lab/v1", key="LAB_API_KEY")
    environment = {"LAB_API_KEY": CANARY, "LAB_API_KEY_HOSTS": "vllm.lab"}
    key = key_of(endpoint, place_of(endpoint), environment)
    assert key is not None
    assert key.header() == f"Bearer {CANARY}"
    assert CANARY not in repr(key)


def test_a_key_does_not_go_unencrypted_over_a_public_network() -> None:
    with pytest.raises(ModelError, match="unencrypted"):
        Client(
            Endpoint(base_url="http://example.org/v1", key="LAB_API_KEY"),
            "m",
            environment={"LAB_API_KEY": CANARY},
            resolve=lambda host, port: ["93.184.215.14"],
        )


# Addresses.


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that no one else knows: the system's own look-up would fail."""
    with ScriptedServer([chat()]) as server:
        spec = spec_of(f"http://vllm.invalid:{server.port}/v1")
        assert spec.endpoint is not None
        client = Client(spec.endpoint, "m", resolve=lambda host, port: ["127.0.0.2", "127.0.0.1"])
        answerer = EndpointAnswerer(spec, client)
        told: list[Attempt] = []
        answerer.answer(questions(1), tell=told.append, stop=lambda: False)
        answerer.close()
        assert told[0].outcome is Outcome.ANSWERED, told[0].error
        assert server.asked[0].headers["host"] == f"vllm.invalid:{server.port}"


def test_a_name_that_turns_private_while_a_run_goes_on_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LOOKED_UP_FOR", 0.0)
    found = iter([["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]])
    with ScriptedServer([chat()]) as server:
        spec = spec_of(f"http://rebind.invalid:{server.port}/v1", concurrency=1)
        assert spec.endpoint is not None
        answerer = EndpointAnswerer(spec, Client(spec.endpoint, "m", resolve=lambda host, port: next(found)))
        told: list[Attempt] = []
        with pytest.raises(RunStoppedError, match=r"rebind\.invalid resolves to 169\.254\.169\.254"):
            answerer.answer(questions(5), tell=told.append, stop=lambda: False)
        answerer.close()
        assert len(server.asked) == 1
    assert [one.outcome for one in told] == [Outcome.ANSWERED, Outcome.TRANSPORT_ERROR]


def test_a_file_in_drips_ends_with_the_time_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "FILE_SECONDS", 0.3)

    async def fetched(url: str) -> None:
        client = Client(Endpoint(base_url=url), "m")
        try:
            await client.download("file-1", io.BytesIO())
        finally:
            await client.close()

    with (
        Raw(drip(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n")) as server,
        pytest.raises(client_module.NoReply, match=r"^No complete reply arrived within 0\.3 seconds\.$"),
    ):
        asyncio.run(fetched(server.url))
    assert server.asked[0].startswith(b"GET /v1/files/file-1/content ")


def test_a_private_address_is_refused_when_it_is_opened() -> None:
    with pytest.raises(ModelError, match=r"10\.0\.0\.7 is not allowed"):
        open_answerer(spec_of("http://10.0.0.7/v1"), strategy="generate")
    open_answerer(
        spec_of("http://10.0.0.7/v1"), strategy="generate", allowed=ModelPermissions(endpoints=("10.0.0.0/24",))
    ).close()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelError, match=r"pip install 'openai>="):
        open_answerer(spec_of("http://127.0.0.1:8000/v1"), strategy="generate")


@needs("endpoint_strategies", "rank_options")
def test_ranking_needs_a_server_that_tells_likelihoods() -> None:
    with pytest.raises(ModelError, match="rank options with a local model"):
        open_answerer(spec_of("http://127.0.0.1:8000/v1"), strategy="rank_options")


# What is sent.


def test_every_parameter_is_sent() -> None:
    generation = Generation(temperature=0.7, top_p=0.9, max_new_tokens=33, seed=5, stop=("\n", "Question:"))
    with ScriptedServer([chat()]) as server, opened(server.url, generation=generation) as answerer:
        answerer.answer(questions(1), tell=lambda _: None, stop=lambda: False)
        body = server.asked[0].body
        about = answerer.about
    assert body == {
        "model": "scripted",
        "messages": [{"role": "user", "content": "question 0"}],
        "temperature": 0.7,
        "top_p": 0.9,
        "max_tokens": 33,
        "seed": 5,
        "stop": ["\n", "Question:"],
    }
    assert about["parameters"] == {key: value for key, value in body.items() if key not in ("model", "messages")}
    assert about["omitted"] == []
    assert set(about["libraries"]) == {"openai", "httpx2"}


def test_what_the_server_does_not_take_is_left_out_and_told() -> None:
    with ScriptedServer([chat()]) as server:
        more: dict[str, Any] = {"omit": ("temperature", "seed"), "length_parameter": "max_completion_tokens"}
        with opened(server.url, **more) as answerer:
            answerer.answer(questions(1), tell=lambda _: None, stop=lambda: False)
            assert answerer.about["omitted"] == ["temperature", "seed"]
        assert set(server.asked[0].body) == {"model", "messages", "top_p", "max_completion_tokens"}


def test_what_the_server_takes_next_to_the_protocol() -> None:
    with ScriptedServer([chat()]) as server:
        generation = Generation(repetition_penalty=1.1)
        also = ("top_k", "min_new_tokens", "repetition_penalty")
        asked(server.url, generation=generation, also=also)
        body = server.asked[0].body
    assert (body["top_k"], body["min_tokens"], body["repetition_penalty"]) == (0, 0, 1.1)


@pytest.mark.parametrize(
    ("generation", "endpoint", "says"),
    [
        (Generation(num_beams=4), {}, "`num_beams` of `generation` is not part of the protocol"),
        (Generation(repetition_penalty=1.1), {}, "list the setting under `also`"),
        (Generation(), {"omit": ("temprature",)}, "`omit` lists temprature, which is never sent"),
    ],
)
def test_a_parameter_that_would_not_arrive_is_told(generation: Generation, endpoint: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError) as refused:
        open_answerer(spec_of("http://127.0.0.1:9/v1", generation=generation, **endpoint), strategy="generate")
    assert says in str(refused.value)


def picture(path: Path, kind: str) -> Picture:
    Image.new("RGB", (40, 30), (200, 60, 40)).save(path, kind)
    return Picture(path, hashlib.sha256(path.read_bytes()).hexdigest(), role="scene")


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp"), ("GIF", "image/gif")],
)
def test_pictures_go_out_as_they_are_in_their_place(tmp_path: Path, kind: str, media_type: str) -> None:
    first, second = picture(tmp_path / "a.bin", kind), picture(tmp_path / "b.bin", kind)
    question = Question(1, "item", "objects", ("before ", first, "between", second, ""), system="Be short.")
    with ScriptedServer([chat()]) as server:
        (attempt,) = asked(server.url, [question])
        system, user = server.asked[0].body["messages"]
    assert system == {"role": "system", "content": "Be short."}
    texts = [part.get("text") for part in user["content"]]
    assert texts == ["before ", None, "between", None]
    head, _, data = user["content"][1]["image_url"]["url"].partition(",")
    assert head == f"data:{media_type};base64"
    assert base64.b64decode(data) == first.path.read_bytes()
    assert attempt.image_hashes == (first.sha256, second.sha256)
    assert data not in repr(attempt), "a picture is kept as its hash"


def test_a_picture_that_cannot_be_sent_fails_its_item_alone(tmp_path: Path) -> None:
    gone = Picture(tmp_path / "gone.png", "0" * 64, role="scene")
    other = picture(tmp_path / "other.png", "PNG")
    changed = Picture(other.path, "0" * 64)
    (tmp_path / "text.png").write_text("no picture")
    text = Picture(tmp_path / "text.png", hashlib.sha256(b"no picture").hexdigest())
    wanted = [Question(unit, "", "", ("what?", shown)) for unit, shown in enumerate((gone, changed, text, other))]
    with ScriptedServer([chat()]) as server:
        told = sorted(asked(server.url, wanted), key=lambda one: one.unit_id)
        assert len(server.asked) == 1
    assert [one.outcome for one in told] == [Outcome.FAILED] * 3 + [Outcome.ANSWERED]
    assert told[0].error == (
        "Touchstone cannot read the item's file for the picture scene: no such file or directory. "
        "Import the file again."
    )
    assert "the SHA-256 of the file differs" in told[1].error
    assert "is not PNG, JPEG, WebP or GIF" in told[2].error
    assert all(one.final for one in told)


def test_a_text_that_cannot_be_sent_fails_its_item_alone() -> None:
    with ScriptedServer([chat()]) as server:
        bad, good = sorted(asked(server.url, [Question(1, "", "", ("\ud800",)), Question(2, "", "", ("?",))]), key=unit)
        assert len(server.asked) == 1
    assert (bad.outcome, good.outcome) == (Outcome.FAILED, Outcome.ANSWERED)
    assert "Correct the item" in bad.error


def unit(attempt: Attempt) -> int:
    return attempt.unit_id


def test_a_model_is_not_shown_more_than_it_takes(tmp_path: Path) -> None:
    shown = picture(tmp_path / "a.png", "PNG")
    with ScriptedServer([chat()]) as server:
        (none,) = asked(server.url, [Question(1, "", "", ("?", shown))], modality="text")
        (two,) = asked(server.url, [Question(1, "", "", ("?", shown, shown))], modality="one_image")
        assert server.asked == []
    assert (none.outcome, two.outcome) == (Outcome.FAILED, Outcome.FAILED)
    assert "has 1 picture, but `modality` in the description says that scripted accepts none" in none.error
    assert "has 2 pictures, but `modality` in the description says that scripted accepts one" in two.error


def test_a_question_that_cannot_be_asked_is_skipped() -> None:
    with ScriptedServer([chat()]) as server:
        (attempt,) = asked(server.url, [Question(1, "", "", ("?",), cannot="The item has no image.")])
        assert server.asked == []
    assert (attempt.outcome, attempt.error) == (Outcome.SKIPPED, "The item has no image.")
