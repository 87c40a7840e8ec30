"""The services that a screen receives, and the one place where the process opens its store."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.serving.precedence import precedence
from db.engine import MOST_CONNECTIONS, Store, open_store
from domain.records import Person
from domain.settings import STORED_IN, Settings, settings_from
from media.opening import open_media
from media.store import MediaStore


@dataclass(frozen=True)
class Resources:
    """What all people share: the database, the media, the settings."""

    store: Store
    media: MediaStore
    settings: Settings


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Services:
    """The services of one person's screen. Screens use nothing else."""

    store: Store
    media: MediaStore
    settings: Settings
    person: Person
    csrf: str
    alive: Callable[[], bool] = field(default=_always, compare=False)
    """Whether the person's session is still valid.

    A fragment checks this, because it runs without the page around it.
    """


def open_resources(settings: Settings) -> Resources:
    """Open the database and the media below ``settings.home``. The database may still need an upgrade.

    A new home folder is readable only by its owner: it holds hashes of passwords, and media that may be private.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    connections = settings.database_connections or MOST_CONNECTIONS
    store = open_store(settings.database_url, settings.home, connections=connections)
    store.before_reading = precedence.give_way
    return Resources(
        store=store,
        media=open_media(settings),
        settings=settings,
    )


@functools.cache
def resources() -> Resources:
    """Return this process's resources, from its environment. They are opened on the first call."""
    return open_resources(settings_from(os.environ, Path.cwd()))


def opened() -> Resources:
    """Return the resources for a command, after an upgrade of the database. Print where the data is kept."""
    shared = resources()
    print(f"{STORED_IN} {shared.settings.home}", file=sys.stderr)
    shared.store.upgrade()
    return shared
