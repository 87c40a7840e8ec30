"""Functions that open a described model for questions."""

from __future__ import annotations

from domain.runs import TWO_STEPS, Answerer
from inference.adapters import find_adapter
from inference.spec import ModelPermissions, ModelSpec
from inference.two_steps import TwoSteps

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
    if spec.adapter == "endpoint":
        from inference.endpoint.opening import open_endpoint

        return open_endpoint(
            spec,
            strategy=strategy,
            listed=allowed.endpoints,
            score=score,
            without_image=without_image,
        )
    return find_adapter(spec).open(spec, allowed, strategy, score, without_image)
