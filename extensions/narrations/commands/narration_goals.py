"""``touchstone goal create``: goals from narrations by a language model, and a check of edited goals."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.strict_run_output import carried_out, tell_asked, tell_dry
from domain.english import with_noun
from domain.errors import InvalidFileError, InvalidInputError, Problem
from extensions.narrations.commands.narrations import (
    Columns,
    File,
    Narrator,
    Spacing,
    Unsure,
    VideoFile,
    rates_of,
    read_rows,
    reading,
    tell_rows,
)

if TYPE_CHECKING:
    from extensions.narrations.files.narration_rows import ReadNarrations
    from extensions.narrations.goal_generation import GoalInquiry
    from extensions.narrations.rules.goals import Limits
    from workflow.runs.model_descriptions import ModelSpec
    from workflow.runs.strict_questions import InquirySummary


def register(cli: typer.Typer) -> None:
    """Add the subcommand of this module."""
    find_group(cli, "goal", Panel.ITEMS, "Ask a model to name the goals in narrated videos.").command("create")(goals)


Tries = Annotated[
    int,
    typer.Option(
        min=1,
        max=20,
        help="The maximum number of retries after an invalid reply. Touchstone leaves out videos without a valid "
        "reply.",
    ),
]
Prompt = Annotated[
    Path | None,
    typer.Option(
        help="A file with your own prompt. The prompt must contain {narrations}, and can contain {form}, "
        "{fewest} and {most}.",
        metavar="FILE",
    ),
]
Spec = Annotated[
    str | None,
    typer.Option(
        help="The model's description with its endpoint: a YAML file, or the name of a description that comes "
        "with Touchstone."
    ),
]
Constrain = Annotated[
    bool,
    typer.Option(
        "--constrain",
        help="Ask the server to enforce the JSON form with response_format. Not all servers support this setting.",
    ),
]
Check = Annotated[
    Path | None,
    typer.Option(
        "--check", help="Check a file of goals that people corrected, without asking a model.", metavar="FILE"
    ),
]


def goals(
    file: File,
    out: Annotated[
        Path | None,
        typer.Option(help="The output file for the goals. Touchstone writes replies and settings next to this file."),
    ] = None,
    spec: Spec = None,
    prompt: Prompt = None,
    check: Check = None,
    video: Annotated[
        list[str] | None, typer.Option(help="Use only this video. Repeat the option for more videos.")
    ] = None,
    tries: Tries = 3,
    fewest: Annotated[int, typer.Option(min=1, help="Leave out goals with fewer actions than this number.")] = 4,
    most: Annotated[int, typer.Option(min=1, help="Leave out goals with more actions than this number.")] = 20,
    constrain: Constrain = False,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop after this many requests.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0, help="Stop before the run costs more than this amount. The model's description must contain prices."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the first question and the estimated cost, without asking the model."),
    ] = False,
    column: Columns = None,
    videos: VideoFile = None,
    narrator: Narrator = 1,
    spacing: Spacing = None,
    with_unsure: Unsure = False,
) -> None:
    """Have a model name the goals of each narrated video: an overall goal, subgoals, and their subgoals.

    Invalid replies give no goals. Ctrl+C cancels, and the same command continues. `touchstone question create --goals
    OUT` then makes questions.

    Example: touchstone goal create narrations.csv --spec gpt4o.yaml --out goals.json
    """
    from extensions.narrations.rules.goals import Limits

    if most < fewest:
        raise InvalidInputError(
            [Problem("most", f"--most ({most}) is below --fewest ({fewest}). Raise --most, or lower --fewest.")]
        )
    how = reading(column, rates_of(videos), narrator, spacing, with_unsure)
    read = read_rows(file, how)
    limits = Limits(fewest, most)
    if check is not None:
        if out is not None or spec is not None:
            raise InvalidInputError([Problem("check", "--check does not ask a model. Remove --out and --spec.")])
        _check(read, check, limits)
        return
    if out is None or spec is None:
        raise InvalidInputError(
            [
                Problem(
                    "spec",
                    "Give --spec (the model's description) and --out. To check a file of goals, give only --check "
                    "FILE.",
                )
            ]
        )
    from extensions.narrations.goal_generation import GOALS, GoalRequest, prepared

    described = _described(spec, constrain=constrain, max_calls=max_calls, max_cost=max_cost)
    only, to = tuple(video or ()), out.absolute()
    request = GoalRequest(file.absolute(), how, described, _prompt(prompt), limits, tries, only, to)
    inquiry = prepared(request, read)
    tell_rows(read)
    if dry_run:
        tell_dry(inquiry, shown=len(inquiry.subjects))
        return
    from app.services import opened

    carried_out(opened(), inquiry, kind=GOALS.name, input=request, tell=partial(_tell, inquiry, out))


def _described(spec: str, *, constrain: bool, max_calls: int | None, max_cost: float | None) -> ModelSpec:
    from app.commands.judge import within
    from extensions.narrations.goal_generation import described
    from workflow.runs import model_descriptions

    return described(within(model_descriptions.named(spec), max_calls=max_calls, max_cost=max_cost), constrain)


def _prompt(file: Path | None) -> str:
    from extensions.narrations.rules.goal_prompt import OURS

    try:
        return (file or OURS).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(
            f"Touchstone cannot read the prompt {file} as UTF-8 text. Save the file as UTF-8."
        ) from error


def _check(read: ReadNarrations, file: Path, limits: Limits) -> None:
    from extensions.narrations.files.goal_files import read_goals
    from extensions.narrations.rules.goal_check import check
    from extensions.narrations.rules.narration import by_video

    goal_file = read_goals(file)
    faults = [
        f"{row.path}, line {row.row}: {row.reason}. Correct the line, or delete the goal." for row in goal_file.bad
    ]
    faults += map(str, check(goal_file.goals, by_video(read.rows), limits))
    for fault in faults:
        typer.echo(fault)
    typer.echo(f"{with_noun(len(goal_file.goals), 'goal')}, {with_noun(len(faults), 'fault')}.")
    if faults:
        raise typer.Exit(1)


def _tell(inquiry: GoalInquiry, out: Path, summary: InquirySummary) -> None:
    beside = inquiry.result._replace(out=out).beside
    tell_asked(summary, inquiry, journal=beside("asked.jsonl"), more=". The last one: ")
    typer.echo(
        f"Wrote {with_noun(summary.n, 'goal')} to {out}. All replies: {beside('asked.jsonl')}. Settings: "
        f"{beside('made.json')}"
    )
