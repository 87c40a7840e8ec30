"""Texts for models and judges: our own templates and prompt sets, and published prompt files beside them.

Placeholders look like ``{question}``. Braces around anything else, such as a JSON example, are text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas import HOME, registry, yaml_text
from annotation_schemas.typed_yaml import dotted
from domain.errors import SchemaError

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_PART = re.compile(r"^=== (system|user) ===\n", re.MULTILINE)

GENERAL = "general"
"""The variant for dimensions that have none of their own."""


@dataclass(frozen=True)
class Prompt:
    """What a model or a judge is asked, with placeholders."""

    name: str
    user: str
    system: str | None = None

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The placeholders in the order in which they first appear."""
        return tuple(dict.fromkeys(_PLACEHOLDER.findall(f"{self.system or ''}{self.user}")))

    def fill(self, values: Mapping[str, str]) -> Prompt:
        """The prompt with every placeholder replaced. What is filled in is never searched for placeholders.

        Raises
        ------
        ValueError
            A placeholder has no value.
        """
        missing = [name for name in self.placeholders if name not in values]
        if missing:
            raise ValueError(f"the prompt {self.name!r} needs a value for {', '.join(missing)}")

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)

        return Prompt(self.name, fill(self.user), fill(self.system) if self.system is not None else None)


@dataclass(frozen=True)
class PromptSet:
    """Prompts by model family, and in each by variant; every family has the variant ``general``."""

    name: str
    default: str
    families: Mapping[str, Mapping[str, Prompt]]

    def prompt(self, *, family: str | None = None, variant: str = GENERAL) -> Prompt:
        """The prompt for a model family (unknown or None: the default one) and variant (unknown: ``general``)."""
        variants = self.families.get(family or self.default) or self.families[self.default]
        return variants.get(variant) or variants[GENERAL]


def load_template(name: str) -> Prompt:
    """The text of a judge template of the registry; ``KeyError`` if there is none."""
    return parse_template(name, _read(HOME / "templates" / f"{registry.template(name).name}.txt"))


def parse_template(name: str, text: str) -> Prompt:
    """A text with ``=== system ===`` and ``=== user ===`` lines; without them all of it is for the user."""
    pieces = _PART.split(text)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True)) or {"user": text}
    return Prompt(name, parts.get("user", "").strip(), parts["system"].strip() if "system" in parts else None)


def load_prompt_set(name: str) -> PromptSet:
    """A prompt set of the registry; ``KeyError`` if there is none."""
    if registry.find("prompt_set", name) is None:
        raise KeyError(name)
    return read_prompt_set(HOME / "prompts" / f"{name}.yaml")


def read_prompt_set(path: Path) -> PromptSet:
    """A prompt set from a YAML file: ``default`` and ``families`` with variants of ``system`` and ``user`` texts.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    document = yaml_text.read(_read(path))
    value = _mapping(document.value)
    families = _mapping(value.get("families"))
    found: dict[str, dict[str, Prompt]] = {}
    for family, variants in families.items():
        if not isinstance(variants, dict) or GENERAL not in variants:
            document.add(("families", family), f"the variant `{GENERAL}` is missing")
            continue
        for variant, parts in variants.items():
            if not _is_prompt(parts):
                document.add(("families", family, variant), "a prompt has `user` and perhaps `system`, both text")
                continue
            prompt = Prompt(f"{path.stem}/{family}/{variant}", parts["user"].strip("\n"), parts.get("system"))
            found.setdefault(family, {})[variant] = prompt
    if value.get("default") not in families:
        document.add(("default",), "this must be one of the families")
    if document.troubles:
        lines = [f"{path}:{each.line}: {dotted(each.path)}: {each.message}." for each in document.troubles]
        raise SchemaError("\n".join(lines))
    return PromptSet(path.stem, value["default"], found)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_prompt(parts: Any) -> bool:
    return (
        isinstance(parts, dict)
        and "user" in parts
        and set(parts) <= {"user", "system"}
        and all(isinstance(text, str) for text in parts.values())
    )


# ---- published files ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedPrompt(Prompt):
    """A prompt from somebody else's file, with what that file says about it."""

    type: str | None = None
    description: str | None = None
    category: str | None = None
    output_format: str | None = None


def load_published_prompts(path: Path | str) -> dict[str, PublishedPrompt]:
    """Judge prompts from JSON lines with ``name``, ``prompt_template`` and perhaps ``system_prompt``, by name.

    Raises
    ------
    SchemaError
        A line does not fit; the message names file and line.
    """
    path = Path(path)
    found: dict[str, PublishedPrompt] = {}
    for number, line in enumerate(_read(path).splitlines(), start=1):
        if not line.strip():
            continue
        prompt = _published(line, where=f"{path}:{number}")
        if prompt.name in found:
            raise SchemaError(f"{path}:{number}: name: a prompt `{prompt.name}` was there before.")
        found[prompt.name] = prompt
    if not found:
        raise SchemaError(f"{path}:1: the file holds no prompts.")
    return found


def _published(line: str, *, where: str) -> PublishedPrompt:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{where}: the line is not JSON; a prompt file has one JSON object a line.") from error
    if not isinstance(record, dict):
        raise SchemaError(f"{where}: the line is no JSON object.")
    for key in ("name", "prompt_template"):
        if not isinstance(record.get(key), str):
            raise SchemaError(f"{where}: {key}: the text is missing.")
    texts = {
        key: record[key]
        for key in ("type", "description", "category", "output_format")
        if isinstance(record.get(key), str)
    }
    system = record.get("system_prompt")
    return PublishedPrompt(
        name=record["name"],
        user=record["prompt_template"],
        system=system if isinstance(system, str) else None,
        **texts,
    )


def _read(path: Path) -> str:
    try:
        return yaml_text.decode(path.read_bytes())
    except OSError as error:
        raise SchemaError(f"{path}:1: the file cannot be read: {(error.strerror or str(error)).lower()}.") from error
    except ValueError as error:
        raise SchemaError(f"{path}:1: {error}.") from error
