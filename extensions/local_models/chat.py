"""A model on this machine in a conversation. Its calls of tools are read from its text."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from domain.errors import ModelError
from domain.runs import Attempt, Outcome, Question
from extensions.local_models.encoding import EncodedBatch
from extensions.local_models.generation import GeneratedText, LocalModel, attempt_at, generate, seed_of
from extensions.local_models.libraries import out_of_memory, short_error
from extensions.local_models.loading import load
from extensions.local_models.prompts import CannotEncode, neutral, rendered
from inference.spec import ModelPermissions, ModelSpec


class LocalChat(LocalModel):
    """Implements ``inference.adapters.ChatModel``."""

    def reply(
        self, question: Question, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> tuple[Attempt, Mapping[str, Any] | None]:
        """See ``ChatModel.reply``."""
        began = time.perf_counter()
        try:
            text, encoded, room = self._encoded(messages, tools)
            seed = seed_of(self.loaded.spec.generation.seed, [text])
            reply = generate(self.loaded, encoded, seed=seed, most=room)[0]
        except CannotEncode as error:
            return attempt_at(question, Outcome.FAILED, error=str(error)), None
        except Exception as error:  # a model may raise anything; the other conversations go on
            sentence = (
                "There is not enough memory for this conversation. Use fewer or smaller images, or a smaller model."
                if out_of_memory(error)
                else f"The model failed on this item. {short_error(error)}"
            )
            return attempt_at(question, Outcome.FAILED, error=sentence, seconds=time.perf_counter() - began), None
        words, calls = read_calls(reply.whole) if tools else (reply.text, [])
        words = words if calls else reply.text
        attempt = attempt_at(
            question,
            _outcome(reply, words),
            text=words,
            finish_reason=reply.finish_reason,
            tokens_in=encoded.lengths[0],
            tokens_out=reply.tokens_out,
            seconds=time.perf_counter() - began,
            error="" if words or calls else "The model returned no text.",
            detail={"rendered": text, "written": reply.whole},
        )
        return attempt, {"role": "assistant", "content": words, **({"tool_calls": calls} if calls else {})}

    def _encoded(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> tuple[str, EncodedBatch, int]:
        loaded = self.loaded
        text = rendered(loaded, [_plain(message, loaded.special) for message in messages], tools)
        if text is None:
            raise CannotEncode(
                f"The chat template of {loaded.spec.name} does not accept the turns of this conversation. Choose "
                "another model."
            )
        first = loaded.tokenizer.bos_token
        inputs = loaded.tokenizer(
            [text], return_tensors="pt", add_special_tokens=not (first and text.startswith(first))
        ).to(loaded.device)
        length = int(inputs["input_ids"].shape[1])
        room = loaded.spec.generation.max_new_tokens
        if loaded.room is not None:
            room = min(room, loaded.room - length)
        if room < 1:
            raise CannotEncode(
                f"The conversation has {length} tokens, but {loaded.spec.name} accepts at most {loaded.room}. "
                "Use a model with a longer context."
            )
        kept = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        return text, EncodedBatch(kept, (), (length,)), room


def open_chat(spec: ModelSpec, allowed: ModelPermissions, tools: Sequence[Mapping[str, Any]]) -> LocalChat:
    """Return a model that may ask for these tools. Raise ``ModelError`` if it does not load or knows no tools."""
    loaded = load(spec, allowed)
    turns = [{"role": "user", "content": "What next?"}]
    shown = rendered(loaded, turns, tools[:1]) if loaded.template else None
    if shown is None or tools[0]["function"]["name"] not in shown:
        raise ModelError(
            f"The chat template of {spec.name} does not support tools. Choose a text model whose template supports "
            "tools, or a model behind a server that reads tool calls (vLLM, SGLang)."
        )
    return LocalChat(loaded)


def _plain(message: Mapping[str, Any], special: Sequence[str]) -> dict[str, Any]:
    """Return a turn for chat templates: texts without special tokens, and arguments as values instead of JSON."""
    turn = {**message, "content": neutral(str(message.get("content") or ""), special)[0]}
    if message.get("tool_calls"):
        turn["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _value(call["function"]["arguments"])}}
            for call in message["tool_calls"]
        ]
    return turn


def _value(text: str) -> Any:
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError:
        return text


_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_LISTED = re.compile(r"\[TOOL_CALLS\]\s*(\[.*)\Z", re.DOTALL)
_NAMED = re.compile(r"\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[ARGS\])?\s*(\{.*?\})?\s*(?=\[TOOL_CALLS\]|\Z)", re.DOTALL)
_MARKS = re.compile(r"<\|(?:python_tag|eom_id|eot_id|im_end|end_of_text)\|>|</?s>")


def read_calls(written: str) -> tuple[str, list[Any]]:
    """Split a model's text into words and calls, in the forms that models use.

    These are ``<tool_call>{...}</tool_call>``, ``[TOOL_CALLS] [{...}]`` and, with nothing else, an object with
    ``name`` and ``parameters``. An unreadable call becomes one that the protocol does not know, so that it is reported
    and never taken for an answer.

    >>> read_calls('<tool_call>{"name": "ocr", "arguments": {}}</tool_call>')
    ('', [{'type': 'function', 'function': {'name': 'ocr', 'arguments': '{}'}}])
    >>> read_calls("It is green.")
    ('It is green.', [])
    """
    text = written.strip()
    tagged = _TAGGED.findall(text)
    if tagged:
        return _MARKS.sub("", _TAGGED.sub("", text)).strip(), [_call(_value(call)) for call in tagged]
    if listed := _LISTED.search(text):
        value = _value(_MARKS.sub("", listed.group(1)))
        calls = [_call(call) for call in value] if isinstance(value, list) else [_call(None)]
        return text[: listed.start()].strip(), calls
    if "[TOOL_CALLS]" in text:
        named = _NAMED.findall(_MARKS.sub("", text))
        calls = [_call({"name": name, "arguments": _value(given)}) for name, given in named]
        return text.partition("[TOOL_CALLS]")[0].strip(), calls or [_call(None)]
    alone = _MARKS.sub("", text).strip()
    if alone.startswith("{"):
        values = [_value(piece) for piece in re.split(r";\s*(?=\{)", alone)]
        if all(isinstance(value, dict) and "name" in value and len(value) <= 3 for value in values):
            return "", [_call(value) for value in values]
    if text.startswith("<|python_tag|>"):
        return "", [_call(None)]
    return alone, []


def _call(value: Any) -> dict[str, Any]:
    """Return a call in the form of the chat protocol."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return {"type": "function", "function": None}
    given = value.get("arguments", value.get("parameters"))
    raw = given if isinstance(given, str) else json.dumps({} if given is None else given, ensure_ascii=False)
    return {"type": "function", "function": {"name": value["name"], "arguments": raw}}


def _outcome(reply: GeneratedText, words: str) -> Outcome:
    if not words:
        return Outcome.EMPTY
    return Outcome.TRUNCATED if reply.finish_reason == "length" else Outcome.ANSWERED
