"""The interface of a kind of run, for the code that previews, starts, executes or stores runs.

``domain.run_kinds`` lists the kinds, and ``workflow.runs.askings`` has the ``RunFunctions`` of each.
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
from inference.spec import ModelPermissions, ModelSpec
from workflow.access.counted_items import Counting
from workflow.access.projects import Access

if TYPE_CHECKING:
    from media.store import MediaStore


class Asks(Protocol):
    """An object that makes questions from units."""

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        """Return the questions, in the order of the units."""


class Keep(Protocol):
    """A keeper that stores the results of attempts."""

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Do the slow preparation before the transaction that stores the attempts, so that no other process waits."""

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        """Keep attempts, given with their ids, in the transaction that writes them."""


@dataclass(frozen=True)
class RunFunctions:
    """The functions of a kind of run. ``Any`` is the kind's own plan. Heavy packages load only when a model is
    opened.
    """

    kind: RunKind
    check: Callable[[ModelSpec, Any], None]
    """Raise an error with a sentence for a plan that no worker could execute."""
    counted: Callable[[Session, Access, Any], Counting | None]
    """Return which items count; None if the plan names their states itself."""
    units: Callable[[Session, Access, Any], Sequence[Any]]
    """Return the units in order. Raises an error with a sentence if the plan selects none."""
    store_units: Callable[[Session, int, Sequence[Any]], list[int]]
    """Stores units of a run; their ids in order."""
    items_of: Callable[[Session, Sequence[int]], Mapping[int, int]]
    """The item that each unit is about."""
    described: Callable[[Schema, ModelSpec, Any], ModelSpec]
    """Return the description with the settings of the schema and the plan."""
    label: Callable[[ModelSpec, Any], str]
    """Return the name of the model or judge in tables."""
    open: Callable[[ModelSpec, Any, ModelPermissions], Answerer]
    ask: Callable[[Store, MediaStore, Schema, ModelSpec, Any, Path], Asks]
    keep: Callable[[Any], Keep]
    preview: Callable[..., Preview]
    """Preview the questions of a run (``workflow.runs.preview_run``)."""
