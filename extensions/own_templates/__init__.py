"""Own templates: a project's own templates of judges, written in the app, out of files, or out of published prompts.

``page_parts`` adds *Edit* and *Upload a file* below the choice of a template on the page *Judges*, and
``published_prompts`` makes templates of published prompts. Core stores versions of templates
(``workflow.runs.judge_templates``), and ``touchstone judge run --template FILE`` adds one, also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.own_templates.commands import run_template

    return (run_template,)


def _template_parts() -> Sequence[Any]:
    from extensions.own_templates import page_parts

    return (("Edit", page_parts.edit), ("Upload a file", page_parts.upload))


EXTENSION = Extension(
    name="own_templates", title="Own judge templates", commands=_commands, template_parts=_template_parts
)
