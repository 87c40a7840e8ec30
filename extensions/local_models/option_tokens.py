"""Options as tokens that continue a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inference.options import check_options, joined, one_begins_another, tokens_after

END = -1
"""The token for the end of the answer in an option."""


@dataclass(frozen=True)
class OptionTokens:
    """Options as tokens that continue a prompt."""

    prompt: str
    joint: str
    """The text between prompt and option, which is scored with the option."""
    tokens: tuple[tuple[int, ...], ...]
    """The tokens of every option. The last one may be the end of the answer."""
    end: bool
    """Whether the end of the answer counts."""


def cut(tokenizer: Any, prompt: str, options: Sequence[str], special: Sequence[str] = ()) -> OptionTokens:
    """Return the options' tokens after a prompt: tokenized together with it, and cut at its end; see ``joined``.

    Raises
    ------
    CannotRank
        An option is empty, or its first letters share a token with the end of the prompt.
    """
    check_options(options)
    kept, joint, texts = joined(prompt, options, special)
    head = token_ids(tokenizer, [kept])[0]
    wholes = token_ids(tokenizer, [kept + text for text in texts])
    tokens = [tokens_after(head, whole, option) for option, whole in zip(options, wholes, strict=True)]
    end = one_begins_another(tokens)
    if end:
        tokens = [(*token, END) for token in tokens]
    return OptionTokens(kept, joint, tuple(tokens), end)


def token_ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """Return the tokens of texts, without those that a tokenizer adds around a text."""
    ids = tokenizer(texts, add_special_tokens=False)["input_ids"]
    return [list(text_ids) for text_ids in ids]
