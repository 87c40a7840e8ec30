"""The ``touchstone`` command.

Each module of ``app.commands`` or of an extension adds subcommands by ``register(cli)``.
"""

from __future__ import annotations

import errno
import functools
import sys
from collections.abc import Callable

import typer
import typer.core
import typer.main

from app.commands.groups import find_group
from domain import extensions
from domain.errors import NotAvailableError, TouchstoneError
from domain.module_names import import_own
from domain.origin import acting_from

COMMANDS = (
    "schema",
    "agreement",
    "results",
    "answers",
    "projects",
    "import_files",
    "export_files",
    "release",
    "items",
    "serve",
    "run",
    "worker",
    "jobs",
    "people",
    "demo",
    "check",
    "grading",
    "exposure",
)
"""Modules of ``app.commands``, in the order of ``touchstone --help``. Those of extensions follow."""

cli = typer.Typer(
    name="touchstone",
    help="Human annotation, verification, and judge calibration for vision-language benchmarks.",
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
    return made


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
    errno.ENOSPC: "there is no room left on its disk. Make room, then run the same command again",
    errno.EDQUOT: "there is no room left for this account. Make room, then run the same command again",
    errno.EFBIG: "it may not grow any further. Raise the limit, then run the same command again",
    errno.EROFS: "it lies where nothing can be written. Set TOUCHSTONE_HOME to a folder that can be",
    errno.EACCES: "this account may not use it. Change its permissions, or run the command as its owner",
    errno.EPERM: "this account may not use it. Change its permissions, or run the command as its owner",
    errno.ENOTDIR: "a part of its path is a file, where a folder is needed",
    errno.EIO: "its disk fails: it could not be read or written. Check the disk, and restore a backup if need be",
    errno.EMFILE: "too many files are open at once. Raise the limit (ulimit -n)",
}


def of_this_machine(error: OSError) -> str | None:
    """Return a sentence for an error of the disk or of rights.

    None for other errors, which are faults of the program.
    """
    reason = _OF_THIS_MACHINE.get(error.errno or 0)
    return f"{error.filename or 'A file'}: {reason}." if reason else None
