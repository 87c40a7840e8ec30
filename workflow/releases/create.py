"""A release is made: drawn up from one state of the project, written, looked over, and kept under its number."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from annotation_schemas.formats import FORMATS, Format
from annotation_schemas.formats.released import ReleasedItem, ReleasedSet
from annotation_schemas.keys import withheld_in
from db import events, project_rows, releases
from db.engine import IntegrityError, Store
from domain.errors import ConflictError, InvalidFileError
from domain.jobs import Progress, unheard
from domain.manifests import MADE_BY, NAME
from domain.records import Person
from exporters.release_folder import FolderWriter
from exporters.release_keys import write_keys
from exporters.writers import release_writer_of
from reports.markdown import plain_text
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.access.schema_changes import must_be_finished
from workflow.releases import checklist
from workflow.releases.contents import Contents, Media, released_set
from workflow.releases.draft import Draft, drawn_up
from workflow.releases.early_refusal import must_have_splits, refuse_before_release
from workflow.releases.evidence import names_in, write_evidence
from workflow.releases.extension_checks import (
    README,
    Results,
    check_folders,
    checks_of,
    collect_facts,
    files_to_write,
    manifest_entries,
    missing_entry,
    missing_parts_in,
    unwritten_entry,
)
from workflow.releases.format_choice import formats_of
from workflow.releases.printed_figures import Figures
from workflow.releases.settings import ReleaseOptions
from workflow.releases.staging import place_of, staging

if TYPE_CHECKING:
    from media.store import MediaStore

ITEMS = "items.jsonl"
"""The list of released items: id, split, dimension, revision, how the item was kept, and a hash of its public part."""
PUBLIC, PRIVATE = "public", "private"


@dataclass(frozen=True)
class CreatedRelease:
    """A release that was made."""

    version: str
    items: int
    files: int
    bytes: int
    place: Path
    """The folder of the release on this machine, with ``public`` and, if fields are withheld, ``private`` below it."""
    manifest_sha256: str
    notes: Sequence[str] = ()
    """Notes for the lead, one sentence each."""


def create(
    store: Store,
    media: MediaStore,
    home: Path,
    *,
    by: Person | None,
    project: str,
    asked: ReleaseOptions,
    progress: Progress = unheard,
) -> CreatedRelease:
    """Create a release. The same state of a project gives the same bytes, except for its number.

    Raises
    ------
    InvalidFileError
        A line of the checklist is open, a format cannot hold an item, or the leak check failed.
    ConflictError
        Another release was made at the same moment.
    """
    refuse_before_release(store, by=by, project=project, asked=asked)
    with staging(home, project) as made:
        with store.read() as session:
            access = require_lead(session, by=by, project=project)
            number = releases.last_number(session, project_id=access.project_id) + 1
        names = names_in(store, project=project, release=f"{project}/{number}")
        results = []
        for check in checks_of(access.schema):
            progress(f"checking {check.title}", 0, 1)
            results.append((check, check.measure(store, access, asked.schema_version)))
            if check.first:
                checklist.must_not_be_open(checklist.check_lines(*results[-1]), asked)
        with store.read() as session:
            project_rows.hold_still(session)
            access = require_lead(session, by=by, project=project)
            must_be_finished(session, access=access)
            progress("choosing and splitting items", 0, 1)
            draft = drawn_up(session, media, access, asked, names=names)
            if draft.number != number:
                raise ConflictError(_AT_ONCE)
            must_have_splits(asked.private, draft.splits)
            facts: dict[str, Any] = {**collect_facts(store, access, progress)}
            facts |= manifest_entries(results, figures=not _keeps_back(draft))
            draft = replace(draft, told={**draft.told, **facts})
            by_check = {check.name: result for check, result in results}
            checklist.must_be_clear(checklist.lines(session, access, draft.about, by_check), asked)

            def evidence(folder: FolderWriter) -> None:
                ids = [placed.item_id for placed in draft.placed]
                written = write_evidence(
                    session,
                    access,
                    folder,
                    names=names,
                    items=ids,
                    hide_unsaid=checklist.RATERS in asked.despite,
                    counted=draft.told["gates"],
                    progress=progress,
                )
                _must_stand(results, written.figures, asked)

            manifest = write(store, media, draft, made, progress, evidence=evidence)
        made_now = keep(store, home, made, draft, manifest, by=by)
        notes = [*made_now.notes, *draft.notes]
        for check, result in results:
            notes += [f"{line.title}: {line.said}." for line in checklist.check_lines(check, result)]
        return replace(made_now, notes=notes)


def _keeps_back(draft: Draft) -> bool:
    """Return whether a split withholds fields, so that the evidence belongs in the private part."""
    return any(withheld_in(draft.access.schema, split, private=draft.asked.private) for split in draft.splits)


def _must_stand(results: Results, figures: Figures, asked: ReleaseOptions) -> None:
    """Raise ``ConflictError`` if checks came to other numbers than the evidence, because of a change."""
    if asked.schema_version is not None:
        return
    proven = figures.by_id
    values = {f"{check.path}.{name}": value for check, result in results for name, value in result.values.items()}
    for id, value in values.items():
        figure = proven.get(id)
        if figure is not None and not math.isclose(_number(figure.value), _number(value), abs_tol=1e-9):
            raise ConflictError("New votes or replies arrived during the release. Create the release again.")


def _number(value: object) -> float:
    """Return the value as a number, or 9.0 (out of reach) if it is not a number."""
    return float(value) if isinstance(value, int | float) else 9.0


# ---- written ---------------------------------------------------------------------------------------------------------


def write(
    store: Store,
    media: MediaStore,
    draft: Draft,
    made: Path,
    progress: Progress,
    *,
    evidence: Callable[[FolderWriter], None],
) -> dict[str, Any]:
    """Write a release into two new folders below ``made``, and return its manifest.

    ``evidence`` writes the evidence. It goes into the private folder if fields are withheld, because votes reveal the
    key.
    """
    access, asked = draft.access, draft.asked
    public = FolderWriter(made / PUBLIC)
    withheld = {split: withheld_in(access.schema, split, private=asked.private) for split in draft.splits}
    keeps_back = any(withheld.values())
    lacking = {**(missing_entry() if keeps_back else {}), **unwritten_entry(draft.told)}
    draft = replace(draft, told={**draft.told, **lacking})
    doing = _StepProgress(progress)
    lying = Media(media, asked.media, folder=public)
    contents = Contents(store, access, draft.placed, withheld, lying, groups=draft.groups, heard=doing)
    sayings = {**draft.about.values, **({"canary": draft.canary.public} if keeps_back else {})}
    rows = formats_of(access.schema, asked)
    names = [row.name for row in rows]
    released = released_set(contents, version=draft.version, date=draft.date, about=sayings, formats=names)
    doing.begin(f"writing {ITEMS}: items")
    contents.must_have_media()
    _write_items(public, contents, draft)
    _write_formats(rows, released, public, doing)
    _write_added(store, draft, released, public, doing)
    private = FolderWriter(made / PRIVATE) if keeps_back else None
    evidence(private or public)
    if private is not None:
        doing.begin("writing keys: items")
        write_keys(released, contents.fields_of, private, draft.canary)
        _close(
            private,
            {"made_by": MADE_BY, "release": draft.version, "part": PRIVATE, "project": access.name, "date": draft.date},
        )
    done = _finish(draft, public, withheld, private)
    if private is not None:
        check_folders(made / PUBLIC, made / PRIVATE, asked.accepted, progress)
    return done


def _write_formats(rows: Sequence[Format], released: ReleasedSet, public: FolderWriter, doing: _StepProgress) -> None:
    """Write all formats. Raise ``InvalidFileError`` with the reasons of all formats that cannot hold the items."""
    refused: dict[str, InvalidFileError] = {}
    for row in rows:
        if refused.keys() & set(row.beside):
            continue  # it needs a format that is refused: whether it can be written is not known
        doing.begin(f"writing {row.name}: items")
        try:
            release_writer_of(row)(released, public)
        except InvalidFileError as error:
            refused[row.name] = error
    if len(refused) == 1:
        raise next(iter(refused.values()))
    if refused:
        reasons = "\n\n".join(map(str, refused.values()))
        raise InvalidFileError(
            f"Touchstone cannot write {len(refused)} {'format' if len(refused) == 1 else 'formats'}: "
            f"{', '.join(refused)}.\n\n{reasons}"
        )


def _write_added(store: Store, draft: Draft, released: ReleasedSet, public: FolderWriter, doing: _StepProgress) -> None:
    """Write the files of extensions. If none of them is ``README.md``, write one with the title."""
    front = _front(released, public)
    for row in files_to_write(draft.told):
        doing.begin(f"writing the {row.title}: items")
        for name, data in row.files(store, draft, released, front).items():
            with public.open(name) as out:
                out.write(data)
    if README not in public.hashes:
        with public.open(README) as out:
            sentences = plain_text(missing_parts_in(draft.told))
            out.write(f"{front}\n# {plain_text(released.title)}\n\n{sentences}\n".encode())


def _front(released: ReleasedSet, folder: FolderWriter) -> str:
    """Return the front matter of the card, from which programs read license, title and files."""
    license = str(released.about.get("license", ""))
    head: dict[str, Any] = {"pretty_name": released.title, **({"license": license.lower()} if license else {})}
    sizes = {path: written.bytes for path, written in folder.hashes.items()}
    for name in released.formats:
        if (card := FORMATS[name].card) is not None:
            head |= card(released, sizes)
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n"


class _StepProgress:
    """A progress report: how many items the current step has gone through."""

    def __init__(self, progress: Progress) -> None:
        self._what, self._progress = "", progress

    def begin(self, what: str) -> None:
        """Name the step that starts now."""
        self._what = what

    def __call__(self, done: int, of: int) -> None:
        self._progress(self._what, done, of)


def _write_items(folder: FolderWriter, contents: Contents, draft: Draft) -> None:
    with folder.open(ITEMS) as out:
        for placed, item in zip(draft.placed, contents.items(), strict=True):
            line = {
                "id": item.id,
                "split": item.split,
                "dimension": item.dimension,
                "revision": placed.revision,
                "kept_by": "senior" if placed.item_id in draft.by_senior else "votes",
                **({"group": item.group} if item.group is not None else {}),
                "content_sha256": _hash_of(item),
            }
            out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _hash_of(item: ReleasedItem) -> str:
    """Return the hash of an item's public part: its fields, and its images and clips in order."""
    media = [(asset.role, asset.sha256) for asset in item.assets]
    text = json.dumps([item.fields, media], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _finish(
    draft: Draft, public: FolderWriter, withheld: Mapping[str, Sequence[str]], private: FolderWriter | None
) -> dict[str, Any]:
    counts = Counter(placed.split for placed in draft.placed)
    about: dict[str, Any] = {
        "made_by": MADE_BY,
        "release": draft.version,
        "project": draft.access.name,
        "title": draft.access.title,
        "made_up": draft.access.made_up,
        "date": draft.date,
        "asked": draft.asked.dump(),
        "about": dict(draft.about.values),
        "splits": {name: {"items": n, "withheld": list(withheld.get(name, ()))} for name, n in sorted(counts.items())},
        **draft.told,
    }
    if private is not None:
        about["private"] = {"manifest_sha256": private.hashes[NAME].sha256}
        about["canary"] = draft.canary.public
    sha256 = _close(public, about)
    return {
        **about,
        "files": len(public.hashes),
        "bytes": sum(digest.bytes for digest in public.hashes.values()),
        "sha256": sha256,
    }


def _close(folder: FolderWriter, about: Mapping[str, Any]) -> str:
    """Write a folder's manifest, which names all that is in it; its hash."""
    sums = [
        {"path": path, "bytes": written.bytes, "sha256": written.sha256}
        for path, written in sorted(folder.hashes.items())
    ]
    with folder.open(NAME) as out:
        out.write((json.dumps({**about, "files": sums}, indent=2, ensure_ascii=False) + "\n").encode())
    return folder.hashes[NAME].sha256


_AT_ONCE = "Another release was created at the same moment. Check that release, then create your release again."


# ---- kept ------------------------------------------------------------------------------------------------------------


def keep(
    store: Store,
    home: Path,
    made: Path,
    draft: Draft,
    manifest: Mapping[str, Any],
    *,
    by: Person | None,
    withdraws: tuple[int, str] | None = None,
) -> CreatedRelease:
    """Give a written release its number and its final folder.

    ``withdraws`` is the item that a point release leaves out, with the reason.
    """
    place = place_of(home, draft.access.name, draft.version)
    facts = {name: value for name, value in manifest.items() if name not in ("asked",)}
    try:
        with store.write(archived_too=True) as session:
            access = require_lead(session, by=by, project=draft.access.name)
            now = store.now()
            row = releases.add(
                session,
                project_id=access.project_id,
                number=draft.number,
                point=draft.point,
                asked=draft.asked.dump(),
                told=facts,
                manifest_sha256=manifest["sha256"],
                by_id=by.id if by else None,
                now=now,
            )
            releases.add_items(session, release_id=row.id, rows=draft.placed)
            if withdraws is not None:
                releases.withdraw(
                    session,
                    project_id=access.project_id,
                    release_id=row.id,
                    item_id=withdraws[0],
                    reason=withdraws[1],
                    by_id=by.id if by else None,
                    now=now,
                )
            data = {"release": draft.version, "items": len(draft.placed), "manifest": manifest["sha256"]}
            item = withdraws[0] if withdraws else None
            log(session, events.RELEASED, by=by, project=access, item=item, now=now, data=data)
            if place.exists():  # a server that died between the two
                shutil.rmtree(place)
            made.replace(place)
    except IntegrityError as error:
        raise ConflictError(_AT_ONCE) from error
    files, size, sha256 = manifest["files"], manifest["bytes"], str(manifest["sha256"])
    lacking = missing_parts_in(manifest)
    return CreatedRelease(draft.version, len(draft.placed), files, size, place, sha256, [lacking] if lacking else [])
