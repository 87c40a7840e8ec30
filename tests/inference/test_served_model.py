"""A real model behind a real server: `transformers serve` with a tiny LLaVA, and with a tiny text model as a judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import Store
from domain.judging import ReplyOutcome
from domain.runs import Attempt, Outcome, Picture, Question
from domain.states import Stage
from inference.opening import open_answerer
from inference.spec import Endpoint, Generation, ModelSpec
from testkit.missing_extensions import needs
from testkit.tiny import picture
from tests.inference.served import transformers_serve
from tests.workflow.test_benchmark_judges import BENCHMARKS, N, judged, rows
from workflow.results.ratings import ratings_of
from workflow.runs import attempt_keeper, judge_readings

if TYPE_CHECKING:
    from testkit.tiny import Shelf

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a `transformers serve`."""
    with transformers_serve(tmp_path_factory.mktemp("served")) as url:
        yield url


def asked(path: Path, seed: int) -> Question:
    picture(path, seed)
    shown = Picture(path, hashlib.sha256(path.read_bytes()).hexdigest(), role="scene")
    return Question(seed, f"item-{seed}", "objects", (shown, f"What is on table {seed}?"))


def generated(folder: Path, question: Question, longest: int) -> str:
    """What the same model says in this process, by transformers' own short way."""
    import torch
    from PIL import Image
    from transformers import AutoModelForImageTextToText, AutoProcessor

    processor = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype="auto").eval()
    content = [
        {"type": "image", "image": Image.open(part.path)}
        if isinstance(part, Picture)
        else {"type": "text", "text": part}
        for part in question.parts
    ]
    inputs = processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.no_grad():
        tokens = model.generate(**inputs, max_new_tokens=longest, do_sample=False)
    said: str = processor.decode(tokens[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return said


def test_pictures_and_questions_are_answered_as_the_model_itself_answers_them(
    served: str, tiny_models: Shelf, tmp_path: Path
) -> None:
    folder = tiny_models.folder("llava")
    spec = ModelSpec(
        name="tiny",
        adapter="endpoint",
        model=str(folder),
        generation=Generation(max_new_tokens=12),
        endpoint=Endpoint(base_url=served, concurrency=2, timeout_seconds=120.0),
    )
    questions = [asked(tmp_path / f"{seed}.png", seed) for seed in range(4)]
    told: list[Attempt] = []
    answerer = open_answerer(spec, strategy="generate")
    try:
        answerer.answer(questions, tell=told.append, stop=lambda: False)
        probe = answerer.about["probe"]
    finally:
        answerer.close()
    answers = {one.unit_id: one for one in told}
    assert sorted(answers) == [0, 1, 2, 3]
    assert len(told) == 4
    expected = {question.unit_id: generated(folder, question, 12) for question in questions}
    assert len(set(expected.values())) > 1, "pictures make a difference"
    # A model of random weights says NUL, too, which no database takes.
    assert {unit: one.text for unit, one in answers.items()} == {
        unit: said.replace("\0", "\ufffd") for unit, said in expected.items()
    }
    for one in told:
        assert one.outcome in (Outcome.ANSWERED, Outcome.TRUNCATED)
        assert (one.outcome is Outcome.TRUNCATED) == (one.finish_reason == "length")
        # 16 patches of the picture, besides the words.
        assert one.tokens_in is not None
        assert one.tokens_in > 16
        assert one.tokens_out is not None
        assert one.status == 200
        assert one.cost is None
    # It accepts these and does nothing.
    assert [probe[name] for name in ("n", "json_schema", "logprobs")] == ["ignored"] * 3
    assert (probe["images"], probe["usage"], probe["error"]) == ("accepted", "works", "")


def test_a_model_that_is_not_there_ends_in_a_sentence(served: str, tmp_path: Path) -> None:
    spec = ModelSpec(
        name="gone",
        adapter="endpoint",
        model=str(tmp_path / "gone"),
        endpoint=Endpoint(base_url=served, attempts=1, probe=False, timeout_seconds=60.0),
    )
    told: list[Attempt] = []
    answerer = open_answerer(spec, strategy="generate")
    try:
        answerer.answer([Question(1, "item", "", ("What?",))], tell=told.append, stop=lambda: False)
    finally:
        answerer.close()
    assert [one.outcome for one in told] == [Outcome.TRANSPORT_ERROR]
    assert told[0].status is not None
    assert told[0].error.endswith(".")


def test_a_judge_that_knows_nothing_fails_and_is_counted(
    served: str, store: Store, tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)
    spec = ModelSpec(
        name="tiny",
        adapter="endpoint",
        model=str(tiny_models.folder("text")),
        modality="text",
        generation=Generation(max_new_tokens=12),
        endpoint=Endpoint(base_url=served, probe=False, attempts=2, concurrency=2),
    )
    benchmark = next(each for each in BENCHMARKS if each.template == "pca_anchors")
    run = judged(store, tmp_path, benchmark, spec, ("one",))
    found = judge_readings.verdicts_of(store, by=None, run=run)
    assert set(found) == {"action", "perception", "cognition"}
    for counts in found.values():
        assert sum(counts.values()) == N
        assert set(counts) <= {
            ReplyOutcome.TRUNCATED,
            ReplyOutcome.UNPARSEABLE,
            ReplyOutcome.EMPTY,
        }  # it replied, each time
    assert ratings_of(store, project="p", stage=Stage.GRADING) == []
    assert rows(store, "SELECT count(*), count(DISTINCT unit_id) FROM attempt WHERE status = 200") == [(N, N)]
    assert rows(store, "SELECT count(*) FROM judgement WHERE value IS NOT NULL") == [(0,)]


def test_a_model_that_knows_nothing_gives_no_goal_of_a_video(
    served: str, tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    told = f"{{base_url: '{served}', probe: false, concurrency: 1, attempts: 1}}"
    Path("m.yaml").write_text(
        f"name: tiny\nadapter: endpoint\nmodel: '{tiny_models.folder('text')}'\nmodality: text\n"
        f"generation: {{max_new_tokens: 8}}\nendpoint: {told}\n"
    )
    rows = [f"{video},{at},{at + 1},do {at}" for video in ("one", "two") for at in range(5)]
    Path("n.csv").write_text("\n".join(["video,start,stop,text", *rows]) + "\n")
    Path("p.txt").write_text("{narrations}")
    command = ["goal", "create", "n.csv", "--spec", "m.yaml", "--prompt", "p.txt", "--out", "g.json"]
    done = CliRunner().invoke(cli, [*command, "--tries", "2"])
    assert done.exit_code == 1, done.output
    assert json.loads(Path("g.json").read_text()) == []
    made = json.loads(Path("g.made.json").read_text())
    assert (made["counts"]["requests"], made["counts"]["videos without"]) == (4, 2)
    assert sum(each["replies"] for each in made["failures"]) == 4
    # it says eight tokens, or ends before
    kinds = {each["kind"] for each in made["failures"]}
    assert kinds <= {Outcome.TRUNCATED.label, Outcome.EMPTY.label, "the reply is not JSON", "the JSON is incomplete"}


@needs("commands", "drafting")
@needs("commands", "pool")
def test_a_model_that_knows_nothing_proposes_no_item(
    served: str, tiny_models: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    resources.cache_clear()
    Path("m.yaml").write_text(
        f"name: tiny\nadapter: endpoint\nmodel: '{tiny_models.folder('llava')}'\ngeneration: {{max_new_tokens: 8}}\n"
        f"endpoint: {{base_url: '{served}', probe: false, concurrency: 1, attempts: 1}}\n"
    )
    Path("pictures").mkdir()
    for seed in range(2):
        picture(Path(f"pictures/{seed}.png"), seed)
    Path("p.txt").write_text("{fields}")
    make = ["proposal", "create", "p", "--spec", "m.yaml", "--prompt", "p.txt", "--out", "d.json", "--tries", "2"]
    for command in (["project", "create", "p", "--schema", "pca_bench"], ["pool", "import", "p", "pictures"]):
        assert CliRunner().invoke(cli, command).exit_code == 0
    done = CliRunner().invoke(cli, [*make, "--dimension", "domestic_robot"])
    assert done.exit_code == 1, done.output
    assert json.loads(Path("d.json").read_text())["proposals"] == []
    made = json.loads(Path("d.made.json").read_text())
    assert (made["counts"]["requests"], made["counts"]["images without"]) == (4, 2)
    assert sum(each["replies"] for each in made["failures"]) == 4
    assert all(each["why"] == "2 replies, all invalid" for each in made["left_out"])
