"""Touchstone's modules by name. A checkout has them as they are called; a wheel has them inside one package.

An ``import`` names a module of ours as the checkout does, and the build of a wheel puts the package's name in front.
Where a text names a module, or a process of its own runs one, this module puts the package's name there.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

PACKAGE = __name__.removesuffix("domain.module_names")
"""What stands before the names of our modules: ``touchstone_vlm.`` in a wheel, nothing in a checkout."""


def import_own(name: str) -> ModuleType:
    """Import a module of ours by the name that the checkout has for it, such as ``importers.items``, or by its own."""
    return import_module(PACKAGE + name.removeprefix(PACKAGE))


def process_of(name: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours in a process of its own.

    ``-P`` keeps the folder that the process starts in from the import path: an ``app`` there is not ours.
    """
    return (sys.executable, "-P", "-m", PACKAGE + name)
