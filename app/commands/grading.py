"""``touchstone sample``: the models' answers that people grade."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group

if TYPE_CHECKING:
    from workflow.annotate.sample_standing import SampleProgress


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "sample", Panel.PEOPLE, "Show and extend the sample of models' answers that people grade.")
    group.command("show")(sample)


def sample(
    project: Annotated[str, typer.Argument(help="The project.")],
    outputs: Annotated[
        int | None, typer.Option(min=1, help="Extend the sample to this many answers. A sample never becomes smaller.")
    ] = None,
    open_: Annotated[
        bool,
        typer.Option("--open", help="Open the missing tasks to graders. By default, the command only prints the plan."),
    ] = False,
    summary: Annotated[bool, typer.Option("--summary", help="Print only the progress, in one line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Show which models' answers people grade, what grading costs, and its progress. --open opens the tasks.

    Example: touchstone sample show demo --open
    """
    from app.services import opened
    from domain.errors import ConflictError
    from workflow.runs import run_grading

    store = opened().store
    if open_:
        n = run_grading.draw_sample(store, by=None, project=project, outputs=outputs)
        typer.echo(f"New grading tasks: {n}.", err=as_json)
        outputs = None
    planned = run_grading.planned_sample(store, by=None, project=project, outputs=outputs)
    if planned is not None and not summary:
        typer.echo(_as_json(planned) if as_json else "\n".join(report_lines(planned)))
        return
    progress = planned or run_grading.sample_of(store, by=None, project=project)
    if progress is None:
        raise ConflictError(
            f"The schema of {project} has no `grading` stage, so there is no sample. Add the stage to the schema."
        )
    if as_json:
        raise ConflictError(
            f"--json needs a planned sample. Add `grading: {{sample: ...}}` to the schema of {project}."
        )
    typer.echo(progress.sentence)


def report_lines(found: SampleProgress) -> Iterator[str]:
    """Yield the plan as lines for people: a summary, shortages, and a row for each model in each stratum."""
    yield found.sentence
    yield from (words for words in (found.cost, found.how if found.drawn else "") if words)
    yield from found.troubles
    yield from found.remarks
    columns = found.columns
    heads = [*found.others, "model", *columns.values()]
    rows = [[*line.strata, line.model, *(f"{getattr(line, name):,}" for name in columns)] for line in found.lines]
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    for row in [heads, *rows] if rows else ():
        words = len(found.others) + 1
        cells = [cell.ljust(width) for cell, width in zip(row[:words], widths, strict=False)]
        cells += [cell.rjust(width) for cell, width in zip(row[words:], widths[words:], strict=True)]
        yield "  ".join(cells).rstrip()


def _as_json(found: SampleProgress) -> str:
    whole = {
        **asdict(found),
        "answers": found.drawn,
        "slots": found.slots,
        "short": found.short,
        "done": found.done,
        "sentence": found.sentence,
    }
    return json.dumps(whole, ensure_ascii=False)
