"""What shortcuts come to, for the pages that show it: worked out in a process of its own, once for each state."""

from __future__ import annotations

from typing import Any

from app import figures
from app.services import Services
from domain.errors import NotAvailable
from domain.records import ProjectView
from domain.states import Items
from workflow.releases import set_statistics, shortcut_gate, shortcut_models_page
from workflow.releases.model_gate import ModelGate, gate_of
from workflow.releases.shortcut_gate import Gate, Looked


def asked(services: Services, view: ProjectView, items: Items | None) -> figures.Asked:
    """What was found (``shortcut_gate.Looked``), or what there is of it so far.

    Raises ``NotAvailable`` where scikit-learn is not installed, or the process has failed.
    """
    return figures.asked(
        services.store,
        services.settings,
        "shortcuts",
        {"project": view.name, "items": items},
        state=set_statistics.mark(services.store, by=services.person, project=view.name),
        size=set_statistics.size(services.store, by=services.person, project=view.name),
        apart=True,
    )


def asked_models(services: Services, view: ProjectView, items: Items | None) -> figures.Asked:
    """What models get right without images (``shortcut_models_page.ForPage``), or what there is of it so far."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    return figures.asked(
        services.store,
        services.settings,
        "shortcut_models",
        {"project": view.name, "items": items},
        state=shortcut_models_page.mark(services.store, **about),
        size=shortcut_models_page.size(services.store, **about),
    )


def model_gate(services: Services, view: ProjectView) -> tuple[ModelGate | None, figures.Asked | None]:
    """How what models get right stands to the limit of the schema, as far as it is known, and the figures behind it;
    None: the schema sets none, or nothing is known yet."""
    limits = view.schema.schema_.export.shortcuts
    if limits is None or limits.without_images is None:
        return None, None
    found = asked_models(services, view, None)
    return (None if found.figure is None else gate_of(limits, found.figure.value.found)), found


def gate(services: Services, view: ProjectView) -> tuple[Gate | None, figures.Asked | None]:
    """How shortcuts stand to the limits of the schema, as far as it is known, and the figures behind it; None: the
    schema sets no limits, or nothing is known yet."""
    limits = view.schema.schema_.export.shortcuts
    if limits is None:
        return None, None
    try:
        found = asked(services, view, None)
    except NotAvailable as error:
        return shortcut_gate.gate_of(limits, Looked(None, str(error))), None
    return (shortcut_gate.gate_of(limits, found.figure.value) if found.figure is not None else None), found
