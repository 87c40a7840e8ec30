"""Obstacles that make a schema change impossible with any decisions, each with an advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation_schemas.model import Criterion, ItemField, LoadedSchema
from annotation_schemas.registry import criteria_of
from db import outside_work, projects, runs
from db.engine import Session
from db.records import StoredSchemaChange
from domain.comparison import same
from domain.errors import ConflictError
from domain.rewording import Rewording, Step, options_in
from domain.run_kinds import RunKind
from domain.runs import RunState
from domain.states import Stage
from extensions.schema_migration.changes import Comparison
from extensions.schema_migration.changes import rows as sorts
from extensions.schema_migration.effects import ASKED_AGAIN, Effect, Votes, effect_of, way_of
from extensions.schema_migration.queries import changes, dimensions
from workflow.access.projects import Access
from workflow.access.stored_schemas import stored_schema

_ENDED = (RunState.DONE, RunState.CANCELLED)


def obstacles(session: Session, access: Access, loaded: LoadedSchema, comparison: Comparison) -> Iterator[str]:
    """Yield the obstacles that no decision can remove."""
    yield from _not_yet(comparison)
    had = {number: id for id, number in access.reading.numbers.items()}
    known = had.get(loaded.schema_.version)
    if known is not None and projects.schema_version(session, id=known).hash != loaded.hash:
        yield (
            f"This project already had a different schema with version {loaded.schema_.version}. Give the new schema "
            f"the unused version number {max(had) + 1}."
        )
    yield from _come_back(session, access, comparison)
    effect = effect_of(comparison)
    step = effect.step
    yield from _gold_asked_again(session, access, effect)
    yield from _named_elsewhere(session, access, comparison, step)
    if not step:
        return
    going = [
        run.name
        for kind in RunKind
        for run in runs.of_project(session, project_id=access.project_id, kind=kind)
        if kind.plan is not None and run.state not in _ENDED
    ]
    if going:
        yield (
            f"The run {going[0]} still uses the old names. Wait until the run ends, or cancel the run,"
            " before you change names."
        )
    for link in outside_work.servers(session, project_id=access.project_id):
        if any(outside_work.unfinished(session, bridge_id=link.id).values()):
            yield (
                "Tasks in Label Studio still have the old names. Import the answers to these tasks (touchstone "
                "labelstudio import) before you change names."
            )


def _come_back(session: Session, access: Access, comparison: Comparison) -> Iterator[str]:
    """Yield names that an earlier schema used for something different, because its stored data would count for them."""
    added = [change.steps for change in comparison.changes if change.old is None]
    here = access.schema_version_id
    for id, number in sorted(access.reading.numbers.items(), key=lambda known: known[1]):
        if id == here:
            continue
        before, steps = stored_schema(session, id=id).schema_, access.reading.steps.get(id, ())
        for path in added:
            match path:
                case ("stages", stage, "criteria", name):
                    was: Sequence[Criterion | ItemField]
                    now: Sequence[Criterion | ItemField]
                    was, now = (criteria_of(schema, stage) for schema in (before, comparison.new))
                    names = [step.criteria for step in steps]
                case ("item", "fields", name):
                    was, now = before.item.fields, comparison.new.item.fields
                    names = [step.fields for step in steps]
                case _:
                    continue
            old = next((part for part in was if _name_now(part.name, names) == name), None)
            if old is not None and old != next((part for part in now if part.name == name), None):
                yield (
                    f"{'.'.join(path)}: version {number} had another {name}, and values stored under that name would "
                    "count for the new definition. Use another name, or restore the earlier definition."
                )


def _name_now(name: str, renamed: Sequence[Mapping[str, str]]) -> str:
    for names in renamed:
        name = names.get(name, name)
    return name


def _gold_asked_again(session: Session, access: Access, effect: Effect) -> Iterator[str]:
    """Yield right answers of gold checks that would no longer be possible."""
    answers = []
    about: Any = {"project_id": access.project_id}
    for stage, gold in (
        (place, gold) for place in ASKED_AGAIN for gold in changes.everything(session, **about, stage=place)
    ):
        for rule in effect.again:
            if not rule.concerns(stage):
                continue
            options = options_in(gold.answers.get(rule.criterion))
            if rule.which is Votes.WITH_VALUE and any(same(option, rule.value) for option in options):
                answers.append(f"{rule.criterion} is {rule.value}")
    for what, n in sorted(Counter(answers).items()):
        checks = "1 gold check says" if n == 1 else f"{n} gold checks say"
        yield (
            f"{checks} that {what}, but this answer is no longer possible. Withdraw "
            f"{'this gold check' if n == 1 else 'these gold checks'} first (`touchstone gold withdraw`)."
        )


def _named_elsewhere(session: Session, access: Access, comparison: Comparison, step: Step) -> Iterator[str]:
    """Yield names under which ratings of judges or from files are already stored for something different."""
    taken = set(step.criteria.values())
    added = {change.steps[3] for change in comparison.changes if change.row is sorts.ADDED_CRITERION}
    for other in sorted(changes.named_elsewhere(session, project_id=access.project_id), key=str):
        if other.by is not None and other.by.own_scale and other.now in step.criteria:
            yield (
                f"A reference metric already uses the name {other.now}. Keep the old name, and change the label "
                "instead."
            )
        elif other.now in taken:
            yield (
                f"Stored ratings from judges or imports already use the name {other.now} for an earlier criterion. "
                "Choose another name."
            )
        elif other.by is None and other.stored in taken | added and other.now not in (
            other.stored, *(before for before, after in step.criteria.items() if after == other.stored)
        ):  # fmt: skip
            yield (
                f"Imported ratings of {other.now} still use the old name {other.stored}, so these ratings would also "
                f"count for a new criterion {other.stored}. Choose another name for the new criterion."
            )


_WHY = {
    Stage.REFINEMENT.value: "refinements are already part of the items and",
    Stage.ANSWERING.value: "people's answers are stored with models' answers, may already have grades, and",
}


def _not_yet(comparison: Comparison) -> list[str]:
    """Return the changes that are not supported in a project in use, each with an advice."""
    problems = []
    for change in comparison.changes:
        stage = change.steps[1] if change.steps[0] == "stages" else None
        way = way_of(change)
        if way in (sorts.ASK_AGAIN, sorts.ASK_OLD_ITEMS) and stage not in ASKED_AGAIN:
            others = [
                other.option for other in change.row.decisions if other not in (sorts.ASK_AGAIN, sorts.ASK_OLD_ITEMS)
            ]
            problems.append(
                f"{change.path}: {_WHY.get(stage or '', 'this question')} cannot be asked again."
                f" Choose another decision: {' or '.join(others)}."
            )
    return problems


def all_have_a_place(session: Session, access: Access, past: StoredSchemaChange, reading: Rewording) -> None:
    """Raise ``ConflictError`` for an undo that removes a dimension with data, because the data would have no place."""
    there = {dimension.id for dimension in stored_schema(session, id=past.before_id).schema_.dimensions}
    about: Any = {"project_id": access.project_id, "before": past.after_id, "now": past.before_id, "reading": reading}
    for name, held in dimensions.once_called(session, **about).items():
        if name not in there:
            counted = zip(held, ("items", "being written", "in the pool"), strict=True)
            counts = ", ".join(f"{what}: {n:,}" for n, what in counted if n)
            raise ConflictError(
                f"You cannot undo the change. The dimension {name} is already in use ({counts}), but version "
                f"{reading.numbers[past.before_id]} of the schema does not have this dimension. Make a new version "
                "with the earlier dimensions instead, and choose a dimension for these items."
            )
