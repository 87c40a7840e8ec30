"""``touchstone narration``: from narrations of videos to questions about the next action."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from domain.english import with_noun
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.name_value_pairs import pairs

if TYPE_CHECKING:
    from fractions import Fraction

    from domain.records import BadRow
    from extensions.narrations.files.narration_files import Reading
    from extensions.narrations.files.narration_rows import ReadNarrations
    from extensions.narrations.files.video_rates import Videos
    from extensions.narrations.rules.narration import Tally
    from extensions.narrations.rules.published_comparison import Comparison


SHOWN = 20
"""Number of left out rows or goals that are named."""

File = Annotated[
    Path,
    typer.Argument(help="Narrations: EPIC-KITCHENS' CSV, Ego4D's JSON, or any CSV with video, start, stop and text."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=COLUMN",
        help="A column with a different name, as NAME=COLUMN. NAME is video, start, stop, text or id. Repeat the "
        "option for more columns.",
    ),
]
VideoFile = Annotated[
    Path | None,
    typer.Option(
        "--videos",
        metavar="FILE",
        help="A CSV file that lists the videos, with the columns video_id, fps and optionally duration.",
    ),
]
Narrator = Annotated[int, typer.Option(min=1, max=2, help="For Ego4D: the narration pass to read, 1 or 2.")]
Spacing = Annotated[
    str | None,
    typer.Option(
        metavar="S", help="For Ego4D: the mean number of seconds between narrations, over all videos. Default: 4.9."
    ),
]
Unsure = Annotated[bool, typer.Option("--with-unsure", help="For Ego4D: include narrations with #unsure.")]
Goals = Annotated[
    Path,
    typer.Option(
        help="A file of goals (JSON, JSON lines, CSV or EgoPlan's questions), or a folder of JSON files.",
        metavar="FILE|DIR",
    ),
]
Out = Annotated[
    Path, typer.Option(help="The output folder for the questions, their times and the manifest.", metavar="DIR")
]
Rate = Annotated[
    str | None,
    typer.Option(help="Frames per second of videos that --videos does not list, such as 30 or 59.94.", metavar="FPS"),
]
Asked = Annotated[
    str | None,
    typer.Option(
        help="The question's text, with the placeholder {towards} (such as “in order to wash the pan”) or {goal}."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "narration", Panel.ITEMS, "Check narrations of videos, or questions made from narrations.")
    group.command("check")(check)
    group = find_group(cli, "question", Panel.ITEMS, "Make questions about the next action, based on narrations.")
    group.command("create")(questions)


def check(
    file: File,
    published: Annotated[
        Path | None,
        typer.Argument(help="Published questions in EgoPlan's layout, to compare with the narrations."),
    ] = None,
    column: Columns = None,
    videos: VideoFile = None,
    narrator: Narrator = 1,
    spacing: Spacing = None,
    with_unsure: Unsure = False,
    as_json: AsJson = False,
) -> None:
    """Check a file of narrations: what is in it, and which rows are invalid, by line.

    With PUBLISHED, check published questions instead: which segments, options, progress and observation frames follow
    from the narrations.

    Example: touchstone narration check narrations.csv
    """
    if published is not None:
        _check_published(file, published, column=column, videos=videos, as_json=as_json)
        return
    from extensions.narrations.rules.narration import by_video
    from extensions.narrations.rules.overview import look as looked

    read = read_rows(file, reading(column, rates_of(videos), narrator, spacing, with_unsure))
    overview = looked(by_video(read.rows))
    if as_json:
        facts = {**_told(read), **vars(overview), "seconds": str(overview.seconds)}
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    hours = f"{overview.seconds / 3600:.1f} hours from the first to the last narration"
    typer.echo(
        f"{read.path} ({read.form}): {with_noun(overview.narrations, 'narration')} of "
        f"{with_noun(overview.videos, 'video')}, {hours}"
    )
    typer.echo(f"   {with_noun(overview.texts, 'different phrase')}")
    typer.echo(f"   begin before the previous narration stops: {overview.overlapping:,} of {overview.pairs:,}")
    for rate, n in overview.counted.items():
        typer.echo(f"   {rate} frames per second in {with_noun(n, 'video')}")
    if overview.counted and overview.unclear:
        typer.echo(f"   unclear frame rate in {with_noun(overview.unclear, 'video')}")
    tell_rows(read)


VerbClasses = Annotated[
    Path | None,
    typer.Option(
        help="EPIC-KITCHENS' file of verb classes. Actions with the same verb and noun classes count as the same "
        "action.",
        metavar="FILE",
    ),
]
Slack = Annotated[
    str,
    typer.Option(
        help="The number of seconds that a goal may extend beyond its parent or the video's narrations.",
        metavar="S",
    ),
]
Observe = Annotated[
    str,
    typer.Option(
        help=(
            "The rule for the observation time. gap: --gap seconds before the action. ended or last: "
            "this time or the end of an action in the progress, whichever is later."
        )
    ),
]


def questions(
    file: File,
    goals: Goals,
    out: Out,
    column: Columns = None,
    videos: VideoFile = None,
    rate: Rate = None,
    goal_times: Annotated[
        str, typer.Option(help="The unit of times in the goals: seconds or frames.", metavar="seconds|frames")
    ] = "seconds",
    fewest: Annotated[int, typer.Option(min=1, help="Leave out goals with fewer actions than this number.")] = 4,
    most: Annotated[int, typer.Option(min=1, help="Leave out goals with more actions than this number.")] = 20,
    slack: Slack = "1",
    gap: Annotated[str, typer.Option(help="Seconds between the observation and the action.", metavar="S")] = "0.5",
    observe: Observe = "gap",
    verb_classes: VerbClasses = None,
    noun_classes: Annotated[
        Path | None,
        typer.Option(
            help="EPIC-KITCHENS' file of noun classes. Give this file together with the file of verb classes.",
            metavar="FILE",
        ),
    ] = None,
    question: Asked = None,
    collection: Annotated[str | None, typer.Option(help="The name of the video collection in the records.")] = None,
    seed: Annotated[int, typer.Option(help="The random seed for wrong options and their positions.")] = 0,
    first_id: Annotated[int, typer.Option(min=0, help="The number of the first question.")] = 0,
    tuning: Annotated[bool, typer.Option("--tuning", help="Also write a file for tuning models.")] = False,
    apart: Annotated[
        bool,
        typer.Option(
            "--apart",
            help=(
                "Keep the details of how each question was made in a separate file, because these "
                "details reveal the answers."
            ),
        ),
    ] = False,
    narrator: Narrator = 1,
    spacing: Spacing = None,
    with_unsure: Unsure = False,
) -> None:
    """Write multiple-choice questions about the next action, as in EgoPlan-Bench, from narrations and goals.

    Import them with `touchstone item import PROJECT egoplan OUT/egoplan.json`. `touchstone frame create VIDEOS FRAMES
    --times OUT/times.csv` takes their observation frames.

    Example: touchstone question create narrations.csv --goals goals.json --out made
    """
    from extensions.narrations.question_generation import QuestionRequest, make

    known = rates_of(videos)
    result = make(
        QuestionRequest(
            read=read_rows(file, reading(column, known, narrator, spacing, with_unsure)),
            goals=goals,
            videos=known,
            rate=_rate(rate),
            goal_times=_one_of("goal_times", goal_times, ("seconds", "frames")),
            limits=(fewest, most, _seconds("slack", slack)),
            gap=_seconds("gap", gap),
            observe=observe,
            classes=(verb_classes, noun_classes),
            question=question,
            collection=collection,
            seed=seed,
            first_id=first_id,
            tuning=tuning,
            apart=apart,
        ),
        out,
    )
    tell_rows(result.read)
    tell_bad("Goals left out", result.bad_goals)
    _tell_tally(result.tally)
    typer.echo(
        f"Wrote {with_noun(result.n, 'question')} to {out / 'egoplan.json'}. Details of how each question was made: "
        f"{out / 'made.json'}"
    )
    if not result.n:
        raise typer.Exit(1)


def _check_published(
    file: Path, published: Path, *, column: Sequence[str] | None, videos: Path | None, as_json: bool
) -> None:
    """Compare published questions with the narrations that they were made from, and print the counts."""
    from extensions.narrations.files.published_questions import read_published
    from extensions.narrations.rules import published_comparison as held
    from extensions.narrations.rules.narration import by_video

    known = rates_of(videos)
    read = read_rows(file, reading(column, known, 1, None, False))
    published_file = read_published(published)
    videos_of = by_video(read.rows)
    if not any(question.video in videos_of for question in published_file.questions):
        asked = with_noun(len(published_file.questions), "question")
        raise InvalidFileError(
            f"{read.path} has no narrations of the videos in the {asked}, such as "
            f"{published_file.questions[0].video}. Give the narrations of these videos."
        )
    comparison = held.compare(videos_of, published_file.questions, rates=known.rates if known else None)
    if as_json:
        typer.echo(json.dumps(_found_json(comparison), indent=2, ensure_ascii=False))
        return
    tell_rows(read)
    tell_bad("Questions left out", published_file.bad, what="row")
    for what, (n, of) in comparison.counts.items():
        share = f"{100 * n / of:5.1f} %" if of else "      -"
        odd = comparison.examples(what)
        named = f"   not: {', '.join(odd)}{', ...' if of - n > len(odd) else ''}" if odd else ""
        typer.echo(f"{n:>6,} of {of:>6,} {share}  {what}{named}")
    typer.echo("Position of the observation frame:")
    for kind, n in held.spread(comparison):
        typer.echo(f"{n:>6,}  {kind}")


def _found_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "counts": {
            what: {"n": n, "of": of, "not": comparison.examples(what)} for what, (n, of) in comparison.counts.items()
        },
        "observation": dict(comparison.kinds),
    }


# ---- options --------------------------------------------------------------------------------------------------------


def rates_of(file: Path | None) -> Videos | None:
    """Read the videos of ``--videos``, and print the invalid rows."""
    from extensions.narrations.files.video_rates import read_videos

    if file is None:
        return None
    known = read_videos(file)
    tell_bad("Videos left out", known.bad, err=True)
    return known


def reading(
    column: Sequence[str] | None, videos: Videos | None, narrator: int, spacing: str | None, unsure: bool
) -> Reading:
    """Return the settings for reading narrations."""
    from extensions.narrations.files.narration_files import Reading

    return Reading(
        columns=pairs(column or (), "NAME=COLUMN", option="--column"),
        durations=videos.durations if videos else None,
        videos=frozenset(videos.rates) if videos else None,
        narrator=narrator,
        spacing=None if spacing is None else _seconds("spacing", spacing, above=True),
        unsure=unsure,
    )


def read_rows(file: Path, how: Reading) -> ReadNarrations:
    """Return the narrations of a file."""
    from extensions.narrations.files.narration_files import read_narrations

    return read_narrations(file, how)


def _rate(text: str | None) -> Fraction | None:
    from extensions.narrations.rules.frame_rates import rate

    if text is None:
        return None
    known = rate(text)
    if known is None:
        raise InvalidInputError(
            [Problem("rate", f"--rate must be a number from 1 to 1000, such as 59.94 or 60000/1001, not {text!r}.")]
        )
    return known


def _seconds(name: str, text: str, *, above: bool = False) -> Decimal:
    from extensions.narrations.files.narration_rows import Unfit, seconds

    try:
        known = seconds(text)
    except Unfit as error:
        raise InvalidInputError([Problem(name, f"--{name}: {error}.")]) from error
    if above and not known:
        raise InvalidInputError([Problem(name, f"--{name} must be a number above 0.")])
    return known


def _one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        option = name.replace("_", "-")
        raise InvalidInputError([Problem(name, f"--{option} must be {' or '.join(known)}, not {value!r}.")])
    return value


# ---- what is told ---------------------------------------------------------------------------------------------------


def _told(read: ReadNarrations) -> dict[str, Any]:
    return {
        "file": read.path,
        "sha256": read.sha256,
        "form": read.form,
        "left_out": [{"line": row.row, "why": row.reason} for row in read.bad],
        "passed_over": read.passed_over,
        "notes": read.notes,
        "windows": read.windows,
    }


def tell_rows(read: ReadNarrations) -> None:
    """Print what was noticed about the rows of a file, and the invalid rows."""
    for what, n in {**read.notes, **read.passed_over}.items():
        typer.echo(f"   {n:,} {'passed over: ' if what in read.passed_over else ''}{what}")
    if read.windows:
        typer.echo(
            f"   each narration lasts from {read.windows['rule']}, a = {read.windows['a']} s, b = {read.windows['b']}"
        )
    tell_bad("Rows left out", read.bad)


def tell_bad(head: str, bad: Sequence[BadRow], *, what: str = "line", err: bool = False) -> None:
    """Print the first rows that were left out, with the reason."""
    if not bad:
        return
    typer.echo(f"{head}: {len(bad):,}.", err=err)
    for row in bad[:SHOWN]:
        typer.echo(f"   {row.path}, {what} {row.row}: {row.reason}.", err=err)
    if (more := len(bad) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more", err=err)


def _tell_tally(tally: Tally) -> None:
    for step, n in tally.steps.items():
        typer.echo(f"{n:>8,} {step}")
    for reason, n in sorted(tally.left_out.items(), key=lambda each: (-each[1], each[0])):
        typer.echo(f"{n:>8,} left out: {reason}; such as {tally.examples[reason][0]}")
