"""Split an assistant's message into its answer, its reasoning, and other parts.

Servers disagree about where reasoning stands: as parts of ``content`` (Anthropic, Mistral), or as fields next to it
(DeepSeek, vLLM, SGLang: ``reasoning_content``; OpenRouter: ``reasoning``, ``reasoning_details``; Ollama: ``thinking``).
Reasoning is never taken for an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TEXT = {"text", "output_text", "input_text"}
_REASONING = {
    "thinking",
    "redacted_thinking",
    "reasoning",
    "reasoning_text",
    "reasoning_content",
    "reasoning.text",
    "reasoning.summary",
    "reasoning.encrypted",
    "summary_text",
    "thought",
}
_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
"""Fields of a message that hold reasoning, in the order in which they are looked at. Several often hold the same."""
_INSIDE = ("thinking", "text", "reasoning", "reasoning_content", "summary", "content", "value")
"""Keys of a part that hold its words, as a text or as parts again."""
_DEPTH = 6


@dataclass(frozen=True)
class MessageParts:
    """The parts of a message."""

    text: str | None
    """The answer; None if the message has ``content`` without text."""
    reasoning: str = ""
    has_reasoning: bool = False
    """The model reasoned, whether the server shows the words or not."""
    refusal: str = ""
    other: tuple[str, ...] = ()
    """Kinds of parts that hold neither words nor reasoning, such as ``image_url``."""


def read_message(message: Mapping[str, Any]) -> MessageParts:
    """Return the parts of an assistant's message.

    >>> read_message({"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "A"}]})
    MessageParts(text='A', reasoning='Hm.', has_reasoning=True, refusal='', other=())
    """
    content = message.get("content")
    refusal = message.get("refusal")
    texts: list[str] = []
    reasoned: list[str] = []
    refused = [refusal] if isinstance(refusal, str) and refusal.strip() else []
    other: list[str] = []
    has_reasoning = False
    is_readable = content is None or isinstance(content, str)
    if isinstance(content, str):
        texts.append(content)
    parts = content if isinstance(content, list) else [content] if isinstance(content, dict) else []
    for part in parts:
        kind = _kind(part)
        if isinstance(part, str):
            texts.append(part)
        elif kind == "refusal":
            refused += list(_words(part.get("refusal")))
        elif kind in _REASONING:
            reasoned += list(_words(part))
            has_reasoning = True
        elif kind in _TEXT:
            texts += list(_words(part.get("text")))
        else:
            other.append(kind)
            continue
        is_readable = True
    is_readable = is_readable or content == []
    for name in _FIELDS:
        reasoning = "\n".join(_words(message.get(name)))
        if reasoning and not any(reasoning in text for text in reasoned):
            reasoned.append(reasoning)
    return MessageParts(
        "".join(texts) if is_readable else None,
        "\n".join(reasoned),
        has_reasoning or bool("".join(reasoned).strip()),
        "\n".join(refused),
        tuple(dict.fromkeys(other)),
    )


def _kind(part: Any) -> str:
    """Return the type of a content part, in one word."""
    if not isinstance(part, Mapping):
        return "text" if isinstance(part, str) else type(part).__name__
    if part.get("thought") is True:
        return "thought"
    kind = part.get("type")
    if isinstance(kind, str) and kind:
        return kind[:60]
    named = [name for name in ("text", "thinking", "reasoning", "refusal") if name in part]
    return named[0] if named else "part without a type"


def _words(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts inside a value: a text, a part, or a list of them."""
    if isinstance(value, str):
        if value:
            yield value
    elif depth < _DEPTH and isinstance(value, list):
        for part in value:
            yield from _words(part, depth + 1)
    elif depth < _DEPTH and isinstance(value, Mapping):
        for name in _INSIDE:
            words = list(_words(value.get(name), depth + 1))
            if words:
                yield from words
                return
