"""The type of a column in a typed table such as Parquet, independent of the program that reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

Simple = Literal["string", "int64", "float64", "bool", "json", "image"]
"""``json`` is a text with JSON in it; ``image`` is bytes with a path."""
ColumnType = Simple | Sequence["ColumnType"] | Mapping[str, "ColumnType"]
"""A list of one type is a list of such values; names with types are parts of each value."""

TEXT: ColumnType = "string"
TEXTS: ColumnType = ("string",)
JSON: ColumnType = "json"
WHOLE: ColumnType = "int64"
NUMBER: ColumnType = "float64"


def of_values(values: Sequence[str | int | float | bool]) -> ColumnType:
    """The narrowest type that holds all of some plain values: numbers and texts together are texts.

    >>> of_values([1, 2]), of_values([0, 0.5]), of_values(["a"]), of_values([True, False]), of_values([1, "none"])
    ('int64', 'float64', 'string', 'bool', 'string')
    """
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    return "float64" if kinds and kinds <= {int, float} else "string"
