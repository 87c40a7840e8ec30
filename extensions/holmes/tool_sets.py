"""Tool sets: the names and descriptions of tools for models, as data, and the way to run each tool.

A tool is run as a command on this machine or by asking a server. Tools without either have imported results only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation_schemas import typed_yaml
from domain.errors import SchemaError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Tool(BaseModel):
    """A tool with its description for models, and the way to run it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    dimensions: tuple[str, ...] | None = None
    """The dimensions whose items have the tool; None means all."""
    arguments: dict[str, str] = Field(default_factory=dict)
    """The meaning of each argument by name; arguments are texts. Without arguments, every call has the same result."""
    command: tuple[str, ...] = ()
    """A program and its arguments. A program that begins with `./` is next to the tool set's file."""
    environment: tuple[str, ...] = ()
    """The worker's environment variables that the program gets, in addition to a few standard ones."""
    url: str = ""
    """The address of a server, instead of a command."""
    key: str | None = None
    """The variable of the worker's environment that holds the address's key."""
    images: bool = True
    """Whether the tool gets the item's images. A tool that knows a simulated world by the item's id needs none."""
    seconds: float = Field(default=60, gt=0, le=3600)
    """The time limit in seconds."""
    largest: int = Field(default=100_000, ge=1, le=10_000_000)
    """The maximum size of a result in bytes."""

    @model_validator(mode="after")
    def _fits(self) -> Tool:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"the tool name {self.name[:80]!r} is not valid. Use at most 64 letters, digits, _ and -")
        if self.command and self.url:
            raise ValueError(f"{self.name} has both `command` and `url`. Remove one of these keys")
        if self.environment and not self.command:
            raise ValueError(
                f"{self.name} has an `environment` but no `command`. Add a command, or remove the environment"
            )
        if self.key and not self.url:
            raise ValueError(f"{self.name} has a `key` but no `url`. Add a URL, or remove the key")
        return self

    @property
    def runs(self) -> bool:
        """Return whether the tool can be run if a result is not stored."""
        return bool(self.command or self.url)

    def function(self) -> dict[str, Any]:
        """Return the tool in the form of the chat protocol."""
        properties = {name: {"type": "string", "description": meaning} for name, meaning in self.arguments.items()}
        required = {"required": list(self.arguments)} if self.arguments else {}
        parameters = {"type": "object", "properties": properties, **required}
        about = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": about}

    def offered_in(self, dimension: str) -> bool:
        """Return whether items of a dimension have the tool."""
        return self.dimensions is None or dimension in self.dimensions


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str = ""
    at_once: int = Field(default=1, ge=1, le=64)
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class ToolSet:
    """A set of related tools, with the common instructions for models."""

    system: str
    tools: tuple[Tool, ...]
    hash: str
    """SHA-256 of the file."""
    at_once: int = 1
    """The number of tools that run at the same time."""
    home: Path | None = None
    """The folder of the file, where its programs lie."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all tools."""
        return tuple(tool.name for tool in self.tools)

    def tool(self, name: str) -> Tool | None:
        """Return the tool of that name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def offered(self, dimension: str, stored: Collection[str]) -> tuple[Tool, ...]:
        """Return the tools for an item: those of its dimension (all if it has none), and those with a result."""
        known = {name for tool in self.tools for name in tool.dimensions or ()}
        return tuple(
            tool for tool in self.tools if tool.offered_in(dimension) or dimension not in known or tool.name in stored
        )

    def about(self) -> dict[str, Any]:
        """Return the facts that are stored with a run, as JSON values."""
        return {"sha256": self.hash, "system": self.system, "tools": [tool.function() for tool in self.tools]}


@cache
def holmes() -> ToolSet:
    """Return the tools of the paper."""
    return read_tool_set(Path(__file__).parent / "holmes.yaml")


def read_tool_set(path: Path) -> ToolSet:
    """Return the tool set in a file. Raise ``SchemaError`` with the line if it is invalid."""
    return parse_tool_set(typed_yaml.read_file(path), str(path), home=path.parent)


def parse_tool_set(text: str, name: str, *, home: Path | None = None) -> ToolSet:
    """Return the tool set in a text. Messages name ``name``. Raise ``SchemaError`` if the text is invalid."""
    document, content = typed_yaml.parse(text, _File)
    if content is None or document.troubles:
        raise SchemaError(typed_yaml.in_lines(document, name))
    names = [tool.name for tool in content.tools]
    if twice := next((tool_name for tool_name in names if names.count(tool_name) > 1), None):
        raise SchemaError(f"{name}: the tool {twice} appears twice. Remove one of the two tools.")
    if not names:
        raise SchemaError(f"{name} has no tools. Add at least one tool.")
    hash = hashlib.sha256(text.encode()).hexdigest()
    return ToolSet(content.system or holmes().system, content.tools, hash, content.at_once, home)
