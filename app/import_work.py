"""Imports that leads begin on their page: looked at and done in a process of its own, one at a time in a project.

What is small is done where it is asked for. How far an import is, and what came of it, lies below ``imports`` in the
home folder: it stands there after a reload of the page, for other leads and after a restart of the server. The process
of an import holds a lock; a lock that is free though the import is not over says that it was broken off.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import pickle
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas.formats import FORMATS
from app import apart, locks, uploads
from app.apart import Going, Progress
from app.commands.import_look import changed_csv
from app.controls import on_page
from app.services import Services
from app.uploads import Source
from db.engine import Store
from domain import csv_text
from domain.errors import Conflict, RowsRefused, TouchstoneError
from domain.records import BadRow, Person
from media.store import MediaStore
from workflow.files.import_files import import_files, look_at_files
from workflow.files.import_look import Difference, Look
from workflow.files.one_import import Imported
from workflow.files.rows_look import LOOKED_AT, RowsLook, look_at_rows

HERE = 1 << 20
"""Bytes up to which files are looked at and imported where it is asked for: about a second."""
TWICE_SECONDS = 3.0
"""The same import asked for again within so long after its end is a second press where one was meant."""
_THUMB = (96, 64)
BROKEN_LOOK = "The look ended before its time; the log of the server says why. Nothing was stored: look again."
DOING = {
    "reading": "Reading",
    "comparing": "Comparing files with what is here",
    "media": "Taking in images and clips",
    "saving": "Saving items",
    "offering": "Opening the work on items",
}
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Shown:
    """An item as it will be: its name, dimension, fields, and media with role, name, whether it is there, picture."""

    name: str
    dimension: str
    fields: Mapping[str, Any]
    media: Sequence[tuple[str, str, bool, str]]


@dataclass(frozen=True)
class Seen:
    """What a look at files has found, as far as a page shows it; long lists lie next to it as files."""

    counts: Mapping[str, int]
    """New, changed, equal and bad rows; media found and missing."""
    first: Sequence[Shown]
    missing: Sequence[str]
    bad: Sequence[BadRow]
    differences: Sequence[Difference]
    refused: str | None
    new_refused: str | None
    note: str | None
    beside: str | None
    warnings: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    """Of answers, ratings and replies: the first new ones as they will be."""
    by: Mapping[str, int] = field(default_factory=dict)
    """Whose the new ones are."""
    what: str = ""
    """What a row of them becomes."""


@dataclass(frozen=True)
class Came:
    """What an import came to."""

    done: Imported | None = None
    rows: Sequence[str] = ()
    """The first rows that do not fit, in sentences."""
    n_rows: int = 0
    end: str = ""


@dataclass
class Note:
    """An import under way, or over, as it lies in the home folder."""

    by: int
    who: str
    what: str
    key: str
    began: float
    folder: str
    at: str = ""
    done: int = 0
    of: int = 0
    said: str = ""
    refused: str = ""
    over: float = 0.0
    """When it ended; 0: it has not."""


SHOWN = 50
"""So many bad rows, and so many differences, stand on the page; files have all of them."""
NAMED = 5
"""So many media that are missing are named there."""
BAD, CHANGED, MISSING = "stayed-out.csv", "changed.csv", "missing-media.csv"
"""Those files, in the folder of what was looked at."""


@dataclass(frozen=True)
class Order:
    """Files to look at, or to import."""

    what: str
    """``look`` or ``import``."""
    project: str
    by: Person
    source: Source
    about: Mapping[str, Any] = field(default_factory=dict)
    """What the use case is told besides."""

    @property
    def key(self) -> str:
        """The same for the same files, taken in the same way."""
        told = repr(
            (
                self.what,
                self.project,
                self.by.id,
                str(self.source.folder),
                str(self.source.media_path),
                sorted(self.about.items(), key=str),
            )
        )
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        """Do it; what came of it lies in the folder of the source."""
        media = MediaStore(home / "media")
        if self.what == "look":
            with uploads.as_uploaded(str(self.source.folder)):
                path, media_dir = self.source.placed()
                about: Any = {"by": self.by, "project": self.project, "path": path, "media_dir": media_dir}
                if FORMATS[self.about["format"]].takes in LOOKED_AT:
                    del about["media_dir"]
                    rows = look_at_rows(store, media, **about, **self.about, progress=_told(progress))
                    _keep_rows(self.source.folder, rows)
                else:
                    found = look_at_files(store, media, **about, **self.about, progress=_told(progress))
                    _keep(self.source.folder, found)
            return "looked"
        with _alone(home, self) as note:
            return self._import(store, media, note, _place(home, self.project), progress)

    def _import(self, store: Store, media: MediaStore, note: Note, place: Path, progress: Progress) -> str:
        def on(what: str, done: int, of: int) -> None:
            progress(what, done, of)
            if (note.at, 100 * note.done // max(note.of, 1)) != (what, 100 * done // max(of, 1)):
                note.at, note.done, note.of = what, done, of
                _write(note, place)

        came = Came()
        try:
            with uploads.as_uploaded(str(self.source.folder)):
                path, media_dir = self.source.placed()
                about: Any = {"by": self.by, "project": self.project, "path": path, "media_dir": media_dir}
                came = Came(import_files(store, media, **about, **self.about, progress=_told(on)))
            note.said = "imported"
            self.source.clear()
        except TouchstoneError as error:
            if isinstance(error, RowsRefused):
                came = Came(None, error.rows, error.n, error.end)
            note.refused = str(error)
            raise
        finally:
            if note.said or note.refused:
                (self.source.folder / "came.pickle").write_bytes(pickle.dumps(came))
                note.over = time.time()
                _write(note, place)
        return note.said


def _told(progress: Progress) -> Progress:
    """Progress in words, with how much a second."""
    since: dict[str, float] = {}

    def on(what: str, done: int, of: int) -> None:
        seconds = time.monotonic() - since.setdefault(what, time.monotonic())
        if what == "reading":
            words = f"{done / _MEGABYTE:,.1f} of {of / _MEGABYTE:,.1f} MB"
            rate = f", {done / _MEGABYTE / seconds:,.1f} MB a second" if seconds > 1 else ""
        else:
            words = f"{done:,} of {of:,}"
            rate = f", {done / seconds:,.0f} a second" if seconds > 1 else ""
        progress(f"{DOING.get(what, what)}: {words}{rate}", done, of)

    return on


# ---- one import at a time in a project ------------------------------------------------------------------------------

_guard = threading.Lock()
_begun: dict[tuple[str, str], Going] = {}
"""By database and project, the last one that this process has begun."""


def begin(services: Services, order: Order) -> None:
    """Begin with an import; the same press again changes nothing. It goes on to its end if the server is gone.

    Raises
    ------
    Conflict
        Someone is importing into this project at the moment.
    """
    home, store = services.settings.home, services.store
    with _guard:
        note, running = state(services, order.project)
        if note is not None and note.key == order.key and (running or (note.said and _just_now(note))):
            return
        if running:
            who = "You are" if note is None or note.by == order.by.id else f"{note.who} is"
            raise Conflict(
                f"{who} importing {note.what if note else 'files'} into this project just now. Nothing of yours was "
                "imported: wait until that is done, and import again."
            )
        going = _begun[str(store.engine.url), order.project] = Going()  # first: what lies there unbegun is broken off
        try:
            _write(_note(order), _place(home, order.project))
        except OSError:
            going.over.set()
            raise
    if order.source.size(HERE) > HERE:
        apart.begin(store, home, order, going=going, broken="broken", outlives=True)
        return
    try:
        apart.carry_out(order, store, home, lambda about: None)
    finally:
        going.over.set()


def begin_look(services: Services, order: Order) -> Going:
    """Begin to look at files; what is seen lies in their folder when it is over."""
    going = Going()
    if order.source.size(HERE) > HERE:
        apart.begin(services.store, services.settings.home, order, going=going, broken=BROKEN_LOOK, outlives=False)
        return going

    def tell(about: Mapping[str, Any]) -> None:
        for name, value in about.items():
            setattr(going, name, value)

    apart.carry_out(order, services.store, services.settings.home, tell)
    going.over.set()
    return going


def state(services: Services, project: str) -> tuple[Note | None, bool]:
    """The last import of a project whose end no one has put away, and whether it is under way."""
    place = _place(services.settings.home, project)
    begun = _begun.get((str(services.store.engine.url), project))
    running = locks.is_held(place.with_suffix(".lock")) or (begun is not None and not begun.over.is_set())
    try:
        note = Note(**json.loads(place.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None, running
    return note, running and not note.over


def put_away(services: Services, project: str) -> None:
    """Someone has read what came of the last import."""
    with _guard:
        note, running = state(services, project)
        if note is not None and not running:
            _place(services.settings.home, project).unlink(missing_ok=True)


def came_of(note: Note) -> Came:
    """What there is to say of an import that is over, besides the sentence of a refusal."""
    try:
        found: Came = pickle.loads((Path(note.folder) / "came.pickle").read_bytes())  # ours: the folder is its owner's
    except FileNotFoundError:
        return Came()
    return found


def seen_in(folder: Path) -> Seen:
    """What a look has found."""
    found: Seen = pickle.loads((folder / "seen.pickle").read_bytes())
    return found


def _note(order: Order) -> Note:
    return Note(
        order.by.id,
        order.by.name,
        order.source.called,
        order.key,
        time.time(),
        str(order.source.folder),
        at="It begins",
    )


def _just_now(note: Note) -> bool:
    return time.time() - note.over < TWICE_SECONDS


def _place(home: Path, project: str) -> Path:
    return uploads.home_of(home) / f"{project}.json"


def _write(note: Note, place: Path) -> None:
    partial = place.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(note)), encoding="utf-8")
    partial.replace(place)


@contextmanager
def _alone(home: Path, order: Order) -> Iterator[Note]:
    """The one import of a project; ``Conflict`` where there is another one."""
    place = _place(home, order.project)
    busy = "Someone else is importing into this project just now. Import again when it is done."
    with locks.held(place.with_suffix(".lock"), busy):
        note = _note(order)
        _write(note, place)
        yield note


# ---- what a look leaves ---------------------------------------------------------------------------------------------


def _keep(folder: Path, found: Look) -> None:
    (folder / BAD).write_text(stayed_out_csv(found.bad), encoding="utf-8", newline="")
    (folder / CHANGED).write_text(changed_csv(found.differences), encoding="utf-8", newline="")
    (folder / MISSING).write_text(missing_csv(found.missing), encoding="utf-8", newline="")
    counts = {"new": found.new, "changed": found.changed, "equal": found.equal, "bad": len(found.bad)}
    counts |= {"found": found.found, "missing": len(found.missing)}
    first = [
        Shown(
            each.item.external_id,
            found.schema.dimension(each.item.dimension).title,
            each.item.fields,
            [(role, name, there, _thumb(each.images.get(name))) for role, name, there in each.media],
        )
        for each in found.first
    ]
    seen = Seen(
        counts=counts,
        first=first,
        missing=found.missing[:NAMED],
        bad=found.bad[:SHOWN],
        differences=found.differences[:SHOWN],
        refused=found.refused,
        new_refused=found.new_refused,
        note=found.note,
        warnings=tuple(found.warnings),
        beside=found.beside,
    )
    (folder / "seen.pickle").write_bytes(pickle.dumps(seen))


WARNING = "Warning: "
"""What a sentence of a look begins with if no one may miss it."""
_LONGEST = 400
"""So many characters of a cell are kept."""


def _keep_rows(folder: Path, found: RowsLook) -> None:
    (folder / BAD).write_text(stayed_out_csv(found.left), encoding="utf-8", newline="")
    losses = [each for each in found.notes if each.startswith(WARNING)]
    seen = Seen(
        counts={"new": found.new, "changed": len(found.changed), "equal": found.equal, "bad": len(found.bad)},
        first=(),
        missing=(),
        bad=found.left[:SHOWN],
        differences=(),
        refused=found.refused,
        new_refused=found.refused,
        note=" ".join(each for each in found.notes if each not in losses) or None,
        warnings=(*found.warnings, *(each.removeprefix(WARNING) for each in losses)),
        beside=None,
        heads=found.heads,
        rows=[[cell[:_LONGEST] for cell in row] for row in found.first],
        by=found.by,
        what=found.what,
    )
    (folder / "seen.pickle").write_bytes(pickle.dumps(seen))


def _thumb(path: Path | None) -> str:
    """A small picture as an address of its own; empty where there is none, or it cannot be read."""
    from PIL import Image

    if path is None:
        return ""
    try:
        with Image.open(path) as image:
            image.draft("RGB", _THUMB)
            image.thumbnail(_THUMB)
            out = io.BytesIO()
            image.convert("RGB").save(out, "JPEG", quality=70)
    except (OSError, ValueError, Image.DecompressionBombError):  # the import says what is wrong with it
        return ""
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()


def stayed_out_csv(bad: Sequence[BadRow]) -> str:
    """Rows that did not fit, with where they stand, what they are called, why, and what stands there."""
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    table.writerow(["file", "row", "item", "why", "text"])
    table.writerows([row.path, row.row, row.item, on_page(row.reason), row.raw] for row in bad)
    return out.getvalue()


def missing_csv(names: Sequence[str]) -> str:
    """Media that are missing, by name."""
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    table.writerow(["file"])
    table.writerows([name] for name in names)
    return out.getvalue()
