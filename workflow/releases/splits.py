"""The splits of a release: seeded, stratified by dimension, and never dividing a group.

``SplitPlan.of`` reads the options (``train=0.8``, ``test=500``, ``train=rest``, ``field:NAME``). ``assign`` fills the
splits, or raises an error that gives the reason. The same items, plan and seed give the same splits in any order of
items. With ``before``, items of an earlier release and their groups keep their splits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NoReturn

from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from domain.split_names import RULE, is_split_name
from media.perceptual_hash import ALIKE
from workflow.releases.split_fill import Bundle, apportioned, filled, group_draw, kinds_of, targets
from workflow.releases.split_groups import BY, TOGETHER, Groups, SplitRecord, groups_of

_MUCH = re.compile(r"[0-9]{1,9}|[0-9]{0,9}\.[0-9]{1,9}")
_OFF = Fraction(1, 10)
FIELD = "field:"
_ANEW = "draw all splits again (--anew)"


@dataclass(frozen=True)
class SplitPart:
    """A requested split: by number of items, by share of all items, or the rest."""

    name: str
    size: int | None = None
    share: Fraction | None = None

    @property
    def words(self) -> str:
        """Return the split in the form of the option."""
        if self.size is not None:
            return f"{self.name}={self.size}"
        return f"{self.name}={'rest' if self.share is None else f'{float(self.share):g}'}"


@dataclass(frozen=True)
class SplitPlan:
    """The requested splits."""

    parts: tuple[SplitPart, ...]
    """The splits in the order of the release; empty with ``field``."""
    field: str | None = None
    """The field of an item that names its split."""
    seed: int = 0
    by: tuple[str, ...] = TOGETHER
    """The links that keep items together: rows of ``BY``."""
    alike: int = ALIKE
    """For ``near``: the bits in which looks may differ."""
    off: Fraction = _OFF
    """The largest allowed difference from the planned size, as a share of it. A difference of one item is always
    allowed.
    """
    lacking: bool = False
    """Splits may lack a dimension that has too few groups for all of them."""

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        *,
        seed: int = 0,
        by: Sequence[str] = TOGETHER,
        alike: int = ALIKE,
        off: Fraction = _OFF,
        lacking: bool = False,
    ) -> SplitPlan:
        """Return a plan from the texts of commands and settings. Without texts, all items are in the split ``test``.

        Raises
        ------
        InvalidInputError
            A text or a number is wrong; the sentence names the first error.

        Examples
        --------
        >>> [part.words for part in SplitPlan.of(["test=500", "train=rest"]).parts]
        ['test=500', 'train=rest']
        """
        if odd := next((axis for axis in by if axis not in BY), None):
            _refuse(f"Touchstone cannot keep items together by {odd!r}. Choose from: {', '.join(BY)}.")
        if not 0 <= alike <= 16:
            _refuse(f"The allowed difference between similar images must be from 0 to 16 of 64 bits, not {alike}.")
        if not 0 <= off <= 1:
            _refuse(f"The allowed difference of a split must be from 0 to 1, not {float(off):g}.")
        fields = [text[len(FIELD) :].strip() for text in texts if text.startswith(FIELD)]
        if fields and len(texts) > 1:
            _refuse(f"{FIELD}{fields[0]} already defines every split. Remove every other --split.")
        parts = () if fields else _fitting([_part(text) for text in texts] or [SplitPart("test")])
        return cls(parts, fields[0] if fields else None, seed, tuple(by), alike, off, lacking)


@dataclass(frozen=True)
class SplitFigure:
    """The planned and the real size of a split, over all items or in one dimension."""

    split: str
    dimension: str | None
    wanted: int
    """The planned number of items. If a field names the splits, the real number."""
    items: int
    groups: int


@dataclass(frozen=True)
class Assignment:
    """The split of every item."""

    split: Mapping[str, str]
    """The split of every item, in rising order of ids."""
    group: Mapping[str, str]
    """The group of every item, by id."""
    figures: tuple[SplitFigure, ...]
    """The sizes by split in the order of the plan: first over all items, then by dimension."""
    names: tuple[str, ...]
    """The splits in order."""

    @property
    def sentences(self) -> list[str]:
        """The figures in words, a line for each split."""
        lines = []
        for name in self.names:
            whole = next(figure for figure in self.figures if figure.split == name and figure.dimension is None)
            parts = [figure for figure in self.figures if figure.split == name and figure.dimension is not None]
            far = max(parts, key=lambda part: (abs(part.items - part.wanted), part.dimension))
            line = f"{name}: {with_noun(whole.items, 'item')} in {with_noun(whole.groups, 'group')}"
            line += f", {whole.wanted:,} requested"
            if far.items != far.wanted:
                line += f"; largest difference in {far.dimension}: {far.items:,} of {far.wanted:,}"
            lines.append(f"{line}.")
        return lines


def assign(records: Sequence[SplitRecord], plan: SplitPlan, *, before: Mapping[str, str] | None = None) -> Assignment:
    """Return the split of every item.

    Parameters
    ----------
    before
        The split of every item in an earlier release, by id. These items and their groups keep their splits;
        only new groups are placed. Unknown ids are ignored.

    Raises
    ------
    InvalidInputError
        The plan cannot be met closely enough; the sentence gives the reason.
    """
    twice = [id for id, n in Counter(record.id for record in records).items() if n > 1]
    if twice:
        _refuse(f"The item {twice[0]!r} is listed twice. Every item needs its own id.")
    if not records:
        _refuse("There are no items to split. Verify some items first, or choose other items.")
    groups = groups_of(records, plan.by, alike=plan.alike)
    rows = {record.id: record for record in sorted(records, key=lambda record: record.id)}
    if plan.field is not None:
        return _by_field(rows, groups, plan.field, before or {})
    names = [part.name for part in plan.parts]
    dimensions = sorted({row.dimension for row in rows.values()})
    sizes = _sizes(plan.parts, len(rows))
    bundles = _bundles(rows, groups, dimensions, plan.seed, _fixed(groups, before or {}, names))
    there = [sum(n for bundle in bundles for at, n in bundle.counts if at == place) for place in range(len(dimensions))]
    wanted = targets(sizes, there)
    _must_be_possible(bundles, groups, plan, sizes, wanted, dimensions)
    placed = filled(bundles, wanted)
    split = {id: names[placed[groups.of[id]]] for id in rows}
    asked = {
        (name, dimension): n
        for name, row in zip(names, wanted, strict=True)
        for dimension, n in zip(dimensions, row, strict=True)
    }
    assignment = Assignment(split, groups.of, _figures(rows, groups, split, names, dimensions, asked), tuple(names))
    _must_be_near(assignment, plan, bundles, groups, kept=bool(before))
    return assignment


# ---- what was asked for ---------------------------------------------------------------------------------------------


def _part(text: str) -> SplitPart:
    name, equals, much = (piece.strip() for piece in text.partition("="))
    if not equals or not is_split_name(name):
        _refuse(
            f"--split {text}: write a name and a size (test=500, test=0.2 or train=rest), or write field:NAME; {RULE}."
        )
    if much == "rest":
        return SplitPart(name)
    number = Decimal(much) if _MUCH.fullmatch(much) else Decimal(0)
    if not number:
        _refuse(f"--split {text}: {much!r} is not valid. Write a number of items, a share such as 0.2, or rest.")
    if "." not in much:
        return SplitPart(name, size=int(number))
    if number > 1:
        _refuse(f"--split {text}: a share is at most 1. Write a number of items without a decimal point.")
    return SplitPart(name, share=Fraction(number))


def _fitting(parts: Sequence[SplitPart]) -> tuple[SplitPart, ...]:
    names = Counter(part.name for part in parts)
    if twice := next((name for name, n in names.items() if n > 1), None):
        _refuse(f"The split {twice} is listed twice. List each split once.")
    rest = [part for part in parts if part.size is None and part.share is None]
    if len(rest) > 1:
        _refuse(
            f"{rest[0].name} and {rest[1].name} cannot both have the size rest. Give one of these splits another size."
        )
    sized, shared = (
        [part for part in parts if part.size is not None],
        [part for part in parts if part.share is not None],
    )
    if sized and shared:
        _refuse(f"{sized[0].words} is a number and {shared[0].words} is a share. Use only numbers, or only shares.")
    whole = sum((part.share for part in shared if part.share is not None), Fraction(0))
    if shared and not rest and whole != 1:
        _refuse(f"The shares add up to {float(whole):g}. Make the sum 1, or add a split with the size rest.")
    if shared and rest and whole >= 1:
        _refuse(f"The shares add up to {float(whole):g}, so no items are left for {rest[0].name}. Reduce a share.")
    return tuple(parts)


def _sizes(parts: Sequence[SplitPart], n: int) -> list[int]:
    """Return the number of items of each split. The numbers add up to all items."""
    if all(part.size is None for part in parts):
        left = 1 - sum((part.share for part in parts if part.share is not None), Fraction(0))
        sizes = apportioned([left if part.share is None else part.share for part in parts], n)
    else:
        sizes = [part.size or 0 for part in parts]
        left_over, items = n - sum(sizes), with_noun(n, "item")
        rest = next((at for at, part in enumerate(parts) if part.size is None), None)
        if left_over < 0 or (rest is not None and not left_over):
            more = f" and leave nothing for {parts[rest].name}" if rest is not None and not left_over else ""
            _refuse(f"The release has {items}, but the splits ask for {sum(sizes):,}{more}. Make the splits smaller.")
        if rest is None and left_over:
            _refuse(f"The release has {items}, but the splits ask for {sum(sizes):,}. Set one split to rest.")
        if rest is not None:
            sizes[rest] = left_over
    if empty := next((part for part, size in zip(parts, sizes, strict=True) if not size), None):
        _refuse(f"{empty.words} gives an empty split for {with_noun(n, 'item')}. Choose a larger size.")
    return sizes


def _bundles(
    rows: Mapping[str, SplitRecord],
    groups: Groups,
    dimensions: Sequence[str],
    seed: int,
    fixed: Mapping[str, int],
) -> list[Bundle]:
    place = {name: at for at, name in enumerate(dimensions)}
    bundles = []
    for name, members in groups.members.items():
        counts = Counter(place[rows[id].dimension] for id in members)
        bundles.append(Bundle(name, tuple(sorted(counts.items())), group_draw(seed, members), fixed.get(name)))
    return bundles


def _fixed(groups: Groups, before: Mapping[str, str], names: Sequence[str]) -> dict[str, int]:
    """Return the split of each group that has items of an earlier release."""
    by_group: dict[str, tuple[str, int]] = {}
    for id, split in sorted(before.items()):
        group = groups.of.get(id)
        if group is None:
            continue
        if split not in names:
            _refuse(f"The item {id!r} was in the split {split}, which is missing now. Add that split, or {_ANEW}.")
        first, at = by_group.setdefault(group, (id, names.index(split)))
        if names[at] != split:
            _refuse(
                f"{first!r} was in {names[at]} and {id!r} in {split}, but now the two items belong together (by "
                f"{groups.shared[group]}). Remove the items that link the two, or {_ANEW}."
            )
    return {group: at for group, (_, at) in by_group.items()}


# ---- what cannot be -------------------------------------------------------------------------------------------------


def _must_be_possible(
    bundles: Sequence[Bundle],
    groups: Groups,
    plan: SplitPlan,
    sizes: Sequence[int],
    wanted: Sequence[Sequence[int]],
    dimensions: Sequence[str],
) -> None:
    largest = max(bundles, key=lambda bundle: (bundle.size, bundle.name))
    room = max(sizes)
    if largest.size > room + max(1, int(room * plan.off)):
        _refuse(
            f"{largest.size:,} items form one group (by {groups.shared[largest.name]}), but the largest split has "
            f"{room:,}. Choose a larger split, or keep items together by fewer properties than {', '.join(plan.by)} "
            "(--together)."
        )
    if plan.lacking:
        return
    of = kinds_of(bundles)
    for place, name in enumerate(dimensions):
        needed = [part.name for part, row in zip(plan.parts, wanted, strict=True) if row[place]]
        if of[place] < len(needed):
            one = "one group" if of[place] == 1 else f"{of[place]} groups"
            _refuse(
                f"The dimension {name} has {one}, so the dimension cannot be in {' and '.join(needed)}. Add items "
                "from other sources, choose other splits, or allow splits that lack a dimension (--lacking)."
            )


def _must_be_near(found: Assignment, plan: SplitPlan, bundles: Sequence[Bundle], groups: Groups, *, kept: bool) -> None:
    why = "Items of the earlier release keep their split (--anew draws new splits). " if kept else ""
    for figure in found.figures:
        if figure.dimension is None:
            if abs(figure.items - figure.wanted) > max(1, int(figure.wanted * plan.off)):
                big = max(bundles, key=lambda one: (one.size, one.name))
                largest = f"Items in the largest group: {big.size:,} ({groups.shared[big.name] or 'a single item'})."
                _refuse(
                    f"{figure.split} should have {with_noun(figure.wanted, 'item')}, but gets {figure.items:,}, "
                    f"because groups stay whole. {why}{largest} Choose a size of about {figure.items:,}, or allow a "
                    f"larger difference than {float(plan.off):.0%} (--off)."
                )
        elif figure.wanted and not figure.items and not plan.lacking:
            _refuse(
                f"{figure.split} should have {with_noun(figure.wanted, 'item')} of {figure.dimension}, but no "
                f"assignment puts items of this dimension into the split. {why}Choose a larger split, or allow splits "
                "that lack a dimension (--lacking)."
            )


# ---- by a field -----------------------------------------------------------------------------------------------------


def _by_field(rows: Mapping[str, SplitRecord], groups: Groups, field: str, before: Mapping[str, str]) -> Assignment:
    nameless = [id for id, record in rows.items() if record.value is None or not record.value.strip()]
    if nameless:
        _refuse(f"Items without a value in {field}: {len(nameless):,}, first {nameless[0]!r}. Fill in the field.")
    split = {id: str(record.value).strip() for id, record in rows.items()}
    odd = next((id for id, name in split.items() if not is_split_name(name)), None)
    if odd is not None:
        _refuse(f"{field} of the item {odd!r} is {split[odd]!r}; {RULE}.")
    moved = [id for id in split if before.get(id, split[id]) != split[id]]
    if moved:
        id = moved[0]
        _refuse(
            f"{field} puts {id!r} into {split[id]}, but an earlier release has the item in {before[id]}. In total, "
            f"{with_noun(len(moved), 'item')} would move. Change the field, or {_ANEW}."
        )
    sides: dict[str, dict[str, str]] = defaultdict(dict)
    for id, name in split.items():
        sides[groups.of[id]].setdefault(name, id)
    if torn := [(group, ids) for group, ids in sides.items() if len(ids) > 1]:
        group, ids = torn[0]
        (one, a), (other, b) = list(ids.items())[:2]
        more = f" In total, {len(torn):,} groups are in more than one split." if len(torn) > 1 else ""
        _refuse(
            f"{field} puts {a!r} into {one} and {b!r} into {other}, but the two items belong together (by "
            f"{groups.shared[group]}).{more} Change the field, or keep items together by fewer properties "
            "(--together)."
        )
    names = sorted(set(split.values()))
    dimensions = sorted({row.dimension for row in rows.values()})
    figures = _figures(rows, groups, split, names, dimensions, None)
    return Assignment(split, groups.of, figures, tuple(names))


def _figures(
    rows: Mapping[str, SplitRecord],
    groups: Groups,
    split: Mapping[str, str],
    names: Collection[str],
    dimensions: Sequence[str],
    asked: Mapping[tuple[str, str], int] | None,
) -> tuple[SplitFigure, ...]:
    items: Counter[tuple[str, str | None]] = Counter()
    there: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for id, name in split.items():
        for key in ((name, None), (name, rows[id].dimension)):
            items[key] += 1
            there[key].add(groups.of[id])
    figures = []
    for name in names:
        wanted = {
            dimension: items[name, dimension] if asked is None else asked[name, dimension] for dimension in dimensions
        }
        figures.append(SplitFigure(name, None, sum(wanted.values()), items[name, None], len(there[name, None])))
        figures += [
            SplitFigure(name, dimension, wanted[dimension], items[name, dimension], len(there[name, dimension]))
            for dimension in dimensions
        ]
    return tuple(figures)


def _refuse(sentence: str) -> NoReturn:
    raise InvalidInputError([Problem("split", sentence)])
