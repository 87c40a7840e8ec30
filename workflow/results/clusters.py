"""The clusters of answers for confidence intervals: answers about one source or item are drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from domain.errors import InvalidInputError, Problem
from workflow.results.project_answers import ProjectAnswers

ALONE = "none"
"""Every item is its own cluster."""


def clusters_of(found: ProjectAnswers, by: str | None = None) -> tuple[str, list[str] | None]:
    """Return the name of the clusters, and the cluster of every answer.

    ``by`` is ``source`` or a field. None selects the source if several items share one. The second result is None if
    every item is its own cluster.
    """
    fields = [field.name for field in found.schema.item.fields]
    if by is None:
        there = [found.items[answer.item].source for answer in found.answers if answer.item in found.items]
        of_items = {answer.item: found.items[answer.item].source for answer in found.answers}
        several = Counter(source for source in of_items.values() if source)
        by = "source" if there and several and max(several.values()) > 1 else ALONE
    if by == ALONE:
        return ALONE, None
    if by != "source" and by not in fields:
        message = f"Touchstone cannot group items by {by!r}. Choose from: {', '.join([ALONE, 'source', *fields])}."
        raise InvalidInputError([Problem("cluster", message)])
    return by, [cluster_of(found, by, answer.item) for answer in found.answers]


def clusters_of_names(found: ProjectAnswers, names: Iterable[str], by: str | None = None) -> tuple[str, dict[str, str]]:
    """Return the name of the clusters, as ``clusters_of``, and the cluster of each item by its name in files.

    An unknown item is its own cluster.
    """
    wanted, _ = clusters_of(found, by)
    ids = {item.name: id for id, item in found.items.items()}
    return wanted, {name: cluster_of(found, wanted, ids[name]) if name in ids else f"item {name}" for name in names}


def cluster_of(found: ProjectAnswers, by: str, item: int) -> str:
    """Return the cluster of an item, named as in ``clusters_of``."""
    if by == ALONE:
        return f"item {item}"
    value = found.items[item].source if by == "source" else found.items[item].fields.get(by)
    return f"item {item}" if value in (None, "") else f"{by} {value}"
