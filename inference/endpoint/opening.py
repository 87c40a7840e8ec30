"""From a description to a model behind an endpoint that can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from annotation_schemas.tools import ToolSet
from domain.errors import ModelRefused
from inference.endpoint.answerer import EndpointAnswerer, check_ranking, parameters
from inference.endpoint.client import Client
from inference.endpoint.conversations import ConversationAnswerer
from inference.endpoint.ranking import RankingAnswerer
from inference.spec import ModelSpec


def open_endpoint(
    spec: ModelSpec,
    *,
    strategy: str,
    listed: Sequence[str] = (),
    score: str = "mean_logprob",
    without_image: bool = False,
    tool_set: ToolSet | None = None,
) -> EndpointAnswerer:
    """Make ready to ask an endpoint; ``score`` and ``without_image`` are of ranked options, ``tool_set`` of a model
    that asks for tools.

    Raises
    ------
    ModelRefused
        It may not be asked, or not in that way.
    """
    assert spec.endpoint is not None
    assert spec.model is not None
    if strategy == "holmes":
        parameters(spec.generation, spec.endpoint)
        return ConversationAnswerer(spec, Client(spec.endpoint, spec.model, listed=listed), tool_set)
    if strategy == "rank_options":
        check_ranking(spec)
        return RankingAnswerer(
            spec, Client(spec.endpoint, spec.model, listed=listed), score=score, without_image=without_image
        )
    if strategy != "generate":
        raise ModelRefused(
            f"{spec.name} is behind an endpoint, which can generate answers; {strategy} needs a model that runs here."
        )
    parameters(spec.generation, spec.endpoint)
    return EndpointAnswerer(spec, Client(spec.endpoint, spec.model, listed=listed))
