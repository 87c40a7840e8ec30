"""Strategies that extensions add: ways to ask a model about an item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain import extensions
from domain.runs import Answerer, RunPlan, Tools
from domain.settings import Settings


@dataclass(frozen=True)
class Strategy:
    """A strategy in which a model asks for tools: a row of the register ``strategies``.

    Its functions import what they need when they are called.
    """

    name: str
    """The name in schemas, plans and ``--strategy``, and of the variant of prompts that the strategy prefers."""
    meaning: str
    label: str
    """What the model does, as the option of "Task of the model"."""
    answers: str
    """How its answers came about, for tables of results."""
    open: Callable[[Any, RunPlan, Any], Answerer]
    """Opens a model (``inference.spec.ModelSpec``) for a plan, within what the operator allows
    (``inference.spec.ModelPermissions``)."""
    stored: Callable[[Any, Sequence[int]], Mapping[int, Mapping[str, Any]]]
    """Reads the stored tool results of items in a session, by item and tool."""
    files: Callable[[Settings], Mapping[str, Path]]
    """The operator's files of tools, by name."""
    with_file: Callable[[RunPlan, Path], RunPlan]
    """Puts a file of tools into a plan; refuses a wrong one."""
    in_words: Callable[[RunPlan], Sequence[str]]
    """The tools of a plan's file, a line for each."""
    serve: Callable[..., Tools | None]
    """Returns what runs the tools of a plan, or None. It is called with ``store``, ``plan``, ``allowed``, ``pictures``
    (a function that returns what makes pictures of items) and ``stop``."""


def added_strategies() -> list[Strategy]:
    """Return the strategies of extensions."""
    return extensions.rows("strategies")


def added_strategy(name: str) -> Strategy | None:
    """Return the strategy of that name if an extension adds it."""
    return next((row for row in added_strategies() if row.name == name), None)
