"""Write answers of the studies' scripted models with the wordings of ``benchmarks.reading``, and list misread ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from benchmarks.reading.cases import NONE, option_case
from benchmarks.reading.tuned import ORDINARY, TRAPS
from db.engine import Store
from domain.reading.answers import ReadOutcome
from workflow.results import project_answers

_STATES = [each for each in ORDINARY if each.language == "en" and each.finish_reason is None]
_STATES_NOTHING = [
    each for each in TRAPS if each.truth == NONE and each.language == "en" and each.finish_reason is None
]


def can_say(options: Sequence[str]) -> bool:
    """Tell whether these options are distinct and each has a letter."""
    return 2 < len(set(options)) == len(options) < 7


def states(dice: Random, options: Sequence[str], at: int) -> str:
    """Return an answer that states the option at a place."""
    wording = dice.choice([each for each in _STATES if each.fits(options)])
    return option_case(wording, tuple(options), at, dice).text


def states_nothing(dice: Random, options: Sequence[str]) -> str:
    """Return an answer that states no option: it denies, lists, supposes, refuses or breaks off."""
    wording = dice.choice([each for each in _STATES_NOTHING if each.fits(options)])
    return option_case(wording, tuple(options), dice.randrange(len(options)), dice).text


def unexplained_losses(store: Store, project: str, stated: Mapping[tuple[str, str], bool]) -> list[str]:
    """Return a sentence for each answer that states an option and was not read, or states none and was read.

    ``stated`` says by item and model whether the answer states one.
    """
    found = project_answers.read_project(store, person=None, project=project)
    wrong = []
    for answer in found.answers:
        place = (found.items[answer.item].name, answer.model)
        if place in stated and stated[place] != (answer.read is ReadOutcome.READ):
            wrong.append(
                f"{place[1]} on {place[0]}: states {'one' if stated[place] else 'none'}, is {answer.read.value}"
            )
    missing = len(stated) - len({(answer.item, answer.model) for answer in found.answers})
    return [*wrong, *([f"{missing:,} answers are not there"] if missing else [])]
