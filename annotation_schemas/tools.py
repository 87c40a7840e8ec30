"""Tools that a model can ask for in a conversation: their names and descriptions, as data."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from annotation_schemas import HOME, typed_yaml
from domain.errors import SchemaError


class Tool(BaseModel):
    """A tool as a model is told about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items it is offered for; None: all."""

    def function(self) -> dict[str, Any]:
        """As the chat protocol has it."""
        parameters = {"type": "object", "properties": {}}
        about = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": about}


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class ToolSet:
    """Tools that belong together, and what a model is told about all of them."""

    system: str
    tools: tuple[Tool, ...]
    hash: str
    """SHA-256 of the file."""

    def names(self) -> tuple[str, ...]:
        """The names of all of them."""
        return tuple(tool.name for tool in self.tools)

    def offered(self, dimension: str, stored: Collection[str]) -> tuple[Tool, ...]:
        """The tools for an item: its dimension's (all, if none is for that dimension), and those with a result."""
        known = {name for tool in self.tools for name in tool.dimensions or ()}
        return tuple(
            tool
            for tool in self.tools
            if tool.dimensions is None or dimension in tool.dimensions or dimension not in known or tool.name in stored
        )


@cache
def holmes() -> ToolSet:
    """The tools of HOLMES."""
    path = HOME / "tool_sets" / "holmes.yaml"
    text = typed_yaml.read_file(path)
    document, found = typed_yaml.parse(text, _File)
    if found is None or document.troubles:
        raise SchemaError(typed_yaml.in_lines(document, str(path)))
    return ToolSet(found.system, found.tools, hashlib.sha256(text.encode()).hexdigest())
