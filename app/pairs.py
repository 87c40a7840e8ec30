"""``NAME=VALUE`` as people type it, on pages and at the command line."""

from __future__ import annotations

from collections.abc import Iterable

from domain.errors import InvalidInput, Problem


def pairs(told: Iterable[str], form: str, *, option: str = "") -> dict[str, str]:
    """The values by name, without the white space around each; of a name that is there twice the last one counts.

    ``form`` is how each of them reads, perhaps with an example, and ``option`` what they were given to.

    Raises
    ------
    InvalidInput
        One does not read so.

    Examples
    --------
    >>> pairs(["rater = completed_by", "item_id=number"], "FIELD=KEY")
    {'rater': 'completed_by', 'item_id': 'number'}
    """
    found = {}
    for each in told:
        name, mark, value = (part.strip() for part in each.partition("="))
        if not (name and mark and value):
            raise InvalidInput([Problem(option or "pairs", f"{option} {each} does not read {form}.".strip())])
        found[name] = value
    return found
