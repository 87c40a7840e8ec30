"""A search for the value that the text of a judge's reply mentions, whether or not a parser read it.

It shows whether replies are lost in one direction if few people have graded the same answers.
"""

from __future__ import annotations

from collections.abc import Collection

from agreement.loss_values import mentioned_value
from db import judging, runs
from db.engine import Session
from domain.run_kinds import RunKind
from workflow.access.projects import Access
from workflow.runs import stored_runs


def mentions(session: Session, access: Access, judges: Collection[str]) -> dict[str, dict[int, str]]:
    """Return the value that each reply of these judges mentions, by the answer that it is about."""
    by_judge: dict[str, dict[int, str]] = {}
    for run in runs.of_project(session, project_id=access.project_id, kind=RunKind.JUDGE) if judges else ():
        if run.name not in judges or run.withdrawn_at is not None:
            continue
        values = stored_runs.judge_plan_now(run, access.reading).values
        of_judge = by_judge.setdefault(run.name, {})
        for (_, answer, swapped, sample), text in judging.texts(session, run_id=run.id).items():
            if answer is None or swapped or sample or answer in of_judge:
                continue
            if (value := mentioned_value(text, values)) is not None:
                of_judge[answer] = value
    return by_judge
