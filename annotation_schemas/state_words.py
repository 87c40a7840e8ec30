"""Display names of item states, which use the titles of verification stages."""

from __future__ import annotations

from annotation_schemas.model import Stages
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage

BAR_STATES = (
    ItemState.KEPT,
    ItemState.IN_ADJUDICATION,
    *(VOTED_ON[stage] for stage in reversed(VERIFICATIONS)),
    ItemState.UNVERIFIED,
    ItemState.REJECTED,
)
"""The states of items in the order of the bar, from kept to rejected."""


def state_called(stages: Stages, state: ItemState) -> str:
    """What pages call a state of items: where there are several stages of verification, by the stage's title."""
    called = {VOTED_ON[Stage(name)]: f"in {stages.title_of(name)}" for name in stages.verifications}
    return called.get(state, state.label) if len(called) > 1 else state.label


def states_of(stages: Stages) -> list[ItemState]:
    """The states that items can be in, but for stages of verification that there are not."""
    absent = {state for stage, state in VOTED_ON.items() if stage.value not in stages.verifications}
    return [state for state in ItemState if state not in absent]
