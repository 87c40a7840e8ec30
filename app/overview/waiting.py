"""List what waits for a lead on the page *Overview*: blockers, late work, and missing settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app import addresses, markup
from app.overview.sections import Chip, WaitingRow, of_project
from app.screens import SCREENS
from app.services import Services
from app.widgets import counts
from domain.item_counts import COUNTS
from domain.item_filter import ItemFilter
from domain.records import Blocker, Dashboard, DimensionProgress, ProjectView
from domain.states import Stage
from workflow.access.projects import role_for
from workflow.annotate.project_progress import ADD_IMAGES
from workflow.lead.setup_step import SetupStep
from workflow.releases import checklist as releases
from workflow.releases.extension_checks import ReleaseCondition

FIRST = 6
"""Number of dimensions shown next to a blocker. The others unfold."""
ORDER = {chip: place for place, chip in enumerate(Chip)}


def rows_of(
    services: Services, view: ProjectView, board: Dashboard, steps: Sequence[SetupStep] | None
) -> list[WaitingRow]:
    """Return the rows, what blocks first. ``steps`` lead to the first release; None after it."""
    begun = steps is None or all(step.done for step in steps if step.title == "First votes")
    waiting = [] if begun else [*_setup(view, steps or ())]
    waiting += blocked(board.rows, project=view.name)
    waiting += _adjudication(view, board)
    if begun:
        waiting += [_without_set(view, stage) for stage in board.without_set]
    waiting += [
        WaitingRow(Chip.CHECK, sentence, "Open gold checks", _page("gold", view)) for sentence in board.warnings
    ]
    for section in of_project(view):
        waiting += section.waiting(services, view) if section.waiting is not None else ()
    if begun:
        waiting += _grades(view, board)
        waiting += _release(services, view)
    return sorted(waiting, key=lambda row: ORDER[row.chip])


def _setup(view: ProjectView, steps: Sequence[SetupStep]) -> Iterator[WaitingRow]:
    for step in steps:
        if step.setup and not step.done and step.page in SCREENS:
            yield WaitingRow(
                Chip.MISSING, step.said, step.action or f"Open {step.title.lower()}", address(step, view.name)
            )


def blocked(rows: Sequence[DimensionProgress], *, project: str) -> list[WaitingRow]:
    """Return a row for each thing that keeps items, with the dimensions that have it."""
    by_place: dict[tuple[str, str], list[tuple[DimensionProgress, Blocker]]] = defaultdict(list)
    for row in rows:
        for blocker in row.stuck:
            by_place[blocker.about].append((row, blocker))
    return [
        _blocked(where, project)
        for where in sorted(by_place.values(), key=lambda where: -sum(blocker.n for _, blocker in where))
    ]


def _blocked(where: Sequence[tuple[DimensionProgress, Blocker]], project: str) -> WaitingRow:
    one = where[0][1]
    whole = one if len(where) == 1 else replace(one, n=sum(blocker.n for _, blocker in where), detail="")
    places = [_place(row, blocker, project, alone=len(where) == 1) for row, blocker in where]
    more = markup.tag(
        "details",
        markup.tag("summary", markup.text(f"and {markup.count(len(places) - FIRST, 'more dimension')}")),
        markup.joined(places[FIRST:], ", "),
    )
    parts = [markup.joined(places[:FIRST], ", "), *([more] if len(places) > FIRST else [])]
    href = addresses.page(SCREENS[one.page].path, project)
    if one.page == "items":
        href = counts.listed(ItemFilter(with_author=True), project)
    elif one.label == ADD_IMAGES:
        href = addresses.pool_images(project)
    return WaitingRow(Chip.BLOCKING if one.stops else Chip.CHECK, whole.sentence, one.label, href, markup.joined(parts))


def _place(row: DimensionProgress, one: Blocker, project: str, *, alone: bool) -> markup.Markup:
    href = counts.listed(ItemFilter(), project, row.dimension)
    link = markup.tag("a", markup.text(row.title), href=href, target="_self")
    return link if alone else markup.joined([link, markup.text(f" {one.n:,}{one.detail}")])


def _adjudication(view: ProjectView, board: Dashboard) -> Iterator[WaitingRow]:
    definition = COUNTS["in_adjudication"]
    n = definition.number(board.total)
    role = role_for(view.schema.schema_, Stage.ADJUDICATION)
    stuck = sum(blocker.n for row in board.rows for blocker in row.stuck if blocker.label == f"Add {role}")
    if n > stuck:
        one = n - stuck == 1
        sentence = f"{n - stuck:,} {'item waits' if one else 'items wait'} for a decision by a {role}."
        assert definition.items is not None
        yield WaitingRow(Chip.BEHIND, sentence, "Show items", counts.listed(definition.items, view.name))


def _without_set(view: ProjectView, stage: str) -> WaitingRow:
    sentence = f"The stage {stage} has no qualification set for the current guideline, so people cannot start."
    return WaitingRow(Chip.BLOCKING, sentence, "Make qualification set", _page("qualify", view))


def _grades(view: ProjectView, board: Dashboard) -> Iterator[WaitingRow]:
    if left := board.to_grade - board.graded:
        sentence = f"{left:,} of {markup.count(board.to_grade, 'grade')} {'is' if left == 1 else 'are'} missing."
        yield WaitingRow(Chip.BEHIND, sentence, "Show people", _page("scorecard", view))


_OF_RELEASE = {
    "comments": Chip.BEHIND,
    "exposure": Chip.CHECK,
    releases.RATERS: Chip.MISSING,
    "said": Chip.MISSING,
}
"""The lines of a release's checklist that no other row covers, with their chips."""


def _release(services: Services, view: ProjectView) -> Iterator[WaitingRow]:
    for line in releases.before(services.store, by=services.person, project=view.name):
        if not line.done and line.name in _OF_RELEASE and line.page in SCREENS:
            sentence = f"{line.said[:1].upper()}{line.said[1:]}."
            if line.name == "said":
                sentence = "The data has no license. A release needs a license."
            yield WaitingRow(_OF_RELEASE[line.name], sentence, line.action, address(line, view.name))


def address(line: SetupStep | ReleaseCondition, project: str) -> str:
    """Return the address of the page on which a line of a checklist is done, or of People if it has none."""
    if line.page not in SCREENS:
        return addresses.page(SCREENS["people"].path, project)
    return addresses.page(SCREENS[line.page].path, project, **line.asked)


def _page(name: str, view: ProjectView) -> str:
    """Return the address of a page, or of People where the page's extension is missing."""
    return addresses.page(SCREENS[name if name in SCREENS else "people"].path, view.name)


def table(rows: Sequence[WaitingRow]) -> markup.Markup:
    """Return the rows with their buttons. The first button is filled."""
    lines = [
        markup.tag(
            "li",
            markup.tag("span", markup.text(row.chip.value), style=f"ts-chip {_STYLES[row.chip]}"),
            markup.tag(
                "div",
                markup.text(row.sentence),
                *([markup.tag("div", row.detail, style="ts-small ts-quiet")] if row.detail else []),
            ),
            markup.tag(
                "a",
                markup.text(row.label),
                href=row.href,
                target="_self",
                style="ts-act" if at else "ts-act first",
            ),
        )
        for at, row in enumerate(rows)
    ]
    return markup.tag("ul", *lines, style="ts ts-waiting", data_part="waiting")


_STYLES = {Chip.BLOCKING: "blocking", Chip.BEHIND: "open", Chip.MISSING: "open", Chip.CHECK: ""}
