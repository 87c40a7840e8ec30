"""The floors of agreement as a check before a release, which has a line for each floor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.model import Schema
from db.engine import Session, Store
from domain.evidence import PrintedFigure, RowSelection
from domain.records import Person
from domain.states import Stage
from extensions.agreement_floors.standings import FloorStanding, history, measure_floor, standings, state_of
from reports.content import Block, ReportTable
from workflow.access.projects import Access
from workflow.releases.extension_checks import ReleaseCheck, ReleaseCondition
from workflow.releases.printed_figures import RATINGS, votes_of

LINE = "floor."
"""The names of the lines begin so."""


@dataclass(frozen=True)
class FloorsResult:
    """All floors of a project, and how they stand."""

    floors: Sequence[FloorStanding]

    @property
    def met(self) -> bool:
        """Return whether every floor allows a release."""
        return all(floor.met for floor in self.floors)

    @property
    def said(self) -> str:
        """Return each floor with how it stands."""
        return "; ".join(f"{floor.title}: {floor.said}" for floor in self.floors)

    @property
    def values(self) -> Mapping[str, float | None]:
        """Return the measured values by the names of the floors."""
        return {floor.name: floor.value for floor in self.floors}

    def as_json(self, *, figures: bool) -> list[dict[str, Any]]:
        """Return the floors in the form of the manifest. Agreement tells nothing of private answers."""
        return [floor.as_json() for floor in self.floors]


def _lines(result: FloorsResult) -> list[ReleaseCondition]:
    """Return a line of the checklist for each floor."""
    return [
        ReleaseCondition(f"{LINE}{floor.name}", f"Floor: {floor.title}", floor.met, floor.said, "agreement")
        for floor in result.floors
    ]


def _measure(store: Store, access: Access, schema_version: int | None) -> FloorsResult:
    return FloorsResult(standings(store, project=access.name, schema_version=schema_version))


def _figures(store: Store, access: Access) -> Iterator[PrintedFigure]:
    """Yield the measured value of each floor, over all votes."""
    for floor in access.schema.export.floors:
        standing = measure_floor(store, access, floor)
        rows = [*votes_of(Stage(standing.stage)), RowSelection(RATINGS, {"stage": standing.stage})]
        at = (standing.value, standing.low, standing.high, standing.n_units, standing.n_left_out)
        reason = standing.why if standing.value is None else None
        yield PrintedFigure(f"floors.{standing.name}", f"Floor: {standing.title}", *at, reason=reason, rows=rows)


def _blocks(told: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Yield a table of the floors for the data card, with the moment when each floor was set."""
    standings = [FloorStanding.from_json(record) for record in told]
    heads = ("Floor", "How it stands", "Set when")
    rows = tuple((standing.title, standing.came_to, standing.set_when) for standing in standings)
    yield ReportTable("floors", "Floors of agreement", heads, rows)


def _line_names(session: Session, access: Access) -> list[str]:
    return [f"{LINE}{name}" for name in history(session, access)]


def _state_of(store: Store, by: Person | None, project: str) -> tuple[tuple[Any, ...], int]:
    return state_of(store, by=by, project=project)


def _applies(schema: Schema) -> bool:
    """Return True for every schema, because a floor that was taken away after votes also has a line."""
    return True


def _result(schema: Schema, value: Sequence[FloorStanding]) -> FloorsResult:
    return FloorsResult(value)


CHECK = ReleaseCheck(
    name="floors",
    title="Floors of agreement",
    page="agreement",
    path="floors",
    applies=_applies,
    measure=_measure,
    told=_figures,
    blocks=_blocks,
    section="agreement",
    work="floors",
    about="The agreement floors are",
    state_of=_state_of,
    result_of=_result,
    lines=_lines,
    line_names=_line_names,
    first=True,
)
