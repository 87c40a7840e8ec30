"""What the page Preferences shows of one state of a project, so that it can be worked out elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from db import files
from db.engine import Store
from domain.records import Person
from domain.states import Stage
from workflow.access.projects import require_lead
from workflow.lead import pair_intake
from workflow.lead.pair_intake import PairIntake
from workflow.results.preference_figures import PreferenceFigures, preference_figures

_AS_LONG = 3
"""Ratings that take as long as a comparison."""


@dataclass(frozen=True)
class PreferencesPage:
    """What opening would open, and what people's comparisons come to so far."""

    intake: PairIntake
    figures: PreferenceFigures


def preferences_page(store: Store, *, project: str, **how: Any) -> PreferencesPage:
    """Everything on the page; ``how`` is as ``preference_figures`` takes it.

    For anyone who has made sure that the person may see it.

    Raises
    ------
    Conflict
        The schema has no comparison.
    """
    intake = pair_intake.preview_pairs(store, by=None, project=project)
    return PreferencesPage(intake, preference_figures(store, project=project, **how))


def size(store: Store, *, person: Person | None, project: str) -> int:
    """How many ratings take as long as the comparisons there are, roughly: earlier ones count, too."""
    with store.read() as session:
        id = require_lead(session, by=person, project=project).project_id
        return _AS_LONG * files.n_ratings(session, project_id=id, stage=Stage.COMPARISON)
