"""Rules for reading votes and items of an earlier schema version in the terms of the current one.

A project's schema may change while it is in use. Votes and items stay stored as people gave them. Code that reads
them translates names and values: a criterion gets its later name, an option gets its replacement. The rater and the
time never change. An item's dimension is read too often to be translated each time, so its current dimension is
stored, too; only data that belongs to an item is translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from domain.comparison import same
from domain.states import Stage

Pairs = Sequence[tuple[Any, Any]]
"""Pairs of a value and its replacement."""


@dataclass(frozen=True)
class Step:
    """The change from one schema version to the next."""

    criteria: Mapping[str, str] = field(default_factory=dict)
    """Renamed criteria: the later name by the earlier one."""
    values: Mapping[str, Pairs] = field(default_factory=dict)
    """Replaced values of a criterion, by the criterion's earlier name."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Renamed fields of the item, like ``criteria``."""
    field_values: Mapping[str, Pairs] = field(default_factory=dict)
    """Replaced values of the item's fields, like ``values``."""
    filled: Mapping[str, Any] = field(default_factory=dict)
    """Default values for fields, by their later name, for items without a value."""
    anew: Sequence[str] = ()
    """Criteria, by their later name, whose values have a new meaning, such as another unit."""
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """Renamed dimensions, like ``criteria``. If several dimensions were merged, the step back also maps the merged
    dimension to itself, because items that arrived in between stay in it.
    """
    assets: Mapping[str, str] = field(default_factory=dict)
    """Renamed roles of images and clips, like ``criteria``."""

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    def as_json(self) -> dict[str, Any]:
        """Return the step as JSON values, which ``from_json`` reads."""
        return {
            "criteria": dict(self.criteria),
            "values": {name: [list(pair) for pair in pairs] for name, pairs in self.values.items()},
            "fields": dict(self.fields),
            "field_values": {name: [list(pair) for pair in pairs] for name, pairs in self.field_values.items()},
            "filled": dict(self.filled),
            "anew": list(self.anew),
            "dimensions": dict(self.dimensions),
            "assets": dict(self.assets),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Step:
        """Return the step that ``as_json`` stored."""

        def pairs(of: Mapping[str, Any]) -> dict[str, Pairs]:
            return {name: [(before, after) for before, after in some] for name, some in of.items()}

        return cls(
            criteria=stored["criteria"],
            values=pairs(stored["values"]),
            fields=stored["fields"],
            field_values=pairs(stored["field_values"]),
            filled=stored["filled"],
            anew=tuple(stored["anew"]),
            dimensions=stored.get("dimensions", {}),
            assets=stored.get("assets", {}),
        )

    def backwards(self) -> Step:
        """Return the reverse step, which restores the earlier names.

        Values are kept, because the step does not record which values were merged. No data is lost: votes from before
        the change are stored with their original values.
        """
        before_of = {after: before for before, after in self.criteria.items()}
        return Step(
            criteria={after: before for before, after in self.criteria.items()},
            fields={after: before for before, after in self.fields.items()},
            anew=tuple(before_of.get(name, name) for name in self.anew),
        )

    def answers(self, stage: Stage, given: Mapping[str, Any]) -> dict[str, Any]:
        """Translate the answers of a stage.

        Answers are keyed by criterion, and in authoring by field. In adjudication and refinement they may also hold
        ``fields``.
        """
        if stage is Stage.AUTHORING:
            return self.content(given, fill=False)
        answers = _called(
            self.criteria, {name: _replaced(value, self.values.get(name, ())) for name, value in given.items()}
        )
        edited = given.get("fields")
        if isinstance(edited, Mapping):
            answers["fields"] = self.content(edited, fill=False)
        return answers

    def reasons(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Translate reasons, keyed by criterion."""
        return _called(self.criteria, given)

    def rating(self, criterion: str, value: Any) -> tuple[str, Any]:
        """Translate one rating: its criterion and its value."""
        return self.criteria.get(criterion, criterion), _replaced(value, self.values.get(criterion, ()))

    def content(self, given: Mapping[str, Any], *, fill: bool = True) -> dict[str, Any]:
        """Translate the fields of an item."""
        content = _called(
            self.fields, {name: _replaced(value, self.field_values.get(name, ())) for name, value in given.items()}
        )
        if fill:
            content |= {name: value for name, value in self.filled.items() if content.get(name) is None}
        return content


def _called(names: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values under their later names. An old value is dropped if a renamed key now has its name.

    >>> _called({"old": "new"}, {"old": 1, "new": 2, "other": 3})
    {'new': 1, 'other': 3}
    """
    taken = {names[name] for name in given if name in names}
    return {names.get(name, name): value for name, value in given.items() if name in names or name not in taken}


_NAMING = ("label", "tag", "name", "value")
"""Keys whose values name options in a part of an answer: a box, a passage, a step of a plan, a property."""


def options_in(value: Any) -> list[Any]:
    """Return the options that an answer or a field's value names, including those in its list entries and parts.

    >>> options_in([{"start": 0, "end": 4, "tag": "cause"}])
    ['cause']
    """
    if isinstance(value, list):
        return [option for child in value for option in options_in(child)]
    if isinstance(value, Mapping):
        return [value[key] for key in _NAMING if key in value]
    return [value]


def _replaced(value: Any, pairs: Pairs) -> Any:
    """Return a value with each replaced option under its new name. Merged options appear once in a list.

    >>> _replaced(["a", "b", "c"], [("a", "b")])
    ['b', 'c']
    """
    if not pairs:
        return value
    if isinstance(value, list):
        replaced: list[Any] = []
        for child in value:
            now = _replaced(child, pairs)
            if not any(same(now, one) for one in replaced):
                replaced.append(now)
        return replaced
    if isinstance(value, Mapping):
        return {key: _replaced(child, pairs) if key in _NAMING else child for key, child in value.items()}
    return next((after for before, after in pairs if same(value, before)), value)


@dataclass(frozen=True)
class CompletenessRule:
    """A rule that keeps items complete if all raters of an earlier version voted, although the stage now asks more
    people.
    """

    under: frozenset[int]
    """IDs of the earlier schema versions."""
    raters: int
    stage: str = Stage.VERIFICATION.value


@dataclass(frozen=True)
class SkippedStageRule:
    """A rule by which items skip a later verification stage if all votes that kept them came from earlier versions."""

    under: frozenset[int]
    """IDs of the earlier schema versions."""
    stage: str


def _most_votes(stored: int | Mapping[str, int]) -> Mapping[str, int]:
    """Return the maximum numbers by stage. Older projects store one number, for the first verification only."""
    return {Stage.VERIFICATION.value: stored} if isinstance(stored, int) else dict(stored)


@dataclass(frozen=True)
class Rewording:
    """The rules for reading a project's data in terms of its current schema; empty if the schema never changed."""

    steps: Mapping[int, Sequence[Step]] = field(default_factory=dict)
    """The steps to the current version, by the ID of the version that data was given under. Versions without steps
    need no translation.
    """
    complete: Sequence[CompletenessRule] = ()
    numbers: Mapping[int, int] = field(default_factory=dict)
    """The ``version`` number of each schema that the project has had, by ID."""
    most_votes: Mapping[str, int] = field(default_factory=dict)
    """The largest number of raters that any version asked in a stage."""
    passed: Sequence[SkippedStageRule] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the rules as JSON values, which ``from_json`` reads."""
        return {
            "steps": {str(id): [step.as_json() for step in steps] for id, steps in self.steps.items()},
            "complete": [
                {"under": sorted(rule.under), "raters": rule.raters, "stage": rule.stage} for rule in self.complete
            ],
            "numbers": {str(id): number for id, number in self.numbers.items()},
            "most_votes": dict(self.most_votes),
            "passed": [{"under": sorted(rule.under), "stage": rule.stage} for rule in self.passed],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Rewording:
        """Return the rules that ``as_json`` stored; None gives empty rules."""
        if stored is None:
            return cls()
        return cls(
            steps={int(id): tuple(Step.from_json(step) for step in steps) for id, steps in stored["steps"].items()},
            complete=tuple(
                CompletenessRule(frozenset(rule["under"]), rule["raters"], rule.get("stage", Stage.VERIFICATION.value))
                for rule in stored["complete"]
            ),
            numbers={int(id): number for id, number in stored["numbers"].items()},
            most_votes=_most_votes(stored["most_votes"]),
            passed=tuple(
                SkippedStageRule(frozenset(rule["under"]), rule["stage"]) for rule in stored.get("passed", ())
            ),
        )

    @property
    def versions(self) -> set[int]:
        """Return the IDs of all schemas that the rules name."""
        limited = [rule.under for some in (self.complete, self.passed) for rule in some]
        return {*self.steps, *self.numbers, *(id for under in limited for id in under)}

    def renumbered(self, ids: Mapping[int, int]) -> Rewording:
        """Return the rules with new schema IDs; ``ids`` maps old IDs to new ones."""
        return replace(
            self,
            steps={ids[id]: steps for id, steps in self.steps.items()},
            complete=tuple(replace(rule, under=frozenset(ids[id] for id in rule.under)) for rule in self.complete),
            numbers={ids[id]: number for id, number in self.numbers.items()},
            passed=tuple(replace(rule, under=frozenset(ids[id] for id in rule.under)) for rule in self.passed),
        )

    def after(self, step: Step, *, now: int, but: Rewording | None = None) -> Mapping[int, Sequence[Step]]:
        """Return the steps for all data after the schema changes by ``step`` to the version ``now``.

        Data from a version that is in force again needs no translation. For versions that ``but`` knows, the steps of
        ``but`` apply: they are the rules from before an undone change.
        """
        known = but.numbers if but is not None else {}
        steps = {
            id: but.steps.get(id, ()) if but is not None and id in known else (*self.steps.get(id, ()), step)
            for id in self.numbers
            if id != now
        }
        wordy = {id: tuple(change for change in some if change) for id, some in steps.items()}
        return {id: some for id, some in wordy.items() if some}

    def answers(self, version: int, stage: Stage, given: Mapping[str, Any]) -> dict[str, Any]:
        """Translate answers that were given under a version."""
        answers = dict(given)
        for step in self.steps.get(version, ()):
            answers = step.answers(stage, answers)
        return answers

    def reasons(self, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Translate reasons that were given under a version."""
        reasons = dict(given)
        for step in self.steps.get(version, ()):
            reasons = step.reasons(reasons)
        return reasons

    def dimension(self, version: int, given: str) -> str:
        """Return the current name of a dimension from a version, or of the dimension that took its items."""
        for step in self.steps.get(version, ()):
            given = step.dimensions.get(given, given)
        return given

    def called_then(self, version: int, name: str) -> str:
        """Return the name that a field or image role, now called ``name``, had under a version."""
        for step in reversed(self.steps.get(version, ())):
            before = {after: before for before, after in (*step.fields.items(), *step.assets.items())}
            name = before.get(name, name)
        return name

    @property
    def rewords_items(self) -> bool:
        """Whether fields of items may have another name or value than at import."""
        return any(step.fields or step.field_values or step.filled for steps in self.steps.values() for step in steps)

    @property
    def moves_dimensions(self) -> bool:
        """Whether an item may be in another dimension than at import."""
        return any(step.dimensions for steps in self.steps.values() for step in steps)

    @property
    def joined(self) -> frozenset[str]:
        """Return the dimensions whose merge with other dimensions was undone."""
        pairs = [pair for steps in self.steps.values() for step in steps for pair in step.dimensions.items()]
        return frozenset(now for given, now in pairs if given == now)

    def rating(self, version: int, criterion: str, value: Any = None) -> tuple[str, Any]:
        """Translate a rating that was given under a version: its criterion and its value."""
        for step in self.steps.get(version, ()):
            criterion, value = step.rating(criterion, value)
        return criterion, value

    def version_of(self, number: int | None) -> int | None:
        """Return the ID of the schema with this version number, or of the project's first schema if none has it.

        The result is None if the project's schema never changed.
        """
        first = min(self.numbers, default=None, key=lambda id: id)
        return next((id for id, version in self.numbers.items() if version == number), first)

    def anew(self, version: int) -> frozenset[str]:
        """Return the criteria, by current name, for which answers from a version are no longer valid."""
        criteria: set[str] = set()
        for step in self.steps.get(version, ()):
            criteria = {step.criteria.get(name, name) for name in criteria} | set(step.anew)
        return frozenset(criteria)

    def content(self, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Translate the fields of an item that was stored under a version."""
        content = dict(given)
        for step in self.steps.get(version, ()):
            content = step.content(content)
        return content

    def wanted(self, raters: int, versions: Sequence[int], stage: str = Stage.VERIFICATION) -> int:
        """Return the number of votes that complete an item or answer in a stage.

        ``versions`` are the schema IDs under which its votes were cast.
        """
        fewest = [
            rule.raters
            for rule in self.complete
            if rule.stage == stage and sum(id in rule.under for id in versions) >= rule.raters
        ]
        return min([raters, *fewest])

    def fewest(self, raters: int, stage: str) -> int:
        """Return the lowest number of votes that may complete an item in a stage that now asks for ``raters``."""
        return min([raters, *(rule.raters for rule in self.complete if rule.stage == stage)])

    def passes(self, stage: Stage, versions: Sequence[int]) -> bool:
        """Whether an item skips a verification stage because votes from these versions (IDs) already kept it."""
        return bool(versions) and any(rule.stage == stage and rule.under.issuperset(versions) for rule in self.passed)
