"""What answers that belong together are: for intervals, answers about one source or item are one draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from domain.errors import InvalidInput, Problem
from workflow.results.project_answers import Read

ALONE = "none"
"""Every item stands for itself."""


def clusters_of(found: Read, by: str | None = None) -> tuple[str, list[str] | None]:
    """What belongs together, and each answer's cluster: by ``source`` or by a field; None: by source where items share
    one. The second is None where every item stands for itself."""
    fields = [field.name for field in found.schema.item.fields]
    if by is None:
        there = [found.items[answer.item].source for answer in found.answers if answer.item in found.items]
        of_items = {answer.item: found.items[answer.item].source for answer in found.answers}
        several = Counter(source for source in of_items.values() if source)
        by = "source" if there and several and max(several.values()) > 1 else ALONE
    if by == ALONE:
        return ALONE, None
    if by != "source" and by not in fields:
        message = f"Items are not put together by {by!r}; there are {', '.join([ALONE, 'source', *fields])}."
        raise InvalidInput([Problem("cluster", message)])
    return by, [cluster_of(found, by, answer.item) for answer in found.answers]


def clusters_of_names(found: Read, names: Iterable[str], by: str | None = None) -> tuple[str, dict[str, str]]:
    """What belongs together, as ``clusters_of`` has it, and the cluster of each item by its name in files; one that has
    gone since the names were read stands for itself."""
    wanted, _ = clusters_of(found, by)
    ids = {item.name: id for id, item in found.items.items()}
    return wanted, {name: cluster_of(found, wanted, ids[name]) if name in ids else f"item {name}" for name in names}


def cluster_of(found: Read, by: str, item: int) -> str:
    """What an item belongs to, of ``clusters_of``."""
    if by == ALONE:
        return f"item {item}"
    value = found.items[item].source if by == "source" else found.items[item].fields.get(by)
    return f"item {item}" if value in (None, "") else f"{by} {value}"
