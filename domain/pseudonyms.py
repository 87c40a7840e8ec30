"""Pseudonyms of people in a release: keyed hashes, whose keys stay in the installation.

Each person has a key. The pseudonym is computed from the key and the release's name, so the same release of the same
state is identical to the byte. After a key is deleted, its pseudonyms cannot be traced back to the person, and
existing releases stay unchanged.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

PREFIX = "r-"
_SHORT, _LONG = 8, 24


def pseudonym(key: bytes, release: str, *, digits: int = _SHORT) -> str:
    """Return the pseudonym of the person with this key in a release.

    >>> pseudonym(bytes(32), "egoplan/1"), pseudonym(bytes(32), "egoplan/2")
    ('r-ceba289e', 'r-6075b96f')
    """
    return PREFIX + hmac.new(key, release.encode(), hashlib.sha256).hexdigest()[:digits]


def pseudonyms(keys: Mapping[int, bytes], release: str) -> dict[int, str]:
    """Return unique pseudonyms of all people in a release, by ID.

    If two short pseudonyms collide (in one of a million releases with a hundred people), all pseudonyms of the
    release are long.
    """
    for digits in (_SHORT, _LONG):
        by_person = {id: pseudonym(key, release, digits=digits) for id, key in sorted(keys.items())}
        if len({*by_person.values()}) == len(by_person):
            return by_person
    raise ValueError("two people have the same key")
