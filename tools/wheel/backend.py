"""Build wheels that install one importable name, ``touchstone_vlm``.

The checkout imports its folders by their own names (``from db import items``). A wheel with those names would take
``db``, ``app`` and a dozen others from every project beside it, and would break where a user has a ``db.py``. So this
build backend has setuptools build a wheel, moves its folders into one package, and puts the package's name into their
imports. Everything else about a build is as setuptools does it.
"""

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  what this module does not define is setuptools' own

PACKAGE = "touchstone_vlm"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the wheel, and return its name."""
    name = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    move_into_package(Path(wheel_directory, name))
    return name


def move_into_package(wheel: Path) -> None:
    """Move all modules and files of a wheel into the package."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    folders = {info.filename.partition("/")[0] for info in files if not _is_metadata(info.filename)} - {PACKAGE}
    record: list[tuple[str, str, int | str]] = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in files.items():
            if info.filename.endswith(".py"):
                content = with_package(content, folders)
            if info.filename.partition("/")[0] in folders:
                info.filename = f"{PACKAGE}/{info.filename}"
            elif info.filename.endswith(".dist-info/top_level.txt"):
                content = f"{PACKAGE}\n".encode()
            if info.filename.endswith(".dist-info/RECORD"):
                record.append((info.filename, "", ""))
                content = _csv(record)
            else:
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                record.append((info.filename, f"sha256={digest}", len(content)))
            archive.writestr(info, content)


def _is_metadata(name: str) -> bool:
    return name.partition("/")[0].endswith(".dist-info")


def _csv(rows: Collection[tuple[str, str, int | str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def with_package(source: bytes, folders: Collection[str]) -> bytes:
    """Return a module's source in which each import from these folders names the package; its lines stay in place.

    Raises
    ------
    SyntaxError
        For ``import db.items``, which would bind another name than before.
    """
    inserts: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_in(node.module or "", folders):
            inserts.append((node.lineno, node.col_offset + len("from "), f"{PACKAGE}."))
        elif isinstance(node, ast.Import):
            for alias in (alias for alias in node.names if _is_in(alias.name, folders)):
                if "." in alias.name and not alias.asname:
                    folder, _, module = alias.name.rpartition(".")
                    raise SyntaxError(f"Write `from {folder} import {module}` instead of `import {alias.name}`.")
                inserts.append((alias.lineno, alias.col_offset, f"{PACKAGE}."))
                if not alias.asname:
                    inserts.append((alias.lineno, alias.col_offset + len(alias.name), f" as {alias.name}"))
    lines = source.split(b"\n")
    for line, column, text in sorted(inserts, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + text.encode() + lines[line - 1][column:]
    return b"\n".join(lines)


def _is_in(module: str, folders: Collection[str]) -> bool:
    return module.partition(".")[0] in folders
