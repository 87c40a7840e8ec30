"""Files of a benchmark's own format inside a release: each item at its revision in it, each split by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation_schemas.formats import Content, Format
from annotation_schemas.keys import options_field
from annotation_schemas.model import Schema
from db import releases
from db.engine import Session
from domain.records import ItemRecord
from exporters.release_folder import ReleaseFolder
from workflow.files.items_going_out import ItemsOut, project_items, without_bare
from workflow.files.release import writer_of
from workflow.releases.contents import Contents


def write(session: Session, contents: Contents, row: Format, folder: ReleaseFolder) -> None:
    """Write the files of a format below a folder of its name; of several splits each has a folder there."""
    schema = contents.access.schema
    state = _as_released(session, contents, project_items(session, contents.access, row.keys))
    names = {each.id: each.external_id for each in state.rows}
    splits = dict.fromkeys(each.split for each in contents.placed)
    for split in splits:
        only = frozenset(names[each.item_id] for each in contents.placed if each.split == split)
        without = contents.withheld.get(split, ())
        for path, data in _written(schema, row, state, only, without).items():
            place = f"{row.name}/{path}" if len(splits) == 1 else f"{row.name}/{split}/{path}"
            with folder.open(place) as out:
                out.write(data)


def _written(
    schema: Schema, row: Format, state: ItemsOut, only: frozenset[str], without: Sequence[str]
) -> Mapping[str, bytes]:
    def bare(item: ItemRecord) -> ItemRecord:
        fields = {name: value for name, value in item.fields.items() if name not in without}
        return replace(item, fields=fields) if without else item

    items = [bare(item) for file in state.files for item in file.items if item.external_id in only]
    content = Content(
        schema,
        row.name,
        items=items,
        files=state.files,
        only=only,
        without=tuple(without),
        options=options_field(schema),
    )
    return without_bare(writer_of(row)(content), state, only)


def _as_released(session: Session, contents: Contents, state: ItemsOut) -> ItemsOut:
    """The files with every item at the revision that is released: it may have been edited since."""
    ids = {each.external_id: each.id for each in state.rows}
    now = {each.id: each.current_revision for each in state.rows}
    frozen = {each.item_id: each.revision for each in contents.placed if now.get(each.item_id) != each.revision}
    if not frozen:
        return state
    fields = releases.contents(session, project_id=contents.access.project_id, revisions=frozen)

    def back(item: ItemRecord) -> ItemRecord:
        then = fields.get(ids[item.external_id])
        return item if then is None else replace(item, fields=then, touched=True)

    files = [replace(file, items=[back(item) for item in file.items]) for file in state.files]
    return ItemsOut(state.rows, files, state.single, state.assets)
