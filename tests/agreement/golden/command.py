"""The command ``python -m agreement.golden FILE``: computes every value of a file, and says what does not come out.

The file is JSON: ``cases`` with data and expected values, ``must_handle`` with data and the behaviour in words.
Exit code 0 if everything passes, 1 if something fails, 2 if the file cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from domain.errors import RatingsError, TouchstoneError
from tests.agreement.golden.behaviour import behaves
from tests.agreement.golden.entries import Unknown, compute


@dataclass(frozen=True)
class Check:
    """One expected value, or one behaviour: what it is about, and what is wrong with it if something is."""

    what: str
    failure: str | None = None


def read(path: Path) -> tuple[list[Any], list[Any]]:
    """The cases of a file, and the data that must be handled; ``RatingsError`` if it is no such file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RatingsError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise RatingsError(f"{path} is not text in UTF-8.") from error
    except RecursionError as error:
        raise RatingsError(f"{path} is nested too deeply to be a file of golden values.") from error
    except ValueError as error:
        raise RatingsError(f"{path} is not JSON, or ends too early: {error}.") from error
    if not isinstance(content, Mapping) or not isinstance(content.get("cases"), list):
        raise RatingsError(f"{path} has no list under the key cases, so it is no file of golden values.")
    handled = content.get("must_handle", [])
    if not isinstance(handled, list):
        raise RatingsError(f"{path} has something else than a list under the key must_handle.")
    return content["cases"], handled


def checks(cases: Sequence[Any], must_handle: Sequence[Any]) -> Iterator[Check]:
    """Every expected value and every required behaviour, computed and compared."""
    data_of = {
        case["id"]: case["data"]
        for case in cases
        if isinstance(case, Mapping) and isinstance(case.get("id"), str) and "data" in case
    }
    for number, case in enumerate(cases, start=1):
        name = str(case["id"]) if isinstance(case, Mapping) and "id" in case else f"case {number}"
        lacking = _lacking(case, ("id", "data", "expected"))
        if lacking:
            yield Check(name, lacking)
            continue
        if not isinstance(case["expected"], list):
            yield Check(name, "expected is not a list.")
            continue
        for entry in case["expected"]:
            yield _checked(name, case["data"], data_of, entry)
    for number, case in enumerate(must_handle, start=1):
        name = str(case["id"]) if isinstance(case, Mapping) and "id" in case else f"must_handle {number}"
        lacking = _lacking(case, ("id", "data", "must"))
        if lacking:
            yield Check(name, lacking)
            continue
        try:
            wrong = behaves(_resolved(case["data"], data_of), str(case["must"]))
        except Exception as error:
            wrong = [_sentence(error)]
        yield Check(f"{name}: {case['must']}", "; ".join(wrong) or None)


def _checked(name: str, data: Any, data_of: Mapping[str, Any], entry: Any) -> Check:
    lacking = _lacking(entry, ("stat", "field", "args", "value", "abs_tol"))
    if lacking:
        stat = entry.get("stat", "an entry") if isinstance(entry, Mapping) else "an entry"
        return Check(f"{name}: {stat}", lacking)
    stat, field, args = entry["stat"], entry["field"], entry["args"]
    what = f"{name}: {stat} {field} {json.dumps(args, ensure_ascii=False)}"
    wanted, tolerance = entry["value"], entry["abs_tol"]
    if not (_number(wanted) and _number(tolerance)):
        return Check(what, f"value {wanted!r} and abs_tol {tolerance!r} are not both numbers.")
    try:
        if not isinstance(args, Mapping):
            raise RatingsError("args is not a JSON object.")
        got = compute(_resolved(data, data_of), str(stat), str(field), args)
    except Exception as error:  # whatever a file holds, it gets a line
        return Check(what, f"got nothing, wanted {wanted!r}, tolerance {tolerance!r}: {_sentence(error)}")
    if abs(got - wanted) <= tolerance:
        return Check(what)
    return Check(what, f"got {got!r}, wanted {wanted!r}, tolerance {tolerance!r}")


def _resolved(data: Any, data_of: Mapping[str, Any]) -> Any:
    """The data, or those of the case that they are the same as."""
    seen: list[Any] = []
    while isinstance(data, Mapping) and set(data) == {"same_as"}:
        other = data["same_as"]
        if other not in data_of or other in seen:
            raise RatingsError(f"The data are the same as those of {other!r}, which has none.")
        seen.append(other)
        data = data_of[other]
    return data


def _lacking(value: Any, keys: Sequence[str]) -> str | None:
    if not isinstance(value, Mapping):
        return "this is not a JSON object."
    lacking = [key for key in keys if key not in value]
    return f"the key {' and the key '.join(lacking)} is missing." if lacking else None


def _sentence(error: Exception) -> str:
    if isinstance(error, (TouchstoneError, Unknown)):
        return str(error)
    return f"these data do not fit the statistic ({type(error).__name__}: {error})."


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e300 < value < 1e300


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m agreement.golden", description="Compute every value that a file of golden values expects."
    )
    parser.add_argument("file", type=Path, help="a JSON file with cases and must_handle")
    path = parser.parse_args(argv).file
    try:
        cases, must_handle = read(path)
    except RatingsError as error:
        print(error, file=sys.stderr)
        return 2
    passed = failed = 0
    with np.errstate(all="ignore"):  # a value that overflows is a failure, and is reported as one
        for check in checks(cases, must_handle):
            if check.failure is None:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {check.what}: {check.failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
