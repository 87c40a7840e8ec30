"""From a description to something that can be asked."""

from __future__ import annotations

from annotation_schemas.tools import ToolSet
from domain.errors import ModelRefused
from domain.runs import TWO_STEPS, Answerer
from inference.spec import Allowed, ModelSpec
from inference.two_steps import TwoSteps

LOCAL = frozenset({"chat", "completion", "encoder_decoder", "video_llava"})
"""Adapters of models that are loaded here."""


NOTHING_MORE = Allowed()


def open_answerer(
    spec: ModelSpec,
    *,
    strategy: str,
    allowed: Allowed = NOTHING_MORE,
    score: str = "mean_logprob",
    without_image: bool = False,
    tool_set: ToolSet | None = None,
) -> Answerer:
    """Load the model, or reach for the endpoint, so that it can be asked with that strategy.

    Parameters
    ----------
    score, without_image
        Of ranked options: which score names the winner, and whether each is scored without pictures, too.
    tool_set
        Of a model that asks for tools: which; None: those of HOLMES.

    Raises
    ------
    ModelRefused
        It cannot be had here; the message says what would help.
    """
    if strategy == TWO_STEPS:
        return TwoSteps(open_answerer(spec, strategy="generate", allowed=allowed))
    if spec.generation.response_format and spec.adapter in LOCAL:
        raise ModelRefused(
            f"{spec.name} runs on this machine, where replies are not kept to a `response_format`: ask it without one,"
            " or through a server."
        )
    if spec.generation.extra_body and spec.adapter in LOCAL:
        raise ModelRefused(
            f"{spec.name} runs on this machine, so there is no request to add `extra_body` to. Leave it out, or ask the"
            " model through a server."
        )
    if strategy == "holmes" and spec.adapter in LOCAL:
        from inference.local.conversations import open_conversations

        return open_conversations(spec, allowed, tool_set)
    if strategy == "generate" and spec.adapter in LOCAL:
        from inference.local.generation import open_generate

        return open_generate(spec, allowed)
    if strategy == "rank_options" and spec.adapter in LOCAL:
        from inference.local.ranking import open_ranker

        return open_ranker(spec, allowed, score, without_image)
    if spec.adapter == "endpoint":
        from inference.endpoint.opening import open_endpoint

        return open_endpoint(
            spec,
            strategy=strategy,
            listed=allowed.endpoints,
            score=score,
            without_image=without_image,
            tool_set=tool_set,
        )
    raise ModelRefused(f"Touchstone has no way yet to open {spec.name} ({spec.adapter}) for {strategy}.")
