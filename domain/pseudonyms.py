"""What people are called in a release: a keyed hash, whose key stays where they have their account.

Each person has a key of their own. Of the key and of what the release is called follows the pseudonym: the same release
of the same state is the same to the byte, and where the key is deleted no one can tell any more whose pseudonym it was,
while every release stays as it is.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

PREFIX = "r-"
_SHORT, _LONG = 8, 24


def pseudonym(key: bytes, release: str, *, digits: int = _SHORT) -> str:
    """What the person of that key is called in a release.

    >>> pseudonym(bytes(32), "egoplan/1"), pseudonym(bytes(32), "egoplan/2")
    ('r-ceba289e', 'r-6075b96f')
    """
    return PREFIX + hmac.new(key, release.encode(), hashlib.sha256).hexdigest()[:digits]


def pseudonyms(keys: Mapping[int, bytes], release: str) -> dict[int, str]:
    """What everyone with a key is called in a release, no two people alike: by their ids.

    Where two short ones are the same (one release in a million, of a hundred people), all of that release are long.
    """
    for digits in (_SHORT, _LONG):
        found = {id: pseudonym(key, release, digits=digits) for id, key in sorted(keys.items())}
        if len({*found.values()}) == len(found):
            return found
    raise ValueError("two people have one key")
