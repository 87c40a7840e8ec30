"""Prompts for models: our own prompt sets, and published prompt files.

Placeholders look like ``{question}``. Other braces, such as those of a JSON example, are text. ``<image>`` in a
prompt for models marks the position of the pictures.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotation_schemas import HOME, registry, yaml_text
from annotation_schemas.prompt import Prompt, parse_prompt
from annotation_schemas.typed_yaml import dotted
from domain.errors import SchemaError

_NAME = re.compile(r"[a-z][a-z0-9_-]*")

GENERAL = "general"
"""The variant for dimensions without a variant of their own."""
IMAGE = "<image>"
"""The position of the pictures in a prompt. Without it, pictures come before the text."""
MOST_TYPES = 1000
"""The maximum number of prompt types in a variant."""


@dataclass(frozen=True)
class PromptSet:
    """Prompts by model family, and in each by variant; every family has the variant ``general``."""

    name: str
    default: str
    families: Mapping[str, Mapping[str, Prompt]]
    types: Mapping[str, tuple[Prompt, ...]] = field(default_factory=dict)
    """For a variant with several wordings: all its prompts by the name of the first one, a prompt for each combination
    of wordings. The first one is also in ``families``.
    """
    injections: Mapping[str, Prompt] = field(default_factory=dict)
    """Possible additions to the question: texts with the item's fields, by the name that a run uses."""
    text: str = ""
    """The text of the file."""

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def prompt(self, *, family: str | None = None, variant: str = GENERAL) -> Prompt:
        """Return the prompt for a model family (unknown or None: the default one) and variant (unknown:
        ``general``).
        """
        variants = self.families.get(family or self.default) or self.families[self.default]
        return variants.get(variant) or variants[GENERAL]

    def types_of(self, prompt: Prompt) -> tuple[Prompt, ...]:
        """Return all types of a prompt, itself first. A prompt with one wording has only itself."""
        return self.types.get(prompt.name, (prompt,))

    def type_for(self, prompt: Prompt, *, seed: int | None, item: str) -> Prompt:
        """Return the prompt type for an item of this name.

        Without a seed, it is the first type. With a seed, all types are equally likely, and the choice is
        reproducible.
        """
        types = self.types_of(prompt)
        if seed is None or len(types) == 1:
            return types[0]
        drawn = hashlib.sha256(f"{seed}/{prompt.name}/{item}".encode("utf-8", "surrogatepass")).digest()
        return types[int.from_bytes(drawn[:8], "big") % len(types)]


def load_prompt_set(name: str) -> PromptSet:
    """Return a registered prompt set. Raise ``KeyError`` if there is none."""
    if registry.find("prompt_set", name) is None:
        raise KeyError(name)
    return read_prompt_set(HOME / "prompts" / f"{name}.yaml")


def read_prompt_set(path: Path) -> PromptSet:
    """Return a prompt set from a YAML file.

    The file has ``default`` and ``families``, with variants of ``system`` and ``user`` texts. It may have
    ``injections`` with a ``text`` each. A variant may have ``wordings``: named parts with alternative wordings, one
    of which replaces ``<name>`` in the variant's texts.

    Raises
    ------
    SchemaError
        One line per problem: ``file:line: key: what is wrong``.
    """
    return parse_prompt_set(_read(path), name=path.stem, file=str(path))


@lru_cache(maxsize=16)
def parse_prompt_set(text: str, *, name: str, file: str) -> PromptSet:
    """Return a prompt set from its YAML. Messages name ``file``. Raises the errors of ``read_prompt_set``."""
    document = yaml_text.parse_yaml(text)
    value = _mapping(document.value)
    for key in value:
        if key not in ("default", "families", "injections"):
            document.add(
                (key,), "a prompt set can have only the keys `default`, `families` and `injections`; remove this key"
            )
    families = _mapping(value.get("families"))
    by_family: dict[str, dict[str, Prompt]] = {}
    types: dict[str, tuple[Prompt, ...]] = {}
    for family, variants in families.items():
        if not isinstance(variants, dict) or GENERAL not in variants:
            document.add(("families", family), f"the family `{family}` has no variant `{GENERAL}`; add the variant")
            continue
        for variant, parts in variants.items():
            path = ("families", family, variant)
            if not _is_prompt(parts):
                document.add(path, "a prompt needs the key `user`; the keys `system` and `wordings` are optional")
                continue
            prompt = Prompt(f"{name}/{family}/{variant}", parts["user"].strip("\n"), parts.get("system"))
            if "wordings" in parts and (made := _types(prompt, parts["wordings"], document, path)):
                prompt = made[0]
                types[prompt.name] = made
            by_family.setdefault(family, {})[variant] = prompt
    if value.get("default") not in families:
        document.add(("default",), "`default` must name one of the families")
    injections = _injections(value.get("injections"), document, name)
    if document.troubles:
        lines = [f"{file}:{trouble.line}: {dotted(trouble.path)}: {trouble.message}." for trouble in document.troubles]
        raise SchemaError("\n".join(lines))
    return PromptSet(name, value["default"], by_family, types, injections, text)


def _types(prompt: Prompt, wordings: Any, document: yaml_text.Document, path: tuple[str, ...]) -> tuple[Prompt, ...]:
    """Return a prompt for each combination of wordings. Its name ends in the numbers of the wordings, from 1."""
    path = (*path, "wordings")
    if not isinstance(wordings, dict) or not wordings:
        document.add(path, "`wordings` must name parts of the prompt, each with a list of wordings")
        return ()
    fits = True
    for part, texts in wordings.items():
        problem = _wordings_problem(prompt, part, texts)
        if problem is not None:
            document.add((*path, part), problem)
            fits = False
    if not fits:
        return ()
    n = math.prod(len(texts) for texts in wordings.values())
    if n > MOST_TYPES:
        document.add(
            path, f"the wordings combine to {n:,} prompts, but at most {MOST_TYPES:,} are allowed; list fewer wordings"
        )
        return ()
    prompts = []
    for places in itertools.product(*(range(len(texts)) for texts in wordings.values())):
        user, system = prompt.user, prompt.system
        for (part, texts), place in zip(wordings.items(), places, strict=True):
            user = user.replace(f"<{part}>", texts[place])
            system = system.replace(f"<{part}>", texts[place]) if system is not None else None
        prompts.append(Prompt(f"{prompt.name}/{'.'.join(str(place + 1) for place in places)}", user, system))
    return tuple(prompts)


def _wordings_problem(prompt: Prompt, part: Any, texts: Any) -> str | None:
    """Return the problem with the wordings of a part of a prompt, or None."""
    if not isinstance(part, str) or not _NAME.fullmatch(part) or f"<{part}>" == IMAGE:
        return (
            "the name of a part can have only lowercase letters, digits, dashes and underscores, and cannot be `image`"
        )
    if f"<{part}>" not in f"{prompt.system or ''}{prompt.user}":
        return f"the prompt has no `<{part}>`; add this marker where the wordings belong"
    if (
        not isinstance(texts, list | tuple)
        or not texts
        or not all(isinstance(text, str) and text.strip() for text in texts)
    ):
        return "the wordings must be a list with at least one text"
    if len(set(texts)) < len(texts):
        return "a wording appears twice; remove the duplicate"
    return None


def _injections(value: Any, document: yaml_text.Document, name: str) -> dict[str, Prompt]:
    prompts: dict[str, Prompt] = {}
    if value is not None and not isinstance(value, dict):
        document.add(("injections",), "each name in `injections` needs a `text`")
    for key, parts in _mapping(value).items():
        path = ("injections", key)
        if not _NAME.fullmatch(key):
            document.add(
                path, "the name of an injection can have only lowercase letters, digits, dashes and underscores"
            )
        elif not isinstance(parts, dict) or set(parts) != {"text"} or not isinstance(parts["text"], str):
            document.add(path, "an injection needs exactly one key, `text`, with text as its value")
        else:
            prompts[key] = Prompt(f"{name}/{key}", parts["text"].strip("\n"))
            if not prompts[key].placeholders:
                document.add((*path, "text"), "the text uses no field of the item; add a field name in curly brackets")
    return prompts


def parse_prompts(text: str, *, file: str) -> PromptSet:
    """Return prompts for models from the text of a file. The ending of its name gives the format.

    ``.yaml``: a prompt set. ``.jsonl``: published prompts, each a variant by its name, chosen by ``FILE#NAME``. Any
    other file: a template with ``=== system ===`` and ``=== user ===`` lines, or plain text.

    Raises
    ------
    SchemaError
        The text is invalid; one line per problem.
    """
    path, _, chosen = file.partition("#")
    name = Path(path).name
    if name.endswith((".yaml", ".yml")):
        return parse_prompt_set(text, name=name, file=path)
    if not name.endswith((".jsonl", ".json")):
        prompt = parse_prompt(name, text)
        if not prompt.user:
            raise SchemaError(f"{path}:1: the file has no user prompt. Write the text that the model receives.")
        return PromptSet(name, "any", {"any": {GENERAL: prompt}}, text=text)
    variants: dict[str, Prompt] = dict(_published_prompts(text, file=path))
    wanted = chosen or (GENERAL if GENERAL in variants else next(iter(variants)))
    if wanted not in variants or (not chosen and GENERAL not in variants and len(variants) > 1):
        known = ", ".join(variants)
        raise SchemaError(
            f"{path}:1: the file has several prompts. Choose a prompt with {name}#NAME. The names are: {known}."
        )
    return PromptSet(name, "any", {"any": {**variants, GENERAL: variants[wanted]}}, text=text)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_prompt(parts: Any) -> bool:
    return (
        isinstance(parts, dict)
        and "user" in parts
        and set(parts) <= {"user", "system", "wordings"}
        and all(isinstance(text, str) for name, text in parts.items() if name != "wordings")
    )


# ---- published files ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedPrompt(Prompt):
    """A prompt from a published file, with the file's information about it."""

    type: str | None = None
    description: str | None = None
    category: str | None = None
    output_format: str | None = None


def load_published_prompts(path: Path | str) -> dict[str, PublishedPrompt]:
    """Return judge prompts by name, from JSON lines with ``name``, ``prompt_template`` and perhaps ``system_prompt``.

    Raises
    ------
    SchemaError
        A line is invalid; the message names file and line.
    """
    return _published_prompts(_read(Path(path)), file=str(path))


def _published_prompts(text: str, *, file: str) -> dict[str, PublishedPrompt]:
    published_prompts: dict[str, PublishedPrompt] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        prompt = _published(line, where=f"{file}:{number}")
        if prompt.name in published_prompts:
            raise SchemaError(
                f"{file}:{number}: name: an earlier prompt is also called `{prompt.name}`. Rename one of these prompts."
            )
        published_prompts[prompt.name] = prompt
    if not published_prompts:
        raise SchemaError(f"{file}:1: the file has no prompts. Add one JSON object per line.")
    return published_prompts


def read_prompts(file: str) -> PromptSet:
    """Return prompts for models from a file, as ``parse_prompts`` does; ``FILE#NAME`` chooses one of several."""
    return parse_prompts(_read(Path(file.partition("#")[0])), file=file)


def _published(line: str, *, where: str) -> PublishedPrompt:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{where}: the line is not JSON. Write one JSON object per line.") from error
    if not isinstance(record, dict):
        raise SchemaError(f"{where}: the line is not a JSON object. Write one JSON object per line.")
    for key in ("name", "prompt_template"):
        if not isinstance(record.get(key), str):
            raise SchemaError(f"{where}: {key}: the text is missing. Add the text.")
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
        raise SchemaError(
            f"{path}:1: the file cannot be read: {(error.strerror or str(error)).lower()}. Check the path and the "
            "permissions."
        ) from error
    except ValueError as error:
        raise SchemaError(f"{path}:1: {error}.") from error
