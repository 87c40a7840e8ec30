"""``schema preview``: show a schema's forms in the browser, with made-up items, in a temporary home folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation_schemas import shipped
from annotation_schemas.loader import examine
from app.commands.groups import find_group
from app.serving.exit_signals import exiting_on_signals

if TYPE_CHECKING:
    from db.engine import Store
    from extensions.planner.trial_project import TrialResult

VARIABLE = "TOUCHSTONE_"
"""The prefix of an installation's environment variables. None of these variables applies to a tried schema."""


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone schema``."""

    @find_group(cli, "schema").command("preview")
    def try_out(
        name: Annotated[
            str,
            typer.Argument(metavar="SCHEMA", help="A YAML file, or the name of a schema that comes with Touchstone."),
        ],
        port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8502,
    ) -> None:
        """Preview a schema's forms in the browser with made-up items, as annotators will see them.

        The command prints a link for each role. Your projects stay untouched, and everything is removed at Ctrl+C.
        After a change of the file, start it again.

        Example: touchstone schema preview street.yaml
        """
        from app import server
        from app.commands.serve import check_free, shown
        from app.services import resources
        from extensions.planner.trial_project import build

        examined = examine(shipped().get(name, Path(name)))
        for warning in examined.warnings:
            typer.echo(warning, err=True)
        host = "127.0.0.1"
        check_free(host, port)
        with throwaway_home() as home:
            shared = resources()
            try:
                shared.store.upgrade()
                typer.echo("Creating made-up items. This takes a few seconds.")
                files = home / "made-up"
                files.mkdir()
                tried = build(shared, examined.loaded, files)
                typer.echo("\n".join(told(tried, shared.store, f"http://{shown(host)}:{port}")))
                server.serve(shared, host=host, port=port)
            finally:
                shared.store.close()
        typer.echo("The preview ended, and its data was removed.")


def told(tried: TrialResult, store: Store, address: str) -> Iterator[str]:
    """Yield the numbers of waiting items by stage, and a sign-in link for each role."""
    from workflow.access import sign_in

    yield "Waiting, made up: " + (", ".join(f"{stage.value} {n}" for stage, n in tried.work.items() if n) or "nothing")
    idle = [stage.value for stage, n in tried.work.items() if not n]
    if idle:
        yield f"No tasks are waiting in {', '.join(idle)}. The Preview page shows the forms."
    yield from tried.left_out
    yield "Links (each works once):"
    for role, person in tried.people:
        token = sign_in.make_sign_in_link(store, person=person)
        yield f"  {role.value:<10} {address}/link/{token}"
    yield f"Touchstone runs at {address} (Ctrl+C ends the preview and removes all its data)"


@contextmanager
def throwaway_home() -> Iterator[Path]:
    """Use a temporary home folder in this process, whatever the environment says. Remove the folder afterwards."""
    from app.services import resources

    before = {name: value for name, value in os.environ.items() if name.startswith(VARIABLE)}
    folder = Path(tempfile.mkdtemp(prefix="touchstone-try-"))
    with exiting_on_signals():
        try:
            _become({"TOUCHSTONE_HOME": str(folder)})
            resources.cache_clear()
            yield folder
        finally:
            resources.cache_clear()
            _become(before)
            shutil.rmtree(folder, ignore_errors=True)


def _become(variables: Mapping[str, str]) -> None:
    for name in [name for name in os.environ if name.startswith(VARIABLE)]:
        del os.environ[name]
    os.environ.update(variables)
