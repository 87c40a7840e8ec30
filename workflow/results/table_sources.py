"""What an extension gets and returns that adds a source of numbers to tables (register ``table_sources``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from agreement.statistic import Statistic
from workflow.results.project_answers import Read


class CellSettings(Protocol):
    """What a layout says of a cell."""

    judge: str | None
    criterion: str | None
    form: str | None
    part: str | None


class TableProject(Protocol):
    """The project whose numbers are put into tables."""

    @property
    def read(self) -> Read:
        """Return the project's answers."""

    def judges(self) -> Sequence[str]:
        """Return the judges that have rated answers."""

    def judge(self, name: str | None) -> str:
        """Return the judge of that name; without a name, the usual one."""

    def make_once(self, place: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return the result of ``make``, computed once for all cells with this ``place``."""


TableSource = Callable[[TableProject, CellSettings], Statistic | str]
"""Returns a cell's number, or a sentence with the reason for a missing one."""
