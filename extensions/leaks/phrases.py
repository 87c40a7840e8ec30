"""Find private texts in public files, and judge them by their rarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotation_schemas.expected_answers import plain
from domain.english import with_noun
from extensions.leaks.keys import LONG, SecretKeys

_SHOWN = 3


@dataclass(frozen=True)
class PhraseVerdict:
    """A private text in a public place."""

    where: str
    what: str
    is_leak: bool
    """False for a phrase that items share, because it reveals nothing about one item."""


class SecretPhrases:
    """The longer texts that private items keep back, and where public files have them."""

    def __init__(self, key_sets: Iterable[SecretKeys]) -> None:
        self._owners: dict[str, dict[str, str]] = {}
        """For each private text: the items that keep it back, each with its field."""
        self._lengths: dict[str, set[int]] = {}
        """For each beginning of a text: the lengths of texts with it."""
        self._found: dict[str, list[tuple[str, str | None]]] = {}
        """For each text: its public places, and the item of each row."""
        self._offered: dict[tuple[str, str], str] = {}
        """The place of each private text that the question of its own item offers among others, by text and item."""
        for id, name, text in (secret for keys in key_sets for secret in keys.secrets()):
            self._owners.setdefault(text, {})[id] = name
            self._lengths.setdefault(text[:LONG], set()).add(len(text))

    def look(self, where: str, text: str, item: str | None = None) -> None:
        """Look for the private texts in a public text, ignoring case and white space.

        ``item`` is the item of the row; None if the text is not in a row of an item.
        """
        if not self._owners or len(text) < LONG:
            return
        seen = plain(text.replace("\\n", " ").replace('\\"', '"'))
        for at in range(len(seen) - LONG + 1):
            for length in self._lengths.get(seen[at : at + LONG], ()):
                phrase = seen[at : at + length]
                if phrase not in self._owners:
                    continue
                own = self._owners[phrase]
                id = next(iter(own)) if item is None and len(own) == 1 else item
                if id in own and _is_offered(seen, at, at + length):
                    self._offered.setdefault((phrase, id or ""), where)
                else:
                    self._found.setdefault(phrase, []).append((where, item))

    def verdicts(self) -> Iterator[PhraseVerdict]:
        """Judge every text that was found.

        A private text in the public row of its own item reveals the key. So does a text of a single item anywhere. A
        text that several items withhold, or that another item's public row contains, is a phrase of the benchmark.
        """
        for (phrase, id), where in self._offered.items():
            name = self._owners[phrase][id]
            what = f"“{phrase[:60]}” is the private {name} of the item {id}, and one of the choices in its question"
            yield PhraseVerdict(where, f"{where}: {what}, so the phrase is not a leak.", False)
        for phrase, places in self._found.items():
            own = self._owners[phrase]
            rows = {item for _, item in places if item is not None}
            hits = sorted(rows & own.keys())
            if hits or (len(own) == 1 and not rows - own.keys()):
                id = hits[0] if hits else next(iter(own))
                where = next(where for where, item in places if not hits or item == id)
                yield PhraseVerdict(where, f"the file shows the private {own[id]} of the item {id}", True)
                continue
            pairs = [f"{id} and {where}" for id in sorted(own) for where in dict.fromkeys(where for where, _ in places)]
            more = f" and {len(pairs) - _SHOWN:,} more" if len(pairs) > _SHOWN else ""
            what = (
                f"“{phrase[:60]}” belongs to {with_noun(len(own), 'private item')} and appears in "
                f"{with_noun(len(places), 'public place')} ({'; '.join(pairs[:_SHOWN])}{more}). Several "
                "items share this phrase, so the phrase is not a leak."
            )
            yield PhraseVerdict(places[0][0], what, False)


def _is_offered(text: str, start: int, end: int) -> bool:
    """Tell whether a phrase is an alternative in a question, such as “on the left or on the right?”."""
    is_beside = _OR_BEFORE.search(text[:start]) or _OR_AFTER.match(text[end:])
    return is_beside is not None and "?" in text[end:]


_OR_BEFORE = re.compile(r"\bor $")
_OR_AFTER = re.compile(r",? or\b")
