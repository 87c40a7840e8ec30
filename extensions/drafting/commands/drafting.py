"""``touchstone proposal``: have a model propose items for people to correct, and see the effect on items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.strict_run_output import carried_out, tell_asked, tell_dry
from app.markup import count
from domain.errors import InvalidFileError

if TYPE_CHECKING:
    from workflow.runs.strict_questions import InquirySummary

SHOWN = 20
"""Number of refused proposals that are listed."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    proposal = find_group(cli, "proposal", Panel.ITEMS, "Items that a model drafts and people edit.")
    proposal.command("create")(make)
    proposal.command("import")(import_)


Prompt = Annotated[
    Path | None,
    typer.Option(
        help="A file with your own prompt. The prompt needs {fields}, and can have {form}, {dimension}, "
        "{situation} and {guideline}.",
        metavar="FILE",
    ),
]
Spec = Annotated[
    str,
    typer.Option(
        help="The model's description with its endpoint: a YAML file, or the name of a description that comes with "
        "Touchstone."
    ),
]


def make(
    project: Annotated[
        str, typer.Argument(help="The project. The model drafts items for the free images in the project's pool.")
    ],
    spec: Spec,
    out: Annotated[
        Path,
        typer.Option(help="The file for the proposals. Touchstone writes replies and settings to the same folder."),
    ],
    tasks: Annotated[
        Path | None,
        typer.Option(
            help="A YAML file of seed tasks with subtasks and templates. Each image gets one seed task.", metavar="FILE"
        ),
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Option("--dimension", "-d", help="The dimension to use for images that fit any dimension."),
    ] = None,
    prompt: Prompt = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Draft items for at most this many images, in the order of the pool.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed for choosing a seed task for each image.")] = 0,
    tries: Annotated[
        int, typer.Option(min=1, max=20, help="Ask the model again up to this many times if a reply is invalid.")
    ] = 3,
    constrain: Annotated[
        bool,
        typer.Option(
            "--constrain",
            help="Ask the server to enforce the JSON form (response_format). Not all servers support this request.",
        ),
    ] = False,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop after this many requests.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0, help="Stop before the run costs more than this amount. The model's description needs prices."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first question and the estimated cost without asking the model.")
    ] = False,
) -> None:
    """Have a model draft a whole item for each free image. People edit the drafts and own the items.

    This only writes a file; `touchstone proposal import` gives the drafts to authors. Ctrl+C cancels, and the same
    command continues.

    Example: touchstone proposal create demo --spec gpt4o.yaml --out proposals.json --dry-run
    """
    from app.commands.judge import within
    from app.services import opened
    from extensions.drafting.free_images import free_images
    from extensions.drafting.proposal_reply import left_fields
    from extensions.drafting.proposal_run import PROPOSALS, ProposalRequest, described, prepared
    from workflow.runs import model_descriptions

    here = opened()
    free = free_images(here.store, by=None, project=project)
    model = within(model_descriptions.named(spec), max_calls=max_calls, max_cost=max_cost)
    model, plan = described(model, free, constrain), tasks.absolute() if tasks is not None else None
    request = ProposalRequest(project, model, _prompt(prompt), plan, dimension, limit, seed, tries, out.absolute())
    inquiry = prepared(request, free, here.store, here.media, here.settings)
    if dry_run:
        tell_dry(inquiry, shown=3)
        return

    def tell(summary: InquirySummary) -> None:
        beside = inquiry.result._replace(out=out).beside
        tell_asked(summary, inquiry, journal=beside("asked.jsonl"), more=". ")
        if left := left_fields(free.loaded.schema_):
            typer.echo(f"Fields that only people fill in: {', '.join(field.name for field in left)}.")
        typer.echo(
            f"Wrote {count(summary.n, 'proposal')} to {out}. All replies: {beside('asked.jsonl')}. Settings: "
            f"{beside('made.json')}"
        )

    carried_out(here, inquiry, kind=PROPOSALS.name, input=request, project=project, tell=tell)


def import_(
    project: Annotated[str, typer.Argument(help="The project with the images.")],
    file: Annotated[
        Path,
        typer.Argument(help="The file from `touchstone proposal create`. You can edit the file before the import."),
    ],
    share: Annotated[
        float,
        typer.Option(
            help="The share of proposals that authors see. Other authors start without a proposal, for comparison."
        ),
    ] = 0.5,
    seed: Annotated[
        int | None, typer.Option(help="The seed for the random choice of images. Default: the project's seed.")
    ] = None,
    made: Annotated[
        Path | None,
        typer.Option(
            help="The settings file of the proposals, for the Pipelines page. Default: FILE.made.json.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Give proposals to authors. Chance decides which authors see one, so that you can measure the effect.

    The choice is made before a person picks an image. The pool and verifiers do not see it.

    Example: touchstone proposal import demo proposals.json
    """
    from app.services import opened
    from extensions.drafting.offered_file import offered_file, sentences
    from extensions.drafting.proposal_file import made_beside
    from extensions.drafting.proposal_import import import_proposals

    beside = made_beside(file)
    offered = offered_file(file, project=project, made=made or (beside if beside.is_file() else None))
    taken = import_proposals(opened().store, by=None, project=project, file=offered, share=share, seed=seed)
    for sentence in sentences(taken):
        typer.echo(sentence)
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
        raise InvalidFileError(
            f"Touchstone cannot read the prompt {file} as UTF-8 text. Save the file as UTF-8."
        ) from error
