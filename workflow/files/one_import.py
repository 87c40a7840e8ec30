"""An import in progress: its target, its options and its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.losses import Losses
from annotation_schemas.formats import ColumnMapping
from db.engine import Store
from domain.records import BadRow, Person
from domain.runs import Outcome
from importers.items import MEND, refusal
from workflow.access.projects import Access
from workflow.results.file_raters import FileRater

if TYPE_CHECKING:
    from media.store import MediaStore

Progress = Callable[[str, int, int], None]
"""A callback with the current step ("reading", "media", "saving", "offering"), the number done, and the total."""


@dataclass(frozen=True)
class ImportSummary:
    """The result of an import."""

    items: int = 0
    predictions: int = 0
    ratings: int = 0
    tool_results: int = 0
    described: int = 0
    """The number of models with new attributes."""
    labelled: int = 0
    """Items likewise."""
    repeated: int = 0
    """Rows that were there already, word for word."""
    left: Sequence[BadRow] = ()
    """Rows whose items exist with other content and stay unchanged, because only new items were imported."""
    assets_found: int = 0
    assets_missing: int = 0
    """Media that items wait for."""
    assets_refused: int = 0
    """Number of these files that exist but are unsupported. Their rows are in ``bad``, with the reasons."""
    without_media: int = 0
    """The number of the file's items with such media."""
    missing: Sequence[str] = field(default=(), compare=False)
    """The first of the media that are missing, by name."""
    bad: Sequence[BadRow] = ()
    """Left out, because bad rows were to be skipped."""
    unanswered: Mapping[Outcome, int] = field(default_factory=dict)
    """The number of rows that declare a missing answer, by outcome."""
    instead: Mapping[str, int] = field(default_factory=dict)
    """The most frequent texts in place of these answers, such as "nan", with their counts."""
    note: str | None = field(default=None, compare=False)
    """A note about the files, such as a requirement of the schema."""
    warnings: Sequence[str] = field(default=(), compare=False)
    """Warnings about the imported rows, in sentences."""
    raters: Sequence[FileRater] = field(default=(), compare=False)
    """The raters of the file, with their present marks. They are not imported rows."""
    losses: Sequence[Losses] = field(default=(), compare=False)
    """The imported answers that were not readable."""


@dataclass(frozen=True)
class Import:
    """The options and the state that every part of an import shares."""

    store: Store
    media: MediaStore
    access: Access
    by: Person | None
    project: str
    path: Path
    dimension: str | None
    skip_bad: bool
    on: Progress
    new_only: bool = False
    """Import new items only, and keep existing items with other content. Otherwise such items make the import fail."""
    said: ColumnMapping | None = None
    """The column mapping of a file in an open format, if the schema does not give it."""
    part: str | None = None
    """The manifest's sentence about partial exports, if the files are a part of a project."""

    @property
    def by_id(self) -> int | None:
        """Return the id of the importing person; None for a command on the machine itself."""
        return self.by.id if self.by else None

    @property
    def hands(self) -> int:
        """Return the number of images that are stored at the same time.

        A command uses all cores and one more, because some images wait for the disk. A process that serves pages uses
        one.
        """
        return 1 if self.by else (os.cpu_count() or 1) + 1

    def refuse(self, bad: Sequence[BadRow], note: str | None = None) -> None:
        """Refuse the whole import if a row is bad, unless bad rows are to be skipped; ``note`` is about all of them."""
        if not bad or self.skip_bad:
            return
        raise refusal(bad, f"{note} {MEND}" if note else MEND)
