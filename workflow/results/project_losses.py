"""Write sentences about the losses of a whole project, for its releases."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agreement.losses import Losses
from db.engine import Store
from workflow.results.leaderboard_page import any_model
from workflow.results.losses import left_out_in_words, losses_of_scores
from workflow.results.project_answers import ProjectAnswers, current
from workflow.results.score_choices import scores_of
from workflow.results.scores import score_answers


def of_project(store: Store, *, project: str) -> list[str]:
    """Return the losses in the figures of a project, in sentences: against the key, by judge, and grades left out.

    The caller checks that the person may see them.
    """
    if not any_model(store, person=None, project=project):
        return []
    project_answers = current(store, person=None, project=project)
    sentences = [loss.sentence for loss in _losses(project_answers, ("key", "judge"))]
    return [
        *sentences,
        *([left_out_in_words(project_answers.left_out_grades)] if project_answers.left_out_grades else []),
    ]


def of_models(store: Store, *, project: str) -> list[str]:
    """Return the losses in the accuracy of models, in sentences for everyone. They name no model and count no key.

    The caller checks that the person may see them.
    """
    if not any_model(store, person=None, project=project):
        return []
    return [loss.unnamed for loss in _losses(current(store, person=None, project=project), ("key",))]


def _losses(found: ProjectAnswers, kinds: Collection[str]) -> Iterator[Losses]:
    for scores in scores_of(found):
        if scores.kind in kinds and scores.iou is None and scores.option is None:
            lost = losses_of_scores(found, score_answers(found, scores), found.items.keys())
            if lost is not None and lost.lost:
                yield lost
