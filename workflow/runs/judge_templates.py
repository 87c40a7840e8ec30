"""The templates of a project's judges, by version: ours, published ones, and those that leads have written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from annotation_schemas import judge_templates, registry, typed_yaml
from annotation_schemas.judge_templates import JudgeTemplate
from db import judging
from db.engine import Session, Store
from db.records import StoredJudgeTemplate
from domain.errors import InvalidInputError, NotFoundError, Problem, SchemaError
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import require_lead

ID = re.compile(r"[a-z][a-z0-9_]{0,62}")
"""The form of a template's id."""


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
        TemplateView(judge_template.head.id, judge_template.head.version, judge_template.hash, judge_template, "")
        for judge_template in judge_templates.shipped().values()
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
    texts = {row.version: row.text for row in judging.templates(session, project_id=project_id) if row.name == name}
    ours = judge_templates.shipped().get(name)
    if ours is not None:
        texts.setdefault(ours.head.version, ours.text)
    if not texts:
        own = (row.name for row in judging.templates(session, project_id=project_id))
        there = ", ".join(sorted({*judge_templates.shipped(), *own}))
        raise NotFoundError(f"There is no judge template {name!r}. Judge templates: {there}.")
    chosen = max(texts) if version is None else version
    if chosen not in texts:
        raise NotFoundError(
            f"The judge template {name} has no version {version}. Its versions: {', '.join(map(str, sorted(texts)))}."
        )
    return judge_templates.parse_template(texts[chosen], name=f"{name}, version {chosen}")


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


def _check(parsed: JudgeTemplate) -> None:
    problems = []
    if not ID.fullmatch(parsed.head.id):
        problems.append(Problem("id", "Use only lowercase letters, digits and underscores in the id of a template."))
    if registry.find("parser", parsed.head.parser) is None:
        known = ", ".join(row.name for row in registry.rows("parser"))
        problems.append(Problem("parser", f"There is no parser {parsed.head.parser!r}. Parsers: {known}."))
    if problems:
        raise InvalidInputError(problems)


_NUMBER = re.compile(r"^version:[ \t]*\d+[ \t]*$", re.MULTILINE)


def _numbered(text: str, version: int) -> str:
    numbered, n = _NUMBER.subn(f"version: {version}", text, count=1)
    if not n:
        raise SchemaError("the template: write `version` on a separate line, such as `version: 1`.")
    return numbered


def _same_but_number(one: str, other: str) -> bool:
    return _NUMBER.sub("", one, count=1) == _NUMBER.sub("", other, count=1)


def _view(row: StoredJudgeTemplate) -> TemplateView:
    parsed = judge_templates.parse_template(row.text, name=f"{row.name}, version {row.version}")
    return TemplateView(row.name, row.version, row.hash, parsed, row.origin, row.created_at)
