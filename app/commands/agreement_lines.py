"""Agreement as lines in a terminal: coefficients, judges at three levels, and the comparison with other packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from domain.english import with_noun

if TYPE_CHECKING:
    from agreement.cross_check import SecondOpinion
    from agreement.summary import Result


def opinion_lines(found: SecondOpinion) -> Iterator[str]:
    """Yield the comparison with other packages' coefficients, one line each, with differences in red."""
    yield typer.style(found.sentence, fg=typer.colors.RED) if found.differences else found.sentence
    yield from (typer.style(f"  {difference}", fg=typer.colors.RED) for difference in found.differences)
    yield from (f"  {sentence}" for sentence in found.not_compared)


def table(results: Sequence[Result], *, schema_version: int | None = None) -> Iterator[str]:
    """Yield the results as lines for people: one block for each criterion and dimension.

    ``schema_version`` is the only schema version whose ratings count. None: all versions.
    """
    from workflow.results.schema_versions import schema_words

    if not results:
        yield (
            "There are no ratings yet."
            if schema_version is None
            else f"There are no ratings under version {schema_version} of the schema."
        )
    first = True
    for (guideline, criterion, dimension), group in groupby(
        results, key=lambda each: (each.args.get("guideline"), each.criterion, each.dimension)
    ):
        block = list(group)
        if not first:
            yield ""
        first = False
        schemas = block[0].args.get("schema", "")
        yield (
            _heading(criterion, dimension, block)
            + (f", guideline {guideline}" if guideline else "")
            + (f", ratings {schema_words(schemas)}" if schemas else "")
        )
        lines = [result for result in block if result.value is not None]
        if lines:
            width = max(len(line.title) for line in lines)
            beside = "".join(f"  {package:<16}" for package in _packages(block))
            yield f"  {'':<{width}}   value  95 % interval      units  left out{beside}".rstrip()
        for line in lines:
            yield f"  {line.title:<{width}}  {_figures(line, _packages(block))}"
        yield from (
            f"  {caution}"
            for caution in dict.fromkeys(f"{line.title}: {line.caution}" for line in lines if line.caution)
        )
        yield from _undefined(block)
        yield from _differences(block)


def levels_table(results: Sequence[Result]) -> Iterator[str]:
    """Yield a block for each judge: its agreement by answers, by means of dimensions and by means of models."""
    from workflow.results.dimension_means import LEVELS
    from workflow.results.schema_versions import schema_words

    for at, (criterion, judge) in enumerate(
        dict.fromkeys((result.criterion, result.args["judge"]) for result in results)
    ):
        block = [result for result in results if (result.criterion, result.args["judge"]) == (criterion, judge)]
        if at:
            yield ""
        schemas = block[0].args.get("schema", "")
        under = f", people's grades {schema_words(schemas)}" if schemas else ""
        n_answers = with_noun(block[0].args["answers"], "answer")
        yield f"{criterion}: {judge} and people, on {n_answers} that both graded{under}"
        width, wide = max(map(len, LEVELS.values())), max(len(result.title) for result in block)
        yield f"  {'':<{width}}  {'':<{wide}}   value  95 % interval      units  left out"
        for result in block:
            name = f"  {LEVELS[result.args['unit']]:<{width}}  {result.title:<{wide}}"
            yield f"{name}  {f'     -  {result.reason}' if result.value is None else _figures(result)}"


def _packages(block: Sequence[Result]) -> Sequence[str]:
    """Return the packages that cross-checked the results, or an empty sequence if no cross-check was requested."""
    from agreement.cross_check import PACKAGES

    return PACKAGES if any(result.peers is not None for result in block) else ()


def _differences(block: Sequence[Result]) -> Iterator[str]:
    """Yield each difference from another package in red, with its reason.

    Then yield the values that cannot be compared.
    """
    lines_by_reason: dict[tuple[bool, str], list[str]] = {}
    for result in block:
        for peer in result.peers or ():
            if peer.reason:
                theirs = "no value" if peer.value is None else f"{peer.value:.12g}"
                ours = "undefined" if result.value is None else f"{result.value:.12g}"
                line = (
                    f"{result.title}: {ours} in Touchstone, {theirs} in {peer.package}"
                    if peer.differs
                    else result.title
                )
                lines_by_reason.setdefault((peer.differs, peer.reason), []).append(line)
    for (differs, reason), lines in sorted(lines_by_reason.items(), key=lambda pair: not pair[0][0]):
        for line in lines if differs else ["; ".join(dict.fromkeys(lines))]:
            text = f"  {'differs' if differs else 'cross-check'}: {line}"
            yield typer.style(text, fg=typer.colors.RED) if differs else text
        text = f"  {'':>{7 if differs else 11}}  {reason}"
        yield typer.style(text, fg=typer.colors.RED) if differs else text


def _undefined(block: Sequence[Result]) -> Iterator[str]:
    """Yield the statistics without a value, grouped by reason.

    A statistic of pairs is named once if no pair has a value.
    """
    defined = {result.name for result in block if result.value is not None}
    by_reason: dict[str, dict[str, None]] = {}
    for result in block:
        if result.value is None:
            reasons = {other.reason for other in block if other.name == result.name}
            name = result.title if result.name in defined or len(reasons) > 1 else result.name
            by_reason.setdefault(result.reason or "", {})[name] = None
    for reason, names in by_reason.items():
        yield f"  undefined: {'; '.join(names)}"
        yield f"             {reason}"


def _heading(criterion: str, dimension: str | None, block: Sequence[Result]) -> str:
    assumed = " (assumed; to change the level, use --scale)" if block[0].args["scale_inferred"] else ""
    n_raters = max(result.n_raters for result in block)
    place = "" if dimension is None else f" in {dimension or 'no dimension'}"
    n_answers = block[0].args.get("answers")
    means = "" if n_answers is None else f", means of {with_noun(n_answers, 'answer')} by dimension"
    return f"{criterion}{place}: {with_noun(n_raters, 'rater')}, {block[0].args['scale']} scale{assumed}{means}"


def _figures(result: Result, packages: Sequence[str] = ()) -> str:
    assert result.value is not None
    counts = f"{result.n_units:>5,}  {result.n_left_out:>8,}{_peer_columns(result, packages)}"
    limits = "" if result.low is None or result.high is None else f"[{result.low:.3f}, {result.high:.3f}]"
    return f"{result.value:>6.3f}  {limits:<17}  {counts}  {result.reason or result.method}"


def _peer_columns(result: Result, packages: Sequence[str]) -> str:
    """Return one column for each other package's value, in red where it differs from ours."""
    cells = []
    of_package = {peer.package.partition(" ")[0]: peer for peer in result.peers or ()}
    for package in packages:
        peer = of_package.get(package)
        if peer is None:
            cells.append(f"{'':<16}")
        else:
            cell = f"{'none' if peer.value is None else format(peer.value, '.12f'):<16}"
            cells.append(typer.style(cell, fg=typer.colors.RED) if peer.differs else cell)
    return "".join(f"  {cell}" for cell in cells)
