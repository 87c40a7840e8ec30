"""Options that several commands have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from annotation_schemas.changes import WAYS, Decisions
from domain.states import Items

CountedItems = Annotated[
    Items | None,
    typer.Option(help="Which items count: kept (by verification; the default as soon as there are verdicts) or all."),
]
"""``--items``."""


def deciding(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for each way to decide about a change of a schema; it gets all as ``decisions``."""
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
    parameters = [each for name, each in own.parameters.items() if name != "decisions"]
    vars(with_options)["__signature__"] = own.replace(
        parameters=[
            *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters),
            *options,
        ]
    )
    return with_options
