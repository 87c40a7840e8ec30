"""The agreement floors of a release (``export: floors``): the measured values, and when each floor was set.

A floor is compared with the value on the Agreement page, over all votes of the stage. Agreement over kept items alone
would rise with the number of rejected items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any

from agreement.summary import Result
from annotation_schemas.model import Floor, Schema
from db import projects, schema_changes
from db.engine import Session, Store
from domain.english import with_noun
from domain.errors import RatingsError
from domain.records import Person
from domain.states import Stage
from domain.statistics import STATISTICS, SummaryRows
from extensions.agreement_floors import queries
from extensions.agreement_floors.schema_key import asked_by, measured_by, variant_of
from workflow.access.projects import Access, access_to, require_lead
from workflow.access.stored_schemas import stored_schema
from workflow.results.rater_agreement import agreement_of, mark, size
from workflow.results.ratings import raters_of


@dataclass(frozen=True)
class Setting:
    """The setting of a floor from one moment on."""

    version: int
    """The version of the schema."""
    at: str
    """Since when that schema is in force."""
    at_least: float | None
    """The floor; None after its removal."""
    bound: str
    votes: int
    """Given in that stage before."""


@dataclass(frozen=True)
class FloorStanding:
    """A floor, its measured value and its history."""

    name: str
    """Such as ``choice.krippendorff_alpha``."""
    stage: str
    criterion: str
    statistic: str
    title: str
    """The title of the statistic, as pages show it."""
    at_least: float | None
    """The floor; None if the floor was removed after votes had been given."""
    bound: str
    settings: Sequence[Setting] = ()
    """The settings of the floor, oldest first; the last one is in force."""
    outcome: str = ""
    """``met``, ``not met``, ``cannot be computed``, or ``taken away``."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_units: int = 0
    n_raters: int = 0
    n_left_out: int = 0
    why: str = ""
    """The reason why the value is undefined; if several lines were measured, the name of the lowest."""

    @property
    def met(self) -> bool:
        """Whether the floor allows a release."""
        return self.outcome in (MET, AWAY)

    @property
    def beforehand(self) -> bool:
        """Whether it was set before anyone voted, and not made lower since."""
        return self.settings[0].votes == 0 and not any(self.lowered)

    @property
    def lowered(self) -> Iterator[tuple[Setting, Setting]]:
        """Yield each lowering of the floor after votes had been given: the setting before and the setting after."""
        for before, after in zip(self.settings, self.settings[1:], strict=False):
            if after.votes and _less(before, after):
                yield before, after

    @property
    def said(self) -> str:
        """Return a sentence about the floor, without its full stop."""
        return f"{self.came_to}; {self.set_when}"

    @property
    def came_to(self) -> str:
        """Return the measured value in words, with the required one."""
        if self.at_least is None:
            return "no longer asked"
        asked = f"{'the lower limit must be' if self.bound == 'low' else 'it must be'} at least {self.at_least:g}"
        if self.outcome == UNKNOWN:
            return f"cannot be computed: {self.why.rstrip('.')}; {asked}"
        limits = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        which = f", {self.why}" if self.why else ""
        return (
            f"{self.outcome}: {self.value:.3f}{limits} ({with_noun(self.n_units, 'unit')}, "
            f"{with_noun(self.n_raters, 'rater')}){which}; {asked}"
        )

    @property
    def set_when(self) -> str:
        """Return when the floor was set, and each change after people had voted."""
        first = self.settings[0]
        changes = [f"set in version {first.version} of the schema, {_after(first.votes)}"]
        for before, after in self.lowered:
            if after.at_least is None:
                changes.append(f"removed in version {after.version}, {_after(after.votes)}")
            else:
                was, now = (_words(setting) for setting in (before, after))
                changes.append(f"lowered from {was} to {now} in version {after.version}, {_after(after.votes)}")
        return "; ".join(changes)

    def as_json(self) -> dict[str, Any]:
        """Return the floor in the form of the manifest."""
        values = {name: value for name, value in asdict(self).items() if value is not None and value != ""}
        return {**values, "settings": [asdict(setting) for setting in self.settings], "beforehand": self.beforehand}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> FloorStanding:
        """Return the floor stored by ``as_json``."""
        known = {field.name: told[field.name] for field in fields(cls) if field.name in told}
        settings = [Setting(**setting) for setting in told["settings"]]
        return cls(**{"at_least": None, **known, "settings": settings})


MET, UNMET, UNKNOWN, AWAY = "met", "not met", "cannot be computed", "taken away"


def _less(before: Setting, after: Setting) -> bool:
    if before.at_least is None:
        return False
    return after.at_least is None or after.at_least < before.at_least or (before.bound, after.bound) == ("low", "value")


def _after(votes: int) -> str:
    return f"after {votes:,} {'vote' if votes == 1 else 'votes'}" if votes else "before anyone voted"


def _words(setting: Setting) -> str:
    return f"{setting.at_least:g}{' (lower limit)' if setting.bound == 'low' else ''}"


# ---- how they stand --------------------------------------------------------------------------------------------------


def standings(store: Store, *, project: str, schema_version: int | None = None) -> list[FloorStanding]:
    """Return every floor of a project in the order of the schema, then the removed floors.

    The caller checks that the person may see the floors. With ``schema_version``, only votes under that version count.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        known = history(session, access)
    standings = []
    for floor in access.schema.export.floors:
        settings = known.pop(floor.name).settings
        standings.append(replace(measure_floor(store, access, floor, schema_version=schema_version), settings=settings))
    gone = [standing for standing in known.values() if standing.settings[-1].votes]
    return [*standings, *(replace(standing, at_least=None, outcome=AWAY) for standing in gone)]


def measure_floor(store: Store, access: Access, floor: Floor, *, schema_version: int | None = None) -> FloorStanding:
    """Return the measured value of a floor: the lowest over all pairs of raters or parts of a criterion."""
    blank = _blank(access.schema, floor)
    about: dict[str, Any] = {"person": None, "project": access.name, "stage": Stage(blank.stage)}
    try:
        lines = agreement_of(
            store,
            **about,
            criteria=[floor.criterion],
            statistics=[floor.statistic],
            pool_guidelines=True,
            schema_version=schema_version,
        )
    except RatingsError:  # its sentence may name people
        return replace(
            blank, outcome=UNKNOWN, why="Touchstone cannot compare the ratings; the Agreement page shows the reason"
        )
    wanted = [line for line in lines if _is_meant(access.schema, floor, line)]
    if not wanted:
        return replace(blank, outcome=UNKNOWN, why=_no_line(floor, len(raters_of(store, **about).people)))
    known = [row for row in wanted if _bound(floor, row) is not None]
    if len(known) < len(wanted):
        return replace(blank, outcome=UNKNOWN, why=_undefined(floor, wanted, known))
    worst = min(known, key=lambda each: (_bound(floor, each), each.criterion))
    reached = _bound(floor, worst)
    assert reached is not None
    return replace(
        blank,
        outcome=MET if reached >= floor.at_least else UNMET,
        value=worst.value,
        low=worst.low,
        high=worst.high,
        n_units=worst.n_units,
        n_raters=worst.n_raters,
        n_left_out=worst.n_left_out,
        why=f"the lowest of {len(wanted):,} values" if len(wanted) > 1 else "",
    )


def _is_meant(schema: Schema, floor: Floor, line: Result) -> bool:
    asked = asked_by(schema, floor)
    levels = {part.name: part.level for part in measured_by(schema, asked[1])} if asked else {}
    if line.statistic != floor.statistic or line.criterion not in levels:
        return False
    variant = variant_of(floor, levels[line.criterion])
    return variant is not None and variant.args.items() <= line.args.items()


def _bound(floor: Floor, line: Result) -> float | None:
    return line.value if line.value is None or floor.bound == "value" else line.low


def _no_line(floor: Floor, people: int) -> str:
    row = STATISTICS[floor.statistic]
    if people < 2:
        return "there are no ratings yet" if not people else "only one person has given ratings"
    if row.lines is SummaryRows.OF_TWO:
        return f"this statistic is for exactly two raters, but {people:,} people gave ratings"
    if row.lines is SummaryRows.OF_SEVERAL:
        return f"this statistic is for more than two raters, but only {people:,} people gave ratings"
    return "no two votes can be compared"


def _undefined(floor: Floor, wanted: Sequence[Result], known: Sequence[Result]) -> str:
    lacking = [row for row in wanted if row not in known]
    if all(row.value is not None for row in lacking):
        return "this statistic has no lower limit; set `bound` to `value`, or choose another statistic"
    if len(wanted) > 1:
        return (
            f"{len(lacking):,} of {len(wanted):,} pairs of raters or parts of the criterion have no value; choose a "
            "statistic for several raters, such as krippendorff_alpha"
        )
    names = [name for row in lacking for name in row.args.get("pair", ())]
    reason = lacking[0].reason or "the statistic has no value"
    return "the value is undefined for a pair of raters" if any(name in reason for name in names) else _clause(reason)


def _clause(reason: str) -> str:
    """Return the first sentence of a reason, to continue another sentence."""
    first = reason.partition(". ")[0]
    return first[:1].lower() + first[1:]


# ---- when they were set ----------------------------------------------------------------------------------------------


def history(session: Session, access: Access) -> dict[str, FloorStanding]:
    """Return every floor that a project ever had, by name, with its settings from the beginning on."""
    floor_standings: dict[str, FloorStanding] = {}
    for id, since in _in_force(session, access):
        schema = access.schema if id == access.schema_version_id else stored_schema(session, id=id).schema_
        now = {
            standing.name: standing
            for standing in (_called_now(access, id, schema, floor) for floor in schema.export.floors)
        }
        for name in {**floor_standings, **now}:
            standing_now = now.get(name)
            before = floor_standings[name].settings if name in floor_standings else ()
            at_least, bound = (
                (standing_now.at_least, standing_now.bound) if standing_now is not None else (None, "value")
            )
            if before and (before[-1].at_least, before[-1].bound) == (at_least, bound):
                continue
            stage = Stage((standing_now or floor_standings[name]).stage)
            votes = queries.n_before(session, project_id=access.project_id, stage=stage, before=since)
            setting = Setting(schema.version, since.isoformat(), at_least, bound, votes)
            floor_standings[name] = replace(standing_now or floor_standings[name], settings=[*before, setting])
    return floor_standings


def _in_force(session: Session, access: Access) -> Iterator[tuple[int, datetime]]:
    """Yield the id of each schema that a project has had, with the moment from which the schema was in force."""
    changes = [row for row, _ in schema_changes.of_project(session, project_id=access.project_id)]
    first = changes[0].before_id if changes else access.schema_version_id
    yield first, projects.begun(session, id=access.project_id)
    for row in changes:
        yield row.after_id, row.created_at


def _called_now(access: Access, id: int, schema: Schema, floor: Floor) -> FloorStanding:
    """Return a floor of a schema, with the present name of its criterion."""
    name = floor.criterion
    for step in access.reading.steps.get(id, ()):
        name = step.criteria.get(name, name)
    return replace(_blank(schema, floor), name=floor.model_copy(update={"criterion": name}).name, criterion=name)


def _blank(schema: Schema, floor: Floor) -> FloorStanding:
    """Return a floor without a measured value."""
    asked = asked_by(schema, floor)
    assert asked is not None, "the loader checks this"
    row = STATISTICS[floor.statistic]
    title = row.title if floor.variant is None else f"{row.title}, {floor.variant}"
    return FloorStanding(
        name=floor.name,
        stage=asked[0],
        criterion=floor.criterion,
        statistic=floor.statistic,
        title=f"{schema.stages.title_of(asked[0])}: {title} of {floor.criterion}",
        at_least=float(floor.at_least),
        bound=floor.bound,
    )


# ---- for pages -------------------------------------------------------------------------------------------------------


def state_of(store: Store, *, by: Person | None, project: str) -> tuple[tuple[Any, ...], int]:
    """Return a state that changes whenever a floor may change, and the number of ratings behind the floors. For
    leads.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    asked = [asked_by(access.schema, floor) for floor in access.schema.export.floors]
    stages = sorted({Stage(pair[0]) for pair in asked if pair is not None})
    about: dict[str, Any] = {"person": by, "project": project}
    marks = [mark(store, stage=stage, **about) for stage in stages]
    return (access.began, access.loaded.hash, *marks), sum(size(store, stage=stage, **about) for stage in stages)
