"""The leak check of a release: does the public folder reveal what the private part withholds?

``find_leaks`` needs only the two folders, and reads any format. It looks at cells, column names, row order, file names,
metadata of images and clips, and archives. It also looks at what other splits share with the private one, and at the
places and lengths of the options.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from annotation_schemas.formats import id_keys
from domain.errors import InvalidFileError
from domain.evidence import FOLDER as EVIDENCE
from exporters.release_keys import FOLDER as KEYS
from exporters.release_keys import read_keys
from extensions.leaks import archives, pictures
from extensions.leaks.copies import CopyFinder
from extensions.leaks.key_signals import id_signals, option_signals
from extensions.leaks.keys import LONG, SecretKeys, looks_like_a_path, secret_keys
from extensions.leaks.phrases import SecretPhrases
from extensions.leaks.pictures import Picture
from extensions.leaks.signals import Signal, find_leaking
from extensions.leaks.stats import LEVEL, ChanceTest
from extensions.leaks.table_check import FILES, TableCheck
from extensions.leaks.tables import Row, Table, name_of, tables_of
from media.perceptual_hash import ALIKE

_TEXTS = (".json", ".jsonld", ".md", ".txt", ".yaml", ".yml", ".html", ".py", ".toml", ".cff", ".bib")
_LARGEST_TEXT = 64 << 20
_SHA = re.compile(r"[0-9a-f]{64}")
_SCHEMA = "schema:"
"""Before the hash of a schema, as in PROV: every item has it, and it is no picture."""
_MEDIA_SHA = re.compile(rf"(?<!{_SCHEMA})[0-9a-f]{{64}}")
_NOT_ITEMS = ("manifest.json", "croissant.json")
"""Files that only list other files."""
_IDS = (*dict.fromkeys(("id", "item", "item_id", *id_keys(), "question_id", "index")), "(name)")
"""Names of columns with ids, the most likely first."""

ADVICE = {
    "key": "Withhold the field in this format, or create the release again.",
    "names": "Name files by their hash or by item ID.",
    "ids": "Assign other item IDs before the import, such as numbers in a shuffled order.",
    "columns": "Leave the column out of the release, or accept this kind of leak with a reason.",
    "writing": "Write these texts in the same style, without unusual spaces or characters. Alternatively, leave the "
    "column out of the release, or accept this kind of leak with a reason.",
    "sizes": "Encode the images of all items with the same settings, so that file sizes do not reveal the key.",
    "order": "Write items in an order that does not depend on their keys, such as by ID.",
    "metadata": "Remove the metadata of original files before you create the release.",
    "places": "Shuffle the options of each item with a fixed seed before you create the release.",
    "lengths": "Make the wrong options about as long as the right option.",
    "duplicates": "Remove one of the two copies, or put both copies into the same split.",
    "canary": "Remove the key file from the public folder.",
    "evidence": "Move the votes to the private folder, because the votes on a private item reveal its key.",
    "archives": "In each archive, sort the files by name and give all files the same timestamp.",
}
"""The advice for each kind of leak."""


@dataclass(frozen=True)
class Leak:
    """A place where public data reveals private data."""

    kind: str
    """A row of ``ADVICE``."""
    where: str
    what: str

    @property
    def sentence(self) -> str:
        """Return a sentence with the leak, its place and the advice."""
        return f"{self.where}: {self.what}. {ADVICE[self.kind]}"


@dataclass
class LeakReport:
    """The result of a leak check."""

    leaks: list[Leak] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """The parts that could not be checked, one sentence each."""
    figures: list[str] = field(default_factory=list)
    """Balance of places and lengths, whether it is a leak or not."""
    looked_at: Counter[str] = field(default_factory=Counter)
    """The number of ``files``, ``tables`` and ``tests``."""


def find_leaks(public: Path, private: Path, *, level: float = LEVEL, alike: int = ALIKE) -> LeakReport:
    """Return everything that a finished public folder reveals about the items in a private folder's key files.

    Parameters
    ----------
    level
        The highest probability of a false alarm, over all tests of this check.
    alike
        The largest number of differing bits between the perceptual hashes of near duplicates.

    Raises
    ------
    InvalidFileError
        A file that must be checked cannot be read. The check then has no result.
    """
    if not public.is_dir():
        raise InvalidFileError(f"{public} is not a folder. Give the public folder of a release.")
    files = sorted((private / KEYS).glob("*.jsonl"))
    if not files:
        raise InvalidFileError(
            f"{private} has no key files (keys/<split>.jsonl) to compare with. Give the private folder of a release."
        )
    check = _FolderReader([secret_keys(read_keys(path)) for path in files], alike)
    check.check_keys()
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, path) in enumerate(_files(public)):
            check.read_file(name, path, Path(folder) / str(number))
    return check.finish(level)


def _files(public: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(public.rglob("*")):
        if path.is_symlink():
            raise InvalidFileError(
                f"{path} is a link, but a release can contain only files. Replace the link with the file."
            )
        if path.is_file():
            yield path.relative_to(public).as_posix(), path


class _FolderReader:
    """Reads the files of a public folder one after the other, and collects leaks and signals."""

    def __init__(self, key_sets: Sequence[SecretKeys], alike: int) -> None:
        self._report = LeakReport()
        self._key_sets = key_sets
        self._keys_of = {id: keys for keys in key_sets for id in keys.items}
        self._signals: list[Signal] = []
        self._tests: dict[bytes, tuple[str, ChanceTest]] = {}
        self._times: list[tuple[str, int]] = []
        """The name and the time of every file."""
        self._canaries = [keys.file.head.private_canary.encode() for keys in key_sets]
        self._phrases = SecretPhrases(key_sets)
        self._copies = CopyFinder(key_sets, alike)

    def check_keys(self) -> None:
        """Check what needs no file: the items' ids, and the places and lengths of their options."""
        for keys in self._key_sets:
            for figure, signal in option_signals(keys):
                self._report.figures.append(figure)
                self._signals.append(signal)
            self._signals += id_signals(keys)

    def finish(self, level: float) -> LeakReport:
        """Return the report on all files that were read."""
        self._check_names()
        self._signals += [self._copies.size_signal(keys) for keys in self._key_sets]
        for where, what in self._copies.copies():
            self._add("duplicates", where, what)
        for phrase in self._phrases.verdicts():
            if phrase.is_leak:
                self._add("key", phrase.where, phrase.what)
            else:
                self._report.notes.append(phrase.what)
        self._report.looked_at["tests"] = sum(signal.test.n > 0 and not signal.is_certain for signal in self._signals)
        for signal in find_leaking(self._signals, level):
            test = "" if signal.is_certain else f" ({_p_in_words(signal.test.p_value)})"
            self._add(signal.kind, signal.where, f"{signal.what}{test}")
        self._report.leaks[:] = dict.fromkeys(self._report.leaks)
        return self._report

    def _add(self, kind: str, where: str, what: str) -> None:
        self._report.leaks.append(Leak(kind, where, what))

    # ---- files -------------------------------------------------------------------------------------------------------

    def read_file(self, name: str, path: Path, folder: Path) -> None:
        """Check one file. ``folder`` does not exist yet, and takes the files of an archive."""
        self._report.looked_at["files"] += 1
        self._times.append((name, path.stat().st_mtime_ns))
        if name.partition("/")[0] == EVIDENCE:
            self._add("evidence", name, "the votes on private items are public")
        if self._has_canary(path):
            self._add("canary", name, "the file contains the private canary, which belongs only in key files")
        if archives.is_archive(path):
            self._read_archive(name, path, folder)
            return
        for table in tables_of(name, path):
            self._read_table(table)
        if path.suffix.casefold() in _TEXTS:
            self._read_text(name, path)
        if (picture := pictures.in_file(name, path)) is not None:
            self._copies.add_picture(picture, path.stat().st_size, *_SHA.findall(name)[:1])
            self._check_metadata(picture)

    def _has_canary(self, path: Path) -> bool:
        last = b""
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                if any(canary in last + piece for canary in self._canaries):
                    return True
                last = piece[-64:]
        return False

    def _read_archive(self, name: str, path: Path, folder: Path) -> None:
        names, times = archives.names_and_times(path)
        if len(times) > 1:
            self._add(
                "archives", name, f"the {len(names):,} files in the archive have {len(times):,} different timestamps"
            )
        if names != sorted(names):
            self._add("archives", name, "the files in the archive are not sorted by name")
        folder.mkdir()
        try:
            for inside, out in archives.extract(path, folder):
                self.read_file(f"{name}/{inside}", out, folder / f"{out.name}.d")
                out.unlink()
        except ValueError as error:
            self._report.notes.append(f"Touchstone did not check {name}: {error}.")

    def _check_metadata(self, picture: Picture) -> None:
        if picture.metadata:
            self._add("metadata", picture.where, f"the file has metadata ({picture.metadata})")
        if picture.unknown:
            self._report.notes.append(f"Touchstone could not check the metadata of {picture.where}: {picture.unknown}.")

    def _read_text(self, name: str, path: Path) -> None:
        if path.stat().st_size > _LARGEST_TEXT:
            self._report.notes.append(
                f"Touchstone did not search {name} for private texts because the file is too large."
            )
            return
        self._phrases.look(name, path.read_text(encoding="utf-8", errors="replace"))

    # ---- tables ------------------------------------------------------------------------------------------------------

    def _read_table(self, table: Table) -> None:
        """Check the rows of a table, both those of private items and the others."""
        if table.part == "votes" and any(name.startswith("values") for row in table.rows() for name in row):
            self._add("evidence", table.name, "the values of votes are public")
        column = _id_column(table, self._keys_of)
        if column is None and not table.file.endswith((".parquet", ".jsonl", ".csv", ".tsv")):
            return
        self._report.looked_at["tables"] += 1
        checks = {id(keys): TableCheck(table, keys, self._tests) for keys in self._key_sets}
        for row in table.rows():
            item = str(row.get(column)) if column is not None else ""
            keys = self._keys_of.get(item)
            if keys is not None:
                checks[id(keys)].add_row({name: value for name, value in row.items() if name != column}, item)
            self._read_row(table, row, item if keys is not None else self._named_by_path(row))
        for check in checks.values():
            self._signals += check.signals()

    def _named_by_path(self, row: Row) -> str | None:
        """Return the private item whose own id is in the column names of a row, as in PROV, where no column names all
        items.

        A cell alone may be any number or word, so column names are needed.
        """
        for column, value in row.items():
            if isinstance(value, str) and value in self._keys_of and f":{value}" in unquote(column):
                return value
        return None

    def _read_row(self, table: Table, row: Row, item: str | None) -> None:
        """Look for private texts, and for images, in the cells of a row of a private item, or of another row (None)."""
        hashes: set[str] = set()
        is_another = item is None and _is_an_item(table, row)
        owner = f"another item in {table.name}" if is_another else item
        for column, value in row.items():
            content = value if isinstance(value, bytes) else None
            if isinstance(value, str):
                if (content := pictures.in_base64(value)) is None and len(value) < 1000 and _SCHEMA not in column:
                    hashes.update(_MEDIA_SHA.findall(value))
                if len(value) >= LONG:
                    self._phrases.look(f"{table.name}, {column}", value, owner)
            if content is not None:
                where = f"{table.name}, {column}" + (f" of {item}" if item else "")
                hashes.update(self._read_picture(where, content))
        if item is not None or is_another:
            self._copies.add_media(table.name, hashes, item)
        if not hashes and (item is None or not self._keys_of[item].items[item].media):
            self._copies.add_texts(table.name, row, item)

    def _read_picture(self, where: str, content: bytes) -> Iterator[str]:
        """Check the image in a cell, if it is one, and yield its hash."""
        picture = pictures.in_bytes(where, content)
        if picture is not None:
            if self._copies.add_picture(picture, len(content)):
                self._check_metadata(picture)
            yield picture.sha256

    def _check_names(self) -> None:
        """Check the names of files that belong to an item, as a table, and the order in which they were written."""
        named = [(time, path, item) for path, time in sorted(self._times) if (item := self._item_of(path)) is not None]
        has_times = len({time for time, _, _ in named}) > 1
        for keys in self._key_sets:
            check = TableCheck(Table("the folder", FILES, lambda: ()), keys)
            for _, path, item in named:
                if self._keys_of[item] is keys:
                    check.add_row({"path": path}, item)
            self._signals += check.signals()
            if has_times:
                ids = [item for _, _, item in sorted(named) if self._keys_of[item] is keys]
                written = TableCheck(Table("the folder", "file times", lambda: ()), keys, ids=ids)
                self._signals += [signal for signal in written.signals() if signal.kind == "order"]

    def _item_of(self, path: str) -> str | None:
        """Return the private item that a path names, by the hash of its image or by its id."""
        sha = _SHA.search(path)
        if sha is not None and sha[0] in self._copies.private_media:
            return self._copies.private_media[sha[0]]
        parts = re.split(r"([/._\- ]+)", path)[:60]
        for size in range(len(parts), 0, -1):
            for at in range(len(parts) - size + 1):
                text = "".join(parts[at : at + size])
                if text in self._keys_of:
                    return text
        return None


def _id_column(table: Table, ids: Mapping[str, SecretKeys]) -> str | None:
    """Return the column that names the items: the one with the most ids of private items. None if no column has any.

    Among equals, a column with the name of an id column wins.
    """
    hits: Counter[str] = Counter()
    for row in table.rows():
        for column, value in row.items():
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value) in ids:
                hits[column] += 1
    place = {name: at for at, name in enumerate(_IDS)}
    return max(hits, key=lambda name: (hits[name], -place.get(name_of(name), len(_IDS)), name), default=None)


def _is_an_item(table: Table, row: Row) -> bool:
    """Return whether a row without a private item is another item, and not a file or a part of a description."""
    if table.file.rpartition("/")[2] in _NOT_ITEMS:
        return False
    return any(isinstance(value, str) and " " in value and not looks_like_a_path(value) for value in row.values())


def _p_in_words(p_value: float) -> str:
    return f"p = {p_value:.1g}" if p_value >= 1e-12 else "p < 1e-12"
