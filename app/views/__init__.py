"""One module per screen: its row (``SCREEN``), and ``render(services)``."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from app.screens import Screen
from domain.registers import modules_of


def rows() -> tuple[Screen, ...]:
    """The pages of all modules of this package, by their places."""
    found = (replace(import_module(name).SCREEN, name=name.rpartition(".")[2]) for name in modules_of(__name__))
    return tuple(sorted(found, key=lambda screen: screen.place))
