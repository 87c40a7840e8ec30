"""Images and texts that a private item shares with items of other splits, and the sizes of the private images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from annotation_schemas.expected_answers import plain
from domain.english import with_noun
from extensions.leaks.keys import SecretKeys, looks_like_a_path
from extensions.leaks.option_sets import strongest_association
from extensions.leaks.pictures import Picture
from extensions.leaks.signals import Signal
from extensions.leaks.stats import codes_of
from extensions.leaks.tables import Row
from media.perceptual_hash import BITS
from workflow.releases.split_groups import near_pairs, says_nothing

_SHOWN = 3


class CopyFinder:
    """The images and texts of a public folder, on the side of private items and on that of others."""

    def __init__(self, key_sets: Sequence[SecretKeys], alike: int) -> None:
        self._alike = alike
        self.private_media: dict[str, str] = {
            sha256: item.id for keys in key_sets for item in keys.items.values() for sha256 in item.media
        }
        """The private item of each image and clip, by hash."""
        self._public_media: dict[str, str] = {}
        """The place where another item has an image or clip, by hash."""
        self._pictures: dict[str, Picture] = {}
        self._sizes: dict[str, int] = {}
        """Bytes of public images and clips, by hash."""
        self._private_texts: dict[str, str] = {}
        self._public_texts: dict[str, str] = {}

    def add_picture(self, picture: Picture, size: int, *also: str) -> bool:
        """Add an image or clip, also under other hashes. Return whether it is new."""
        is_new = picture.sha256 not in self._pictures
        for sha256 in (picture.sha256, *also):
            self._sizes[sha256] = size
            self._pictures.setdefault(sha256, picture)
        return is_new

    def add_media(self, where: str, hashes: set[str], item: str | None) -> None:
        """Add the images and clips of a row of a private item, or of another item (None)."""
        if item is not None:
            self.private_media.update(dict.fromkeys(hashes, item))
        else:
            for sha256 in hashes:
                self._public_media.setdefault(sha256, where)

    def add_texts(self, where: str, row: Row, item: str | None) -> None:
        """Add the texts of a row without images of a private item, or of another item (None)."""
        text = _fingerprint(row, item)
        if text and item is None:
            self._public_texts.setdefault(text, where)
        elif text and item is not None:
            self._private_texts[text] = item

    def copies(self) -> Iterator[tuple[str, str]]:
        """Yield each copy of a private image or text: its place, and what it is a copy of."""
        shared = [sha256 for sha256 in self._public_media if sha256 in self.private_media]
        for sha256 in sorted(shared)[:_SHOWN]:
            item = self.private_media[sha256]
            such = with_noun(len(shared), "such image")
            what = f"the image {sha256[:12]}… of the private item {item} is also public ({such})"
            yield self._public_media[sha256], what
        for text in sorted(set(self._private_texts) & set(self._public_texts))[:_SHOWN]:
            what = f"the texts are identical to the texts of the private item {self._private_texts[text]}"
            yield self._public_texts[text], what
        for private, public in self._lookalikes():
            item = self.private_media.get(private) or self.private_media.get(public, "")
            where = self._public_media.get(public) or self._public_media.get(private, "")
            yield where, f"an image looks like the image of the private item {item}"

    def _lookalikes(self) -> Iterator[tuple[str, str]]:
        """Yield the hashes of images of both sides that look alike: the private one, and the other."""
        looks: dict[int, tuple[str, bool]] = {}
        for is_private, hashes in ((True, self.private_media), (False, self._public_media)):
            for sha256 in hashes:
                picture = self._pictures.get(sha256)
                if picture is None or picture.look is None or says_nothing(picture.look, self._alike):
                    continue
                if is_private or sha256 not in self.private_media:
                    look = picture.look & ((1 << BITS) - 1)
                    if looks.setdefault(look, (sha256, is_private))[1] != is_private:
                        yield looks[look][0], sha256
        places = sorted(looks)
        for a, b in near_pairs(np.array(places, dtype=np.uint64), self._alike):
            (one, is_private), (other, is_other_private) = looks[places[a]], looks[places[b]]
            if is_private != is_other_private:
                yield (one, other) if is_private else (other, one)

    def size_signal(self, keys: SecretKeys) -> Signal:
        """Return the test of whether the sizes of public images and clips are associated with the key."""
        sizes = [self._size(keys.items[id].media) for id in keys.codes]
        part, test = strongest_association(keys.parts(list(keys.codes)), codes_of(sizes))
        return Signal("sizes", "the folder", f"{part} is associated with the size of an item's files", test)

    def _size(self, media: Sequence[str]) -> float | None:
        if not set(media) <= self._sizes.keys():
            return None
        return float(sum(map(self._sizes.__getitem__, media))) or None


def _fingerprint(row: Row, item: str | None) -> str:
    """Return the longer texts of a row without case and white space; empty if the row has no longer texts."""
    texts = [
        plain(value)
        for value in row.values()
        if isinstance(value, str) and len(value) >= 12 and value != item and not looks_like_a_path(value)
    ]
    return "\n".join(sorted(texts)) if sum(map(len, texts)) >= 30 else ""
