"""``agreement plan``: compute how many raters and units an agreement study needs, before the grading starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import find_group
from domain.errors import RatingsError

if TYPE_CHECKING:
    from extensions.planner.study_plan import StudyPlan


class PlanStatistic(StrEnum):
    """The statistics that a study can be planned for."""

    KAPPA = "kappa"
    FLEISS = "fleiss"
    ALPHA = "alpha"
    ICC = "icc"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "agreement").command("plan")(plan)


def plan(
    expected: Annotated[float, typer.Option(help="The agreement that you expect, from 0 to 1.", metavar="VALUE")],
    statistic: Annotated[
        PlanStatistic,
        typer.Option(help="The coefficient: kappa (mean over pairs for more than two raters), fleiss, alpha or icc."),
    ] = PlanStatistic.KAPPA,
    shares: Annotated[
        str, typer.Option(help="The shares of the categories, separated by commas.", metavar="A,B,...")
    ] = "0.5,0.5",
    raters: Annotated[
        str, typer.Option(help="The numbers of raters to compare, separated by commas.", metavar="A,B,...")
    ] = "2,3,5",
    units: Annotated[
        str, typer.Option(help="The numbers of units to compare, separated by commas.", metavar="A,B,...")
    ] = "50,100,200,400",
    per_unit: Annotated[
        int | None, typer.Option(help="The number of raters per unit, drawn for each unit. Default: all raters.")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(help="The half width of the 95 % interval that you want.", metavar="VALUE")
    ] = None,
    simulations: Annotated[int, typer.Option(help="The number of simulated studies for each design.", min=20)] = 400,
    seed: Annotated[int | None, typer.Option(help="The seed of the simulation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Find out how many raters and units you need for a narrow interval of agreement.

    Example: touchstone agreement plan --expected 0.7
    """
    from agreement.bootstrap import SEED
    from extensions.planner.study_plan import plan_study

    study_plan = plan_study(
        statistic=statistic.value,
        agreement=expected,
        shares=_numbers(shares, "--shares"),
        raters=_whole(raters, "--raters"),
        units=_whole(units, "--units"),
        per_unit=per_unit,
        half_width=half_width,
        simulations=simulations,
        seed=SEED if seed is None else seed,
    )
    if as_json:
        typer.echo(json.dumps(asdict(study_plan), allow_nan=False, default=str))
    else:
        typer.echo("\n".join(table(study_plan, statistic)))


def table(found: StudyPlan, statistic: PlanStatistic) -> Iterator[str]:
    """Yield the designs as lines for people."""
    yield f"raters   units  ratings  mean {statistic.value}  95 % of studies within"
    for design in found.designs:
        undefined = f"  (undefined in {design.undefined:.0%})" if design.undefined else ""
        within = f"+-{design.half_width:.3f}"
        yield f"{design.raters:>6}{design.units:>8,}{design.ratings:>9,}{design.mean:>12.3f}  {within}{undefined}"
    yield f"Each line is based on {found.simulations} simulated studies, so the last digit may vary."
    if found.half_width is None:
        return
    if found.cheapest is None:
        yield f"No design reaches ±{found.half_width:g}. Try more units."
    else:
        best = found.cheapest
        yield (
            f"The smallest design for ±{found.half_width:g}: {best.raters} raters and {best.units:,} units,"
            f" {best.ratings:,} ratings."
        )


def _numbers(text: str, option: str) -> Sequence[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise RatingsError(f"{option} {text!r} is not a list of numbers. Give a list such as 0.2,0.8.") from error


def _whole(text: str, option: str) -> Sequence[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise RatingsError(f"{option} {text!r} is not a list of whole numbers. Give a list such as 2,3.") from error
