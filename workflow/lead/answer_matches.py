"""Items behind a number about people's answers: where raters differ, in which dimensions, among which items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from db import files, item_list
from db.engine import Session, Store
from db.records import StoredAnnotation
from domain.errors import InvalidInputError, Problem
from domain.item_filter import AnswerFilter, ItemFilter
from domain.rated_units import BETWEEN
from domain.records import Person, Rating
from domain.states import Stage
from workflow.access.counted_items import counting
from workflow.access.projects import Access, access_to
from workflow.annotate import stage_kinds
from workflow.results.ratings import NO_GROUP

_NOTHING = {"differ_in": "", "raters": (), "criterion": "", "values": (), "items": None, "group": ""}


def answers_of(wanted: ItemFilter) -> AnswerFilter | None:
    """Return the condition on the answers of named raters, or None."""
    if not wanted.raters:
        return None
    values = (wanted.values[0], wanted.values[1]) if len(wanted.values) == 2 else None
    return AnswerFilter(wanted.raters, wanted.criterion or None, values)


def resolved(store: Store, *, person: Person | None, project: str, wanted: ItemFilter) -> ItemFilter:
    """Return the filter with the ids of matching items in place of its conditions on answers.

    Raises
    ------
    InvalidInputError
        The project has no such stage.
    NotAllowedError
        A person who is not a lead asks for the answers of named raters.
    """
    if all(getattr(wanted, name) == nothing for name, nothing in _NOTHING.items()):
        return wanted
    said, units = answers_of(wanted), None
    stage = Stage(wanted.differ_in) if wanted.differ_in in set(Stage) else None
    if wanted.differ_in and stage is None:
        raise InvalidInputError(
            [Problem("differ_in", f"There is no stage {wanted.differ_in!r}. Choose a stage of the schema.")]
        )
    if stage is not None and said is not None:
        from workflow.results.rater_agreement import measurable_ratings  # numpy, which other lists do not wait for

        rated = measurable_ratings(store, person=person, project=project, stage=stage, items=wanted.items)[0]
        units = _units(rated, said)
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        named = {id: (name, dimension) for id, name, dimension in files.item_ids(session, project_id=access.project_id)}
        ids = set(named)
        if stage is not None:
            ids &= _differing(session, access, stage, units, {name: id for id, (name, _) in named.items()})
        if wanted.group:
            groups = {known.id: known.group or NO_GROUP for known in access.schema.dimensions}
            ids = {id for id in ids if groups.get(named[id][1], NO_GROUP) == wanted.group}
        if wanted.items is not None:
            counted = counting(session, access=access, items_=wanted.items)
            ids = {id for id in ids if counted.counts(id)}
    names = {named[id][0] for id in ids}
    if wanted.ids:
        names &= set(wanted.ids)
    nothing: dict[str, Any] = _NOTHING
    return replace(wanted, **nothing, ids=tuple(sorted(names)) or ("",))


def _differing(
    session: Session, access: Access, stage: Stage, units: set[str] | None, named: Mapping[str, int]
) -> set[int]:
    """Return the items with these units, or those on which the answers of a stage differ."""
    if units is not None:
        return {named[name] for unit in units for name in _names_in(unit) if name in named}
    names = stage_kinds.of(stage).differing(session, access=access)
    if names is None:
        return _apart(item_list.answers_in(session, project_id=access.project_id, stage=stage))
    return {named[name] for name in names if name in named}


def _apart(rows: Sequence[StoredAnnotation]) -> set[int]:
    """Return the items with a unit on which two answers differ."""
    seen: dict[tuple[int, int, int | None], list[Any]] = {}
    for row in rows:
        if row.item_id is not None:
            seen.setdefault((row.item_id, row.revision, row.prediction_id), []).append(row.answers)
    return {item for (item, _, _), all_ in seen.items() if any(value != all_[0] for value in all_)}


def _units(rows: Sequence[Rating], said: AnswerFilter) -> set[str]:
    """Return the units with the ratings that the filter asks for."""
    by_unit: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        if row.rater in said.raters and said.criterion in (None, row.criterion) and row.value is not None:
            by_unit.setdefault((row.unit, row.criterion), {})[row.rater] = _written(row.value)
    return {unit for (unit, _), by_rater in by_unit.items() if _fits(by_rater, said)}


def _names_in(unit: str) -> tuple[str, ...]:
    """Return the possible item names in a unit: the whole unit, or the part before one model or two."""
    of_answer = unit.rpartition(BETWEEN)[0]
    return unit, of_answer, of_answer.rpartition(BETWEEN)[0]


def _fits(by_rater: Mapping[str, str], said: AnswerFilter) -> bool:
    if said.values is None:
        return len(set(by_rater.values())) > 1
    last = said.raters[-1]
    votes = Counter(value for rater, value in by_rater.items() if rater != last).most_common(2)
    clear = votes and (len(votes) == 1 or votes[0][1] > votes[1][1])
    return bool(clear) and (votes[0][0], by_rater.get(last)) == said.values


def written_values(values: tuple[Any, Any]) -> tuple[str, str]:
    """Return two values as ``ItemFilter.values`` has them."""
    return _written(values[0]), _written(values[1])


def _written(value: Any) -> str:
    """Return a value as reports write it, with numbers in short form."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return f"{float(value):g}"
    except (TypeError, ValueError):
        return str(value)
