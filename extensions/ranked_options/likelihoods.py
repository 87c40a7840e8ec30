"""Token likelihoods in the replies of a server, for a text that the server was given.

Two forms are read. OpenAI's completions repeat the prompt (``echo``) and give ``logprobs`` with ``tokens`` and
``token_logprobs``. vLLM's chat completions give ``prompt_logprobs``: for each token of the rendered prompt, including
pictures, an object by the token's id. Both leave the first token without a number, because no token precedes it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from domain.runs import Outcome
from inference.endpoint.replies import EndpointReply, usage

COMPLETIONS: Mapping[str, Any] = {"echo": True, "logprobs": 1}
"""The parameters sent with a text. One token is generated, because some servers take 0 for no limit. It is ignored."""
CHAT: Mapping[str, Any] = {"prompt_logprobs": 0, "return_token_ids": True}
"""The parameters sent with messages. The 0 requests the prompt's own tokens, without alternatives."""
CHAT_WITH_OPTION: Mapping[str, Any] = {**CHAT, "continue_final_message": True, "add_generation_prompt": False}
"""The same where the last message is an option, which the server does not end."""

_GONE = re.compile(r"[\s▁Ġ]+")
_BYTES = re.compile("\ufffd+|bytes:(?:\\\\x[0-9a-f]{2})+")


class TokenLikelihood(NamedTuple):
    """A token of a text that was given."""

    id: str
    """The identity of the token: its number on the server, or its text."""
    text: str
    logprob: float | None
    """The log-probability; None for the first token."""


def read_likelihoods(reply: EndpointReply, *, by: str) -> tuple[EndpointReply, Sequence[TokenLikelihood]]:
    """Return a reply with the likelihoods of its tokens. A reply without likelihoods has the reason to stop the run."""
    if reply.status != 200 or reply.value is None or not reply.value.get("choices"):
        return reply, ()
    tokens_in, tokens_out = usage(reply.value)
    try:
        tokens = _of_chat(reply.value) if by == "chat" else _of_completions(reply.value, tokens_in)
    except _NoLikelihood as error:
        what = "prompt_logprobs" if by == "chat" else "echo and logprobs"
        stop = (
            f"{error} Touchstone therefore cannot rank options with this endpoint. Use a server that accepts {what}, "
            "use a local model, or let this model write its answer (strategy `generate`)."
        )
        return replace(
            _only(reply, tokens_in, tokens_out), outcome=Outcome.UNREADABLE, error=str(error), stop=stop, raw=reply.raw
        ), ()
    return _only(reply, tokens_in, tokens_out), tokens


def _only(reply: EndpointReply, tokens_in: int | None, tokens_out: int | None) -> EndpointReply:
    """Return the reply as a step, without the generated text and without its long body."""
    return replace(
        reply,
        outcome=Outcome.STEP,
        text="",
        again=False,
        stop="",
        finish_reason=None,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        error="",
        raw="",
        message=None,
        value=None,
    )


def stands_for(tokens: Sequence[TokenLikelihood], text: str) -> bool:
    """Return whether tokens belong to a text, as far as their own texts show.

    White space, and bytes that are not a complete character, are ignored.

    >>> stands_for([TokenLikelihood("1", " cut", -1.0), TokenLikelihood("2", " it", -2.0)], "cut it")
    True
    >>> stands_for([TokenLikelihood("7", "<think>", -1.0), TokenLikelihood("1", "cut", -1.0)], "cut")
    False
    """
    pieces = _BYTES.split("".join(token.text for token in tokens))
    pattern = ".+".join(re.escape(_GONE.sub("", piece)) for piece in pieces)
    return re.fullmatch(pattern, _GONE.sub("", text), re.DOTALL) is not None


class _NoLikelihood(Exception):
    """The reply does not say it; the message is a sentence."""


def _of_chat(value: Mapping[str, Any]) -> list[TokenLikelihood]:
    given = value.get("prompt_logprobs")
    if not isinstance(given, list) or not given:
        raise _NoLikelihood(
            "The endpoint's reply has no log-probabilities for the tokens of the prompt (prompt_logprobs)."
        )
    ids = value.get("prompt_token_ids")
    likelihoods = []
    for at, entry in enumerate(given):
        if entry is None and at == 0:
            likelihoods.append(TokenLikelihood("", "", None))
            continue
        if not isinstance(entry, dict) or not entry:
            raise _NoLikelihood(
                "The endpoint's reply lacks the log-probability of some tokens of the prompt (prompt_logprobs)."
            )
        id = next(iter(entry)) if len(entry) == 1 else _own(ids, at)
        token = entry.get(id)
        if not isinstance(token, dict) or not isinstance(token.get("decoded_token"), str):
            raise _NoLikelihood(
                "The endpoint's reply does not show which log-probability belongs to a token of the prompt."
            )
        likelihoods.append(TokenLikelihood(id, token["decoded_token"], _number(token.get("logprob"))))
    return likelihoods


def _own(ids: Any, at: int) -> str:
    """Return the id of the prompt's own token, if alternatives are listed next to it."""
    return str(ids[at]) if isinstance(ids, list) and at < len(ids) else ""


def _of_completions(value: Mapping[str, Any], n: int | None) -> list[TokenLikelihood]:
    choice = value["choices"][0]
    logprobs = choice.get("logprobs") if isinstance(choice, dict) else None
    tokens = logprobs.get("tokens") if isinstance(logprobs, dict) else None
    numbers = logprobs.get("token_logprobs") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list) or not isinstance(numbers, list) or len(tokens) != len(numbers):
        raise _NoLikelihood("The endpoint's reply has no log-probabilities for tokens (logprobs).")
    if n is None:
        raise _NoLikelihood("The endpoint's reply does not contain the number of tokens in the prompt (usage).")
    if n < 1 or len(tokens) < n or not all(isinstance(token, str) for token in tokens):
        raise _NoLikelihood(
            "The endpoint's reply has log-probabilities for the generated text, but not for the prompt (echo)."
        )
    return [
        TokenLikelihood(text, text, None if at == 0 and number is None else _number(number))
        for at, (text, number) in enumerate(zip(tokens[:n], numbers[:n], strict=True))
    ]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _NoLikelihood("The endpoint's reply has a log-probability that is not a number.")
    return float(value)
