"""Conversations with a model on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.runs import Attempt, Question, Tools
from extensions.holmes.conversation import Turn, TurnReply, converse
from extensions.holmes.tool_sets import ToolSet, holmes
from inference.adapters import ChatModel, find_adapter
from inference.spec import ModelPermissions, ModelSpec


class LocalConversations:
    """Implements ``domain.runs.Answerer`` and ``AsksTools`` for ``holmes``."""

    def __init__(self, model: ChatModel, tool_set: ToolSet, *, most_turns: int) -> None:
        self._model, self._tool_set, self._most_turns = model, tool_set, most_turns
        self._tools: Tools | None = None

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the facts about the model, its device and the offered tools."""
        about = {"batch_size": 1, "most_turns": self._most_turns, "tools": self._tool_set.about()}
        return {**self._model.about, **about}

    def give_tools(self, tools: Tools) -> None:
        """See ``AsksTools.give_tools``."""
        self._tools = tools

    def close(self) -> None:
        """Give the model's memory back."""
        self._model.close()

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """See ``Answerer.answer``."""
        most = self._most_turns
        converse(questions, self, most_turns=most, tell=tell, stop=stop, tool_set=self._tool_set, tools=self._tools)

    def say(
        self,
        turns: Sequence[Turn],
        *,
        tell: Callable[[Attempt], None],
        hear: Callable[[TurnReply], None],
        stop: Callable[[], bool],
    ) -> None:
        """See ``extensions.holmes.conversation.Speaker.say``."""
        for turn in turns:
            if stop():
                return
            hear(TurnReply(*self._model.reply(turn.question, turn.messages, turn.tools)))


def open_conversations(
    spec: ModelSpec, allowed: ModelPermissions, tool_set: ToolSet | None = None
) -> LocalConversations:
    """Return a local model that asks for tools. Raise ``ModelError`` if it does not load or knows no tools."""
    tool_set = tool_set or holmes()
    tools = [tool.function() for tool in tool_set.tools]
    model = find_adapter(spec).open_chat(spec, allowed, tools)
    return LocalConversations(model, tool_set, most_turns=spec.most_turns)
