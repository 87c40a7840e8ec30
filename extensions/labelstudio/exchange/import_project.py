"""Import a project of Label Studio from its own JSON: items with media, ratings and models' answers, all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.formats import FORMATS, Names
from db import files, item_revisions
from db.engine import IntegrityError, Session, Store
from domain import json_layout
from domain.errors import ConflictError, InvalidFileError, InvalidMediaError
from domain.rated_units import unit_of
from domain.records import AssetName, BadRow, ItemRecord, Person, Rating
from domain.states import RatersAre
from extensions.labelstudio.import_file import OutsideRating, ReadProject
from extensions.labelstudio.names import FORMAT, SAME
from importers.media_files import MediaFolder
from importers.readers import reader_of
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.annotate.authoring import NewItem, add_items
from workflow.files.import_answers import take_answers
from workflow.files.item_media import MediaRequest, asset_name, count_without_media, save_assets, stored_media
from workflow.files.one_import import Import, ImportSummary, Progress
from workflow.results.ratings_from_files import take_ratings

if TYPE_CHECKING:
    from media.store import MediaStore, StoredMedia


@dataclass(frozen=True)
class ImportedLabelStudio:
    """The result of an import."""

    imported: ImportSummary
    skipped: int = 0
    """Number of annotations in which a person skipped the task."""
    earlier: int = 0
    """Number of annotations and predictions that a later one of the same rater or model replaces."""
    numbers: int = 0
    """Number of predictions of which the file has only their ids."""


def import_label_studio(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    path: Path,
    names: Names = SAME,
    format: str = FORMAT,
    media_dir: Path | None = None,
    dimension: str | None = None,
    skip_bad: bool = False,
    raters: RatersAre | None = None,
    progress: Progress | None = None,
) -> ImportedLabelStudio:
    """Import a file into a project, whatever format the project's own files have. All of it or nothing.

    ``raters`` says whether the annotators are people or machines. With None, a rater with an account there
    (``completed_by``) is a person, unless someone has decided otherwise for that name. Other raters, and those in our
    own exports, keep their known kind. Unknown raters are machines.

    The same file again adds nothing. A later export of the same project adds the new parts. ``by`` None is the command
    on the machine itself.

    Raises
    ------
    InvalidFileError
        Something is invalid; nothing was imported. With ``skip_bad``, invalid tasks, annotations and predictions are
        left out instead.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    on = progress or (lambda what, done, total: None)
    bring = Import(store, media, access, by, project, path, dimension, skip_bad, on)
    read: ReadProject = reader_of(FORMATS[format])(path, schema=access.schema, names=names, dimension=dimension)
    bring.refuse(read.bad)
    wanted = _wanted(read, bring, MediaFolder(media_dir) if media_dir else None)
    with store.read() as session:
        have = files.asset_ids(session, project_id=access.project_id, names=list(wanted))
    lacking = {name: want for name, want in wanted.items() if not have.get(name, (0, None))[1]} if media_dir else {}
    bad = list(read.bad)
    stored: dict[str, StoredMedia] = {}
    for name, stored_file in stored_media(bring, lacking):
        if isinstance(stored_file, BadRow):
            bad.append(stored_file)
        else:
            stored[name] = stored_file
    bring.refuse(bad)
    try:
        with store.write() as session:
            done = _save(session, bring, format, read, wanted, stored, bad, raters)
    except IntegrityError as error:
        raise ConflictError("Another import into this project has just finished. Import again.") from error
    return ImportedLabelStudio(done, read.skipped, read.earlier, read.numbers)


def _wanted(read: ReadProject, bring: Import, folder: MediaFolder | None) -> dict[str, MediaRequest]:
    """Return the media of all items, by their names in the project."""
    kinds = {slot.role: slot.kind for slot in bring.access.schema.item.assets}
    media_requests: dict[str, MediaRequest] = {}
    for item in read.items:
        here = BadRow(read.name, (item.position or 0) + 1, "", item.fragment.raw if item.fragment else "")
        for asset in item.assets:
            find = _finder(folder, asset, kinds[asset.role])
            name = asset_name(item, asset)
            place = partial(_file, folder, asset)
            media_requests.setdefault(name, MediaRequest(name, asset.role, kinds[asset.role], None, find, here, place))
    return media_requests


def _file(folder: MediaFolder | None, asset: AssetName) -> Path | None:
    """Return the file that a task names. Raise ``InvalidMediaError`` if several files match."""
    places = folder.closest(asset.path) if folder else []
    if len(places) > 1:
        named = ", ".join(str(place) for place in places[:3])
        raise InvalidMediaError(
            f"several files match {asset.path} ({named}). Keep only one of these files, or move the right file "
            "to this path"
        )
    return places[0] if places else None


def _finder(folder: MediaFolder | None, asset: AssetName, kind: str) -> Callable[[Path], Path | None]:
    def find(work: Path) -> Path | None:
        file = _file(folder, asset)
        if file and kind == "clip":
            from media import clips

            return clips.as_stored(file, out=work / "clip.webm")
        return file

    return find


def _save(
    session: Session,
    bring: Import,
    format: str,
    read: ReadProject,
    wanted: Mapping[str, MediaRequest],
    stored: Mapping[str, StoredMedia],
    bad: list[BadRow],
    raters: RatersAre | None,
) -> ImportSummary:
    new = _new_items(session, bring, read)
    assets = save_assets(bring, session, wanted, stored)
    now, project_id = bring.store.now(), bring.access.project_id
    if new:
        file_id = files.add_file(
            session,
            project_id=project_id,
            path=_free_path(session, project_id, read.name),
            format=format,
            meta={"format": format, "sha256": read.sha256},
            now=now,
        )
        add_items(
            session,
            access=bring.access,
            new=[_new_item(item, file_id, assets) for item in new],
            now=now,
            person_id=bring.by_id,
        )
    if new or stored:
        data = {"format": format, "items": len(new), "media": len(stored), "left_out": len(bad)}
        log(session, "items.imported", by=bring.by_id, project=project_id, now=now, data=data)
    answers = ImportSummary()
    if read.predictions:
        answers = take_answers(bring, session, read.predictions, {read.name: read.sha256}, bad)
    unsigned = {rating.rater for rating, _ in read.ratings if not rating.signed}
    taken = take_ratings(
        session,
        bring.store,
        bring.access,
        by=bring.by,
        rows=[(_rating(rating), here) for rating, here in read.ratings],
        bad=bad,
        refuse=bring.refuse,
        file=read.name,
        raters=raters,
        human={rating.rater for rating, _ in read.ratings} - unsigned,
    )
    have = files.asset_ids(session, project_id=project_id, names=list(wanted))
    missing = [name for name in wanted if not have.get(name, (0, None))[1]]
    return ImportSummary(
        items=len(new),
        predictions=answers.predictions,
        ratings=taken.new,
        repeated=len(read.items) - len(new) + answers.repeated + taken.repeated,
        assets_found=len(wanted) - len(missing),
        assets_missing=len(missing),
        without_media=count_without_media(read.items, missing),
        bad=tuple(bad),
        unanswered=answers.unanswered,
        instead=answers.instead,
        raters=tuple(taken.raters),
    )


def _rating(found: OutsideRating) -> Rating:
    return Rating(unit_of(found.item, found.model), found.rater, found.criterion, found.value, found.dimension)


def _new_items(session: Session, bring: Import, read: ReadProject) -> list[ItemRecord]:
    """Return the items that are new to the project.

    Raise ``InvalidFileError`` if an existing item has other content.
    """
    project_id = bring.access.project_id
    there = files.items_named(session, project_id=project_id, external_ids=[item.external_id for item in read.items])
    content = item_revisions.current_content(session, project_id=project_id) if there else {}
    for item in read.items:
        row = there.get(item.external_id)
        if row is None:
            continue
        as_it_came = (
            row.fragment_raw is not None and item.fragment is not None and row.fragment_raw == item.fragment.raw
        )
        if row.dimension != item.dimension or not (
            as_it_came or json_layout.same(dict(content[row.id]), dict(item.fields))
        ):
            raise InvalidFileError(
                f"{read.name}, row {(item.position or 0) + 1}: the item {item.external_id!r} is already in this "
                "project with other content. Nothing was imported. Choose the key that contains item IDs with --set "
                "fields.item_id=KEY, or import the file into another project."
            )
    return [item for item in read.items if item.external_id not in there]


def _new_item(item: ItemRecord, file_id: int, assets: Mapping[str, int]) -> NewItem:
    return NewItem(
        external_id=item.external_id,
        dimension=item.dimension,
        fields=item.fields,
        assets=[(asset.role, assets[asset_name(item, asset)]) for asset in item.assets],
        file_id=file_id,
        position=item.position,
        fragment_lead="",
        fragment_raw=item.fragment.raw if item.fragment else None,
    )


def _free_path(session: Session, project_id: int, name: str) -> str:
    """Return a name that no imported file of the project has, because a later export has the same name."""
    taken = {file.path for file in files.files(session, project_id=project_id)}
    path = Path(name)
    numbered = (f"{path.stem} ({number}){path.suffix}" for number in range(2, 1_000_000))
    return next(path for path in chain([name], numbered) if path not in taken)
