"""``touchstone reader run``, ``export`` and ``check``: a second reader, and its agreement with people."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.answers import Project
from app.commands.groups import Panel, find_group
from app.commands.runs_in_terminal import opened
from domain.english import with_noun
from domain.errors import InvalidFileError, RunStoppedError
from domain.states import Items

if TYPE_CHECKING:
    from agreement.statistic import Statistic
    from extensions.second_readers.second_reader import ReadAgain

Which = Annotated[
    Items | None,
    typer.Option(
        help="The items that count: `kept` or `all`. Default: `kept` if the project has verdicts, otherwise `all`."
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    reader = find_group(cli, "reader", Panel.MODELS, "Have a language model read answers that the rules cannot read.")
    reader.command("run")(read_again)
    reader.command("export")(sample)
    reader.command("check")(agreement)


def read_again(
    project: Project,
    spec: Annotated[
        str,
        typer.Option(
            help="The second reader's description: a YAML file, or the name of a description that comes with "
            "Touchstone."
        ),
    ],
    model: Annotated[
        list[str] | None, typer.Option(help="Read only answers of this model. Repeat the option for more models.")
    ] = None,
    items: Which = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most this many questions.")] = None,
) -> None:
    """Ask a language model to read the answers that the rules cannot read.

    Its readings count only with --reader rules+NAME. Ctrl+C cancels, and the next call asks only the rest.

    Example: touchstone reader run demo --spec gpt4o.yaml
    """
    from app.commands import job_in_terminal
    from app.commands.runs_in_terminal import on_signals
    from extensions.second_readers.reader_job import SECOND_READER, ReaderRequest
    from workflow.runs import model_descriptions

    described = model_descriptions.named(spec)
    request = ReaderRequest(project, described, tuple(model) if model else None, items, limit)
    signals: list[int] = []
    with on_signals(signals):
        slot = f"{SECOND_READER.name}/{project}/{described.name}"
        about: Any = {"kind": SECOND_READER.name, "slot": slot, "project": project, "input": request}
        job = job_in_terminal.work(opened(), **about, signals=signals)
    done: ReadAgain | None = job.result
    if done is None:
        raise RunStoppedError(job.refused)
    typer.echo(done.counted, err=True)
    typer.echo(
        f"The rules cannot read {with_noun(done.wanted, 'answer')}. The second reader was already asked about "
        f"{done.known:,} of them."
    )
    typer.echo(
        f"Questions: {done.asked:,}. Answers read: {done.read:,}. Answers without a clear statement: {done.none:,}."
    )
    for why, n in done.failed.items():
        typer.echo(f"Answers without a reading: {n:,} ({why}).")
    typer.echo(f"To use these readings, run: touchstone result show {project} --reader {done.reader}")


def sample(
    project: Project,
    out: Annotated[
        Path, typer.Option(help=("The file to write. Each line is a JSON object with an answer and an empty `value`."))
    ],
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="The number of answers in the sample.")] = 50,
    seed: Annotated[int, typer.Option(help="The seed of the sample. The same seed draws the same answers.")] = 0,
    unread: Annotated[bool, typer.Option("--unread", help="Draw only answers that the rules cannot read.")] = False,
    items: Which = None,
) -> None:
    """Draw answers that people read, to test the readers. The file has no model names and no keys.

    People fill in `value`; then `touchstone reader check` compares.

    Example: touchstone reader export demo --out sample.jsonl
    """
    from extensions.second_readers import reader_agreement
    from workflow.access.counted_items import counting_of

    store = opened().store
    counted = counting_of(store, person=None, project=project, items_=items).sentence
    rows = reader_agreement.sample(store, by=None, project=project, n=n, seed=seed, unread=unread, items=items)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(lines)
    except FileExistsError as error:
        raise InvalidFileError(
            f"{out} already exists and may contain people's readings. Choose another file name."
        ) from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot write {out}: {error.strerror}. Check the path and the permissions."
        ) from error
    typer.echo(counted, err=True)
    ways = "a letter, several letters separated by commas, yes, no, a number, or none"
    typer.echo(f"Wrote {with_noun(len(rows), 'answer')} to {out}. Fill in `value`: {ways}.")


def agreement(
    project: Project,
    file: Annotated[
        Path, typer.Argument(help="The sample with completed values: JSON lines, or CSV with id and value.")
    ],
) -> None:
    """Compare the rules and each second reader with people's readings of a sample.

    Example: touchstone reader check demo sample.jsonl
    """
    from extensions.second_readers import reader_agreement

    comparison = reader_agreement.compare(
        opened().store, by=None, project=project, values=reader_agreement.values_of(file)
    )
    left = f"; {comparison.empty:,} without a reading" if comparison.empty else ""
    typer.echo(
        f"{with_noun(comparison.n, 'answer')} read by people{left}. The unit is an answer. All intervals are 95 % "
        "intervals."
    )
    for reader in comparison.readers:
        typer.echo(
            f"{reader.reader}: agreement {_figure(reader.same)}, Cohen's kappa {_figure(reader.kappa)}. "
            f"Answers that people read differently: {reader.wrong:,}. Answers that only people could "
            f"read: {reader.lost:,}."
        )


def _figure(found: Statistic) -> str:
    if not found.defined:
        return f"undefined ({found.reason})"
    limits = f" [{found.low:.3f}, {found.high:.3f}]" if not math.isnan(found.low) else ""
    return f"{found.value:.3f}{limits}"
