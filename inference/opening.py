"""Functions that open a described model for questions."""

from __future__ import annotations

from domain.errors import ModelError
from domain.runs import TWO_STEPS, Answerer
from inference.spec import ModelPermissions, ModelSpec
from inference.two_steps import TwoSteps

LOCAL = frozenset({"chat", "completion", "encoder_decoder", "video_llava"})
"""Adapters of models that are loaded here."""


NOTHING_MORE = ModelPermissions()


def open_answerer(
    spec: ModelSpec,
    *,
    strategy: str,
    allowed: ModelPermissions = NOTHING_MORE,
    score: str = "mean_logprob",
    without_image: bool = False,
) -> Answerer:
    """Open the model or its endpoint for questions with a strategy.

    Parameters
    ----------
    score, without_image
        For ranked options: the score that names the winner, and whether each is also scored without pictures.

    Raises
    ------
    ModelError
        The model cannot be opened here; the message gives the advice.
    """
    if strategy == TWO_STEPS:
        return TwoSteps(open_answerer(spec, strategy="generate", allowed=allowed))
    if spec.adapter in LOCAL:
        must_be_asked_here(spec)
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
        )
    raise ModelError(f"Touchstone has no way yet to open {spec.name} ({spec.adapter}) for {strategy}.")


def must_be_asked_here(spec: ModelSpec) -> None:
    """Refuse (``ModelError``) settings that a model on this machine cannot follow."""
    if spec.generation.response_format:
        raise ModelError(
            f"{spec.name} runs on this machine, where replies are not kept to a `response_format`: ask it without one,"
            " or through a server."
        )
    if spec.generation.extra_body:
        raise ModelError(
            f"{spec.name} runs on this machine, so there is no request to add `extra_body` to. Leave it out, or ask the"
            " model through a server."
        )
