"""A release folder held against its manifest: every file there, unchanged, and none besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from domain.manifests import NAME
from exporters.release_folder import hash_of
from workflow.releases.listing import manifest_of


def verify(folder: Path, *, look: Sequence[Callable[[Path], Iterator[str]]] = ()) -> list[str]:
    """What is wrong with a release, a sentence each; empty: it is as it was made.

    ``look``: what else is looked at, with the folder.

    Raises
    ------
    FileRefused
        The folder is no release.
    """
    found = [*_files(folder), *_exposed(folder)]
    for each in look:
        found += each(folder)
    return found


def _exposed(folder: Path) -> Iterator[str]:
    """Votes of people who had been sent what the schema keeps from them."""
    told = manifest_of(folder).get("exposure")
    for each in told.get("faults", ()) if isinstance(told, dict) else ():
        if isinstance(each, dict):
            yield (
                f"{each.get('item')}: someone who voted in {each.get('stage')} had been sent {each.get('what')} before "
                f"({each.get('route')}), which the schema keeps from them."
            )


def _files(folder: Path) -> Iterator[str]:
    manifest = manifest_of(folder)
    root, known = folder.resolve(), {NAME}
    for each in manifest["files"]:
        path = folder / each["path"]
        known.add(each["path"])
        if not path.resolve().is_relative_to(root):
            yield f"{NAME} names {each['path']}, which lies outside of the release."
            continue
        if not path.is_file():
            yield f"{each['path']} is not there."
            continue
        there = hash_of(path)
        if there.sha256 != each.get("sha256"):
            size = each.get("bytes")
            more = "" if there.bytes == size else f" (it has {there.bytes:,} bytes, and had {size:,})"
            yield f"{each['path']} is not as it was released{more}."
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in known:
            yield f"{name} is not of this release: the manifest does not name it."
