"""Replace the names of command options in error messages by the labels of a page's controls."""

from __future__ import annotations

import re

CALIBRATE = "the command `touchstone calibration run`"
CONTROLS = {
    "--set": "the page Description:",
    "--split": "“Splits”",
    "--together": "“Keep together”",
    "--off": "“Split size tolerance (%)”",
    "--lacking": "“Allow missing dimensions”",
    "--anew": "“Draw all splits again”",
    "--despite": "“Override checks”:",
    "--accept-leak": "“Accepted leaks”:",
    "--json": "“Manifest”",
    "--anyway": "“Accept incomplete entries”",
    "--skip-bad": "“Skip bad rows”",
    "--new-only": "“Import new items only”",
    "--dimension": "“Default dimension”",
    "--set dimension=ID": "“Default dimension”",
    "--model": "“Default model”",
    "--set fields.": "“Data key mapping”: ",
    "--set controls.": "“Control mapping”: ",
    "--set ignore_controls=": "“Controls to ignore”: ",
    "--set rater=NAME": "“Default rater”",
    "--column": "“Column mapping”",
    "--set columns.": "“Column mapping”: ",
    "--mapping": "“Column mapping”",
    "--set option_places.": "the boxes “Format of ... in the files”: ",
    "--set separator=": "“List separator”: ",
    "--set encoding=": "“File encoding”: ",
    "--run": "“Run, for answers”",
    "--unanswered": "“Label for unanswered items”",
    "--by": "“By dimension”",
    "--unit prediction": "“Each answer”",
    "--pool-guidelines": "“Pool guideline versions”",
    "--vouch": "the list “People”:",
    "--human": "the list “People”",
    "--judge": "the list “Judges”",
    "--repeat": CALIBRATE,
    "--swapped": CALIBRATE,
    "--earlier": CALIBRATE,
    "--units": CALIBRATE,
    "--family": CALIBRATE,
    "`--fill PLACEHOLDER=FIELD` or the Judges page": "the boxes on this page",
    " or --media-from ADDRESS. If Label Studio runs on this machine, you can use --local-files FOLDER instead.": (
        ". The operator of this server sets this address."
    ),
}
"""The label of a page's control for each command option, or a hint that only a command has the option."""
_WORDS = [re.escape(words) for words in sorted(CONTROLS, key=len, reverse=True) if not words.strip("-").isalpha()]
_SAID = re.compile("|".join([*_WORDS, "`touchstone [^`]*`", "--[a-z]+(?:-[a-z]+)*"]))


def on_page(words: str) -> str:
    """Return an error message with the page's controls in place of command options. Whole commands stay unchanged."""
    return _SAID.sub(lambda found: CONTROLS.get(found[0], found[0]), words)
