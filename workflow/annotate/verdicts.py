"""The verdict on an item: what the policy makes of its votes and the seniors' decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from annotation_schemas import registry
from annotation_schemas.model import Schema, Verification
from domain.policies import Round, Verdict, Vote, state_after
from domain.states import VERIFICATIONS, Stage
from workflow.access.projects import Access

DECIDED_IN = "stage"
"""Name in a senior's decision for the stage whose votes it is about, if that is a later stage of verification."""


def rounds_of(schema: Schema) -> dict[Stage, Verification]:
    """Return the schema's stages of verification, first stage first."""
    return {Stage(name): part for name, part in schema.stages.verifications.items()}


class StoredVote(Protocol):
    """A stored vote or decision, with the parts that the policy reads."""

    @property
    def person_id(self) -> int: ...
    @property
    def stage(self) -> Stage: ...
    @property
    def answers(self) -> dict[str, Any]: ...
    @property
    def reasons(self) -> dict[str, Any]: ...
    @property
    def weight(self) -> float | None: ...
    @property
    def schema_version_id(self) -> int: ...


_Vote = TypeVar("_Vote", bound=StoredVote)


class VerdictRules:
    """The rules that turn votes into verdicts in a project, computed once for all items."""

    def __init__(self, access: Access) -> None:
        stages = access.schema.stages
        self.access, self.rounds = access, rounds_of(access.schema)
        self._same: dict[Stage, dict[str, Any]] = {
            stage: {
                "title": stages.title_of(stage.value),
                "keep": part.keep,
                "adjudication": part.adjudicates and stages.adjudication is not None,
                "skips": part.skips,
                "words": reasons_of_skips(access.schema, stage),
            }
            for stage, part in self.rounds.items()
        }

    def verdict(
        self, fields: Mapping[str, Any], votes: Sequence[StoredVote], decisions: Sequence[StoredVote]
    ) -> Verdict:
        """Return the verdict; see ``judge``."""
        decided = {decided_in(decision.answers): decision.answers.get("decision") for decision in decisions}
        rounds = [
            Round(
                stage=stage,
                votes=as_votes(of_stage(votes, stage)),
                raters=self.wanted(votes, stage),
                decision=decided.get(stage),
                **same,
            )
            for stage, same in self._same.items()
            if not _passes(self.access, stage, votes, decisions)
        ]
        return state_after(rounds, item_fields=fields)

    def wanted(self, votes: Sequence[StoredVote], stage: Stage) -> int:
        """Return ``votes_wanted`` for a stage that the schema has."""
        versions = [vote.schema_version_id for vote in of_stage(votes, stage)]
        return self.access.reading.wanted(self.rounds[stage].raters, versions, stage)


def judge(
    access: Access, fields: Mapping[str, Any], votes: Sequence[StoredVote], decisions: Sequence[StoredVote]
) -> Verdict:
    """Return the verdict on an item from the votes on its current revision and the seniors' decisions.

    The votes are those of all verification stages. To judge many items, make one ``VerdictRules`` for all of them.
    """
    return VerdictRules(access).verdict(fields, votes, decisions)


def _passes(access: Access, stage: Stage, votes: Sequence[StoredVote], decisions: Sequence[StoredVote]) -> bool:
    """Return whether an item skips a stage that the schema did not have when the item was kept."""
    if not access.reading.passed:
        return False
    before = VERIFICATIONS[: VERIFICATIONS.index(stage)]
    passed = [vote for vote in votes if vote.stage in before] + [
        decision for decision in decisions if decided_in(decision.answers) in before
    ]
    return access.reading.passes(stage, [vote.schema_version_id for vote in passed])


def of_stage(votes: Sequence[_Vote], stage: Stage) -> list[_Vote]:
    """Return the votes that were cast in a stage."""
    return [vote for vote in votes if vote.stage is stage]


def decided_in(said: Mapping[str, Any]) -> Stage:
    """Return the stage whose votes a decision is about; only decisions about later stages name it."""
    return Stage(said.get(DECIDED_IN, Stage.VERIFICATION))


def votes_wanted(access: Access, votes: Sequence[StoredVote], stage: Stage) -> int:
    """Return how many votes an item with these votes needs in a stage.

    This is the schema's number. Where decided items stay decided, it is the number of an earlier schema version under
    which the item had all its votes.
    """
    part = rounds_of(access.schema).get(stage)
    if part is None:
        return 0
    return access.reading.wanted(part.raters, [vote.schema_version_id for vote in of_stage(votes, stage)], stage)


def as_votes(rows: Sequence[StoredVote]) -> list[Vote]:
    """Return stored votes in the form that the policy reads."""
    return [Vote(str(row.person_id), row.answers, row.reasons, row.weight) for row in rows]


def reasons_of_skips(schema: Schema, stage: Stage) -> dict[Any, str]:
    """Return the labels of the reasons that a verifier may give for a skip."""
    return {
        reason.value: reason.label
        for criterion in registry.criteria_of(schema, stage.value)
        if criterion.skip
        for reason in criterion.skip.reasons
    }
