"""Open the media store, or a storage to copy, that settings and commands name."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from domain.errors import NotFoundError
from domain.settings import Settings
from media.bucket import SCHEME, BucketStorage
from media.cache import MediaCache
from media.storage import FolderStorage, Storage
from media.store import MediaStore

CACHES = "media_cache"
"""The folder of caches below the home folder, one for each bucket."""
_GIB = 1024**3


def open_media(settings: Settings) -> MediaStore:
    """Return the media store of an installation: the folder below its home, or a bucket with a cache there.

    Raises ``SettingsError`` and ``NotAvailableError`` as ``BucketStorage`` does. The bucket is not asked yet.
    """
    if settings.media is None:
        return MediaStore(settings.media_folder)
    storage = BucketStorage(settings.media, os.environ)
    root = settings.home / CACHES / hashlib.sha256(storage.identity.encode()).hexdigest()[:12]
    return MediaStore(root, cache=MediaCache(root, storage, room=int(settings.media_cache_gib * _GIB)))


def open_storage(place: str, *, must_exist: bool = False) -> Storage:
    """Return the storage at a path or at ``s3://BUCKET/PREFIX``. Raises as ``open_media`` does.

    ``must_exist`` raises ``NotFoundError`` for a folder that does not exist.
    """
    if place.startswith(SCHEME):
        return BucketStorage(place, os.environ)
    folder = Path(place).expanduser()
    if must_exist and not folder.is_dir():
        raise NotFoundError(f"The folder {folder} does not exist. Give the folder `media`, or s3://BUCKET/PREFIX.")
    return FolderStorage(folder)
