"""Versions of the guideline: leads compare them and write a new one.

``versions`` reads all of them and publishes a new one; the page *Guideline* and ``touchstone guideline`` do the
same. Core shows people the version in force, keeps it with each submission, and tells people what has changed
(``workflow.access.guidelines``), also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.guideline.pages import guideline

    return (guideline,)


def _commands() -> Sequence[Any]:
    from extensions.guideline.commands import guideline

    return (guideline,)


EXTENSION = Extension(name="guideline", title="Versions of the guideline", pages=_pages, commands=_commands)
