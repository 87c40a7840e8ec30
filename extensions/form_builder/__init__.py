"""Form builder: make a form in the browser, as rows, as a live form and as YAML, and create a project from it.

The YAML text is the one truth. ``yaml_edits`` changes single keys of the text, and ``row_edits`` makes such edits for a
row. ``fixes`` mends findings. ``keep_words`` says which votes keep an item. ``form_state`` returns the content of the
page, and ``drafts`` saves texts while people type. In a terminal, ``touchstone schema create`` asks a
few questions (``outline``) and writes a schema and a guideline (``schema_text``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.form_builder.pages import builder

    return (builder,)


def _commands() -> Sequence[Any]:
    from extensions.form_builder.commands import schema_new

    return (schema_new,)


def _work_actions() -> Sequence[Any]:
    from extensions.form_builder.actions import ACTIONS

    return ACTIONS


def _schema_editors() -> Sequence[Any]:
    from extensions.form_builder.editor import EDITOR

    return (EDITOR,)


EXTENSION = Extension(
    name="form_builder",
    title="Form builder",
    pages=_pages,
    commands=_commands,
    work_actions=_work_actions,
    schema_editors=_schema_editors,
    web=Path(__file__).parent / "web",
)
