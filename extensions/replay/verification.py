"""The verification of a release folder against its manifest.

Every file must be present and unchanged, and no other file may exist. No vote may come from a person who had been sent
content that the schema withholds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from db import exposure, people
from domain.errors import InvalidFileError, TouchstoneError
from domain.evidence import FOLDER, table_path
from domain.jobs import Progress, unheard
from domain.manifests import NAME
from exporters.release_folder import hash_of
from workflow.access.projects import access_to
from workflow.files import exposures
from workflow.releases.evidence import recomputing
from workflow.releases.listing import manifest_of

LEDGER = table_path("exposure")


def verify(folder: Path, *, private: Path | None = None, progress: Progress = unheard) -> list[str]:
    """Return the faults of a release, one sentence each; empty for an intact release.

    ``private`` is the folder with its private part, which is then verified too.

    Raises
    ------
    InvalidFileError
        The folder is not a release.
    """
    manifest = manifest_of(folder)
    progress("comparing files with their hashes", 0, 1)
    sentences = [*_files(folder, manifest)]
    faults = {_key(fault): fault for fault in _told(manifest)}
    for part in filter(None, (folder, private)):
        if part is private:
            sentences += [
                f"{part.name}: {sentence}" for sentence in (*_belongs(part, manifest), *_files(part, manifest_of(part)))
            ]
        try:
            faults |= {_key(fault): fault for fault in _proven(part, progress)}
        except InvalidFileError as error:
            sentences.append(f"Touchstone cannot check the ledger of exposures: {error}")
    return [*sentences, *map(_sentence, faults.values())]


# ---- files -----------------------------------------------------------------------------------------------------------


def _belongs(private: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield a fault if a private part does not belong to the release."""
    private_part = manifest.get("private")
    wanted = private_part.get("manifest_sha256") if isinstance(private_part, dict) else None
    if hash_of(private / NAME).sha256 != wanted:
        yield f"{NAME} does not match its hash in the manifest of the release."


def _files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    root, known = folder.resolve(), {NAME}
    for entry in manifest["files"]:
        path = folder / entry["path"]
        known.add(entry["path"])
        if not path.resolve().is_relative_to(root):
            yield f"{NAME} names a file outside the release: {entry['path']}."
            continue
        if not path.is_file():
            yield f"{entry['path']} is missing."
            continue
        there = hash_of(path)
        if there.sha256 != entry.get("sha256"):
            size = entry.get("bytes")
            more = "" if there.bytes == size else f" ({there.bytes:,} bytes instead of {size:,})"
            yield f"{entry['path']} has changed since the release{more}."
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in known:
            yield f"The manifest does not name {name}, so the file does not belong to this release."


# ---- what people had been sent ---------------------------------------------------------------------------------------


def _told(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the faults that the release's own manifest lists."""
    exposure = manifest.get("exposure")
    for fault in exposure.get("faults", ()) if isinstance(exposure, dict) else ():
        if isinstance(fault, dict):
            yield fault


def _proven(folder: Path, progress: Progress) -> Iterator[Mapping[str, Any]]:
    """Yield the faults that the exposure ledger in the evidence proves, whatever the manifest lists."""
    if not (folder / FOLDER / LEDGER).is_file():
        return
    progress("reading the evidence", 0, 1)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="touchstone-verify-") as beside,
            recomputing(folder, Path(beside), progress=progress) as (store, project),
            store.read() as session,
        ):
            access = access_to(session, person=None, project=project)
            for fault in exposures.faults(session, access=access):
                if not fault.counts:
                    continue
                person = people.by_id(session, id=fault.person_id)
                yield {
                    "item": fault.item,
                    "stage": fault.stage,
                    "vote": fault.vote,
                    "person": person.login if person else "",
                    "what": fault.what,
                    "sent_at": fault.sent_at.isoformat(),
                    "route": fault.route.value,
                    "sha256": fault.sha256,
                    "line": exposure.place(session, id=fault.sent_id),
                }
    except InvalidFileError:
        raise
    except (TouchstoneError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = (
            str(error)
            if isinstance(error, TouchstoneError)
            else f"the rows of the ledger contradict each other ({error!r:.200})"
        )
        raise InvalidFileError(why) from error


def _key(fault: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identity of a fault: one thing sent before one vote. Older manifests name no vote."""
    return tuple(str(fault.get(name)) for name in ("item", "stage", "what", "sha256", "vote"))


def _sentence(fault: Mapping[str, Any]) -> str:
    who = fault.get("person") or "Someone"
    line, at = fault.get("line"), str(fault.get("sent_at", ""))[:19].replace("T", " ")
    row = f"; {FOLDER}/{LEDGER}, line {line:,}" if isinstance(line, int) else ""
    when = f", {at} UTC" if at else ""
    return (
        f"{who} received {exposures.in_words(str(fault.get('what')))} of item {fault.get('item')} ("
        f"{fault.get('route')}{when}{row}) before voting in {fault.get('stage')}. The schema forbids this exposure."
    )
