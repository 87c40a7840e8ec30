"""The former names of commands and options. They still work, and a warning on standard error names the new ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

NEW_NAMES = {
    "agreement": "agreement show",
    "answers agreement": "reader check",
    "answers read": "reading check",
    "answers read-again": "reader run",
    "answers reread": "answer read",
    "answers sample": "reader export",
    "answers": "answer",
    "audit": "event list",
    "bulk assign": "item assign",
    "bulk priority": "item prioritize",
    "bulk send-back": "item return",
    "bulk verify-again": "item return --to verification",
    "bulk": "item",
    "calibrate": "calibration run",
    "comparison": "comparison show",
    "drafting import": "proposal import",
    "drafting make": "proposal create",
    "drafting plan": "proposal plan",
    "drafting report": "proposal show",
    "drafting": "proposal",
    "duplicates": "duplicate list",
    "edit": "item edit",
    "entries budget": "entry limit",
    "entries list": "entry list",
    "entries score": "entry import",
    "entries": "entry",
    "export": "item export",
    "exposure": "exposure check",
    "failures": "failure show",
    "frames": "frame create",
    "gold add": "gold import",
    "gold draw": "gold create",
    "gold make": "gold create",
    "gold people": "gold list --people",
    "grading sample": "sample show",
    "grading": "sample",
    "guideline set": "guideline import",
    "import": "item import",
    "items": "item list",
    "jobs": "job",
    "judge read": "reading check --judge",
    "labelstudio backend": "labelstudio serve",
    "labelstudio people": "labelstudio map",
    "labelstudio pull": "labelstudio import",
    "labelstudio push": "labelstudio export",
    "labelstudio status": "labelstudio show",
    "mail set": "mail edit",
    "mail status": "mail show",
    "mail try": "mail check",
    "narrations against": "narration check",
    "narrations goals": "goal create",
    "narrations look": "narration check",
    "narrations questions": "question create",
    "narrations": "narration",
    "paysheet": "scorecard show --pay",
    "people add": "person create",
    "people deactivate": "person edit --deactivate",
    "people erase": "person delete",
    "people password": "person edit --password",
    "people reactivate": "person edit --reactivate",
    "people role": "person assign",
    "people": "person",
    "plan": "agreement plan",
    "pool add": "pool import",
    "preferences": "preference show",
    "privacy cover": "privacy import",
    "privacy look": "privacy check",
    "project archive": "project edit --archive",
    "project raters": "rater list",
    "project rename": "project edit {} --title",
    "project unarchive": "project edit --unarchive",
    "qualify exempt": "qualification exempt",
    "qualify set": "qualification create",
    "qualify status": "qualification list",
    "qualify": "qualification",
    "reasons": "reason export",
    "refine": "answer refine",
    "regression": "regression run",
    "release about": "release edit",
    "release copy": "release export",
    "release replay": "release check --recompute",
    "release statistics": "release describe",
    "release verify": "release check",
    "results": "result show",
    "run batch end": "batch cancel",
    "run batch fetch": "batch import",
    "run batch poll": "batch show --refresh",
    "run batch read": "batch import",
    "run batch show": "batch show",
    "run batch submit": "batch create",
    "run batch write": "batch export",
    "run batch": "batch",
    "run judge": "judge run",
    "run metric": "metric run",
    "run model": "model run",
    "run sample": "sample show --open --summary",
    "run shortcut": "shortcut run",
    "run similarity": "similarity run",
    "run template": "template import",
    "schema json-schema": "schema show --json-schema",
    "schema new": "schema create",
    "schema try": "schema preview",
    "score key": "score create-key",
    "score submission": "score create",
    "score verify": "score check",
    "score": "score create",
    "scorecard": "scorecard show",
    "shortcuts": "shortcut check",
    "tables": "table export",
    "triage": "pool show",
    "variants": "variant show",
    "views": "view",
    "wording": "wording check",
}
"""The new name of each renamed command, with the options that stand for the former one. ``{}``: the next argument."""

NEW_OPTIONS = {
    "item import": {
        "--column": "--set columns.",
        "--control": "--set controls.",
        "--criterion": "--set criteria.",
        "--dimension": "--set dimension=",
        "--encoding": "--set encoding=",
        "--field": "--set fields.",
        "--missing": "--set missing_words=",
        "--place": "--set option_places.",
        "--rater": "--set rater=",
        "--raters-are": "--set raters=",
        "--separator": "--set separator=",
        "--spec": "--set model_description=",
        "--template": "--set template=",
        "--without": "--set ignore_controls=",
    },
}
"""The option that replaces each former option of a command, with the beginning of its value."""


def with_new_names(args: Sequence[str], commands: Mapping[str, Collection[str]]) -> tuple[list[str], list[str]]:
    """Return the arguments with the new name of a command, and a warning if they had a former name.

    ``commands`` has each command of ``touchstone`` with its subcommands. A former command that is now a noun, such as
    ``agreement``, is meant where no subcommand follows.

    >>> with_new_names(["people", "list", "demo"], {"person": ["list"]})
    (['person', 'list', 'demo'], ['`touchstone people` is now `touchstone person`. The old name still works.'])
    """
    named, warnings = list(args), []
    for length in (3, 2, 1):
        old = " ".join(args[:length])
        rest = list(args[length:])
        if old not in NEW_NAMES or len(args) < length or (old in commands and not _is_former(rest, commands[old])):
            continue
        new = NEW_NAMES[old].split()
        named = [rest.pop(0) if word == "{}" and rest else word for word in new] + rest
        shown = " ".join("PROJECT" if word == "{}" else word for word in new)
        warnings = [f"`touchstone {old}` is now `touchstone {shown}`. The old name still works."]
        break
    command = " ".join(named[:2])
    options = NEW_OPTIONS.get(command, {})
    return (_with_new_options(command, named, options, warnings) if options else named), warnings


def _with_new_options(command: str, args: Sequence[str], options: Mapping[str, str], warnings: list[str]) -> list[str]:
    """Return the arguments with new options in place of former ones, and add a warning for each."""
    named: list[str] = []
    left = list(args)
    while left:
        arg = left.pop(0)
        option, equals, value = arg.partition("=")
        if option not in options or not (equals or left):
            named.append(arg)
            if arg == "--":
                return [*named, *left]
            continue
        flag, begins = options[option].split()
        named += [flag, begins + (value if equals else left.pop(0))]
        warnings.append(
            f"`{option}` of `touchstone {command}` is now `{options[option]}…`. The old option still works."
        )
    return named


def _is_former(rest: Sequence[str], subcommands: Collection[str]) -> bool:
    """Tell whether what follows a noun is what followed the former command of this name."""
    return bool(rest) and rest[0] not in subcommands and rest[0] != "--help"
