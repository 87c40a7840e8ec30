"""Functions that open a model behind an endpoint, from its description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from domain import extensions
from domain.errors import ModelError
from inference.endpoint.answerer import EndpointAnswerer, parameters
from inference.endpoint.client import Client
from inference.spec import ModelSpec


@dataclass(frozen=True)
class EndpointStrategy:
    """A strategy in which endpoints are asked: a row of the register ``endpoint_strategies``.

    Its functions import what they need when they are called. They raise ``ModelError`` with advice.
    """

    name: str
    """The name of the strategy in plans."""
    check: Callable[[ModelSpec], None]
    """Refuses a description with which the strategy does not work, before a run is stored."""
    open: Callable[[ModelSpec, Client, str, bool], EndpointAnswerer]
    """Opens a model: description, client, score, and whether options are also scored without pictures."""


def added_strategy(name: str) -> EndpointStrategy | None:
    """Return the strategy of that name if an extension adds it.

    Raises
    ------
    ModelError
        An extension that is not installed adds it.
    """
    for row in extensions.rows("endpoint_strategies"):
        if row.name == name:
            strategy: EndpointStrategy = row
            return strategy
    if missing := extensions.missing("endpoint_strategies", name):
        raise ModelError(missing)
    return None


def check_strategy(spec: ModelSpec, strategy: str) -> None:
    """Refuse (``ModelError``) the description of an endpoint with which a strategy of an extension does not work."""
    if spec.endpoint is not None and (row := added_strategy(strategy)) is not None:
        row.check(spec)


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
    if (row := added_strategy(strategy)) is not None:
        row.check(spec)
        return row.open(spec, Client(spec.endpoint, spec.model, listed=listed), score, without_image)
    if strategy != "generate":
        raise ModelError(
            f"{spec.name} is behind an endpoint, which can only generate answers. Use a model on this machine for "
            f"{strategy}."
        )
    parameters(spec.generation, spec.endpoint)
    return EndpointAnswerer(spec, Client(spec.endpoint, spec.model, listed=listed))
