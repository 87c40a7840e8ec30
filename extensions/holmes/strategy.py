"""The strategy `holmes`, as core asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation_schemas import typed_yaml
from domain.errors import ModelError, SchemaError
from domain.runs import Answerer, RunPlan, Tools
from domain.settings import Settings
from domain.strategies import Strategy
from extensions.holmes.settings import ToolSettings
from extensions.holmes.tool_sets import parse_tool_set


def _open(spec: Any, plan: RunPlan, allowed: Any) -> Answerer:
    from extensions.holmes.run_tools import allowed_set

    tool_set = allowed_set(plan, allowed.tool_sets)
    if spec.adapter == "endpoint":
        from extensions.holmes.endpoint_conversations import open_conversations as open_at_endpoint

        return open_at_endpoint(spec, allowed.endpoints, tool_set)
    from extensions.holmes.local_conversations import open_conversations

    return open_conversations(spec, allowed, tool_set)


def _stored(session: Any, item_ids: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
    from extensions.holmes import queries

    return queries.of_items(session, item_ids=item_ids)


def find_tool_files(settings: Settings) -> dict[str, Path]:
    """Return the files of tool sets in the operator's folder, by their names without `.yaml`."""
    folder = settings.of(ToolSettings).tools
    if folder is None or not folder.is_dir():
        return {}
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def put_tools_into_plan(plan: RunPlan, path: Path) -> RunPlan:
    """Return the plan with the tool set in a file, as the file is now. Raise ``ModelError`` if it does not fit."""
    try:
        text = typed_yaml.read_file(path)
        tool_set = parse_tool_set(text, str(path))
    except SchemaError as error:
        raise ModelError(str(error)) from error
    return replace(plan, tools_text=text, tools_hash=tool_set.hash)


def describe_tools(plan: RunPlan) -> list[str]:
    """Return the tools of a plan's file, a line for each."""
    tools = parse_tool_set(plan.tools_text, "tools").tools if plan.tools_hash else ()
    return [
        f"tool {tool.name}: {' '.join(tool.command) or tool.url or 'stored results only'}"
        + (f", at most {tool.seconds:g} s and {tool.largest:,} bytes" if tool.runs else "")
        for tool in tools
    ]


def _serve(
    *, store: Any, plan: RunPlan, allowed: Any, pictures: Callable[[], Any], stop: Callable[[], bool]
) -> Tools | None:
    from extensions.holmes.run_tools import RunTools, allowed_set

    tool_set = allowed_set(plan, allowed.tool_sets)
    return None if tool_set is None else RunTools(store, tool_set, pictures(), listed=allowed.endpoints, stop=stop)


STRATEGIES = (
    Strategy(
        name="holmes",
        meaning="a model that does not see the image asks tools about the image, then answers",
        label="ask tools, then answer",
        answers="free text after asking tools",
        open=_open,
        stored=_stored,
        files=find_tool_files,
        with_file=put_tools_into_plan,
        in_words=describe_tools,
        serve=_serve,
    ),
)
