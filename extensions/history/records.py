"""Records of an item's history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from domain.records import AssetView
from domain.states import ItemState, Purpose, Stage


@dataclass(frozen=True)
class RevisionView:
    """A revision and its changes: field, earlier value, later value."""

    number: int
    by: str
    at: datetime
    changes: Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True)
class AnswerView:
    """A submission on an item."""

    label: str
    """A vote's label on the page of adjudication, if names are hidden; otherwise empty."""
    by: str
    at: datetime
    stage: Stage
    revision: int
    values: Mapping[str, Any]
    reasons: Mapping[str, Any]
    note: str
    seconds: float | None
    guideline: int | None
    counts: bool
    """False if a later submission of the same person replaced it."""
    corrects: bool
    """Whether it replaced an earlier submission."""
    about: str = ""
    """Grading: the model that gave the answer."""
    purpose: Purpose = Purpose.LIVE


@dataclass(frozen=True)
class Step:
    """An event in an item's history."""

    at: datetime
    by: str
    words: str
    kind: str = ""
    """The kind of the event."""


@dataclass(frozen=True)
class OriginStep:
    """A step in the creation of an item."""

    name: str
    facts: Sequence[tuple[str, str]]
    """Names and values of the known facts."""
    at: datetime | None = None
    by: str = ""
    """The person's name for this reader; empty if the person is not known."""


@dataclass(frozen=True)
class ItemHistory:
    """The complete stored history of an item."""

    project: str
    item: str
    name: str
    """The item's external ID."""
    title: str
    dimension: str
    state: ItemState
    author: str
    names_hidden: bool
    assets: Sequence[AssetView]
    revisions: Sequence[RevisionView]
    answers: Sequence[AnswerView]
    steps: Sequence[Step]
    origin: Sequence[OriginStep] = ()
    """The steps of its creation, in order."""
