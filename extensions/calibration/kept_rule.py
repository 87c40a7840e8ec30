"""The rule of the verdict that is kept with a project, so that a report can show it was set before any reply came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from db import events, projects
from db.engine import Session, Store
from domain.records import Person
from extensions.calibration import queries
from extensions.calibration.report.ruling import rule_from_text, rule_of
from extensions.calibration.report.study import StoredRule
from extensions.calibration.statistics.verdict import Rule
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


def store_rule(store: Store, *, by: Person | None, project: str, text: str) -> None:
    """Keep the rule of the verdict with a project, with the moment; a rule that is kept already keeps its moment.

    Raises ``RatingsError`` where the text is no rule.
    """
    wanted = rule_from_text(text)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        kept = _kept_rule(session, access)
        if kept is None or kept[0] != wanted:
            log(session, events.CALIBRATION_RULE, by=by, project=access, now=store.now(), data={"rule": text})


def stored_rule(store: Store, *, person: Person | None, project: str, judges: Sequence[str]) -> StoredRule:
    """Return the rule stored with a project, and whether it was stored before the first reply of one of these
    judges.
    """
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        kept = _kept_rule(session, access)
        if kept is None:
            return StoredRule()
        first = queries.first_reply(session, project_id=access.project_id, judges=judges)
    rule, at = kept
    return StoredRule(
        rule,
        at.date().isoformat(),
        first.date().isoformat() if first else None,
        before=first is not None and at < first,
    )


def _kept_rule(session: Session, access: Access) -> tuple[Rule, datetime] | None:
    """Return the rule in force and its moment: the rule stored last, or without one the schema's rule from the
    project's beginning.
    """
    rule_events = events.find_events(session, project_id=access.project_id, kinds=(events.CALIBRATION_RULE,), limit=1)
    if rule_events:
        return rule_from_text(str(rule_events[0][0].data["rule"])), rule_events[0][0].at
    in_schema = access.schema.report.rule
    return (rule_of(in_schema.model_dump()), projects.begun(session, id=access.project_id)) if in_schema else None
