"""The templates of a project's judges, by version: ours, published ones, and those that leads have written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from annotation_schemas import judge_templates, registry, typed_yaml
from annotation_schemas.judge_templates import JudgeTemplate
from annotation_schemas.prompts import PublishedPrompt, load_published_prompts
from db import judging
from db.engine import Session, Store
from db.records import StoredJudgeTemplate
from domain.errors import InvalidInputError, NotFoundError, Problem, SchemaError
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import require_lead

_ID = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class TemplateView:
    """A version of a template, as leads see it."""

    name: str
    version: int
    hash: str
    template: JudgeTemplate
    origin: str
    """The origin of the template; empty for one that comes with Touchstone."""
    at: datetime | None = None

    @property
    def ours(self) -> bool:
        """Whether it came with Touchstone."""
        return self.at is None


def templates_of(store: Store, *, by: Person | None, project: str) -> list[TemplateView]:
    """Return all templates for a project's judges, with the newest version of each first."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = judging.templates(session, project_id=access.project_id)
    ours = [
        TemplateView(each.head.id, each.head.version, each.hash, each, "")
        for each in judge_templates.shipped().values()
    ]
    own = [_view(row) for row in rows]
    return sorted(own + ours, key=lambda each: (each.name, -each.version))


def template(session: Session, *, project_id: int, name: str, version: int | None = None) -> JudgeTemplate:
    """Return a template for a project's judges. ``version`` None is the newest.

    Raises
    ------
    NotFoundError
        The template or the version does not exist.
    """
    found = {row.version: row.text for row in judging.templates(session, project_id=project_id) if row.name == name}
    ours = judge_templates.shipped().get(name)
    if ours is not None:
        found.setdefault(ours.head.version, ours.text)
    if not found:
        own = (row.name for row in judging.templates(session, project_id=project_id))
        there = ", ".join(sorted({*judge_templates.shipped(), *own}))
        raise NotFoundError(f"There is no judge template {name!r}; there are {there}.")
    chosen = max(found) if version is None else version
    if chosen not in found:
        raise NotFoundError(
            f"The judge template {name} has no version {version}; it has {', '.join(map(str, sorted(found)))}."
        )
    return judge_templates.parse_template(found[chosen], name=f"{name}, version {chosen}")


def add_version(store: Store, *, by: Person | None, project: str, text: str, origin: str = "") -> TemplateView:
    """Store a template for a project under the next number, whatever number the text has.

    A text that is already stored keeps its version.

    Raises
    ------
    SchemaError
        The text is not a template; one line per problem.
    InvalidInputError
        Its name is invalid, or its parser is unknown.
    """
    parsed = judge_templates.parse_template(text, name="the template")
    _check(parsed)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        ours = judge_templates.shipped().get(parsed.head.id)
        newest = max(
            judging.newest_version(session, project_id=access.project_id, name=parsed.head.id),
            ours.head.version if ours else 0,
        )
        if ours is not None and _same_but_number(parsed.text, ours.text):
            return TemplateView(ours.head.id, ours.head.version, ours.hash, ours, "")
        for row in judging.templates(session, project_id=access.project_id):
            if row.name == parsed.head.id and _same_but_number(row.text, parsed.text):
                return _view(row)
        numbered = judge_templates.parse_template(_numbered(parsed.text, newest + 1), name="the template")
        row = judging.add_template(
            session,
            project_id=access.project_id,
            name=numbered.head.id,
            version=numbered.head.version,
            hash=numbered.hash,
            text=numbered.text,
            origin=origin,
            by_id=by.id if by else None,
            now=store.now(),
        )
        data = {"template": row.name, "version": row.version, "hash": row.hash, "origin": origin}
        log(session, "judge_template.added", by=by, project=access, now=store.now(), data=data)
        return _view(row)


def read_text(path: Path) -> str:
    """Return the text of a template file. Raises ``SchemaError`` for an unreadable file."""
    return typed_yaml.read_file(path)


def value_of(text: str) -> str | float:
    """Return a typed value: a number if the text is one, otherwise the text.

    >>> value_of("0.5"), value_of("A>B")
    (0.5, 'A>B')
    """
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def published_texts(path: Path, *, parser: str, values: Sequence[Any], pair: Sequence[str] = ()) -> Mapping[str, str]:
    """Return the prompts of a published file (JSON lines, as FastChat writes them) as template texts, by their own
    names.

    Their words stay unchanged. ``parser`` and ``values`` declare how replies are read. The prompts named in ``pair``
    compare two answers.

    Raises
    ------
    SchemaError
        The file is invalid.
    """
    return {
        name: _text_of(prompt, parser=parser, values=values, pair=name in pair)
        for name, prompt in load_published_prompts(path).items()
    }


def _text_of(prompt: PublishedPrompt, *, parser: str, values: Sequence[Any], pair: bool) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", prompt.name.lower()).strip("_")
    head: dict[str, Any] = {
        "id": name if _ID.fullmatch(name) else f"published_{name}",
        "version": 1,
        "meaning": prompt.description or f"the published prompt {prompt.name}",
        "variables": list(prompt.placeholders),
        "parser": parser,
        "values": list(values),
    }
    if pair:
        head["pair"] = True
    written = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, default_flow_style=None, width=1000)
    system = f"=== system ===\n{prompt.system}\n" if prompt.system else ""
    return f"---\n{written}---\n{system}=== user ===\n{prompt.user}\n"


def _check(parsed: JudgeTemplate) -> None:
    problems = []
    if not _ID.fullmatch(parsed.head.id):
        problems.append(Problem("id", "The id of a template is small letters, digits and underscores."))
    if registry.find("parser", parsed.head.parser) is None:
        known = ", ".join(row.name for row in registry.rows("parser"))
        problems.append(Problem("parser", f"There is no parser {parsed.head.parser!r}; there are {known}."))
    if problems:
        raise InvalidInputError(problems)


_NUMBER = re.compile(r"^version:[ \t]*\d+[ \t]*$", re.MULTILINE)


def _numbered(text: str, version: int) -> str:
    numbered, n = _NUMBER.subn(f"version: {version}", text, count=1)
    if not n:
        raise SchemaError("the template: version: write it on a line of its own, such as `version: 1`.")
    return numbered


def _same_but_number(one: str, other: str) -> bool:
    return _NUMBER.sub("", one, count=1) == _NUMBER.sub("", other, count=1)


def _view(row: StoredJudgeTemplate) -> TemplateView:
    parsed = judge_templates.parse_template(row.text, name=f"{row.name}, version {row.version}")
    return TemplateView(row.name, row.version, row.hash, parsed, row.origin, row.created_at)
