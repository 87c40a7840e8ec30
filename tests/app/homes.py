"""Small homes for the real server: a project with people, images in its pool, and what is needed to work in it."""

from __future__ import annotations

import io
import shutil
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store, open_store
from domain.records import Person
from domain.roles import Role
from media.store import MediaStore
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool

PASSWORD = "correct horse battery"
PEOPLE = {
    "ana": Role.ANNOTATOR,
    "bo": Role.ANNOTATOR,
    "chi": Role.ANNOTATOR,
    "sen": Role.SENIOR,
    "lea": Role.LEAD,
}


@dataclass(frozen=True)
class Home:
    """A home on disk, closed, ready to be served."""

    path: Path

    def store(self) -> Store:
        """Its database, to look at what the server has done."""
        return open_store(None, self.path)

    def media(self) -> MediaStore:
        """Its media."""
        return MediaStore(self.path / "media")


def picture(number: int, *, kind: str = "PNG") -> bytes:
    """A small picture that no other number gives."""
    image = Image.new("RGB", (64, 48), (number * 37 % 256, number * 91 % 256, number * 53 % 256))
    image.putpixel((number % 64, number % 48), (255, 255, 255))
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def make_home(folder: Path, template: Path, *, pictures: int = 6) -> Home:
    """``tiny`` with the people above and some pictures; ``other``, whose only member is Olu, with one picture."""
    home = Home(folder / "home")
    home.path.mkdir(parents=True)
    shutil.copyfile(template, home.path / "touchstone.db")
    store = home.store()
    loaded = load_schema(shipped()["demo"])
    for name in ("tiny", "other"):
        projects.create_project(store, name=name, loaded=loaded, title=f"Project {name}", made_up=True)
    for login, role in PEOPLE.items():
        add_person(store, login, "tiny", role)
    add_person(store, "olu", "other", Role.LEAD)
    files = folder / "pictures"
    files.mkdir()
    for number in range(pictures + 1):
        (files / f"{number}.png").write_bytes(picture(number))
    offered = [(f"{number}.png", files / f"{number}.png") for number in range(pictures + 1)]
    image_pool.add_to_pool(store, home.media(), by=None, project="tiny", files=offered[:pictures])
    image_pool.add_to_pool(store, home.media(), by=None, project="other", files=offered[pictures:])
    store.close()
    return home


def add_person(store: Store, login: str, project: str, role: Role) -> Person:
    """An account that takes part in a project."""
    person = accounts.create_person(store, login=login, name=login.title(), password=PASSWORD)
    memberships.set_member(store, by=None, project=project, login=login, role=role)
    return person
