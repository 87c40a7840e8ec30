"""Items that ask the same of the same media and options, with keys that contradict each other."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.expected_answers import asked_of, key_of, plain
from annotation_schemas.formats import ItemKeys
from annotation_schemas.keys import key_field, key_fields, options_field
from annotation_schemas.model import Schema
from db import item_revisions, items, releases
from db.engine import Session
from domain.reading.answers import AnswerKind
from domain.records import FileRecord
from workflow.files.item_media import asset_name

_SHOWN = 5


@dataclass(frozen=True)
class _ComparedItem:
    """The compared facts of an item."""

    name: str
    asked: str
    key: str
    media: Callable[[], tuple[str, ...]]


def contradicting_keys(
    session: Session, schema: Schema, keys: ItemKeys, files: Sequence[FileRecord], *, project_id: int
) -> list[str]:
    """Return a warning with pairs of items that have the same question, options and media but different keys, within
    these files or against the project.

    Texts are compared as `touchstone duplicate list` compares them: without case, white space and a full stop at the
    end.
    """
    if key_field(schema) is None:
        return []
    form = _Form(schema, keys)
    by_asked: dict[str, list[_ComparedItem]] = defaultdict(list)
    for file in _of_files(form, files):
        by_asked[file.asked].append(file)
    if not by_asked:
        return []
    names = {item.name for same in by_asked.values() for item in same}
    for item in _of_project(session, form, project_id):
        if item.asked in by_asked and item.name not in names:
            by_asked[item.asked].append(item)
    pairs = [pair for same in by_asked.values() for pair in _pairs(same)]
    if not pairs:
        return []
    shown = "; ".join(f"{one.name} ({one.key}) and {other.name} ({other.key})" for one, other in pairs[:_SHOWN])
    more = f"; and {len(pairs) - _SHOWN:,} more" if len(pairs) > _SHOWN else ""
    n = "1 pair of items has" if len(pairs) == 1 else f"{len(pairs):,} pairs of items have"
    return [f"{n} the same question, options and media, but different keys: {shown}{more}."]


def _pairs(same: Sequence[_ComparedItem]) -> Iterator[tuple[_ComparedItem, _ComparedItem]]:
    """Yield the first item of each media with each item that contradicts it."""
    if len({item.key for item in same}) < 2:
        return
    first: dict[tuple[str, ...], _ComparedItem] = {}
    for item in same:
        before = first.setdefault(item.media(), item)
        if before.key != item.key:
            yield before, item


class _Form:
    """The question and the key of an item in their compared form."""

    def __init__(self, schema: Schema, keys: ItemKeys) -> None:
        self._schema, self._keys = schema, keys
        self._key, self._options = key_field(schema) or "", options_field(schema)
        secret = key_fields(schema)
        texts = [field.name for field in schema.item.fields if field.name not in secret and field.name != self._options]
        self._texts = ["question"] if "question" in texts else texts
        self._shown = [
            field.name
            for field in schema.item.fields
            if field.name in texts and (kinds.of_field(field).timed or kinds.of_field(field).drawn or field.unit)
        ]

    def of(self, fields: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the question and the key; None if either is missing."""
        texts = [plain(str(fields[name])) for name in self._texts if fields.get(name)]
        asked = asked_of(self._schema, fields)
        key, _ = key_of(fields.get(self._key), asked)
        if not any(texts) or key is None:
            return None
        moments = self._keys.moments(fields)
        about = [texts, sorted(map(plain, asked.options)), [fields.get(name) for name in self._shown], str(moments)]
        stated_key = sorted(map(plain, key)) if asked.kind is AnswerKind.MULTI else key
        shown = (
            [plain(option) if isinstance(option, str) else option for option in stated_key]
            if isinstance(stated_key, list)
            else stated_key
        )
        shown = plain(shown) if isinstance(shown, str) else shown
        return json.dumps(about, sort_keys=True, default=str), json.dumps(shown, ensure_ascii=False).strip("[]")


def _of_files(form: _Form, files: Iterable[FileRecord]) -> Iterator[_ComparedItem]:
    for file in files:
        for item in file.items:
            if (question_and_key := form.of(item.fields)) is not None:
                media = tuple(sorted(asset_name(item, asset) for asset in item.assets))
                yield _ComparedItem(item.external_id, *question_and_key, partial(tuple, media))


def _of_project(session: Session, form: _Form, project_id: int) -> Iterator[_ComparedItem]:
    names = {row.id: row.external_id for row in items.outgoing(session, project_id=project_id)}

    def media(id: int) -> tuple[str, ...]:
        return tuple(sorted(asset.name for asset in releases.assets(session, item_ids=[id])))

    for id, fields in item_revisions.current_content(session, project_id=project_id).items() if names else ():
        if id in names and (question_and_key := form.of(fields)) is not None:
            yield _ComparedItem(names[id], *question_and_key, partial(media, id))
