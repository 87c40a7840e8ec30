"""Replies of models that have to be one JSON object in a given form: every way in which one is none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

LONGEST = 1_000_000
"""Characters of a reply; more is none."""
TOLD = 10
"""So many faults of a reply are put before the model that is asked again."""
AGAIN = "Your last reply to this could not be taken. Reply once more, with the whole object. What was wrong:"

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)


class Fault(NamedTuple):
    """One thing that is wrong with a reply."""

    kind: str
    """As it is counted."""
    what: str
    """A sentence for whoever reads it, the model that is asked again among them."""


CUT, NO_JSON, TWICE, FORMLESS = (
    "its JSON ends in the middle",
    "it is no JSON",
    "a key stands twice in an object",
    "it has another form than was asked for",
)
TOO_LONG = "it is too long to be read"


class _Twice(ValueError):
    """A key stands twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for at, name in enumerate(names) if name in names[:at])[:40])
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def read_object(text: str) -> tuple[Any, Fault | None]:
    """The value of a reply that is one JSON object, perhaps in one fence of Markdown. Broken numbers are decimals."""
    if fault := too_long(len(text)):
        return None, fault
    bare = text.strip()
    if fenced := _FENCED.fullmatch(bare):
        bare = fenced[1].strip()
    try:
        value = json.loads(bare, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_once)
    except _Twice as error:
        return None, Fault(TWICE, f"The key {json.dumps(str(error))} stands twice in an object.")
    except json.JSONDecodeError as error:
        if bare[:1] == "{" and (error.pos >= len(bare) or error.msg.startswith("Unterminated")):
            return None, Fault(CUT, "The reply ends in the middle of its JSON.")
        told = f"The reply is not one JSON object and nothing else: {error.msg} at character {error.pos + 1:,}."
        return None, Fault(NO_JSON, told)
    except (ValueError, ArithmeticError, RecursionError):
        return None, Fault(NO_JSON, "The reply has numbers or depths that no JSON of this form has.")
    return value, None


def too_long(characters: int) -> Fault | None:
    """What is wrong with a reply of so many characters."""
    if characters <= LONGEST:
        return None
    return Fault(TOO_LONG, f"The reply has {characters:,} characters; {LONGEST:,} is the most.")


def formless(loc: Sequence[int | str], message: str) -> Fault:
    """A part of a reply is not what was asked for; ``message`` is half a sentence."""
    place = ".".join(str(each)[:40] for each in loc) or "the reply"
    return Fault(FORMLESS, f"{place}: {message}.")


def asked_again(text: str, faults: Sequence[Fault]) -> str:
    """The same question, with what was wrong with the last reply."""
    told = "\n".join(f"- {fault.what}" for fault in faults[:TOLD])
    return f"{text.rstrip()}\n\n{AGAIN}\n{told}\n"
