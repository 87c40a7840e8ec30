"""A small project with pictures, of which everything is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlmodel import select

from annotation_schemas.model import LoadedSchema
from db import assets, projects
from db.engine import Store
from db.tables import AssetRow, ItemAssetRow, ItemRow
from media.store import MediaStore
from testkit.factories import make_fields, make_people, make_project, make_schema, vote
from testkit.pictures import encoded, photo
from workflow.access.projects import access_to
from workflow.annotate import authoring


@dataclass(frozen=True)
class One:
    """An item: what it is called, its dimension, question, source, and the seed of its picture."""

    name: str
    dimension: str = "colour"
    question: str = ""
    source: str | None = None
    picture: int | bytes | None = None


def add(store: Store, media: MediaStore, items: Sequence[One], *, start: int = 0) -> None:
    """Bring in more items, with their pictures."""
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = [
            authoring.NewItem(each.name, each.dimension, make_fields(question=each.question or f"{each.name}?"))
            for each in items
        ]
        ids = authoring.add_items(session, access=access, new=new, now=store.now())
        for at, (id, each) in enumerate(zip(ids, items, strict=True)):
            if each.picture is None and each.source is None:
                continue
            given = each.picture if each.picture is not None else start + at
            data = given if isinstance(given, bytes) else encoded(photo(96, 72, seed=given))
            stored = media.add(data, name=f"{each.name}.png")
            assets.put_media(session, row={**asdict(stored), "created_at": store.now()})
            source = assets.source_id(session, project_id=access.project_id, name=each.source) if each.source else None
            row = AssetRow(
                project_id=access.project_id,
                sha256=stored.sha256,
                name=f"{each.name}.png",
                kind="image",
                source_id=source,
                created_at=store.now(),
            )
            session.add(row)
            session.flush()
            session.add(ItemAssetRow(item_id=id, asset_id=row.id, role="image", position=0))


def keep(store: Store, *logins: str) -> None:
    """Everyone says red of everything, which is the key."""
    known = {person.login: person for person in make_people(store, *logins)}
    with store.read() as session:
        n = len(session.exec(select(ItemRow.id).where(ItemRow.state == "in_verification")).all())
    for person in known.values():
        for _ in range(n):
            vote(store, person)


def pictured(store: Store, media: MediaStore, items: Sequence[One], *, loaded: LoadedSchema | None = None) -> Store:
    """The project ``p`` of these items, all kept by ann and bob."""
    make_project(store, loaded=loaded or make_schema(adjudication=False))
    add(store, media, items)
    keep(store, "ann", "bob")
    return store


def names(store: Store) -> Mapping[int, str]:
    """The items by their ids."""
    with store.read() as session:
        row = projects.by_name(session, name="p")
        assert row is not None
        return {each.id: each.external_id for each in session.exec(select(ItemRow)) if each.project_id == row.id}
