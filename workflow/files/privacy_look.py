"""Looking for faces and plates in a project's pictures, and what was decided about each: for people who look, too."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from db import kept_back as stock
from db.engine import Store
from db.events import FACES_LOOKED
from domain import csv_text
from domain.errors import Conflict, MediaRefused, NotFound
from domain.overlap import area_iou
from domain.privacy import COLUMNS, Box, Decision
from domain.records import Person
from workflow.access import kept_back
from workflow.access.event_log import log
from workflow.access.projects import require_lead

if TYPE_CHECKING:
    from PIL import Image

    from media.store import MediaStore

_SAME = 0.3
"""A box that shares so much of its union with one that is decided is that one."""

Progress = Callable[[int, int], None]


class Finder(Protocol):
    """Looks for faces and plates."""

    @property
    def told(self) -> dict[str, Any]:
        """With what."""

    def find(self, picture: Image.Image) -> Sequence[Any]:
        """Boxes with ``kind``, ``x``, ``y``, ``w``, ``h`` and ``by``."""


@dataclass(frozen=True)
class Seen:
    """A picture, and all that was found or decided in it."""

    name: str
    """The first of its names in the project."""
    file: str
    """SHA-256 of what is shown now."""
    boxes: tuple[Box, ...]
    decision: Decision | None
    asset: str = ""
    """The random id of the first image that shows it."""


@dataclass(frozen=True)
class Looked:
    """What a look came to."""

    title: str
    pictures: Sequence[Seen]
    clips: Sequence[str]
    """The names of clips, in which nothing looks."""
    unread: Sequence[tuple[str, str]]
    """Name and reason of pictures that could not be read."""
    n_found: int
    """Boxes that are new."""
    n_with: int
    """Pictures in which they are."""


def pictures(store: Store, media: MediaStore, *, by: Person | None, project: str) -> Looked:
    """The pictures of a project and what was decided about each, without a look at them; for leads."""
    return look(store, media, by=by, project=project, finder=None)


def look(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    finder: Finder | None,
    progress: Progress = lambda done, n: None,
) -> Looked:
    """Look through all images of a project, each content once; for leads. The log has with what, and how much was
    found. Nothing is changed."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        known = kept_back.of_project(session, project_id=access.project_id).by_file
        named: dict[str, tuple[str, str]] = {}
        clips: list[str] = []
        for row in stock.pictures(session, project_id=access.project_id):
            if row.kind == "clip":
                clips.append(row.name)
            else:
                named.setdefault(row.sha256 or "", (row.name, row.public_id))
    seen: list[Seen] = []
    unread: list[tuple[str, str]] = []
    new = 0
    with_new = 0
    for done, (file, (name, asset)) in enumerate(named.items()):
        progress(done, len(named))
        decision = known.get(file)
        standing = decision.boxes if decision else ()
        try:
            found = _found(media, file, name, finder, standing)
        except (MediaRefused, NotFound) as error:
            unread.append((name, str(error)))
            continue
        new, with_new = new + len(found), with_new + bool(found)
        seen.append(Seen(name, file, (*standing, *found), decision, asset))
    progress(len(named), len(named))
    if finder is not None:
        data = {"looked": finder.told, "pictures": len(seen), "found": new, "with": with_new, "unread": len(unread)}
        with store.write() as session:
            log(session, FACES_LOOKED, by=by, project=access, now=store.now(), data={**data, "clips": len(clips)})
    return Looked(access.title, seen, clips, unread, new, with_new)


def _found(media: MediaStore, file: str, name: str, finder: Finder | None, standing: Sequence[Box]) -> list[Box]:
    if finder is None:
        return []
    boxes = (
        Box(each.kind, each.x, each.y, each.w, each.h, each.by) for each in finder.find(upright(media, file, name))
    )
    return fresh([*boxes], standing)


def fresh(found: Sequence[Box], standing: Sequence[Box]) -> list[Box]:
    """Of boxes that were found those that are none of the standing ones."""
    return [box for box in found if not any(_share(box, other) >= _SAME for other in standing)]


def picture(store: Store, *, by: Person | None, project: str, file: str) -> Seen:
    """One picture that a project shows, and what was decided about it; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = stock.assets_of(session, project_id=access.project_id, files=[file])
        decision = kept_back.of_project(session, project_id=access.project_id).by_file.get(file)
    if not rows or rows[0].kind == "clip":
        raise NotFound("The project does not show this picture any more; load the page anew.")
    return Seen(rows[0].name, file, decision.boxes if decision else (), decision, rows[0].public_id)


def must_show(store: Store, *, by: Person | None, project: str, asset: str) -> None:
    """``NotFound`` unless the project has an image or clip with that random id; for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if not stock.has(session, project_id=access.project_id, public_id=asset):
            raise NotFound("The project does not show this picture any more; load the page anew.")


def place(store: Store, home: Path, *, by: Person | None, project: str, changes: bool = False) -> Path:
    """The folder for what was found and what is being decided in a project, for its leads; ``changes``: something is
    to be written there."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    if changes and access.archived:
        raise Conflict(f"{access.title} is archived: nothing in it is changed any more.")
    return looks_in(home, project) / hashlib.sha256(access.began.encode()).hexdigest()[:8]


def looks_in(home: Path, project: str) -> Path:
    """Where that lies of projects of that name: of this one, and of those before it that were deleted."""
    return home / "privacy" / project


def upright(media: MediaStore, file: str, name: str) -> Image.Image:
    """All pixels of a picture."""
    from media import images

    about = media.about(file)
    return images.upright(media.path(file), mime=about.mime, name=name, limits=media.limits)


def _share(one: Box, other: Box) -> float:
    return area_iou(one.as_json(), other.as_json())


def as_csv(looked: Looked) -> str:
    """A line for each box, for people to decide; one without a box for each picture in which there is none."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(COLUMNS)
    for seen in looked.pictures:
        for box in seen.boxes:
            said = {True: "yes", False: "no", None: ""}[box.cover]
            rows.writerow([seen.name, seen.file, box.kind, *(f"{part:.6f}" for part in box.place), box.by, said])
        if not seen.boxes:
            rows.writerow([seen.name, seen.file, "", "", "", "", "", "", "no" if seen.decision else ""])
    return out.getvalue()


def standing(looked: Looked) -> Mapping[str, int]:
    """How many pictures there are, and what was decided."""
    decided = [seen.decision for seen in looked.pictures if seen.decision]
    covered = sum(bool(each.covers) for each in decided)
    return {
        "pictures": len(looked.pictures),
        "covered": covered,
        "nothing": len(decided) - covered,
        "open": len(looked.pictures) - len(decided),
        "clips": len(looked.clips),
        "unread": len(looked.unread),
    }


def to_look_at(looked: Looked, *, only_found: bool) -> Iterator[Seen]:
    """The pictures that people have to look at: those with boxes first."""
    yield from (seen for seen in looked.pictures if seen.boxes)
    if not only_found:
        yield from (seen for seen in looked.pictures if not seen.boxes)


def as_json(seen: Seen) -> dict[str, Any]:
    """A decided picture for other programs. The hash of what is kept back is not among it."""
    said = seen.decision
    assert said is not None
    return {
        "picture": seen.name,
        "file": seen.file,
        "by": said.by,
        "at": said.at.isoformat(),
        "margin": said.margin,
        "boxes": [box.as_json() for box in said.boxes],
        "looked": dict(said.looked),
    }


def sentence(seen: Seen) -> str:
    """A decided picture in words."""
    said = seen.decision
    assert said is not None
    covered = ", ".join(f"{box.kind} ({box.by})" for box in said.covers) or "nothing"
    left = sum(not box.cover for box in said.boxes)
    more = f"; {left} left as found" if left else ""
    return f"{seen.name}: {covered} covered{more}; {said.by or 'the command'}, {said.at:%Y-%m-%d %H:%M}"
