"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from domain.states import Items

CountedItems = Annotated[
    Items | None,
    typer.Option(help="Which items count: kept (by verification; the default as soon as there are verdicts) or all."),
]
"""``--items``."""
