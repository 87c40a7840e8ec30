"""Shortcuts: questions that can be answered without the image, and the limits that a release sets for them.

Texts: ``text_classifier`` learns from question and options alone, ``text_shortcuts`` compares it with rules (the simple
ones are core's ``workflow.releases.text_rules``), and ``text_check`` compares both with the limits of the schema
(``schema_limits``).

Models: ``model_asking`` asks models without images or under other conditions (``run_plan``), in runs of their own kind
(``run_kinds``). ``model_replies`` reads their replies, ``model_shortcuts`` finds the items that models get right, and
``model_check`` compares the number of these items with the limit.

``release_checks`` has both checks as releases make them. The page *Shortcuts* and ``touchstone shortcut check`` show
the numbers, and ``touchstone shortcut run`` asks models. Runs and attempts are in tables of core, so a project is
complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.shortcuts.pages import shortcuts

    return (shortcuts,)


def _commands() -> Sequence[Any]:
    from extensions.shortcuts.commands import run_shortcut, shortcuts

    return shortcuts, run_shortcut


def _figures() -> Sequence[Any]:
    from extensions.shortcuts.model_page import measure_for_page
    from extensions.shortcuts.text_check import measure_texts

    return ("shortcuts", measure_texts), ("shortcut_models", measure_for_page)


def _schema_keys() -> Sequence[Any]:
    from extensions.shortcuts.schema_limits import KEYS

    return KEYS


def _run_kinds() -> Sequence[Any]:
    from extensions.shortcuts.run_kinds import KINDS

    return KINDS


def _release_checks() -> Sequence[Any]:
    from extensions.shortcuts.release_checks import CHECKS

    return CHECKS


EXTENSION = Extension(
    name="shortcuts",
    title="Shortcuts",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    schema_keys=_schema_keys,
    run_kinds=_run_kinds,
    release_checks=_release_checks,
)
