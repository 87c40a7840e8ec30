"""The content of the Preferences page for one state of a project, as one object that another process can compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from db import files
from db.engine import Store
from domain.records import Person
from domain.states import Stage
from extensions.preferences import pair_intake
from extensions.preferences.pair_intake import PairIntake
from extensions.preferences.preference_figures import PreferenceFigures, preference_figures
from workflow.access.projects import require_lead

_AS_LONG = 3
"""Ratings that take as long as a comparison."""


@dataclass(frozen=True)
class PreferencesPage:
    """The pairs that opening would open, and the figures of the comparisons so far."""

    intake: PairIntake
    figures: PreferenceFigures


def preferences_page(store: Store, *, project: str, **how: Any) -> PreferencesPage:
    """Return the content of the page. ``how`` are the arguments of ``preference_figures``.

    The caller checks that the person may see the page.

    Raises
    ------
    ConflictError
        The schema has no comparison stage.
    """
    intake = pair_intake.preview_pairs(store, by=None, project=project)
    return PreferencesPage(intake, preference_figures(store, project=project, **how))


def size(store: Store, *, person: Person | None, project: str) -> int:
    """Return the approximate cost of the comparisons as a number of ratings. Earlier comparisons are included."""
    with store.read() as session:
        id = require_lead(session, by=person, project=project).project_id
        return _AS_LONG * files.n_ratings(session, project_id=id, stage=Stage.COMPARISON)
