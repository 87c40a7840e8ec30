"""``touchstone drafting``: have a model propose items for people to correct, and see the effect on items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.strict_run_output import SHOWN, carried_out, tell_asked
from app.markup import count
from domain.errors import FileRefused

if TYPE_CHECKING:
    from app.services import Resources
    from extensions.drafting.proposal_reply import ProposalReply
    from extensions.drafting.proposal_run import ProposalRequest, RunResult

drafting = typer.Typer(
    help="Whole items that a model proposes for images, which people edit and own.", no_args_is_help=True
)


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.add_typer(drafting, name="drafting")


@drafting.command("make")
def make(
    project: Annotated[str, typer.Argument(help="The project; items are proposed for the free images of its pool.")],
    spec: Annotated[
        str, typer.Option(help="The model's description, with its endpoint: a YAML file, or the name of a shipped one.")
    ],
    out: Annotated[
        Path,
        typer.Option(help="The file for the proposals. The replies and the settings are written next to it."),
    ],
    tasks: Annotated[
        Path | None,
        typer.Option(help="Seed tasks, their subtasks and templates, as YAML; each image gets one.", metavar="FILE"),
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Option("--dimension", "-d", help="The dimension for images that may be used for any."),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            help="Your own prompt, with {fields}; {form}, {dimension}, {situation} and {guideline} are filled, too.",
            metavar="FILE",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The maximum number of images, in the order of the pool.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed that chooses a situation of --tasks for each image.")] = 0,
    tries: Annotated[int, typer.Option(min=1, max=20, help="The maximum number of replies about an image.")] = 3,
    constrain: Annotated[
        bool,
        typer.Option("--constrain", help="Have the server hold replies to the form (response_format, json_schema)."),
    ] = False,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop after this number of requests.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, help="Stop before it costs more; needs prices.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first question and the costs, and ask nothing.")
    ] = False,
) -> None:
    """Have a model behind an endpoint propose a whole item for each free image, with every field of the authors' form.

    A reply that does not fit the schema gives no proposal. No item is created: the file is for people. Ctrl+C stops,
    and the same command continues.
    """
    from app.commands.judge import within
    from app.services import opened
    from domain.errors import InvalidInput, Problem
    from extensions.drafting.free_images import free_images
    from extensions.drafting.proposal_run import ProposalRequest, described
    from extensions.drafting.seed_task_file import read_plan
    from workflow.runs import model_descriptions

    here = opened()
    free = free_images(here.store, by=None, project=project)
    known = [each.id for each in free.loaded.schema_.dimensions]
    if dimension is not None and dimension not in known:
        told = f"The schema has no dimension {dimension!r}; there are {', '.join(known)}."
        raise InvalidInput([Problem("dimension", told)])
    plan = read_plan(tasks, known) if tasks is not None else None
    model = within(model_descriptions.named(spec), max_calls=max_calls, max_cost=max_cost)
    asked = ProposalRequest(
        project, free, described(model, free, constrain), _prompt(prompt), plan, dimension, limit, seed, tries, out
    )
    if dry_run:
        _tell_dry(asked, here)
    else:
        _make(asked, here)


@drafting.command("import")
def import_(
    project: Annotated[str, typer.Argument(help="The project of the images.")],
    file: Annotated[Path, typer.Argument(help="The file of `touchstone drafting make`, edited or not.")],
    share: Annotated[
        float,
        typer.Option(help="The fraction of images whose authors are shown the proposal."),
    ] = 0.5,
    seed: Annotated[
        int | None, typer.Option(help="The seed of the random choice; by default that of the project.")
    ] = None,
    made: Annotated[
        Path | None,
        typer.Option(
            help="The file that tells how the proposals were made, for *Pipelines*; by default FILE.made.json.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Give proposals to the images of a project. A random part of the authors starts with the proposal.

    Chance assigns each image before a person picks it. Neither the pool nor verifiers see the assignment.
    """
    from app.services import opened
    from extensions.drafting.offered_file import offered_file, sentences
    from extensions.drafting.proposal_file import made_beside
    from extensions.drafting.proposal_import import import_proposals

    beside = made_beside(file)
    offered = offered_file(file, project=project, made=made or (beside if beside.is_file() else None))
    taken = import_proposals(opened().store, by=None, project=project, file=offered, share=share, seed=seed)
    for said in sentences(taken):
        typer.echo(said)
    if taken.refused:
        typer.echo(f"Refused: {len(taken.refused):,}.")
    for name, why in taken.refused[:SHOWN]:
        typer.echo(f"   {name}: {why}")
    if (more := len(taken.refused) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more")


def _prompt(file: Path | None) -> str:
    from extensions.drafting.proposal_reply import OURS

    try:
        return (file or OURS).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileRefused(f"The prompt {file} cannot be read as UTF-8 text.") from error


def _tell_dry(asked: ProposalRequest, here: Resources) -> None:
    from app.commands.runs_in_terminal import tell_estimate
    from extensions.drafting.proposal_run import dry

    questions, known = dry(asked, here)
    typer.echo(f"{count(len(questions), 'image')} to ask about; {known:,} have an answer already.")
    if questions:
        tell_estimate(asked.spec, questions[:3], asked=len(questions))
        typer.echo(f"--- {questions[0].name}\n{questions[0].cannot or questions[0].text}")


def _make(asked: ProposalRequest, here: Resources) -> None:
    from extensions.drafting.proposal_run import make

    carried_out(
        lambda stop: make(asked, here, stop=stop, tell=_tell_reply),
        tell=lambda told: _tell(asked, told),
        came=lambda told: told.proposed,
    )


def _tell_reply(image: str, said: ProposalReply) -> None:
    if said.faults:
        typer.echo(f"   {image}: {said.faults[0].kind}: {said.faults[0].what}", err=True)
    else:
        typer.echo(f"   {image}: {'a proposal' if said.fields else f'none: {said.why_not[:200]}'}", err=True)


def _tell(asked: ProposalRequest, told: RunResult) -> None:
    from extensions.drafting.proposal_reply import left_fields

    journal = asked.result.beside("asked.jsonl")
    tell_asked(told, asked.spec, about="image", wanted="proposal", journal=journal, more=". ")
    if left := left_fields(asked.free.loaded.schema_):
        typer.echo(f"Fields for people, not for the model: {', '.join(each.name for each in left)}.")
    typer.echo(
        f"{count(len(told.proposed), 'proposal')} at {asked.out}; every reply: {journal}; "
        f"how they were made: {asked.result.beside('made.json')}"
    )
