"""Touchstone as one package: ``import touchstone_vlm.agreement`` loads the statistics and nothing else.

A wheel holds all of Touchstone inside this package, and imports there name it (``tools/wheel/backend.py``). A checkout
has the same folders next to this one. Code outside Touchstone (a notebook, an extension) imports
``touchstone_vlm.agreement`` in both; in a checkout that is the very module ``agreement``, not a second copy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


class _CheckoutModules(MetaPathFinder, Loader):
    """Finds ``touchstone_vlm.NAME`` of a checkout: the module ``NAME`` itself."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.removeprefix(f"{__name__}.")
        return ModuleSpec(fullname, self) if name not in (fullname, "__main__") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(spec.name.removeprefix(f"{__name__}."))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back; it was executed under its own name."""
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


if not Path(__file__).with_name("domain").is_dir():
    sys.meta_path.insert(0, _CheckoutModules())
    if (_root := str(Path(__file__).resolve().parents[1])) not in sys.path:
        sys.path.append(_root)


def main() -> None:
    """Run the ``touchstone`` command."""
    from app.cli import main as run

    run()
