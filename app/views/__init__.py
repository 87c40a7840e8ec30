"""The pages: a module for each screen, with its row (``SCREEN``) and ``render(services)``.

``working_pages`` has the rows of all stages (``STAGE_SCREENS``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.screens import Screen
from domain import extensions
from domain.module_names import import_own
from domain.registers import modules_of


def rows() -> tuple[Screen, ...]:
    """Return the screens of this package, the working pages, and the screens of extensions, sorted by place."""
    from app.workbench.working_pages import WORKING_PAGES

    modules = [*map(import_own, modules_of(__name__)), *extensions.rows("pages")]
    found = [screen for module in modules for screen in _screens_of(module)]
    return tuple(sorted(found, key=lambda screen: screen.place))


def _screens_of(module: Any) -> Iterator[Screen]:
    if hasattr(module, "STAGE_SCREENS"):
        yield from module.STAGE_SCREENS
    else:
        yield replace(module.SCREEN, name=module.__name__.rpartition(".")[2], render=module.render)
