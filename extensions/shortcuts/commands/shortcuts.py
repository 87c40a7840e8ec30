"""``touchstone shortcut check``: how often items can be answered without their images."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from domain.english import with_noun

if TYPE_CHECKING:
    from annotation_schemas.model import Shortcuts as Limits
    from domain.states import Items
    from extensions.shortcuts.text_check import TextResult
    from extensions.shortcuts.text_shortcuts import TextShortcuts

_NAMED = 20


class Bound(StrEnum):
    """The number that must not exceed a limit."""

    VALUE = "value"
    LOW = "low"
    HIGH = "high"


def register(cli: typer.Typer) -> None:
    """Add the subcommand of this module."""
    group = find_group(cli, "shortcut", Panel.RESULTS, "Test whether items can be answered without their images.")
    group.command("check")(shortcuts)


AtMost = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "The largest share of items that a rule may get right, such as longest=0.3. Repeat the "
            "option for more rules. Default: the limits in the schema."
        ),
        metavar="NAME=SHARE",
    ),
]
Score = Annotated[
    float | None,
    typer.Option(
        help="Flag items whose key has a higher estimated probability than this number. Default: flag items "
        "whose text reveals the key more often than chance."
    ),
]
Models = Annotated[
    bool,
    typer.Option(
        "--models",
        help=("Check the answers that models gave without images (`touchstone shortcut run`) instead of the texts."),
    ),
]


def shortcuts(
    project: Annotated[str, typer.Argument(help="The project ID.")],
    counted: CountedItems = None,
    items: Annotated[
        Path | None,
        typer.Option(
            "--scores", help="Write each item's score to this CSV file. The file reveals keys.", metavar="FILE.csv"
        ),
    ] = None,
    at_most: AtMost = None,
    above_chance: Annotated[
        float | None,
        typer.Option(help=("How much better than chance a rule without its own limit may be, such as 0.05.")),
    ] = None,
    bound: Annotated[
        Bound | None,
        typer.Option(help="Compare the limits with the share, or with the lower or upper end of the share's interval."),
    ] = None,
    score: Score = None,
    flagged: Annotated[float | None, typer.Option(help="The largest share of items that may be flagged.")] = None,
    without_images: Annotated[
        float | None,
        typer.Option(help="With --models: the largest share of items that models may get right without images."),
    ] = None,
    models: Models = False,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "With --models: list items that all models named with --model get right without images. "
                "Default: all models."
            )
        ),
    ] = None,
    strong: Annotated[
        list[str] | None,
        typer.Option(
            help="With --models: list items that this model, with images, answers differently from the key in "
            "every order. The key may be wrong."
        ),
    ] = None,
    reasons: Annotated[
        Path | None,
        typer.Option(
            help="Write a reason for each listed item to this file, for `touchstone item return --reasons`.",
            metavar="FILE.csv",
        ),
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit with status 1 if a limit is exceeded, for example in a CI job.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Check whether items can be answered without their images: by rules, a text classifier, or models.

    The command lists items whose texts reveal the key, and compares with the limits of the schema.

    Example: touchstone shortcut check demo --gate
    """
    from domain.errors import InvalidInputError, Problem
    from extensions.shortcuts.commands import model_report

    given = {"above_chance": above_chance, "bound": bound, "score": score, "flagged": flagged}
    if models:
        if at_most or any(share is not None for share in given.values()):
            raise InvalidInputError(
                [Problem("models", "You cannot combine --models with limits on rules. Remove --models or the limits.")]
            )
        asked = model_report.ReportOptions(project, counted, model or (), strong or (), without_images, gate)
        met = model_report.tell(asked, scores=items, reasons=reasons, as_json=as_json)
    else:
        if model or strong:
            raise InvalidInputError(
                [Problem("models", "--model and --strong need --models. Add --models, or remove these options.")]
            )
        given |= {"without_images": without_images}
        known = {name: share for name, share in given.items() if share is not None}
        met = _report(project, counted, at_most or (), known, files=(items, reasons), as_json=as_json, gate=gate)
    if not met:
        raise typer.Exit(1)


def _report(
    project: str,
    counted: Items | None,
    at_most: Sequence[str],
    given: dict[str, Any],
    *,
    files: tuple[Path | None, Path | None],
    as_json: bool,
    gate: bool,
) -> bool:
    """Write the results of rules and the classifier. Return whether the limits are met, if ``gate`` asks for it."""
    from app.jobs import figure_requests
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from exporters.writing import write_files
    from extensions.shortcuts import text_check, text_shortcuts
    from extensions.shortcuts.commands import model_report
    from workflow.releases import set_items

    shared = opened()
    limits = _limits(text_check.limits_of(shared.store, project=project), at_most, given, gate=gate)
    state = set_items.mark(shared.store, by=None, project=project)
    about = {"project": project, "items": counted}
    at = figure_requests.compute_here(shared.store, shared.settings, "shortcuts", about, state=state)
    if at.found is None:
        raise InvalidInputError([Problem("sources", at.why)])
    results: TextShortcuts = text_shortcuts.flag_above(at.found, given["score"]) if "score" in given else at.found
    stands = None if limits is None else text_check.compare_with_limits(limits, text_check.TextMeasurement(results))
    models_stand = model_report.stands(project, counted, limits)
    scores, reasons = files
    if scores is not None:
        write_files({scores: text_shortcuts.as_csv(results).encode()})
        items = with_noun(len(results.items), "item")
        print(f"{items} written to {scores}. The file reveals keys.", file=sys.stderr)
    if reasons is not None:
        told_to = [(score.choice.id, text_shortcuts.to_author(score)) for score in results.flagged]
        model_report.write_reasons(reasons, told_to)
    if as_json:
        report = text_shortcuts.as_json(results) | ({} if stands is None else {"limits": stands.as_json()})
        report |= {} if models_stand is None else {"without_images": models_stand.as_json()}
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _tell(results, stands)
        if models_stand is not None:
            typer.echo(f"Right without images: {models_stand.said}.")
    return not gate or all(comparison.met for comparison in (stands, models_stand) if comparison is not None)


def _limits(own: Limits | None, at_most: Sequence[str], given: dict[str, Any], *, gate: bool) -> Limits | None:
    """Return the limits of the schema with the given ones; None if there are none."""
    from annotation_schemas.model import Shortcuts as Limits
    from domain.errors import InvalidInputError, Problem
    from extensions.shortcuts.schema_limits import wrong

    if not (at_most or given or gate):
        return own
    shares = {}
    for limit in at_most:
        name, equals, share = limit.partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            what = f"{limit!r} is not a limit" if equals else f"{limit!r} has no share"
            raise InvalidInputError([Problem("at_most", f"{what}. Write NAME=SHARE, such as longest=0.3.")]) from None
    before = own or Limits()
    limits = before.model_copy(update={**given, "at_most": {**before.at_most, **shares}})
    if problems := [
        Problem("_".join(map(str, key)), words if words.endswith("?") else f"{words}.") for key, words in wrong(limits)
    ]:
        raise InvalidInputError(problems)
    return limits


def _tell(found: TextShortcuts, stands: TextResult | None) -> None:
    """Write the results as tables and lists."""
    from extensions.shortcuts import key_places
    from reports import markdown
    from reports.content import ReportTable

    typer.echo(f"{found.title}. {found.which}\n")
    if not found.items:
        typer.echo("No items have a multiple-choice key, so Touchstone cannot test for shortcuts.")
        return
    tables = [
        ReportTable("rules", "Rules without images", ("Rule", "Right"), tuple(found.baselines)),
        ReportTable("texts", "A text-only classifier", ("Dimension", "Right"), tuple(found.text_only)),
        key_places.table(found.places),
    ]
    for table in tables:
        if table is not None:
            typer.echo("\n".join(markdown.table_lines(table)) + "\n")
    typer.echo(f"A randomly drawn option is right in {100 * (found.chance or 0):.1f} % of the items.")
    if stands is not None:
        typer.echo(f"Limits: {stands.said}.")
    typer.echo(f"The text of {len(found.flagged):,} of {with_noun(len(found.items), 'item')} reveals the key.")
    for score in found.flagged:
        why = "; ".join(score.reasons) or "many words together, but no single word"
        typer.echo(f"  {score.choice.id}: key {100 * score.p_key:.0f} % likely; {why}")
    if found.skipped:
        more = f" and {len(found.skipped) - _NAMED:,} more" if len(found.skipped) > _NAMED else ""
        typer.echo(f"Excluded, because the multiple-choice key is missing: {', '.join(found.skipped[:_NAMED])}{more}.")
    if found.without_source:
        typer.echo(f"Items without a source, each counted as a separate source: {found.without_source:,}.")
