"""Near duplicates of items: within a project, across its splits, and against another project or a file.

Only leads may see them, because right answers are compared too.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation_schemas.expected_answers import plain
from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.row import Takes
from annotation_schemas.model import Schema
from db import items, releases
from db.engine import Session, Store
from db.releases import Asset
from domain.csv_text import Writer
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from domain.states import Items, Stage
from extensions.duplicates.near_texts import alike, likeness, parts_of, telling
from importers.readers import reader_of
from media.perceptual_hash import ALIKE, BITS
from workflow.access.counted_items import counting
from workflow.access.projects import Access, require_lead
from workflow.releases.image_hashes import looks_of
from workflow.releases.set_items import Roles, roles_of, which_items
from workflow.releases.split_groups import near_pairs, says_nothing

if TYPE_CHECKING:
    from media.store import MediaStore

TEXT = 0.8
"""Two texts are near duplicates from this share of common parts on."""
KINDS: Mapping[str, str] = {
    "image": "similar images",
    "answer": "similar question and right answer",
    "question": "the question alike",
}
"""Things that two items may have in common, the strongest evidence first."""
_AT_ONCE = 500


@dataclass(frozen=True)
class Entry:
    """The parts of an item that are compared."""

    id: str
    where: str
    """The split that a release has it in, the project, or the file."""
    question: str = ""
    answer: str = ""
    files: tuple[str, ...] = ()
    """SHA-256 of its images and clips."""
    looks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two items that have something in common."""

    kind: str
    one: Entry
    other: Entry
    measure: float
    """For texts, the share of three-letter parts in common, without the most frequent parts. For images, the number of
    differing bits of the 64 bits of their perceptual hashes.
    """

    @property
    def said(self) -> str:
        """The measure, in words."""
        if self.kind != "image":
            texts = [
                (plain(entry.question), self.kind == "answer" and plain(entry.answer))
                for entry in (self.one, self.other)
            ]
            return "the same" if texts[0] == texts[1] else f"{self.measure:.2f} in common"
        if set(self.one.files) & set(self.other.files):
            return "the same file"
        return f"{self.measure:.0f} of {BITS} bits differ"


@dataclass(frozen=True)
class Duplicates:
    """The result of a search for duplicates."""

    title: str
    which: str
    """Which items were compared, as a sentence."""
    against: str
    """What the items were compared with; empty if with each other."""
    items: int
    others: int
    """The number of items on the other side."""
    pairs: Sequence[Pair] = ()
    notes: Sequence[str] = ()

    def of(self, kind: str) -> list[Pair]:
        """Return the pairs of this kind, the nearest first."""
        sign = 1 if kind == "image" else -1
        return sorted((pair for pair in self.pairs if pair.kind == kind), key=lambda each: sign * each.measure)


def find_duplicates(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    items_: Items | str | None = None,
    against: str | Path | None = None,
    format: str | None = None,
    text: float = TEXT,
    bits: int = ALIKE,
) -> Duplicates:
    """Return the pairs of near duplicates within a project, or between a project and ``against``.

    ``against`` is the name of another project or a file that the project's schema reads. ``format`` is the file's
    format, by default that of the schema. The caller must be a lead of both projects.

    Raises
    ------
    InvalidInputError
        A threshold is out of range.
    InvalidFileError
        The file cannot be read.
    """
    if not 0 < text <= 1:
        raise InvalidInputError([Problem("text", "The share of common text must be above 0 and at most 1.")])
    if not 0 <= bits <= BITS // 4:
        raise InvalidInputError(
            [Problem("alike", f"The number of differing bits must be from 0 to {BITS // 4}. A hash has {BITS} bits.")]
        )
    seen: dict[str, int] = {}
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        own, which = _of_project(session, access, media, items_, seen, split=True)
    notes: list[str] = []
    others: list[Entry] | None = None
    if isinstance(against, Path):
        others = list(_of_file(access.schema, against, format, notes))
    elif against is not None:
        with store.read() as session:
            there = require_lead(session, by=by, project=against)
            others, _ = _of_project(session, there, media, Items.ALL, seen, split=False)
    pairs = [*_images(own, others, bits), *_answers(own, others, text), *_questions(own, others, text)]
    title = "" if against is None else against.name if isinstance(against, Path) else against
    return Duplicates(access.title, which, title, len(own), len(own if others is None else others), pairs, notes)


# ---- what is compared ------------------------------------------------------------------------------------------------


def _of_project(
    session: Session,
    access: Access,
    media: MediaStore,
    wanted: Items | str | None,
    seen: dict[str, int],
    *,
    split: bool,
) -> tuple[list[Entry], str]:
    counted = counting(session, access=access, items_=wanted, stage=Stage.GRADING)
    rows = [row for row in items.outgoing(session, project_id=access.project_id) if counted.counts(row.id)]
    splits = releases.splits_of_items(session, project_id=access.project_id) if split else {}
    roles = roles_of(access.schema)
    entries: list[Entry] = []
    todo = iter(rows)
    while lot := list(islice(todo, _AT_ONCE)):
        contents = releases.contents(
            session, project_id=access.project_id, revisions={row.id: row.current_revision for row in lot}
        )
        assets: dict[int, list[Asset]] = {}
        for asset in releases.assets(session, item_ids=[row.id for row in lot]):
            assets.setdefault(asset.item_id, []).append(asset)
        for row in lot:
            there = assets.get(row.id, [])
            files = tuple(dict.fromkeys(row.sha256 for row in there if row.sha256))
            looks = tuple(looks_of(media, there, seen))
            texts = _texts(roles, contents[row.id])
            entries.append(Entry(row.external_id, splits.get(row.id, access.name), *texts, files, looks))
    return entries, which_items(counted, len(rows))


def _of_file(schema: Schema, path: Path, format: str | None, notes: list[str]) -> Iterator[Entry]:
    name = format or (schema.source.format if schema.source else "jsonl")
    row = FORMATS.get(name)
    if row is None or row.reads is None or row.takes is not Takes.ITEMS:
        known = [name for name, one in FORMATS.items() if one.reads is not None and one.takes is Takes.ITEMS]
        raise InvalidInputError(
            [Problem("format", f"Touchstone cannot read items in the format {name}. Choose one of {', '.join(known)}.")]
        )
    read = reader_of(row)(path, format=name, schema=schema, dimension=None, progress=None)
    if read.bad:
        notes.append(
            f"Records of {path.name} that do not fit the schema: {len(read.bad):,}. Touchstone did not compare "
            "these records."
        )
    notes.append("Touchstone compares files by text only. To compare images, import the file as a separate project.")
    roles = roles_of(schema)
    for file in read.files:
        for item in file.items:
            yield Entry(item.external_id, file.path, *_texts(roles, item.fields))


def _texts(roles: Roles, fields: Mapping[str, Any]) -> tuple[str, str]:
    question, answer = (fields.get(name or "") for name in (roles.question, roles.answer))
    listed = "\n".join(map(str, answer)) if isinstance(answer, list | tuple) else answer
    return str(question or ""), str("" if listed is None else listed)


# ---- pairs -----------------------------------------------------------------------------------------------------------

Keys = Callable[[Entry], Iterable[Hashable]]
"""Returns the parts of an item that are compared, such as its question or the looks of its images."""
Near = Callable[[list[Any]], Iterable[tuple[Hashable, Hashable, float]]]
"""Returns all pairs of nearly equal keys among many, with their measure."""


def _pairs(kind: str, own: Sequence[Entry], others: Sequence[Entry] | None, keys: Keys, near: Near) -> Iterator[Pair]:
    """Yield pairs of items with an equal key, then pairs with nearly equal keys.

    Of several items with the same key, each is paired with the first one only, so n items give n - 1 pairs. The first
    one stands for all of them in pairs with nearly equal keys.
    """
    mine = _grouped(own, keys)
    theirs = None if others is None else _grouped(others, keys)
    equal = 0.0 if kind == "image" else 1.0
    for key, there in mine.items():
        if theirs is None:
            yield from (Pair(kind, there[0], entry, equal) for entry in there[1:])
        elif key in theirs:
            yield from (Pair(kind, entry, theirs[key][0], equal) for entry in there)
    for one, other, measure in near(list(dict.fromkeys([*mine, *(theirs or ())]))):
        if theirs is None:
            yield Pair(kind, mine[one][0], mine[other][0], measure)
            continue
        for my_key, their_key in ((one, other), (other, one)):
            if my_key in mine and their_key in theirs:
                yield Pair(kind, mine[my_key][0], theirs[their_key][0], measure)


def _grouped(entries: Sequence[Entry], keys: Keys) -> dict[Hashable, list[Entry]]:
    groups: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        for key in keys(entry):
            groups.setdefault(key, []).append(entry)
    return groups


def _questions(own: Sequence[Entry], others: Sequence[Entry] | None, text: float) -> Iterator[Pair]:
    def keys(entry: Entry) -> list[str]:
        return [plain(entry.question)] if plain(entry.question) else []

    def near(questions: list[str]) -> Iterator[tuple[str, str, float]]:
        parts = telling([parts_of(question) for question in questions])
        for one, other, share in alike(parts, text):
            yield questions[one], questions[other], share

    return _pairs("question", own, others, keys, near)


def _answers(own: Sequence[Entry], others: Sequence[Entry] | None, text: float) -> Iterator[Pair]:
    """Yield pairs with a similar question and a similar answer. The smaller of the two shares counts."""

    def keys(entry: Entry) -> list[tuple[str, str]]:
        plain_texts = plain(entry.question), plain(entry.answer)
        return [plain_texts] if all(plain_texts) else []

    def near(texts: list[tuple[str, str]]) -> Iterator[tuple[Hashable, Hashable, float]]:
        questions = dict.fromkeys(question for question, _ in texts)
        telling_of = dict(zip(questions, telling([parts_of(question) for question in questions]), strict=True))
        parts = [(telling_of[question], parts_of(answer)) for question, answer in texts]
        # if both have enough in common, so have both together
        both = [frozenset([(0, part) for part in asked] + [(1, part) for part in right]) for asked, right in parts]
        for one, other, _ in alike(both, text):
            share = min(likeness(parts[one][at], parts[other][at]) for at in (0, 1))
            if share >= text and parts[one][0]:  # a question that consists only of a fixed form cannot be compared
                yield texts[one], texts[other], share

    return _pairs("answer", own, others, keys, near)


def _images(own: Sequence[Entry], others: Sequence[Entry] | None, bits: int) -> Iterator[Pair]:
    """Yield pairs with the same image file, then pairs of images that look alike, each pair of items once.

    Even images and plain gradients look like any other image, so they are left out.
    """

    def looks(entry: Entry) -> list[int]:
        return [look & _MASK for look in dict.fromkeys(entry.looks) if not says_nothing(look, bits)]

    def near(found: list[int]) -> Iterator[tuple[int, int, float]]:
        found.sort()
        for one, other in near_pairs(np.array(found, dtype=np.uint64), bits):
            yield found[one], found[other], float((found[one] ^ found[other]).bit_count())

    seen: set[tuple[str, str, str]] = set()
    same_file = _pairs("image", own, others, lambda entry: entry.files, lambda files: ())
    for pair in chain(same_file, _pairs("image", own, others, looks, near)):
        name = (pair.one.id, pair.other.id, pair.other.where)
        if name not in seen and pair.one is not pair.other:
            seen.add(name)
            yield pair


_MASK = (1 << BITS) - 1


# ---- as a file -------------------------------------------------------------------------------------------------------


def as_csv(found: Duplicates) -> str:
    """Return a CSV file with one row a pair, the nearest of each kind first."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow((*_COLUMNS, "question", "other_question"))
    for pair in _sorted(found):
        kind, measure, *rest = _cells(pair)
        writer.writerow((kind, f"{measure:g}", *rest, pair.one.question, pair.other.question))
    return out.getvalue()


def as_json(found: Duplicates) -> dict[str, Any]:
    """Return the result as JSON values."""
    return {
        "title": found.title,
        "which": found.which,
        "against": found.against or None,
        "items": found.items,
        "others": found.others,
        "pairs": [dict(zip(_COLUMNS, _cells(pair), strict=True)) for pair in _sorted(found)],
        "notes": list(found.notes),
    }


_COLUMNS = ("alike", "measure", "item", "in", "other", "other_in")


def _cells(pair: Pair) -> tuple[Any, ...]:
    return pair.kind, pair.measure, pair.one.id, pair.one.where, pair.other.id, pair.other.where


def _sorted(found: Duplicates) -> Iterator[Pair]:
    return (pair for kind in KINDS for pair in found.of(kind))
