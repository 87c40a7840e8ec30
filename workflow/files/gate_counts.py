"""How many items of a project passed each gate, from import to the verdict."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

from annotation_schemas.model import Verification
from db.engine import Session
from domain.policies import criteria_that_decide, is_skip, is_unanimous
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from workflow.access.projects import Access
from workflow.annotate.stage_kinds import STAGE_KINDS
from workflow.annotate.verdicts import VerdictRules, as_votes, decided_in, of_stage
from workflow.files.project_check import ItemWithVerdict, judged


def gates(session: Session, *, access: Access) -> dict[str, Any]:
    """Return the number of items at each gate of verification, recomputed from their votes.

    - ``voted``: all votes are in, or enough skips that no more votes are needed.
    - ``skipped``: at least one vote is a skip.
    - ``unanimous``: all voters agree on an answer in every deciding criterion.
    - ``equal_to_key`` (or ``as_wanted`` if the rule names a value): the answer is also the one that keeps an item.
    - ``adjudicated``, if the schema has seniors: a senior settled the item.
    - ``kept`` and ``rejected``: the stage's verdict.

    Further stages of verification have the same counts under their names, for the items that ``came`` to them. The
    counts of other stages follow, such as those of refinement.
    """
    counted = GateCounts(access)
    for item in chain.from_iterable(judged(session, access)):
        counted.take(item)
    return counted.told(session)


class GateCounts:
    """A counter for ``gates``, for callers that iterate over ``judged`` anyway."""

    def __init__(self, access: Access) -> None:
        self._access, self._rules = access, VerdictRules(access)
        self._found: dict[Stage, Counter[str]] = {stage: Counter() for stage in self._rules.rounds}

    def take(self, item: ItemWithVerdict) -> None:
        """Count one more item."""
        for stage, counted in self._found.items():
            if stage is not Stage.VERIFICATION and not _came_to(stage, item):
                continue
            for name in _gone_through(self._rules, stage, item):
                counted[name] += 1

    def told(self, session: Session) -> dict[str, Any]:
        """Return the counts."""
        gone: dict[str, Any] = {}
        for stage, counted in self._found.items():
            part = self._rules.rounds[stage]
            names = ["voted", "skipped", "unanimous", _wanted(part), "adjudicated", "kept", "rejected"]
            settles = self._access.schema.stages.adjudication is not None and part.adjudicates
            came = ["imported" if stage is Stage.VERIFICATION else "came"]
            counts = {name: counted[name] for name in [*came, *names] if name != "adjudicated" or settles}
            gone |= counts if stage is Stage.VERIFICATION else {stage.value: counts}
        for kind in STAGE_KINDS.values():
            gone |= kind.counts(session, access=self._access) or {}
        return gone


def _wanted(part: Verification) -> str:
    return "equal_to_key" if part.keep.key is not None else "as_wanted"


def _came_to(stage: Stage, item: ItemWithVerdict) -> bool:
    """Return whether an item has reached a further stage of verification: it is in that stage, or has votes there."""
    return item.verdict.stage is stage or bool(of_stage(item.votes, stage))


def _gone_through(rules: VerdictRules, stage: Stage, item: ItemWithVerdict) -> list[str]:
    """Return the gates of a stage that an item has passed.

    With several stages, each counts its own verdict. An item that one stage keeps may wait for the next stage, or be
    rejected there.
    """
    part = rules.rounds[stage]
    votes, state = of_stage(item.votes, stage), item.verdict.state
    last = item.verdict.stage
    beyond = VERIFICATIONS.index(last) > VERIFICATIONS.index(stage)
    before = VERIFICATIONS.index(last) < VERIFICATIONS.index(stage)
    cast = as_votes(votes)
    complete = len(cast) >= rules.wanted(votes, stage)
    unanimous = complete and is_unanimous(part.keep, cast, item_fields=item.fields, wanted=False)
    through = {
        "imported": True,
        "came": True,
        "voted": not before and state is not VOTED_ON[stage],
        "skipped": any(is_skip(vote, criteria_that_decide(part.keep)) for vote in cast),
        "unanimous": unanimous,
        _wanted(part): unanimous and is_unanimous(part.keep, cast, item_fields=item.fields, wanted=True),
        "adjudicated": any(decided_in(decision.answers) is stage for decision in item.decisions),
        "kept": beyond or (last is stage and state is ItemState.KEPT),
        "rejected": last is stage and state is ItemState.REJECTED,
    }
    return [name for name, has in through.items() if has]
