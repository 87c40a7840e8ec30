"""Parse ``NAME=VALUE`` texts, from pages and from the command line."""

from __future__ import annotations

from collections.abc import Iterable

from domain.errors import InvalidInputError, Problem


def pairs(told: Iterable[str], form: str, *, option: str = "") -> dict[str, str]:
    """Return the values by name, without surrounding spaces. For a name given twice, the last value counts.

    Parameters
    ----------
    form
        The expected form, perhaps with an example, for the error.
    option
        The command option that the texts were given to.

    Raises
    ------
    InvalidInputError
        A text does not have this form.

    Examples
    --------
    >>> pairs(["rater = completed_by", "item_id=number"], "FIELD=KEY")
    {'rater': 'completed_by', 'item_id': 'number'}
    """
    by_name = {}
    for pair in told:
        name, mark, value = (part.strip() for part in pair.partition("="))
        if not (name and mark and value):
            raise InvalidInputError(
                [
                    Problem(
                        option or "pairs", f"{option} {pair} does not have the form {form}. Correct the option.".strip()
                    )
                ]
            )
        by_name[name] = value
    return by_name
