"""Failures in paper tables: the source ``failures`` of a layout."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from agreement.limits import wilson
from agreement.statistic import Statistic, estimated
from db.engine import Store
from domain.errors import InvalidInputError, NotFoundError, Problem
from extensions.cases.failures import of_read
from workflow.results.project_answers import ProjectAnswers


def failure_shares(store: Store, read: ProjectAnswers) -> Callable[..., Statistic]:
    """Return a function that returns the share of a model's coded answers with a code.

    The codes are read once. The caller has checked that the person may see them.
    """
    coded = cache(partial(of_read, store, read, person=None))

    def share(
        *, model: str | None, part: str | None, criterion: str | None, code: str | None, **_: object
    ) -> Statistic:
        if code is None or model is None:
            raise InvalidInputError(
                [Problem("code", ("A figure about failures needs the keys `code` and `model`. Add the missing keys."))]
            )
        counts = coded().counts
        name = criterion or next((count.criterion for count in counts), None)
        wanted = (model, part, name, code)
        for count in counts:
            if (count.model, count.dimension, count.criterion, count.code) == wanted and count.of:
                return estimated(count.share, wilson(count.share, count.of), n_units=count.of, n_raters=0)
        raise NotFoundError(f"No answer of {model} has settled codes yet. Finish coding the model's answers first.")

    return share
