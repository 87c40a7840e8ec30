"""One module per screen: its row (``SCREEN``), and ``render(services)``."""

from __future__ import annotations

from dataclasses import replace

from app.screens import Screen
from domain.module_names import import_own
from domain.registers import modules_of


def rows() -> tuple[Screen, ...]:
    """The pages of all modules of this package, by their places."""
    found = (replace(import_own(name).SCREEN, name=name.rpartition(".")[2]) for name in modules_of(__name__))
    return tuple(sorted(found, key=lambda screen: screen.place))
