"""Read plans of actions from models' answers, and check them against the actions in the schema.

The results help a grader to look in the right place. They are never a grade, because a picture may show more than a
plan says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation_schemas.model import PlanAction
from extensions.plans.condition_lines import POST, PRE, ClaimReader, ConditionLine, ReadClaim, lines_of
from extensions.plans.conditions import Claim, World, claims_of, n_places

_LEAD = re.compile(r"^\s*(?:(?P<number>\d{1,3})\s*[.):]\s*|[-*•]\s+|step\s+\d+\s*[.:]\s*)?", re.IGNORECASE)
_MARKS = re.compile(r"^\s*[#*_>`\s]*[#*_>`]\s*(?=\d{1,3}\s*[.):]|step\s+\d+\s*[.:])", re.IGNORECASE)
_CALL = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?P<gap>\s*)\((?P<objects>[^()\n]*)\)")
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}\s*[.):]|step\s+\d+\s*[.:])", re.IGNORECASE)


@dataclass(frozen=True)
class PlanStep:
    """A line of a plan that is an action, or probably should be one."""

    line: str
    """The line as the model wrote it."""
    start: int
    """The position of the line in the answer, in characters."""
    action: str | None = None
    """The action; None if it could not be read."""
    objects: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """Contradictions to earlier steps, and errors in the model's own lines."""
    open: tuple[str, ...] = ()
    """Assumptions that earlier steps neither support nor contradict."""


def steps_of(
    answer: str,
    actions: Sequence[PlanAction],
    begins: Sequence[str] = (),
    says: Mapping[str, Sequence[str]] | None = None,
    follows: Mapping[str, Sequence[str]] | None = None,
) -> list[PlanStep]:
    """Return the steps of a plan in order, each with its problems as far as earlier steps show them.

    A step is a line that begins with ``action(object, ...)``, after a number, a bullet or marks of emphasis. A
    numbered line without an action is an unreadable step; all other lines are ignored. ``says`` lists a model's words
    for conditions. With it, lines of preconditions and postconditions below a step are checked too. If they name the
    unknown place of an object, that place is accepted. ``follows`` is as in ``World``.
    """
    known = {action.name.casefold(): action for action in actions}
    steps = _read_steps(answer, known)
    below = [lines_of(rest) if says else [] for _, rest in steps]
    check = _StepChecker(known, begins, says if any(below) else None, follows or {})
    return [check.step(step, lines) for (step, _), lines in zip(steps, below, strict=True)]


def _read_steps(answer: str, known: Mapping[str, PlanAction]) -> list[tuple[PlanStep, str]]:
    """Return the steps, each with the text from its call to the next step."""
    steps: list[tuple[PlanStep, str]] = []
    place = 0
    for line in answer.splitlines(keepends=True):
        step, rest = _read(line, place, known)
        place += len(line)
        if step is not None:
            steps.append((step, rest))
        elif steps:
            steps[-1] = (steps[-1][0], steps[-1][1] + line)
    return steps


def _read(line: str, place: int, known: Mapping[str, PlanAction]) -> tuple[PlanStep | None, str]:
    written = line.replace("\\_", "_")
    bare = _MARKS.sub("", written)
    lead = _LEAD.match(bare)
    rest = bare[lead.end() if lead else 0 :].lstrip("*_`# ")
    call = _CALL.match(rest)
    if call is None:
        return (PlanStep(line.strip(), place) if _NUMBERED.match(written) and rest.strip() else None), ""
    marked = bool(lead and lead.group().strip())
    if not marked and call["gap"] and call["name"].casefold() not in known:
        return None, ""  # "Done (I hope)."
    objects = tuple(part.strip() for part in call["objects"].split(",")) if call["objects"].strip() else ()
    return PlanStep(line.strip(), place, call["name"], objects), rest[call.end() :]


class _StepChecker:
    """Checks the steps of a plan in order."""

    def __init__(
        self,
        known: Mapping[str, PlanAction],
        begins: Sequence[str],
        says: Mapping[str, Sequence[str]] | None,
        follows: Mapping[str, Sequence[str]],
    ) -> None:
        """Prepare the check. With ``says`` None, lines below the steps are ignored."""
        self._known = known
        self._world = World(follows=follows)
        self._objects: list[str] = []
        conditions = [text for action in known.values() for text in conditions_of(action)]
        self._reader = None
        if says is not None:
            two = frozenset(
                signature[0] for condition in conditions if (signature := n_places(condition)) and signature[1] == 2
            )
            self._reader = ClaimReader(says, two)
        for claim in claims_of(begins, ()):
            self._world.become(claim)

    def step(self, step: PlanStep, lines: Sequence[ConditionLine]) -> PlanStep:
        if step.action is None:
            return replace(step, problems=("This line has no readable action.",))
        action = self._known.get(step.action.casefold())
        if action is None:
            return replace(step, problems=(f"{step.action} is not an action of this schema.",))
        n = len(step.objects)
        if n != action.objects:
            wanted = f"{action.objects} object{'' if action.objects == 1 else 's'}"
            problem = f"{action.name} takes {wanted}; {n} {'is' if n == 1 else 'are'} named."
            return replace(step, action=action.name, problems=(problem,))
        self._objects = list(dict.fromkeys([*step.objects, *self._objects]))
        needs = claims_of(action.needs, step.objects)
        before, after = (self._read_claims(name, lines) for name in (PRE, POST))
        for read_claim in before or ():
            if (
                len(read_claim.claim.objects) == 2
                and read_claim.claim.holds
                and self._world.holds(read_claim.claim) is None
            ):
                self._world.become(read_claim.claim)
        standing = {claim: self._world.holds(claim) for claim in needs}
        problems = [
            f"needs {claim.words}, but the earlier steps contradict this condition."
            for claim, holds in standing.items()
            if holds is False
        ]
        problems += self._line_problems(PRE, before, needs, action, "but the earlier steps contradict this condition")
        self._do(action, step.objects)
        stated = claims_of(action.makes if action.states is None else action.states, step.objects)
        problems += self._line_problems(POST, after, stated, action, f"which is not true after {action.name}")
        unknown = [claim.words for claim, holds in standing.items() if holds is None]
        return replace(step, action=action.name, problems=tuple(problems), open=tuple(unknown))

    def _do(self, action: PlanAction, objects: Sequence[str]) -> None:
        """Record the effects of an action."""
        turned = [
            replace(claim, holds=not held)
            for claim in claims_of(action.turns, objects)
            if (held := self._world.holds(claim)) is not None
        ]
        ended = [replace(claim, holds=not claim.holds) for claim in claims_of(action.ends, objects)]
        for claim in (*ended, *claims_of(action.makes, objects), *turned):
            self._world.become(claim)

    def _read_claims(self, name: str, lines: Sequence[ConditionLine]) -> list[ReadClaim] | None:
        """Return the model's own text under a name, or None without such a line."""
        texts = [line.text for line in lines if line.name == name]
        if not texts or self._reader is None:
            return None
        return [claim for text in texts for claim in self._reader.claims(text, self._objects)]

    def _line_problems(
        self, name: str, said: Sequence[ReadClaim] | None, wanted: Sequence[Claim], action: PlanAction, otherwise: str
    ) -> list[str]:
        """Return the problems of the model's own line before or after a step."""
        if said is None:
            return [f"{name}: the line is missing."] if wanted and self._reader else []
        problems = []
        missing = list(wanted)
        for read_claim in said:
            words = f"{name}: \u201c{read_claim.words}\u201d says {read_claim.claim.words}"
            against = next((claim for claim in wanted if read_claim.claim.against(claim)), None)
            if against is not None:
                verb = "needs" if name == PRE else "makes"
                problems.append(f"{words}, but {action.name} {verb} {against.words}.")
            elif self._world.holds(read_claim.claim) is False:
                problems.append(f"{words}, {otherwise}.")
            missing = [claim for claim in missing if claim != against and not read_claim.claim.says(claim)]
        return problems + [f"{name}: {claim.words} is missing." for claim in missing]


def conditions_of(action: PlanAction) -> list[str]:
    """Return all conditions of an action in the schema."""
    return [*action.needs, *action.makes, *action.ends, *action.turns, *(action.states or ())]
