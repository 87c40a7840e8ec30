"""The options of a release, and the data card fields that hold for all releases: license, makers, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from db import events, releases
from db.engine import IntegrityError, Session, Store
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.records import Person
from media.perceptual_hash import ALIKE
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.releases.split_groups import TOGETHER


@dataclass(frozen=True)
class ReleaseOptions:
    """The options of a release."""

    formats: tuple[str, ...] = ()
    """The formats of the files. Empty for the formats that the schema names, and without those the format of its own
    files.
    """
    splits: tuple[str, ...] = ()
    """The splits, such as ``train=0.8`` or ``field:NAME``; empty to put all items in ``test``."""
    private: tuple[str, ...] = ()
    """Splits whose right answers are withheld."""
    media: bool = False
    """Include images and clips in the release; otherwise the release names them by hash."""
    seed: int = 0
    """The seed for drawing splits."""
    anew: bool = False
    """Items that an earlier release has may come into another split."""
    together: tuple[str, ...] = TOGETHER
    """The links that keep items in one split: rows of ``BY``."""
    alike: int = ALIKE
    """The bits in which the looks of two images may differ that count as alike."""
    off: float = 0.1
    """The largest allowed difference of a split from its planned size, as a share of that size."""
    lacking: bool = False
    """Splits may lack a dimension that has too few groups for all of them."""
    schema_version: int | None = None
    """Count only votes under this version of the schema."""
    despite: tuple[str, ...] = ()
    """The open lines of the checklist that the lead overrides."""
    accepted: tuple[str, ...] = ()
    """Kinds of leaks that the lead accepts, each as ``KIND: reason``."""

    def dump(self) -> dict[str, Any]:
        """Return the options as JSON values. An empty ``accepted`` is left out, as in older releases."""
        values = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return values if self.accepted else {name: value for name, value in values.items() if name != "accepted"}

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> ReleaseOptions:
        """Return the options stored by ``dump``."""
        known = {field.name for field in fields(cls)}
        given: dict[str, Any] = {name: value for name, value in values.items() if name in known}
        settled: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        return cls(**settled)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class CardField:
    """Something that the makers of a release say."""

    name: str
    title: str
    meaning: str
    needed: bool = False
    """A release without it is incomplete."""
    many: bool = False
    """A list: one a line."""
    long: bool = False


SAYINGS = (
    CardField("license", "License", "An SPDX id such as CC-BY-4.0, or the address of a license text", needed=True),
    CardField("description", "Description", "The purpose of the data set, in a few sentences", long=True),
    CardField("creators", "Creators", "The people or groups who made the data set, one per line", many=True),
    CardField("url", "Address", "The web address of the data set"),
    CardField("citation", "Citation", "The reference that papers should cite", long=True),
    CardField("media_license", "Media license", "The license of images and clips, if different"),
    CardField("limitations", "Limitations", "What the data set does not measure or show", long=True),
    CardField("biases", "Biases", "People and places that the images show or lack", long=True),
    CardField(
        "personal_information",
        "Personal information",
        "Faces, voices and names in the data, and how you covered them",
        long=True,
    ),
    CardField("use_cases", "Use cases", "The skills that the data set measures", long=True),
    CardField("social_impact", "Social impact", "Possible good and bad effects of using the data set", long=True),
    CardField("synthetic", "Synthetic data", "Write yes if models made any part of the data. Otherwise, write no."),
    CardField("derived_from", "Derived from", "The data sets or recordings behind the items, one per line", many=True),
    CardField("generated_by", "Made by", "The steps and tools that made the data, one per line", many=True),
    CardField(
        "demographics", "Annotators", "Facts about the annotators that the annotators agreed to publish", long=True
    ),
    CardField("pay", "Pay", "The hourly pay of the annotators"),
    CardField("maintenance", "Maintenance", "The people who correct errors, and how to report an error", long=True),
)
"""All fields of the data card, in the order of the page."""
_BY_NAME = {saying.name: saying for saying in SAYINGS}
LONGEST = 10_000


@dataclass(frozen=True)
class CardVersion:
    """The present fields of the data card."""

    number: int
    """The number of stored versions; 0 for empty fields."""
    values: Mapping[str, Any]


def card_version(store: Store, *, by: Person | None, project: str) -> CardVersion:
    """Return the data card fields that the leads have filled in, for leads."""
    with store.read() as session:
        return about_in(session, require_lead(session, by=by, project=project))


def about_in(session: Session, access: Access) -> CardVersion:
    """Return the same as ``card_version``, in the caller's transaction."""
    row = releases.current_card(session, project_id=access.project_id)
    return CardVersion(row.number, row.about) if row else CardVersion(0, {})


def say(store: Store, *, by: Person | None, project: str, said: Mapping[str, Any]) -> CardVersion:
    """Store data card fields, or remove a field by an empty value. Other fields stay, and every version is kept.

    Raises
    ------
    InvalidInputError
        A field is unknown, or its value has the wrong form.
    ConflictError
        Another person has changed the fields at the same moment.
    """
    if problems := list(_problems(said)):
        raise InvalidInputError(problems)
    try:
        with store.write() as session:
            access = require_lead(session, by=by, project=project)
            before = about_in(session, access)
            merged = {**before.values, **{name: _value(name, value) for name, value in said.items()}}
            values = {saying.name: merged[saying.name] for saying in SAYINGS if merged.get(saying.name)}
            if values == before.values:
                return before
            now = store.now()
            who = by.id if by else None
            releases.say(
                session, project_id=access.project_id, number=before.number + 1, about=values, by_id=who, now=now
            )
            changed = sorted(name for name in said if values.get(name) != before.values.get(name))
            log(session, events.RELEASE_SAID, by=by, project=access, now=now, data={"about": changed})
            return CardVersion(before.number + 1, values)
    except IntegrityError as error:
        raise ConflictError("Another lead saved the description just now. Reload the page and save again.") from error


def _problems(said: Mapping[str, Any]) -> Iterator[Problem]:
    for name, value in said.items():
        if name not in _BY_NAME:
            yield Problem(name, f"The data card has no field {name!r}. Its fields are: {', '.join(_BY_NAME)}.")
            continue
        text = "\n".join(value) if isinstance(value, list | tuple) else str(value)
        if len(text) > LONGEST:
            yield Problem(name, f"{_BY_NAME[name].title} may have at most {LONGEST:,} characters. Shorten the text.")
        if "TODO" in text:
            yield Problem(name, f"{_BY_NAME[name].title} contains TODO. Fill in the text first.")
        if name == "synthetic" and text.strip() and text.strip().lower() not in ("yes", "no"):
            yield Problem(name, "Synthetic data: write yes or no.")


def _value(name: str, value: Any) -> Any:
    text = "\n".join(value) if isinstance(value, list | tuple) else str(value)
    if name == "synthetic":
        return text.strip().lower()
    return _lines(text) if _BY_NAME[name].many else text.strip()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
