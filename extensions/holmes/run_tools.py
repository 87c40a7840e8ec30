"""Runs tools for models that ask for them. Stored results come first, and new results are stored.

A new result is stored like an imported one: it is never replaced, and it answers the same call in every run. A failing
tool stores nothing, and runs again when its question is asked again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from db.engine import IntegrityError, Store
from domain.errors import ModelError, SchemaError
from domain.runs import Picture, Question, RunPlan, ToolFailure
from extensions.holmes import queries
from extensions.holmes.result_import import arguments_key
from extensions.holmes.settings import TOOLS
from extensions.holmes.tool_sets import Tool, ToolSet, parse_tool_set, read_tool_set


class Pictures(Protocol):
    """Makes the pictures of items."""

    def pictures_of(self, item_ids: Sequence[int], *, fit: bool) -> Mapping[int, Sequence[Picture] | str]:
        """Return the pictures of each item, or the reason for missing pictures as a sentence."""


def allowed_set(plan: RunPlan, files: Sequence[Path]) -> ToolSet | None:
    """Return the tool set of a plan with the folder of its programs, or None if the plan has the set of the paper.

    Raises
    ------
    ModelError
        None of the files is the one that the plan was made with: who starts a run does not choose by that what runs on
        the worker's machine.
    """
    if not plan.tools_hash:
        return None
    tool_set = parse_tool_set(plan.tools_text, "tools")
    if not any(tool.runs for tool in tool_set.tools):
        return tool_set
    for path in files:
        try:
            mine = read_tool_set(path)
        except SchemaError:
            continue  # another file of the folder, which is no part of this run
        if mine.hash == plan.tools_hash == tool_set.hash:
            return mine
    raise ModelError(
        f"This server does not allow this run's tool set (SHA-256 {plan.tools_hash[:12]}). Give the same file to the "
        f"command that executes the run. Or ask the server's operator to put the file into the folder that {TOOLS} "
        "names."
    )


class RunTools:
    """Returns results of tools for items of a project (``domain.runs.Tools``). Several threads may call it."""

    def __init__(
        self,
        store: Store,
        tools: ToolSet,
        pictures: Pictures,
        *,
        listed: tuple[str, ...],
        stop: Callable[[], bool],
    ) -> None:
        """``listed`` are the private hosts that tools may ask; ``stop`` says whether to stop."""
        self._store, self._tools, self._pictures = store, tools, pictures
        self._listed, self._stop = listed, stop
        self._making = threading.Lock()
        """Only one thread at a time makes pictures."""

    def __call__(self, question: Question, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the stored result of a call, or run the tool and store its result. Raise ``ToolFailure``."""
        tool = self._tools.tool(name)
        if tool is None or not tool.runs:
            raise ToolFailure(
                "not_started",
                f"Touchstone cannot run the tool {name}, because the tool set has no command or URL for this tool.",
            )
        asked = dict(arguments) if tool.arguments else None
        there, result = self._stored(question, tool, asked)
        return result if there else self._kept(question, tool, asked, self._run(question, tool, asked or {}))

    def _run(self, question: Question, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        from extensions.holmes.tools.calls import ToolCall
        from extensions.holmes.tools.running import run

        pictures: Sequence[Picture] | str = ()
        if tool.images:
            with self._making:
                pictures = self._pictures.pictures_of([question.item_id], fit=False)[question.item_id]
        if isinstance(pictures, str):
            raise ToolFailure("no_image", f"{tool.name} was not run: {pictures}")
        call = ToolCall(question.name, question.dimension, arguments, tuple(pictures))
        return run(tool, self._tools, call, listed=self._listed, stop=self._stop)

    def _stored(self, question: Question, tool: Tool, asked: Mapping[str, Any] | None) -> tuple[bool, Any]:
        with self._store.read() as session:
            lot = queries.of_items(session, item_ids=[question.item_id]).get(question.item_id, {})
        for wanted in (asked, None):
            for call in lot.get(tool.name, ()):
                if call["arguments"] == wanted:
                    return True, call["result"]
        return False, None

    def _kept(self, question: Question, tool: Tool, asked: Mapping[str, Any] | None, result: Any) -> Any:
        """Store the result and return it. If another process has stored a result, return that one."""
        row = {
            "item_id": question.item_id,
            "tool": tool.name,
            "arguments": asked,
            "arguments_key": arguments_key(asked),
            "result": result,
            "created_at": self._store.now(),
        }
        try:
            with self._store.write() as session:
                queries.add(session, rows=[row])
        except IntegrityError:
            return self._stored(question, tool, asked)[1]
        return result
