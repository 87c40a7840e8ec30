"""``touchstone release replay``: recompute a release from its evidence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def replay(
    folder: Annotated[Path, typer.Argument(help="The release's folder, or its private one.")],
    all_figures: Annotated[bool, typer.Option("--all", help="List the figures that are equal, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Recompute verdicts, agreement, the report on judges and the leaderboard of a release from its evidence alone,
    offline, and hold each against the printed figure. Status 1 if anything was changed or differs."""
    from workflow.releases.replay import in_words
    from workflow.releases.replay import replay as recompute

    def say(part: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[Krecomputing {part}", end="", file=sys.stderr, flush=True)

    found = recompute(folder, progress=say)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if as_json:
        typer.echo(json.dumps(found.as_json(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        for line in in_words(found, all_figures=all_figures):
            typer.echo(line)
    if not found.ok:
        raise typer.Exit(1)
