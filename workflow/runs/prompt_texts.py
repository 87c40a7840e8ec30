"""Prompts filled in with the texts of an item.

Nothing that tells the right answer is ever offered to a prompt (``annotation_schemas.keys``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.judge_templates import DIMENSION
from annotation_schemas.keys import key_fields, none_label, options_field
from annotation_schemas.model import ItemField, Schema
from annotation_schemas.placeholders import CHOICES, INJECTED, SUMMARY
from annotation_schemas.prompt import Prompt
from annotation_schemas.prompts import GENERAL, IMAGE, PromptSet
from domain.runs import TWO_STEPS, FirstAnswer, RunPlan
from domain.states import VERIFICATIONS
from domain.strategies import added_strategy
from workflow.runs.question_items import AskedItem, Cannot
from workflow.runs.shown_pictures import Shown

TEXT_ONLY = "text_only"
"""The variant that is taken instead of ``general`` where pictures are left out."""
FIRST = "first"
"""The variant that is asked first where there are two steps."""


class PromptFiller:
    """Fills prompts."""

    def __init__(self, schema: Schema, plan: RunPlan, family: str | None, prompts: PromptSet) -> None:
        self.schema = schema
        self.plan = plan
        self.prompts = prompts
        self.family = family
        self.fields = {field.name: field for field in schema.item.fields}
        self.keys = key_fields(schema)
        self.options = options_field(schema)
        self.own = schema.models is not None and schema.models.prompts == plan.prompt_set and not plan.prompt_text
        self.texts = FieldTexts(schema)
        self._variants = {name: variant for variant, names in plan.variants.items() for name in names}

    def variant(self, dimension: str) -> str:
        """Return the prompt variant of a dimension; ``general`` if the family has no such variant.

        A dimension without a variant of its own uses, if the family has it, the strategy's name (with tools) or
        ``text_only`` (without pictures).
        """
        added = added_strategy(self.plan.strategy)
        usual = TEXT_ONLY if self.plan.text_only else GENERAL
        usual = usual if added is None else added.name
        variant = self._variants.get(dimension, usual)
        family = self.prompts.families.get(self.family or "") or self.prompts.families[self.prompts.default]
        return variant if variant in family else GENERAL

    def prompt(self, item: AskedItem, variant: str | None = None) -> Prompt:
        """Return the prompt of an item, in its dimension's variant or another one.

        With several wordings, the plan's seed and the item's name choose one.
        """
        prompt = self.prompts.prompt(family=self.family, variant=variant or self.variant(item.dimension))
        return self.prompts.type_for(prompt, seed=self.plan.prompt_seed, item=item.name)

    def prompt_type(self, item: AskedItem) -> dict[str, str]:
        """Return the stored name and hash of the item's wording; empty with a single wording."""
        prompt = self.prompt(item)
        first = self.prompts.prompt(family=self.family, variant=self.variant(item.dimension))
        several = len(self.prompts.types_of(first)) > 1
        return {"name": prompt.name, "hash": prompt.hash} if several else {}

    def parts(
        self, item: AskedItem, shown: Sequence[Shown], *, variant: str | None = None
    ) -> tuple[str | None, list[str | Shown]]:
        """Return the system's text and the user's turn, in the dimension's variant or another one."""
        prompt = self.prompt(item, variant)
        injected = self._told(item)
        values = {name: self._value(name, item, injected) for name in prompt.placeholders}
        if injected and INJECTED not in prompt.placeholders:
            prompt = replace(prompt, user=f"{{{INJECTED}}}\n\n{prompt.user}")
            values[INJECTED] = injected.lstrip("\n")
        for name in (CHOICES, INJECTED):
            if values.get(name):  # the text after these lines starts on a new line
                prompt = replace(prompt, user=prompt.user.replace(f"{{{name}}} ", f"{{{name}}}\n"))
        system = Prompt(prompt.name, prompt.system).fill(values).user if prompt.system is not None else None
        return system, self._placed(prompt, values, shown)

    def _placed(self, prompt: Prompt, values: Mapping[str, str], shown: Sequence[Shown]) -> list[str | Shown]:
        """Return the parts with the pictures at the prompt's marks, or before the text if it has no marks."""
        texts = [self._with_first_answer(prompt.name, piece, values) for piece in prompt.user.split(IMAGE)]
        n_marks = len(texts) - 1
        if n_marks > 1 and shown and n_marks != len(shown):
            raise Cannot(
                f"The prompt has placeholders for {n_marks} pictures, but this item has {len(shown)}. Correct the "
                "prompt."
            )
        parts: list[str | Shown] = []
        for at, (text, *more) in enumerate(texts):
            if at or not n_marks:
                parts += shown if n_marks <= 1 else shown[at - 1 : at]
            if not shown and at and parts and type(parts[-1]) is str:
                text = _joined(parts.pop(), text)
            parts += [piece for piece in (text, *more) if piece]
        return parts

    def _with_first_answer(self, name: str, piece: str, values: Mapping[str, str]) -> list[str]:
        """Return a filled piece of a prompt. The places of the first answer become parts of their own."""
        here = f"{{{SUMMARY}}}"
        texts = piece.split(here) if self._is_first_answer(SUMMARY) else [piece]
        first, *rest = (Prompt(name, text).fill(values).user for text in texts)
        return [first, *(part for text in rest for part in (FirstAnswer(here), text))]

    def ranked(self, item: AskedItem) -> tuple[str, ...]:
        """Return the options, if the plan ranks them."""
        if self.plan.strategy != "rank_options":
            return ()
        options = item.fields.get(self.options or "")
        if not isinstance(options, list | tuple) or not options:
            raise Cannot("This item has no options to rank. Choose items with options, or use the strategy generate.")
        return tuple(str(entry) for entry in options)

    def _told(self, item: AskedItem) -> str:
        """Return the lines of the plan's injections."""
        lines = ""
        for name in self.plan.injections:
            injection = self.prompts.injections.get(name)
            if injection is None:
                raise Cannot(f"The prompts have no addition `{name}`. Choose another addition.")
            values = {placeholder: self._value(placeholder, item, "") for placeholder in injection.placeholders}
            lines += "\n" + injection.fill(values).user
        return lines

    def tools(self, item: AskedItem) -> Mapping[str, Any] | None:
        """Return the stored results of tools, if the strategy lets the model ask for tools."""
        if added_strategy(self.plan.strategy) is None:
            return None
        if not item.tools and not self.plan.tools_hash:
            raise Cannot("This item has no stored results of tools, and the run has no tool set. Choose a tool set.")
        return item.tools

    def fills(self, placeholder: str) -> bool:
        """Return whether a placeholder has a source."""
        known = {*self.fields, INJECTED, CHOICES, DIMENSION}
        return self._source(placeholder) in known or self._is_first_answer(placeholder)

    def _is_first_answer(self, placeholder: str) -> bool:
        return placeholder == SUMMARY and self.plan.strategy == TWO_STEPS

    def _source(self, placeholder: str) -> str:
        name = self.plan.fills.get(placeholder, placeholder)
        return self.options if name == "options" and name not in self.fields and self.options else name

    def _value(self, placeholder: str, item: AskedItem, told: str) -> str:
        if self._is_first_answer(placeholder):
            return ""
        name = self._source(placeholder)
        if name not in self.fields:
            if name == INJECTED:
                return told
            if name == CHOICES:
                return self._choices(item)
            if name == DIMENSION:
                known_as = {dimension.id: dimension.title for dimension in self.schema.dimensions}
                return known_as.get(item.dimension, item.dimension)
            raise Cannot(f"The prompt asks for `{placeholder}`, but items do not have this field. Choose a field.")
        known = self.fields[name]
        if name in self.keys:
            raise Cannot(
                f"The prompt asks for `{name}`, which contains the right answer. Remove this placeholder from the "
                "prompt."
            )
        if known.secret_in and not self.own:
            raise Cannot(
                f"The prompt asks for `{name}`, which is secret. Only the schema's own prompts may use this "
                "field. Remove this placeholder."
            )
        value = item.fields.get(name)
        if value is None or value in ([], ()) or (isinstance(value, str) and not value.strip()):
            raise Cannot(
                f"The prompt asks for `{name}`, which this item does not have. Fill in the field, or choose another "
                "prompt."
            )
        text = self.texts.text(known, value)
        if text is None:
            raise Cannot(
                f"The prompt asks for `{known.name}`, which is drawn on the picture and has no text. Remove this "
                "placeholder from the prompt."
            )
        return text

    def _choices(self, item: AskedItem) -> str:
        """Return the options, one line each; empty if there are none or the plan ranks them."""
        options = item.fields.get(self.options or "")
        if not isinstance(options, list | tuple) or not options or self.plan.strategy == "rank_options":
            return ""
        last = none_label(self.schema, self.options)
        return "\n" + _letters([*options, *([last] if last is not None else [])])


class FieldTexts:
    """The texts of an item's fields in a prompt: lists have letters if raters choose from them, otherwise commas."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.lettered = {options_field(schema)} | {
            criterion.field
            for stage in (*VERIFICATIONS, "refinement", "grading")
            for criterion in registry.criteria_of(schema, stage)
        }

    def text(self, known: ItemField, value: Any) -> str | None:
        """Return the text of a value; None for a value that is drawn on a picture."""
        value = kinds.of_field(known).in_words(known, value)
        if value is None:
            return None
        if isinstance(value, list | tuple):
            if known.name in self.lettered:
                last = none_label(self.schema, known.name)
                return _letters([*value, *([last] if last is not None else [])])
            if all(isinstance(entry, str) for entry in value):
                return ", ".join(value)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _letters(options: Sequence[Any]) -> str:
    names = ascii_uppercase if len(options) <= len(ascii_uppercase) else [str(at) for at in range(1, len(options) + 1)]
    return "\n".join(f"{name}. {option}" for name, option in zip(names, options, strict=False))


def _joined(before: str | Shown, after: str) -> str:
    """Return two texts joined over a picture mark without a picture."""
    assert isinstance(before, str)
    return before + (after[1:] if before.endswith("\n") and after.startswith("\n") else after)
