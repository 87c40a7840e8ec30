"""Qualification: people answer a set of items before a stage is open to them, and seniors review the answers.

``sets`` makes the sets, ``tries`` begins tries and takes reviews, and ``results`` compares answers with keys and with
the answers of seniors. The tables are core's (``db.qualifications``). Core also decides who has qualified, from stored
reviews (``workflow.annotate.qualification``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.qualification.pages import qualify

    return (qualify,)


def _commands() -> Sequence[Any]:
    from extensions.qualification.commands import qualify

    return (qualify,)


def _schema_keys() -> Sequence[Any]:
    from extensions.qualification.schema_check import KEYS

    return KEYS


def _schema_checks() -> Sequence[Any]:
    from extensions.qualification.schema_check import check_pass_mark

    return (check_pass_mark,)


def _project_checks() -> Sequence[Any]:
    from extensions.qualification.stored_reviews import differences

    return (differences,)


def _item_actions() -> Sequence[Any]:
    from extensions.qualification.item_action import ACTION

    return (ACTION,)


def _setup_steps() -> Sequence[Any]:
    from extensions.qualification.setup_step import qualification_step

    return (qualification_step,)


EXTENSION = Extension(
    name="qualification",
    title="Qualification",
    pages=_pages,
    commands=_commands,
    schema_keys=_schema_keys,
    schema_checks=_schema_checks,
    project_checks=_project_checks,
    item_actions=_item_actions,
    setup_steps=_setup_steps,
)
