"""How someone is asked in runs of a kind. Whatever previews, starts, works on or keeps a run reads it.

``domain.run_kinds`` has the kinds, and ``workflow.runs.askings`` has the ``Asking`` of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from annotation_schemas.model import Schema
from db.engine import Session, Store
from db.records import StoredRun
from domain.run_kinds import RunKind
from domain.runs import Answerer, Attempt, Preview, Question
from inference.spec import Allowed, ModelSpec
from workflow.access.counted_items import Counting
from workflow.access.projects import Access

if TYPE_CHECKING:
    from media.store import MediaStore


class Asks(Protocol):
    """What makes questions of units."""

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        """The questions, in the order of the units."""


class Keep(Protocol):
    """Keeps what attempts have brought."""

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Do whatever keeping them takes that no one else has to wait for, before the transaction that stores them."""

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        """Keep attempts, given with their ids, in the transaction that writes them."""


@dataclass(frozen=True)
class Asking:
    """How someone is asked. ``Any`` is the kind's own plan. Nothing heavy is loaded before a model is opened."""

    kind: RunKind
    check: Callable[[ModelSpec, Any], None]
    """Refuses with a sentence what no worker could do."""
    counted: Callable[[Session, Access, Any], Counting | None]
    """Which items count; None where the plan names their states itself."""
    units: Callable[[Session, Access, Any], Sequence[Any]]
    """What is asked about, in order; refuses with a sentence where there is nothing."""
    store_units: Callable[[Session, int, Sequence[Any]], list[int]]
    """Stores units of a run; their ids in order."""
    items_of: Callable[[Session, Sequence[int]], Mapping[int, int]]
    """The item that each unit is about."""
    described: Callable[[Schema, ModelSpec, Any], ModelSpec]
    """The description with what schema and plan add to it."""
    label: Callable[[ModelSpec, Any], str]
    """What tables call anyone who is asked in this way."""
    open: Callable[[ModelSpec, Any, Allowed], Answerer]
    ask: Callable[[Store, MediaStore, Schema, ModelSpec, Any, Path], Asks]
    keep: Callable[[Any], Keep]
    preview: Callable[..., Preview]
    """Looks at what a run would ask (``workflow.runs.preview_run``)."""
