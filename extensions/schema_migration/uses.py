"""The amount of stored data that depends on a change of a project's schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Schema
from annotation_schemas.registry import criteria_of
from db import files, item_revisions, schema_changes
from db.engine import Session
from domain.comparison import same
from domain.rewording import options_in
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from extensions.schema_migration.changes import AffectedCounts, Change, Decisions
from extensions.schema_migration.changes import rows as sorts
from extensions.schema_migration.queries import changes, dimensions
from workflow.access.projects import Access


class StoredUses:
    """The stored data of a project, read on demand. The session reads it in the words of the old schema."""

    def __init__(self, session: Session, access: Access, new: Schema, decisions: Decisions) -> None:
        self.session, self.access, self.new = session, access, new
        renames = [rename for rename in decisions.renames if ":" not in rename.subject]
        named = [rename for rename in renames if rename.way in (sorts.RENAME_CRITERION, sorts.RENAME_FIELD)]
        self.before = {str(rename.target): rename.subject for rename in named}
        """Old names by the new ones: of a criterion that is called otherwise, changes have the new name."""
        self.before_of = {(rename.way, str(rename.target)): rename.subject for rename in renames}
        self.moved = {
            decision.subject.removeprefix("dimensions."): str(decision.target)
            for decision in decisions.made
            if decision.way in (sorts.RENAME_DIMENSION, sorts.MOVE_ITEMS)
        }
        """New dimensions by the old ones."""
        self._votes: dict[Stage, list[files.CountingVote]] = {}

    def behind(self, change: Change) -> AffectedCounts:
        """Return the uses behind a change (``extensions.schema_migration.changes.Uses``)."""
        match change.steps:
            case ("stages", stage, "criteria", name, *_):
                return self._of_criterion(change, Stage(stage), self.before.get(name, name))
            case ("stages", stage, *_):
                return self._of_stage(change, Stage(stage))
            case ("item", "fields", name, *_):
                return self._of_field(change, self.before.get(name, name))
            case ("item", "assets", role, *_) if change.row in (sorts.REMOVED_ASSET, sorts.RENAMED):
                return AffectedCounts(
                    items=dimensions.with_role(self.session, project_id=self.access.project_id, role=role)
                )
            case ("item", "assets", *_):
                return AffectedCounts(items=len(self.contents))
            case ("dimensions", name, *_):
                return self._of_dimension(self.before_of.get((sorts.RENAME_DIMENSION, name), name))
        return AffectedCounts()

    def _of_dimension(self, name: str) -> AffectedCounts:
        about: Any = {"project_id": self.access.project_id}
        counters = (dimensions.votes_in, dimensions.items_in, dimensions.in_hand)
        return AffectedCounts(*(counter(self.session, **about).get(name, 0) for counter in counters))

    def votes(self, stage: Stage) -> Sequence[files.CountingVote]:
        """Return the counting votes in a stage; in verification, those about items' present content."""
        if stage not in self._votes:
            about: dict[str, Any] = {"project_id": self.access.project_id, "stage": stage}
            self._votes[stage] = files.counting_votes(self.session, **about, as_they_stand=True)
        return self._votes[stage]

    @cached_property
    def contents(self) -> Mapping[int, dict[str, Any]]:
        """Return the present fields of all items."""
        return item_revisions.current_content(self.session, project_id=self.access.project_id)

    @cached_property
    def states(self) -> Mapping[ItemState, int]:
        """Return the number of items in each state."""
        return changes.states(self.session, project_id=self.access.project_id)

    def _of_criterion(self, change: Change, stage: Stage, name: str) -> AffectedCounts:
        cast = [vote.answers.get(name) for vote in self.votes(stage)]
        given = sum(value is not None for value in cast)
        if change.row in (sorts.REMOVED_OPTION, sorts.RENAMED) and len(change.steps) > 5:
            gone = change.old["value"] if isinstance(change.old, dict) else change.old
            return AffectedCounts(votes=sum(any(same(option, gone) for option in options_in(value)) for value in cast))
        if change.row is sorts.ADDED_CRITERION or change.row is sorts.ASKED_MORE:
            asked = next(
                criterion for criterion in criteria_of(self.new, stage.value) if criterion.name == change.steps[3]
            )
            silent = [
                vote
                for vote in self.votes(stage)
                if vote.answers.get(name) is None
                and (asked.dimensions is None or self.moved.get(vote.dimension, vote.dimension) in asked.dimensions)
            ]
            return AffectedCounts(votes=len(silent), items=len({vote.item_id for vote in silent}))
        if change.row is sorts.REMOVED_SKIP:
            return AffectedCounts(votes=len(cast) - given)
        return AffectedCounts(votes=given)

    def _of_stage(self, change: Change, stage: Stage) -> AffectedCounts:
        n, every = self.states, len(self.contents)
        if change.row is sorts.RATERS_RAISED and stage is Stage.VERIFICATION:
            decided = (ItemState.KEPT, ItemState.REJECTED, ItemState.IN_ADJUDICATION)
            return AffectedCounts(items=sum(n.get(state, 0) for state in decided))
        if change.row is sorts.RATERS_RAISED and stage in VERIFICATIONS:
            cast = Counter(vote.item_id for vote in self.votes(stage))
            return AffectedCounts(items=sum(votes >= change.old for votes in cast.values()))
        if change.row is sorts.RATERS_LOWERED and stage in VERIFICATIONS:
            return AffectedCounts(items=n.get(VOTED_ON[stage], 0))
        if change.row is sorts.ADDED_VERIFICATION:
            return AffectedCounts(items=every)
        if change.row is sorts.ADDED_ROUND:
            return AffectedCounts(items=n.get(ItemState.KEPT, 0))
        of = VERIFICATIONS if stage is Stage.ADJUDICATION and change.row is sorts.SETTLING else (stage,)
        counted = schema_changes.votes_by_version(self.session, project_id=self.access.project_id, as_they_stand=True)
        return AffectedCounts(votes=sum(n for (_, voted_stage), n in counted.items() if voted_stage in of))

    def _of_field(self, change: Change, name: str) -> AffectedCounts:
        values = [fields.get(name) for fields in self.contents.values()]
        if change.row is sorts.FIELD_NEEDED:
            return AffectedCounts(items=sum(value is None for value in values))
        if len(change.steps) > 4 and change.row in (sorts.REMOVED_VALUE, sorts.RENAMED):
            gone = change.old["value"] if isinstance(change.old, dict) else change.old
            return AffectedCounts(
                items=sum(any(same(option, gone) for option in options_in(value)) for value in values)
            )
        if change.row is sorts.FIELD_LIMITS:
            field = self.new.item.field(change.steps[2])
            row = kinds.of_field(field)
            wrong = [
                fields
                for fields in self.contents.values()
                if fields.get(name) is not None and row.check(field, fields[name], fields) is not None
            ]
            return AffectedCounts(items=len(wrong))
        return AffectedCounts(items=sum(value is not None for value in values))
