"""Conversations in which a model that sees no image asks tools about it, and then answers.

A conversation takes turns until the model answers without asking. It also ends at a call without a result, and at the
maximum number of turns; no result is made up. Every request is an attempt of its own. The last attempt holds the
transcript, and the tokens, cost and seconds of all turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from domain.runs import ANSWERS, Attempt, Outcome, Question, ToolFailure, Tools
from extensions.holmes.tool_sets import Tool, ToolSet, holmes

Message = Mapping[str, Any]


@dataclass(frozen=True)
class TurnReply:
    """A model's reply in a conversation."""

    attempt: Attempt
    """The request, as it ended."""
    message: Message | None
    """The assistant's turn as received. None if the conversation cannot continue with it."""


@dataclass(frozen=True)
class Turn:
    """The next request of a conversation."""

    question: Question
    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]]
    """The tools in the form of the chat protocol."""


class Speaker(Protocol):
    """A model that takes part in conversations."""

    def say(
        self,
        turns: Sequence[Turn],
        *,
        tell: Callable[[Attempt], None],
        hear: Callable[[TurnReply], None],
        stop: Callable[[], bool],
    ) -> None:
        """Send each of these turns once. ``hear`` gets each reply; ``tell`` gets the attempts before a reply.

        Raises ``RunStoppedError`` if further requests make no sense.
        """


def converse(
    questions: Sequence[Question],
    speaker: Speaker,
    *,
    most_turns: int,
    tell: Callable[[Attempt], None],
    stop: Callable[[], bool],
    tool_set: ToolSet | None = None,
    tools: Tools | None = None,
) -> None:
    """Hold a conversation about each question, all of them turn by turn. Stopped conversations are not changed.

    ``tools`` runs the set's tools if a result is not stored. They run after all replies of a round, so that no model
    waits for them with an open connection.
    """
    tool_set = tool_set or holmes()
    open_: dict[int, Conversation] = {}
    for question in questions:
        if question.cannot:
            tell(Attempt(question.unit_id, Outcome.SKIPPED, error=question.cannot, prompt_hash=question.prompt_hash))
        else:
            open_[question.unit_id] = Conversation(question, tool_set, most_turns, may_run=tools is not None)

    def tried(attempt: Attempt) -> None:
        tell(open_[attempt.unit_id].counted(attempt))

    def heard(said: TurnReply) -> None:
        conversation = open_[said.attempt.unit_id]
        attempt = conversation.take(said)
        if attempt.final:
            del open_[said.attempt.unit_id]
        tell(attempt)

    while open_ and not stop():
        before = {unit: conversation.turns for unit, conversation in open_.items()}
        speaker.say([conversation.turn() for conversation in open_.values()], tell=tried, hear=heard, stop=stop)
        if all(before.get(unit) == conversation.turns for unit, conversation in open_.items()):
            return  # stopped on the way: no one was heard
        if tools is not None and not _run_waiting(open_, tools, at_once=tool_set.at_once, tell=tell, stop=stop):
            return


def _run_waiting(
    open_: dict[int, Conversation],
    tools: Tools,
    *,
    at_once: int,
    tell: Callable[[Attempt], None],
    stop: Callable[[], bool],
) -> bool:
    """Run the tools that conversations wait for. A failing tool ends its conversation. Return False if stopped."""
    waiting = [open_conversation for open_conversation in open_.values() if open_conversation.waits]

    def ran(conversation: Conversation) -> Attempt | None:
        return None if stop() else conversation.run_tools(tools)

    with ThreadPoolExecutor(at_once, thread_name_prefix="tools") as threads:
        for conversation, ended in zip(waiting, threads.map(ran, waiting), strict=True):
            if ended is not None:
                del open_[conversation.question.unit_id]
                tell(ended)
    return not any(open_conversation.waits for open_conversation in open_.values())


@dataclass
class Conversation:
    """The conversation about one question so far."""

    question: Question
    tool_set: ToolSet
    most_turns: int
    may_run: bool = False
    """Whether tools may be run if a result is not stored."""
    waits: list[_Call] = field(default_factory=list)
    """The calls of the last turn, if tools must be run to answer them."""
    messages: list[Message] = field(default_factory=list)
    transcript: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0
    requests: int = 0
    _total: dict[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        system = "\n\n".join(text for text in (self.tool_set.system.strip(), self.question.system) if text)
        self.messages = [{"role": "system", "content": system}, {"role": "user", "content": self.question.text}]
        self.transcript = [{"role": message["role"], "text": message["content"]} for message in self.messages]
        self._total = dict.fromkeys(("tokens_in", "tokens_out", "cost", "seconds"), 0.0)

    def turn(self) -> Turn:
        """Return the next request."""
        offered = self.tool_set.offered(self.question.dimension, self.question.tools or {})
        return Turn(self.question, tuple(self.messages), tuple(tool.function() for tool in offered))

    def counted(self, attempt: Attempt) -> Attempt:
        """Return the attempt, and add its tokens, cost and seconds to the totals."""
        self.requests += 1
        # A request that was turned away or never got there takes no tokens, and no one charges for it.
        free = attempt.outcome is Outcome.TRANSPORT_ERROR and attempt.tokens_in is None and attempt.status is not None
        for name in ("tokens_in", "tokens_out", "cost", "seconds"):
            value, before = getattr(attempt, name), self._total[name]
            if value is None and free and name != "seconds":
                continue
            self._total[name] = None if value is None or before is None else before + value
        return attempt

    def take(self, said: TurnReply) -> Attempt:
        """Return the attempt as the end of the conversation, or as a turn after which it continues."""
        attempt = self.counted(said.attempt)
        if not attempt.final:
            return attempt
        self.turns += 1
        message = said.message or {}
        calls = message.get("tool_calls")
        if not calls or attempt.outcome not in (*ANSWERS, Outcome.EMPTY):
            if attempt.text or said.message is not None:
                self.transcript.append({"role": "assistant", "text": attempt.text})
            return self._ended(attempt)
        if attempt.finish_reason in ("length", "max_tokens"):
            error = "The answer reached its token limit in the middle of a tool call. Increase max_new_tokens."
            return self._ended(replace(attempt, outcome=Outcome.UNREADABLE, error=error))
        asked, trouble = _read_calls(calls, self.turns)
        self.transcript.append(
            {"role": "assistant", "text": attempt.text, "calls": [call.dump() for call in asked] or _shown(calls)}
        )
        if trouble:
            return self._ended(replace(attempt, outcome=Outcome.UNREADABLE, error=trouble))
        self.messages.append(
            {
                "role": "assistant",
                "content": attempt.text if isinstance(message.get("content"), list) else message.get("content"),
                "tool_calls": [call.sent() for call in asked],
            }
        )
        results = [self._result(call) for call in asked]
        to_run = any(result is _TO_RUN for _, result in results)
        if troubles := [trouble for trouble, _ in results if trouble]:
            for call, (trouble, result) in zip(asked, results, strict=True):
                self._answered(call, _NOT_RUN if result is _TO_RUN else trouble, result)
            return self._ended(replace(attempt, outcome=Outcome.NO_TOOL_RESULT, error=" ".join(troubles)))
        if not to_run:
            for call, (_, result) in zip(asked, results, strict=True):
                self._answered(call, "", result)
        if self.turns >= self.most_turns:
            error = (
                f"The model asked for tools in all {self.turns} turns that `most_turns` allows. Increase `most_turns`."
            )
            return self._ended(replace(attempt, outcome=Outcome.TOO_MANY_TURNS, error=error))
        self.waits = asked if to_run else []
        return replace(
            attempt,
            outcome=Outcome.CALLED,
            error="",
            final=False,
            detail={**attempt.detail, "turn": self.turns, "calls": [call.dump() for call in asked]},
        )

    def run_tools(self, tools: Tools) -> Attempt | None:
        """Run the tools of the last turn and add their results to the conversation.

        Return the end of the conversation if a tool fails. Stopped tools stay waiting.
        """
        results: list[Any] = []
        for call in self.waits:
            _, result = self._result(call)
            try:
                results.append(tools(self.question, call.name, call.arguments or {}) if result is _TO_RUN else result)
            except ToolFailure as failed:
                return None if failed.why == "stopped" else self._failed(results, call, failed)
        for call, result in zip(self.waits, results, strict=True):
            self._answered(call, "", result)
        self.waits = []
        return None

    def _failed(self, results: Sequence[Any], failing: _Call, failed: ToolFailure) -> Attempt:
        for call, result in zip(self.waits, results, strict=False):
            self._answered(call, "", result)
        self._answered(failing, str(failed), None)
        self.waits = []
        about = {"tool_failed": {"tool": failing.name, "why": failed.why}}
        return self._ended(Attempt(self.question.unit_id, Outcome.TOOL_FAILED, error=str(failed), detail=about))

    def _answered(self, call: _Call, trouble: str, result: Any) -> None:
        """Add a call's result to the conversation, or the reason for a missing result."""
        entry: dict[str, Any] = {"role": "tool", "name": call.name, "arguments": call.arguments}
        if trouble:
            entry |= {"arguments": call.raw if call.arguments is None else call.arguments, "result": None}
            self.transcript.append({**entry, "missing": trouble})
            return
        self.transcript.append({**entry, "result": result})
        content = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        self.messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    def _result(self, call: _Call) -> tuple[str, Any]:
        """Return the reason for a missing result, and the stored result or ``_TO_RUN``."""
        stored = self.question.tools or {}
        if call.name not in self.tool_set.names() and call.name not in stored:
            return f"The model asked for an unknown tool {call.name[:100]!r}.", None
        if call.arguments is None:
            return f"The model asked for {call.name} with unreadable arguments: {call.raw[:200]!r}.", None
        results: Sequence[Mapping[str, Any]] = stored.get(call.name, ())
        for wanted in (call.arguments, None):
            for result in results:
                if result["arguments"] == wanted:
                    return "", result["result"]
        with_ = f" with {json.dumps(call.arguments, ensure_ascii=False)[:200]}" if call.arguments else ""
        tool = next((tool for tool in self._runnable() if tool.name == call.name), None)
        if tool is None:
            return (
                f"The model asked for {call.name}{with_}, but this result is not stored for this item. Import the "
                "result."
            ), None
        if tool.arguments and (
            set(call.arguments) != set(tool.arguments)
            or not all(isinstance(argument, str) for argument in call.arguments.values())
        ):
            return (
                f"The model asked for {call.name}{with_}, but the tool needs the text arguments "
                f"{', '.join(tool.arguments)}.",
                None,
            )
        return "", _TO_RUN

    def _runnable(self) -> Iterator[Tool]:
        """Return the tools that are offered for the item and can be run."""
        offered = self.tool_set.offered(self.question.dimension, self.question.tools or {}) if self.may_run else ()
        return (tool for tool in offered if tool.runs)

    def _ended(self, attempt: Attempt) -> Attempt:
        total = {
            name: value if value is None or name in ("cost", "seconds") else int(value)
            for name, value in self._total.items()
        }
        about = {"transcript": self.transcript, "turns": self.turns, "requests": self.requests, "total": total}
        return replace(attempt, detail={**attempt.detail, **about})


_TO_RUN = object()
"""The placeholder for the result of a tool that must be run."""
_NOT_RUN = "This call was not run, because another call in this turn has no result."


@dataclass(frozen=True)
class _Call:
    """A call of a tool."""

    id: str
    name: str
    raw: str
    arguments: Mapping[str, Any] | None
    """None if they cannot be read."""

    def sent(self) -> dict[str, Any]:
        """Return the call in the form of the chat protocol."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.raw}}

    def dump(self) -> dict[str, Any]:
        """Return the call for the transcript."""
        return {
            "id": self.id,
            "name": self.name,
            "arguments": self.raw if self.arguments is None else dict(self.arguments),
        }


def _read_calls(calls: Any, turn: int) -> tuple[list[_Call], str]:
    """Return the calls of a turn, or the reason why they break the protocol."""
    wrong = "The reply's tool_calls do not follow the protocol."
    if not isinstance(calls, list):
        return [], wrong
    turn_calls: list[_Call] = []
    for number, call in enumerate(calls, 1):
        function = call.get("function") if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str) or not name:
            return [], wrong
        given = function.get("arguments")
        raw = given if isinstance(given, str) else json.dumps({} if given is None else given, ensure_ascii=False)
        id = call.get("id")
        turn_calls.append(
            _Call(id if isinstance(id, str) and id else f"call-{turn}-{number}", name, raw, _arguments(raw))
        )
    return turn_calls, ""


def _arguments(raw: str) -> Mapping[str, Any] | None:
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    # `null` is how some servers say that there are none.
    return {} if value is None else value if isinstance(value, dict) else None


def _shown(calls: Any) -> Any:
    """Return the beginning of unreadable calls. The raw reply has all of them."""
    return json.dumps(calls, ensure_ascii=False)[:2000]
