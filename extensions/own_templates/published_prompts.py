"""Published prompts for judges as templates, with what the file does not say: how replies are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from annotation_schemas.prompts import PublishedPrompt, load_published_prompts
from workflow.runs.judge_templates import ID


def value_of(text: str) -> str | float:
    """Return a typed value: a number if the text is one, otherwise the text.

    >>> value_of("0.5"), value_of("A>B")
    (0.5, 'A>B')
    """
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def published_texts(path: Path, *, parser: str, values: Sequence[Any], pair: Sequence[str] = ()) -> Mapping[str, str]:
    """Return the prompts of a published file (JSON lines, as FastChat writes them) as template texts, by their own
    names.

    Their words stay unchanged. ``parser`` and ``values`` declare how replies are read. The prompts named in ``pair``
    compare two answers.

    Raises
    ------
    SchemaError
        The file is invalid.
    """
    return {
        name: _text_of(prompt, parser=parser, values=values, pair=name in pair)
        for name, prompt in load_published_prompts(path).items()
    }


def _text_of(prompt: PublishedPrompt, *, parser: str, values: Sequence[Any], pair: bool) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", prompt.name.lower()).strip("_")
    head: dict[str, Any] = {
        "id": name if ID.fullmatch(name) else f"published_{name}",
        "version": 1,
        "meaning": prompt.description or f"the published prompt {prompt.name}",
        "variables": list(prompt.placeholders),
        "parser": parser,
        "values": list(values),
    }
    if pair:
        head["pair"] = True
    written = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, default_flow_style=None, width=1000)
    system = f"=== system ===\n{prompt.system}\n" if prompt.system else ""
    return f"---\n{written}---\n{system}=== user ===\n{prompt.user}\n"
