"""Near duplicates of items: within a project, across its splits, and against another project or a file.

Only leads may see them, because right answers are compared too.
"""

from __future__ import annotations

import io
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation_schemas.asked import plain
from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.row import Takes
from annotation_schemas.model import Schema
from db import items, releases
from db.engine import Session, Store
from db.releases import Asset
from domain.csv_text import Writer
from domain.errors import InvalidInput, Problem
from domain.records import Person
from domain.states import Items, Stage
from extensions.duplicates.near_texts import alike, likeness, parts_of, telling
from importers.readers import reader_of
from media.perceptual_hash import ALIKE, BITS
from workflow.access.counted_items import counting
from workflow.access.projects import Access, require_lead
from workflow.releases.looks import looks_of
from workflow.releases.set_statistics import which_items
from workflow.releases.set_tally import Roles, roles_of
from workflow.releases.split_groups import near_pairs, says_nothing

if TYPE_CHECKING:
    from media.store import MediaStore

TEXT = 0.8
"""Two texts are near duplicates from this share of common parts on."""
KINDS: Mapping[str, str] = {
    "image": "images that look alike",
    "answer": "the question and the right answer alike",
    "question": "the question alike",
}
"""What two items may have in common, the strongest evidence first."""
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
                (plain(each.question), self.kind == "answer" and plain(each.answer)) for each in (self.one, self.other)
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
    notes: Sequence[str] = field(default=())

    def of(self, kind: str) -> list[Pair]:
        """Return the pairs of this kind, the nearest first."""
        sign = 1 if kind == "image" else -1
        return sorted((each for each in self.pairs if each.kind == kind), key=lambda each: sign * each.measure)


def duplicates(
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
    InvalidInput
        A threshold is out of range.
    FileRefused
        The file cannot be read.
    """
    if not 0 < text <= 1:
        raise InvalidInput([Problem("text", "Texts have a share in common, above 0 and at most 1.")])
    if not 0 <= bits <= BITS // 4:
        raise InvalidInput([Problem("alike", f"Looks differ in 0 to {BITS // 4} of {BITS} bits.")])
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
    found: list[Entry] = []
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
            files = tuple(dict.fromkeys(each.sha256 for each in there if each.sha256))
            looks = tuple(looks_of(media, there, seen))
            texts = _texts(roles, contents[row.id])
            found.append(Entry(row.external_id, splits.get(row.id, access.name), *texts, files, looks))
    return found, which_items(counted, len(rows))


def _of_file(schema: Schema, path: Path, format: str | None, notes: list[str]) -> Iterator[Entry]:
    name = format or (schema.source.format if schema.source else "jsonl")
    row = FORMATS.get(name)
    if row is None or row.reads is None or row.takes is not Takes.ITEMS:
        known = [each for each, one in FORMATS.items() if one.reads is not None and one.takes is Takes.ITEMS]
        raise InvalidInput([Problem("format", f"No items are read from {name}; take one of {', '.join(known)}.")])
    read = reader_of(row)(path, format=name, schema=schema, dimension=None, progress=None)
    if read.bad:
        notes.append(f"{len(read.bad):,} records of {path.name} do not fit the schema, and were left out.")
    notes.append("Of files texts are compared; for images, import the set as a project of its own.")
    roles = roles_of(schema)
    for file in read.files:
        for each in file.items:
            yield Entry(each.external_id, file.path, *_texts(roles, each.fields))


def _texts(roles: Roles, fields: Mapping[str, Any]) -> tuple[str, str]:
    question, answer = (fields.get(name or "") for name in (roles.question, roles.answer))
    listed = "\n".join(map(str, answer)) if isinstance(answer, list | tuple) else answer
    return str(question or ""), str("" if listed is None else listed)


# ---- pairs -----------------------------------------------------------------------------------------------------------


def _joined(
    kind: str, own: Mapping[Hashable, Sequence[Entry]], others: Mapping[Hashable, Sequence[Entry]] | None
) -> Iterator[Pair]:
    """Yield pairs of items with an equal key. Each item is paired with the first one only, so n items give n - 1
    pairs.
    """
    measure = 0.0 if kind == "image" else 1.0
    for key, there in own.items():
        if others is None:
            yield from (Pair(kind, there[0], each, measure) for each in there[1:])
        elif key in others:
            yield from (Pair(kind, each, others[key][0], measure) for each in there)


def _grouped(entries: Sequence[Entry], key: Any) -> dict[Hashable, list[Entry]]:
    found: dict[Hashable, list[Entry]] = {}
    for each in entries:
        for name in key(each):
            found.setdefault(name, []).append(each)
    return found


def _near(
    kind: str,
    own: Mapping[Hashable, Sequence[Entry]],
    others: Mapping[Hashable, Sequence[Entry]] | None,
    near: Sequence[tuple[Hashable, Hashable, float]],
) -> Iterator[Pair]:
    """Yield pairs of items with nearly equal keys. The first item stands for all items with the same key."""
    for one, other, measure in near:
        if others is None:
            if own[one][0] is not own[other][0]:
                yield Pair(kind, own[one][0], own[other][0], measure)
            continue
        for mine, theirs in ((one, other), (other, one)):
            if mine in own and theirs in others:
                yield Pair(kind, own[mine][0], others[theirs][0], measure)


def _questions(own: Sequence[Entry], others: Sequence[Entry] | None, text: float) -> Iterator[Pair]:
    def key(each: Entry) -> list[str]:
        return [plain(each.question)] if plain(each.question) else []

    mine, theirs = _grouped(own, key), None if others is None else _grouped(others, key)
    yield from _joined("question", mine, theirs)
    names = list(dict.fromkeys([*mine, *(theirs or ())]))
    found = alike([frozenset(each) for each in telling([parts_of(str(name)) for name in names])], text)
    yield from _near("question", mine, theirs, [(names[one], names[other], share) for one, other, share in found])


def _answers(own: Sequence[Entry], others: Sequence[Entry] | None, text: float) -> Iterator[Pair]:
    """Yield pairs with a similar question and a similar answer. The smaller of the two shares counts."""

    def key(each: Entry) -> list[tuple[str, str]]:
        found = plain(each.question), plain(each.answer)
        return [found] if all(found) else []

    mine, theirs = _grouped(own, key), None if others is None else _grouped(others, key)
    yield from _joined("answer", mine, theirs)
    names: list[Any] = list(dict.fromkeys([*mine, *(theirs or ())]))
    asked_of = dict.fromkeys(question for question, _ in names)
    telling_of = dict(zip(asked_of, telling([parts_of(each) for each in asked_of]), strict=True))
    parts = [(telling_of[question], parts_of(answer)) for question, answer in names]
    # if both have enough in common, so have both together
    both = [frozenset([(0, each) for each in asked] + [(1, each) for each in said]) for asked, said in parts]
    near = []
    for one, other, _ in alike(both, text):
        share = min(likeness(parts[one][at], parts[other][at]) for at in (0, 1))
        if share >= text and parts[one][0]:  # a question that consists only of a fixed form cannot be compared
            near.append((names[one], names[other], share))
    yield from _near("answer", mine, theirs, near)


def _images(own: Sequence[Entry], others: Sequence[Entry] | None, bits: int) -> Iterator[Pair]:
    """Yield pairs with the same image file, then pairs of images that look alike.

    Even images and plain gradients look like any other image, so they are left out.
    """
    files = [_grouped(each, lambda entry: entry.files) for each in (own, others or ())]
    told: set[tuple[str, str, str]] = set()
    for pair in _joined("image", files[0], None if others is None else files[1]):
        name = (pair.one.id, pair.other.id, pair.other.where)
        if name not in told:
            told.add(name)
            yield pair
    looks = [
        _grouped(each, lambda entry: [one & _MASK for one in dict.fromkeys(entry.looks) if not says_nothing(one, bits)])
        for each in (own, others or ())
    ]
    mine, theirs = looks[0], None if others is None else looks[1]
    names: list[Any] = sorted({*mine, *(theirs or ())})
    close = near_pairs(np.array(names, dtype=np.uint64), bits)
    near: dict[tuple[Hashable, Hashable], float] = {
        (names[one], names[other]): float((names[one] ^ names[other]).bit_count()) for one, other in close
    }
    found = [*_joined("image", mine, theirs), *_near("image", mine, theirs, [(*two, n) for two, n in near.items()])]
    for pair in found:
        name = (pair.one.id, pair.other.id, pair.other.where)
        if name not in told and pair.one is not pair.other:
            told.add(name)
            yield pair


_MASK = (1 << BITS) - 1


# ---- as a file -------------------------------------------------------------------------------------------------------


def as_csv(found: Duplicates) -> str:
    """Return a CSV file with one row a pair, the nearest of each kind first."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow(("alike", "measure", "item", "in", "other", "other_in", "question", "other_question"))
    for kind in KINDS:
        for each in found.of(kind):
            one, other = each.one, each.other
            writer.writerow(
                (kind, f"{each.measure:g}", one.id, one.where, other.id, other.where, one.question, other.question)
            )
    return out.getvalue()


def as_json(found: Duplicates) -> dict[str, Any]:
    """Return the result as JSON values."""
    return {
        "title": found.title,
        "which": found.which,
        "against": found.against or None,
        "items": found.items,
        "others": found.others,
        "pairs": [
            {
                "alike": each.kind,
                "measure": each.measure,
                "item": each.one.id,
                "in": each.one.where,
                "other": each.other.id,
                "other_in": each.other.where,
            }
            for kind in KINDS
            for each in found.of(kind)
        ],
        "notes": list(found.notes),
    }
