"""How what was given under one version of a schema is said in the words of another.

A project's schema may change while it is in use. Votes and items stay stored as they were given; what reads them says
them anew: a criterion by its later name, an option by the one that took its place. Only names and values change here,
never who said it, or when. In which dimension an item is, is asked too often to be read anew each time: it is stored as
it is now (``db.dimensions``), and only what hangs on an item is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from domain.comparison import same
from domain.states import Stage

Pairs = Sequence[tuple[Any, Any]]
"""Values, each with the one that takes its place."""


@dataclass(frozen=True)
class Step:
    """From one version of a schema to the next."""

    criteria: Mapping[str, str] = field(default_factory=dict)
    """Names that have changed: the earlier one to the later."""
    values: Mapping[str, Pairs] = field(default_factory=dict)
    """Values of a criterion, by its earlier name, that another takes the place of."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """As ``criteria``, of the item's fields."""
    field_values: Mapping[str, Pairs] = field(default_factory=dict)
    """As ``values``, of the item's fields."""
    filled: Mapping[str, Any] = field(default_factory=dict)
    """Fields by their later name that get a value where an item has none."""
    anew: Sequence[str] = ()
    """Criteria, by their later name, whose values mean something else since, such as another unit."""
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """As ``criteria``, of dimensions. Several may have become one, which then stands here for itself, too, in the step
    back: what came in between belongs there."""
    assets: Mapping[str, str] = field(default_factory=dict)
    """As ``criteria``, of the roles of images and clips."""

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))

    def as_json(self) -> dict[str, Any]:
        """As it is stored: ``from_json`` reads it."""
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
        """What ``as_json`` gave."""

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
        """The step back: names as they were. Values stay: which of them had taken another's place, the step does not
        say; what was given before the change is stored as it was, so nothing is lost by that."""
        before_of = {after: before for before, after in self.criteria.items()}
        return Step(
            criteria={after: before for before, after in self.criteria.items()},
            fields={after: before for before, after in self.fields.items()},
            anew=tuple(before_of.get(name, name) for name in self.anew),
        )

    def answers(self, stage: Stage, given: Mapping[str, Any]) -> dict[str, Any]:
        """Answers of a stage: by criterion, in authoring by field, in adjudication and refinement with ``fields``."""
        if stage is Stage.AUTHORING:
            return self.content(given, fill=False)
        said = _called(
            self.criteria, {name: _replaced(value, self.values.get(name, ())) for name, value in given.items()}
        )
        edited = given.get("fields")
        if isinstance(edited, Mapping):
            said["fields"] = self.content(edited, fill=False)
        return said

    def reasons(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Reasons by criterion."""
        return _called(self.criteria, given)

    def rating(self, criterion: str, value: Any) -> tuple[str, Any]:
        """One rating: its criterion and its value."""
        return self.criteria.get(criterion, criterion), _replaced(value, self.values.get(criterion, ()))

    def content(self, given: Mapping[str, Any], *, fill: bool = True) -> dict[str, Any]:
        """The fields of an item."""
        said = _called(
            self.fields, {name: _replaced(value, self.field_values.get(name, ())) for name, value in given.items()}
        )
        if fill:
            said |= {name: value for name, value in self.filled.items() if said.get(name) is None}
        return said


def _called(names: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, by the names of now. What went by a name before that something else has taken since is gone.

    >>> _called({"old": "new"}, {"old": 1, "new": 2, "other": 3})
    {'new': 1, 'other': 3}
    """
    taken = {names[name] for name in given if name in names}
    return {names.get(name, name): each for name, each in given.items() if name in names or name not in taken}


_NAMING = ("label", "tag", "name", "value")
"""The keys under which parts of an answer name options: boxes, passages, steps of plans, properties."""


def options_in(value: Any) -> list[Any]:
    """The options that an answer or the value of a field names: itself, each of several, or those of its parts.

    >>> options_in([{"start": 0, "end": 4, "tag": "cause"}])
    ['cause']
    """
    if isinstance(value, list):
        return [option for each in value for option in options_in(each)]
    if isinstance(value, Mapping):
        return [value[key] for key in _NAMING if key in value]
    return [value]


def _replaced(value: Any, pairs: Pairs) -> Any:
    """A value, or each of several, or what their parts name, as it is called now. What two became is said once.

    >>> _replaced(["a", "b", "c"], [("a", "b")])
    ['b', 'c']
    """
    if not pairs:
        return value
    if isinstance(value, list):
        said: list[Any] = []
        for each in value:
            now = _replaced(each, pairs)
            if not any(same(now, one) for one in said):
                said.append(now)
        return said
    if isinstance(value, Mapping):
        return {key: _replaced(each, pairs) if key in _NAMING else each for key, each in value.items()}
    return next((after for before, after in pairs if same(value, before)), value)


@dataclass(frozen=True)
class Complete:
    """What had been said by all who were asked under earlier versions, which asked fewer people in a stage, stays
    complete."""

    under: frozenset[int]
    """These versions (ids)."""
    raters: int
    stage: str = Stage.VERIFICATION.value


@dataclass(frozen=True)
class Passed:
    """Items do not come to a stage of verification that was added later, if all that kept them was said under earlier
    versions."""

    under: frozenset[int]
    """These versions (ids)."""
    stage: str


def _most_votes(stored: int | Mapping[str, int]) -> Mapping[str, int]:
    """Of projects that changed when only the first verification could, a number is stored."""
    return {Stage.VERIFICATION.value: stored} if isinstance(stored, int) else dict(stored)


@dataclass(frozen=True)
class Reading:
    """How everything that a project has is read now. Empty: it never had another schema."""

    steps: Mapping[int, Sequence[Step]] = field(default_factory=dict)
    """By the version (id) under which something was given: the steps to the one in force. None: as it stands."""
    complete: Sequence[Complete] = ()
    numbers: Mapping[int, int] = field(default_factory=dict)
    """What the schemas that the project has had call themselves (``version``), by id."""
    most_votes: Mapping[str, int] = field(default_factory=dict)
    """How many people one of them asked in a stage, at most."""
    passed: Sequence[Passed] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is stored: ``from_json`` reads it."""
        return {
            "steps": {str(id): [step.as_json() for step in steps] for id, steps in self.steps.items()},
            "complete": [
                {"under": sorted(each.under), "raters": each.raters, "stage": each.stage} for each in self.complete
            ],
            "numbers": {str(id): number for id, number in self.numbers.items()},
            "most_votes": dict(self.most_votes),
            "passed": [{"under": sorted(each.under), "stage": each.stage} for each in self.passed],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Reading:
        """What ``as_json`` gave; None: an empty one."""
        if stored is None:
            return cls()
        return cls(
            steps={int(id): tuple(Step.from_json(each) for each in steps) for id, steps in stored["steps"].items()},
            complete=tuple(
                Complete(frozenset(each["under"]), each["raters"], each.get("stage", Stage.VERIFICATION.value))
                for each in stored["complete"]
            ),
            numbers={int(id): number for id, number in stored["numbers"].items()},
            most_votes=_most_votes(stored["most_votes"]),
            passed=tuple(Passed(frozenset(each["under"]), each["stage"]) for each in stored.get("passed", ())),
        )

    @property
    def versions(self) -> set[int]:
        """The ids of all schemas that it names."""
        limited = [each.under for some in (self.complete, self.passed) for each in some]
        return {*self.steps, *self.numbers, *(id for under in limited for id in under)}

    def renumbered(self, ids: Mapping[int, int]) -> Reading:
        """The same where schemas have other ids: the new ones by the old ones."""
        return replace(
            self,
            steps={ids[id]: steps for id, steps in self.steps.items()},
            complete=tuple(replace(each, under=frozenset(ids[id] for id in each.under)) for each in self.complete),
            numbers={ids[id]: number for id, number in self.numbers.items()},
            passed=tuple(replace(each, under=frozenset(ids[id] for id in each.under)) for each in self.passed),
        )

    def after(self, step: Step, *, now: int, but: Reading | None = None) -> Mapping[int, Sequence[Step]]:
        """The steps of everything once the schema has changed by ``step`` to the version ``now``.

        What was given under a version that is in force again is read as it stands, and what ``but`` knows, how things
        were read before, as it was then.
        """
        known = but.numbers if but is not None else {}
        steps = {
            id: but.steps.get(id, ()) if but is not None and id in known else (*self.steps.get(id, ()), step)
            for id in self.numbers
            if id != now
        }
        wordy = {id: tuple(each for each in some if each) for id, some in steps.items()}
        return {id: some for id, some in wordy.items() if some}

    def answers(self, version: int, stage: Stage, given: Mapping[str, Any]) -> dict[str, Any]:
        """What was answered under a version, as it is said now."""
        said = dict(given)
        for step in self.steps.get(version, ()):
            said = step.answers(stage, said)
        return said

    def reasons(self, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Reasons that were given under a version, as they are said now."""
        said = dict(given)
        for step in self.steps.get(version, ()):
            said = step.reasons(said)
        return said

    def dimension(self, version: int, given: str) -> str:
        """What a dimension that was given under a version is called now, or which took its items."""
        for step in self.steps.get(version, ()):
            given = step.dimensions.get(given, given)
        return given

    def called_then(self, version: int, name: str) -> str:
        """What was called so under a version that is called ``name`` now: a field of the items, or a role of images."""
        for step in reversed(self.steps.get(version, ())):
            before = {after: before for before, after in (*step.fields.items(), *step.assets.items())}
            name = before.get(name, name)
        return name

    @property
    def rewords_items(self) -> bool:
        """Whether the fields of an item may be called otherwise, or say something else, than when it came in."""
        return any(step.fields or step.field_values or step.filled for steps in self.steps.values() for step in steps)

    @property
    def moves_dimensions(self) -> bool:
        """Whether something may be in another dimension now than it was given in."""
        return any(step.dimensions for steps in self.steps.values() for step in steps)

    @property
    def joined(self) -> frozenset[str]:
        """Dimensions that had taken the items of others until that was taken back."""
        pairs = [pair for steps in self.steps.values() for step in steps for pair in step.dimensions.items()]
        return frozenset(now for given, now in pairs if given == now)

    def rating(self, version: int, criterion: str, value: Any = None) -> tuple[str, Any]:
        """A rating that was given under a version: the criterion and the value as they are called now."""
        for step in self.steps.get(version, ()):
            criterion, value = step.rating(criterion, value)
        return criterion, value

    def version_of(self, number: int | None) -> int | None:
        """The version (id) of a schema that calls itself so; where none does, the project's first one. None: the
        project never had another schema."""
        first = min(self.numbers, default=None, key=lambda id: id)
        return next((id for id, each in self.numbers.items() if each == number), first)

    def anew(self, version: int) -> frozenset[str]:
        """The criteria, as they are called now, to which no answer that was given under a version is one of now."""
        found: set[str] = set()
        for step in self.steps.get(version, ()):
            found = {step.criteria.get(name, name) for name in found} | set(step.anew)
        return frozenset(found)

    def content(self, version: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of an item that was stored under a version, as they are called now."""
        said = dict(given)
        for step in self.steps.get(version, ()):
            said = step.content(said)
        return said

    def wanted(self, raters: int, versions: Sequence[int], stage: str = Stage.VERIFICATION) -> int:
        """How many votes make an item, or an answer, complete in a stage if votes on it were cast under these versions
        (ids)."""
        fewest = [
            each.raters
            for each in self.complete
            if each.stage == stage and sum(id in each.under for id in versions) >= each.raters
        ]
        return min([raters, *fewest])

    def fewest(self, raters: int, stage: str) -> int:
        """With how many people something may be complete in a stage that asks so many now."""
        return min([raters, *(each.raters for each in self.complete if each.stage == stage)])

    def passes(self, stage: Stage, versions: Sequence[int]) -> bool:
        """Whether an item does not come to a stage of verification: what kept it was said under these versions (ids),
        and such items stay kept."""
        return bool(versions) and any(each.stage == stage and each.under.issuperset(versions) for each in self.passed)
