"""The pages: a module for each screen, with its row (``SCREEN``) and ``render(services)``.

The working pages are rows of ``app.workbench.working_pages``.
"""

from __future__ import annotations

from dataclasses import replace

from app.screens import Screen
from app.workbench.working_pages import WORKING_PAGES
from domain import extensions
from domain.module_names import import_own
from domain.registers import modules_of


def rows() -> tuple[Screen, ...]:
    """Return the screens of this package, the working pages, and the screens of extensions, sorted by place."""
    modules = [*map(import_own, modules_of(__name__)), *extensions.rows("pages")]
    screens = [
        replace(module.SCREEN, name=module.__name__.rpartition(".")[2], render=module.render) for module in modules
    ]
    return tuple(sorted([*screens, *WORKING_PAGES], key=lambda screen: screen.place))
