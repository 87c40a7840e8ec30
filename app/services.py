"""What a screen is handed, and the one place where the process opens its store."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.precedence import precedence
from db.engine import Store, open_store
from domain.records import Person
from domain.settings import Settings, settings_from
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
    """Everything a screen may use, for one person. Screens know nothing else."""

    store: Store
    media: MediaStore
    settings: Settings
    person: Person
    csrf: str
    alive: Callable[[], bool] = field(default=_always, compare=False)
    """Whether the person's session is still good; a fragment asks, because it runs without the page around it."""


def open_resources(settings: Settings) -> Resources:
    """Open database and media below ``settings.home``; the database may still have to be upgraded.

    A home that is made here is for its owner alone: it holds the hashes of passwords, and media that may be private.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = open_store(settings.database_url, settings.home)
    store.before_reading = precedence.give_way
    return Resources(
        store=store,
        media=MediaStore(settings.home / "media"),
        settings=settings,
    )


@functools.cache
def resources() -> Resources:
    """The process's own, from its environment; opened when first asked for."""
    return open_resources(settings_from(os.environ, Path.cwd()))


def opened() -> Resources:
    """What a command works on: the process's own, with its tables at the newest version; a line says where it is."""
    shared = resources()
    print(f"Touchstone: everything is kept in {shared.settings.home}", file=sys.stderr)
    shared.store.upgrade()
    return shared
