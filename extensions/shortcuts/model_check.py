"""The release check *Right without images* (``export: shortcuts: without_images``): how many items models flag.

An item is unsettled if too few models were asked about it, or a reply is missing. The result is "cannot be computed" if
the unsettled items could change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from annotation_schemas import model
from db.engine import Store
from domain.english import with_noun
from extensions.shortcuts.model_replies import WITHOUT
from extensions.shortcuts.model_shortcuts import ModelShortcuts, measure_models
from extensions.shortcuts.text_check import ABOVE, NONE, UNKNOWN, WITHIN
from workflow.access.projects import Access

NAME = "without_images"
"""The name of the check, and of its entry below ``shortcuts`` in the manifest."""
_TIE = 1e-9


@dataclass(frozen=True)
class AskedModel:
    """A model that was asked without images, and the share of items that it gets right in all orders."""

    model: str
    items: int
    orders: int
    """The maximum number of option orders."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Items that were asked in enough orders."""
    chance: float | None = None
    """The expected share of blind guessing."""


@dataclass(frozen=True)
class ModelResult:
    """The result of the check."""

    outcome: str
    """``within``, ``not within``, ``cannot be computed``, or ``no options``."""
    at_most: float
    """As a share of the items."""
    orders: int
    wanted_models: int
    items: int = 0
    flagged: int = 0
    unsettled: int = 0
    """The number of items that may or may not be flagged."""
    models: Sequence[AskedModel] = ()

    @property
    def met(self) -> bool:
        """Return whether a release may be made."""
        return self.outcome in (WITHIN, NONE)

    @property
    def said(self) -> str:
        """Return the result as a sentence without its full stop."""
        if self.outcome == NONE:
            return "no counted item has options with a key"
        by = "one model" if self.wanted_models == 1 else f"{self.wanted_models} models"
        items, orders = with_noun(self.items, "item"), with_noun(self.orders, "order")
        lacking = (
            f"{self.unsettled:,} of {items} {'lacks' if self.unsettled == 1 else 'lack'} replies from "
            f"{by} in {orders} without images"
        )
        if self.outcome == UNKNOWN:
            return f"{UNKNOWN}: {lacking}; to get these replies, use touchstone shortcut run"
        share = 100 * self.flagged / self.items
        figures = (
            f"{self.flagged:,} of {items} ({share:.1f} %) {'is' if self.flagged == 1 else 'are'} answered "
            f"correctly without images in all orders by {by}"
        )
        more = f"; {lacking}" if self.unsettled else ""
        return f"{self.outcome}: {figures}, at most {100 * self.at_most:.1f} %{more}"

    @property
    def values(self) -> Mapping[str, float | None]:
        """Return the number of flagged items."""
        return {"flagged": self.flagged}

    def as_json(self, *, figures: bool = True) -> dict[str, Any]:
        """Return the manifest's entry. Leave out ``figures`` if keys are private: they would reveal keys."""
        content = asdict(self)
        if not figures:
            content = {name: value for name, value in content.items() if name not in ("flagged", "unsettled")}
            content["models"] = [
                {name: asked_model[name] for name in ("model", "items", "orders")} for asked_model in content["models"]
            ]
        content["models"] = [
            {name: value for name, value in asked_model.items() if value is not None}
            for asked_model in content["models"]
        ]
        return {**content, "figures": "here" if figures else "private"}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> ModelResult:
        """Return the result that ``as_json`` wrote."""
        known = {field.name: told[field.name] for field in fields(cls) if field.name in told}
        return cls(**{**known, "models": [AskedModel(**asked_model) for asked_model in told.get("models", ())]})


def compare_with_limit(limits: model.Shortcuts | None, found: ModelShortcuts) -> ModelResult | None:
    """Compare what models get right with the limit of a schema. Return None if the schema has no limit."""
    if limits is None or limits.without_images is None:
        return None
    most = limits.without_images * found.items + _TIE
    flagged, unsettled = len(found.flagged), len(found.unsettled)
    outcome = ABOVE if flagged > most else UNKNOWN if flagged + unsettled > most else WITHIN
    models = []
    for score in found.models:
        if score.condition == WITHOUT:
            at = score.all_right
            figures = (at.value, at.low, at.high, at.n_units, score.chance)
            models.append(AskedModel(score.model, score.items, score.orders, *figures))
    return ModelResult(
        outcome if found.items else NONE,
        float(limits.without_images),
        found.orders,
        found.wanted_models,
        found.items,
        flagged,
        unsettled,
        models,
    )


def measure(store: Store, access: Access, schema_version: int | None = None) -> ModelResult:
    """Return the result of the check, which no votes change. The caller checks that the person may see it."""
    models = measure_models(store, by=None, project=access.name)
    result = compare_with_limit(access.schema.export.shortcuts, models)
    assert result is not None, "the check applies only to schemas with this limit"
    return result
