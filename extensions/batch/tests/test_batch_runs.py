"""Batch files: a real server that takes them and replies by script, the real client, a real database."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import ConflictError, ModelError, RunStoppedError
from domain.judging import ReplyOutcome
from domain.runs import Outcome, RunPlan, RunState
from extensions.batch import batch_results, batch_runs
from extensions.batch.batch_endpoint import BatchEndpoint
from extensions.batch.tests.batch_server import BatchServer, line
from inference.spec import Endpoint, ModelSpec, Price
from testkit.factories import make_items, make_project
from testkit.scripted import Asked, Reply, chat, closed, error
from tests.workflow.test_endpoint_runs import MEANS
from tests.workflow.test_judge_runs import SCRIPT, World, by_item
from workflow.runs import judge_readings, run_control, run_start, run_views
from workflow.runs.worker import work
from workflow.runs.worker_registry import waiting

pytestmark = pytest.mark.both_databases


class Batches(World):
    """A project with answers of two models, and a judge whose questions go in batch files."""

    def __init__(self, store: Store, folder: Path, items: int = 10) -> None:
        super().__init__(store, folder, items)
        self.folder = folder / "batches"

    def start(self, url: str, **endpoint: Any) -> str:
        return self.run(url, self.plan(batch=True), **endpoint)

    def __getattr__(self, name: str) -> Any:
        given = {"by": None, "means": self.means, "folder": self.folder}
        if name in ("submit", "poll", "fetch"):
            given["open_endpoint"] = BatchEndpoint
        return partial(getattr(batch_runs, name), self.store, **given)

    def seen(self, run: str) -> batch_runs.BatchesView:
        return batch_runs.view(self.store, by=None, run=run)

    def rows(self) -> list[Any]:
        """Everything that reading a file may change."""
        return [
            self.all(f"SELECT * FROM {table} ORDER BY id")
            for table in ("attempt", "judgement", "run_batch", "run_batch_unit", "run_batch_problem", "run_chunk")
        ]


@pytest.fixture
def world(store: Store, tmp_path: Path) -> Batches:
    return Batches(store, tmp_path)


SCORED = chat("Rating: [[1]]")


def test_everything_comes_to_what_the_script_says_and_fetching_again_changes_nothing(world: Batches) -> None:
    with BatchServer(lambda asked, number: SCRIPT[by_item(asked)][0]) as server:
        run = world.start(server.url)
        assert world.submit(run=run, size=8) == 20
        assert world.submit(run=run) == 0
        assert [len(server.questions(id)) for id in server.batches] == [8, 8, 4]
        assert world.fetch(run=run) == batch_results.ReadIn(0, 0)
        assert run_views.view(world.store, by=None, run=run).state is RunState.BATCH
        assert "validating" in run_views.view(world.store, by=None, run=run).said
        server.work()
        asked = [question for id in server.batches for question in server.questions(id)]
        assert server.asked == []
        assert world.fetch(run=run) == batch_results.ReadIn(20, 0)
        before = world.rows()
        assert world.fetch(run=run) == batch_results.ReadIn(0, 0)
        assert world.rows() == before
    lines = [next(x for x in q["body"]["messages"][-1]["content"].splitlines() if "Question:" in x) for q in asked]
    expected = Counter(SCRIPT[sum(map(ord, line)) % len(SCRIPT)][1] for line in lines)
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == {"score": expected}
    assert sum(expected.values()) == 20
    assert run_views.view(world.store, by=None, run=run).state is RunState.DONE
    assert len({question["custom_id"] for question in asked}) == 20
    assert {question["body"]["temperature"] for question in asked} == {0.0}
    assert world.all("SELECT count(DISTINCT unit_id), count(*) FROM attempt") == [(20, 20)]
    assert len(world.all("SELECT DISTINCT prompt_hash FROM attempt")) > 1


@pytest.mark.one_database
def test_no_worker_takes_a_run_that_goes_in_batch_files(world: Batches) -> None:
    with BatchServer() as server:
        run = world.start(server.url)
        assert waiting(world.store) == []
        assert work(world.store, run, means=world.means) is RunState.BATCH
        assert server.asked == []
    with pytest.raises(ConflictError, match="uses batch files, so you cannot pause the run"):
        run_control.pause(world.store, by=None, run=run)
    with pytest.raises(ConflictError, match="touchstone batch create"):
        run_control.resume(world.store, by=None, run=run)


def test_lines_that_are_no_ones_are_counted_and_kept(world: Batches) -> None:
    def changed(output: list[bytes], errors: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        first, second, third, *rest = output
        name = json.loads(first)["custom_id"]
        other = line(name, chat("Rating: [[0]]"))  # another line about the same question
        stranger = line("somebody-1-1", SCORED)
        missing = line(name.rpartition("-")[0] + "-999999", SCORED)
        broken = second[:40]  # the question stays without a line
        nameless = json.dumps({"response": None}).encode()
        half = json.dumps({"custom_id": json.loads(third)["custom_id"], "response": {"body": {}}}).encode()
        return [first, *rest, other, first, stranger, missing, broken, nameless, half, b"", b"\xff\xfe"], errors

    with BatchServer() as server:
        run = world.start(server.url)
        world.submit(run=run)
        server.work(change=changed)
        assert world.fetch(run=run) == batch_results.ReadIn(19, 7)
        before = world.rows()
        world.fetch(run=run)
        assert world.rows() == before
    # 17 others and the first one; half a line is no reply, and neither is none
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == {
        "score": Counter({ReplyOutcome.SCORED: 18, ReplyOutcome.TRANSPORT_ERROR: 2})
    }
    whys = Counter(problem.why.partition(" '")[0] for problem in world.seen(run).problems)
    assert whys == {
        "Another line has the same custom_id,": 2,
        "No question has the custom_id": 2,
        "The line is not JSON.": 2,
        "The line has no custom_id.": 1,
    }
    outcomes = dict(world.all("SELECT outcome, count(*) FROM attempt GROUP BY outcome"))
    assert outcomes == {"answered": 18, "unreadable": 1, "transport_error": 1}
    assert "Returned lines that match no question: 7" in run_views.view(world.store, by=None, run=run).said
    assert world.all("SELECT count(*) FROM judgement WHERE value IS NOT NULL AND verdict <> 'scored'") == [(0,)]


def test_what_has_expired_is_an_outcome_and_is_asked_again_if_someone_says_so(world: Batches) -> None:
    with BatchServer() as server:
        run = world.start(server.url)
        world.submit(run=run)
        server.work("expired", only=12)
        world.fetch(run=run)
        assert run_views.view(world.store, by=None, run=run).state is RunState.DONE
        assert judge_readings.verdicts_of(world.store, by=None, run=run) == {
            "score": Counter({ReplyOutcome.SCORED: 12, ReplyOutcome.TRANSPORT_ERROR: 8})
        }
        (batch,) = batch_runs.view(world.store, by=None, run=run).batches
        assert (batch.came, batch.without, batch.questions) == (12, 8, 20), "of what has expired nothing came"
        (why,) = world.all("SELECT DISTINCT error FROM attempt WHERE outcome = 'transport_error'")
        assert "batch_expired" in why[0]
        assert run_control.retry_failed(world.store, by=None, run=run) == 8
        assert run_views.view(world.store, by=None, run=run).state is RunState.BATCH
        assert world.submit(run=run) == 8
        server.work()
        world.fetch(run=run)
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == {"score": Counter({ReplyOutcome.SCORED: 20})}
    assert world.all("SELECT count(*) FROM attempt") == [(28,)]


class Kill(BaseException):
    """The process is gone."""


def killed_at(step: str, monkeypatch: pytest.MonkeyPatch, *, after: bool) -> None:
    """The command ends as if it were killed, before or after a step at the endpoint."""
    really = getattr(BatchEndpoint, step)

    def dies(self: BatchEndpoint, *given: Any, **more: Any) -> Any:
        if after:
            really(self, *given, **more)
        raise Kill

    monkeypatch.setattr(BatchEndpoint, step, dies)


@pytest.mark.parametrize(
    ("step", "after", "states"),
    [
        ("upload", False, ["lost", "sent"]),
        ("upload", True, ["lost", "sent"]),
        ("create", False, ["lost", "sent"]),
        ("create", True, ["sent"]),
    ],
)
@pytest.mark.parametrize("names", [True, False])
def test_killed_while_handing_in_nothing_is_paid_twice(
    world: Batches, monkeypatch: pytest.MonkeyPatch, step: str, after: bool, states: list[str], names: bool
) -> None:
    with BatchServer(names=names) as server:
        run = world.start(server.url)
        with monkeypatch.context() as patch:
            killed_at(step, patch, after=after)
            with pytest.raises(Kill):
                world.submit(run=run)
        world.submit(run=run)
        assert [each.state for each in world.seen(run).batches] == states
        assert sum(len(server.questions(id)) for id in server.batches) == 20
        server.work()
        assert world.fetch(run=run).attempts == 20
    assert run_views.view(world.store, by=None, run=run).state is RunState.DONE


def test_an_endpoint_that_does_not_list_its_batches_is_not_paid_twice_unless_someone_says_so(
    world: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BatchServer() as server:
        run = world.start(server.url)
        server.refuse["POST /v1/batches"] = closed()
        server.refuse["POST /v1/batches"] = error(502, kind="after")  # it is made, and the reply is lost
        with pytest.raises(RunStoppedError, match="The state of batch 1 is unknown"):
            world.submit(run=run)
        server.refuse = {"GET /v1/batches": error(405)}
        with pytest.raises(ConflictError, match="may pay twice"):
            world.submit(run=run)
        assert len(server.batches) == 1
        assert world.submit(run=run, again=True) == 20
        first, second = world.seen(run).batches
        assert (first.state, second.state) == ("lost", "sent")
        assert "although the first submission may have succeeded" in first.said
        server.work()
        assert world.fetch(run=run).attempts == 20
        # what was paid for is not lost: someone fetches the other file by hand
        there = world.folder / "first.jsonl"
        there.write_bytes(server.files["file-output-batch_1"])
        assert world.read(run=run, file=there) == batch_results.ReadIn(20, 0)
        assert world.read(run=run, file=there) == batch_results.ReadIn(0, 0)
    assert world.all("SELECT count(*), count(DISTINCT unit_id) FROM attempt") == [(40, 20)]


@pytest.mark.one_database
def test_what_an_endpoint_refuses_is_said_and_can_be_handed_in_again(world: Batches) -> None:
    with BatchServer() as server:
        run = world.start(server.url)
        server.refuse["POST /v1/batches"] = error(400, "no batches for this model")
        with pytest.raises(RunStoppedError, match="no batches for this model"):
            world.submit(run=run)
        server.refuse = {"POST /v1/files": error(401, "no such key")}
        with pytest.raises(RunStoppedError, match="key is missing, is wrong, or has no access"):
            world.submit(run=run)
        assert server.batches == {}
        server.refuse = {}
        assert world.submit(run=run) == 20
        server.batches["batch_1"] |= {"status": "failed", "errors": {"data": [{"message": "line 3 is too long"}]}}
        world.fetch(run=run)
        assert [each.state for each in world.seen(run).batches] == ["lost", "lost", "lost"]
        assert "line 3 is too long" in world.seen(run).batches[-1].said
        assert world.all("SELECT count(*) FROM attempt") == [(0,)]
        assert world.seen(run).free == 20
        assert "Questions not yet submitted: 20" in run_views.view(world.store, by=None, run=run).said


@pytest.mark.one_database
def test_a_fetch_that_breaks_off_goes_on(world: Batches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_results, "_AT_ONCE", 4)
    with BatchServer() as server:
        run = world.start(server.url)
        world.submit(run=run)
        server.work()
        file = "GET /v1/files/file-output-batch_1/content"
        server.refuse[file] = error(503)
        with pytest.raises(RunStoppedError, match="503"):
            world.fetch(run=run)
        server.refuse = {}
        stored = batch_results._store
        with monkeypatch.context() as patch:
            times: list[int] = []

            def dies(at: Any, lines: Any, only: Any) -> Any:
                times.append(1)
                if len(times) == 3:
                    raise Kill
                return stored(at, lines, only)

            patch.setattr(batch_results, "_store", dies)
            with pytest.raises(Kill):
                world.fetch(run=run)
        assert world.all("SELECT count(*) FROM attempt") == [(8,)]
        assert world.fetch(run=run) == batch_results.ReadIn(12, 0)
    assert world.all("SELECT count(*), count(DISTINCT unit_id) FROM attempt") == [(20, 20)]


def test_a_budget_counts_what_is_out(world: Batches) -> None:
    with BatchServer() as server:
        run = world.start(server.url, max_calls=12)
        with pytest.raises(RunStoppedError, match="Submitted 12 questions"):
            world.submit(run=run, size=5)
        with pytest.raises(RunStoppedError, match="Submitted 0 questions"):
            world.submit(run=run)
        assert [len(server.questions(id)) for id in server.batches] == [5, 5, 2]
        server.work()
        world.fetch(run=run)
        with pytest.raises(RunStoppedError, match=r"reached the limit of 12 requests \(`max_calls`\)"):
            world.submit(run=run)
    assert world.all("SELECT count(*) FROM attempt") == [(12,)]


def test_files_go_by_hand_without_a_server(world: Batches, tmp_path: Path) -> None:
    run = world.start("http://127.0.0.1:9/v1")
    file, second = tmp_path / "questions.jsonl", tmp_path / "more.jsonl"
    assert world.write(run=run, file=file, size=15) == 15
    with pytest.raises(ConflictError, match="already exists"):
        world.write(run=run, file=file)
    assert world.write(run=run, file=second) == 5
    assert world.write(run=run, file=tmp_path / "none.jsonl") == 0
    assert not (tmp_path / "none.jsonl").exists()
    asked = [json.loads(each) for each in file.read_text().splitlines()]
    assert {(each["method"], each["url"]) for each in asked} == {("POST", "/v1/chat/completions")}
    back, errors = tmp_path / "back.jsonl", tmp_path / "errors.jsonl"
    back.write_bytes(b"\n".join(line(each["custom_id"], SCORED) for each in asked[:9]))
    errors.write_bytes(b"\n".join(line(each["custom_id"], error(400, "no")) for each in asked[9:14]))
    assert world.read(run=run, file=back) == batch_results.ReadIn(9, 0)
    assert world.read(run=run, file=errors) == batch_results.ReadIn(5, 0)
    assert world.read(run=run, file=back) == batch_results.ReadIn(0, 0)
    assert "9 of 15 replies, 5 errors" in run_views.view(world.store, by=None, run=run).said
    assert world.end(run=run, number=1) == 1
    with pytest.raises(ConflictError, match="so there is nothing to cancel"):
        world.end(run=run, number=1)
    late = tmp_path / "late.jsonl"
    late.write_bytes(line(asked[14]["custom_id"], SCORED))
    assert world.read(run=run, file=late) == batch_results.ReadIn(1, 0)  # given up, and yet it has come
    assert world.read(run=run, file=late) == batch_results.ReadIn(0, 0)
    asked = [json.loads(each) for each in second.read_text().splitlines()]
    back.write_bytes(b"\n".join(line(each["custom_id"], SCORED) for each in asked))
    assert world.read(run=run, file=back) == batch_results.ReadIn(5, 0)
    assert run_views.view(world.store, by=None, run=run).state is RunState.DONE
    assert judge_readings.verdicts_of(world.store, by=None, run=run) == {
        "score": Counter({ReplyOutcome.SCORED: 15, ReplyOutcome.TRANSPORT_ERROR: 5})
    }


def test_a_cancelled_run_keeps_what_was_paid_for(world: Batches) -> None:
    with BatchServer() as server:
        run = world.start(server.url)
        world.submit(run=run, size=20)
        run_control.cancel(world.store, by=None, run=run)
        with pytest.raises(ConflictError, match="is cancelled"):
            world.submit(run=run)
        server.work()
        assert world.fetch(run=run).attempts == 20
    assert run_views.view(world.store, by=None, run=run).state is RunState.CANCELLED


@pytest.mark.one_database
def test_keys_and_addresses_are_checked_as_for_every_request(world: Batches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "sk-secret-0123456789")

    def repeats(output: list[bytes], errors: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        return [each.replace(b"req-", b"sk-secret-0123456789") for each in output], errors

    with BatchServer() as server:
        run = world.start(server.url, key="JUDGE_API_KEY")
        world.submit(run=run)
        server.work(change=repeats)
        world.fetch(run=run)
    assert "sk-secret" not in repr(world.rows())
    assert all(b"sk-secret" not in path.read_bytes() for path in world.folder.iterdir())
    run = world.start("http://10.1.2.3/v1")
    with pytest.raises(ModelError, match="private network"):
        world.submit(run=run)


@pytest.mark.one_database
def test_a_run_that_asks_by_itself_has_no_batches(world: Batches) -> None:
    run = world.run("http://127.0.0.1:9/v1", world.plan())
    with pytest.raises(ConflictError, match="--batch"):
        world.submit(run=run)


def test_models_answers_come_in_batch_files_too(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 6)
    prompts = """default: any
families: {any: {general: {user: "<who> say: {question}", wordings: {who: [Please, You]}}}}
"""
    told = {"prompt_set": "mine.yaml", "prompt_text": prompts, "prompt_hash": sha256(prompts.encode()).hexdigest()}

    given: dict[str, Any] = {"by": None, "means": MEANS, "folder": tmp_path, "open_endpoint": BatchEndpoint}
    local = ModelSpec(name="local", adapter="chat", model="somewhere")
    with pytest.raises(ModelError, match="need an endpoint that generates each answer"):
        run_start.start(store, by=None, project="p", spec=local, plan=RunPlan(batch=True))

    def script(asked: Asked, number: int) -> Reply:
        return chat("", finish="content_filter") if number == 4 else chat(f"{asked.text} is red")

    with BatchServer(script) as server:
        endpoint = Endpoint(base_url=server.url, price=Price(input=2, output=8, date="2026-11-01"))
        spec = ModelSpec(name="m", adapter="endpoint", model="scripted", endpoint=endpoint)
        run = run_start.start(store, by=None, project="p", spec=spec, plan=RunPlan(batch=True, prompt_seed=1, **told))
        assert waiting(store) == []
        assert batch_runs.submit(store, run=run, **given) == 6
        server.work()
        assert batch_runs.fetch(store, run=run, **given) == batch_results.ReadIn(6, 0)
        assert batch_runs.fetch(store, run=run, **given) == batch_results.ReadIn(0, 0)
    view = run_views.view(store, by=None, run=run)
    assert (view.state, view.by_outcome) == (RunState.DONE, {Outcome.ANSWERED: 5, Outcome.REFUSED: 1})
    assert view.cost == pytest.approx(6 * (12 * 2 + 3 * 8) / 1e6)
    answered = run_views.attempts_of(store, by=None, run=run, outcomes=[Outcome.ANSWERED])
    assert sorted(each.attempt.text for each in answered)[0].endswith(" is red")
    assert view.answered == 5
    for each in run_views.attempts_of(store, by=None, run=run):  # in which of the two wordings it was asked
        number = int(sha256(f"1/mine.yaml/any/general/1/{each.item}".encode()).hexdigest()[:16], 16) % 2 + 1
        assert each.attempt.detail["prompt"]["name"] == f"mine.yaml/any/general/{number}"
