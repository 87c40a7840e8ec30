"""``touchstone run``: run models over a project's items, in this terminal or by a worker."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import (
    CountedItems,
    Executor,
    ExtraBody,
    Fills,
    Headers,
    Shards,
    fills_of,
    with_request_options,
)
from app.commands.planned_runs import counts_of, planned, tell_counted, tell_left_out, tell_plan
from app.commands.runs_in_shards import choose_shards, refuse_shared_folder
from app.commands.runs_in_terminal import follow, go_on, opened, refuse_mixed, start
from domain.run_kinds import RunKind

if TYPE_CHECKING:
    from workflow.annotate.grading import Sample
    from workflow.annotate.sample_standing import SampleProgress


class Crossing(StrEnum):
    """The ways to cross the additions to a question."""

    STEPS = "steps"
    ALL = "all"


Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    from app.commands import judge as judge_command

    find_group(cli, "model", Panel.MODELS, "Run a model on a project's items.").command("run")(model)
    find_group(cli, "judge", Panel.MODELS, "Run an LLM judge on models' answers.").command("run")(judge_command.judge)
    run = find_group(cli, "run", Panel.MODELS, "List, pause, cancel or withdraw runs of models, judges and metrics.")
    run.command("read")(judge_command.read)
    run.command("list")(list_)
    run.command("pause")(pause)
    run.command("cancel")(cancel)
    run.command("withdraw")(withdraw)
    run.command("grade")(grade)


def model(
    project: Project,
    spec: Annotated[
        str | None,
        typer.Option(help="The model description: a YAML file, or the name of a description included with Touchstone."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Ask about at most this many items, for example to try a model. Every run uses the same items."
        ),
    ] = None,
    resume: Annotated[str | None, typer.Option(help="Continue this run instead of starting a new one.")] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            "--dimension", "-d", help="Ask only about items of this dimension. Repeat the option for more dimensions."
        ),
    ] = None,
    prompt_set: Annotated[
        str | None,
        typer.Option(
            help="The prompt set: a registered name, a file (FILE#NAME if the file has several sets), or a file of "
            "an earlier run. Default: the prompts in the schema."
        ),
    ] = None,
    prompt_seed: Annotated[
        int | None,
        typer.Option(
            help="The seed that chooses one wording per item if a prompt has several wordings. Default: the seed in "
            "the schema."
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            help="Use the prompt wording for this model family. Default: the family in the model description."
        ),
    ] = None,
    fill: Fills = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="The strategy for asking the model, such as rank_options. Default: the strategy in the schema."
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with", help="Add information to the question, such as `objects`. Repeat the option for more additions."
        ),
    ] = None,
    cross: Annotated[
        Crossing | None,
        typer.Option(
            help=(
                "Start several runs on the same items, to measure the effect of each --with. With "
                "`steps`, each run includes one more --with than the run before. With `all`, Touchstone "
                "runs every combination."
            )
        ),
    ] = None,
    clips: Annotated[
        list[str] | None,
        typer.Option(
            "--clips",
            help="Override the schema's settings for frames from clips, as NAME=NUMBER. Names: recent_segments, "
            "frames_per_segment and observation_frames. Repeat the option for more settings.",
        ),
    ] = None,
    text_only: Annotated[
        bool,
        typer.Option(
            "--text-only", help="Send the questions without images, to measure how much the model needs the images."
        ),
    ] = False,
    without_image: Annotated[
        bool,
        typer.Option("--without-image", help="Also rank the options without images, to measure the effect of images."),
    ] = False,
    score: Annotated[
        str | None,
        typer.Option(help="The score that chooses the most likely option. Default: the score in the schema."),
    ] = None,
    extra_body: ExtraBody = None,
    header: Headers = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="The number of questions that Touchstone asks at the same time.")
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option(
            help=(
                "A file with tools, for strategies in which the model calls tools. Touchstone runs a "
                "tool if its result is not stored. With --resume, give this option again."
            ),
            metavar="FILE.yaml",
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume, ask the unanswered questions again.")
    ] = False,
    items: CountedItems = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the first question and the estimated cost, without sending a request."),
    ] = False,
    later: Annotated[bool, typer.Option("--later", help="Leave the run to a worker, and return immediately.")] = False,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Use batch files, which are cheaper but slower. Submit and fetch the files with `touchstone batch`.",
        ),
    ] = False,
    shards: Shards = None,
    executor: Executor = None,
) -> None:
    """Have a model answer a project's items.

    Ctrl+C pauses the run, and --resume continues it. Look at the first question and the cost with --dry-run.

    Example: touchstone model run demo --spec gpt4o.yaml --limit 20
    """
    frozen = [spec, limit, dimension, prompt_set, family, fill, strategy, with_, cross, clips, text_only]
    frozen += [prompt_seed is not None, without_image, extra_body, header, batch_size, batch, items]
    refuse_mixed(
        resume=resume,
        new=spec is not None,
        frozen=any(frozen),
        retry_failed=retry_failed,
        say="Start a new run with --spec FILE",
    )
    from workflow.runs import model_descriptions
    from workflow.runs.model_plans import crossed, with_tools

    shared = opened()
    if resume is not None:
        go_on(shared, project, resume, retry_failed=retry_failed, later=later, shards=shards, executor=executor)
        follow(shared, resume, later=later, tools=tools)
    else:
        described = model_descriptions.named(spec or "", batch_size=batch_size)
        described = with_request_options(described, extra_body, header)
        plan = planned(
            shared,
            project,
            described,
            prompts=prompt_set,
            family=family,
            fills=fills_of(fill),
            strategy=strategy,
            injections=tuple(with_ or ()),
            prompt_seed=prompt_seed,
            clips=counts_of(clips or ()) or None,
            text_only=text_only,
            without_image=without_image,
            score=score,
            dimensions=tuple(dimension) if dimension else None,
            limit=limit,
            items=items.value if items else None,
            batch=batch or shards is not None or None,
        )
        plan = with_tools(plan, tools)
        plans = crossed(plan, every=cross is Crossing.ALL) if cross else [plan]
        if dry_run:
            for run_plan in plans:
                tell_plan(shared, project, described, run_plan)
            return

        refuse_shared_folder(shards, executor, n_runs=len(plans))
        runs = [start(shared, project, described, run_plan, later=later) for run_plan in plans]
        choose_shards(shared, runs, shards, executor, later=later)
        if plan.states is None:
            tell_counted(shared, project, items)
        tell_left_out(shared, project, plans[0])
        for run in runs:
            follow(shared, run, later=later, tools=tools)


def list_(project: Project) -> None:
    """List a project's runs, newest first: ID, state, number of items, and name.

    The list includes imported answers.

    Example: touchstone run list demo
    """
    from workflow.runs import run_views

    shared = opened()
    views = [view for kind in RunKind for view in run_views.runs_of(shared.store, by=None, project=project, kind=kind)]
    for view in sorted(views, key=lambda view: view.created_at, reverse=True):
        failed = f", {view.failed} failed" if view.failed else ""
        remark = f"  {view.said}" if view.said else ""
        apart = f" [{view.differs}]" if view.differs else ""
        gone = f"  withdrawn: {view.withdrawn}" if view.withdrawn else ""
        state = view.kind.state or view.state.value
        typer.echo(f"{view.id}  {state:<9}  {view.done} of {view.wanted}{failed}  {view.name}{apart}{gone}{remark}")


Run = Annotated[str, typer.Argument(help="The run's ID. `touchstone run list` shows it.")]


def pause(run: Run) -> None:
    """Pause a run. `--resume` of the command that started it continues it.

    Example: touchstone run pause RUN
    """
    from workflow.runs import run_control

    run_control.pause(opened().store, by=None, run=run)
    typer.echo(f"{run} is paused.")


def cancel(run: Run) -> None:
    """End a run for good. Its answers stay and count.

    Example: touchstone run cancel RUN
    """
    from workflow.runs import run_control

    run_control.cancel(opened().store, by=None, run=run)
    typer.echo(f"{run} is canceled.")


def withdraw(
    run: Run,
    reason: Annotated[
        str, typer.Option(help="The reason for the withdrawal. Touchstone stores the reason with the run.")
    ] = "",
    back: Annotated[bool, typer.Option("--back", help="Undo the withdrawal, so that the run counts again.")] = False,
) -> None:
    """Exclude a faulty run from results, agreement, calibration, cases and exports. The list still shows the run.

    Example: touchstone run withdraw RUN --reason "Wrong prompt"
    """
    from workflow.runs import run_control

    if back:
        run_control.take_back(opened().store, by=None, run=run)
        typer.echo(f"{run} counts again.")
        return
    run_control.withdraw(opened().store, by=None, run=run, reason=reason)
    typer.echo(
        f"Run {run} is withdrawn and no longer counts. To undo the withdrawal: touchstone run withdraw {run} --back"
    )


def grade(run: Run) -> None:
    """Have people grade a run's answers.

    Example: touchstone run grade RUN
    """
    from workflow.runs import run_grading, run_views

    store = opened().store
    n = run_grading.send_to_grading(store, by=None, run=run)
    typer.echo(f"New slots for grading: {n}.")
    _tell_sample(run_grading.sample_of(store, by=None, project=run_views.view(store, by=None, run=run).project))


def _tell_sample(sample: Sample | SampleProgress | None) -> None:
    if sample is not None:
        typer.echo(sample.sentence)
