"""The content of the Agreement page, computed in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agreement.cross_check import OFFERED, SecondOpinion
from agreement.summary import Result, opinion_of
from db.engine import Store
from domain.replies import Replies
from domain.states import Cut, Items, Stage
from workflow.access.counted_items import Counting
from workflow.annotate.sample_standing import counting_of_stage
from workflow.results.confusions import Confusion
from workflow.results.dimension_means import agreement_of_levels, agreement_of_means
from workflow.results.losses import StageLosses, losses_of_stage
from workflow.results.rater_agreement import agreement_of, comparable_ratings
from workflow.results.ratings import Raters, raters_called, raters_of, stage_rows
from workflow.results.reply_counts import replies_of_judges


class Figures(NamedTuple):
    """The content of the Agreement page for one stage."""

    lines: Sequence[Result]
    raters: Raters
    replies: Sequence[Replies]
    counting: Counting
    logins: Mapping[str, str]
    """The login of each rater with an account, by the rater's name in ``lines``."""
    confusions: Sequence[Confusion] = ()
    """The confusion matrices of the same ratings; empty for means."""
    losses: StageLosses = StageLosses()
    """Lost replies of judges, and grades left out."""


def opinion(
    store: Store,
    *,
    project: str,
    stage: Stage,
    by: Cut,
    of_means: bool,
    pool_guidelines: bool,
    items: Items | None,
    levels: bool = False,
    schema_version: int | None = None,
) -> SecondOpinion:
    """Return the coefficients of ``figures`` as other packages compute them, for the same arguments."""
    about: dict[str, Any] = {
        "person": None,
        "project": project,
        "pool_guidelines": pool_guidelines,
        "items": items,
        "schema_version": schema_version,
        "cross_check": True,
        "statistics": OFFERED,
    }
    if levels:
        return opinion_of(agreement_of_levels(store, **about))
    if of_means:
        return opinion_of(agreement_of_means(store, **about))
    called = raters_called(store, raters_of(store, person=None, project=project, stage=stage))
    return opinion_of(agreement_of(store, stage=stage, by=by, called=called, **about))


def figures(
    store: Store,
    *,
    project: str,
    stage: Stage,
    by: Cut,
    of_means: bool,
    pool_guidelines: bool,
    items: Items | None,
    levels: bool = False,
    schema_version: int | None = None,
) -> Figures:
    """Return the coefficients of a stage, its raters, the outcomes of judges' replies, and which items count.

    ``of_means`` selects the coefficients of means by dimension, and ``levels`` those of each judge with people at each
    level. With ``schema_version``, only people's ratings under that version of the schema count. The caller checks that
    the person may see the figures.
    """
    there = raters_of(store, person=None, project=project, stage=stage)
    called = raters_called(store, there)
    about: dict[str, Any] = {
        "person": None,
        "project": project,
        "pool_guidelines": pool_guidelines,
        "items": items,
        "schema_version": schema_version,
    }
    read = stage_rows(store, person=None, project=project, stage=stage, items=items)
    of_answers = None if levels or of_means else comparable_ratings(store, stage=stage, by=by, called=called, **about)
    return Figures(
        of_answers.results()
        if of_answers
        else agreement_of_levels(store, **about)
        if levels
        else agreement_of_means(store, **about),
        there,
        replies_of_judges(store, person=None, project=project, stage=stage, by=by, items=items, read=read)
        if there.machines
        else [],
        counting_of_stage(store, person=None, project=project, items_=items, stage=stage),
        {name: login for login, name in called.items()},
        of_answers.confusions() if of_answers else (),
        losses_of_stage(read, stage=stage),
    )
