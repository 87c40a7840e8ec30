"""Plans of actions: read from a model's answer, and checked against the actions that the schema lists.

What is found here helps a grader to look in the right place. It is never a grade: a picture may show what a plan leaves
unsaid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation_schemas.model import PlanAction

_LEAD = re.compile(r"^\s*(?:(?P<number>\d{1,3})\s*[.):]\s*|[-*•]\s+|step\s+\d+\s*[.:]\s*)?", re.IGNORECASE)
_CALL = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?P<gap>\s*)\((?P<objects>[^()\n]*)\)")
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}\s*[.):]|step\s+\d+\s*[.:])", re.IGNORECASE)
_CONDITION = re.compile(r"(?P<no>not )?(?P<predicate>[a-z][a-z_]*) (?P<of>\d|\*)")


@dataclass(frozen=True)
class Step:
    """One line of a plan that is an action, or looks as if it should be one."""

    line: str
    """As the model wrote it."""
    start: int
    """Where the line begins in the answer, in characters."""
    action: str | None = None
    """None: it could not be read."""
    objects: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What does not fit what the steps before it have brought about."""
    open: tuple[str, ...] = ()
    """What it assumes: true or not, the steps before do not say."""


def condition_problem(text: str, n_objects: int) -> str | None:
    """What is wrong with a condition of the schema such as ``near 1`` or ``not holding *``; None if nothing is."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        return "a condition is a word and the place of an object, such as `near 1` or `not holding *`"
    if found["of"] != "*" and not 1 <= int(found["of"]) <= n_objects:
        return f"the action has no object {found['of']}"
    return None


def steps_of(answer: str, actions: Sequence[PlanAction], begins: Sequence[str] = ()) -> list[Step]:
    """The steps of a plan in their order, each with what is wrong with it as far as the steps before it tell.

    A step is a line that begins with ``action(object, ...)``, after a number, a bullet or marks of emphasis. A numbered
    line without one is a step that could not be read; all other lines are talk.
    """
    known = {action.name.casefold(): action for action in actions}
    world = _World()
    for condition in begins:
        world.become(condition, ())
    found = []
    place = 0
    for line in answer.splitlines(keepends=True):
        step = _read(line, place, known)
        place += len(line)
        if step is not None:
            found.append(_checked(step, known, world))
    return found


def _read(line: str, place: int, known: Mapping[str, PlanAction]) -> Step | None:
    bare = line.replace("\\_", "_")
    lead = _LEAD.match(bare)
    rest = bare[lead.end() if lead else 0 :].lstrip("*_`# ")
    call = _CALL.match(rest)
    if call is None:
        return Step(line.strip(), place) if _NUMBERED.match(bare) and rest.strip() else None
    marked = bool(lead and lead.group().strip())
    if not marked and call["gap"] and call["name"].casefold() not in known:
        return None  # "Done (I hope)."
    objects = tuple(part.strip() for part in call["objects"].split(",")) if call["objects"].strip() else ()
    return Step(line.strip(), place, call["name"], objects)


def _checked(step: Step, known: Mapping[str, PlanAction], world: _World) -> Step:
    if step.action is None:
        return Step(step.line, step.start, problems=("No action could be read here.",))
    action = known.get(step.action.casefold())
    if action is None:
        return Step(step.line, step.start, step.action, step.objects, (f"{step.action} is none of the actions.",))
    if len(step.objects) != action.objects:
        wanted = f"{action.objects} object{'' if action.objects == 1 else 's'}"
        said = f"{action.name} takes {wanted}; {len(step.objects)} {'is' if len(step.objects) == 1 else 'are'} named."
        return Step(step.line, step.start, action.name, step.objects, (said,))
    problems, unknown = [], []
    for condition in action.needs:
        holds = world.holds(condition, step.objects)
        if holds is False:
            problems.append(f"needs {_words(condition, step.objects)}, and the steps before say otherwise.")
        elif holds is None:
            unknown.append(_words(condition, step.objects))
    turned = [
        f"not {each}" if held else each
        for each in action.turns
        if (held := world.holds(each, step.objects)) is not None
    ]
    for condition in (*(f"not {ended}" for ended in action.ends), *action.makes, *turned):
        world.become(condition, step.objects)
    return Step(step.line, step.start, action.name, step.objects, tuple(problems), tuple(unknown))


def _words(condition: str, objects: Sequence[str]) -> str:
    found = _CONDITION.fullmatch(condition)
    if found is None:
        return condition
    predicate = found["predicate"].replace("_", " ")
    if found["of"] == "*":
        return f"{predicate} {'nothing' if found['no'] else 'something'}"
    return f"{'not ' if found['no'] else ''}{predicate} {objects[int(found['of']) - 1]}"


@dataclass
class _World:
    """What the steps so far have said: true and false facts; of everything else nothing is known."""

    facts: dict[tuple[str, str], bool] = field(default_factory=dict)
    elsewhere: dict[str, bool] = field(default_factory=dict)
    """What holds for every object that has no fact of its own, by predicate."""

    def holds(self, condition: str, objects: Sequence[str]) -> bool | None:
        """Whether a condition is met; None if nothing has been said about it."""
        found = _CONDITION.fullmatch(condition)
        if found is None:
            return None
        predicate, wanted = found["predicate"], not found["no"]
        if found["of"] != "*":
            value = self.facts.get((predicate, objects[int(found["of"]) - 1].casefold()), self.elsewhere.get(predicate))
            return None if value is None else value is wanted
        some = any(value for (name, _), value in self.facts.items() if name == predicate)
        if some:
            return wanted
        return None if self.elsewhere.get(predicate) is None else not wanted

    def become(self, condition: str, objects: Sequence[str]) -> None:
        """Take a condition as true from here on."""
        found = _CONDITION.fullmatch(condition)
        if found is None:
            return
        predicate, value = found["predicate"], not found["no"]
        if found["of"] == "*":
            self.facts = {key: held for key, held in self.facts.items() if key[0] != predicate}
            self.elsewhere[predicate] = value
        else:
            self.facts[predicate, objects[int(found["of"]) - 1].casefold()] = value
