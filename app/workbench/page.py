"""The content of a working page as one JSON value: pure functions of the task, the schema and the numbers.

A page has a *static* part: texts of the schema and the guideline, sent once and kept by the browser under their hash.
The other part changes with every task. Fields that are secret in the stage are in neither part. ``web/types.d.ts``
describes the data for the page's code: a key added here must be added there.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from markdown_it import MarkdownIt

from annotation_schemas import kinds, registry
from annotation_schemas.answer_forms import FORMS
from annotation_schemas.kinds import NUMBER, options_of, sort_of, title_of
from annotation_schemas.model import PREDICTION, Choice, Criterion, CrossRule, ItemField, LoadedSchema, Schema, as_words
from annotation_schemas.shown import shown_fields, title_in_stage
from app.labels import in_language, stage_title
from domain.cross_rules import CROSS_RULES
from domain.language import language
from domain.records import AssetView, Draft, GuidelineNews, NoTask, Person, Progress, TaskView, VoteView
from domain.states import VERIFICATIONS, Stage

Json = dict[str, Any]

# ---- static part ---------------------------------------------------------------------------------------------------

_static: dict[tuple[str, ...], Json] = {}


def static_part(loaded: LoadedSchema, stage: Stage, *, project: str, title: str, made_up: bool = False) -> Json:
    """Return the texts of the schema and the guideline for a stage, with a hash.

    Computed once for each schema version.
    """
    key = (loaded.hash, loaded.guideline_hash, stage, project, title, str(made_up), language())
    if key not in _static:
        part = make_static(loaded, stage, project=project, title=title, made_up=made_up)
        canonical = json.dumps(part, sort_keys=True, ensure_ascii=False, default=str).encode()
        _static[key] = {**part, "hash": hashlib.sha256(canonical).hexdigest()[:16]}
    return _static[key]


def make_static(loaded: LoadedSchema, stage: Stage, *, project: str, title: str, made_up: bool) -> Json:
    """Return the static part without a hash, always computed again: for a schema that is still being written."""
    schema = loaded.schema_
    adjudication = schema.stages.adjudication
    static = {
        "project": {"name": project, "title": title, "made_up": made_up},
        "stage": {"name": stage.value, "title": stage_title(schema, stage)},
        "show_others": getattr(getattr(schema.stages, stage.value, None), "show_others", None) is not None,
        "dimensions": {
            dimension.id: {"title": dimension.title, "definition": dimension.definition, "group": dimension.group}
            for dimension in schema.dimensions
        },
        "guideline": guideline_html(loaded.guideline_text),
        "guideline_hash": loaded.guideline_hash,
        "schema_hash": loaded.hash,
        "fields": [_field(schema, field, stage) for field in shown_fields(schema, stage)],
        "slots": [
            {"role": slot.role, "title": as_words(slot.role), "kind": slot.kind, "min": slot.min, "max": slot.max}
            for slot in schema.item.assets
        ],
        "field_rules": _field_rules(schema, stage),
        "criteria": [_criterion(criterion) for criterion in criteria_of(schema, stage)],
        "rules": [
            _rule(rule, {criterion.name: criterion for criterion in criteria_of(schema, stage)})
            for rule in registry.rules_of(schema, stage.value)
        ],
        "vote_criteria": [_criterion(criterion) for stage in VERIFICATIONS for criterion in criteria_of(schema, stage)]
        if stage is Stage.ADJUDICATION
        else [],
        "adjudication": {"reasons": [_choice(reason) for reason in adjudication.reasons], "edit": adjudication.edit}
        if stage is Stage.ADJUDICATION and adjudication
        else None,
    }
    translated: Json = in_language(schema, static)
    return translated


def criteria_of(schema: Schema, stage: Stage) -> tuple[Criterion, ...]:
    """Return the criteria that a rater fills in at this stage.

    A senior's questions about others' votes are separate.
    """
    asked = () if stage is Stage.ADJUDICATION else registry.criteria_of(schema, stage.value)
    return tuple(criterion for criterion in asked if kinds.of_criterion(criterion).has_control)


def _choice(choice: Choice) -> Json:
    return {
        "value": choice.value,
        "label": choice.label,
        "help": choice.help,
        "reasons": [_choice(reason) for reason in choice.reasons],
    }


def _field(schema: Schema, field: ItemField, stage: Stage) -> Json:
    picked = None if field.forms else field.field  # a text that names entries of a list is also typed
    options = next((other for other in schema.item.fields if other.name == field.field), None)
    only = _only(schema, field)
    return {
        "name": field.name,
        "title": title_in_stage(field, stage),
        "kind": field.kind,
        "help": field.help,
        "required": field.required or (only is not None and only["with"]),
        "field": picked,
        "options": [_choice(choice) for choice in field.options] if not field.forms else [],
        "by_dimension": {name: list(values) for name, values in field.by_dimension.items()},
        "formed": _formed(field) if field.forms else None,
        "only": only,
        "distinct": field.distinct,
        "options_title": title_of(options) if options else None,
        "length": field.length,
        "min": field.min_length,
        "max": field.max_length,
        "authored": field.authored,
        "language": field.language,
        "wording": field.wording is not None,
        **kinds.of_field(field).page(field),
    }


def _field_rules(schema: Schema, stage: Stage) -> list[Json]:
    """Return the item's rules that concern only fields on the page."""
    shown = {field.name: field for field in shown_fields(schema, stage)}
    return [_rule(rule, shown) for rule in schema.item.rules if {*rule.of, *rule.when} <= set(shown)]


def _rule(rule: CrossRule, parts: Mapping[str, Criterion | ItemField]) -> Json:
    row = CROSS_RULES.get(rule.rule)
    return {
        "rule": rule.rule,
        "of": list(rule.of),
        "when": {name: list(values) for name, values in rule.when.items()},
        "say": rule.say,
        "absence": row is not None and row.about_absence,
        "numbers": any(sort_of(parts[name]) == NUMBER for name in rule.of if name in parts),
    }


def _formed(field: ItemField) -> Json:
    """Return the controls of a text whose form depends on another field."""
    words = [str(choice.value) for choice in field.options]
    return {
        "by": field.form,
        "list": field.field,
        "forms": {
            value: {"words": words if FORMS[name].needs_words else [], "picks": FORMS[name].picks}
            for value, name in field.forms.items()
        },
    }


def _only(schema: Schema, field: ItemField) -> Json | None:
    """Return the condition for a field that is filled in only if an answer is drawn, or only if it is written.

    ``by`` is the field that decides between the two, and ``values`` are its values for drawn answers. ``with`` tells
    whether this field is filled in for drawn answers (True) or for written ones (False). None: no condition.
    """
    owner = kinds.text_of_drawn(schema, field)
    text = owner or field
    values = [value for value, name in text.forms.items() if FORMS[name].is_drawn]
    return {"by": text.form, "values": values, "with": owner is not None} if values else None


def _criterion(criterion: Criterion) -> Json:
    row = kinds.of_criterion(criterion)
    options = row.page_options(criterion)
    return {
        **row.page(criterion),
        "name": criterion.name,
        "kind": criterion.kind,
        "prompt": criterion.prompt,
        "help": criterion.help,
        "field": criterion.field,
        "options": options if options is not None else [_choice(option) for option in criterion.options],
        "aspects": [
            {"name": aspect.name, "title": aspect.title, "definition": aspect.definition}
            for aspect in criterion.aspects
        ],
        "dimensions": list(criterion.dimensions) if criterion.dimensions is not None else None,
        "required": criterion.required,
        "show_if": {name: list(values) for name, values in criterion.show_if.items()},
        "skip": {"label": criterion.skip.label, "reasons": [_choice(reason) for reason in criterion.skip.reasons]}
        if criterion.skip
        else None,
    }


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")


def guideline_html(markdown: str) -> str:
    """Return the guideline as HTML. Its text can add no markup and make no browser fetch anything."""
    return str(_markdown.render(markdown))


# ---- changing part -------------------------------------------------------------------------------------------------


def task_page(
    *,
    person: Person,
    csrf: str,
    static: Json,
    schema: Schema,
    task: TaskView,
    progress: Progress,
    prefetch: Sequence[str] | None = None,
    earlier: Sequence[str] = (),
    to_write: int | None = None,
    upcoming: TaskView | None = None,
    have: str | None = None,
    notes: Sequence[str] = (),
    now: datetime | None = None,
) -> Json:
    """Return the page of one claimed task.

    Parameters
    ----------
    have
        The hash of the static part that this browser already has.
    prefetch
        Media to fetch ahead. None: the browser continues with its earlier list.
    upcoming
        The task after this one. The browser keeps it until this one is submitted.
    notes
        What extensions say on top of the page.
    """
    return {
        **_frame("task", person=person, csrf=csrf, static=static, progress=progress, have=have, notes=notes, now=now),
        "task": task_part(schema, task),
        "prefetch": None if prefetch is None else list(prefetch),
        "earlier": list(earlier),
        "to_write": to_write,
        "upcoming": None if upcoming is None else task_part(schema, upcoming),
    }


def pool_page(
    *,
    person: Person,
    csrf: str,
    static: Json,
    progress: Progress,
    dimensions: Sequence[Mapping[str, Any]] | None,
    dimension: str,
    assets: Sequence[AssetView],
    total: int,
    after: str | None = None,
    have: str | None = None,
    notes: Sequence[str] = (),
    now: datetime | None = None,
) -> Json:
    """Return the page of the image pool: thumbnails for one dimension, and the need of each dimension.

    Without ``dimensions``, the browser continues with the needs that it knows.
    """
    return {
        **_frame("pool", person=person, csrf=csrf, static=static, progress=progress, have=have, notes=notes, now=now),
        "pool": {
            "dimensions": None if dimensions is None else [dict(row) for row in dimensions],
            "dimension": dimension,
            "assets": [_asset(asset) for asset in assets],
            "total": total,
            "after": after,
        },
    }


def nothing_page(
    *,
    person: Person,
    csrf: str,
    static: Json,
    progress: Progress,
    nothing: NoTask,
    have: str | None = None,
    notes: Sequence[str] = (),
    now: datetime | None = None,
) -> Json:
    """Return the page for a person without a task: the reason and the one next step."""
    return {
        **_frame(
            "nothing", person=person, csrf=csrf, static=static, progress=progress, have=have, notes=notes, now=now
        ),
        "nothing": {"code": nothing.code, "sentence": nothing.sentence},
    }


def _frame(
    view: str,
    *,
    person: Person,
    csrf: str,
    static: Json,
    progress: Progress,
    have: str | None,
    notes: Sequence[str],
    now: datetime | None,
) -> Json:
    return {
        "view": view,
        "person": person.id,
        "csrf": csrf,
        "static_hash": static["hash"],
        "static": None if have == static["hash"] else static,
        "progress": {
            "done": progress.mine_done,
            "left": progress.mine_left,
            "kept": progress.kept,
            "decided": progress.decided,
        },
        "notes": list(notes),
        "now": instant(now or datetime.now(UTC)),
    }


def task_part(schema: Schema, task: TaskView) -> Json:
    """Return the task, with only the fields that its stage shows."""
    names = [field.name for field in shown_fields(schema, task.stage)]
    fields = {name: task.fields[name] for name in names if name in task.fields}
    options = {
        criterion.name: in_language(schema, [_choice(choice) for choice in options_of(criterion, task.fields)])
        for criterion in (*criteria_of(schema, task.stage), *_vote_criteria(schema, task))
        if criterion.field is not None
    }
    return {
        "id": task.id,
        "item": task.item,
        "dimension": task.dimension,
        "revision": task.revision,
        "fields": fields,
        "assets": _described(schema, task.assets, fields),
        "options": options,
        "plans": _plans(schema, task),
        "lease_until": instant(task.lease_until),
        "draft": _draft(task.draft),
        "postponed": task.postponed,
        "correction": {"changed": task.correction.changed} if task.correction else None,
        "proposed": task.proposed,
        "answer": task.answer,
        "answers": list(task.answers) if task.answers else None,
        "place": list(task.place) if task.place else None,
        "votes": [_vote(vote) for vote in task.votes],
        "vote_criteria": [criterion.name for criterion in _vote_criteria(schema, task)],
        "history": list(task.history),
        "news": _news(task.news),
    }


def _news(news: GuidelineNews | None) -> Json | None:
    if news is None:
        return None
    return {"number": news.number, "why": news.why, "changes": [list(line) for line in news.changes]}


def _vote_criteria(schema: Schema, task: TaskView) -> tuple[Criterion, ...]:
    return criteria_of(schema, task.settles) if task.settles is not None else ()


def _plans(schema: Schema, task: TaskView) -> Json:
    """Return the parsed steps of each plan that a criterion is about."""
    texts = {**task.fields, PREDICTION: task.answer}
    plans = {
        criterion.name: kinds.of_criterion(criterion).page_of_item(criterion, texts)
        for criterion in criteria_of(schema, task.stage)
    }
    return {name: plan for name, plan in plans.items() if plan is not None}


def _described(schema: Schema, assets: Sequence[AssetView], fields: Mapping[str, Any]) -> list[Json]:
    """Return the media of an item with their descriptions from the page's fields."""
    described = {slot.role: slot.alt for slot in schema.item.assets if slot.alt is not None}
    before: Counter[str] = Counter()
    media = []
    for asset in assets:
        alt_text = fields.get(described.get(asset.role, ""))
        at, before[asset.role] = before[asset.role], before[asset.role] + 1
        text = (alt_text[at] if at < len(alt_text) else None) if isinstance(alt_text, list | tuple) else alt_text
        media.append(_asset(asset, alt=text if isinstance(text, str) and text.strip() else None))
    return media


def _asset(asset: AssetView, *, alt: str | None = None) -> Json:
    return {
        "id": asset.id,
        "role": asset.role,
        "title": as_words(asset.role),
        "alt": alt,
        "kind": asset.kind,
        "missing": asset.missing,
        "width": asset.width,
        "height": asset.height,
        "group": [_asset(other) for other in asset.group],
    }


def _vote(vote: VoteView) -> Json:
    return {"label": vote.label, "values": dict(vote.values), "reasons": dict(vote.reasons), "note": vote.note}


def _draft(draft: Draft | None) -> Json | None:
    if draft is None:
        return None
    return {"seq": draft.seq, "values": dict(draft.values), "saved_at": instant(draft.saved_at)}


def instant(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC. A time without a zone is in UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds")
