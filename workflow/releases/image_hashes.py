"""The perceptual hashes of an item's images, from the thumbnails in the media store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from db.releases import Asset
from domain.errors import NotFoundError
from media.perceptual_hash import hash_of_file

if TYPE_CHECKING:
    from media.store import MediaStore


def looks_of(media: MediaStore, assets: Sequence[Asset], seen: dict[str, int]) -> list[int]:
    """Return the hashes of an item's stored images. ``seen`` caches the hashes by SHA-256."""
    looks = []
    for asset in assets:
        if asset.sha256 is None or asset.kind != "image":
            continue
        if asset.sha256 not in seen:
            with suppress(NotFoundError):  # the checklist names what is missing
                seen[asset.sha256] = hash_of_file(media.path(asset.sha256, "thumb"))
        if asset.sha256 in seen:
            looks.append(seen[asset.sha256])
    return looks
