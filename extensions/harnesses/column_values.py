"""Values of items in the form of a column's type, for tables in Parquet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from annotation_schemas.column_types import ColumnType
from annotation_schemas.formats.released import ReleasedAsset

LONGEST_INTEGER = 2**63


class CellError(Exception):
    """A value that does not fit its column. The message describes the value, as half a sentence."""


def placed(type: ColumnType, value: Any) -> tuple[Any, int]:
    """Return a value in the form of this column type, with its approximate size in bytes.

    Raises
    ------
    CellError
        The value does not fit the type.
    """
    if value is None:
        return None, 1
    if isinstance(type, str):
        return _SIMPLE[type](value)
    if isinstance(type, Mapping):
        if not isinstance(value, Mapping):
            raise CellError(f"{_short(value)} is not an object")
        if unknown := [name for name in value if name not in type]:
            raise CellError(f"{_short(value)} has the key {unknown[0]!r}, but the column has only {', '.join(type)}")
        parts = {name: placed(of, value.get(name)) for name, of in type.items()}
        return {name: part for name, (part, _) in parts.items()}, sum(n for _, n in parts.values())
    if not isinstance(value, list | tuple):
        raise CellError(f"{_short(value)} is not a list")
    entries = [placed(type[0], entry) for entry in value]
    return [entry for entry, _ in entries], sum(n for _, n in entries) + 4


def _string(value: Any) -> tuple[str, int]:
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise CellError(f"{_short(value)} is not text")
    try:
        return value, len(value.encode())
    except UnicodeEncodeError:
        raise CellError("the text contains an incomplete character (a lone surrogate)") from None


def _json(value: Any) -> tuple[str, int]:
    try:
        return _string(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except ValueError:
        raise CellError("a number is infinite or NaN") from None
    except TypeError:
        raise CellError(f"Touchstone cannot write {_short(value)} as JSON") from None


def _int64(value: Any) -> tuple[int, int]:
    if not isinstance(value, int) or isinstance(value, bool):
        raise CellError(f"{_short(value)} is not a whole number")
    if not -LONGEST_INTEGER <= value < LONGEST_INTEGER:
        raise CellError(f"{_short(value)} is too large for a 64-bit integer")
    return value, 8


def _float64(value: Any) -> tuple[float, int]:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise CellError(f"{_short(value)} is not a number")
    return float(value), 8


def _bool(value: Any) -> tuple[bool, int]:
    if not isinstance(value, bool):
        raise CellError(f"{_short(value)} is not true or false")
    return value, 1


def _image(value: Any) -> tuple[ReleasedAsset, int]:
    return value, int(value.bytes)  # the bytes are read when the row is written


_SIMPLE: Mapping[str, Callable[[Any], tuple[Any, int]]] = {
    "string": _string,
    "json": _json,
    "int64": _int64,
    "float64": _float64,
    "bool": _bool,
    "image": _image,
}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
