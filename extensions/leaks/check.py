"""The leak check of a release: does the public folder reveal what the private part withholds?

``leaks`` needs only the two folders, and reads any format. It looks at cells, column names, row order, file names,
metadata of images and clips, and archives. It also looks at what other splits share with the private one, and at the
places and lengths of the options.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from domain.errors import FileRefused
from exporters.release_keys import key_files, read_keys
from extensions.leaks import media as leak_media
from extensions.leaks.decision import told_by
from extensions.leaks.ids import of_ids
from extensions.leaks.keys import LONG, IndexedKeys, known, looks_like_a_path
from extensions.leaks.media import Picture
from extensions.leaks.options import told_by_options
from extensions.leaks.phrases import SecretPhrases
from extensions.leaks.rows import FILES, Rows, Signal, fingerprint, id_column, in_kinds
from extensions.leaks.sets import association
from extensions.leaks.stats import LEVEL, ShareTest
from extensions.leaks.tables import Row, Table, flat, tables_of
from media import file_type
from media.perceptual_hash import ALIKE
from workflow.releases.split_groups import near_pairs

_TEXTS = (".json", ".jsonld", ".md", ".txt", ".yaml", ".yml", ".html", ".py", ".toml", ".cff", ".bib")
_LARGEST_TEXT = 64 << 20
_SHA = re.compile(r"[0-9a-f]{64}")
_SCHEMA = "schema:"
"""Before the hash of a schema, as in PROV: every item has it, and it is no picture."""
_MEDIA_SHA = re.compile(rf"(?<!{_SCHEMA})[0-9a-f]{{64}}")
_EVIDENCE = "evidence"
_SHOWN = 3
_NOT_ITEMS = ("manifest.json", "croissant.json")
"""Files that only list other files."""

DO = {
    "key": "Keep the field back in this format, or make the release again; nothing of it may be public.",
    "names": "Name files by their hash, or by their item's id.",
    "ids": "Give items other ids before you import them, such as numbers in a shuffled order.",
    "columns": "Leave the column out of the release, or accept this kind of leak with a reason.",
    "writing": "Write these texts in one way, without odd blanks or characters. Or leave the column out of the "
    "release, or accept this kind of leak with a reason.",
    "sizes": "Encode images of all items in the same way, so that the size of a file says nothing.",
    "order": "Write items in an order that has nothing to do with their keys, such as that of their ids.",
    "metadata": "Strip originals before they are released.",
    "places": "Shuffle the options of every item before the release, by a seed.",
    "lengths": "Have the other options written as long as the right one.",
    "duplicates": "Leave the copy out of the other split, or keep both together when splitting.",
    "canary": "Nothing of a key file may lie in the public folder; remove the file.",
    "evidence": "Put the votes into the private folder: where an item is kept, they are equal to its key.",
    "archives": "Write archives in the order of names, all with one time.",
}
"""The advice for each kind of leak."""


@dataclass(frozen=True)
class Leak:
    """A place where public data reveals private data."""

    kind: str
    """A row of ``DO``."""
    where: str
    what: str

    @property
    def sentence(self) -> str:
        """Return a sentence with the leak, its place and the advice."""
        return f"{self.where}: {self.what}. {DO[self.kind]}"


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


def leaks(public: Path, private: Path, *, level: float = LEVEL, alike: int = ALIKE) -> LeakReport:
    """Return everything that a finished public folder reveals about the items in a private folder's key files.

    Parameters
    ----------
    level
        The highest probability of a false alarm, over all tests of this check.
    alike
        The largest number of differing bits between the perceptual hashes of near duplicates.

    Raises
    ------
    FileRefused
        A file that must be checked cannot be read. The check then has no result.
    """
    if not public.is_dir():
        raise FileRefused(f"{public} is no folder; give the public folder of a release.")
    files = key_files(private)
    if not files:
        raise FileRefused(
            f"{private} has no key files (keys/<split>.jsonl), so nothing is kept back that could be told."
        )
    knowns = [known(read_keys(path)) for path in files]
    check = _Check(knowns, alike)
    for one in knowns:
        for told, signal in told_by_options(one):
            check.report.figures.append(told)
            check.signals.append(signal)
        check.signals.extend(of_ids(one))
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, path) in enumerate(_files(public)):
            check.file(name, path, Path(folder) / str(number))
    check.names(sorted(check.paths))
    check.duplicates()
    check.file_sizes()
    check.told_phrases()
    check.decide(level)
    return check.report


def _files(public: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(public.rglob("*")):
        if path.is_symlink():
            raise FileRefused(f"{path} is a link; a release has files alone. Put the file there.")
        if path.is_file():
            yield path.relative_to(public).as_posix(), path


class _Check:
    def __init__(self, knowns: list[IndexedKeys], alike: int) -> None:
        self.report = LeakReport()
        self.knowns = knowns
        self.of = {id: one for one in knowns for id in one.keys.items}
        self.alike = alike
        self.signals: list[Signal] = []
        self.tried: dict[bytes, tuple[str, ShareTest]] = {}
        self.paths: list[tuple[str, int]] = []
        self.canaries = [one.keys.head.private_canary.encode() for one in knowns]
        self.phrases = SecretPhrases(knowns)
        self.of_media = {
            sha: id for one in knowns for item in one.keys.items.values() for sha in item.media for id in (item.id,)
        }
        self.public_media: dict[str, str] = {}
        self.pictures: dict[str, Picture] = {}
        self.sizes: dict[str, int] = {}
        """Bytes of public images and clips, by hash."""
        self.texts: dict[str, str] = {}
        self.public_texts: dict[str, str] = {}

    def leak(self, kind: str, where: str, what: str) -> None:
        """Note a leak."""
        self.report.leaks.append(Leak(kind, where, what))

    # ---- files ----

    def file(self, name: str, path: Path, folder: Path) -> None:
        """Check one file of the public folder."""
        self.report.looked_at["files"] += 1
        self.paths.append((name, path.stat().st_mtime_ns))
        if name.partition("/")[0] == _EVIDENCE:
            self.leak("evidence", name, "votes behind private items are public")
        if self._has_canary(path):
            self.leak("canary", name, "it has the private canary, which stands in key files alone")
        if leak_media.is_archive(path):
            self._archive(name, path, folder)
            return
        for table in tables_of(name, path):
            self.table(table)
        if path.suffix.casefold() in _TEXTS:
            self._text(name, path)
        self._media(name, path)

    def _has_canary(self, path: Path) -> bool:
        last = b""
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                if any(each in last + piece for each in self.canaries):
                    return True
                last = piece[-64:]
        return False

    def _archive(self, name: str, path: Path, folder: Path) -> None:
        found = leak_media.archive(path)
        if len(found.times) > 1:
            self.leak("archives", name, f"its {len(found.names):,} files have {len(found.times):,} different times")
        if list(found.names) != sorted(found.names):
            self.leak("archives", name, "its files are not in the order of their names")
        folder.mkdir()
        try:
            for inside, out in leak_media.taken_out(path, folder):
                self.file(f"{name}/{inside}", out, folder / f"{out.name}.d")
                out.unlink()
        except ValueError as error:
            self.report.notes.append(f"{name} was not looked into: {error}.")

    def _media(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(4096)
        sort = file_type.sniff(head)
        found = None
        if sort.kind == "image":
            found = leak_media.picture(name, path.read_bytes(), look=True)
        elif sort.kind == "clip" or "video" in sort.called:
            found = leak_media.clip(name, path)
        if found is not None:
            self._picture(found)
            named = _SHA.search(name)
            for sha in (found.sha256, *([named[0]] if named is not None else [])):
                self.pictures[sha], self.sizes[sha] = found, path.stat().st_size

    def _picture(self, found: Picture) -> None:
        if found.told:
            self.leak("metadata", found.where, f"it tells of its making ({found.told})")
        if found.unknown:
            self.report.notes.append(f"Of {found.where} no one can say whether it has metadata: {found.unknown}.")

    def _text(self, name: str, path: Path) -> None:
        if path.stat().st_size > _LARGEST_TEXT:
            self.report.notes.append(f"{name} was not searched for texts that are kept back; it is too large.")
            return
        self.phrases.look(name, path.read_text(encoding="utf-8", errors="replace"))

    # ---- tables ----

    def table(self, table: Table) -> None:
        """Check the rows of a table, both those of private items and the others."""
        self._votes(table)
        column = id_column(table, self.of)
        if column is None and not table.file.endswith((".parquet", ".jsonl", ".csv", ".tsv")):
            return
        self.report.looked_at["tables"] += 1
        rows = {id(one): Rows(table, one, tried=self.tried) for one in self.knowns}
        for row in table.rows():
            item = str(row.get(column)) if column is not None else ""
            one = self.of.get(item)
            if one is not None:
                rows[id(one)].take({name: value for name, value in row.items() if name != column}, item)
            self._row(table, row, item if one is not None else self._named_by_path(row))
        for each in rows.values():
            if each.ids:
                self.signals += each.signals()

    def _named_by_path(self, row: Row) -> str | None:
        """Return the private item whose own id is in the column names of a row, as in PROV, where no column names all
        items.

        A cell alone may be any number or word, so column names are needed.
        """
        for column, value in row.items():
            if isinstance(value, str) and value in self.of and f":{value}" in unquote(column):
                return value
        return None

    def _row(self, table: Table, row: Row, item: str | None) -> None:
        media: set[str] = set()
        for column, value in row.items():
            if isinstance(value, bytes):
                self._bytes(f"{table.name}, {column}" + (f" of {item}" if item else ""), value, media)
            elif isinstance(value, str):
                if (inside := leak_media.in_base64(value)) is not None:
                    self._bytes(f"{table.name}, {column}" + (f" of {item}" if item else ""), inside, media)
                elif len(value) < 1000 and _SCHEMA not in column:
                    media.update(_MEDIA_SHA.findall(value))
                if len(value) >= LONG:
                    self.phrases.look(
                        f"{table.name}, {column}", value, item if item is not None else _other(table, row)
                    )
        if item is not None:
            self.of_media.update(dict.fromkeys(media, item))
        elif _is_an_item(table, row):
            for sha in media:
                self.public_media.setdefault(sha, table.name)
        text = fingerprint(row, item or "")
        if text and not media:
            if item is None:
                self.public_texts.setdefault(text, table.name)
            elif not self.of[item].keys.items[item].media:
                self.texts[text] = item

    def _bytes(self, where: str, content: bytes, media: set[str]) -> None:
        found = leak_media.picture(where, content, look=True)
        if found is not None:
            media.add(found.sha256)
            self.sizes[found.sha256] = len(content)
            if found.sha256 not in self.pictures:
                self._picture(found)
                self.pictures[found.sha256] = found

    def _votes(self, table: Table) -> None:
        """Check the votes that a manifest lists next to its items."""
        if table.part != "votes":
            return
        if any(name.startswith("values") for row in table.rows() for name in row):
            self.leak("evidence", table.name, "votes are public with what was said in them")

    def names(self, paths: list[tuple[str, int]]) -> None:
        """Check names of files that name an item, as a table of its own, and the order in which the files were
        written.
        """
        rows: list[Row] = []
        times = []
        for path, time in paths:
            item = self._item_of(path)
            if item is not None:
                rows.append(flat({"id": item, "path": path}))
                times.append((time, path, item))
        for one in self.knowns:
            found = Rows(Table("the folder", FILES, rows), one)
            for row in rows:
                if self.of[row["id"]] is one:
                    found.take({"path": row["path"]}, row["id"])
            if found.ids:
                self.signals += found.signals()
            if len({time for time, _, _ in times}) > 1:
                ids = [item for _, _, item in sorted(times) if self.of[item] is one]
                written = Rows(Table("the folder", "times of its files", rows), one, ids)
                self.signals += [each for each in written.signals() if each.kind == "order"]

    def _item_of(self, path: str) -> str | None:
        sha = _SHA.search(path)
        if sha is not None and sha[0] in self.of_media:
            return self.of_media[sha[0]]
        parts = re.split(r"([/._\- ]+)", path)[:60]
        for size in range(len(parts), 0, -1):
            for at in range(len(parts) - size + 1):
                text = "".join(parts[at : at + size])
                if text in self.of:
                    return text
        return None

    # ---- what is on both sides ----

    def duplicates(self) -> None:
        """Check which images and texts a private item shares with items of other splits."""
        shared = [sha for sha in self.public_media if sha in self.of_media]
        for sha in sorted(shared)[:_SHOWN]:
            what = (
                f"the picture {sha[:12]}… of the private item {self.of_media[sha]} is there, too ({len(shared):,} such)"
            )
            self.leak("duplicates", self.public_media[sha], what)
        for text in sorted(set(self.texts) & set(self.public_texts))[:_SHOWN]:
            what = f"the private item {self.texts[text]} stands there with the same texts"
            self.leak("duplicates", self.public_texts[text], what)
        self._near()

    def _near(self) -> None:
        looks: dict[int, tuple[str, bool]] = {}
        for side, shas in ((True, self.of_media), (False, self.public_media)):
            for sha in shas:
                found = self.pictures.get(sha)
                if found is not None and found.look is not None and (side or sha not in self.of_media):
                    look = found.look & ((1 << 64) - 1)
                    ones = look.bit_count()
                    if self.alike < ones < 64 - self.alike and looks.setdefault(look, (sha, side))[1] != side:
                        self._near_leak(looks[look][0], sha)
        places = sorted(looks)
        for a, b in near_pairs(np.array(places, dtype=np.uint64), self.alike):
            (one, private), (other, too) = looks[places[a]], looks[places[b]]
            if private != too:
                self._near_leak(*((one, other) if private else (other, one)))

    def _near_leak(self, private: str, public: str) -> None:
        item = self.of_media.get(private) or self.of_media.get(public, "")
        where = self.public_media.get(public) or self.public_media.get(private, "")
        self.leak("duplicates", where, f"an image there looks like that of the private item {item}")

    def file_sizes(self) -> None:
        """Test whether the sizes of public images and clips are associated with the key."""
        for one in self.knowns:
            rows = [(id, item.media) for id, item in one.keys.items.items() if id in one.codes]
            sizes = [
                sum(map(self.sizes.__getitem__, media)) if set(media) <= self.sizes.keys() else None
                for _, media in rows
            ]
            ids = [id for id, _ in rows]
            parts = one.parts(ids, np.array([one.codes[id] for id in ids], dtype=np.int64))
            said = in_kinds([float(size) if size else None for size in sizes])
            part, tried = association(parts, said)
            what = f"{part} is associated with the size of an item's files"
            self.signals.append(Signal("sizes", "the folder", what, tried))

    def told_phrases(self) -> None:
        """Report private texts in public files: leaks, and phrases that items share."""
        for found in self.phrases.judged():
            if found.is_leak:
                self.leak("key", found.where, found.what)
            else:
                self.report.notes.append(found.what)

    # ---- what it comes to ----

    def decide(self, level: float) -> None:
        """Report the leaks among everything that was tested."""
        self.report.looked_at["tests"] = sum(each.tried.n > 0 and not each.certain for each in self.signals)
        for signal in told_by(self.signals, level):
            test = "" if signal.certain else f" ({_p(signal.tried)})"
            self.leak(signal.kind, signal.where, f"{signal.what}{test}")
        self.report.leaks[:] = dict.fromkeys(self.report.leaks)


def _other(table: Table, row: Row) -> str | None:
    """Return a name for the other item that a row is about; None if the row is not an item."""
    return f"another item in {table.name}" if _is_an_item(table, row) else None


def _is_an_item(table: Table, row: Row) -> bool:
    """Return whether a row without a private item is another item, and not a file or a part of a description."""
    if table.file.rpartition("/")[2] in _NOT_ITEMS:
        return False
    return any(isinstance(each, str) and " " in each and not looks_like_a_path(each) for each in row.values())


def _p(tried: ShareTest) -> str:
    return f"p = {tried.p_value:.1g}" if tried.p_value >= 1e-12 else "p < 1e-12"
