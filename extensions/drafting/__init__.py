"""Drafting: a model proposes whole items about images, people correct them, and leads see what that does to items.

``proposal_run`` is the job that asks a model about the ``free_images`` of a pool, with ``seed_tasks`` to choose what
each item is about; ``proposal_reply`` has the question and the checks of a reply. ``proposal_import`` stores the
proposals of a ``proposal_file`` with their images, and draws the ``arms``. ``author_form`` fills the form
of an author in the arm that is shown proposals. ``arm_report`` compares both arms with ``two_arms``.

Proposals are stored with the images in core's tables, and the arms are events, so a project keeps them without this
folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.drafting.pages import drafting

    return (drafting,)


def _commands() -> Sequence[Any]:
    from extensions.drafting.commands import drafting, drafting_report

    return drafting, drafting_report


def _figures() -> Sequence[Any]:
    from extensions.drafting.arm_report import of_project

    return (("drafting", of_project),)


def _jobs() -> Sequence[Any]:
    from extensions.drafting.proposal_run import PROPOSALS

    return (PROPOSALS,)


def _pipeline_steps() -> Sequence[Any]:
    from extensions.drafting.pipeline_step import STEP

    return (STEP,)


def _author_forms() -> Sequence[Any]:
    from extensions.drafting import author_form

    return (author_form,)


EXTENSION = Extension(
    name="drafting",
    title="Drafting",
    pages=_pages,
    commands=_commands,
    figures=_figures,
    jobs=_jobs,
    pipeline_steps=_pipeline_steps,
    author_forms=_author_forms,
)
