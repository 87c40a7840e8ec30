"""Touchstone as one package: ``import touchstone_vlm.agreement`` loads the statistics and nothing else.

A wheel holds all of Touchstone inside this package, and imports there name it (``tools/wheel/backend.py``). A checkout
has the same folders next to this one, and Python finds them there under both names.
"""

from __future__ import annotations

from pathlib import Path

if not Path(__file__).with_name("domain").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))


def main() -> None:
    """Run the ``touchstone`` command."""
    from app.cli import main as run

    run()
