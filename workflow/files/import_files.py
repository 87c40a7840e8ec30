"""Files come in: annotation files with their media, models' answers, ratings. One transaction each: all or nothing."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas import kinds, registry, source_media
from annotation_schemas.formats import FORMATS, ItemKeys, Moments, Takes, item_keys
from db import assets, events, files, items, run_chunks, runs, task_slots
from db.engine import IntegrityError, Session, Store
from db.readings import Ended
from db.records import StoredItem
from db.types import public_id
from domain.errors import Conflict, FileRefused, MediaRefused, ModelRefused
from domain.records import AssetName, BadRow, FileRecord, ItemRecord, Person, PredictionRecord
from domain.runs import ANSWERS, Outcome, RunKind, RunState
from domain.states import RatersAre
from importers.items import prefixed, read_items, refusal
from importers.media_files import MediaFolder
from importers.predictions import read_predictions
from workflow.access.projects import Access, require_lead
from workflow.annotate import answer_readings
from workflow.annotate.answer_readings import NewAnswer
from workflow.annotate.authoring import NewItem, add_items
from workflow.annotate.grading import open_grading
from workflow.results.file_raters import FileRater
from workflow.results.ratings import bring_in_ratings
from workflow.runs.tool_results import bring_in_tool_results

if TYPE_CHECKING:
    from inference.spec import ModelSpec
    from media.store import MediaStore, StoredMedia

Progress = Callable[[str, int, int], None]
"""Called with what is going on ("reading", "media", "saving"), how much of it is done, and how much there is."""

_SAME_MOMENT = 1e-6
"""Seconds; moments this close are one."""
_FILLED_AT_ONCE = 20
"""So many media of items that are there already are saved together."""

_OTHERWISE = "{} has answered this item already, in other words"


@dataclass(frozen=True)
class Imported:
    """What an import came to."""

    items: int = 0
    predictions: int = 0
    ratings: int = 0
    tool_results: int = 0
    repeated: int = 0
    """Rows that were there already, word for word."""
    assets_found: int = 0
    assets_missing: int = 0
    bad: Sequence[BadRow] = ()
    """Left out, because bad rows were to be skipped."""
    unanswered: Mapping[Outcome, int] = field(default_factory=dict)
    """Rows that say that there is no answer, by what became of asking."""
    note: str | None = field(default=None, compare=False)
    """What the schema asks to be told of the files."""
    raters: Sequence[FileRater] = field(default=(), compare=False)
    """Who the raters of the file are now; nothing that came in."""


def import_files(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    format: str,
    path: Path,
    media_dir: Path | None = None,
    dimension: str | None = None,
    skip_bad: bool = False,
    model: str | None = None,
    spec: ModelSpec | None = None,
    raters: RatersAre | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Take a file, or all files below a folder, into a project.

    What is there already, word for word, is counted and left; media that were missing are filled in.

    Parameters
    ----------
    by
        None is the command on the machine itself.
    model
        Who gave the answers, instead of whoever the files say it was.
    spec
        The same, with all that is known about how it was asked: a description with the adapter ``file``.
    raters
        Of ratings: who gave them; None: as it is known of each name, else machines.

    Raises
    ------
    FileRefused
        Something does not fit; nothing was taken. With ``skip_bad`` rows that do not fit are left out instead.
    """
    registry.require_row("format", format)
    row = FORMATS[format]
    if row.takes in ALONE:
        raise FileRefused(ALONE[row.takes].format(project=project, format=format))
    if (model or spec) and row.takes is not Takes.ANSWERS:
        raise FileRefused(f"Only answers have a model; {format} are imported without one.")
    if raters is not None and row.takes is not Takes.RATINGS:
        raise FileRefused(f"Only ratings have raters; {format} are imported without saying who they are.")
    if spec is not None and spec.adapter != "file":
        raise ModelRefused(
            f"{spec.name} is asked here (adapter `{spec.adapter}`): touchstone run model. "
            "Answers that come as a file have a description with `adapter: file`."
        )
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    on = progress or (lambda what, done, total: None)
    bring = Bring(store, media, access, by, project, path, dimension, skip_bad, on, model, spec)
    if row.reads is not None and row.takes is Takes.ANSWERS:
        return bring.predictions()
    if row.reads is not None and row.takes is Takes.RATINGS:
        done = bring_in_ratings(store, by=by, project=project, path=path, refuse=bring.refuse, raters=raters)
        return Imported(ratings=done.new, repeated=done.repeated, bad=tuple(done.bad), raters=tuple(done.raters))
    if row.reads is not None and row.takes is Takes.RESULTS:
        results, repeated, bad = bring_in_tool_results(store, by=by, project=project, path=path, refuse=bring.refuse)
        return Imported(tool_results=results, repeated=repeated, bad=tuple(bad))
    own = access.schema.source.format if access.schema.source else None
    if row.keys is None or format != own:
        raise FileRefused(
            f"{access.title} reads {own or 'no annotation files'}, not {format}. "
            "Make a project with the schema of those files."
        )
    return bring.items(row.keys, MediaFolder(media_dir) if media_dir else None)


ALONE = {
    Takes.TASKS: "A project of Label Studio is brought in by itself: `touchstone import {project} {format} FILE`.",
    Takes.REPLIES: "Judges' replies are brought in by themselves: "
    "`touchstone import {project} {format} FILE --template TEMPLATE`.",
}
"""What is brought in otherwise."""


@dataclass(frozen=True)
class _Placed:
    """A file with the names that its items have in the project, and which of them are there already."""

    file: FileRecord
    there: Mapping[str, int]
    """Item ids by external id."""

    @property
    def repeated(self) -> bool:
        return bool(self.there) or not self.file.items


@dataclass(frozen=True)
class Wanted:
    """A medium that an item names."""

    asset: str
    """The asset's name in the project."""
    role: str
    kind: str
    source: str | None
    find: Callable[[Path], Path | None]
    """From a folder for what has to be cut, to the file."""
    named_in: BadRow
    """Where a file names it first."""


@dataclass(frozen=True)
class _Answer:
    """An answer out of a file, with the item it is about."""

    item_id: int
    dimension: str
    answer: PredictionRecord
    here: BadRow
    """Where it stood."""


@dataclass
class Bring:
    """One import on its way."""

    store: Store
    media: MediaStore
    access: Access
    by: Person | None
    project: str
    path: Path
    dimension: str | None
    skip_bad: bool
    on: Progress
    model: str | None = None
    spec: ModelSpec | None = None
    _observed: tuple[str, Path] | None = field(default=None, init=False)
    """The item and the video whose observation was written beside the clip that was cut last."""

    @property
    def by_id(self) -> int | None:
        return self.by.id if self.by else None

    def refuse(self, bad: Sequence[BadRow]) -> None:
        """Refuse the whole import if a row is bad, unless bad rows are to be skipped."""
        if not bad or self.skip_bad:
            return
        raise refusal(bad)

    # ---- items ------------------------------------------------------------------------------------------------------

    def items(self, row: ItemKeys, folder: MediaFolder | None) -> Imported:
        read = read_items(
            self.path,
            format=row.name,
            schema=self.access.schema,
            dimension=self.dimension,
            progress=lambda done, total: self.on("reading", done, total),
        )
        self.refuse(read.bad)
        with self.store.read() as session:
            placed = [self._placed(session, file, single=read.single) for file in read.files]
            wanted = self._wanted(row, [each.file for each in placed], folder)
            have = files.asset_ids(session, project_id=self.access.project_id, names=list(wanted))
        lacking = {name: want for name, want in wanted.items() if not have.get(name, (0, None))[1]} if folder else {}
        bad = list(read.bad)
        stored: dict[str, StoredMedia] = {}
        filling = all(each.repeated for each in placed)
        for name, found in self.stored(lacking):
            if isinstance(found, BadRow):
                bad.append(found)
                continue
            stored[name] = found
            if filling and len(stored) >= _FILLED_AT_ONCE:  # long work: what is done stays done if it is stopped
                with self.store.write() as session:
                    self.save_assets(session, wanted, stored)
                stored.clear()
        if filling and len(bad) > len(read.bad) and not self.skip_bad:
            with self.store.write() as session:
                self.save_assets(session, wanted, stored)
            raise refusal(bad, "The other media are in; mend these and import again.")
        bad += self._outside([each.file for each in placed if not each.repeated], stored)
        self.refuse(bad)
        try:
            with self.store.write() as session:
                if placed != [self._placed(session, file, single=read.single) for file in read.files]:
                    raise Conflict("Somebody else has imported into this project just now. Import again.")
                return self._save(session, row, placed, wanted, stored, bad)
        except IntegrityError as error:
            raise Conflict("Somebody else has imported into this project just now. Import again.") from error

    def _outside(self, found: Sequence[FileRecord], stored: Mapping[str, StoredMedia]) -> Iterator[BadRow]:
        """Items with a segment that begins where their clip, whose length is known by now, has ended already."""
        timed = [each.name for each in self.access.schema.item.fields if kinds.of_field(each).timed]
        for file in found:
            for item in file.items:
                ends = [
                    stored[name].duration for name in (asset_name(item, each) for each in item.assets) if name in stored
                ]
                last = max((end for end in ends if end is not None), default=None)
                starts = [part.get("start") for name in timed for part in item.fields.get(name) or ()]
                late = [at for at, start in enumerate(starts, 1) if last and start is not None and start > last]
                if late:
                    raw = item.fragment.raw if item.fragment else ""
                    why = f"segment {late[0]} begins at {starts[late[0] - 1]:g} s, and the clip has {last:g} s"
                    yield BadRow(file.path, (item.position or 0) + 1, why, raw)

    def _placed(self, session: Session, file: FileRecord, *, single: bool) -> _Placed:
        """The file as it will stand in the project. A single file puts its name before ids that another file has."""
        there = self._there(session, file)
        same_path = self._file_at(session, file.path)
        if not there and not same_path:
            return _Placed(file, {})
        if there and _identical(file, there):
            return _Placed(file, _ids(there))
        if single:
            told_apart = self._told_apart(file)
            there_apart = self._there(session, told_apart)
            if there_apart and _identical(told_apart, there_apart):
                return _Placed(told_apart, _ids(there_apart))
            if (
                not there_apart
                and not self._file_at(session, told_apart.path)
                and not self._same_place(session, file, there)
            ):
                return _Placed(told_apart, {})
        raise FileRefused(_taken(file, there))

    def _there(self, session: Session, file: FileRecord) -> dict[str, StoredItem]:
        names = [item.external_id for item in file.items]
        return files.items_named(session, project_id=self.access.project_id, external_ids=names)

    def _file_at(self, session: Session, path: str) -> bool:
        return any(known.path == path for known in files.files(session, project_id=self.access.project_id))

    def _told_apart(self, file: FileRecord) -> FileRecord:
        row = item_keys(file.meta["format"])
        if row.by_folder and file.items:
            part = self.access.schema.dimension(file.items[0].dimension)
            folder = part.folder or part.id
            return replace(prefixed(file, folder), path=f"{folder}/{file.path}")
        return prefixed(file, file.path.rpartition(".")[0] or file.path)

    def _same_place(self, session: Session, file: FileRecord, there: Mapping[str, StoredItem]) -> bool:
        """Whether these ids are those of an earlier state of this very file."""
        paths = {known.id: known.path for known in files.files(session, project_id=self.access.project_id)}
        dimensions = {item.external_id: item.dimension for item in file.items}
        return any(
            paths.get(row.file_id or 0) == file.path and row.dimension == dimensions[name]
            for name, row in there.items()
        )

    # ---- media ------------------------------------------------------------------------------------------------------

    def _wanted(self, row: ItemKeys, found: Sequence[FileRecord], folder: MediaFolder | None) -> dict[str, Wanted]:
        """The media of all items, by the names that they have in the project."""
        users: dict[str, set[str]] = defaultdict(set)
        for file in found:
            for item in file.items:
                for asset in item.assets:
                    users[asset.path].add(_above(file.path))
        wanted: dict[str, Wanted] = {}
        kinds = {slot.role: slot.kind for slot in self.access.schema.item.assets}
        for file in found:
            for item in file.items:
                for asset in item.assets:
                    alone = len(users[asset.path]) == 1
                    find = self._finder(folder, _above(file.path), item, asset, kinds[asset.role], alone=alone, row=row)
                    name = asset_name(item, asset)
                    here = BadRow(file.path, (item.position or 0) + 1, "", item.fragment.raw if item.fragment else "")
                    wanted.setdefault(name, Wanted(name, asset.role, kinds[asset.role], asset.source, find, here))
        return wanted

    def _finder(
        self,
        folder: MediaFolder | None,
        above: str,
        item: ItemRecord,
        asset: AssetName,
        kind: str,
        *,
        alone: bool,
        row: ItemKeys,
    ) -> Callable[[Path], Path | None]:
        def find(work: Path) -> Path | None:
            if folder is None:
                return None
            own = self.access.schema.dimension(item.dimension).folder or ""
            around = [name for name in (above, own) if name] + ([""] if alone or not above else [])
            places = [f"{name}/{inner}".strip("/") for name in around for inner in ("", "images", "imgs")]
            found = folder.named(asset.path, folders=places) if asset.path else None
            found = found or folder.of_id(item.external_id, kind)
            if found and kind == "clip" and found.suffix.lower() != ".webm":
                from media import clips

                found = clips.convert(found, out=work / "clip.webm").path
            if found is None and asset.source:
                video = folder.of_video(asset.source)
                found = self._cut(video, item, row.moments(item.fields), kind, work) if video else None
            return found

        return find

    def _cut(self, video: Path, item: ItemRecord, at: Moments, kind: str, work: Path) -> Path | None:
        """The clip that ends with the item's observation, or that observation; None if the item does not say when."""
        from media import clips

        last, action = at.observed, at.action
        before = source_media.number(self.access.schema, source_media.ENDS_BEFORE) or 0
        latest = clips.moment_of(video, index=action) - before if action is not None and action > 0 else None
        if not isinstance(last, int):
            return self._before_action(video, at, kind, work, latest)
        if latest is not None and clips.moment_of(video, index=last) > latest + _SAME_MOMENT:
            raise MediaRefused(
                f"its observation is frame {last}, later than {before:g} s before its action begins at frame {action}"
            )
        observation = work / "observation.png"
        this = (item.external_id, video)
        if kind == "image":
            if self._observed == this:
                return observation
            self._observed = None
            return clips.frame(video, out=observation, index=last).path
        first = next((start for start in at.starts if 0 <= start < last), None)
        if first is None:
            return None
        end = clips.moment_of(video, index=last)
        clip = clips.cut(
            video, out=work / "progress.webm", start=end * first / last, end=end, last_frame=observation
        ).path
        self._observed = this
        return clip

    def _before_action(self, video: Path, moments: Moments, kind: str, work: Path, latest: float | None) -> Path | None:
        """The same of an item that says when the action begins instead of where its observation is."""
        from media import clips

        if latest is None:
            return None
        if latest < 0:
            raise MediaRefused("its action begins too early for the clip to end before it")
        if kind == "image":
            return clips.frame(video, out=work / "observation.png", time=latest).path
        begun = (clips.moment_of(video, index=int(at)) for at in moments.starts if at >= 0)
        first = next((at for at in begun if at < latest), None)
        return clips.cut(video, out=work / "progress.webm", start=first, end=latest).path if first is not None else None

    def stored(self, wanted: Mapping[str, Wanted]) -> Iterator[tuple[str, StoredMedia | BadRow]]:
        """The media that are there, one by one taken into the store, or a bad row for one that the store refuses.

        What comes out of one video comes one after the other: it is looked through once.
        """
        by_source = sorted(wanted.items(), key=lambda each: each[1].source or "")
        with tempfile.TemporaryDirectory(prefix="touchstone-") as work:
            for done, (name, want) in enumerate(by_source, 1):
                try:
                    path = want.find(Path(work))
                    if path is not None:
                        medium = self.media.add(path, name=str(path))
                        if medium.kind != want.kind:
                            raise MediaRefused(f"{path} is not a proper {want.kind}")
                        yield name, medium
                except MediaRefused as error:
                    reason = f"the {want.role} of this item: {str(error).rstrip('.')}"
                    yield name, replace(want.named_in, reason=reason)
                self.on("media", done, len(wanted))

    # ---- saving -----------------------------------------------------------------------------------------------------

    def _save(
        self,
        session: Session,
        row: ItemKeys,
        placed: Sequence[_Placed],
        wanted: Mapping[str, Wanted],
        stored: Mapping[str, StoredMedia],
        bad: Sequence[BadRow],
    ) -> Imported:
        now = self.store.now()
        project_id = self.access.project_id
        asset_ids = self.save_assets(session, wanted, stored)
        total = sum(len(each.file.items) for each in placed)
        new = 0
        for each in placed:
            if each.repeated:
                continue
            file = each.file
            file_id = files.add_file(
                session,
                project_id=project_id,
                path=file.path,
                format=row.name,
                head=file.head,
                tail=file.tail,
                meta=file.meta,
                now=now,
            )
            items = [_new_item(item, file_id, asset_ids) for item in file.items]
            add_items(session, access=self.access, new=items, now=now, person_id=self.by_id)
            new += len(items)
            self.on("saving", new, total)
        have = files.asset_ids(session, project_id=project_id, names=list(wanted))
        found = sum(1 for _, sha256 in have.values() if sha256)
        if new or stored:
            events.record(
                session,
                at=now,
                kind="items.imported",
                project_id=project_id,
                person_id=self.by_id,
                data={"format": row.name, "items": new, "media": len(stored), "left_out": len(bad)},
            )
        return Imported(
            items=new,
            repeated=total - new,
            assets_found=found,
            assets_missing=len(wanted) - found,
            bad=tuple(bad),
            note=source_media.too_few(self.access.schema, (item.fields for each in placed for item in each.file.items)),
        )

    def save_assets(
        self, session: Session, wanted: Mapping[str, Wanted], stored: Mapping[str, StoredMedia]
    ) -> dict[str, int]:
        """The ids of all assets by name: those that are there, filled if need be, and new ones, missing or not."""
        now, project_id = self.store.now(), self.access.project_id
        for medium in stored.values():
            assets.put_media(
                session,
                row={
                    "sha256": medium.sha256,
                    "kind": medium.kind,
                    "mime": medium.mime,
                    "bytes": medium.bytes,
                    "width": medium.width,
                    "height": medium.height,
                    "duration": medium.duration,
                    "created_at": now,
                },
            )
        have = files.asset_ids(session, project_id=project_id, names=list(wanted))
        filled: list[int] = []
        for name in sorted(set(stored) & set(have), key=lambda name: have[name][0]):
            id, known = have[name]
            if known is None:
                files.fill_asset(session, id=id, sha256=stored[name].sha256)
                filled.append(id)
        task_slots.offer_items_with(session, asset_ids=filled, needed=self.access.needed_roles)
        sources = {
            name: assets.source_id(session, project_id=project_id, name=name)
            for name in sorted({want.source for want in wanted.values() if want.source})
        }
        files.add_assets(
            session,
            rows=[
                {
                    "public_id": public_id(),
                    "project_id": project_id,
                    "sha256": stored[name].sha256 if name in stored else None,
                    "name": name,
                    "kind": want.kind,
                    "source_id": sources.get(want.source or ""),
                    "in_pool": False,
                    "created_at": now,
                }
                for name, want in wanted.items()
                if name not in have
            ],
        )
        return {
            name: id for name, (id, _) in files.asset_ids(session, project_id=project_id, names=list(wanted)).items()
        }

    # ---- models' answers --------------------------------------------------------------------------------------------

    def predictions(self) -> Imported:
        read = read_predictions(
            self.path,
            schema=self.access.schema,
            dimension=self.dimension,
            model=self.spec.name if self.spec else self.model,
            project=self.project,
        )
        self.refuse(read.bad)
        known = self.read_ahead(read.rows)
        with self.store.write() as session:
            return self.take_answers(session, read.rows, read.hashes, list(read.bad), known)

    def read_ahead(self, rows: Sequence[tuple[PredictionRecord, BadRow]]) -> answer_readings.Ahead:
        """Read the answers of a file before the transaction that stores them, in which others would have to wait."""
        with self.store.read() as session:
            found = list(self._answers(session, rows, []))
            there = {(row.item_id, row.model) for row in files.predictions(session, project_id=self.access.project_id)}
        wanted = [
            (each.item_id, each.answer.text, Ended(None, each.answer.outcome))
            for each in found
            if each.answer.outcome in ANSWERS and (each.item_id, each.answer.model) not in there
        ]
        return answer_readings.ahead(self.store, project_id=self.access.project_id, wanted=wanted)

    def take_answers(
        self,
        session: Session,
        rows: Sequence[tuple[PredictionRecord, BadRow]],
        hashes: Mapping[str, str],
        bad: list[BadRow],
        known: answer_readings.Ahead | None = None,
    ) -> Imported:
        """Store the answers that are not there yet, in a run for each model; ``bad`` is added to."""
        now, project_id = self.store.now(), self.access.project_id
        found = list(self._answers(session, rows, bad))
        self.refuse(bad)
        new, repeated = self._new_answers(session, found, bad)
        self.refuse(bad)
        answers = {key: row for key, row in new.items() if row.answer.outcome in ANSWERS}
        run_of = self._runs(session, new, hashes)
        files.add_attempts(
            session,
            rows=[
                {
                    "run_id": run_of[model][0],
                    "worker_id": run_of[model][1],
                    "unit_id": item_id,
                    "item_id": item_id,
                    "number": 1,
                    "outcome": row.answer.outcome,
                    "final": True,
                    "text": row.answer.text,
                    "waited": 0.0,
                    "error": row.answer.error,
                    "prompt_hash": "",
                    "image_hashes": [],
                    "detail": {"file": row.here.path, "row": row.here.row},
                    "created_at": now,
                }
                for (item_id, model), row in new.items()
            ],
        )
        ids = answer_readings.keep(
            session,
            project_id=project_id,
            answers=[
                NewAnswer(item_id, run_of[model][0], model, row.answer.text)
                for (item_id, model), row in answers.items()
            ],
            now=now,
            known=known,
        )
        open_grading(
            session,
            access=self.access,
            predictions=[
                (id, item_id, row.dimension) for id, ((item_id, _), row) in zip(ids, answers.items(), strict=True)
            ],
            now=now,
        )
        self.on("saving", len(ids), len(ids))
        unanswered = Counter(row.answer.outcome for row in new.values() if row.answer.outcome not in ANSWERS)
        if new:
            events.record(
                session,
                at=now,
                kind="predictions.imported",
                project_id=project_id,
                person_id=self.by_id,
                data={
                    "predictions": len(ids),
                    "models": sorted(run_of),
                    **({"unanswered": unanswered.total()} if unanswered else {}),
                },
            )
        return Imported(predictions=len(ids), repeated=repeated, bad=tuple(bad), unanswered=dict(unanswered))

    def _new_answers(
        self, session: Session, found: Sequence[_Answer], bad: list[BadRow]
    ) -> tuple[dict[tuple[int, str], _Answer], int]:
        """The rows that are not there yet, by item and model, and how many are; what contradicts goes to ``bad``."""
        project_id = self.access.project_id
        known = {(row.item_id, row.model): row.text for row in files.predictions(session, project_id=project_id)}
        failed = files.imported_failures(session, project_id=project_id)
        new: dict[tuple[int, str], _Answer] = {}
        repeated = 0
        for row in found:
            answer = row.answer
            key = (row.item_id, answer.model)
            if key in new:
                earlier = new[key].answer
                if (earlier.text, earlier.outcome) == (answer.text, answer.outcome):
                    repeated += 1
                else:
                    bad.append(
                        replace(row.here, reason=f"{answer.model} has answered this item already, in other words")
                    )
            elif answer.outcome not in ANSWERS:
                if (*key, answer.outcome, answer.text) in failed:
                    repeated += 1
                else:
                    new[key] = row
            elif (before := known.get(key)) is None:
                new[key] = row
            elif before == answer.text:
                repeated += 1
            else:
                bad.append(replace(row.here, reason=_OTHERWISE.format(answer.model)))
        return new, repeated

    def _answers(
        self, session: Session, rows: Sequence[tuple[PredictionRecord, BadRow]], bad: list[BadRow]
    ) -> Iterator[_Answer]:
        """The answers with the items they are about; those about no item are added to ``bad``."""
        everything = files.item_ids(session, project_id=self.access.project_id)
        by_name = {external_id: (id, dimension) for id, external_id, dimension in everything}
        dimension_of = {id: dimension for id, _, dimension in everything}
        by_place = self._places(session)
        by_index = self._by_index(session, rows, everything, by_place)
        for answer, here in rows:
            if answer.item is not None:
                item = by_name.get(answer.item)
                reason = f"there is no item {answer.item!r} in this project"
            elif answer.index is not None:
                found, reason = by_index(answer, here)
                item = (found, dimension_of[found]) if found is not None else None
            else:
                places, place = by_place[answer.dimension or ""], answer.position or 0
                id = places.get(place)
                item = (id, answer.dimension or "") if id is not None else None
                reason = f"{answer.dimension} has {len(places)} items, and none at position {place} (they count from 0)"
            if item is None:
                bad.append(replace(here, reason=reason))
            else:
                yield _Answer(*item, answer, here)

    def _by_index(
        self,
        session: Session,
        rows: Sequence[tuple[PredictionRecord, BadRow]],
        everything: Sequence[tuple[int, str, str]],
        by_place: Mapping[str, Mapping[int, int]],
    ) -> Callable[[PredictionRecord, BadRow], tuple[int | None, str]]:
        """What finds the item that another harness's index means, file by file; else it says why there is none.

        If one index of a file is an item's external id, all of them are. Else they are positions, in the dimension if
        the file is about one, in the project if not, and the questions beside them, or a 0, say where they begin.
        """
        by_name = {external_id: id for id, external_id, _ in everything}
        in_project = {place: id for place, (id, _, _) in enumerate(everything)}
        groups: dict[tuple[str, str | None], list[PredictionRecord]] = defaultdict(list)
        for answer, here in rows:
            if answer.index is not None:
                groups[here.path, answer.dimension].append(answer)
        named = {group for group, answers in groups.items() if any(answer.index in by_name for answer in answers)}
        by_position = [answer for group, answers in groups.items() if group not in named for answer in answers]
        asked = self._questions(session) if any(answer.question for answer in by_position) else {}
        starts = {
            group: _first_index(answers, by_place[group[1]] if group[1] else in_project, asked)
            for group, answers in groups.items()
            if group not in named
        }

        def find(answer: PredictionRecord, here: BadRow) -> tuple[int | None, str]:
            group = (here.path, answer.dimension)
            if group in named:
                return by_name.get(answer.index or ""), f"there is no item {answer.index!r} in this project"
            places = by_place[answer.dimension] if answer.dimension else in_project
            start = starts[group]
            if start is None:
                return None, (
                    "nothing says whether its index counts from 0 or from 1: keep the column question in the file, or "
                    "name the items by their ids in a column item"
                )
            number = _position(answer.index)
            id = places.get(number - start) if number is not None else None
            if id is None:
                where = answer.dimension or "this project"
                return None, (
                    f"there is no item {answer.index!r} in this project, and {where} has {len(places)} items, none of "
                    f"them at that position (counted from {start})"
                )
            if answer.question and id in asked and not _same_question(asked[id], answer.question):
                return None, (
                    f"its question is not that of the item at position {answer.index} (counted from {start}): "
                    f"{asked[id][:100]!r}; name the items by their ids in a column item"
                )
            return id, ""

        return find

    def _questions(self, session: Session) -> dict[int, str]:
        """Every item's question, where items have one."""
        content = items.current_content(session, project_id=self.access.project_id)
        return {id: text for id, fields in content.items() if isinstance(text := fields.get("question"), str) and text}

    def _places(self, session: Session) -> dict[str, dict[int, int]]:
        """The ids of each dimension's items by their position in it: file after file, then what was written here.

        Records that were left out of a file keep their position, if all of the file is about one dimension.
        """
        rows = files.item_places(session, project_id=self.access.project_id)
        dimensions: dict[int | None, set[str]] = defaultdict(set)
        for row in rows:
            dimensions[row.file_id].add(row.dimension)
        found: dict[str, dict[int, int]] = defaultdict(dict)
        start: dict[tuple[str, int | None], int] = {}
        for row in rows:
            places = found[row.dimension]
            after = max(places, default=-1) + 1
            first = start.setdefault((row.dimension, row.file_id), after)
            own = row.file_id is not None and row.position is not None and len(dimensions[row.file_id]) == 1
            places[first + (row.position or 0) if own else after] = row.id
        return found

    def _runs(
        self, session: Session, new: Mapping[tuple[int, str], _Answer], hashes: Mapping[str, str]
    ) -> dict[str, tuple[int, int]]:
        """A run for each model, and what took part in it: the files, by their hashes."""
        now = self.store.now()
        rows: dict[str, list[_Answer]] = defaultdict(list)
        for (_, model), row in new.items():
            rows[model].append(row)
        found: dict[str, tuple[int, int]] = {}
        for model, answers in rows.items():
            came = {path: hashes[path] for path in sorted({row.here.path for row in answers})}
            about = {"files": [{"path": path, "sha256": sha256} for path, sha256 in came.items()]}
            run = runs.add(
                session,
                project_id=self.access.project_id,
                kind=RunKind.IMPORT,
                name=model,
                params={"file": self.path.name, **about, **({"spec": self.spec.dump()} if self.spec else {})},
                state=RunState.DONE,
                spec_hash=self.spec.hash if self.spec else "",
                wanted=len(answers),
                by_id=self.by_id,
                now=now,
            )
            worker_id = run_chunks.add_worker(session, run_id=run.id, name="import", about=about, now=now)
            run_chunks.end_worker(session, worker_id=worker_id, now=now)
            found[model] = (run.id, worker_id)
        return found


def _first_index(
    answers: Sequence[PredictionRecord], places: Mapping[int, int], asked: Mapping[int, str]
) -> int | None:
    """Whether a file's indices count from 0 or from 1; None if nothing says it."""
    numbers = [(number, answer) for answer in answers if (number := _position(answer.index)) is not None]
    if any(number == 0 for number, _ in numbers):
        return 0
    fitting = {
        start: sum(
            1
            for number, answer in numbers
            if answer.question and _same_question(asked.get(places.get(number - start, -1), ""), answer.question)
        )
        for start in (0, 1)
    }
    if fitting[0] != fitting[1]:
        return max(fitting, key=lambda start: fitting[start])
    whole = {number for number, _ in numbers} == set(range(1, len(places) + 1))
    return 1 if whole or any(number == len(places) for number, _ in numbers) else None


def _position(index: str | None) -> int | None:
    return int(index) if index and index.isascii() and index.isdigit() and len(index) < 10 else None


def _same_question(ours: str, theirs: str) -> bool:
    """Whether a question is ours, perhaps with a prompt around it."""
    ours, theirs = (" ".join(text.split()).casefold() for text in (ours, theirs))
    return bool(ours) and (ours in theirs or theirs in ours)


def asset_name(item: ItemRecord, asset: AssetName) -> str:
    """What an asset of an imported item is called in its project: below the item's folder, unique."""
    if asset.path:
        return "/".join(part for part in (_folder(item), asset.path) if part)
    return f"{item.external_id}/{asset.role}"


def _folder(item: ItemRecord) -> str:
    return _above(item.external_id)


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _new_item(item: ItemRecord, file_id: int, asset_ids: Mapping[str, int]) -> NewItem:
    return NewItem(
        external_id=item.external_id,
        dimension=item.dimension,
        fields=item.fields,
        assets=[(asset.role, asset_ids[asset_name(item, asset)]) for asset in item.assets],
        file_id=file_id,
        position=item.position,
        fragment_lead=item.fragment.lead if item.fragment else None,
        fragment_raw=item.fragment.raw if item.fragment else None,
    )


def _ids(rows: Mapping[str, StoredItem]) -> dict[str, int]:
    return {name: row.id for name, row in rows.items()}


def _identical(file: FileRecord, there: Mapping[str, StoredItem]) -> bool:
    """Whether every record is in the project already, word for word as it was imported."""
    return all(
        (row := there.get(item.external_id)) is not None
        and item.fragment is not None
        and row.fragment_raw == item.fragment.raw
        and row.dimension == item.dimension
        for item in file.items
    )


def _taken(file: FileRecord, there: Mapping[str, StoredItem]) -> str:
    for item in file.items:
        row = there.get(item.external_id)
        if row is not None and (item.fragment is None or row.fragment_raw != item.fragment.raw):
            return (
                f"{file.path}, row {(item.position or 0) + 1}: the item {item.external_id!r} is in this project "
                "already, with other content. Nothing was imported; edit items in the browser, or import the file into "
                "another project."
            )
    if not there:
        return (
            f"A file {file.path} is in this project already, with other items. Nothing was imported; "
            "give this one another name."
        )
    return (
        f"{file.path}: {len(there)} of its {len(file.items)} items are in this project already. Nothing was imported; "
        "give the new ones a file of their own."
    )
