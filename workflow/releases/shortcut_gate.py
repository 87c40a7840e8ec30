"""Shortcuts before a release (``export: shortcuts``): what rules and the classifier may come to, and what they do.

What is compared with a limit is what the page *Shortcuts* shows, of the items that count: those that are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib import metadata
from typing import Any

from annotation_schemas import model
from annotation_schemas.shortcuts import TITLES
from db.engine import Store
from domain.errors import InvalidInput, NotAvailable
from domain.states import Items
from reports.content import Figure
from workflow.access.projects import access_to
from workflow.releases.shortcuts import Shortcuts, shortcuts

LINE = "shortcuts"
"""The name of its line in the checklist."""
WITHIN, ABOVE, UNKNOWN, NONE = "within", "not within", "cannot be computed", "no options"
_BOUNDS = {
    "value": "",
    "low": ", by the lower end of its interval",
    "high": ", by the upper end of its interval",
}
_WORST = 3
"""So many of what is too much are told in a sentence."""


@dataclass(frozen=True)
class Limit:
    """What one of them may come to, and does."""

    name: str
    """Of ``annotation_schemas.shortcuts.TITLES``."""
    title: str
    at_most: float
    outcome: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def came_to(self) -> str:
        """What it came to, in words."""
        limits = "" if self.low is None or self.high is None else f" ({_percent(self.low)} to {_percent(self.high)})"
        return f"{self.title} {_percent(self.value)}{limits}, at most {_percent(self.at_most)}"


@dataclass(frozen=True)
class Gate:
    """How shortcuts stand before a release."""

    outcome: str
    """``within``, ``not within``, ``cannot be computed``, or ``no options``."""
    bound: str
    limits: Sequence[Limit] = ()
    chance: float | None = None
    items: int = 0
    left_out: int = 0
    """Items without options of which one is right."""
    without_source: int = 0
    flagged: int = 0
    flagged_at_most: float | None = None
    """As a share of the items."""
    score: float | None = None
    """Above which items are flagged; None: those that stand out from chance."""
    why: str = ""
    """Why it cannot be computed."""

    @property
    def met(self) -> bool:
        """Whether nothing stands against a release."""
        return self.outcome in (WITHIN, NONE)

    @property
    def too_many(self) -> bool:
        """Whether more items are flagged than may be."""
        return self.flagged_at_most is not None and self.flagged > self.flagged_at_most * self.items + _TIE

    @property
    def said(self) -> str:
        """How it stands, in a sentence without its full stop."""
        if self.outcome == UNKNOWN:
            return f"{UNKNOWN}: {self.why.rstrip('.')}"
        if self.outcome == NONE:
            return "no item that counts has options of which one is right, so there is none to look for"
        more = f"; {self.left_out:,} without options left out" if self.left_out else ""
        flagged = f"{self.flagged:,} of {self.items:,} items flagged"
        if self.outcome == WITHIN:
            return f"within every limit{_BOUNDS[self.bound]}; {flagged}{more}"
        over = [each for each in self.limits if each.outcome == ABOVE]
        over.sort(key=lambda each: each.at_most - (each.value or 0))
        told = [each.came_to for each in over[:_WORST]]
        told += [f"and {len(over) - _WORST:,} more"] if len(over) > _WORST else []
        told += [f"{flagged}, at most {_percent(self.flagged_at_most)}"] if self.too_many else []
        return f"not within{_BOUNDS[self.bound] if over else ''}: {'; '.join(told)}{more}"

    def as_json(self, *, figures: bool = True) -> dict[str, Any]:
        """As a manifest has it. Without ``figures``, where they would tell of keys that are private: of a rule that is
        always right everybody could read the keys."""
        told = asdict(self)
        if not figures:
            told = {name: value for name, value in told.items() if name not in ("flagged", "why")}
            told["limits"] = [
                {name: each[name] for name in ("name", "title", "at_most", "outcome")} for each in told["limits"]
            ]
        return {
            **{name: value for name, value in told.items() if value is not None and value != ""},
            "figures": "here" if figures else "private",
            "scikit_learn": _version(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Gate:
        """From what ``as_json`` gave."""
        known = {each.name: told[each.name] for each in fields(cls) if each.name in told}
        return cls(**{**known, "limits": [Limit(**each) for each in told.get("limits", ())]})


_TIE = 1e-9


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _version() -> str | None:
    try:
        return metadata.version("scikit-learn")
    except metadata.PackageNotFoundError:
        return None


# ---- how it stands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Looked:
    """What was found in a project, or why nothing could be."""

    found: Shortcuts | None
    why: str = ""


def looked(store: Store, *, project: str, items: Items | None = None) -> Looked:
    """What rules and the classifier come to, for anyone who has made sure that the person may see it.

    Raises ``NotAvailable`` where scikit-learn is not installed: that is of the machine, and not of the project.
    """
    try:
        return Looked(shortcuts(store, by=None, project=project, items_=items))
    except InvalidInput as error:
        return Looked(None, "; ".join(each.message for each in error.problems))


def gate_of(limits: model.Shortcuts, at: Looked) -> Gate:
    """How what was found stands to the limits of a schema."""
    about: dict[str, Any] = {"bound": limits.bound, "score": limits.score, "flagged_at_most": limits.flagged}
    if at.found is None:
        return Gate(UNKNOWN, why=at.why, **about)
    found = at.found
    about |= {"left_out": len(found.skipped)}
    if not found.items or found.chance is None:
        return Gate(NONE, **about)
    usual = found.chance + limits.above_chance
    own = [_limit(name, each, limits.at_most.get(name, usual), limits.bound) for name, each in found.by_name.items()]
    gate = Gate(
        WITHIN,
        limits=own,
        chance=found.chance,
        items=len(found.items),
        without_source=found.without_source,
        flagged=len(found.flagged),
        **about,
    )
    lacking = [each.title for each in own if each.outcome == UNKNOWN]
    if lacking:
        why = f"there is no interval of {', '.join(lacking)}; let `bound` be `value`"
        return replace(gate, outcome=UNKNOWN, why=why)
    over = gate.too_many or any(each.outcome == ABOVE for each in own)
    return replace(gate, outcome=ABOVE) if over else gate


def _limit(name: str, found: Figure, at_most: float, bound: str) -> Limit:
    reached = {"value": found.value, "low": found.low, "high": found.high}[bound]
    outcome = UNKNOWN if reached is None else ABOVE if reached > at_most + _TIE else WITHIN
    return Limit(name, TITLES[name], float(at_most), outcome, found.value, found.low, found.high, found.n_units)


def limits_of(store: Store, *, project: str) -> model.Shortcuts | None:
    """What the schema of a project says; None: nothing. For anyone who has made sure that the person may see it."""
    with store.read() as session:
        return access_to(session, person=None, project=project).schema.export.shortcuts


def of_project(store: Store, *, project: str) -> Gate | None:
    """How shortcuts stand in a project, worked out here; None: its schema sets no limits.

    For anyone who has made sure that the person may see it.
    """
    limits = limits_of(store, project=project)
    if limits is None:
        return None
    try:
        return gate_of(limits, looked(store, project=project))
    except NotAvailable as error:
        return gate_of(limits, Looked(None, str(error)))
