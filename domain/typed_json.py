"""JSON for records: a value is written with its types, and reading gives an equal value.

Jobs keep their input and result so. Other processes, later versions and other programs can read the text, and reading
runs no code of the text's choice: only data classes, named tuples, enumerations and schemas of Touchstone and its
extensions are made, without their constructors.

Plain JSON values are written as they are. Anything else becomes an object with the key ``!``, which names the type:

>>> encode({"a": (1, 2)})
{'a': {'!': 'tuple', 'v': [1, 2]}}
>>> decode(encode({"a": (1, 2)}))
{'a': (1, 2)}
"""

from __future__ import annotations

import base64
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from domain import extensions
from domain.module_names import PACKAGE, import_own

MARK, VALUE = "!", "v"
"""The key that names the type, and the key of what makes the value."""
_HERE = Path(__file__).resolve().parents[1]
MOVED = {"app.uploads": "workflow.files.uploads"}
"""The present names of modules that moved, by earlier name. Stored jobs name a class as it was."""
RENAMED: Mapping[str, Mapping[str, str]] = {
    "annotation_schemas.formats.columns": {"Said": "ColumnMapping"},
    "annotation_schemas.model": {"Derived": "DerivedCriterion"},
    "app.jobs.imports": {
        "Came": "ImportOutcome",
        "Order": "ImportOrder",
        "Seen": "ImportPreview",
        "Shown": "PreviewItem",
    },
    "workflow.files.one_import": {"Imported": "ImportSummary"},
}
"""The present names of classes that were renamed, by earlier name, for each module."""


class NotWritable(TypeError):
    """An error for a value of a type that is not written."""


def encode(value: Any) -> Any:
    """Return a value of which ``json.dumps`` makes JSON. Raise ``NotWritable`` for a type that is not written."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {MARK: "float", VALUE: str(value)}
    if kind is list:
        return [encode(child) for child in value]
    if kind is dict:
        return _of_mapping(value, "dict")
    known = _WRITTEN.get(kind)
    if known is not None:
        name, write = known
        return {MARK: name, VALUE: write(value)}
    return _of_class(value, kind)


def decode(told: Any) -> Any:
    """Return the value that was written. Raise ``ValueError`` for what ``encode`` has not written."""
    if isinstance(told, list):
        return [decode(child) for child in told]
    if not isinstance(told, dict):
        return told
    name = told.get(MARK)
    if name is None:
        return {key: decode(child) for key, child in told.items()}
    read = _READ.get(name)
    if read is not None:
        return read(told[VALUE])
    return _made(_class(name), told)


def _of_mapping(value: Mapping[Any, Any], name: str) -> Any:
    plain = name == "dict" and all(type(key) is str for key in value) and MARK not in value
    if plain:
        return {key: encode(child) for key, child in value.items()}
    return {MARK: name, VALUE: [[encode(key), encode(child)] for key, child in value.items()]}


def _of_class(value: Any, kind: type) -> Any:
    name = f"{kind.__module__.removeprefix(PACKAGE)}:{kind.__qualname__}"
    if isinstance(value, Enum):
        return {MARK: name, VALUE: encode(value.value)}
    if hasattr(kind, "row_called"):  # a row of a register, of which there is only one
        return {MARK: name, "row": value.name}
    if is_dataclass(value):
        return {MARK: name, VALUE: {field.name: encode(getattr(value, field.name)) for field in fields(value)}}
    if hasattr(kind, "__pydantic_fields__"):
        held = {key: encode(value.__dict__[key]) for key in kind.__pydantic_fields__}
        own = value.__pydantic_private__
        own = None if own is None else {key: encode(child) for key, child in own.items()}
        return {MARK: name, VALUE: held, "set": sorted(value.model_fields_set), "own": own}
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return {MARK: name, VALUE: [encode(child) for child in value]}
    if isinstance(value, Path):
        return {MARK: "path", VALUE: str(value)}
    if isinstance(value, Mapping):
        return _of_mapping(value, "dict")
    if isinstance(value, Set):
        return {MARK: "frozenset", VALUE: _in_order(value)}
    for plain in (str, int, float):
        if isinstance(value, plain):
            return encode(plain(value))
    if kind.__module__ == "numpy" and value.ndim == 0:
        return encode(value.item())
    raise NotWritable(f"a value of the type {kind.__module__}.{kind.__qualname__} cannot be written as JSON")


def _in_order(value: Set[Any]) -> list[Any]:
    """Return the members of a set in an order that depends on them alone."""
    return sorted((encode(child) for child in value), key=repr)


_WRITTEN: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    tuple: ("tuple", lambda value: [encode(child) for child in value]),
    set: ("set", _in_order),
    frozenset: ("frozenset", _in_order),
    Counter: ("counter", lambda value: [[encode(key), encode(child)] for key, child in value.items()]),
    bytes: ("bytes", lambda value: base64.b64encode(value).decode("ascii")),
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    timedelta: ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    Fraction: ("fraction", str),
    Decimal: ("decimal", str),
}
_READ: Mapping[str, Callable[[Any], Any]] = {
    "float": float,
    "tuple": lambda told: tuple(decode(child) for child in told),
    "set": lambda told: {decode(child) for child in told},
    "frozenset": lambda told: frozenset(decode(child) for child in told),
    "dict": lambda told: {decode(key): decode(child) for key, child in told},
    "counter": lambda told: Counter({decode(key): decode(child) for key, child in told}),
    "bytes": base64.b64decode,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "timedelta": lambda told: timedelta(*told),
    "fraction": Fraction,
    "decimal": Decimal,
    "path": Path,
}


@cache
def _class(called: str) -> type:
    """Return a class of Touchstone or of an extension by ``module:name``."""
    module, _, path = str(called).partition(":")
    former: dict[tuple[str, str], type] = {(was, name): kind for was, name, kind in extensions.rows("former_classes")}
    if (module, path) in former:
        return former[module, path]
    module = MOVED.get(module, module)
    path = RENAMED.get(module, {}).get(path, path)
    root = module.partition(".")[0]
    ours = (_HERE / root).is_dir() and root.isidentifier()
    if not ours and root not in _roots_of_extensions():
        raise ValueError(f"{called!r} is not a type from Touchstone or an installed extension")
    target: Any = import_own(module) if ours else sys.modules[module]
    for part in path.split("."):
        target = getattr(target, part, None)
    if not isinstance(target, type):
        raise ValueError(f"{called!r} is not a type")
    return target


def _roots_of_extensions() -> set[str]:
    """Return the packages of the extensions that are installed."""
    rows = [row for extension in extensions.installed().values() for row in vars(extension).values() if callable(row)]
    return {row.__module__.partition(".")[0] for row in rows}


def _made(kind: Any, told: Mapping[str, Any]) -> Any:
    """Return a record. A field that is newer than the record gets its default; a field that has gone is lost."""
    if "row" in told:
        return kind.row_called(told["row"])
    held = told[VALUE]
    if issubclass(kind, Enum):
        return kind(decode(held))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind._make(decode(child) for child in held)
    values = {key: decode(child) for key, child in held.items()}
    made = kind.__new__(kind)
    if hasattr(kind, "__pydantic_fields__"):
        known = kind.__pydantic_fields__
        later = {key: field.get_default(call_default_factory=True) for key, field in known.items() if key not in values}
        made.__setstate__(
            {
                "__dict__": {key: value for key, value in (values | later).items() if key in known},
                "__pydantic_fields_set__": set(told["set"]) & set(known),
                "__pydantic_extra__": None,
                "__pydantic_private__": decode(told["own"]),
            }
        )
        return made
    if not is_dataclass(kind):
        raise ValueError(f"{kind.__qualname__} is not a record")
    for field in fields(kind):
        object.__setattr__(made, field.name, values[field.name] if field.name in values else _default(kind, field))
    return made


def _default(kind: Any, field: Field[Any]) -> Any:
    if field.default is not MISSING:
        return field.default
    if field.default_factory is not MISSING:
        return field.default_factory()
    raise ValueError(f"the stored {kind.__qualname__} has no field {field.name}")
