"""Names of Touchstone's modules. A checkout uses them unchanged; a wheel puts them into one package.

An ``import`` uses the checkout's name, and the build of a wheel adds the package's name. If a text names a module, or
a process runs one, this module adds the package's name.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

PACKAGE = __name__.removesuffix("domain.module_names")
"""The prefix of module names: ``touchstone_vlm.`` in a wheel, empty in a checkout."""


def import_own(name: str) -> ModuleType:
    """Import a Touchstone module by its name in the checkout, such as ``importers.items``, or by its full name."""
    return import_module(PACKAGE + name.removeprefix(PACKAGE))


def process_of(name: str) -> tuple[str, ...]:
    """Return the command that runs a Touchstone module in a process of its own.

    ``-P`` keeps the start folder off the import path, because an ``app`` there would not be ours.
    """
    return (sys.executable, "-P", "-m", PACKAGE + name)
