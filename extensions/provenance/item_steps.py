"""The steps that made each item of a release, with the pseudonyms of the people, for many items at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from annotation_schemas.formats.released import ReleasedItem, ReleasedStep
from db import releases
from db.engine import Session, Store
from db.releases import PlacedItem
from domain.errors import NotFoundError
from extensions.provenance import queries
from extensions.provenance.queries import RevisionStep, VoteStep
from workflow.releases.contents import Contents
from workflow.releases.evidence import names_in

_AT_ONCE = 500
_KEPT = 2
"""Lots that are held: writers look one item ahead."""

MACHINE = "touchstone"
"""The name for a step without an account: a command or a bulk change."""
IMPORT, WRITTEN, EDIT = "import", "authoring", "edit"
"""What made a revision: a file, an author, or a later edit."""


@dataclass
class Steps:
    """The steps of a release's items, without steps after the release or about a later revision."""

    store: Store
    placed: Sequence[PlacedItem]
    until: datetime | None
    """The last moment of the release; None for a project without events."""
    names: Callable[[], Mapping[int, str]]
    """Gives everyone's pseudonym by person id; asked once, and only if someone asks for steps."""
    _lots: dict[int, dict[int, list[ReleasedStep]]] = field(default_factory=dict)

    def of(self, item: ReleasedItem) -> Sequence[ReleasedStep]:
        """Return the steps of an item, oldest first."""
        try:
            place = self._places[item.id]
        except KeyError:
            raise NotFoundError(f"This release has no item {item.id!r}. Check the item ID.") from None
        lot = place // _AT_ONCE
        if lot not in self._lots:
            while len(self._lots) >= _KEPT:
                del self._lots[next(iter(self._lots))]
            with self.store.read() as session:
                self._lots[lot] = self._read(session, self.placed[lot * _AT_ONCE : (lot + 1) * _AT_ONCE])
        return self._lots[lot].get(self.placed[place].item_id, [])

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """Return the position of every item in the release, by its id in files."""
        places: dict[str, int] = {}
        with self.store.read() as session:
            for first in range(0, len(self.placed), _AT_ONCE):
                lot = self.placed[first : first + _AT_ONCE]
                names = releases.names(session, item_ids=[row.item_id for row in lot])
                places |= {names[row.item_id][0]: first + place for place, row in enumerate(lot)}
        return places

    @cached_property
    def _people(self) -> Mapping[int, str]:
        return self.names()

    def _read(self, session: Session, lot: Sequence[PlacedItem]) -> dict[int, list[ReleasedStep]]:
        ids = [row.item_id for row in lot]
        upto = {row.item_id: row.revision for row in lot}
        revised = [
            revision for revision in queries.revised(session, item_ids=ids) if revision.number <= upto[revision.item_id]
        ]
        votes = [
            decision
            for decision in queries.votes_and_decisions(session, item_ids=ids)
            if decision.revision <= upto[decision.item_id] and (self.until is None or decision.at <= self.until)
        ]
        corrected = {vote.supersedes_id for vote in votes}
        votes = [vote for vote in votes if vote.id not in corrected]
        importers = queries.importers(session, item_ids=ids)
        schemas = queries.schemas(session, ids=sorted(_under(revised, votes)))
        steps_by_item: dict[int, list[tuple[int, datetime, ReleasedStep]]] = {id: [] for id in ids}
        for made in revised:
            steps_by_item[made.item_id].append((made.number, made.at, self._revision(made, importers, schemas)))
        for vote in votes:
            steps_by_item[vote.item_id].append((vote.revision, vote.at, self._said(vote, schemas)))
        # a revision is made before anyone can say something about it, whatever the clocks say
        return {
            id: [step for *_, step in sorted(steps, key=lambda each: (each[0], not each[2].makes, each[1]))]
            for id, steps in steps_by_item.items()
        }

    def _revision(
        self, made: RevisionStep, importers: Mapping[int, int], schemas: Mapping[int, tuple[str, int, str]]
    ) -> ReleasedStep:
        first = made.number == 1
        who = made.editor_id if made.editor_id is not None or not first else importers.get(made.item_id)
        stage = (IMPORT if made.editor_id is None else WRITTEN) if first else EDIT
        return self._step(stage, who, made.at, made.number, schemas[made.schema_id], makes=True)

    def _said(self, vote: VoteStep, schemas: Mapping[int, tuple[str, int, str]]) -> ReleasedStep:
        return self._step(vote.stage.value, vote.person_id, vote.at, vote.revision, schemas[vote.schema_id])

    def _step(
        self,
        stage: str,
        who: int | None,
        at: datetime,
        revision: int,
        schema: tuple[str, int, str],
        *,
        makes: bool = False,
    ) -> ReleasedStep:
        name, version, sha256 = schema
        return ReleasedStep(
            stage=stage,
            by=MACHINE if who is None else self._people[who],
            at=at.isoformat(),
            revision=revision,
            makes=makes,
            person=who is not None,
            schema=f"{name} {version}",
            schema_sha256=sha256,
        )


def _under(revised: Sequence[RevisionStep], said: Sequence[VoteStep]) -> set[int]:
    """Return the ids of the schemas under which the steps were done."""
    return {revision.schema_id for revision in revised} | {vote.schema_id for vote in said}


def history_of(contents: Contents, version: str, date: str) -> Callable[[ReleasedItem], Sequence[ReleasedStep]]:
    """Return the function that returns the steps of an item of this release."""
    store, access = contents.store, contents.access
    release = f"{access.name}/{version.partition('.')[0]}"  # point releases call people as the release does

    def names() -> Mapping[int, str]:
        with store.read() as session:
            also = queries.who_imported(session, project_id=access.project_id)
        return names_in(store, project=access.name, release=release, also=also)

    return Steps(store, contents.placed, datetime.fromisoformat(date) if date else None, names).of
