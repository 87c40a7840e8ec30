"""Keys that are public in another form: decoded from base64, base32, hex and the like, or recognized by a digest."""

from __future__ import annotations

import base64
import codecs
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import unquote

from exporters.release_keys import KeyItem
from extensions.leaks.keys import SecretKeys

_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}|[A-Za-z0-9]{2,3}={1,2}")
_PIECES = re.compile(r"[-_/+]")
_PARTS = re.compile(r"[^0-9A-Za-z]+")
_LOOKS_CODED = re.compile(r"[0-9=]|[a-z][A-Z]")
_HEX = re.compile(r"[0-9a-fA-F]{8,128}")
_LONG_DIGEST = 16
"""A match of a digest with this many hex digits cannot be chance."""
_MOST_TOKENS = 12
_LONGEST = 2_000
_BETWEEN = " \t:;,|/_.#=\"'{}[]()-"
_JOINS = ("", ":", "-", "_", "|", " ", "/", ".", ",", "+", "\n")
_DIGESTS: Mapping[str, Callable[[bytes], str]] = {
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    "SHA-1": lambda data: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    "SHA-256": lambda data: hashlib.sha256(data).hexdigest(),
    "SHA-512": lambda data: hashlib.sha512(data).hexdigest(),
    "CRC-32": lambda data: f"{zlib.crc32(data):08x}",
}
_BY_LENGTH = {32: ("MD5",), 40: ("SHA-1",), 64: ("SHA-256",), 128: ("SHA-512",)}


class EncodedKeys:
    """The keys of private items that are found in encoded texts."""

    def __init__(self, keys: SecretKeys) -> None:
        self._keys = keys
        self._of = ""
        self._digests: dict[tuple[str, str], dict[str, list[tuple[str, int]]]] = {}
        """Digests of the item ``_of``, by algorithm and text that is hashed with the key."""

    def in_text(self, item: KeyItem, text: str) -> Iterator[tuple[str, int, bool]]:
        """Yield each key found in a text: the encoding, the code of the key, and whether the match is certain.

        A match is certain if the text also has the item's own id, states the key in words, or is a long digest.
        """
        turned = text.strip()
        if not turned or len(turned) > _LONGEST or turned == self._keys.file.head.canary:
            return
        if 2 < len(turned) < 200 and not turned.isnumeric():
            for how, other in (("rot13", codecs.encode(turned, "rot13")), ("reversed", turned[::-1])):
                if other != turned:
                    there = self._keys.in_cell(item, other)
                    yield from ((how, code, False) for encoding, code in there if encoding == "text")
        if "%" in turned:
            yield from self._read(item, unquote(turned), "percent code", item.id)
        tokens = _TOKEN.findall(turned)
        alone = len(tokens) == 1 and len(tokens[0]) == len(turned)
        for token in tokens[:_MOST_TOKENS]:
            if alone or _LOOKS_CODED.search(token):
                pieces = {token, *(piece for piece in _PIECES.split(token) if len(piece) > 3)}
                for piece in sorted(pieces):
                    # An id that contains the hash: the key is hashed with the rest of the id.
                    rest = turned.replace(piece, "").strip(_BETWEEN) if turned == item.id else ""
                    yield from self._of_token(item, piece, sorted({item.id, rest} - {""}))

    def _of_token(
        self, item: KeyItem, token: str, own: Sequence[str], *, is_inner: bool = False
    ) -> Iterator[tuple[str, int, bool]]:
        if _HEX.fullmatch(token) and token.casefold() not in item.media:
            yield from self._digested(item, token.casefold(), own)
        for how, content in _bytes_of(token):
            try:
                inside = content.decode("utf-8")
            except UnicodeDecodeError:
                inside = ""
            if inside.strip() and inside.isprintable():
                for own_id in own:
                    yield from self._read(item, inside, how, own_id)
                if not is_inner:
                    readings = self._of_token(item, inside, own, is_inner=True)
                    yield from ((f"{how} of {other}", code, sure) for other, code, sure in readings)
            elif len(content) in (16, 20, 32, 64):
                yield from self._digested(item, content.hex(), own)

    def _read(self, item: KeyItem, inside: str, how: str, own: str) -> Iterator[tuple[str, int, bool]]:
        rest = inside.replace(own, "", 1)
        for encoding, code in self._keys.in_cell(item, rest.strip(_BETWEEN)):
            yield f"{how}, {encoding}", code, rest != inside
        parts = _PARTS.split(inside) if rest == inside else []
        for name, part in (("its first part", parts[0]), ("its last part", parts[-1])) if len(parts) > 1 else ():
            yield from (
                (f"{how}, {name}, {encoding}", code, False) for encoding, code in self._keys.in_cell(item, part)
            )
        for encoding, code in self._keys.in_text(item, inside.replace('"', "")):
            yield f"{how}, {encoding}", code, True

    def _digested(self, item: KeyItem, token: str, own: Sequence[str]) -> Iterator[tuple[str, int, bool]]:
        if item.id != self._of:
            self._of = item.id
            self._digests.clear()
        for name in _BY_LENGTH.get(len(token), tuple(_DIGESTS)):
            for own_id in own:
                if (name, own_id) not in self._digests:
                    self._digests[name, own_id] = self._all_digests(item, name, own_id)
                for digest, code in self._digests[name, own_id].get(token[:8], ()):
                    if digest.startswith(token):
                        yield name, code, len(token) >= _LONG_DIGEST

    def _all_digests(self, item: KeyItem, name: str, own: str) -> dict[str, list[tuple[str, int]]]:
        """Return the digests of all keys that an item might have, alone and with a text, by their first digits."""
        digests: dict[str, list[tuple[str, int]]] = {}
        digest = _DIGESTS[name]
        for code, forms in self._keys.spellings(item).items():
            for form in forms:
                joined = (text for join in _JOINS for text in (own + join + form, form + join + own))
                for text in (form, *joined):
                    made = digest(text.encode())
                    digests.setdefault(made[:8], []).append((made, code))
        return digests


def _bytes_of(token: str) -> Iterator[tuple[str, bytes]]:
    bare = token.rstrip("=")
    with suppress(ValueError):
        if len(bare) % 4 != 1:
            usual = bare.replace("-", "+").replace("_", "/")
            yield "base64", base64.b64decode(usual + "=" * (-len(bare) % 4), validate=True)
    with suppress(ValueError):
        yield "hex", bytes.fromhex(bare)
    with suppress(ValueError):
        yield "base32", base64.b32decode(bare.upper() + "=" * (-len(bare) % 8))
