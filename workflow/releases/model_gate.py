"""What models get right without images, before a release (``export: shortcuts: without_images``): how many items they
flag, and how many may be.

An item of which it is not known whether it would be flagged counts neither way: where so many are left that they could
make the difference, nothing is said of the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from annotation_schemas import model
from db.engine import Store
from workflow.releases.asked_shortcuts import WITHOUT
from workflow.releases.shortcut_gate import ABOVE, NONE, UNKNOWN, WITHIN, limits_of
from workflow.releases.shortcut_models import ShortcutModels, shortcut_models

LINE = "without_images"
"""The name of its line in the checklist, and in the manifest below ``shortcuts``."""
_TIE = 1e-9


@dataclass(frozen=True)
class AskedModel:
    """A model that was asked without images, and in which share of the items it is right in all orders."""

    model: str
    items: int
    orders: int
    """In so many orders of options at most."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Items that were asked in enough orders."""
    chance: float | None = None
    """What that share would be if options were drawn blindly."""


@dataclass(frozen=True)
class ModelGate:
    """How many items models flag before a release."""

    outcome: str
    """``within``, ``not within``, ``cannot be computed``, or ``no options``."""
    at_most: float
    """As a share of the items."""
    orders: int
    wanted_models: int
    items: int = 0
    flagged: int = 0
    unsettled: int = 0
    """Of so many items it is not known whether they would be flagged."""
    models: Sequence[AskedModel] = ()

    @property
    def met(self) -> bool:
        """Whether nothing stands against a release."""
        return self.outcome in (WITHIN, NONE)

    @property
    def said(self) -> str:
        """How it stands, in a sentence without its full stop."""
        if self.outcome == NONE:
            return "no item that counts has options of which one is right, so there is none to ask"
        by = "one model" if self.wanted_models == 1 else f"{self.wanted_models} models"
        lacking = (
            f"{self.unsettled:,} of {self.items:,} items were not asked of {by} in {self.orders} orders without "
            "images, or no reply came"
        )
        if self.outcome == UNKNOWN:
            return f"{UNKNOWN}: {lacking}; touchstone run shortcut asks them"
        share = 100 * self.flagged / self.items
        told = (
            f"{self.flagged:,} of {self.items:,} items ({share:.1f} %) are right without images in all orders by {by}"
        )
        more = f"; {lacking}" if self.unsettled else ""
        return f"{self.outcome}: {told}, at most {100 * self.at_most:.1f} %{more}"

    def as_json(self, *, figures: bool = True) -> dict[str, Any]:
        """As a manifest has it. Without ``figures``, where they would tell of keys that are private."""
        told = asdict(self)
        if not figures:
            told = {name: each for name, each in told.items() if name not in ("flagged", "unsettled")}
            told["models"] = [{name: each[name] for name in ("model", "items", "orders")} for each in told["models"]]
        told["models"] = [{name: value for name, value in each.items() if value is not None} for each in told["models"]]
        return {**told, "figures": "here" if figures else "private"}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> ModelGate:
        """From what ``as_json`` gave."""
        known = {each.name: told[each.name] for each in fields(cls) if each.name in told}
        return cls(**{**known, "models": [AskedModel(**each) for each in told.get("models", ())]})


def gate_of(limits: model.Shortcuts | None, found: ShortcutModels) -> ModelGate | None:
    """How what models get right stands to the limit of a schema; None: it sets none."""
    if limits is None or limits.without_images is None:
        return None
    most = limits.without_images * found.items + _TIE
    flagged, unsettled = len(found.flagged), len(found.unsettled)
    outcome = ABOVE if flagged > most else UNKNOWN if flagged + unsettled > most else WITHIN
    models = []
    for each in found.models:
        if each.condition == WITHOUT:
            at = each.all_right
            figures = (at.value, at.low, at.high, at.n_units, each.chance)
            models.append(AskedModel(each.model, each.items, each.orders, *figures))
    return ModelGate(
        outcome if found.items else NONE,
        float(limits.without_images),
        found.orders,
        found.wanted_models,
        found.items,
        flagged,
        unsettled,
        models,
    )


def of_project(store: Store, *, project: str) -> ModelGate | None:
    """How it stands in a project, of the items that count; None: its schema sets no limit.

    For anyone who has made sure that the person may see it.
    """
    limits = limits_of(store, project=project)
    if limits is None or limits.without_images is None:
        return None
    return gate_of(limits, shortcut_models(store, by=None, project=project))
