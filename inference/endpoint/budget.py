"""The remaining budget of a run, in requests and in money."""

from __future__ import annotations

from enum import Enum

from domain.english import with_noun
from inference.spec import Endpoint, Price


class Allowance(Enum):
    """Whether one more request fits."""

    YES = "yes"
    LATER = "later"
    """Requests that are under way may turn out cheaper than was set aside for them."""
    NO = "no"


class Budget:
    """A budget that is checked before each request, so that it is never exceeded.

    The highest cost of a request is reserved when the request starts, and replaced by its real cost when its usage is
    known. If the usage stays unknown, the reserved amount counts as spent.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._price = endpoint.price
        self._max_calls = endpoint.max_calls
        self._max_cost = endpoint.max_cost
        self._calls = 0
        self._cost = 0.0
        self._aside = 0.0
        self._open = 0

    def spent(self, calls: int, cost: float) -> None:
        """Set the amount that all workers of the run have spent so far. It replaces the amount counted here."""
        self._calls, self._cost = calls, cost

    def most(self, tokens_in: float, longest: int) -> float:
        """Return the highest possible cost of a request."""
        return cost(self._price, tokens_in, longest) or 0.0

    def may(self, most: float) -> Allowance:
        """Return whether a request with this highest cost fits."""
        if self._max_calls is not None and self._calls >= self._max_calls:
            return Allowance.NO
        # A hair's breadth for sums of fractions: ten times 0.1 fits into 1.
        if self._max_cost is not None and self._cost + self._aside + most > self._max_cost * (1 + 1e-9):
            return Allowance.LATER if self._open else Allowance.NO
        return Allowance.YES

    def begin(self, most: float) -> None:
        """Reserve the cost of a new request."""
        self._calls += 1
        self._aside += most
        self._open += 1

    def end(self, most: float, really: float | None) -> None:
        """Replace the reserved cost of an ended request by its real cost; None if unknown."""
        self._aside -= most
        self._open -= 1
        self._cost += most if really is None else really

    @property
    def why(self) -> str:
        """Return why no further request fits, as a sentence."""
        if self._max_calls is not None and self._calls >= self._max_calls:
            limit = with_noun(self._calls, "request")
            return f"The run has reached the limit of {limit} (`max_calls`). To continue, resume the run."
        currency = self._price.currency if self._price else ""
        return (
            f"The run has cost {self._cost:.4f} {currency}, and one more request could exceed `max_cost` ("
            f"{self._max_cost:g} {currency}). To continue, resume the run."
        )


def cost(price: Price | None, tokens_in: float | None, tokens_out: float | None) -> float | None:
    """Return the cost of tokens; None if unknown.

    >>> cost(Price(input=2, output=8, date="2026-11-01"), 1000, 500)
    0.006
    """
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return (tokens_in * price.input + tokens_out * price.output) / 1_000_000
