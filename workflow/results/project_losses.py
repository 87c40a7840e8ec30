"""Write sentences about the losses of a whole project, for its releases."""

from __future__ import annotations

from agreement.losses import Losses
from db.engine import Store
from workflow.results.losses import left_out_in_words, losses_of_scores
from workflow.results.project_answers import current
from workflow.results.scores import scored, scores_of


def of_project(store: Store, *, project: str) -> list[str]:
    """Return what the numbers of a project lose, in sentences: against the key, by judge, and grades left out.

    For anyone who has made sure that the person may see it.
    """
    found = current(store, person=None, project=project)
    told: list[str] = []
    for scores in scores_of(found):
        if scores.kind in ("key", "judge") and scores.iou is None and scores.option is None:
            lost: Losses | None = losses_of_scores(found, scored(found, scores), found.items.keys())
            told += [lost.sentence] if lost is not None and lost.lost else []
    return [*told, *([left_out_in_words(found.left_out_grades)] if found.left_out_grades else [])]
