"""Runs a tool as a program or by asking a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from extensions.holmes.tool_sets import Tool, ToolSet
from extensions.holmes.tools import program, service
from extensions.holmes.tools.calls import ToolCall, result_of


def run(tool: Tool, tools: ToolSet, call: ToolCall, *, listed: tuple[str, ...], stop: Callable[[], bool]) -> Any:
    """Return the result of a tool, a JSON value that is not ``null``.

    ``listed`` are the private hosts that may be asked. Raises ``ToolFailure``; ``ModelError`` where the operator does
    not allow the address.
    """
    if tool.command:
        return result_of(tool, program.program_output(tool, tools.home, call, stop=stop))
    return result_of(tool, service.replied(tool, call, listed=listed))
