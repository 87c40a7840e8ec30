"""Compare the model that a reply names with the requested model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

_ALIAS = re.compile(r"([-:@](latest|free|beta|nitro|floor|online))$")
_DATE = re.compile(
    r"[-@:](?:"
    r"20\d\d-\d\d-\d\d"  # gpt-4o-2024-08-06
    r"|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # claude-3-5-sonnet-20241022
    r"|(?:0[1-9]|1[0-2])-20\d\d"  # command-r-08-2024
    r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # gpt-4-0613
    r"|2\d(?:0[1-9]|1[0-2])"  # mistral-large-2411
    r"|0\d\d"  # gemini-1.5-pro-002
    r")(?:-v\d+(?::\d+)?)?$"
)


class ServedModel(StrEnum):
    """The relation between the model of a reply and the requested model."""

    SAME = "same"
    """The same name, apart from upper and lower case."""
    SNAPSHOT = "snapshot"
    """A dated snapshot of it, or the same name with a provider in front or with an alias such as `:latest`."""
    OTHER = "other"
    """Another model, as far as names say."""


def compare_models(asked: str, served: str) -> ServedModel:
    """Return how the model that a reply names compares with the one that was asked for.

    >>> compare_models("gpt-4o", "gpt-4o-2024-08-06").value
    'snapshot'
    >>> compare_models("gpt-4o", "gpt-4o-mini").value
    'other'
    """
    wanted, came = asked.strip().casefold(), served.strip().casefold()
    if wanted == came:
        return ServedModel.SAME
    for one, two in ((wanted, came), (_bare(wanted), _bare(came))):
        if one == two or _DATE.sub("", two) == one:
            return ServedModel.SNAPSHOT
    return ServedModel.OTHER


def describe_models(asked: str, served: Mapping[str, int]) -> tuple[str, str]:
    """Return a warning about replies that name another model, and a note about snapshots. Each may be empty.

    ``served`` has the number of replies for each model name, without the name that was asked for.
    """
    by_kind: dict[ServedModel, list[str]] = {kind: [] for kind in ServedModel}
    counts = dict.fromkeys(ServedModel, 0)
    for name, n in served.items():
        kind = compare_models(asked, name)
        by_kind[kind].append(f"{name} ({n:,})")
        counts[kind] += n
    other, snapshots = counts[ServedModel.OTHER], counts[ServedModel.SNAPSHOT]
    warning = note = ""
    if other:
        warning = (
            f"{_replies(other)} from a model other than {asked}: {', '.join(by_kind[ServedModel.OTHER])}. Check "
            "`model` in the description, and check which model the endpoint serves under that name."
        )
    if snapshots:
        note = (
            f"{_replies(snapshots)} from a dated snapshot or an alias of {asked}: "
            f"{', '.join(by_kind[ServedModel.SNAPSHOT])}."
        )
    return warning, note


def _replies(n: int) -> str:
    return "1 reply came" if n == 1 else f"{n:,} replies came"


def _bare(name: str) -> str:
    """Return a name without a gateway's additions: a provider before it, an alias after it."""
    return _ALIAS.sub("", name.rstrip("/").rpartition("/")[2])
