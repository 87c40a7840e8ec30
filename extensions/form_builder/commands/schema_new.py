"""``touchstone schema create``: ask a few questions, and write a commented schema and guideline that pass the check."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation_schemas.loader import examine_text
from annotation_schemas.model import as_words
from app.commands.groups import find_group
from domain.errors import AlreadyTakenError, InvalidInputError, NotFoundError, Problem
from extensions.form_builder import outline, schema_text
from extensions.form_builder.outline import AnswerIs, Check, KeptBy, Outline

Said = Mapping[str, Any]
"""The settings that are known so far, by the names of ``Outline``."""


@dataclass(frozen=True)
class _Question:
    """One setting: its option, its question in the terminal, its default, and the function that reads an answer."""

    name: str
    option: str
    ask: str
    usual: Callable[[Said], str]
    read: Callable[[str, Said], Any]
    """Raises ``ValueError`` with a sentence if the answer is invalid, alone or together with the settings so far."""
    matters: Callable[[Said], bool] = lambda said: True
    """Whether to ask. False if only the default is possible."""


_QUESTIONS = (
    _Question(
        "title",
        "--title",
        "What is the title of the benchmark?",
        lambda said: as_words(said["name"]),
        lambda text, said: outline.checked_title(text),
    ),
    _Question(
        "shows",
        "--shows",
        f"What does an item show? {' | '.join(outline.SLOTS)}, or roles such as before=image,after=image",
        lambda said: "image",
        lambda text, said: outline.roles(text),
    ),
    _Question(
        "question",
        "--question",
        "What is an example question?",
        lambda said: "What is the person about to do?",
        lambda text, said: outline.checked_title(text),
    ),
    _Question(
        "answer",
        "--answer",
        f"What is the answer? {' | '.join(AnswerIs)}",
        lambda said: "text",
        lambda text, said: outline.answer_of(text, said["shows"]),
    ),
    _Question(
        "dimensions",
        "--dimensions",
        "Which dimensions does the benchmark measure? Separate the titles with commas",
        lambda said: "General",
        lambda text, said: outline.dimensions(text),
    ),
    _Question(
        "raters",
        "--raters",
        "How many people check each item?",
        lambda said: "2",
        lambda text, said: outline.people(text),
    ),
    _Question(
        "check",
        "--check",
        "Do people check the author's answer, or do they answer without seeing the author's answer? right | blind",
        lambda said: "right",
        lambda text, said: outline.check_of(text, said["answer"]),
        lambda said: outline.can_be_blind(said["answer"]),
    ),
    _Question(
        "keep",
        "--keep",
        "How many votes does an item need to be kept: all, or more than half? unanimous | majority",
        lambda said: "unanimous",
        lambda text, said: outline.keep_of(text, said["raters"]),
        lambda said: said["raters"] > 2,
    ),
    _Question(
        "graded",
        "--grade/--no-grade",
        "Do people grade models' answers? yes | no",
        lambda said: "no",
        lambda text, said: outline.yes_or_no(text),
    ),
    _Question(
        "judged",
        "--judge/--no-judge",
        "Does an LLM judge also give ratings? yes | no",
        lambda said: "no",
        lambda text, said: outline.judged_of(text, fitting=_fitting(said)),
        lambda said: said["graded"],
    ),
    _Question(
        "template",
        "--template",
        "Which judge template do you want? egothink_single | etp_answer (both grade answers) | verify_reference "
        "(checks items)",
        lambda said: next(iter(_fitting(said)), ""),
        lambda text, said: outline.template_of(text, judged=said["judged"], fitting=_fitting(said)),
        lambda said: said["judged"] and len(_fitting(said)) > 1,
    ),
)


def _fitting(said: Said) -> list[str]:
    """Return the judge templates that fit the settings so far."""
    return outline.templates_for(graded=said["graded"], check=said["check"])


_NAME = _Question(
    "name",
    "--name",
    "What is the name of the benchmark? (lowercase letters, digits and underscores)",
    lambda said: said["file"],
    lambda text, said: outline.checked_name(text),
)


CheckOption = Annotated[
    Check | None,
    typer.Option(
        help="right: people say whether the author's answer is right. blind: people answer without seeing the "
        "author's answer."
    ),
]


Template = Annotated[
    str | None,
    typer.Option(
        help="The judge template. egothink_single and etp_answer grade answers, and verify_reference checks "
        "items. Default: the first suitable template."
    ),
]
File = Annotated[
    Path,
    typer.Argument(help="The YAML file to write. Touchstone writes the guideline as a .md file to the same folder."),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone schema``."""

    @find_group(cli, "schema").command("create")
    def new(
        file: File,
        name: Annotated[str | None, typer.Option(help="The benchmark's name. Default: the name of the file.")] = None,
        title: Annotated[
            str | None, typer.Option(help="The title that people see. Default: a title made from the name.")
        ] = None,
        shows: Annotated[
            str | None,
            typer.Option(help="What an item shows: image, images, clip, or roles such as before=image,after=image."),
        ] = None,
        question: Annotated[str | None, typer.Option(help="An example question, to help authors.")] = None,
        answer: Annotated[AnswerIs | None, typer.Option(help="The kind of the answer. Default: text.")] = None,
        dimensions: Annotated[
            str | None, typer.Option(help="The dimensions that you measure: titles separated by commas, or ID=TITLE.")
        ] = None,
        raters: Annotated[str | None, typer.Option(help="How many people check each item. Default: 2.")] = None,
        check: CheckOption = None,
        keep: Annotated[
            KeptBy | None, typer.Option(help="How many votes an item needs to be kept: all, or more than half.")
        ] = None,
        grade: Annotated[
            bool | None, typer.Option("--grade/--no-grade", help="Let people grade models' answers.")
        ] = None,
        judge: Annotated[
            bool | None, typer.Option("--judge/--no-judge", help="Let an LLM judge also give ratings.")
        ] = None,
        template: Template = None,
        yes: Annotated[bool, typer.Option("--yes", help="Use the defaults without asking questions.")] = False,
    ) -> None:
        """Write your first schema and guideline by answering a few questions.

        Each question is also an option. Comments in the files say what you can change. An existing file is never
        overwritten.

        Example: touchstone schema create street.yaml
        """
        guideline = _free(file)
        given = {
            "name": name,
            "title": title,
            "shows": shows,
            "question": question,
            "answer": answer,
            "dimensions": dimensions,
            "raters": raters,
            "check": check,
            "keep": keep,
            "graded": _in_words(grade),
            "judged": _in_words(True if judge is None and template is not None else judge),
            "template": template,
        }
        values = _settled(given, file=outline.name_from(file.stem), ask=not yes)
        begun = Outline(**values)
        text, guideline_text = (
            schema_text.write_outline(begun, guideline=guideline.name),
            schema_text.guideline_of(begun),
        )
        examine_text(text, guideline_text, str(file))
        with guideline.open("x", encoding="utf-8") as out:
            out.write(guideline_text)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
        where = shlex.quote(str(file))
        typer.echo(f"Wrote {file} and {guideline}. Read and edit both files, and then run:")
        typer.echo(f"  touchstone schema check {where}")
        typer.echo(f"  touchstone project create {begun.name} --schema {where}")
        typer.echo(f"  touchstone pool import {begun.name} FOLDER   # your images or clips, to write items about")


def _free(file: Path) -> Path:
    """Return the path of the guideline, after a check that both files can be created.

    Raises
    ------
    InvalidInputError
        The name of the schema file does not end in .yaml or .yml.
    NotFoundError
        The folder does not exist.
    AlreadyTakenError
        One of the two files exists.
    """
    if file.suffix not in (".yaml", ".yml"):
        raise InvalidInputError(
            [Problem("file", f"{file}: a schema's file name must end in .yaml, such as {file.stem or 'mine'}.yaml.")]
        )
    if not file.parent.is_dir():
        raise NotFoundError(f"The folder {file.parent} does not exist. Create the folder, or give another path.")
    guideline = file.with_suffix(".md")
    for path in (file, guideline):
        if path.exists() or path.is_symlink():
            raise AlreadyTakenError(f"{path} exists already. Give another name.")
    return guideline


def _in_words(flag: bool | None) -> str | None:
    return None if flag is None else "yes" if flag else "no"


def _settled(given: Mapping[str, str | None], *, file: str, ask: bool) -> dict[str, Any]:
    """Return all settings. Each comes from its option, from an answer in the terminal or from the default, in this
    order.
    """
    values: dict[str, Any] = {"file": file}
    for question in (_NAME, *_QUESTIONS):
        answer = given[question.name]
        if answer is not None:
            values[question.name] = _read(question, answer, values)
        elif ask and question.matters(values):
            values[question.name] = _asked(question, values)
        else:
            values[question.name] = _read(question, question.usual(values), values)
    del values["file"]
    return values


def _read(question: _Question, answer: str, said: Said) -> Any:
    try:
        return question.read(answer, said)
    except ValueError as error:
        raise InvalidInputError([Problem(question.name, f"{question.option}: {error}")]) from None


def _asked(question: _Question, said: Said) -> Any:
    """Ask in the terminal until the answer is valid, and return the answer."""
    while True:
        try:
            answer = typer.prompt(question.ask, default=question.usual(said))
        except typer.Abort:
            if sys.stdin.isatty():  # a person is there and has aborted
                raise
            problem = (
                f"Touchstone can ask questions only in a terminal. Give {question.option}, or --yes for the defaults."
            )
            raise InvalidInputError([Problem(question.name, problem)]) from None
        try:
            return question.read(answer.strip(), said)
        except ValueError as error:
            typer.echo(f"  {error}")
