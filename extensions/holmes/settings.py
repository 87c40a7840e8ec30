"""The operator's setting for tools, as a variable of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TOOLS = "TOUCHSTONE_TOOLS"


@dataclass(frozen=True)
class ToolSettings:
    """The tools that runs of models may use on this server."""

    tools: Path | None = None
    """The folder of tool sets (`.yaml`) whose programs and servers runs of models may use here; without it, only tool
    sets that are given to a command."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> ToolSettings:
        """Return the settings of an environment; relative paths are taken from ``folder``."""
        tools = env.get(TOOLS, "").strip()
        return cls(tools=folder / Path(tools).expanduser() if tools else None)
