"""The verdicts on judges that a data card prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from db.engine import Store
from domain.errors import RatingsError
from domain.states import Stage
from extensions.calibration.kept_rule import stored_rule
from extensions.calibration.project_study import study_of
from extensions.calibration.report.ruling import verdicts
from extensions.calibration.report.study import StoredRule
from reports.content import Rulings
from workflow.access.projects import Access
from workflow.results.ratings import Raters


def verdicts_of(
    store: Store, *, access: Access, stage: Stage, raters: Raters, judges: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the verdicts on judges under the rule that the project keeps, or the reason for none."""
    rule = stored_rule(store, person=None, project=access.name, judges=judges)
    ruled, why = _verdicts(store, access, stage, raters, judges, rule)
    said = rule.words(given=None) if rule.rule is not None else None
    return {judge: {"verdicts": ruled.get(judge, []), "why_none": why, "rule": said} for judge in judges}


def _verdicts(
    store: Store, access: Access, stage: Stage, raters: Raters, judges: Sequence[str], stored: StoredRule
) -> tuple[dict[str, list[dict[str, str]]], str]:
    """Return the verdicts for each criterion by judge, and the reason if there are no verdicts. It names no person."""
    if stored.rule is None:
        return {}, "not calibrated: the project keeps no rule of a verdict"
    if not raters.people:
        return {}, "not calibrated: no person has rated the same"
    try:
        study, _ = study_of(
            store,
            person=None,
            project=access.name,
            stage=stage,
            humans=raters.people,
            judges=judges,
            vouched=[name for name in raters.people if name in raters.from_files],
        )
        section = verdicts(study, stored.rule, stored.words(given=None))
    except RatingsError as error:
        named = any(name in str(error) for name in raters.people)
        return {}, f"not calibrated: {'It is not defined for these people.' if named else error}"
    found: dict[str, list[dict[str, str]]] = {}
    for each in (ruling for block in section.blocks if isinstance(block, Rulings) for ruling in block.rulings):
        if each.dimension is None:
            found.setdefault(each.judge, []).append({"criterion": each.criterion, "words": each.sentence})
    return found, "not calibrated: it shares no rating with people"
