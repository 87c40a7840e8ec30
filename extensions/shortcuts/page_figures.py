"""The figures of the page Shortcuts. Another process computes them, once for each state of the project."""

from __future__ import annotations

from typing import Any

from app.jobs import figure_requests
from app.services import Services
from domain.records import ProjectView
from domain.states import Items
from extensions.shortcuts.release_checks import MODELS, TEXTS
from workflow.releases.extension_checks import ReleaseCheck


def ask_texts(services: Services, view: ProjectView, items: Items | None) -> figure_requests.FigureState:
    """Return what rules and the classifier get right (``text_check.TextMeasurement``), as far as it is known.

    Raises ``NotAvailableError`` if scikit-learn is not installed, or if the process has failed.
    """
    return _ask(services, view, items, TEXTS)


def ask_models(services: Services, view: ProjectView, items: Items | None) -> figure_requests.FigureState:
    """Return what models get right without images (``model_page.ModelPage``), as far as it is known."""
    return _ask(services, view, items, MODELS)


def _ask(
    services: Services, view: ProjectView, items: Items | None, check: ReleaseCheck
) -> figure_requests.FigureState:
    state, size = check.state_of(services.store, services.person, view.name)
    args: dict[str, Any] = {"project": view.name, "items": items}
    return figure_requests.request_figure(
        services.store, services.settings, check.work, args, state=state, size=size, apart=check.apart
    )
