"""Conversations with a model behind an endpoint, which may ask for tools."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.runs import Attempt, Question, Tools
from extensions.holmes.conversation import Turn, TurnReply, converse
from extensions.holmes.tool_sets import ToolSet, holmes
from inference.endpoint import estimate
from inference.endpoint.answerer import EndpointAnswerer, parameters
from inference.endpoint.asking import Call
from inference.endpoint.client import Client
from inference.endpoint.replies import EndpointReply
from inference.spec import ModelSpec


class ConversationAnswerer(EndpointAnswerer):
    """Implements ``domain.runs.Answerer`` and ``AsksTools`` for ``holmes``."""

    def __init__(self, spec: ModelSpec, client: Client, tool_set: ToolSet | None = None) -> None:
        super().__init__(spec, client)
        self._tool_set = tool_set or holmes()
        self._tools: Tools | None = None
        self._about |= {"most_turns": spec.most_turns, "tools": self._tool_set.about()}

    def give_tools(self, tools: Tools) -> None:
        """See ``AsksTools.give_tools``."""
        self._tools = tools

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """See ``Answerer.answer``."""
        most = self._spec.most_turns
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
        messages: dict[int, Mapping[str, Any] | None] = {}

        def told(attempt: Attempt) -> None:
            if attempt.final:
                hear(TurnReply(attempt, messages.pop(attempt.unit_id, None)))
            else:
                tell(attempt)

        self._asking.ask([self._turn(turn, messages) for turn in turns], tell=told, stop=stop)

    def _turn(self, turn: Turn, messages: dict[int, Mapping[str, Any] | None]) -> Call:
        unit = turn.question.unit_id

        def heard(reply: EndpointReply) -> None:
            messages[unit] = reply.message

        texts = [str(message.get("content") or "") for message in turn.messages]
        tools = {"tools": list(turn.tools)} if turn.tools else {}
        return replace(
            self._call(turn.question),
            messages=functools.partial(tuple, turn.messages),
            parameters={**self._parameters, **tools},
            tokens=sum(estimate.tokens_of_text(text) + 4 for text in [*texts, str(turn.tools)]),
            heard=heard,
        )


def open_conversations(spec: ModelSpec, listed: Sequence[str], tool_set: ToolSet | None = None) -> ConversationAnswerer:
    """Make an endpoint ready that asks for tools. Raise ``ModelError`` if it may not be asked."""
    assert spec.endpoint is not None
    assert spec.model is not None
    parameters(spec.generation, spec.endpoint)
    return ConversationAnswerer(spec, Client(spec.endpoint, spec.model, listed=listed), tool_set)
