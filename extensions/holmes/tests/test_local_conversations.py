"""A local model that is taught to ask for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError
from domain.runs import Attempt, Outcome, Question
from extensions.holmes.local_conversations import open_conversations
from inference.spec import Generation, ModelPermissions, ModelSpec
from testkit import tiny
from testkit.missing_extensions import needs

pytestmark = [pytest.mark.slow, needs("adapters", "chat")]

TEMPLATE = (
    "{% if tools %}{% for tool in tools %}{{ tool['function']['name'] + '\\n' }}{% endfor %}{% endif %}"
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'] + ': ' }}"
    "{{ message['content'] }}"
    "{% for call in message.get('tool_calls', []) %}{{ '<tool_call>' + call['function'] | tojson + '</tool_call>' }}"
    "{% endfor %}{{ '\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)
ASKS = '<tool_call>{"name": "image_caption", "arguments": {}}</tool_call>'


def taught(folder: Path, lessons: Sequence[tuple[list[dict[str, Any]], str]], tools: Sequence[Any]) -> None:
    """A tiny text model that has learnt what to say in these conversations by heart."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tok = tiny.tokenizer("<tool_call>", "</tool_call>", chat_template=TEMPLATE)
    settings = {key: value for key, value in tiny.llama(tok).items() if key != "model_type"}
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**{**settings, "initializer_range": 0.05}))
    rows = []
    for turns, answer in lessons:
        text = tok.apply_chat_template(turns, tools=tools, tokenize=False, add_generation_prompt=True)
        before, after = (tok(part, add_special_tokens=False)["input_ids"] for part in (text, answer + "</s>"))
        rows.append((torch.tensor([before + after]), torch.tensor([[-100] * len(before) + after])))
    steps = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(120):
        steps.zero_grad()
        loss = sum(model(input_ids=ids, labels=labels).loss for ids, labels in rows)
        loss.backward()
        steps.step()
        if float(loss.detach()) < 0.1:
            break
    model.eval().save_pretrained(folder)
    tok.save_pretrained(folder)


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that asks for a caption, and says what to do when it knows it."""
    from extensions.holmes.tool_sets import holmes

    folder = tmp_path_factory.mktemp("asker") / "model"
    tools = [tool.function() for tool in holmes().offered("autonomous_driving", ["image_caption"])]
    asked = [{"role": "user", "content": "What next?"}]
    called = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "image_caption", "arguments": {}}}],
    }
    lessons = [(asked, ASKS)]
    for result, answer in (("A red light.", "Stop."), ("A green light.", "Drive on.")):
        lessons.append(([*asked, called, {"role": "tool", "content": result}], answer))
    taught(folder, lessons, tools)
    return folder


def about(unit: int, tools: dict[str, Any]) -> Question:
    return Question(unit, f"item-{unit}", "autonomous_driving", ("What next?",), tools=tools)


def stored(result: Any) -> list[dict[str, Any]]:
    return [{"arguments": None, "result": result}]


def spec_of(folder: Path, **more: Any) -> ModelSpec:
    generation = Generation(max_new_tokens=60)
    return ModelSpec(name="tiny", adapter="chat", model=str(folder), modality="text", generation=generation, **more)


def held(folder: Path, questions: Sequence[Question], **more: Any) -> list[Attempt]:
    spec = spec_of(folder, **more)
    told: list[Attempt] = []
    model = open_conversations(spec, ModelPermissions())
    model.answer(questions, tell=told.append, stop=lambda: False)
    return told


def test_it_asks_and_answers_by_what_is_stored(asker: Path) -> None:
    told = held(
        asker,
        [about(1, {"image_caption": stored("A red light.")}), about(2, {"image_caption": stored("A green light.")})],
    )
    assert [(attempt.unit_id, attempt.outcome, attempt.text) for attempt in told] == [
        (1, Outcome.CALLED, ""),
        (2, Outcome.CALLED, ""),
        (1, Outcome.ANSWERED, "Stop."),
        (2, Outcome.ANSWERED, "Drive on."),
    ]
    transcript = told[2].detail["transcript"]
    assert [entry["role"] for entry in transcript] == ["system", "user", "assistant", "tool", "assistant"]
    assert transcript[3]["result"] == "A red light."
    assert told[0].detail["written"] == ASKS
    assert json.loads(json.dumps(told[2].detail)) == told[2].detail


def test_a_call_without_a_stored_result_is_an_outcome(asker: Path) -> None:
    (told,) = held(asker, [about(1, {"weather_detection": stored("rain")})])
    assert told.outcome is Outcome.NO_TOOL_RESULT
    assert "image_caption" in told.error


def test_it_does_not_ask_for_ever(asker: Path) -> None:
    (told,) = held(asker, [about(1, {"image_caption": stored("A red light.")})], most_turns=1)
    assert told.outcome is Outcome.TOO_MANY_TURNS


def test_a_template_that_knows_no_tools_is_refused(tiny_models: tiny.Shelf) -> None:
    with pytest.raises(ModelError, match="does not support tools"):
        open_conversations(spec_of(tiny_models.folder("text")), ModelPermissions())
