"""The options of ``touchstone calibration run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from domain.states import Cut, Stage

OutOption = Annotated[Path | None, typer.Option(help="The folder to write the report to.", metavar="DIR")]
People = Annotated[
    list[str] | None,
    typer.Option(
        help="The people to compare with, separated by commas. Put a name with a comma in double quotes: '\"Li, "
        "Wei\",Ann'.",
        metavar="A,B,C",
    ),
]
Judges = Annotated[
    list[str] | None, typer.Option(help="The judge to test. Repeat the option for more judges.", metavar="NAME")
]
RatingsOption = Annotated[
    Path | None,
    typer.Option(
        help="A CSV file of ratings with the columns unit, rater, criterion and value, and optionally dimension."
    ),
]
ProjectOption = Annotated[str | None, typer.Option(help="The project with the ratings, instead of a file.")]
StageOption = Annotated[
    Stage | None,
    typer.Option(
        help="The project's stage: verification or grading. Default: the stage of the schema's report if a judge "
        "has rated in that stage, otherwise grading.",
        metavar="STAGE",
    ),
]
ByOption = Annotated[
    Cut | None,
    typer.Option(
        help="Split the report by dimension, by group of dimensions, or not at all. Default: the schema's setting, "
        "otherwise by dimension."
    ),
]
StatisticOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Show this coefficient in tables. Tables also show Krippendorff's alpha, because the verdict uses "
        "alpha. Repeat the option for more coefficients, or give all. Default: the schema's setting.",
        metavar="NAME",
    ),
]
CriterionOption = Annotated[
    list[str] | None,
    typer.Option(help="Report only this criterion. Repeat the option for more criteria. Default: all."),
]
ScaleOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The scale of a criterion, if the file does not declare it: C=nominal, C=ordinal:1,2,3 or C=interval. "
        "Repeat the option for more criteria.",
        metavar="C=LEVEL:V1,V2",
    ),
]
UnparsedOption = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "A value that marks an unreadable reply of a judge. The report counts this value as "
            "missing. Repeat the option for more values."
        ),
        metavar="VALUE",
    ),
]
RepeatOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Raters that are repeated runs of the same judge. The report then shows how stable the judge is. Repeat "
        "the option for more judges.",
        metavar="JUDGE=B,C",
    ),
]
SwappedOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Raters that are the same judge with the answers in the other order. The report then shows the judge's "
        "position bias. Repeat the option for more judges.",
        metavar="JUDGE=B",
    ),
]
EarlierOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Raters that are earlier versions of a judge. The report then shows how the judge has changed. Repeat "
        "the option for more judges.",
        metavar="JUDGE=B,C",
    ),
]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Models of the judge's own family, which the judge may favor. For a file, --units names the models. "
        "Repeat the option for more judges.",
        metavar="JUDGE=MODEL,MODEL",
    ),
]
UnitsOption = Annotated[
    Path | None,
    typer.Option(
        help="With --ratings: a CSV file with the column unit and optionally item, model and length. The report "
        "uses the file to test for family and length bias."
    ),
]
CrossCheckOption = Annotated[
    bool,
    typer.Option(
        "--cross-check",
        help="This option has no effect, because the report always compares its coefficients with other packages.",
        hidden=True,
    ),
]
MissingOption = Annotated[
    str | None,
    typer.Option(
        help="For files: words that mean a missing rating, separated by commas. Default: NA, N/A, None, null, NaN, "
        '- and similar words. Use "" to turn this option off.',
        metavar="WORDS",
    ),
]
RuleOption = Annotated[
    str | None,
    typer.Option(
        help="The rule for the verdict, with these defaults: units (30), people (3), reliability (0.4), margin "
        "(0.05), association (0.3), constant (yes), test (yes), epsilon (0.2). Set the rule before you see "
        "results. A project stores the rule with its date.",
        metavar="NAME=NUMBER,...",
    ),
]
TunedOption = Annotated[
    bool,
    typer.Option(
        "--tuned",
        help="Use this option if the judge's prompt was tuned on these units. The report then gives no verdict.",
    ),
]
VouchOption = Annotated[
    list[str] | None,
    typer.Option(
        help="With --project: an imported rater who is a person. Repeat the option for more raters.",
        metavar="A,B",
    ),
]
PdfOption = Annotated[
    bool,
    typer.Option(
        "--pdf",
        help="Also write report.pdf and card.pdf. PDF files need Chromium, Chrome or Edge on this machine.",
    ),
]
PoolGuidelinesOption = Annotated[
    bool,
    typer.Option(
        "--pool-guidelines",
        help="Combine people's ratings from different versions of the guideline. Without this option, the command "
        "stops if people used several versions.",
    ),
]
