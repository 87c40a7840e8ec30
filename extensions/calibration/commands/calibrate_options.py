"""The options of ``touchstone calibration run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from domain.states import Cut, Stage

OutOption = Annotated[Path | None, typer.Option(help="The folder that the report is written to.", metavar="DIR")]
People = Annotated[
    list[str] | None,
    typer.Option(
        help="The people, separated by commas, or one at a time: or give --human again. A name that holds a comma"
        " stands in double quotes: '\"Li, Wei\",Ann'.",
        metavar="A,B,C",
    ),
]
Judges = Annotated[list[str] | None, typer.Option(help="A judge; may be given again.", metavar="NAME")]
RatingsOption = Annotated[
    Path | None,
    typer.Option(help="A CSV file with the columns unit, rater, criterion, value, and dimension if you like."),
]
ProjectOption = Annotated[str | None, typer.Option(help="Instead of a file: a project, with --stage.")]
StageOption = Annotated[
    Stage | None,
    typer.Option(
        help="The project's stage: verification or grading. By default that of the unit of the schema's report, if "
        "a judge has rated there, else grading.",
        metavar="STAGE",
    ),
]
ByOption = Annotated[
    Cut | None,
    typer.Option(
        help="In addition to the whole: each dimension, each group of them (in a project), or nothing. By "
        "default as the schema's report says, else by dimension."
    ),
]
StatisticOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Of the coefficients in tables only this one, and Krippendorff's alpha, on which the verdict rests; "
        "may be given again; all for every one. By default those that the schema's report names, and of a file "
        "all.",
        metavar="NAME",
    ),
]
CriterionOption = Annotated[
    list[str] | None, typer.Option(help="Only this criterion; may be given again. None: all of them.")
]
ScaleOption = Annotated[
    list[str] | None,
    typer.Option(
        help="What a criterion's values are: C=nominal, C=ordinal:1,2,3 or C=interval, with or without its values; "
        "may be given again.",
        metavar="C=LEVEL:V1,V2",
    ),
]
UnparsedOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A value of a judge that means that its reply could not be read; may be given again. Counted, and "
        "never a "
        "category.",
        metavar="VALUE",
    ),
]
RepeatOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Raters that are the same judge, asked again in the same way; may be given again.", metavar="JUDGE=B,C"
    ),
]
SwappedOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Raters that are the same judge with the answers shown in the other order; may be given again.",
        metavar="JUDGE=B",
    ),
]
EarlierOption = Annotated[
    list[str] | None,
    typer.Option(help="Raters that are earlier versions of a judge; may be given again.", metavar="JUDGE=B,C"),
]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Models of a judge's own family, which it may prefer; may be given again. A project knows whose "
        "answers "
        "units are, --units names them for a file.",
        metavar="JUDGE=MODEL,MODEL",
    ),
]
UnitsOption = Annotated[
    Path | None,
    typer.Option(
        help="With --ratings: a CSV file with the column unit and any of item, model, length: which units are "
        "answers "
        "to one item, whose answers they are, and how long."
    ),
]
CrossCheckOption = Annotated[
    bool,
    typer.Option(
        "--cross-check",
        help="Has no effect: the report always compares its coefficients with those of other packages.",
        hidden=True,
    ),
]
MissingOption = Annotated[
    str | None,
    typer.Option(
        help="Words for a missing rating, separated by commas. An empty cell is always missing. "
        'By default NA, N/A, None, null, NaN, - and the like. "" turns the words off.',
        metavar="WORDS",
    ),
]
RuleOption = Annotated[
    str | None,
    typer.Option(
        help="The rule of the verdict, set before you look: units (30), people (3), reliability (0.4), margin "
        "(0.05), association (0.3), constant (yes), test (yes), epsilon (0.2). With --project it is stored with "
        "its date, and the report says whether that was before the first reply.",
        metavar="NAME=NUMBER,...",
    ),
]
TunedOption = Annotated[
    bool, typer.Option("--tuned", help="A judge's prompt was tuned on these very units: there is no verdict then.")
]
VouchOption = Annotated[
    list[str] | None,
    typer.Option(
        help="With --project: raters from a file whom you declare to be people; may be given again.",
        metavar="A,B",
    ),
]
PdfOption = Annotated[
    bool,
    typer.Option(
        "--pdf",
        help="Write report.pdf and card.pdf, too. Chromium, Chrome or Edge of this machine prints them.",
    ),
]
PoolGuidelinesOption = Annotated[
    bool,
    typer.Option(
        "--pool-guidelines",
        help="Measure people's ratings under different versions of the project's guideline together.",
    ),
]
