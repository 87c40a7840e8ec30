"""The register of the sections of results: parts below the table of models, on the page *Results* and in
``touchstone result show``.

Core has the table itself. Each section of an extension works out figures of its own from the same read, and shows them
on the page, in texts and in files. The page's sections of core are in ``app.results.sections``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from domain.evidence import PrintedFigure
from domain.records import ProjectView
from domain.states import Items
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.project_answers import ProjectAnswers
from workflow.results.slices import Bins

if TYPE_CHECKING:
    from workflow.results.leaderboard_page import Leaderboard, Leaderboards

Options = Mapping[str, Any]
"""What was asked for: the values of options of ``touchstone result show``, by the names of the options."""


@dataclass(frozen=True, eq=False)
class ResultsPage:
    """The figures and settings that the page *Results* shows."""

    view: ProjectView
    found: Leaderboards
    chosen: Leaderboard | None
    """The chosen way of scoring; None if nothing scores answers."""
    common: bool
    bins: Bins
    items: Items | None

    def figures_of_board(self, name: str) -> Any:
        """Return a section's figures of the chosen way of scoring."""
        return None if self.chosen is None else self.chosen.sections.get(name)


class ResultSection:
    """A section of results. Extensions override what their section has.

    Figures must be values that ``domain.typed_json`` writes. Import modules of ``app`` where the section is drawn.
    """

    name: str
    place: int
    """The order of sections on the page and in texts. Core's are at 20, 30 and 40."""
    option: str = ""
    """The option of ``touchstone result show`` that asks for the section; empty if the section is always there."""
    printed: str = ""
    """The beginning of the ids of the section's figures in the evidence of releases; empty if it has none."""
    without_scores: bool = False
    """Whether the section also stands where nothing scores answers."""
    chooses: bool = False
    """Whether ``choose`` draws a setting."""

    # ---- figures

    def of_boards(self, read: ProjectAnswers, boards: Sequence[SlicedScores], options: Options) -> Sequence[Any]:
        """Return the figures of each way of scoring; None for none."""
        return [None] * len(boards)

    def of_project(self, store: Store, read: ProjectAnswers, *, together: str | None, key_only: bool) -> Any:
        """Return the figures that belong to no single way of scoring; None for none.

        ``together`` names the clusters for intervals. ``key_only``: only scores against the key are asked for.
        """

    def further_lines(self, of_board: Any) -> Sequence[LeaderboardLine]:
        """Return the lines that the section adds below a table in files."""
        return ()

    def printed_figures(self, of_project: Any) -> Iterable[PrintedFigure]:
        """Yield the section's figures for the evidence of releases."""
        return ()

    # ---- the page

    def choose(self, view: ProjectView, attributes: Sequence[str]) -> Any:
        """Draw the setting of the page for ``option`` and return its value. ``attributes`` are those of models."""

    def draw(self, page: ResultsPage) -> None:
        """Draw the section if there is anything to show."""

    # ---- the command

    def alone(self, read: ProjectAnswers, boards: Sequence[SlicedScores], *, by: str, form: str) -> str | None:
        """Return what the command prints instead of everything else, as ``table``, ``csv`` or ``json``; None for no
        such output.
        """
        return None

    def remarks(self, of_project: Any, value: Any, *, form: str) -> Iterable[str]:
        """Yield sentences for stderr, and write the file that ``value``, the value of ``option``, may name."""
        return ()

    def notes(self, of_board: Any, board: SlicedScores) -> Iterable[str]:
        """Yield the sentences that end the notes on a table."""
        return ()

    def rows(self, of_board: Any, board: SlicedScores) -> Iterable[str]:
        """Yield the lines that stand below the notes on a table."""
        return ()

    def ending(self, of_project: Any) -> Iterable[str]:
        """Yield the lines that stand below all tables."""
        return ()

    def json_of_board(self, of_board: Any) -> Mapping[str, Any]:
        """Return what the section adds to a board in JSON."""
        return {}

    def json(self, of_project: Any) -> Mapping[str, Any]:
        """Return what the section adds to the JSON."""
        return {}


def sections() -> list[ResultSection]:
    """Return the sections of all extensions, in order."""
    all_sections: list[ResultSection] = extensions.rows("result_sections")
    return sorted(all_sections, key=lambda section: section.place)


def further_lines(of_board: Mapping[str, Any]) -> list[LeaderboardLine]:
    """Return the lines that sections add below a table in files. ``of_board`` has the figures by section."""
    return [line for section in sections() for line in section.further_lines(of_board.get(section.name))]


def json_of_board(of_board: Mapping[str, Any]) -> dict[str, Any]:
    """Return what sections add to a board in JSON. ``of_board`` has the figures by section."""
    return {
        key: value for section in sections() for key, value in section.json_of_board(of_board.get(section.name)).items()
    }


def asked_by(option: str) -> ResultSection:
    """Return the section that an option asks for.

    Raises
    ------
    NotAvailableError
        The extension with the section is not installed.
    """
    for section in sections():
        if section.option == option:
            return section
    missing = extensions.missing("options", f"result show {option}")
    raise NotAvailableError(
        missing
        or f"No installed extension has the results option {option}. Install the extension, or remove the option."
    )
