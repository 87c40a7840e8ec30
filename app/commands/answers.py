"""``touchstone answers``: read models' answers by rules or a second reader, and compare the readings with people's."""

from __future__ import annotations

import json
import math
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.states import Items

if TYPE_CHECKING:
    from agreement.statistic import Statistic

Project = Annotated[str, typer.Argument(help="The project.")]
Which = Annotated[
    Items | None,
    typer.Option(help="Which items count: kept (by verification; the default as soon as there are verdicts) or all."),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    answers = typer.Typer(help="What models' answers state, and who reads it.", no_args_is_help=True)
    cli.add_typer(answers, name="answers")
    answers.command("read")(read)
    answers.command("reread")(reread)
    answers.command("read-again")(read_again)
    answers.command("sample")(sample)
    answers.command("agreement")(agreement)


def read(
    file: Annotated[Path, typer.Argument(help="JSON Lines: one answer a line.", metavar="FILE.jsonl")],
) -> None:
    """Read the answers in a file. For each line, print its id, outcome, value, the words that were read and the rule.

    A line is a JSON object with `kind` (option, multi, order, yes_no, number or text), `answer`, `options` (a list of
    texts, for the first three), and where known `id`, `unit`, `finish_reason` and `expected`: a list of all acceptable
    readings, {"read": VALUE}, {"outcome": "unreadable"} or {"outcome": "refused"}. If lines have `expected`, the last
    line of the output counts the lines that match. No project is needed.
    """
    from app.commands import answer_cases, case_files

    case_files.print_cases(file, answer_cases.reading_of)


def reread(project: Project) -> None:
    """Read all answers again, after the rules or the protocol changed. Earlier readings are kept."""
    from app.commands.runs_in_terminal import opened
    from workflow.annotate import answer_readings

    seen, new = answer_readings.read_again(opened().store, by=None, project=project)
    typer.echo(f"{seen:,} answers looked at, {new:,} new readings.")


def read_again(
    project: Project,
    spec: Annotated[
        str, typer.Option(help="The second reader's description: a YAML file, or the name of a shipped one.")
    ],
    model: Annotated[list[str] | None, typer.Option(help="Only this model's answers; may be given again.")] = None,
    items: Which = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many questions.")] = None,
) -> None:
    """Ask a language model what those answers state that the rules do not read.

    It counts only where it is asked for (--reader rules+NAME). Ctrl+C stops the command. The next call asks only the
    remaining questions.
    """
    from app.commands.runs_in_terminal import opened
    from workflow.runs import model_descriptions, second_reader

    shared = opened()
    stopped: list[bool] = []
    before = signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
    try:
        done = second_reader.read_again(
            shared.store,
            by=None,
            project=project,
            spec=model_descriptions.named(spec),
            open_=lambda described: model_descriptions.opened(described, shared.settings),
            models=model,
            items=items,
            limit=limit,
            stop=lambda: bool(stopped),
        )
    finally:
        signal.signal(signal.SIGINT, before)
    typer.echo(done.counted, err=True)
    typer.echo(f"{done.wanted:,} answers are not read by the rules; {done.known:,} of them it was asked about before.")
    typer.echo(f"{done.asked:,} questions: {done.read:,} answers read, {done.none:,} state nothing.")
    for why, n in done.failed.items():
        typer.echo(f"{n:,} without a reading: {why}.")
    typer.echo(f"It counts where it is asked for: touchstone results {project} --reader {done.reader}")


def sample(
    project: Project,
    out: Annotated[Path, typer.Option(help="The file: a JSON line for each answer, with an empty `value`.")],
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many.")] = 50,
    seed: Annotated[int, typer.Option(help="The seed of the sample.")] = 0,
    unread: Annotated[bool, typer.Option("--unread", help="Only answers that the rules do not read.")] = False,
    items: Which = None,
) -> None:
    """Draw answers for people to read, without models' names and keys."""
    from app.commands.runs_in_terminal import opened
    from domain.errors import FileRefused
    from workflow.access.counted_items import counting_of
    from workflow.results import reader_agreement

    store = opened().store
    counted = counting_of(store, person=None, project=project, items_=items).sentence
    found = reader_agreement.sample(store, by=None, project=project, n=n, seed=seed, unread=unread, items=items)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(lines)
    except FileExistsError as error:
        raise FileRefused(f"{out} is there already, and may hold what someone has read; name another file.") from error
    except OSError as error:
        raise FileRefused(f"{out} cannot be written: {error.strerror}.") from error
    typer.echo(counted, err=True)
    ways = "a letter, several with commas, yes, no, a number, or none"
    typer.echo(f"{len(found):,} answers in {out}. Fill in `value`: {ways}.")


def agreement(
    project: Project,
    file: Annotated[Path, typer.Argument(help="The sample with its values: JSON lines, or CSV with id and value.")],
) -> None:
    """Compare the rules and each second reader with what people read in a sample."""
    from app.commands.runs_in_terminal import opened
    from workflow.results import reader_agreement

    found = reader_agreement.compare(opened().store, by=None, project=project, values=reader_agreement.values_of(file))
    left = f"; {found.empty:,} are not filled in" if found.empty else ""
    typer.echo(f"{found.n:,} answers that people have read{left}. The unit is an answer; intervals of 95 %.")
    for each in found.readers:
        typer.echo(
            f"{each.reader}: agreement {_figure(each.same)}, Cohen's kappa {_figure(each.kappa)}; "
            f"{each.wrong:,} read otherwise than people do, {each.lost:,} not read that people read"
        )


def _figure(found: Statistic) -> str:
    if not found.defined:
        return f"undefined ({found.reason})"
    limits = f" [{found.low:.3f}, {found.high:.3f}]" if not math.isnan(found.low) else ""
    return f"{found.value:.3f}{limits}"
