"""The release check *Shortcuts* (``export: shortcuts``): how often rules and the classifier may be right.

The check compares the numbers of the page *Shortcuts*, over the items that count (the kept ones), with the limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib import metadata
from typing import Any

from annotation_schemas import model
from db.engine import Store
from domain.english import with_noun
from domain.errors import InvalidInputError, NotAvailableError
from domain.states import Items
from extensions.shortcuts.schema_limits import TITLES
from extensions.shortcuts.text_shortcuts import TextShortcuts, find_text_shortcuts
from reports.content import Figure
from workflow.access.projects import Access, access_to

NAME = "shortcuts"
"""The name of the check."""
WITHIN, ABOVE, UNKNOWN, NONE = "within", "not within", "cannot be computed", "no options"
_BOUNDS = {
    "value": "",
    "low": ", judged by the lower end of the interval",
    "high": ", judged by the upper end of the interval",
}
_WORST = 3
"""The maximum number of rules above their limit that a sentence names."""


@dataclass(frozen=True)
class TextLimit:
    """The limit of one rule, and how often the rule is right."""

    name: str
    """A name of ``schema_limits.TITLES``."""
    title: str
    at_most: float
    outcome: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def came_to(self) -> str:
        """Return the share and its limit in words."""
        limits = "" if self.low is None or self.high is None else f" ({_percent(self.low)} to {_percent(self.high)})"
        return f"{self.title} {_percent(self.value)}{limits}, at most {_percent(self.at_most)}"


@dataclass(frozen=True)
class TextResult:
    """The result of the check."""

    outcome: str
    """``within``, ``not within``, ``cannot be computed``, or ``no options``."""
    bound: str
    limits: Sequence[TextLimit] = ()
    chance: float | None = None
    items: int = 0
    left_out: int = 0
    """The number of items without options or without a key among them."""
    without_source: int = 0
    flagged: int = 0
    flagged_at_most: float | None = None
    """A share of the items."""
    score: float | None = None
    """The score above which items are flagged. None if randomly drawn keys set the limit."""
    why: str = ""
    """The reason why the result cannot be computed."""

    @property
    def met(self) -> bool:
        """Return whether a release may be made."""
        return self.outcome in (WITHIN, NONE)

    @property
    def too_many(self) -> bool:
        """Return whether more items are flagged than the schema allows."""
        return self.flagged_at_most is not None and self.flagged > self.flagged_at_most * self.items + _TIE

    @property
    def said(self) -> str:
        """Return the result as a sentence without its full stop."""
        if self.outcome == UNKNOWN:
            return f"{UNKNOWN}: {self.why.rstrip('.')}"
        if self.outcome == NONE:
            return "no counted item has options with a key"
        more = f"; {with_noun(self.left_out, 'item')} without options excluded" if self.left_out else ""
        flagged = f"{self.flagged:,} of {with_noun(self.items, 'item')} flagged"
        if self.outcome == WITHIN:
            return f"within every limit{_BOUNDS[self.bound]}; {flagged}{more}"
        over = [limit for limit in self.limits if limit.outcome == ABOVE]
        over.sort(key=lambda limit: limit.at_most - (limit.value or 0))
        excesses = [limit.came_to for limit in over[:_WORST]]
        excesses += [f"and {len(over) - _WORST:,} more"] if len(over) > _WORST else []
        excesses += [f"{flagged}, at most {_percent(self.flagged_at_most)}"] if self.too_many else []
        return f"not within{_BOUNDS[self.bound] if over else ''}: {'; '.join(excesses)}{more}"

    @property
    def values(self) -> Mapping[str, float | None]:
        """Return the share of each rule, by its name."""
        return {limit.name: limit.value for limit in self.limits}

    def as_json(self, *, figures: bool = True) -> dict[str, Any]:
        """Return the manifest's entry. Leave out ``figures`` if keys are private: a rule that is always right would
        reveal them."""
        content = asdict(self)
        if not figures:
            content = {name: value for name, value in content.items() if name not in ("flagged", "why")}
            content["limits"] = [
                {name: limit[name] for name in ("name", "title", "at_most", "outcome")} for limit in content["limits"]
            ]
        return {
            **{name: value for name, value in content.items() if value is not None and value != ""},
            "figures": "here" if figures else "private",
            "scikit_learn": _version(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> TextResult:
        """Return the result that ``as_json`` wrote."""
        known = {field.name: told[field.name] for field in fields(cls) if field.name in told}
        return cls(**{**known, "limits": [TextLimit(**limit) for limit in told.get("limits", ())]})


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
class TextMeasurement:
    """The shortcuts in a project, or the reason why none can be found."""

    found: TextShortcuts | None
    why: str = ""


def measure_texts(store: Store, *, project: str, items: Items | None = None) -> TextMeasurement:
    """Return how often rules and the classifier are right. The caller checks that the person may see it.

    Raises ``NotAvailableError`` if scikit-learn is not installed, which depends on the machine and not on the project.
    """
    try:
        return TextMeasurement(find_text_shortcuts(store, by=None, project=project, items_=items))
    except InvalidInputError as error:
        return TextMeasurement(None, "; ".join(problem.message for problem in error.problems))


def compare_with_limits(limits: model.Shortcuts, at: TextMeasurement) -> TextResult:
    """Compare a measurement with the limits of a schema."""
    about: dict[str, Any] = {"bound": limits.bound, "score": limits.score, "flagged_at_most": limits.flagged}
    if at.found is None:
        return TextResult(UNKNOWN, why=at.why, **about)
    results = at.found
    about |= {"left_out": len(results.skipped)}
    if not results.items or results.chance is None:
        return TextResult(NONE, **about)
    usual = results.chance + limits.above_chance
    own = [
        _limit(name, figure, limits.at_most.get(name, usual), limits.bound) for name, figure in results.by_name.items()
    ]
    result = TextResult(
        WITHIN,
        limits=own,
        chance=results.chance,
        items=len(results.items),
        without_source=results.without_source,
        flagged=len(results.flagged),
        **about,
    )
    lacking = [limit.title for limit in own if limit.outcome == UNKNOWN]
    if lacking:
        why = f"{', '.join(lacking)} has no interval; set `bound` to `value`"
        return replace(result, outcome=UNKNOWN, why=why)
    over = result.too_many or any(limit.outcome == ABOVE for limit in own)
    return replace(result, outcome=ABOVE) if over else result


def _limit(name: str, found: Figure, at_most: float, bound: str) -> TextLimit:
    reached = {"value": found.value, "low": found.low, "high": found.high}[bound]
    outcome = UNKNOWN if reached is None else ABOVE if reached > at_most + _TIE else WITHIN
    return TextLimit(name, TITLES[name], float(at_most), outcome, found.value, found.low, found.high, found.n_units)


def limits_of(store: Store, *, project: str) -> model.Shortcuts | None:
    """Return the limits in a project's schema, or None. The caller checks that the person may see them."""
    with store.read() as session:
        return access_to(session, person=None, project=project).schema.export.shortcuts


def measure(store: Store, access: Access, schema_version: int | None = None) -> TextResult:
    """Return the result of the check, which no votes change. The caller checks that the person may see it."""
    limits = access.schema.export.shortcuts
    assert limits is not None, "the check applies only to schemas with limits"
    try:
        return compare_with_limits(limits, measure_texts(store, project=access.name))
    except NotAvailableError as error:
        return compare_with_limits(limits, TextMeasurement(None, str(error)))
