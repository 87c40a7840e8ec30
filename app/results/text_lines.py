"""Numbers of results as lines of text, for ``touchstone result show``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine


def block(board: SlicedScores, lines: Sequence[LeaderboardLine]) -> Iterator[str]:
    """Yield lines of a table, below their heads."""
    titles = {label: board.slicing.title(at) for at, label in enumerate(board.slicing.labels)}
    names = [_part(line, titles, over=f"mean over {board.slicing.way.title.lower()}s") for line in lines]
    head = "  not read  lowest to highest" if any(line.unreadable for line in lines) else ""
    models, parts = max(len(line.model) for line in lines), max(map(len, names))
    yield f"  {'':<{models}}  {'':<{parts}}   mean  95 % interval   answers  left out{head}"
    for line, name in zip(lines, names, strict=True):
        yield f"  {line.model:<{models}}  {name:<{parts}}  {figures(line)}"


def ways_in_words(line: LeaderboardLine) -> str:
    """Return how a model's answers were made, which frames it saw, and how many answers are refusals."""
    parts = [line.way.how, f"frames {line.way.frames}" if line.way.frames else ""]
    parts.append(f"{line.refused} refused" if line.refused else "")
    return ", ".join(filter(None, parts))


def _part(line: LeaderboardLine, titles: dict[str, str], *, over: str) -> str:
    if line.over == "parts":
        return over
    return "all answers" if line.part is None else titles.get(line.part, line.part)


def figures(line: LeaderboardLine) -> str:
    """Return a number with its interval, its counts of used and left-out units, and the reason if it is undefined."""
    at = line.found
    if not at.defined:
        return f"{'-':>5}  {'':<15}  {at.n_units:>7}  {at.n_left_out:>8}{_unread(line)}  {at.reason}"
    limits = f"{at.low:.3f} to {at.high:.3f}" if at.low == at.low else "-"
    row = f"{at.value:.3f}  {limits:<15}  {at.n_units:>7}  {at.n_left_out:>8}{_unread(line)}  {at.reason or ''}"
    return row.rstrip()


def _unread(line: LeaderboardLine) -> str:
    """Return the number of unreadable answers, and the bounds of the accuracy over all of their possible readings."""
    if line.unreadable is None or line.over == "parts":
        return ""
    bounds = ""
    if line.lowest is not None and line.highest is not None:
        bounds = f"{line.lowest:.3f} to {line.highest:.3f}"
    return f"  {sum(line.unread.values()):>8}  {bounds:<17}"
