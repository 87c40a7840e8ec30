"""Parsing of model replies that must be one JSON object of a given form, with all possible faults."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

LONGEST = 1_000_000
"""The maximum number of characters in a reply."""
TOLD = 10
"""The maximum number of faults that are listed when the model is asked again."""
AGAIN = "Your last reply to this could not be taken. Reply once more, with the whole object. What was wrong:"

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)


class Fault(NamedTuple):
    """One fault of a reply."""

    kind: str
    """The name under which faults are counted."""
    what: str
    """A sentence for readers, including the model that is asked again."""


CUT, NO_JSON, TWICE, FORMLESS = (
    "the JSON is incomplete",
    "the reply is not JSON",
    "a key appears twice in an object",
    "the JSON does not have the requested form",
)
TOO_LONG = "the reply is too long"


class _DuplicateKey(ValueError):
    """An object with a repeated key."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKey(next(name for at, name in enumerate(names) if name in names[:at])[:40])
    return members


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def read_object(text: str) -> tuple[Any, Fault | None]:
    """Return the value of a reply that is one JSON object, perhaps in one Markdown fence. Decimal
    fractions are exact.
    """
    if fault := too_long(len(text)):
        return None, fault
    bare = text.strip()
    if fenced := _FENCED.fullmatch(bare):
        bare = fenced[1].strip()
    try:
        value = json.loads(bare, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_once)
    except _DuplicateKey as error:
        return None, Fault(TWICE, f"The key {json.dumps(str(error))} occurs more than once in one object.")
    except json.JSONDecodeError as error:
        if bare[:1] == "{" and (error.pos >= len(bare) or error.msg.startswith("Unterminated")):
            return None, Fault(CUT, "The reply ends in the middle of its JSON.")
        what = f"The reply must be exactly one JSON object: {error.msg} at character {error.pos + 1:,}."
        return None, Fault(NO_JSON, what)
    except (ValueError, ArithmeticError, RecursionError):
        return None, Fault(NO_JSON, "The reply has invalid numbers or too many nested levels.")
    return value, None


def too_long(characters: int) -> Fault | None:
    """Return the fault of a reply with too many characters, or None."""
    if characters <= LONGEST:
        return None
    return Fault(TOO_LONG, f"The reply has {characters:,} characters; the maximum is {LONGEST:,}.")


def formless(loc: Sequence[int | str], message: str) -> Fault:
    """Return a fault for a part of a reply that has the wrong form; ``message`` is half a sentence."""
    place = ".".join(str(part)[:40] for part in loc) or "the reply"
    return Fault(FORMLESS, f"{place}: {message}.")


def asked_again(text: str, faults: Sequence[Fault]) -> str:
    """Return the question again, with the faults of the last reply."""
    lines = "\n".join(f"- {fault.what}" for fault in faults[:TOLD])
    return f"{text.rstrip()}\n\n{AGAIN}\n{lines}\n"
