"""Functions that open a model behind an endpoint, from its description."""

from __future__ import annotations

from collections.abc import Sequence

from domain.errors import ModelError
from inference.endpoint.answerer import EndpointAnswerer, check_ranking, parameters
from inference.endpoint.client import Client
from inference.endpoint.ranking import RankingAnswerer
from inference.spec import ModelSpec


def open_endpoint(
    spec: ModelSpec,
    *,
    strategy: str,
    listed: Sequence[str] = (),
    score: str = "mean_logprob",
    without_image: bool = False,
) -> EndpointAnswerer:
    """Make ready to ask an endpoint; ``score`` and ``without_image`` are of ranked options.

    Raises
    ------
    ModelError
        It may not be asked, or not in that way.
    """
    assert spec.endpoint is not None
    assert spec.model is not None
    if strategy == "rank_options":
        check_ranking(spec)
        return RankingAnswerer(
            spec, Client(spec.endpoint, spec.model, listed=listed), score=score, without_image=without_image
        )
    if strategy != "generate":
        raise ModelError(
            f"{spec.name} is behind an endpoint, which can generate answers; {strategy} needs a model that runs here."
        )
    parameters(spec.generation, spec.endpoint)
    return EndpointAnswerer(spec, Client(spec.endpoint, spec.model, listed=listed))
