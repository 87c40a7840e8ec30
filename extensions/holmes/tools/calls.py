"""A call of a tool: its input, and the reading of its output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain import json_text
from domain.json_text import NotJson
from domain.runs import Picture, ToolFailure
from extensions.holmes.tool_sets import Tool


@dataclass(frozen=True)
class ToolCall:
    """The subject of a call."""

    item: str
    """The item's external id, by which a tool may know the state of a simulated world."""
    dimension: str
    arguments: Mapping[str, str]
    pictures: tuple[Picture, ...]

    def request(self, tool: Tool, images: list[Any]) -> bytes:
        """Return the input of the tool: one JSON object, with images in the tool's form."""
        body = {
            "tool": tool.name,
            "item": self.item,
            "dimension": self.dimension,
            "arguments": dict(self.arguments),
            "images": images,
        }
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def result_of(tool: Tool, said: bytes) -> Any:
    """Return the value of a tool's output. Raise ``ToolFailure`` if the output is unusable."""

    def constant(word: str) -> Any:
        raise ToolFailure("no_json", f"{tool.name} wrote {word}, which is not a JSON number.")

    try:
        text = said.decode("utf-8")
        value = json_text.showable(json_text.loaded(text, parse_constant=constant, parse_float=_finite))
    except UnicodeDecodeError:
        raise ToolFailure("no_json", f"{tool.name} wrote invalid UTF-8.") from None
    except (NotJson, RecursionError) as error:
        why = str(error) if isinstance(error, NotJson) else "the value is nested too deeply"
        raise ToolFailure("no_json", f"{tool.name} wrote invalid JSON: {why}.") from None
    if value is None:
        raise ToolFailure(
            "no_result",
            f"{tool.name} wrote null instead of a result. If the tool finds nothing, the result must be an empty "
            "list or text.",
        )
    return value


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number
