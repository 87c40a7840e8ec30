"""A plan of actions, read step by step, with tags for errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import CriterionKind, Found, Json, Texts, is_list, place_of, text_of
from annotation_schemas.model import PREDICTION, Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same
from extensions.plans.conditions import condition_problem, n_places
from extensions.plans.steps import PlanStep, steps_of


class Plan(CriterionKind):
    """A rater tags steps: a list of ``{"step", "tag"}`` that counts the steps from 1; 0 is the plan as a whole."""

    name = "plan"
    place = 100
    meaning = "a plan of actions, with tags for the faults of each step"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the tags",
        "of": "the item's field that contains the text; absent: the model's answer",
        "actions": "the possible actions",
        "begins": "the conditions that hold at the beginning",
        "follows": "conditions that also hold through relations: with `near: [on_top_of, inside]`, an object on or "
        "in a near object is also near",
        "says": "how models word each condition, the opposite of a condition (`not open`), or a condition that no "
        "object meets (`not holding *`); with this key, Touchstone also checks lines of pre- and "
        "postconditions",
    }
    not_measured = "tags of steps have no single value; compare the grade of the plan instead"
    only_here = "raters read a plan step by step on a page that only Touchstone has."
    of_the_item = True

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        yield from text_of(schema, stage, criterion, path)
        if not criterion.actions:
            yield path, "`actions` is missing; list the actions that a plan may have"
        yield from grammar.unique(
            [((*path, "actions", at), action.name) for at, action in enumerate(criterion.actions)]
        )
        conditions: list[tuple[Path, str, int]] = [((*path, "begins"), text, 0) for text in criterion.begins]
        for index, action in enumerate(criterion.actions):
            for key in ("needs", "makes", "ends", "turns", "states"):
                place: Path = (*path, "actions", index, key)
                conditions += [(place, text, action.objects) for text in getattr(action, key) or ()]
        taking: dict[str, int] = {}
        for place, text, n_objects in conditions:
            problem = condition_problem(text, n_objects)
            if problem:
                yield place, f"`{text}`: {problem}"
                continue
            predicate, n = n_places(text) or (text, 1)
            if taking.setdefault(predicate, n) != n:
                yield (
                    place,
                    (
                        f"`{text}`: `{predicate}` has one object in one condition and two in another; use "
                        "the same number of objects in all conditions"
                    ),
                )
        yield from self._check_says(criterion, taking, (*path, "says"))
        for predicate, relations in criterion.follows.items():
            for name, n in ((predicate, 1), *((relation, 2) for relation in relations)):
                if taking.get(name) != n:
                    of = "one object" if n == 1 else "two objects"
                    yield (
                        (*path, "follows", predicate),
                        (
                            f"no action has a condition `{name}` with {of}; add the condition to an action, or remove "
                            "the name"
                        ),
                    )

    def _check_says(self, criterion: Criterion, taking: Mapping[str, int], path: Path) -> Found:
        """Check the words that `says` lists for conditions."""
        for key, phrases in criterion.says.items():
            predicate, _, any_ = key.removeprefix("not ").partition(" ")
            if predicate not in taking or any_ not in ("", "*") or (any_ and taking[predicate] != 1):
                yield (
                    (*path, key),
                    (
                        f"no action has the condition `{key}`; use one of {', '.join(taking)}; if needed, put "
                        "`not` in front, and ` *` after a condition with one object"
                    ),
                )
            if not phrases or not all(phrase.strip() for phrase in phrases):
                yield (*path, key), "give at least one wording for this condition; wordings must not be empty"

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        n_steps = len(self._steps(criterion, texts) or ())
        if not is_list(value):
            return "The value must be a list of step tags."
        seen: list[Any] = []
        for number, entry in enumerate(value, 1):
            if not isinstance(entry, Mapping) or set(entry) != {"step", "tag"}:
                return f"Tag {number} must have both `step` and `tag`."
            step = entry["step"]
            if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step <= n_steps:
                return f"Tag {number} names a step that the plan does not have. Choose a step from the plan."
            if place_of(options, entry["tag"]) is None:
                return f"Tag {number} is not an option. Choose one of the options."
            if any(same(entry, other) for other in seen):
                return f"Tag {number} is a duplicate. Remove the duplicate."
            seen.append(entry)
        return None

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        if set(entry) != {"step", "tag"}:
            return None
        return f"step {entry['step']}: {entry['tag']}" if entry["step"] else f"the whole: {entry['tag']}"

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [[], [{"step": 0, "tag": offered[0] if offered else None}]]

    def page(self, criterion: Criterion) -> Json:
        return {
            "of": criterion.of or PREDICTION,
            "actions": [{"name": action.name, "help": action.help} for action in criterion.actions],
        }

    def page_of_item(self, criterion: Criterion, texts: Texts) -> Any:
        """Return the steps of the plan after reading and checking."""
        steps = self._steps(criterion, texts)
        if steps is None:
            return None
        return [
            {"line": step.line, "start": step.start, "problems": list(step.problems), "open": list(step.open)}
            for step in steps
        ]

    def _steps(self, criterion: Criterion, texts: Texts) -> list[PlanStep] | None:
        text = texts.get(criterion.of or PREDICTION)
        return (
            steps_of(text, criterion.actions, criterion.begins, criterion.says, criterion.follows)
            if isinstance(text, str)
            else None
        )


CRITERION = Plan()
