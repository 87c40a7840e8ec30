"""Reading Ego4D's sentences: who acts, whether an object is unclear, and the action as a verb with its objects.

``#C`` is the camera wearer, ``#O`` another person, ``#unsure`` a thing that the narrator could not name. EgoPlan-Bench
used a language model; these rules do not, so they leave a second verb in a sentence as it is.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from extensions.narrations.rules.plain_verbs import plain_verb

Actor = Literal["wearer", "other", "unmarked"]

_TAG = re.compile(r"\s*#\s*([A-Za-z]+)\b[\s:,]*")
_UNSURE = re.compile(r"#\s*unsure", re.IGNORECASE)
_WEARER = re.compile(r"(?:the\s+)?(?:C|camera\s+wearer|cameraman)\b(?:\s+|$)", re.IGNORECASE)
_ARTICLES = re.compile(r"\b(?:a|an|the|his|her|their)\s+", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


class ActorPhrase(NamedTuple):
    """The parts of a narration of Ego4D."""

    actor: Actor
    phrase: str
    """The verb in its plain form with its objects, without articles; empty without a verb."""
    unsure: bool


def phrase_of(text: str) -> ActorPhrase:
    """Return who does what in a sentence.

    >>> phrase_of("#C C picks a bag"), phrase_of("#O a man X carries the box.").actor
    (ActorPhrase(actor='wearer', phrase='pick bag', unsure=False), 'other')
    >>> phrase_of("#C C washes the #unsure with his left hand").unsure, phrase_of("C opens the tap").phrase
    (True, 'open tap')
    """
    unsure = _UNSURE.search(text) is not None
    tag = _TAG.match(text)
    actor: Actor = "unmarked"
    if tag is not None and not _UNSURE.match(text.strip()):
        actor = "wearer" if tag[1].lower() == "c" else "other"
        text = text[tag.end() :]
    bare = _WEARER.sub("", text.strip(), count=1) if _WEARER.match(text.strip()) else text.strip()
    if actor == "unmarked" and bare != text.strip():
        actor = "wearer"
    bare = _ARTICLES.sub("", _SPACE.sub(" ", bare)).strip().rstrip(".").strip()
    verb, space, rest = bare.partition(" ")
    return ActorPhrase(actor, f"{plain_verb(verb.lower())}{space}{rest}" if verb else "", unsure)
