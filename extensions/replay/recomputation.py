"""The recomputation of a release from its evidence alone, with the original functions, and the comparison of every
figure.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.english import with_noun
from domain.errors import InvalidFileError, TouchstoneError
from domain.evidence import PrintedFigure
from domain.jobs import Progress, unheard
from extensions.replay.changed_files import ComparedEvidence, FileChange, recorded_of
from workflow.files.project_check import check
from workflow.releases.evidence import from_json, recomputing
from workflow.releases.printed_figures import Figures, Verdicts, figures_of

SHOWN = 1_000
"""The largest number of items and of figures that a page lists; files list all."""


@dataclass(frozen=True)
class VerdictChange:
    """An item whose recomputed verdict differs from the printed one; None if the item is missing on that side."""

    item: str
    printed: str | None
    recomputed: str | None


@dataclass(frozen=True)
class FigureComparison:
    """A printed figure and its recomputed value; None if the figure is missing on that side."""

    id: str
    printed: PrintedFigure | None
    recomputed: PrintedFigure | None

    @property
    def equal(self) -> bool:
        """Whether everything that was measured is the same: values, limits, counts, to the last digit."""
        return (
            self.printed is not None
            and self.recomputed is not None
            and self.printed.measured == self.recomputed.measured
        )


@dataclass(frozen=True)
class ReplayResult:
    """The result of recomputing a release."""

    project: str
    date: str
    items: int
    changed: Sequence[FileChange] = ()
    """Files that differ from the manifest."""
    moved: Sequence[VerdictChange] = ()
    figures: Sequence[FigureComparison] = ()
    without: Sequence[str] = ()
    """Parts that have no figure, each with the reason."""
    refused: str = ""
    """Why the release could not be recomputed."""
    notes: Sequence[str] = field(default=())

    @property
    def differing(self) -> list[FigureComparison]:
        """The figures that are not equal."""
        return [figure for figure in self.figures if not figure.equal]

    @property
    def ok(self) -> bool:
        """Return whether no file was changed and every figure was reproduced."""
        return not (self.changed or self.moved or self.differing or self.refused)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "project": self.project,
            "date": self.date,
            "ok": self.ok,
            "refused": self.refused or None,
            "changed": [
                {"path": change.path, "lines": list(change.lines), "why": change.why} for change in self.changed
            ],
            "items": self.items,
            "moved": [vars(figure) for figure in self.moved],
            "figures": [
                {
                    "id": figure.id,
                    "equal": figure.equal,
                    "printed": figure.printed.value if figure.printed else None,
                    "recomputed": figure.recomputed.value if figure.recomputed else None,
                }
                for figure in self.figures
            ],
            "without": list(self.without),
            "notes": list(self.notes),
        }


def replay(folder: Path, *, progress: Progress = unheard) -> ReplayResult:
    """Recompute everything that a release prints, from its evidence alone.

    The function writes only to a temporary folder. Changed files are named, and recomputed in their changed form. If
    the files no longer fit together, ``refused`` gives the reason.

    Raises
    ------
    InvalidFileError
        The folder holds no evidence that can be read.
    """
    with ComparedEvidence(folder) as evidence:
        progress("comparing files with their hashes", 0, 1)
        recorded = recorded_of(folder)
        changed = evidence.changed(recorded)
        known: dict[str, Any] = {
            "project": evidence.manifest["project"],
            "date": str(evidence.manifest.get("date", "")),
        }
        notes = (
            ()
            if recorded is not None
            else ("The manifest of the release is missing, so Touchstone read only the manifest of the evidence.",)
        )
        known |= {"changed": changed, "notes": notes}
        try:
            printed, released = (
                from_json(evidence.figures()),
                {row["item"]: row["verdict"] for row in evidence.verdicts()},
            )
            with tempfile.TemporaryDirectory(prefix="touchstone-replay-") as beside:
                progress("reading the evidence", 0, 1)
                with recomputing(folder, Path(beside), progress=progress) as (store, project):
                    return _recomputed(store, project, printed, released, known, progress)
        except InvalidFileError as error:
            if not changed:
                raise
            return ReplayResult(items=0, refused=str(error), **known)
        except (TouchstoneError, ValueError, KeyError, TypeError, AttributeError) as error:
            why = (
                str(error)
                if isinstance(error, TouchstoneError)
                else f"the rows of the evidence contradict each other ({error!r:.200})"
            )
            raise InvalidFileError(f"{evidence.name}: {why}. Nothing was recomputed.") from error


def _recomputed(
    store: Store,
    project: str,
    printed: Figures,
    said: dict[str, str],
    known: dict[str, Any],
    progress: Progress,
) -> ReplayResult:
    progress("working out verdicts", 0, 1)
    verdicts = Verdicts(store, project=project)
    recomputed = {verdict.item: verdict.verdict for verdict in verdicts}
    moved = [
        VerdictChange(item, said.get(item), recomputed.get(item))
        for item in {**said, **recomputed}
        if said.get(item) != recomputed.get(item)
    ]
    if moved:  # counts are recomputed from the verdicts, and not read from stored ones
        check(store, project=project, rebuild=True)
    counted = None if moved else verdicts.gates
    again = figures_of(
        store, project=project, counted=counted, progress=lambda part: progress(f"working out figures: {part}", 0, 1)
    )
    ids = {**printed.by_id, **again.by_id}
    figures = [FigureComparison(id, printed.by_id.get(id), again.by_id.get(id)) for id in ids]
    without = [f"{name}: {why}" for name, why in again.without.items()]
    return ReplayResult(items=len(recomputed), moved=moved, figures=figures, without=without, **known)


def in_words(found: ReplayResult, *, all_figures: bool = False) -> Iterator[str]:
    """Yield the result for people, a line for each finding. Equal figures are counted, or listed with
    ``all_figures``.
    """
    yield f"{found.project}, {found.date}"
    yield from found.notes
    for change in found.changed:
        yield f"changed: {change.sentence}"
    if not found.changed:
        yield "Every file of the evidence matches the manifest."
    if found.refused:
        yield f"not recomputed: {found.refused}"
        return
    yield f"Verdicts: {with_noun(found.items, 'item')}, {_of(len(found.moved), 'moves', 'move')}"
    for moved in found.moved[:SHOWN]:
        yield f"  {moved.item}: printed: {moved.printed or 'nothing'}; recomputed: {moved.recomputed or 'nothing'}"
    yield from _more(len(found.moved))
    wrong = found.differing
    yield f"Figures: {len(found.figures):,}, {_of(len(wrong), 'differs', 'differ')}"
    for figure in found.figures if all_figures else wrong[:SHOWN]:
        yield f"  {figure.id}: {_number(figure.printed)} printed, {_number(figure.recomputed)} recomputed" + (
            ", equal" if figure.equal else ""
        )
    yield from () if all_figures else _more(len(wrong))
    for line in found.without:
        yield f"Without figures: {line}"
    yield "All recomputed figures match the printed figures." if found.ok else "Not equal."


def _of(n: int, one: str, several: str) -> str:
    return "none " + one if n == 0 else f"{n:,} {one if n == 1 else several}"


def _more(n: int) -> Iterator[str]:
    if n > SHOWN:
        yield f"  and {n - SHOWN:,} more (list all with --json)"


def _number(told: PrintedFigure | None) -> str:
    """Return a figure with its limits and counts, unrounded."""
    if told is None:
        return "nothing"
    if told.value is None:
        return f"undefined ({told.reason})" if told.reason else "undefined"
    limits = "" if told.low is None or told.high is None else f" [{told.low!r}, {told.high!r}]"
    n = "" if told.n is None else f", n={told.n}"
    left_out = f", {told.left_out} left out" if told.left_out else ""
    return f"{told.value!r}{limits}{n}{left_out}"
