"""Floor 1: what a benchmark asks, as YAML, and the pure code that reads and checks it."""

from __future__ import annotations

from pathlib import Path

HOME = Path(__file__).resolve().parent


def shipped() -> dict[str, Path]:
    """The schemas that come with Touchstone, by name: one YAML file each in this folder."""
    return {path.stem: path for path in sorted(HOME.glob("*.yaml"))}
