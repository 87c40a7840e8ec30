"""``touchstone proposal show`` and ``plan``: the effect of drafting, and the number of items that a study needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import find_group
from domain.english import with_noun

if TYPE_CHECKING:
    from extensions.drafting.arm_report import DraftingReport, OutcomeComparison


def register(cli: typer.Typer) -> None:
    """Add ``show`` and ``plan`` to ``touchstone proposal``."""
    proposal = find_group(cli, "proposal")
    proposal.command("show")(report)
    proposal.command("plan")(plan)


def report(
    project: Annotated[str, typer.Argument(help="The project.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Compare items that began as a proposal with other items: keep rate, agreement, shortcuts and time.

    Each difference has confidence limits by source. Both kinds of items must exist.

    Example: touchstone proposal show demo
    """
    from app.services import opened
    from extensions.drafting import report_text
    from extensions.drafting.arm_report import report

    drafting_report = report(opened().store, by=None, project=project)
    if as_json:
        typer.echo(report_text.as_json(drafting_report))
    else:
        typer.echo("\n".join(_lines(drafting_report)))


def plan(
    rate: Annotated[float, typer.Option(help="The keep rate that you expect without proposals, from 0 to 1.")],
    difference: Annotated[float, typer.Option(help="The difference in the keep rate that you want to detect.")] = 0.1,
    power: Annotated[float, typer.Option(help="The probability of detecting the difference.")] = 0.8,
    per_source: Annotated[float, typer.Option(help="The mean number of items per source, such as a video.")] = 1.0,
    alike: Annotated[
        float, typer.Option(help="The intraclass correlation of items from the same source, from 0 to 1.")
    ] = 0.0,
) -> None:
    """Compute how many items you need to find an effect of proposals on the keep rate.

    Example: touchstone proposal plan --rate 0.8
    """
    from extensions.drafting.two_arms import arm_size

    size = arm_size(rate=rate, difference=difference, power=power, cluster_size=per_source, icc=alike)
    typer.echo(
        f"If each arm has {size.n:,} items with a verdict, {power:.0%} of studies detect a difference of "
        f"{difference:g} from {rate:g} (95 % limits). If each item had its own source, {size.n_first_stage:,} items "
        "would be enough."
    )


def _lines(found: DraftingReport) -> Iterator[str]:
    from extensions.drafting import report_text
    from extensions.drafting.arms import Arm

    if not any(found.assigned.values()):
        yield "The project has no proposals. Import proposals with `touchstone proposal import`."
    yield f"{'':34}{'with':>10}{'without':>10}"
    for what, counts in (("images", found.assigned), ("started", found.begun), ("written", found.written)):
        yield f"{what:34}{counts[Arm.WITH]:>10,}{counts[Arm.WITHOUT]:>10,}"
    if found.models:
        yield f"Proposed by {', '.join(found.models)}. The items come from {with_noun(found.n_sources, 'source')}."
    yield ""
    if found.refusal:
        yield found.refusal
    else:
        yield f"{'':34}{'with':>10}{'without':>10}{'difference':>12}{'by chance':>11}  95 % limits, by source"
        for comparison in found.compared:
            yield _line(comparison)
        yield report_text.sentence(found)
    if found.edited:
        yield ""
        yield (
            "Share of characters that differ from the proposal, share of unchanged fields, and seconds that authors "
            "spent on each field:"
        )
        yield f"{'':34}{'with':>24}{'without, unseen':>24}"
    for one in found.edited:
        cells = [report_text.edited(one, arm) for arm in Arm]
        yield f"{one.field:34}{cells[0]:>24}{cells[1]:>24}"


def _line(each: OutcomeComparison) -> str:
    from extensions.drafting import report_text
    from extensions.drafting.arms import Arm

    of = each.outcome
    means = [report_text.number(each.means[arm], share=of.share) for arm in Arm]
    value = report_text.number(each.difference.value, share=of.share, signed=True)
    n = f"(n = {each.n[Arm.WITH]:,}, {each.n[Arm.WITHOUT]:,})"
    line = f"{of.name:34}{means[0]:>10}{means[1]:>10}{value:>12}{report_text.chance(each):>11}"
    return f"{line}  {report_text.limits(each)}  {n}"
