"""Second readers: language models that read answers which the rules cannot read, and how far readers agree with people.

``second_reader`` asks the model, in the job of ``reader_job``, and stores its readings next to those of the rules; core
counts them where it is asked for ``rules+NAME``. ``reader_agreement`` draws a sample for people to read and compares
all readers with them. The commands are ``touchstone reader run``, ``export`` and ``check``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _commands() -> Sequence[Any]:
    from extensions.second_readers.commands import reader_commands

    return (reader_commands,)


def _jobs() -> Sequence[Any]:
    from extensions.second_readers.reader_job import SECOND_READER

    return (SECOND_READER,)


EXTENSION = Extension(name="second_readers", title="Second readers", commands=_commands, jobs=_jobs)
