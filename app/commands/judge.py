"""``touchstone judge run`` and ``touchstone run read``: a judge grades answers, and its replies are read again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.options import CountedItems, Executor, ExtraBody, Headers, Shards, with_request_options
from domain.english import with_noun
from domain.errors import ModelError, NotFoundError
from domain.name_value_pairs import pairs
from domain.runs import RunState

if TYPE_CHECKING:
    from app.services import Resources
    from domain.judging import JudgePlan
    from workflow.runs.model_descriptions import ModelSpec


def judge(
    project: Annotated[str, typer.Argument(help="The project.")],
    template: Annotated[
        str | None,
        typer.Option(help="The judge template: an ID such as egothink_single, ID@VERSION, or a file."),
    ] = None,
    spec: Annotated[
        str | None,
        typer.Option(
            help="The judge's description: a YAML file, or the name of a description included with Touchstone."
        ),
    ] = None,
    sample: Annotated[
        str,
        typer.Option(
            help="The answers to judge. Use all, graded for answers with people's grades, compared for pairs that "
            "people compare, or a number per dimension."
        ),
    ] = "all",
    repeats: Annotated[
        int, typer.Option(min=1, help="Judge each answer this many times, to see how stable the judge is.")
    ] = 1,
    baseline: Annotated[
        str | None,
        typer.Option(help="For templates that compare two answers: compare all models with this model."),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Only answers of this model. Repeat the option for more models.")
    ] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            "--dimension", "-d", help="Only answers of this dimension. Repeat the option for more dimensions."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help="PART=CRITERION: the criterion that a part of the reply rates. Default: the criterion in the schema."
        ),
    ] = None,
    fill: Annotated[
        list[str] | None,
        typer.Option(
            help="PLACEHOLDER=FIELD: fill a placeholder of the template from a field with a different name. Use "
            "`prediction` for the answer."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help=("Judge at most this many answers, for example to try a judge."))
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the sample.")] = 0,
    attacks: Annotated[
        bool,
        typer.Option("--attacks", help="Test whether answers can persuade the judge to give a high score."),
    ] = False,
    extra_body: ExtraBody = None,
    header: Headers = None,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop after this many requests.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="Stop before the run exceeds this cost. The judge's description needs prices."),
    ] = None,
    resume: Annotated[str | None, typer.Option(help="Continue this run instead of starting a new one.")] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: resend requests that have no reply.")
    ] = False,
    items: CountedItems = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the first question and the estimated cost, without sending requests."),
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
    """Have an LLM judge grade models' answers.

    Ctrl+C pauses the run, and --resume continues it. Afterwards, `touchstone calibration run` shows whether the judge
    may replace people.

    Example: touchstone judge run demo --template egothink_single --spec gpt4o.yaml --sample graded
    """
    from app.commands import runs_in_terminal as commands
    from app.commands.runs_in_shards import choose_shards, refuse_shared_folder
    from workflow.runs import model_descriptions

    commands.refuse_mixed(
        resume=resume,
        new=spec is not None and template is not None,
        frozen=any((spec, template, batch, extra_body, header)),
        retry_failed=retry_failed,
        say="Name the judge with --template ID and --spec FILE",
    )
    shared = commands.opened()
    if resume is not None:
        commands.go_on(
            shared, project, resume, retry_failed=retry_failed, later=later, shards=shards, executor=executor
        )
        run = resume
    else:
        described = with_request_options(model_descriptions.named(spec or ""), extra_body, header)
        described = within(described, max_calls=max_calls, max_cost=max_cost)
        plan = _plan(
            shared,
            project,
            template or "",
            sample=sample,
            criteria=pairs(criterion or (), "PART=CRITERION", option="--criterion"),
            fills=pairs(fill or (), "PLACEHOLDER=FIELD", option="--fill"),
            samples=repeats,
            baseline=baseline,
            items=items.value if items else None,
            models=tuple(model) if model else None,
            dimensions=tuple(dimension) if dimension else None,
            limit=limit,
            seed=seed,
            attacks=attacks,
            batch=batch or shards is not None or None,
        )
        if dry_run:
            _tell_plan(shared, project, described, plan)
            return

        refuse_shared_folder(shards, executor)
        run = commands.start(shared, project, described, plan, later=later)
        choose_shards(shared, [run], shards, executor, later=later)
    commands.follow(shared, run, later=later, end=lambda: tell_verdicts(shared, run))


def read(run: Annotated[str, typer.Argument(help="The ID of a judge's run.")]) -> None:
    """Read a judge's stored replies again, after its parser changed. No model is asked, and earlier readings stay.

    Example: touchstone run read RUN
    """
    from app.commands import runs_in_terminal as commands
    from workflow.runs import judge_readings

    shared = commands.opened()
    n = judge_readings.read_replies_again(shared.store, by=None, run=run)
    typer.echo(f"{with_noun(n, 'new reading')}." if n else "This version of the parser has already read all replies.")
    tell_verdicts(shared, run)


def within(spec: ModelSpec, *, max_calls: int | None, max_cost: float | None) -> ModelSpec:
    """Return the description with the budget of this run. Raise ``ModelError`` if the model is not an endpoint."""
    given = {name: value for name, value in (("max_calls", max_calls), ("max_cost", max_cost)) if value is not None}
    if not given:
        return spec
    if spec.endpoint is None:
        raise ModelError(
            f"{spec.name} has no endpoint, but a budget needs an endpoint. Remove --max-calls and --max-cost."
        )
    return spec.model_copy(update={"endpoint": spec.endpoint.model_copy(update=given)})


def _plan(shared: Resources, project: str, template: str, *, sample: str, **chosen: Any) -> JudgePlan:
    if sample in ("all", "graded", "compared"):
        chosen["chosen"] = sample
    elif sample.isdecimal() and int(sample) > 0:
        chosen |= {"chosen": "stratified", "per_dimension": int(sample)}
    else:
        known = "all, graded, compared or a number of answers per dimension"
        raise ModelError(f"--sample {sample} is unknown. Use {known}.")
    return plan_of(shared, project, template, **chosen)


def plan_of(shared: Resources, project: str, template: str, **chosen: Any) -> JudgePlan:
    """Return the plan of a judge for a template: an id, ID@VERSION, or a file.

    A file is kept with the project as a new version.
    """
    from workflow.access.projects import access_to
    from workflow.runs import judge_plans, judge_templates

    given = {name: value for name, value in chosen.items() if value not in (None, {})}
    if Path(template).is_file():
        text = judge_templates.read_text(Path(template))
        template_view = judge_templates.add_version(
            shared.store, by=None, project=project, text=text, origin=Path(template).name
        )
        return judge_plans.plan_of_project(
            shared.store, by=None, project=project, template=template_view.template, **given
        )
    name, _, version = template.partition("@")
    if version and not version.isdecimal():
        raise NotFoundError(f"--template {template} has no valid version. Use a number, as in {name}@2.")
    with shared.store.read() as session:
        access = access_to(session, person=None, project=project)
        parsed = judge_templates.template(
            session, project_id=access.project_id, name=name, version=int(version) if version else None
        )
    return judge_plans.plan_of_project(shared.store, by=None, project=project, template=parsed, **given)


_LOOKED_AT = 20
"""Number of questions that are built in full, with their pictures, to preview a run."""


def _tell_plan(shared: Resources, project: str, spec: ModelSpec, plan: JudgePlan) -> None:
    """Print the requests of a run and their estimated cost."""
    from app.commands import runs_in_terminal as commands
    from workflow.runs import judge_plans, judge_runs, preview_run

    seen = preview_run.preview(
        shared.store,
        shared.media,
        by=None,
        project=project,
        spec=spec,
        plan=plan,
        settings=shared.settings,
        first=_LOOKED_AT,
    )
    about = judge_plans.about_in_words(plan, about=seen.about, wanted=seen.wanted)
    typer.echo(f"{judge_runs.label_of(spec, plan)}: {with_noun(seen.wanted, 'request')} about {about}")
    typer.echo(f"  {judge_plans.graded_in_words(plan)}")
    for why, n in seen.cannot.items():
        least = "at least " if seen.wanted > _LOOKED_AT else ""  # further requests are not built before the run
        typer.echo(f"  Requests that Touchstone cannot send: {least}{n} ({why})")
    commands.tell_preview(seen, spec, asked=seen.wanted)


def tell_verdicts(shared: Resources, run: str) -> None:
    """Print how many replies have a score, by criterion, and the other outcomes."""
    from workflow.runs import judge_readings, run_views

    view = run_views.view(shared.store, by=None, run=run)
    if view.state is RunState.WAITING:
        return
    for criterion, counts in judge_readings.verdicts_of(shared.store, by=None, run=run).items():
        scored = sum(n for verdict, n in counts.items() if verdict.scored)
        rest = ", ".join(f"{n} {verdict.value}" for verdict, n in Counter(counts).most_common() if not verdict.scored)
        of = with_noun(sum(counts.values()), "reply", "replies")
        typer.echo(f"{criterion}: {scored:,} of {of} scored{'; ' if rest else ''}{rest}")
