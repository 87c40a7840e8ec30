"""``touchstone grading``: draw the sample of models' answers that people grade."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from workflow.annotate.sample_standing import SampleProgress


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    grading = typer.Typer(help="The sample of models' answers that people grade by plan.", no_args_is_help=True)
    cli.add_typer(grading, name="grading")
    grading.command("sample")(sample)


def sample(
    project: Annotated[str, typer.Argument(help="The project.")],
    outputs: Annotated[
        int | None, typer.Option(min=1, help="So many answers: more than are planned, never fewer.")
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open its slots to people; without it, nothing is changed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Show the schema's plan for grading: which answers people grade, what grading costs, its progress and what is
    missing.
    """
    from app.services import opened
    from domain.errors import ConflictError
    from workflow.runs import run_grading

    shared = opened()
    planned_sample = run_grading.planned_sample(shared.store, by=None, project=project, outputs=outputs)
    if planned_sample is None:
        raise ConflictError(
            f"The schema of {project} plans no such sample: it has no `grading: {{sample: ...}}`. "
            "Where it has `outputs`, `touchstone run sample` says how far these are."
        )
    if open_:
        n = run_grading.draw_sample(shared.store, by=None, project=project, outputs=outputs)
        typer.echo(f"{n} new slots for grading.", err=as_json)
        planned_sample = run_grading.planned_sample(shared.store, by=None, project=project)
        assert planned_sample is not None
    typer.echo(_as_json(planned_sample) if as_json else "\n".join(report_lines(planned_sample)))


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
