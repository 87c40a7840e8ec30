"""Options of commands that decide about a schema change: one for each way to decide."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from extensions.schema_migration.changes import WAYS, Decisions


def deciding(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with one more option for each way to decide about a schema change.

    The command receives the decisions together as ``decisions``.
    """
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        decided = {name: given.pop(name) or [] for name in WAYS}
        command(**given, decisions=Decisions.parse(decided))

    options = [
        inspect.Parameter(
            way.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                list[str] | None,
                typer.Option(way.option, metavar=way.takes, help=f"Decide: {way.meaning}."),
            ],
        )
        for way in WAYS.values()
    ]
    parameters = [parameter for name, parameter in own.parameters.items() if name != "decisions"]
    vars(with_options)["__signature__"] = own.replace(
        parameters=[
            *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters),
            *options,
        ]
    )
    return with_options
