"""``touchstone regression run``: regressions of plans' success on scores in the aspects."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from app.commands.results import Format
from domain.states import Items

if TYPE_CHECKING:
    from agreement.regression_parts import Term
    from extensions.plans.success_regression import RegressionFit
    from extensions.plans.success_units import JoinedUnits, UnitRequest

FILES = (".csv", ".tsv", ".xlsx")
"""Endings by which ``--success`` names a file instead of a criterion."""


class RegressionUnit(StrEnum):
    """Kinds of units."""

    MODEL = "model"
    TASK = "task"


class Kind(StrEnum):
    """Regressions to fit."""

    LINEAR = "linear"
    LOGISTIC = "logistic"
    BOTH = "both"


class Errors(StrEnum):
    """Standard errors."""

    CLASSICAL = "classical"
    HC3 = "hc3"
    CLUSTER = "cluster"


class Cluster(StrEnum):
    """Units that standard errors take as correlated."""

    MODEL = "model"
    TASK = "task"
    NONE = "none"


Success = Annotated[
    str | None,
    typer.Option(
        help="The definition of success: a grading criterion, the word key, or a file (CSV, TSV, XLSX). The file "
        "needs the column success and at least one of model, item and task. Default: the schema's setting.",
        metavar="CRITERION|key|FILE",
    ),
]
PlanDimensions = Annotated[
    list[str] | None,
    typer.Option(
        help="A dimension with answers that are plans. Repeat the option for more dimensions. Default: the "
        "dimensions of the criterion.",
        metavar="DIMENSION",
    ),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        help="A file of aspect scores, if you give no project. Columns: model, dimension, score, and optionally "
        "task and item.",
        metavar="FILE",
    ),
]
ScoresBy = Annotated[
    str | None,
    typer.Option(
        help="The source of the aspect scores: the word key, the word human, or the name of a judge. Default: the "
        "source with the most scores.",
        metavar="key|human|JUDGE",
    ),
]
OnlyAspects = Annotated[
    list[str] | None,
    typer.Option(
        help="Use only this aspect. Repeat the option for more. Default: all aspects with scores.", metavar="DIMENSION"
    ),
]
UnitBy = Annotated[
    RegressionUnit | None,
    typer.Option(
        help="The unit: models (with their share of successful plans) or plans (with the scores of their task). "
        "Default: plans if the tasks are known, otherwise models."
    ),
]
TaskField = Annotated[
    str | None,
    typer.Option(
        help="The field or label that names an item's task. Default: the schema's setting.",
        metavar="FIELD",
    ),
]
StandardErrors = Annotated[
    Errors | None,
    typer.Option(
        help="The standard errors. Default with clusters: clustered. Default without clusters: classical for the "
        "logistic regression of plans, otherwise HC3."
    ),
]
Together = Annotated[
    Cluster | None,
    typer.Option(help="The clusters of units. Default: each task is a cluster if any task has several plans."),
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        help="Also write the numbers, the joined units and the charts to this folder.",
        metavar="DIR",
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "regression", Panel.RESULTS, "Show which scores predict whether a plan succeeds.")
    group.command("run")(regression)


def regression(
    project: Annotated[str | None, typer.Argument(help="The project. Do not give a project with --aspects.")] = None,
    success: Success = None,
    plans: PlanDimensions = None,
    aspects: ScoresFile = None,
    scores: ScoresBy = None,
    criterion: Annotated[str | None, typer.Option(help="Use only scores of this criterion.")] = None,
    aspect: OnlyAspects = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Use only this model. Repeat the option for more. Default: all.")
    ] = None,
    by: UnitBy = None,
    task: TaskField = None,
    kind: Annotated[Kind, typer.Option(help="The kind of regression.")] = Kind.BOTH,
    errors: StandardErrors = None,
    cluster: Together = None,
    items: CountedItems = None,
    out: OutFolder = None,
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
) -> None:
    """Find out which aspect scores predict whether a plan succeeds, by regression with diagnostics.

    Example: touchstone regression run etp
    """
    from exporters.writing import write_folder
    from extensions.plans import regression_report
    from extensions.plans import success_regression as fitting

    if (project is None) == (aspects is None):
        raise typer.BadParameter("name either a project, or a file of scores with --aspects.")
    if aspects is not None and (success is None or not success.lower().endswith(FILES)):
        raise typer.BadParameter("--aspects needs --success FILE, because no project defines success.")
    if aspects is not None and (plans or scores or criterion or task or items):
        raise typer.BadParameter(
            "--plans, --scores, --criterion, --task and --items need a project. Give a project, or remove these "
            "options."
        )
    asked = _asked(success, plans, scores, criterion, aspect, model, by, task)
    joined, lines = _of_files(aspects, asked) if aspects is not None else _of_project(project or "", asked, items)
    fits = fitting.fit_regressions(
        joined,
        kinds=[regression_kind for regression_kind in fitting.KINDS if kind in (Kind.BOTH, regression_kind)],
        errors=errors.value if errors else None,
        cluster=cluster.value if cluster else None,
    )
    if out is not None:
        files = regression_report.files_of(joined, fits)
        write_folder(out, files)
        print(f"Files written to {out}: {len(files)}", file=sys.stderr)
    format = Format.JSON if as_json else format
    if format is not Format.TABLE:
        for line in lines:
            print(line, file=sys.stderr)
    if format is Format.CSV:
        typer.echo(fitting.as_csv(joined, fits), nl=False)
    elif format is Format.JSON:
        typer.echo(json.dumps(fitting.as_json(joined, fits), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join([*lines, *table(joined, fits)]))


def _asked(
    success: str | None,
    plans: list[str] | None,
    scores: str | None,
    criterion: str | None,
    aspect: list[str] | None,
    model: list[str] | None,
    by: RegressionUnit | None,
    task: str | None,
) -> UnitRequest:
    from extensions.plans.success_files import read_outcomes
    from extensions.plans.success_units import UnitRequest

    file = success is not None and success.lower().endswith(FILES)
    return UnitRequest(
        success=None if file else success,
        outcomes=read_outcomes(Path(success or "")) if file else None,
        file=Path(success or "").name if file else "",
        plans=tuple(plans or ()),
        scores=scores,
        criterion=criterion,
        aspects=tuple(aspect or ()),
        models=tuple(model or ()),
        by=by.value if by else None,
        task=task,
    )


def _of_files(path: Path, asked: UnitRequest) -> tuple[JoinedUnits, list[str]]:
    from extensions.plans.success_files import read_aspect_scores
    from extensions.plans.success_units import units_of_files

    return units_of_files(read_aspect_scores(path), asked, file=path.name), []


def _of_project(project: str, asked: UnitRequest, items: Items | None) -> tuple[JoinedUnits, list[str]]:
    from app.services import opened
    from extensions.plans.project_units import units_of_project
    from workflow.results import project_answers

    shared = opened()
    read = project_answers.read_project(shared.store, person=None, project=project, items=items)
    counted = [f"Counted: {read.counting.sentence}"] if read.counting else []
    return units_of_project(read, asked), counted


def table(joined: JoinedUnits, found: list[RegressionFit]) -> Iterator[str]:
    """Yield the lines of the output: the joined data, then a block for each regression."""
    from extensions.plans import success_regression as fitting

    yield from fitting.describe_units(joined)
    for fit in found:
        yield ""
        yield f"{fit.title}: {fitting.describe_count(joined, fit)}"
        if fit.found.reason:
            yield f"  undefined: {fit.found.reason}"
        else:
            yield from _terms(joined, fit)
            yield from (f"  {line}" for line in fitting.describe_fit(fit))
        for unit, leverage, distance in fitting.influential(joined, fit)[: fitting.MOST_LISTED]:
            yield f"  most influential: {unit.name} (Cook's distance {distance:.2f}, leverage {leverage:.2f})"
        yield from (f"  {note}" for note in fit.notes)


def _terms(joined: JoinedUnits, fit: RegressionFit) -> Iterator[str]:
    from extensions.plans.success_regression import title_of

    width = max(len(title_of(joined, term.name)) for term in fit.found.terms)
    more = "" if fit.kind == "linear" else f"  {'odds ratio':>10}  {'effect':>7}  95 % interval  "
    yield f"  {'':<{width}}  coefficient  95 % interval          se       p    VIF{more}".rstrip()
    for term in fit.found.terms:
        yield f"  {title_of(joined, term.name):<{width}}  {_figures(term, fit)}".rstrip()


def _figures(term: Term, fit: RegressionFit) -> str:
    from extensions.plans.success_regression import odds_ratio, p_value

    at = term.coefficient
    limits = f"{at.low:z.3f} to {at.high:z.3f}" if at.low == at.low else "-"
    vif = f"{term.vif:5.1f}" if term.vif == term.vif else " " * 5
    se = f"{at.se:>7.3f}" if at.se == at.se else f"{'-':>7}"
    line = f"{at.value:>z11.3f}  {limits:<19}  {se}  {p_value(at.test):>6}  {vif}"
    if fit.kind == "logistic" and term.effect is not None:
        effect = term.effect
        limits = f"{effect.low:z.3f} to {effect.high:z.3f}" if effect.low == effect.low else "-"
        ratio = odds_ratio(at.value)
        line += f"  {ratio if ratio < 1e6 else float('inf'):>10.3g}  {effect.value:>z7.3f}  {limits}"
    return f"{line}  {at.reason}" if at.reason else line
