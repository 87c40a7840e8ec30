"""The ``touchstone`` command.

Each module of ``app.commands`` or of an extension adds subcommands by ``register(cli)``.
"""

from __future__ import annotations

import errno
import functools
import sys
from collections.abc import Callable
from typing import Any

import typer
import typer.core
import typer.main
from typer._click.core import Context

from app.commands.groups import Panel, find_group
from app.commands.old_names import with_new_names
from domain import extensions
from domain.errors import NotAvailableError, TouchstoneError
from domain.module_names import import_own
from domain.origin import acting_from

COMMANDS = (
    "demo",
    "serve",
    "projects",
    "schema",
    "items",
    "import_files",
    "export_files",
    "people",
    "sessions",
    "grading",
    "run",
    "answers",
    "results",
    "agreement",
    "release",
    "exposure",
    "jobs",
    "check",
    "media",
    "worker",
)
"""Modules of ``app.commands``, in the order of ``touchstone --help``. Those of extensions follow."""

HELP = """\
Build vision-language benchmarks with people, and measure how reliable LLM judges are.

Start with these three commands:

  touchstone demo             Try everything with an invented project.

  touchstone serve            Start your own server.

  touchstone project create   Create your first project from a schema.

To list the commands of a group, add --help: `touchstone item --help`.
"""


class Touchstone(typer.core.TyperGroup):
    """The command ``touchstone``. It accepts former names of commands, too."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments. A former name becomes the new one, with a warning on standard error."""
        subcommands = {name: getattr(command, "commands", ()) for name, command in self.commands.items()}
        args, warnings = with_new_names(args, subcommands)
        for warning in warnings:
            typer.echo(f"touchstone: {warning}", err=True)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of all commands in the order of the panels of the help."""
        panels: list[str | None] = [*Panel]
        panel_of = {name: getattr(command, "rich_help_panel", None) for name, command in self.commands.items()}
        return sorted(self.commands, key=lambda name: panels.index(panel_of[name]) if panel_of[name] else len(panels))


cli = typer.Typer(
    name="touchstone",
    cls=Touchstone,
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

for _module in (*(import_own(f"app.commands.{name}") for name in COMMANDS), *extensions.rows("commands")):
    _module.register(cli)


def _say(sentence: str) -> Callable[[], None]:
    def refuse() -> None:
        raise NotAvailableError(sentence)

    return refuse


for _name, _sentence in extensions.all_missing("commands").items():
    _anything = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    *_group, _last = _name.split()
    _parent = find_group(cli, _group[0]) if _group else cli
    _parent.command(_last, hidden=True, context_settings=_anything)(_say(_sentence))


@functools.cache
def command() -> typer.core.TyperGroup:
    """Return the command with all subcommands. Building it takes a tenth of a second."""
    made = typer.main.get_command(cli)
    assert isinstance(made, typer.core.TyperGroup)
    for subcommand in made.commands.values():
        _join_lines(subcommand)
    return made


def _join_lines(command: Any) -> None:
    """Join the lines of each paragraph of the help, so that a terminal of any width wraps them evenly."""
    if command.help:
        command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
    for subcommand in getattr(command, "commands", {}).values():
        _join_lines(subcommand)


def main() -> None:
    """Run the command. An error that a user can fix becomes one sentence on standard error and exit status 1."""
    try:
        with acting_from("command"):
            command()()
    except TouchstoneError as error:
        print(f"touchstone: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        sentence = of_this_machine(error)
        if sentence is None:
            raise
        print(f"touchstone: {sentence}", file=sys.stderr)
        sys.exit(1)


_OF_THIS_MACHINE = {
    errno.ENOSPC: "its disk is full. Free some space, then run the same command again",
    errno.EDQUOT: "your disk quota is used up. Free some space, then run the same command again",
    errno.EFBIG: "the file has reached its size limit. Raise the limit, then run the same command again",
    errno.EROFS: "its disk is read-only. Choose another folder (for the server's data, with TOUCHSTONE_HOME)",
    errno.EACCES: "this account has no permission. Change the permissions, or run the command as the owner",
    errno.EPERM: "this account has no permission. Change the permissions, or run the command as the owner",
    errno.ENOTDIR: "part of its path is a file, not a folder. Correct the path",
    errno.EIO: "its disk failed during a read or write. Check the disk, and restore a backup if necessary",
    errno.EMFILE: "too many files are open at once. Raise the limit (ulimit -n)",
}


def of_this_machine(error: OSError) -> str | None:
    """Return a sentence for an error of the disk or of rights.

    None for other errors, which are faults of the program.
    """
    reason = _OF_THIS_MACHINE.get(error.errno or 0)
    return f"{error.filename or 'A file'}: {reason}." if reason else None
