"""Backup: everything that a server stores in one file, made while people work, and a server made of such a file.

``creating`` reads one state of the database, then the media and folders of the home folder; ``restoring`` checks a file
in full and fills an empty home folder and database. The file holds rows as JSON, so a backup of SQLite can be restored
onto PostgreSQL, and the other way round. ``backup_writer`` describes the file, and ``backup_reader`` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.backup.commands import server_backup

    return (server_backup,)


EXTENSION = Extension(name="backup", title="Backups of a server", commands=_commands)
