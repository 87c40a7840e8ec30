"""Every figure that a release prints, each with a stable id and the rows that prove it.

The figures come from the functions behind `touchstone agreement show`, `calibration run` and `result show`, in a store
that holds only a release's evidence. So the release and any recomputation use the same code, on the same rows, in the
same order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agreement.summary import Result
from annotation_schemas import reporting
from db import answers
from db.engine import Store
from domain import extensions
from domain.errors import NotFoundError, TouchstoneError
from domain.evidence import VERDICTS, PrintedFigure, RowSelection, table_path
from domain.states import Cut, Stage
from workflow.access.projects import Access, access_to
from workflow.files.exposures import report_of
from workflow.files.gate_counts import GateCounts, gates
from workflow.files.project_check import judged
from workflow.releases.extension_checks import checks_of, missing_checks
from workflow.results import result_sections
from workflow.results.dimension_means import agreement_of_levels, agreement_of_means
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.leaderboard_page import leaderboards
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import RATED, raters_of

_ODD = re.compile(r"[^A-Za-z0-9_+=<>-]+")
_BASIS = frozenset({"items", "sample", "schema", "scale", "scale_inferred", "answers", "tolerance"})
"""Arguments of a line of agreement that only describe the state of the project."""

ANSWERS, RATINGS, REPLIES, READ = (
    table_path(name) for name in ("prediction", "imported_rating", "judgement", "reading")
)
SUBMITTED, ITEMS = table_path("annotation"), table_path("item")


@dataclass(frozen=True)
class Figures:
    """The computed figures, and the parts that could not be computed."""

    told: Sequence[PrintedFigure]
    without: Mapping[str, str] = field(default_factory=dict)
    """The reason for each part without figures, such as ``judges.grading``."""

    def get(self, id: str) -> PrintedFigure:
        """Return the figure with this id. Raises ``NotFoundError``, which lists similar ids."""
        figure = self.by_id.get(id)
        if figure is None:
            near = [known for known in self.by_id if known.startswith(id.rpartition(".")[0])][:5]
            raise NotFoundError(
                f"There is no figure {id!r}. Check the figure's ID."
                + (f"; similar figures: {', '.join(near)}." if near else ".")
            )
        return figure

    def of(self, prefix: str) -> list[PrintedFigure]:
        """Return all figures whose ids begin with a prefix, such as ``agreement.verification``."""
        return [figure for figure in self.told if figure.id == prefix or figure.id.startswith(f"{prefix}.")]

    @property
    def by_id(self) -> Mapping[str, PrintedFigure]:
        """Every figure by its id."""
        return {figure.id: figure for figure in self.told}


@dataclass(frozen=True)
class ItemVerdict:
    """The verdict of the votes on an item."""

    item: str
    verdict: str
    stage: str
    why: str

    def as_json(self) -> dict[str, str]:
        """Return the verdict as a line of ``verdicts.jsonl``."""
        return {"item": self.item, "verdict": self.verdict, "stage": self.stage, "why": self.why}


class Verdicts:
    """An iterator over the recomputed verdicts of a project, in the order in which items came.

    After the last item, ``gates`` holds the number of items at each gate.
    """

    def __init__(self, store: Store, *, project: str) -> None:
        self._store, self._project = store, project
        self.gates: Mapping[str, Any] | None = None
        """The result of ``workflow.files.project_check.gates``; None before the end."""

    def __iter__(self) -> Iterator[ItemVerdict]:
        with self._store.read() as session:
            access = access_to(session, person=None, project=self._project)
            counted = GateCounts(access)
            for lot in judged(session, access):
                for row in lot:
                    counted.take(row)
                    verdict = row.verdict
                    yield ItemVerdict(row.external_id, verdict.state.value, verdict.stage.value, verdict.why)
            self.gates = counted.told(session)


def figures_of(
    store: Store,
    *,
    project: str,
    counted: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] = lambda part: None,
) -> Figures:
    """Return every figure of a project, in a fixed order. A part that cannot be measured gives its reason.

    ``counted`` are the project's gates (``Verdicts.gates``), if they are known.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
    printed: list[PrintedFigure] = []
    without: dict[str, str] = {}

    def part(name: str, made: Callable[[], Iterable[PrintedFigure]]) -> None:
        progress(name)
        try:
            printed.extend(made())
        except TouchstoneError as error:
            without[name] = str(error)

    part("gates", lambda: _counts("gates", _gates(store, access) if counted is None else counted))
    for stage in RATED:
        if getattr(access.schema.stages, stage.value) is None:
            continue
        raters = raters_of(store, person=None, project=project, stage=stage)
        if raters.people or raters.machines:
            part(f"agreement.{stage.value}", lambda at=stage: _agreement(store, access, at))  # type: ignore[misc]
        if stage is Stage.GRADING and raters.have_means():
            part("means", lambda: _means(store, access))
        for name, figures in extensions.rows("stage_figures") if raters.people or raters.machines else ():
            part(f"{name}.{stage.value}", lambda figures=figures, at=stage, of=raters: figures(store, access, at, of))  # type: ignore[misc]
    part("leaderboard", lambda: _leaderboard(store, access))
    for check in checks_of(access.schema):
        part(check.path, lambda figures=check.told: figures(store, access))  # type: ignore[misc]
    without |= missing_checks(access.schema) | extensions.all_missing("stage_figures")
    without |= {f"judges.{key}": why for key, why in extensions.all_missing("report_sections").items()}
    without |= extensions.all_missing("printed_figures")
    part("exposure", lambda: _exposure(store, access))
    return Figures(_with_own_ids(printed), without)


# ---- the parts -------------------------------------------------------------------------------------------------------


def _gates(store: Store, access: Access) -> Mapping[str, Any]:
    with store.read() as session:
        return gates(session, access=access)


def _exposure(store: Store, access: Access) -> Iterator[PrintedFigure]:
    """Yield the number of votes with a complete exposure record, and the number with a faulty exposure."""
    with store.read() as session:
        report = report_of(session, access=access)
    for stage in report.stages:
        counted = {"votes": stage.votes, "known": stage.complete, "faulty": stage.faulty}
        yield from _counts(f"exposure.{stage.stage.value}", counted)


def _counts(prefix: str, counted: Mapping[str, Any]) -> Iterator[PrintedFigure]:
    for name, value in counted.items():
        id = f"{prefix}.{slug(name)}"
        if isinstance(value, Mapping):
            yield from _counts(id, value)
        elif isinstance(value, int | float | str) and not isinstance(value, bool):
            state = {"verdict": name} if name in ("kept", "rejected") and prefix == "gates" else {}
            title = f"Items: {name.replace('_', ' ')}"
            yield PrintedFigure(id, title, value, rows=[RowSelection(VERDICTS, state), *votes_of(Stage.VERIFICATION)])


def _agreement(store: Store, access: Access, stage: Stage) -> Iterator[PrintedFigure]:
    """Yield the agreement statistics that the schema names, over all items and for each dimension of its report."""
    named = reporting.agreement_first(access.schema)
    cuts = [Cut.WHOLE, *([cut] if (cut := reporting.cut_first(access.schema)) not in (None, Cut.WHOLE) else [])]
    for by in cuts:
        agreement = agreement_of(
            store,
            person=None,
            project=access.name,
            stage=stage,
            by=by,
            statistics=reporting.with_means(named) if named else (),
        )
        rows = [*votes_of(stage), RowSelection(RATINGS, {"stage": stage.value})]
        yield from _results(f"agreement.{stage.value}", agreement, rows)


def _means(store: Store, access: Access) -> Iterator[PrintedFigure]:
    named = reporting.agreement_first(access.schema)
    rows = [*votes_of(Stage.GRADING), RowSelection(RATINGS, {"stage": Stage.GRADING.value}), RowSelection(REPLIES)]
    about: dict[str, Any] = {"person": None, "project": access.name}
    statistics = reporting.with_means(named) if named else ()
    yield from _results("means", agreement_of_means(store, **about, statistics=statistics), rows)
    yield from _results("levels", agreement_of_levels(store, **about), rows)


def _results(prefix: str, found: Sequence[Result], rows: Sequence[RowSelection]) -> Iterator[PrintedFigure]:
    """Yield lines of agreement as figures. A criterion with one pair of raters does not name the pair."""
    pairs: dict[str, set[tuple[str, ...]]] = {}
    for result in found:
        pairs.setdefault(result.criterion, set()).update([tuple(result.args["pair"])] if "pair" in result.args else [])
    for result in found:
        yield _result(prefix, result, rows, alone=len(pairs[result.criterion]) == 1)


def _result(prefix: str, each: Result, rows: Sequence[RowSelection], *, alone: bool) -> PrintedFigure:
    pair = None if alone else each.args.get("pair")
    asked = {name: value for name, value in each.args.items() if name not in _BASIS and name != "pair"}
    if asked.get("weights") == "none":
        del asked["weights"]
    plain = [f"{name}={value}" for name, value in sorted(asked.items()) if value is not None]
    variant = "-".join([*plain, *(["+".join(map(str, pair))] if pair else [])])
    where = "all" if each.dimension is None else each.dimension or "none"
    parts = [each.criterion, each.statistic, *([variant] if variant else []), where]
    title = f"{each.title}, {each.criterion}" + (
        "" if each.dimension is None else f", {each.dimension or 'no dimension'}"
    )
    return PrintedFigure(
        ".".join([prefix, *map(slug, parts)]),
        title,
        each.value,
        each.low,
        each.high,
        each.n_units,
        each.n_left_out,
        each.method,
        each.reason,
        rows,
    )


def _leaderboard(store: Store, access: Access) -> Iterator[PrintedFigure]:
    with store.read() as session:
        if not answers.count(session, project_id=access.project_id):
            return  # without answers, do not read every item in vain
    by = reporting.cut_first(access.schema)
    page = leaderboards(store, project=access.name, by=by.value if by in (Cut.DIMENSION, Cut.GROUP) else "dimension")
    for board in page.of.values():
        for line in board.board.lines():
            yield _line(line)
    for section in result_sections.sections():
        yield from section.printed_figures(page.sections[section.name])


def _line(line: LeaderboardLine) -> PrintedFigure:
    row, scores = line.as_row(), line.scores
    option = None if scores.iou is None else f"iou-{scores.iou:g}"
    by = [name for name in (scores.kind, scores.criterion, scores.judge, scores.method, scores.option, option) if name]
    part = "mean_of_parts" if line.over == "parts" else "all" if line.part is None else line.part or "none"
    rows = [RowSelection(ANSWERS, {"model": line.model}), RowSelection(ITEMS, {"state": "kept"})]
    rows += [RowSelection(READ)] if scores.kind == "key" else votes_of(Stage.GRADING)
    rows += [RowSelection(REPLIES, {"criterion": scores.criterion})] if scores.kind in ("judge", "corrected") else []
    return PrintedFigure(
        ".".join(map(slug, ("leaderboard", "-".join(map(str, by)), line.model, part))),
        f"{line.model}: {scores.title}" + ("" if part == "all" else f", {part}"),
        row["value"],
        row["low"],
        row["high"],
        row["n"],
        row["left_out"],
        row["interval"] or "",
        row["reason"],
        rows,
    )


# ---- ids -------------------------------------------------------------------------------------------------------------


def votes_of(stage: Stage) -> list[RowSelection]:
    """Return the submissions of a stage, as rows behind figures."""
    return [RowSelection(SUBMITTED, {"stage": stage.value})]


def slug(text: Any) -> str:
    """Return a text as a part of an id, without dots and spaces."""
    return _ODD.sub("-", str(text)).strip("-") or "none"


def _with_own_ids(told: Sequence[PrintedFigure]) -> list[PrintedFigure]:
    """Return the figures with unique ids. A repeated id gets a hash of the figure's title."""
    printed_figures: dict[str, PrintedFigure] = {}
    for figure in told:
        id, n = figure.id, 1
        while id in printed_figures:
            digest = hashlib.sha256(f"{figure.title}/{n}".encode()).hexdigest()[:8]
            id, n = f"{figure.id}~{digest}", n + 1
        printed_figures[id] = figure if id == figure.id else PrintedFigure(**{**vars(figure), "id": id})
    return list(printed_figures.values())
