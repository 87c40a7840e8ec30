"""Adapters of models that run on this machine. Extensions add them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from domain import extensions
from domain.errors import ModelError
from domain.runs import Answerer, Attempt, Question
from inference.spec import ModelPermissions, ModelSpec


@dataclass(frozen=True)
class ModelDevice:
    """The device on which a model will run."""

    sentence: str
    fits: bool = True
    needs: tuple[str, ...] = ()
    """The missing requirements, one sentence each."""


class ChatModel(Protocol):
    """A model that takes turns in a conversation and may ask for tools."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the facts about the model and its device, as JSON values."""

    def reply(
        self, question: Question, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> tuple[Attempt, Mapping[str, Any] | None]:
        """Return the model's next turn as an attempt and as a message of the chat protocol. A failure has no message.

        Messages and tools are in the form of the chat protocol.
        """

    def close(self) -> None:
        """Give the model's memory back."""


@dataclass(frozen=True)
class ModelAdapter:
    """An adapter of models that run on this machine: a row of the register ``adapters``.

    Its functions import what they need when they are called. They raise ``ModelError`` with advice for a model that
    cannot run here.
    """

    name: str
    """The value of ``adapter`` in descriptions."""
    open: Callable[[ModelSpec, ModelPermissions, str, str, bool], Answerer]
    """Opens a model for questions: description, what the operator allows, strategy, score, and whether options are
    also scored without pictures."""
    open_chat: Callable[[ModelSpec, ModelPermissions, Sequence[Mapping[str, Any]]], ChatModel]
    """Opens a model for conversations with these tools."""
    find_device: Callable[[ModelSpec], ModelDevice]
    """Finds the device of a model from its files, without loading the model."""


def find_adapter(spec: ModelSpec) -> ModelAdapter:
    """Return the adapter of a description.

    Raises
    ------
    ModelError
        No extension adds the adapter. The message names a missing extension.
    """
    for row in extensions.rows("adapters"):
        if row.name == spec.adapter:
            adapter: ModelAdapter = row
            return adapter
    missing = extensions.missing("adapters", spec.adapter)
    raise ModelError(
        f"Touchstone cannot open {spec.name}. {missing}"
        if missing
        else f"Touchstone cannot open {spec.name}: no extension has the adapter {spec.adapter}. Correct `adapter` in "
        "the description."
    )
