"""The schema version of ratings, and how results name it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from agreement.summary import Result
from domain.records import Rating
from workflow.access.projects import Access
from workflow.access.schema_changes import must_have_had


def of_schema(
    access: Access, rows: Sequence[Rating], version: int | None, *, machines: Collection[str] = ()
) -> list[Rating]:
    """Return the ratings under one version of the schema, and all ratings of these machines, which have no version.

    None returns all ratings. Raises ``NotFoundError`` for a version that the project never had.
    """
    if version is None:
        return list(rows)
    must_have_had(access, version)
    had_one = not access.reading.numbers
    return [row for row in rows if had_one or row.schema == version or row.rater in machines]


def saying_schema(result: Result, version: int | None) -> Result:
    """Return the result with the version of the schema that it is limited to; None leaves it unchanged."""
    return result if version is None else replace(result, args={**result.args, "schema": f"{version}{_ALONE}"})


_ALONE = " alone"


def schema_words(said: str) -> str:
    """Return ``args["schema"]`` as part of a sentence.

    >>> schema_words("2 alone"), schema_words("1 (7), 2 (1)")
    ('only under version 2 of the schema', 'under versions of the schema: 1 (7), 2 (1)')
    """
    if said.endswith(_ALONE):
        return f"only under version {said.removesuffix(_ALONE)} of the schema"
    return f"under versions of the schema: {said}"


def saying_schemas(
    found: Sequence[Result], rows: Sequence[Rating], numbers: Collection[int], *, only: int | None
) -> list[Result]:
    """Return results that give the number of ratings under each version, if several exist, or the only version.

    A criterion added later has no ratings under the first version.
    """
    if only is not None:
        return [saying_schema(result, only) for result in found]
    if len({row.schema for row in rows} - {None}) < 2:
        return list(found)
    counts = Counter((row.criterion, row.schema) for row in rows)
    return [
        replace(
            result,
            args={
                **result.args,
                "schema": ", ".join(f"{number} ({counts[result.criterion, number]:,})" for number in sorted(numbers)),
            },
        )
        for result in found
    ]


def version_words(number: int | None) -> str:
    return "of files" if number is None else str(number)
